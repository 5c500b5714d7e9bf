# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain as a mesh: lattice, heights, attributes, checks."""
