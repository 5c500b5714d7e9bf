# SPDX-License-Identifier: GPL-3.0-or-later
"""Picture of a 3D viewport without overlays; the scene's render settings stay unchanged."""

from pathlib import Path

import bpy
import numpy as np

from ...base.arrays import Array
from ...base.atomic_files import Outputs
from ...base.errors import InputError, reason_of

SIDE = 256
_FINER = 2
"""Supersampling factor for smooth edges."""


def save(context: bpy.types.Context, path: Path) -> None:
    """Write a square PNG of SIDE pixels from the middle of the context's viewport; InputError if
    there is none.
    """
    area = context.area
    if bpy.app.background or area is None or area.type != "VIEW_3D":
        raise InputError("A picture can be taken only in a 3D viewport.")
    region = next(region for region in area.regions if region.type == "WINDOW")
    pixels = _pixels(context, area.spaces.active, region)
    with Outputs() as outputs:
        with outputs.write(outputs.plan(path, (".png",))) as temporary:
            _write(pixels, temporary)
        outputs.publish()


def _pixels(
    context: bpy.types.Context, space: bpy.types.SpaceView3D, region: bpy.types.Region
) -> Array:
    """Middle of the view as (SIDE, SIDE, 4) float32 in screen colors, row 0 at the bottom."""
    import gpu  # not available without a window

    side = SIDE * _FINER
    scale = side / min(region.width, region.height)
    width = max(round(region.width * scale), side)
    height = max(round(region.height * scale), side)
    overlays = space.overlay.show_overlays
    space.overlay.show_overlays = False
    offscreen = gpu.types.GPUOffScreen(width, height)
    try:
        view = space.region_3d
        offscreen.draw_view3d(
            context.scene,
            context.view_layer,
            space,
            region,
            view.view_matrix,
            view.window_matrix,
            do_color_management=True,
        )
        with offscreen.bind():
            buffer = gpu.state.active_framebuffer_get().read_color(
                0, 0, width, height, 4, 0, "FLOAT"
            )
    finally:
        offscreen.free()
        space.overlay.show_overlays = overlays
    buffer.dimensions = width * height * 4
    pixels = np.asarray(buffer, np.float32).reshape(height, width, 4)
    row = (height - side) // 2
    col = (width - side) // 2
    square = pixels[row : row + side, col : col + side]
    return square.reshape(SIDE, _FINER, SIDE, _FINER, 4).mean(axis=(1, 3))


def _write(pixels: Array, path: Path) -> None:
    image = bpy.data.images.new("Recipe", SIDE, SIDE)
    try:
        pixels[..., 3] = 1.0
        image.pixels.foreach_set(pixels.ravel())
        image.file_format = "PNG"
        image.save(filepath=str(path))
    except RuntimeError as error:
        raise OSError(reason_of(error)) from error
    finally:
        bpy.data.images.remove(image)
