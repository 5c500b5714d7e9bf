# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain that the user works on: the active object, or the terrain of the active companion."""

import bpy

KIND = "erosion_kind"
"""Custom property of a companion, a child of its terrain: its kind."""


def active_terrain(context: bpy.types.Context) -> bpy.types.Object | None:
    """Terrain of the active object; None without one."""
    return terrain_of(context.object)


def terrain_of(obj: bpy.types.Object | None) -> bpy.types.Object | None:
    """Terrain of a companion; the object itself if it is not a companion, or its terrain is
    deleted.
    """
    if obj is None or KIND not in obj or obj.parent is None:
        return obj
    # To the user an object in no collection is deleted; a modifier may keep it in the file.
    return obj.parent if obj.parent.users_collection else obj
