# SPDX-License-Identifier: GPL-3.0-or-later
"""Temporary display on a terrain; the file does not change."""
