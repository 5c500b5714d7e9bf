# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows and 3D viewports: clip range and framing of a terrain, and the cursor while Blender
waits.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
from mathutils import Vector

REACH = 4.0
"""Clip distance of a view in diagonals of the terrain."""


def spaces() -> Iterator[bpy.types.SpaceView3D]:
    """All 3D viewports of the file, including other workspaces and hidden editors."""
    for screen in bpy.data.screens:
        for area in screen.areas:
            yield from (space for space in area.spaces if isinstance(space, bpy.types.SpaceView3D))


def reach(obj: bpy.types.Object) -> None:
    """Extend the clip range of all views to the whole object."""
    for space in spaces():
        lengthen(space, obj)


def lengthen(space: bpy.types.SpaceView3D, obj: bpy.types.Object) -> None:
    """Extend the clip range of a view. Both ends scale alike, which keeps the depth resolution
    nearby.
    """
    longer = REACH * obj.dimensions.length / space.clip_end
    if longer > 1:
        space.clip_start, space.clip_end = space.clip_start * longer, space.clip_end * longer


def show_isolated(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Show a new object in the local views of all windows. In hidden workspaces Blender 5.2 crashes
    on that.
    """
    for window in context.window_manager.windows:
        if window.view_layer == context.view_layer:
            areas = (area for area in window.screen.areas if area.type == "VIEW_3D")
            for space in (area.spaces.active for area in areas):
                if space.local_view:
                    obj.local_view_set(space, True)


def frame(context: bpy.types.Context, obj: bpy.types.Object) -> None:
    """Frame an object in all views, which leave their cameras; animated in the view of the
    context.
    """
    # a new object has its `matrix_world` only after an update
    context.view_layer.update()
    reach(obj)
    space_here = context.space_data
    middle = obj.matrix_world @ (sum((Vector(corner) for corner in obj.bound_box), Vector()) / 8)
    for space in spaces():
        for view in filter(None, [space.region_3d, *space.region_quadviews]):
            if view.view_perspective == "CAMERA":
                view.view_perspective = "PERSP"
            # the view of the context moves smoothly, by the operator below
            if space != space_here:
                view.view_location = middle
                view.view_distance = obj.dimensions.length
    regions = context.area.regions if isinstance(space_here, bpy.types.SpaceView3D) else ()
    for window in (region for region in regions if region.type == "WINDOW"):
        with context.temp_override(region=window):
            bpy.ops.view3d.view_selected()


@contextmanager
def waiting(context: bpy.types.Context) -> Iterator[None]:
    """Context with the wait cursor."""
    if context.window is None:  # as in background mode
        yield
        return
    context.window.cursor_modal_set("WAIT")
    try:
        yield
    finally:
        context.window.cursor_modal_restore()
