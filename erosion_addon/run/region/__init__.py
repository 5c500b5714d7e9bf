# SPDX-License-Identifier: GPL-3.0-or-later
"""Local runs: erosion of a region of a terrain, with its surroundings as the boundary."""
