# SPDX-License-Identifier: GPL-3.0-or-later
"""Shores: how wet the ground is beside water that is seen, for the terrain's material; and where waves break."""

import bpy
import numpy as np

from ...base.arrays import mean_cell_size
from ...grid.smooth_step import smooth_step
from ..materials import material, water_material
from ..materials.terrain_nodes import SHORE
from ..terrain import attributes, grid
from ..terrain.lattice import Array
from . import companions, rivers, water_surface

SPLASH = 0.4
"""Height above the water up to which ground is wet, in meters; at least `SPLASH_CELLS` cells."""

SPLASH_CELLS = 0.12

REACH = 4
"""Cells from the water beyond which ground is dry."""


def update(terrain: bpy.types.Object) -> None:
    """Write the attribute `SHORE`, or remove it from a terrain that shows no water; tell surfaces of their surf."""
    mesh = terrain.data
    kinds = {kind: shown for kind in companions.WATER_KINDS if (shown := companions.find(terrain, kind))}
    attributes.drop_aside(mesh, SHORE)
    if not kinds:
        mesh.update()
        return
    ground, lattice = grid.read_terrain(terrain)
    fields = attributes.read_fields(
        mesh, lattice, [name for name in ("water_depth", "river", "bank", "lake") if attributes.holds(mesh, name)]
    )
    elevation, cell = ground.elevation.astype(np.float32), mean_cell_size(lattice.spacing)
    shore = np.zeros(elevation.shape, np.float32)
    if "water" in kinds and "water_depth" in fields:
        threshold = water_surface.shown_from(lattice, companions.number(kinds["water"][0], water_surface.THRESHOLD, 0))
        wet = fields["water_depth"] > threshold
        shore = splashed(elevation, wet, elevation + fields["water_depth"], cell)
    if "sea" in kinds and (settings := rivers.settings_in(terrain)) is not None:
        level = np.full_like(elevation, settings.sea_level)
        shore = np.maximum(shore, splashed(elevation, elevation < level, level, cell))
    for name in ("river", "bank", "lake"):
        shore = np.maximum(shore, fields.get(name, shore))
    attributes.keep_aside(mesh, SHORE, lattice.to_vertices(shore))
    mesh.update()
    surf = material.palette_of(terrain).surf
    for kind in ("water", "sea"):
        for surface in kinds.get(kind, ()):
            surface[water_material.SURF] = max(surf, 0.6) if kind == "sea" else surf
            surface.update_tag()


def splashed(elevation: Array, wet: Array, level: Array, cell: float) -> Array:
    """Wetness of the ground, (rows, cols) 0-1: 1 in water, less the higher above it and the farther from it;
    puddles have no shore.

    elevation, level of the water where it is `wet`: m. cell: m.
    """
    # Puddles and threads of water a cell wide have no shore: a chain of them would look like stairs.
    ones = np.ones(elevation.shape, np.float32)
    share = _around(_around(wet.astype(np.float32))) / _around(_around(ones))
    known, broad = (np.where(wet, values, 0).astype(np.float32) for values in (level, smooth_step(share, 0.3, 0.55)))
    there, reached = wet.astype(np.float32), wet.astype(np.float32)
    for step in range(1, REACH + 1):
        count = _around(there)
        new = (there == 0) & (count > 0)
        for values in (known, broad):
            values[new] = _around(values * there)[new] / count[new]
        there[new] = 1
        reached[new] = 1 - step / (REACH + 1)
    splash = max(SPLASH, SPLASH_CELLS * cell)
    dry = np.clip((elevation - known) / splash, 0, 1)
    return np.where(wet, broad, reached * (1 - dry) * broad).astype(np.float32)


def _around(values: Array) -> Array:
    """Sum over a point and its eight neighbors."""
    for axis in (0, 1):
        summed = values.copy()
        ahead, behind = ([slice(None)] * 2 for _ in range(2))
        ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
        summed[tuple(behind)] += values[tuple(ahead)]
        summed[tuple(ahead)] += values[tuple(behind)]
        values = summed
    return values
