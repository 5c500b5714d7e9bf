# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain Erosion, the Blender extension; this file only lets Blender find `erosion_addon`."""


def register():
    """Blender switches the extension on."""
    from . import erosion_addon

    erosion_addon.register()


def unregister():
    """Blender switches it off."""
    from . import erosion_addon

    erosion_addon.unregister()
