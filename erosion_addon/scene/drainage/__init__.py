# SPDX-License-Identifier: GPL-3.0-or-later
"""Drainage of a terrain in its scene."""
