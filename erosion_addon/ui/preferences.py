# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user prefers for all terrains: Edit ▸ Preferences ▸ Add-ons ▸ Terrain Erosion."""

import bpy

ADDON = ".".join(__package__.split(".")[:3]) if __package__.startswith("bl_ext.") else "erosion_addon"
"""Blender's name of the extension."""


class EROSION_AP_preferences(bpy.types.AddonPreferences):
    """Preferences of the extension"""

    bl_idname = ADDON

    threads: bpy.props.IntProperty(
        name="Threads", min=0, max=1024,
        description="The most processors to use; 0: all of them. The result is the same",
    )  # fmt: skip

    def draw(self, context: bpy.types.Context) -> None:
        self.layout.use_property_split = True
        self.layout.prop(self, "threads")


def threads() -> int:
    """The most threads to use, 0 for as many as there are processors."""
    addon = bpy.context.preferences.addons.get(ADDON)
    return addon.preferences.threads if addon is not None and addon.preferences is not None else 0


CLASSES = (EROSION_AP_preferences,)
