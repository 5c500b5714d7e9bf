# SPDX-License-Identifier: GPL-3.0-or-later
"""Generators of start terrains."""
