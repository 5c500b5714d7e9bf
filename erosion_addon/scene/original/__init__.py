# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain before erosion, stored in its mesh."""
