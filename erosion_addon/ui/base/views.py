# SPDX-License-Identifier: GPL-3.0-or-later
"""3D viewports that show a terrain: far enough, and all of it."""

from collections.abc import Iterator

import bpy
from mathutils import Vector

REACH = 4.0
"""How far a view has to reach to show a terrain from a pleasant distance, in diagonals of the terrain."""


def spaces() -> Iterator[bpy.types.SpaceView3D]:
    """All 3D viewports of the file, also those of other workspaces and behind other editors."""
    for screen in bpy.data.screens:
        for area in screen.areas:
            yield from (space for space in area.spaces if isinstance(space, bpy.types.SpaceView3D))


def reach(obj: bpy.types.Object) -> None:
    """Let all views reach over the whole object."""
    for space in spaces():
        lengthen(space, obj)


def lengthen(space: bpy.types.SpaceView3D, obj: bpy.types.Object) -> None:
    """Let a view reach over the whole object. Both ends move alike, so that near things stay as distinct in depth."""
    longer = REACH * obj.dimensions.length / space.clip_end
    if longer > 1:
        space.clip_start, space.clip_end = space.clip_start * longer, space.clip_end * longer


def frame(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Show an object whole in all views, but for those that look through a camera or at few objects alone; in that of
    the context as Blender does it, gliding."""
    context.view_layer.update()
    reach(obj)
    own = context.space_data
    middle = obj.matrix_world @ (sum((Vector(corner) for corner in obj.bound_box), Vector()) / 8)
    for space in spaces():
        view = space.region_3d
        if space != own and view is not None and view.view_perspective != "CAMERA" and not space.local_view:
            view.view_location, view.view_distance = middle, obj.dimensions.length
    regions = context.area.regions if isinstance(own, bpy.types.SpaceView3D) else ()
    for window in (region for region in regions if region.type == "WINDOW"):
        with context.temp_override(region=window):
            bpy.ops.view3d.view_selected()
