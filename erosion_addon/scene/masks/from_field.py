# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks made of what a terrain is: its height, its slope, how much land drains through it."""

import bpy
import numpy as np

from ...base.errors import InputError
from ...terrain.fields import ANALYZED
from ...terrain.masks import MASK_KINDS
from ..terrain import attributes, grid
from ..terrain.lattice import Array, Lattice


def field_values(obj: bpy.types.Object, lattice: Lattice, name: str) -> Array:
    """A field of one number that the terrain shows now, (rows, cols); InputError where it has none."""
    if name == "elevation":
        return grid.terrain_of(lattice, grid.heights(obj.data)).elevation
    found = attributes.read_fields(obj.data, lattice, [name])
    if name not in found:
        remedy = "analyze it first" if name in ANALYZED else "no run has made one"
        raise InputError(f"{obj.name} has no {name.replace('_', ' ')}; {remedy}.")
    return found[name]


def fill(obj: bpy.types.Object, kind: str, name: str, low: float, high: float) -> str:
    """Make an attribute for a mask of a field: 0 where that is `low`, 1 where it is `high`, both the field's own lowest
    and highest where they are equal. Returns its name, one for each mask; InputError where that cannot be.

    It is a copy: the field may follow the next run, the mask stays.
    """
    lattice = grid.find_lattice(obj)
    values = field_values(obj, lattice, name).astype(np.float64)
    if low == high:
        low, high = float(values.min()), float(values.max())
    share = np.clip((values - low) / ((high - low) or 1.0), 0.0, 1.0)
    attribute = f"{MASK_KINDS[kind].label} from {name}"
    attributes.check_no_vertex_group(obj.data, attribute)
    attributes.write_users(obj.data, attribute, lattice.to_vertices(share.astype(np.float32)))
    return attribute
