# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of a terrain: look, sky, light, cameras, renders."""
