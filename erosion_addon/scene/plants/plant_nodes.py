# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of scattered plants: the Geometry Nodes group that sets forms onto points, and their
material.
"""

import bpy

from ..materials.node_trees import nodes
from ..materials.node_trees.table import OF_INSTANCE, Node, Socket, Text, math_node, mix

GROUP = "Scattered Plants"
VERSION = 1

FORM, SIZE, TURN, COLOR = "plant_form", "plant_size", "plant_turn", "plant_color"
"""Attributes of the points: index of the form, size in the object's own units, rotation, color."""

LEAF, SHADE = "leaf", "shade"
"""Attributes of the forms: 1 in the plant's color, 0 in the color of wood; light within
the crown.
"""

SOCKETS = (
    Socket("Geometry", None, "The plants", kind="NodeSocketGeometry", output=True),
    Socket("Geometry", None, "A point for each plant", kind="NodeSocketGeometry"),
    Socket(
        "Forms",
        None,
        "Objects to set onto the points, in the order of their names",
        kind="NodeSocketCollection",
    ),
    Socket("Viewport Share", 0.5, "Share of the plants that viewports show", "FACTOR"),
)


def _read(name: str, data_type: str) -> Node:
    return Node(
        name, "GeometryNodeInputNamedAttribute", {"Name": Text(name)}, {"data_type": data_type}
    )


NODES = (
    Node(
        "forms",
        "GeometryNodeCollectionInfo",
        {"Collection": "in.Forms", "Separate Children": True, "Reset Children": True},
    ),
    Node("viewport", "GeometryNodeIsViewport"),
    Node(
        "share",
        "GeometryNodeSwitch",
        {"Switch": "viewport.Is Viewport", "False": 1.0, "True": "in.Viewport Share"},
        {"input_type": "FLOAT"},
    ),
    Node(
        "shown",
        "FunctionNodeRandomValue",
        {"Probability": "share.Output"},
        {"data_type": "BOOLEAN"},
    ),
    _read(FORM, "INT"),
    _read(SIZE, "FLOAT_VECTOR"),
    _read(TURN, "FLOAT_VECTOR"),
    Node(
        "plants",
        "GeometryNodeInstanceOnPoints",
        {
            "Points": "in.Geometry",
            "Selection": "shown.Value",
            "Instance": "forms.Instances",
            "Pick Instance": True,
            "Instance Index": f"{FORM}.Attribute",
            "Rotation": f"{TURN}.Attribute",
            "Scale": f"{SIZE}.Attribute",
        },
    ),
    Node("out", "NodeGroupOutput", {"Geometry": "plants.Instances"}),
)

MATERIAL = "Plants"
MATERIAL_VERSION = 1

MATERIAL_SOCKETS = (
    Socket("BSDF", None, "The plant", kind="NodeSocketShader", output=True),
    Socket(
        "Color",
        (0.05, 0.08, 0.02),
        "Color of its leaves, or of the stone",
        attribute=COLOR,
        channel=OF_INSTANCE,
    ),
    Socket("Leaf", 1.0, "1 in that color, 0 on wood", "FACTOR", attribute=LEAF),
    Socket("Shade", 1.0, "Light within the crown", "FACTOR", attribute=SHADE),
    Socket("Wood Color", (0.055, 0.042, 0.030), "Stems and trunks"),
    Socket("Depth", 0.8, "Darkness within the crown", "FACTOR"),
)

MATERIAL_NODES = (
    mix("plant", "in.Leaf", "in.Wood Color", "in.Color"),
    math_node("lost", "SUBTRACT", 1.0, "in.Shade"),
    math_node("dark", "MULTIPLY", "lost.Value", "in.Depth"),
    mix("color", "dark.Value", "plant.Result", (0.0, 0.0, 0.0)),
    Node(
        "surface",
        "BsdfPrincipled",
        {"Base Color": "color.Result", "Roughness": 0.85, "Specular IOR Level": 0.15},
    ),
    Node("out", "NodeGroupOutput", {"BSDF": "surface.BSDF"}),
)


def plant_group() -> bpy.types.NodeTree:
    """Geometry Nodes group "Scattered Plants": the existing one, updated if older, or a new one."""
    return nodes.node_group(GROUP, VERSION, SOCKETS, NODES, "GeometryNodeTree")


def plant_material() -> bpy.types.Material:
    """Material "Terrain Plants": the existing one, or a new one."""
    group = nodes.node_group(MATERIAL, MATERIAL_VERSION, MATERIAL_SOCKETS, MATERIAL_NODES)
    material, is_new = nodes.material(MATERIAL, "Terrain Plants", group, MATERIAL_SOCKETS)
    if is_new:
        material.diffuse_color = (0.06, 0.10, 0.03, 1.0)
    return material
