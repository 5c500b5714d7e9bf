# SPDX-License-Identifier: GPL-3.0-or-later
"""The erosion brush on a mesh: strokes under way, and where the mouse meets the ground."""
