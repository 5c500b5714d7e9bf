# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks made from fields: height, slope, drainage area and others."""

import bpy
import numpy as np

from ...base.errors import InputError
from ...terrain.fields import ANALYZED, WATERS
from ...terrain.masks import MASK_KINDS
from ..terrain import attributes, grid
from ..terrain.lattice import Array, Lattice


def field_values(obj: bpy.types.Object, lattice: Lattice, name: str) -> Array:
    """Current field of the terrain, (rows, cols) or (rows, cols, components); InputError if it is
    missing.
    """
    if name == "elevation":
        return grid.terrain_of(lattice, grid.heights(obj.data)).elevation
    found = attributes.read_fields(obj.data, lattice, [name])
    if name not in found:
        remedy = "add rivers first" if name in WATERS else "no run has made one"
        remedy = "analyze it first" if name in ANALYZED else remedy
        raise InputError(f"{obj.name} has no {name.replace('_', ' ')}; {remedy}.")
    return found[name]


def fill(obj: bpy.types.Object, kind: str, name: str, low: float, high: float) -> str:
    """Write a mask attribute from a field: 0 at `low`, 1 at `high`; equal values mean the field's
    own range.

    Returns its name, one for each mask; InputError if impossible. It is a copy: the next run may
    change the field, but not the mask.
    """
    lattice = grid.find_lattice(obj)
    values = field_values(obj, lattice, name).astype(np.float64)
    if low == high:
        low = float(values.min())
        high = float(values.max())
    share = np.clip((values - low) / ((high - low) or 1.0), 0.0, 1.0)
    attribute = f"{MASK_KINDS[kind].label} from {name}"
    attributes.check_no_vertex_group(obj.data, attribute)
    attributes.write_users(obj.data, attribute, lattice.to_vertices(share.astype(np.float32)))
    return attribute
