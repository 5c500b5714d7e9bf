# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows a terrain: water surface, foliage, surrounding land, levels of detail, light, maps."""
