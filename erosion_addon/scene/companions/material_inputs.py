# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs of the terrain material beside the fields: wet shores, water as objects, wind direction.
Inputs of the water material: surf.
"""

import math
from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ...base.arrays import mean_cell_size
from ...grid.sampling import smooth_step
from ..materials import material, water_material
from ..materials.terrain.sockets import SHORE
from ..terrain import attribute_values, attributes, grid
from ..terrain.lattice import Array, Lattice
from ..terrain.mesh import positions
from . import companions, visible_water

WATER_SURFACE = "erosion_water_surface"
"""Custom property of a terrain: 1 if its water has a surface, so the material draws none."""

WATERS = "erosion_shown"
"""Custom property of a terrain, three numbers: 1 if rivers, lakes or sea are objects; unit vector
of the sand transport in world x and y.
"""

SPLASH = 0.4
"""Height of wet ground above the water, in meters; at least `SPLASH_CELLS` cells."""

SPLASH_CELLS = 0.12

BESIDE = 2
"""Width of a river's shore, in cells."""

REACH = 4
"""Distance of dry ground from the water, in cells."""


def update(terrain: bpy.types.Object, place: Array | None = None) -> None:
    """Update the material's inputs after a change of the terrain or its companions.

    place: local positions of its vertices (vertices, 3), if available.
    """
    wind = _wind(terrain, place)
    waters = {
        kind: objects for kind in visible_water.KINDS if (objects := companions.find(terrain, kind))
    }
    if waters or SHORE in terrain.data.attributes:
        _update_shore(terrain, bool(waters))
        _update_surf(terrain, waters, wind)
    kinds = {
        kind
        for kind, objects in waters.items()
        if any(companions.count(water) for water in objects)
    }
    if "water" in kinds:
        terrain[WATER_SURFACE] = 1.0
    else:
        terrain.pop(WATER_SURFACE, None)
    numbers = (float(bool(kinds - {"water"})), *wind)
    if any(numbers):
        terrain[WATERS] = numbers
    else:
        terrain.pop(WATERS, None)
    terrain.update_tag()  # a changed custom property does not


def _update_surf(
    terrain: bpy.types.Object, waters: dict[str, list[bpy.types.Object]], wind: tuple[float, float]
) -> None:
    """Write the height of the surf, and the direction of the waves: the wind's if there is surf."""
    surf = material.palette_of(terrain).surf
    for kind in ("water", "sea"):
        for surface in waters.get(kind, ()):
            breaks = max(surf, 0.6) if kind == "sea" else surf
            surface[water_material.SURF] = breaks
            surface[water_material.WAVES] = (*wind, 0.0) if breaks else (0.0, 0.0, 0.0)
            surface.update_tag()


def _update_shore(terrain: bpy.types.Object, wet: bool) -> None:
    """Write the attribute `SHORE`, or remove it from a terrain without water objects."""
    mesh = terrain.data
    attributes.drop_aside(mesh, SHORE)
    if wet:
        ground, lattice = grid.read_terrain(terrain)
        elevation = ground.elevation.astype(np.float32)
        cell = mean_cell_size(lattice.spacing)
        shore = np.zeros(elevation.shape, np.float32)
        for water, level in visible_water.standing(terrain, lattice, elevation):
            shore = np.maximum(shore, wet_shores(elevation, water, level, cell))
        for share in _beside_rivers_and_lakes(terrain, lattice):
            shore = np.maximum(shore, share)
        attributes.keep_aside(mesh, SHORE, lattice.to_vertices(shore))
    mesh.update()


def _beside_rivers_and_lakes(terrain: bpy.types.Object, lattice: Lattice) -> Iterator[Array]:
    """Wetness beside rivers and lakes that are objects, (rows, cols) 0-1."""
    shares = visible_water.shares(terrain, lattice, ("river", "bank", "lake"))
    if "lake" in shares:
        yield _spread(shares["lake"], 1)
    if "river" in shares:
        # The masks are at least a cell wide, beside any brook.
        width = _width(terrain, lattice) / mean_cell_size(lattice.spacing)
        slender = np.sqrt(np.minimum(_spread(width, BESIDE + math.ceil(width.max())), 1.0))
        yield slender * np.maximum(shares["river"], shares["bank"] * shares["bank"])


