# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects and data derived from a terrain: water surface, foliage, surrounding land, levels of
detail, light, maps.
"""
