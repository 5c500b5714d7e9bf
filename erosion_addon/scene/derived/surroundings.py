# SPDX-License-Identifier: GPL-3.0-or-later
"""Surrounding land, which hides the end of the terrain in pictures.

It continues the terrain's slope at the border, becomes a coarse mirror image of it further out, and
sinks to a plain that reaches the horizon. It has the terrain's fields and material.
"""

import bpy
import numpy as np

from ...grid.sampling import smooth_step
from ...terrain import fields
from ..companions import companions, visible_water
from ..materials.terrain.sockets import FIELDS
from ..terrain import attributes, grid
from ..terrain.attribute_values import Values
from ..terrain.lattice import Array
from ..terrain.mesh import Geometry, positions
from ..water import water_surface

KIND = "surroundings"

SIDE = 128
"""Maximum cells along a side of the terrain."""

BEND = 0.15
"""Width of the transition from the border's slope to the mirror image, as a share of the terrain's
side.
"""

SINKS = (0.45, 1.0)
"""Start and end of the slope from the border to the plain, in sides."""

SEA_DEPTH = 5.0
"""Depth of the sea around the terrain, in meters."""

HORIZON = 10.5
"""Distance from the border to the plain's end, in sides of the terrain."""


def add(terrain: bpy.types.Object) -> bpy.types.Object:
    """Add surrounding land to the terrain, or update it."""
    lands = companions.find(terrain, KIND)
    if not lands:
        name = f"{terrain.name} Surroundings"
        lands = [companions.add(terrain, KIND, name, bpy.data.meshes.new(name))]
        lands[0].hide_select = True  # clicks into the distance select nothing
    companions.put_in_place(terrain)
    for land in lands:
        if not land.data.is_editmode:
            update(terrain, land)
    return lands[0]


