# SPDX-License-Identifier: GPL-3.0-or-later
"""Visible water of a terrain: pools of a water step, river and lake objects, the sea, and water
that the material draws from moisture.

Plants, foliage, shores, water surfaces and levels of detail depend on it.
"""

import json
from collections.abc import Iterator, Sequence

import bpy
import numpy as np

from ...base.arrays import mean_cell_size
from ...drainage.parameters import RiverParameters
from ..materials.terrain.water import LEVEL
from ..terrain import attributes
from ..terrain.lattice import Array, Lattice
from . import companions

KINDS = ("water", "rivers", "lakes", "sea")
"""Companions that show water."""

THRESHOLD = "erosion_threshold"
"""Custom property of a water surface: minimum depth of visible water in meters; 0 is automatic."""

SETTINGS = "erosion_water"
"""Custom property of rivers, lakes and sea: their settings as JSON."""


def where(terrain: bpy.types.Object, lattice: Lattice, elevation: Array) -> Array:
    """Cells with visible water, (rows, cols) bool. elevation: (rows, cols) m."""
    water = np.zeros(elevation.shape, bool)
    for wet, _ in standing(terrain, lattice, elevation):
        water |= wet
    for share in shares(terrain, lattice, ("river", "lake")).values():
        water |= share > 0.5
    return water | _material_water(terrain, lattice, elevation)


def _material_water(terrain: bpy.types.Object, lattice: Lattice, elevation: Array) -> Array:
    """Cells where the material draws water from moisture, (rows, cols) bool, if nothing else
    provides it.
    """
    from ..materials import material

    threshold = material.water_threshold(terrain)
    objects = any(companions.find(terrain, kind) for kind in KINDS[1:])
    has_water = objects or attributes.holds(terrain.data, "water_depth")
    if has_water or threshold >= 1 or not attributes.holds(terrain.data, "moisture"):
        return np.zeros(elevation.shape, bool)
    moisture = attributes.read_fields(terrain.data, lattice, ["moisture"])["moisture"]
    steep_row, steep_col = np.gradient(elevation.astype(np.float32), *lattice.spacing)
    level = steep_row**2 + steep_col**2 < 1 / LEVEL**2 - 1
    return (moisture > threshold) & level


def shares(terrain: bpy.types.Object, lattice: Lattice, names: Sequence[str]) -> dict[str, Array]:
    """Named fields of `WATERS` whose water is an object, (rows, cols) 0-1; rivers include banks."""
    kinds = {"river": "rivers", "bank": "rivers", "lake": "lakes"}
    fields = [
        name
        for name in names
        if companions.find(terrain, kinds[name]) and attributes.holds(terrain.data, name)
    ]
    return attributes.read_fields(terrain.data, lattice, fields)


def standing(
    terrain: bpy.types.Object, lattice: Lattice, elevation: Array
) -> Iterator[tuple[Array, Array]]:
    """Cells, (rows, cols) bool, and the level, (rows, cols) m, of pools and of the sea. elevation:
    (rows, cols) m.
    """
    if attributes.holds(terrain.data, "water_depth"):
        depth = attributes.read_fields(terrain.data, lattice, ["water_depth"])["water_depth"]
        yield depth > least_depth(terrain, lattice), elevation + depth
    settings = settings_in(terrain)
    if settings is not None and companions.find(terrain, "sea"):
        yield elevation < settings.sea_level, np.full_like(elevation, settings.sea_level)


def least_depth(terrain: bpy.types.Object, lattice: Lattice) -> float:
    """Minimum depth of visible water in meters, as set on the terrain's water surface; automatic
    without one.
    """
    depths = [
        companions.number(surface, THRESHOLD, 0.0) for surface in companions.find(terrain, "water")
    ]
    return shown_from(lattice, depths[0] if depths else 0.0)


def shown_from(lattice: Lattice, threshold: float) -> float:
    """Minimum depth of visible water in meters. threshold: its setting; 0: a hundredth of
    a cell.
    """
    return threshold or 0.01 * mean_cell_size(lattice.spacing)


def settings_of(companion: bpy.types.Object) -> RiverParameters:
    """Settings of rivers, lakes or a sea; defaults for invalid content."""
    try:
        return RiverParameters.from_dict(json.loads(companion[SETTINGS]))
    except (KeyError, TypeError, ValueError, RecursionError):
        return RiverParameters()


def settings_in(terrain: bpy.types.Object) -> RiverParameters | None:
    """Settings of the terrain's rivers, lakes and sea; None if it has none."""
    objects = [companion for kind in KINDS[1:] for companion in companions.find(terrain, kind)]
    return settings_of(objects[0]) if objects else None
