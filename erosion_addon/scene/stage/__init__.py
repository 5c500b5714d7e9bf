# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of a terrain: its look, sky, light, cameras and renders."""
