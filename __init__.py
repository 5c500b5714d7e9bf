# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain Erosion, the Blender extension: `erosion_addon` holds it, this file only lets Blender
find it.
"""


def register():
    """Blender switches the extension on."""
    from . import erosion_addon

    erosion_addon.register()


def unregister():
    """Blender switches it off."""
    from . import erosion_addon

    erosion_addon.unregister()