def _width(terrain: bpy.types.Object, lattice: Lattice) -> Array:
    """Width of the rivers whose surface has a vertex at a cell, (rows, cols) m; else 0."""
    width_map = np.zeros((lattice.rows, lattice.cols), np.float32)
    low, units = lattice.frame(positions(terrain.data))
    for surface in companions.find(terrain, "rivers"):
        width = surface.data.attributes.get("width")
        if (
            width is not None
            and (width.data_type, width.domain) == ("FLOAT", "POINT")
            and len(width.data)
        ):
            place = (attribute_values.read(surface.data.attributes["position"])[:, :2] - low) / (
                units * lattice.spacing[::-1]
            )
            col, row = (
                np.rint(place.clip(0, (lattice.cols - 1, lattice.rows - 1))).astype(np.intp).T
            )
            np.maximum.at(width_map, (row, col), attribute_values.read(width)[:, 0])
    return width_map


def _spread(values: Array, cells: int) -> Array:
    """Maximum within `cells` rows and columns, (rows, cols)."""
    for _ in range(2):
        reach = min(cells, len(values))
        covered = 1
        wide = np.pad(values, [(reach, reach), (0, 0)])
        while covered <= 2 * reach:
            step = min(covered, 2 * reach + 1 - covered)
            wide = np.maximum(wide[:-step], wide[step:])
            covered += step
        values = wide.T
    return values


def wet_shores(elevation: Array, wet: Array, level: Array, cell: float) -> Array:
    """Wetness of the ground, (rows, cols) 0-1: 1 in water, decreasing with height above and
    distance from it; puddles have no shore.

    elevation, level of the water where it is `wet`: m. cell: m.
    """
    # Water a cell wide has no shore: it would look like stairs.
    ones = np.ones(elevation.shape, np.float32)
    share = _neighborhood_sum(_neighborhood_sum(wet.astype(np.float32))) / _neighborhood_sum(
        _neighborhood_sum(ones)
    )
    shore_level, broad = (
        np.where(wet, values, 0).astype(np.float32)
        for values in (level, smooth_step(share, 0.3, 0.55))
    )
    mask = wet.astype(np.float32)
    reached = wet.astype(np.float32)
    for step in range(1, REACH + 1):
        count = _neighborhood_sum(mask)
        new = (mask == 0) & (count > 0)
        for values in (shore_level, broad):
            values[new] = _neighborhood_sum(values * mask)[new] / count[new]
        mask[new] = 1
        reached[new] = 1 - step / (REACH + 1)
    splash = max(SPLASH, SPLASH_CELLS * cell)
    dry = np.clip((elevation - shore_level) / splash, 0, 1)
    return np.where(wet, broad, reached * (1 - dry) * broad).astype(np.float32)


def _neighborhood_sum(values: Array) -> Array:
    """Sum over a point and its eight neighbors."""
    for axis in (0, 1):
        summed = values.copy()
        ahead = [slice(None)] * 2
        ahead[axis] = slice(1, None)
        behind = [slice(None)] * 2
        behind[axis] = slice(None, -1)
        summed[tuple(behind)] += values[tuple(ahead)]
        summed[tuple(ahead)] += values[tuple(behind)]
        values = summed
    return values


def _wind(terrain: bpy.types.Object, place: Array | None) -> tuple[float, float]:
    """Mean direction of sand transport, else of the wind, else of slip faces, as a unit vector (x,
    y) in world space; zeros if unknown.
    """
    mesh = terrain.data
    flows = [attributes.read_values(mesh, name) for name in ("sand_flow", "wind_flow")]
    means: list[Any] = [values.mean(axis=0) for values in flows if values is not None]
    if attributes.holds(mesh, "sediment") and len(mesh.vertices):
        means.append(_lee(terrain, positions(mesh) if place is None else place))
    for x, y in means:
        if math.hypot(x, y) > 1e-9:
            goes = terrain.matrix_basis.to_3x3() @ Vector((x, y, 0.0))
            goes.z = 0.0
            goes.normalize()
            return goes.x, goes.y
    return 0.0, 0.0


def _lee(terrain: bpy.types.Object, place: Array) -> tuple[float, float]:
    """Mean aspect of slip faces as (x, y); dunes are steep in the lee only. Weight: the third power
    of the slope.
    """
    lattice = grid.lattice_of(terrain, place)
    heights = lattice.to_grid(place[:, 2])
    stride = max(1, max(heights.shape) // 256)
    heights = heights[::stride, ::stride]
    if min(heights.shape) < 2:
        return 0.0, 0.0
    up, right = np.gradient(heights, *(lattice.spacing[axis] * stride for axis in (0, 1)))
    steep = up * up + right * right
    return -float((steep * right).mean()), -float((steep * up).mean())
