# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain: fields on one grid, their table, masks and strata."""