def update(terrain: bpy.types.Object, land: bpy.types.Object) -> None:
    """Rebuild the mesh of the surrounding land from the terrain."""
    lattice = grid.find_lattice(terrain)
    place = lattice.to_grid(positions(terrain.data))
    stride = max(1, -(-max(lattice.rows, lattice.cols) // SIDE))
    rows, cols = (
        np.unique(np.r_[0:length:stride, length - 1]) for length in (lattice.rows, lattice.cols)
    )
    window = np.ix_(rows, cols)
    cells = (len(rows) - 1, len(cols) - 1)
    faces = np.ones((3 * cells[0] + 2, 3 * cells[1] + 2), bool)
    # The terrain's own area stays free except for one row that slopes down below its border, so no
    # gap shows.
    faces[cells[0] + 2 : -cells[0] - 2, cells[1] + 2 : -cells[1] - 2] = False
    used, corners, edges = water_surface.cells(faces)
    points = surrounding(place[window], stride)
    read = {
        socket.attribute
        for socket in FIELDS
        if socket.attribute in fields.FIELDS and attributes.holds(terrain.data, socket.attribute)
    }
    sunk = _out(cells)
    at_sea = None
    if companions.find(terrain, "water") and attributes.holds(terrain.data, "water_depth"):
        depth = attributes.read_fields(terrain.data, lattice, ["water_depth"])["water_depth"][
            window
        ]
        wet = depth > visible_water.least_depth(terrain, lattice)
        at_sea = sea_beyond(wet)
        if at_sea.any():
            level = np.median((place[..., 2][window] + depth / lattice.scale_z)[_border(wet) & wet])
            points[at_sea, 2] = level - 0.05 / lattice.scale_z  # below the water surface
    layers = Values.of_slot(water_surface.common_slot(terrain.data), len(corners))
    for name, values in attributes.read_fields(terrain.data, lattice, sorted(read)).items():
        pad = [(size + 1, size + 1) for size in cells] + [(0, 0)] * (values.ndim - 2)
        spread = np.pad(values[window], pad, "reflect" if min(cells) > 1 else "edge")
        if name in ("snow", "water_depth"):  # which belong to the sinking heights
            spread = spread * (1 - smooth_step(sunk, *SINKS)).astype(np.float32)
        if name == "water_depth" and at_sea is not None:
            spread = np.where(at_sea, np.float32(SEA_DEPTH), spread)
        layers[name] = Values.of_vertices(spread[used])
    Geometry.of(points[used], corners, True, layers, edges).put_into(land.data)
    _dress(terrain, land.data, place[..., 2])


def surrounding(place: Array, stride: int) -> Array:
    """Vertices of the surrounding land with the terrain in the middle: (3 rows, 3 cols, 3) for
    (rows + 1, cols + 1).

    place: local (x, y, z) of the terrain's points, (rows + 1, cols + 1, 3). stride: cells of the
    terrain per cell here. Inner points of the middle lie below the terrain.
    """
    rows = place.shape[0] - 1
    cols = place.shape[1] - 1
    x, y, z = (place[..., axis].astype(np.float64) for axis in range(3))
    base = float(np.percentile(z, 30))
    out = np.zeros(1)
    for axis, size in ((0, rows), (1, cols)):
        pad = [(size, size) if item == axis else (0, 0) for item in (0, 1)]
        x, y = (np.pad(part, pad, "reflect", reflect_type="odd") for part in (x, y))
        mirrored = np.pad(z, pad, "reflect")
        straight = np.pad(z, pad, "reflect", reflect_type="odd")
        steps = np.arange(-size, 2 * size + 1)
        away = np.maximum(np.maximum(-steps, steps - size), 0) / size
        away = away[:, None] if axis == 0 else away[None, :]
        bend = 1 - smooth_step(away, 0.0, BEND)
        z = mirrored + bend * (straight - mirrored)
        out = np.maximum(out, away)
    z += smooth_step(out, *SINKS) * (base - z)
    inside = (slice(rows + 1, 2 * rows), slice(cols + 1, 2 * cols))
    cell = max(np.ptp(place[..., 0]) / cols, np.ptp(place[..., 1]) / rows)
    z[inside] -= cell
    # One row more: the plain to the horizon.
    far = HORIZON * max(np.ptp(place[..., 0]), np.ptp(place[..., 1]))
    x, y = (np.pad(part, 1, "edge") for part in (x, y))
    x[:, 0] -= far
    x[:, -1] += far
    y[0] -= far
    y[-1] += far
    return np.stack((x, y, np.pad(z, 1, "edge")), -1)


def sea_beyond(wet: Array) -> Array:
    """Sea vertices of the surrounding land, (3 rows + 3, 3 cols + 3) bool: beyond the wet points of
    mostly wet sides, and two rows within. wet: (rows + 1, cols + 1) bool, of the terrain's points.
    """
    edge = _border(wet)
    rows, cols = (size - 1 for size in wet.shape)
    return np.pad(edge, ((rows + 1, rows + 1), (cols + 1, cols + 1)), "edge")


def _border(wet: Array) -> Array:
    """Wet points of the mostly wet sides of a terrain, and the points next to them inside. The sea
    is level across the border, so shading shows no bend.
    """
    border = np.zeros_like(wet)
    for at, within in ((0, 1), (-1, -2)):
        for axis in (0, 1):
            side = np.take(wet, at, axis)
            if side.mean() > 0.5:
                for line in (at, within):
                    np.moveaxis(border, axis, 0)[line] |= side
    return border


def _out(cells: tuple[int, int]) -> Array:
    """Distance of each vertex from the terrain, in its sides: (3 rows + 3, 3 cols + 3)."""
    down, right = (
        np.pad(np.maximum(np.maximum(-steps, steps - size), 0) / size, 1, "edge")
        for size in cells
        for steps in [np.arange(-size, 2 * size + 1)]
    )
    return np.maximum(down[:, None], right[None, :])


def _dress(terrain: bpy.types.Object, mesh: bpy.types.Mesh, heights: Array) -> None:
    """Assign the terrain's materials, and its height range for the snow line."""
    mesh.materials.clear()
    for slot in terrain.material_slots:
        mesh.materials.append(slot.material)
    low = float(heights.min())
    high = float(heights.max())
    mesh.use_auto_texspace = False
    mesh.texspace_location = (0.0, 0.0, (low + high) / 2)
    mesh.texspace_size = (1.0, 1.0, max((high - low) / 2, 1e-6))
