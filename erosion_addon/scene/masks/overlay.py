# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlay of a mask or field on its terrain in the 3D viewports, with a legend.

The file does not change. Blender's own shaders draw the colors, so they look the same on OpenGL,
Vulkan and Metal.
"""

from typing import Any

import blf
import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix

from ..session import session
from ..terrain.lattice import Array, Lattice

FINEST = 512
"""Maximum points along a side; more slow the viewport down without being visible."""

NEARER = 0.002
"""Depth offset of the colors toward the eye, as a share of the distance."""

CLEARANCE = 2e-6
"""Additional depth offset, -1 to 1, against rounding with a very near clipping plane."""

OPACITY = 0.75

MODES = ("OBJECT", "TEXTURE_PAINT")
"""Modes with an overlay; others have their own colors, or no readable mesh."""

_STEPS = 33
"""Samples of the color ramp, interpolated linearly."""

_HUES = np.radians(np.linspace(-45.0, 315.0, 65))
"""Angles along the legend of directions: a quarter for each end of the axes, centered on it."""

AXES = ("X", "Y", "-X", "-Y")
"""Their labels."""

_DARKEST = 0.6
"""Brightness of slopes facing away from the light; colors stay distinct there."""


class MaskOverlay:
    """Overlay of one mask or field. uid: session_uid of the terrain; title and legend: texts above
    and beside the ramp, or in it, for directions.
    """

    def __init__(
        self,
        uid: int,
        title: str,
        legend: tuple[str, ...],
        points: Array,
        colors: Array,
        faces: Array,
    ):
        self.uid = uid
        self.title = title
        self.legend = legend
        self.points = points
        self.colors = colors
        self.faces = faces
        self._batches: tuple[Any, ...] | None = None

    def batches(self) -> tuple[Any, Any, Any]:
        """Shader, surface and ramp, created on first use, when the window's graphics exist."""
        if self._batches is None:
            shader = gpu.shader.from_builtin("SMOOTH_COLOR")
            surface = {"pos": self.points, "color": self.colors}
            corners, colors = _strip(self.legend == AXES)
            self._batches = (
                shader,
                batch_for_shader(shader, "TRIS", surface, indices=self.faces),
                batch_for_shader(shader, "TRI_STRIP", {"pos": corners, "color": colors}),
            )
        return self._batches  # type: ignore[return-value]

    def terrain(self) -> bpy.types.Object | None:
        """Terrain, if the current viewport shows it with overlays, in a mode of MODES."""
        if not bpy.context.space_data.overlay.show_overlays:
            return None
        obj = seen(self.uid)
        return obj if obj is not None and obj.mode in MODES else None


def seen(uid: int) -> bpy.types.Object | None:
    """Object with a session_uid, if the current viewport shows it."""
    objects = (obj for obj in bpy.context.view_layer.objects if obj.session_uid == uid)
    obj = next(objects, None)
    return obj if obj is not None and obj.visible_get(viewport=bpy.context.space_data) else None


def show(
    obj: bpy.types.Object,
    lattice: Lattice,
    place: Array,
    share: Array,
    title: str,
    ends: tuple[float, float],
    unit: str = "",
) -> None:
    """Draw a mask or scalar field on its terrain, replacing any other, until `hide`.

    place: (vertices, 3) local positions. share: (rows, cols), position on the color ramp, 0-1.
    ends: labels of 0 and 1.
    """
    _show(
        obj,
        title,
        (f"{ends[0]:.4g}", f"{ends[1]:.4g} {unit}".strip()),
        surface(lattice, place, share),
    )


def show_directions(
    obj: bpy.types.Object, lattice: Lattice, place: Array, vectors: Array, title: str
) -> None:
    """`show` for a field of vectors, (rows, cols, 2) along columns and rows: the hue is their
    direction.
    """
    lengths = np.sqrt((vectors.astype(np.float64) ** 2).sum(-1))
    longest = np.percentile(lengths, 99) or lengths.max() or 1.0
    _show(obj, title, AXES, surface(lattice, place, vectors / longest))


def _show(
    obj: bpy.types.Object, title: str, legend: tuple[str, ...], drawn: tuple[Array, Array, Array]
) -> None:
    session.masks.overlay = MaskOverlay(obj.session_uid, title, legend, *drawn)
    if not session.masks.handles:
        add = bpy.types.SpaceView3D.draw_handler_add
        session.masks.handles.append(add(_draw_surface, (), "WINDOW", "POST_VIEW"))
        session.masks.handles.append(add(_draw_legend, (), "WINDOW", "POST_PIXEL"))
    redraw()


