# SPDX-License-Identifier: GPL-3.0-or-later
"""Water of a terrain in its scene: rivers, lakes, sea, surface, analysis of drainage."""
