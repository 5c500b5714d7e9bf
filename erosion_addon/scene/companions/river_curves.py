# SPDX-License-Identifier: GPL-3.0-or-later
"""Rivers as curves: an object of the type Curves, whose Geometry Nodes modifier makes the ribbons
of water.

Modifier and nodes are part of the file and work without the extension.
"""

from collections.abc import Mapping

import bpy
import numpy as np

from ...drainage.ribbon import Centerlines
from ..materials import ribbon_nodes
from ..materials.node_trees import nodes
from ..materials.ribbon_nodes import LEFT, RADIUS, RIGHT
from ..terrain import attribute_values
from ..terrain.lattice import Array, Lattice


def new(name: str) -> bpy.types.Curves:
    """New curves without points."""
    return bpy.data.hair_curves.new(name)


def clear(curves: bpy.types.Curves) -> None:
    """Remove all curves."""
    if len(curves.curves):
        curves.remove_curves()
    curves.update_tag()


def fill(companion: bpy.types.Object, lines: Centerlines, place: Array, lattice: Lattice) -> None:
    """Replace the curves of a companion by centerlines; materials and modifiers stay.

    place: (vertices, 3), positions of the terrain's vertices.
    """
    curves = companion.data
    counts = lines.counts.tolist()
    low, units = lattice.frame(place)
    unit = float(np.sqrt(abs(units[0] * units[1])))
    local = np.column_stack([low + lines.place[:, :2] * units, lines.place[:, 2] / lattice.scale_z])
    heights = {name: lines.layers[name] / lattice.scale_z for name in (LEFT, RIGHT)}
    layers = _floats({"position": local, RADIUS: lines.radius * unit, **lines.layers, **heights})
    # allocates nothing from here on: out of memory would leave the curves half-written
    clear(curves)
    if counts:
        curves.add_curves(counts)
        curves.set_types(type="POLY")
        _write(curves, layers)
        modifier = _ribbons(companion)
        nodes.set_modifier_input(modifier, "Meters", 1.0 / unit)
        nodes.set_modifier_input(modifier, "Upside Down", lattice.scale_z < 0)


def transform(curves: bpy.types.Curves, matrix: Array) -> None:
    """Transform the points by a (4, 4) matrix, with their radii and banks."""
    if not len(curves.points):
        return
    place = attribute_values.read(curves.attributes["position"])
    points = place @ matrix[:3, :3].T + matrix[:3, 3]
    wide = np.sqrt(abs(matrix[0, 0] * matrix[1, 1] - matrix[0, 1] * matrix[1, 0]))
    scaled = {
        name: attribute_values.read(curves.attributes[name])[:, 0] * factor
        for name, factor in ((RADIUS, wide), (LEFT, matrix[2, 2]), (RIGHT, matrix[2, 2]))
        if name in curves.attributes
    }
    _write(curves, _floats({"position": points, **scaled}))
    curves.update_tag()


def _floats(layers: Mapping[str, Array]) -> dict[str, Array]:
    """Attributes of the points as Blender holds them."""
    return {
        name: np.ascontiguousarray(values, np.float32).ravel() for name, values in layers.items()
    }


def _write(curves: bpy.types.Curves, layers: Mapping[str, Array]) -> None:
    """Write attributes of the points, see `_floats`, in place of any others with their names."""
    for name, values in layers.items():
        if name == "position":
            curves.position_data.foreach_set("vector", values)
            continue
        attribute = curves.attributes.get(name)
        if attribute is not None and (attribute.data_type, attribute.domain) != ("FLOAT", "POINT"):
            curves.attributes.remove(attribute)
            attribute = None
        if attribute is None:
            attribute_values.new_attribute(curves, name, "FLOAT")
        curves.attributes[name].data.foreach_set("value", values)


def _ribbons(companion: bpy.types.Object) -> bpy.types.NodesModifier:
    """Modifier that makes the ribbons: the existing one, or a new one."""
    group = ribbon_nodes.ribbon_group()
    for modifier in companion.modifiers:
        if modifier.type == "NODES" and modifier.node_group == group:
            return modifier
    modifier = companion.modifiers.new("Ribbons", "NODES")
    modifier.node_group = group
    return modifier