def shares(values: Array, logarithmic: bool) -> tuple[Array, tuple[float, float]]:
    """A field scaled for `show`, (rows, cols), with its range, clipped at the 1st and 99th
    percentile.

    logarithmic: for nonnegative, skewed fields.
    """
    if logarithmic:
        scaled = np.log10(np.maximum(values, np.finfo(np.float32).tiny))
    else:
        scaled = values.astype(np.float64)
    low, high = np.percentile(scaled, (1, 99))
    if low == high:
        low = scaled.min()
        high = scaled.max()
    if logarithmic:
        high = scaled.max()
    share = (scaled - low) / ((high - low) or 1.0)
    return share, ((10.0**low, 10.0**high) if logarithmic else (float(low), float(high)))


def hide() -> None:
    """Stop drawing."""
    session.masks.overlay = None
    while session.masks.handles:
        bpy.types.SpaceView3D.draw_handler_remove(session.masks.handles.pop(), "WINDOW")
    redraw()


def redraw() -> None:
    """Redraw all 3D viewports."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def colors_of(share: Array) -> Array:
    """Colors (..., 4) float32 of values, clamped to 0-1."""
    share = np.nan_to_num(np.clip(share, 0, 1)).astype(np.float32)
    ramp = _ramp()
    place = share * np.float32(len(ramp) - 1)
    low = np.minimum(place.astype(np.intp), len(ramp) - 2)
    part = (place - low)[..., None]
    colors = np.empty((*share.shape, 4), np.float32)
    colors[..., :3] = ramp[low] * (1 - part) + ramp[low + 1] * part
    colors[..., 3] = OPACITY
    return colors


def hues_of(vectors: Array) -> Array:
    """Colors (..., 4) float32 of vectors (..., 2) along columns and rows: a color wheel, red along
    columns, gray at a length of 0 and full from 1 on.
    """
    lengths = np.sqrt((vectors.astype(np.float64) ** 2).sum(-1))[..., None]
    angle = np.arctan2(vectors[..., 1], vectors[..., 0])[..., None]
    hues = np.clip(0.5 + np.cos(angle - np.radians((0.0, 120.0, 240.0))), 0.0, 1.0)
    colors = np.full((*vectors.shape[:-1], 4), OPACITY, np.float32)
    colors[..., :3] = 0.5 + (hues - 0.5) * np.minimum(lengths, 1.0)
    return colors


def _ramp() -> Array:
    """Weight Paint colors from 0 to 1, (_STEPS, 3) float32: Blender's default, or from the
    preferences.
    """
    shares = np.linspace(0, 1, _STEPS)
    view = bpy.context.preferences.view
    if view.use_weight_color_range:
        return np.array(
            [view.weight_color_range.evaluate(share)[:3] for share in shares], np.float32
        )
    # As BKE_defvert_weight_to_rgb: blue, cyan, green, yellow, red, and half as bright at 0 as at 1.
    corners = [(0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 1, 0), (1, 0, 0)]
    hues = [
        np.interp(shares, np.linspace(0, 1, 5), channel) for channel in zip(*corners, strict=True)
    ]
    return (np.stack(hues, axis=-1) * (0.5 + shares[:, None] / 2)).astype(np.float32)


def surface(lattice: Lattice, place: Array, share: Array) -> tuple[Array, Array, Array]:
    """Local points (count, 3) float32, their colors (count, 4) float32 and triangles (faces, 3)
    int32.

    At most FINEST points along a side, each with its own mask value and the maximum height around
    it, so the terrain does not poke through. share: (rows, cols) of the mask, 0-1, or vectors
    (rows, cols, 2), see `hues_of`. Colors include shading, so the relief stays visible.
    """
    rows = chosen(lattice.rows)
    cols = chosen(lattice.cols)
    grid = lattice.to_grid(place)
    points = grid[np.ix_(rows, cols)].copy()
    points[..., 2] = _highest_around(grid[..., 2] * lattice.scale_z, rows, cols) / lattice.scale_z
    colors = (hues_of if share.ndim == 3 else colors_of)(share[np.ix_(rows, cols)])
    colors[..., :3] *= _shade(
        points[..., 2] * lattice.scale_z, rows * lattice.spacing[0], cols * lattice.spacing[1]
    )
    corner = np.arange(rows.size * cols.size, dtype=np.int32).reshape(rows.size, cols.size)
    a = corner[:-1, :-1]
    b = corner[:-1, 1:]
    c = corner[1:, 1:]
    d = corner[1:, :-1]
    faces = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1, 3)
    return points.reshape(-1, 3).astype(np.float32), colors.reshape(-1, 4), faces


def chosen(count: int) -> Array:
    """Drawn rows or columns: both ends, and at most FINEST evenly spaced."""
    return np.unique(np.linspace(0, count - 1, min(count, FINEST)).round().astype(np.intp))


def _highest_around(height: Array, rows: Array, cols: Array) -> Array:
    """Maximum height halfway to the neighbors of each drawn point."""
    for axis, indices in enumerate((rows, cols)):
        starts = np.concatenate([[0], (indices[1:] + indices[:-1]) // 2 + 1])
        height = np.maximum.reduceat(height, starts, axis=axis)
    return height


def _shade(height: Array, y: Array, x: Array) -> Array:
    """Brightness (rows, cols, 1) from _DARKEST to 1 under a light from the north-west, 45° up."""
    up, along = np.gradient(height.astype(np.float64), y, x)
    facing = (1 + (along - up) / np.sqrt(2)) / np.sqrt(2 * (1 + along**2 + up**2))
    return (_DARKEST + (1 - _DARKEST) * (1 + facing) / 2).astype(np.float32)[..., None]


def _strip(directions: bool) -> tuple[Array, Array]:
    """Corners and colors of the legend's ramp, 1 × 1."""
    share = np.repeat(np.linspace(0, 1, 65, dtype=np.float32), 2)
    corners = np.stack(
        [share, np.tile(np.array([0, 1], np.float32), 65), np.zeros(130, np.float32)], axis=-1
    )
    if directions:
        return corners, hues_of(
            np.repeat(np.stack([np.cos(_HUES), np.sin(_HUES)], axis=-1), 2, axis=0)
        )
    return corners, colors_of(share)


