# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain as mesh: lattice, heights, attributes, what stands in the way."""
