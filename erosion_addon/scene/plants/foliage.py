# SPDX-License-Identifier: GPL-3.0-or-later
"""Foliage as shells: copies of the ground above each other, which the material cuts into plants.

A Geometry Nodes modifier on a separate object reads the terrain, so shells follow every run and
edit. The attribute `foliage_density` of the terrain gives the density of plants. It is updated
after each run, may be painted over, and serves other scattering setups too.
"""

import math

import bpy
import numpy as np

from ...base.errors import InputError
from ...grid.sampling import smooth_step
from ..companions import companions, visible_water
from ..materials.foliage_material import foliage_material
from ..materials.foliage_nodes import DENSITY, NODES, SOCKETS, VERSION
from ..materials.node_trees import nodes
from ..terrain import attributes, grid
from ..terrain.lattice import Array

KIND = "foliage"

GROUP = "Foliage Shells"

WATER_MOISTURE = 0.85
"""Moisture above which the ground counts as water."""


def add(terrain: bpy.types.Object, shells: int = 32, height: float = 0.0) -> bpy.types.Object:
    """Add foliage to the terrain, or change its settings.

    shells: number in renders. height: of the tallest plants in meters; 0: 0.8 cells. InputError if
    the terrain has no moisture, or the user has other data with the name of the density.
    """
    if not attributes.holds(terrain.data, "moisture"):
        raise InputError("{name} has no moisture to grow plants by; erode it first.").format(
            name=terrain.name
        )
    write_density(terrain)
    objects = companions.find(terrain, KIND)
    if not objects:
        name = f"{terrain.name} Foliage"
        objects = [companions.add(terrain, KIND, name, bpy.data.meshes.new(name))]
        # shells would hide the ground in Solid view; Rendered view ignores this
        objects[0].display_type = "BOUNDS"
        # the material shades the plants; shadows of shells are slow in EEVEE
        objects[0].visible_shadow = False
    tallest = height or 0.8 * math.sqrt(math.prod(grid.describe(terrain).spacing))
    values = {
        "Shells": shells,
        "Viewport Shells": max(1, shells // 4),
        "Height": tallest,
        "Width": 0.6 * tallest,
    }
    for plants in objects:
        modifier = _shells(terrain, plants)
        for name, value in values.items():
            nodes.set_modifier_input(modifier, name, value)
    return objects[0]


def update(terrain: bpy.types.Object, plants: bpy.types.Object) -> None:
    """Update the density of plants; the shells follow by themselves."""
    if attributes.holds(terrain.data, "moisture"):
        write_density(terrain)


def density(
    moisture: Array, elevation: Array, spacing: tuple[float, float], water: Array | None = None
) -> Array:
    """Density of plants, (rows, cols) float32 0-1: on wet, gentle ground outside water.

    moisture: (rows, cols) 0-1; elevation: (rows, cols) m on cells of `spacing`; water: (rows, cols)
    bool. With w = moisture / 0.85 it is 2 w (1 - w⁴) m, at most 1, where m falls from 1 to 0 with
    the vertical part n of the surface's normal as the smooth step of n^0.75 from 0.7 down to 0.4:
    52° to 73°.
    """
    w = np.maximum(moisture, 0) * np.float32(1 / WATER_MOISTURE)
    w *= 2 * (1 - w**4)
    steep_row, steep_col = np.gradient(elevation, *spacing)
    # n^0.75, as n = 1 / √(1 + slope²).
    mask = (1 + steep_row**2 + steep_col**2) ** -0.375
    grown = np.clip(w, 0, 1) * smooth_step(mask, 0.4, 0.7)
    if water is not None:
        grown[water] = 0
    return grown.astype(np.float32)


def write_density(terrain: bpy.types.Object) -> None:
    """Write the attribute `foliage_density`; InputError if the user has other data with that
    name.
    """
    mesh = terrain.data
    ground, lattice = grid.read_terrain(terrain)
    moisture = attributes.read_fields(mesh, lattice, ["moisture"])["moisture"]
    water = visible_water.where(terrain, lattice, ground.elevation)
    values = density(moisture, ground.elevation, ground.spacing, water)
    attributes.write_fields(mesh, lattice, {DENSITY: values})


def _shells(terrain: bpy.types.Object, plants: bpy.types.Object) -> bpy.types.NodesModifier:
    """Modifier that makes the shells: the existing one, or a new one."""
    group = nodes.node_group(GROUP, VERSION, SOCKETS, NODES, "GeometryNodeTree")
    for modifier in plants.modifiers:
        if modifier.type == "NODES" and modifier.node_group == group:
            return modifier
    modifier = plants.modifiers.new("Shells", "NODES")
    modifier.node_group = group
    material = foliage_material()
    plants.data.materials.append(material)  # where users look for it
    nodes.set_modifier_input(modifier, "Terrain", terrain)
    nodes.set_modifier_input(modifier, "Material", material)
    return modifier