def _draw_surface() -> None:
    obj = session.masks.overlay.terrain() if session.masks.overlay is not None else None
    if session.masks.overlay is None or obj is None:
        return
    shader, batch, _ = session.masks.overlay.batches()
    draw_over(obj, shader, batch)


def draw_over(obj: bpy.types.Object, shader: Any, batch: Any) -> None:
    """Draw triangles in object space over the surface, occluded by nearer objects."""
    gpu.state.depth_test_set("LESS_EQUAL")
    gpu.state.depth_mask_set(True)
    gpu.state.blend_set("ALPHA")
    with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.matrix.load_projection_matrix(_cleared(gpu.matrix.get_projection_matrix()))
        gpu.matrix.multiply_matrix(_nearer(bpy.context.region_data) @ obj.matrix_world)
        # Depth first: a slope behind another one must not shine through its colors.
        gpu.state.color_mask_set(False, False, False, False)
        batch.draw(shader)
        gpu.state.color_mask_set(True, True, True, True)
        batch.draw(shader)
    gpu.state.depth_mask_set(False)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def _cleared(projection: Matrix) -> Matrix:
    """Projection moved toward the eye by CLEARANCE."""
    cleared = projection.copy()
    cleared[2] -= CLEARANCE * projection[3]
    return cleared


def _nearer(view: bpy.types.RegionView3D) -> Matrix:
    """Matrix that moves points toward the eye without moving them on the screen."""
    camera = view.view_matrix.inverted()
    if view.window_matrix[3][3] == 0.0:  # perspective
        eye = Matrix.Translation(camera.translation)
        return eye @ Matrix.Scale(1 - NEARER, 4) @ eye.inverted()
    return Matrix.Translation(camera.col[2].xyz * (NEARER * view.view_distance))


def _draw_legend() -> None:
    if session.masks.overlay is None or session.masks.overlay.terrain() is None:
        return
    scale = bpy.context.preferences.system.ui_scale
    width = 220 * scale
    height = 12 * scale
    left = (bpy.context.region.width - width) / 2
    bottom = 32 * scale
    shader, _, ramp = session.masks.overlay.batches()
    gpu.state.blend_set("ALPHA")
    _draw_backdrop(left - 60 * scale, bottom - 10 * scale, width + 120 * scale, height + 36 * scale)
    with gpu.matrix.push_pop():
        gpu.matrix.translate((left, bottom))
        gpu.matrix.scale((width, height))
        ramp.draw(shader)
    blf.size(0, 12 * scale)
    blf.color(0, 1.0, 1.0, 1.0, 1.0)
    title = session.masks.overlay.title
    legend = session.masks.overlay.legend
    texts = [(title, left + (width - _width(title)) / 2, bottom + height + 8 * scale)]
    if legend == AXES:
        places = [
            left + width * (2 * number + 1) / 8 - _width(text) / 2
            for number, text in enumerate(legend)
        ]
    else:
        places = [left - _width(legend[0]) - 8 * scale, left + width + 8 * scale]
    texts += [(text, x, bottom + 2 * scale) for text, x in zip(legend, places, strict=True)]
    for text, x, y in texts:
        blf.position(0, x, y, 0)
        blf.draw(0, text)
    gpu.state.blend_set("NONE")


def _width(text: str) -> float:
    return float(blf.dimensions(0, text)[0])


def _draw_backdrop(left: float, bottom: float, width: float, height: float) -> None:
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    right = left + width
    top = bottom + height
    corners = [(left, bottom, 0), (right, bottom, 0), (left, top, 0), (right, top, 0)]
    shader.uniform_float("color", (0.0, 0.0, 0.0, 0.55))
    batch_for_shader(shader, "TRI_STRIP", {"pos": corners}).draw(shader)
