# SPDX-License-Identifier: GPL-3.0-or-later
"""Foliage material: cuts shells into plants with a cell noise whose gaps widen with height.

Each noise cell is a plant with its own height and tint; a shell is visible within the plant's
rounded crown. Shader nodes only, for EEVEE and Cycles.
"""

import bpy

from .foliage_nodes import DENSITY, ROOT, SHELL
from .node_trees import nodes
from .node_trees.table import Node, Socket, centered, math_node, mix, noise, ramp, scaled, times

GROUP = "Foliage"
VERSION = 1

SOCKETS = (
    Socket("BSDF", None, "The plants", kind="NodeSocketShader", output=True),
    Socket(
        "Root",
        (0.0, 0.0, 0.0),
        "Position on the ground, in plant widths",
        attribute=ROOT,
        channel="Vector",
        kind="NodeSocketVector",
        low=-1e6,
        high=1e6,
    ),
    Socket("Shell", 0.0, "Share of the height", "FACTOR", attribute=SHELL),
    Socket("Density", 0.0, "Density of the plants, 0-1", "FACTOR", attribute=DENSITY),
    Socket("Moisture", 0.0, "Wetness of the ground, 0-1", "FACTOR", attribute="moisture"),
    Socket("Dry", (0.105, 0.105, 0.030), "Leaves on dry ground"),
    Socket("Lush", (0.028, 0.066, 0.014), "Leaves on wet ground"),
    Socket("Tint", 0.5, "Variation of color between plants", "FACTOR"),
    Socket("Shade", 0.75, "Darkness between the stems", "FACTOR"),
    Socket("Clearings", 0.5, "Clustering of the plants", "FACTOR"),
    Socket("Roundness", 0.8, "Strength of each crown's shading", "FACTOR"),
)

NODES = (
    # One plant a cell; outputs: distance to its middle, its middle, and three random numbers as a
    # color.
    times("flat", "in.Root", (1.0, 1.0, 0.0)),
    Node(
        "plant",
        "TexVoronoi",
        {"Vector": "flat.Vector", "Scale": 1.0, "Randomness": 0.9},
        {"voronoi_dimensions": "2D"},
    ),
    Node("random", "SeparateColor", {"Color": "plant.Color"}),
    # Whether it grows here: by chance, more likely in a group.
    scaled("wide", "flat.Vector", 0.07),
    noise("groups", "wide.Vector", 4.0),
    math_node("group", "MULTIPLY_ADD", "groups.Fac", 6.0, -3.0),
    math_node("likely", "MULTIPLY_ADD", "group.Value", "in.Clearings", "in.Density"),
    math_node("grows", "GREATER_THAN", "likely.Value", "random.Red"),
    # Its crown: a dome that is widest at the foot.
    math_node("radius", "DIVIDE", "plant.Distance", 0.62),
    math_node("round", "POWER", "radius.Value", 2.0),
    math_node("dome", "SUBTRACT", 1.0, "round.Value"),
    # Twigs make its outline ragged.
    scaled("near", "in.Root", 4.0),
    noise("twigs", "near.Vector", 2.0),
    math_node("ragged", "MULTIPLY_ADD", "twigs.Fac", 0.7, -0.35),
    math_node("outline", "ADD", "dome.Value", "ragged.Value"),
    math_node("tall", "MULTIPLY_ADD", "random.Green", 0.55, 0.45),
    math_node("crown", "MULTIPLY", "outline.Value", "tall.Value"),
    math_node("reaches", "GREATER_THAN", "crown.Value", "in.Shell"),
    math_node("shown", "MULTIPLY", "reaches.Value", "grows.Value"),
    # Color by moisture and by plant, darker towards the ground.
    ramp("lush", "in.Moisture", 0.1, 0.6),
    mix("leaf", "lush.Result", "in.Dry", "in.Lush"),
    math_node("spread", "SUBTRACT", "random.Blue", 0.5),
    math_node("tint", "MULTIPLY_ADD", "spread.Value", "in.Tint", 0.5),
    Node("tinted", "HueSaturation", {"Hue": 0.5, "Value": "bright.Value", "Color": "leaf.Result"}),
    math_node("bright", "MULTIPLY", "tint.Value", 2.0),
    math_node("lit", "DIVIDE", "in.Shell", "tall.Value"),
    ramp("open", "lit.Value", 0.0, 0.9),
    math_node("dark", "SUBTRACT", 1.0, "open.Result"),
    math_node("shade", "MULTIPLY", "dark.Value", "in.Shade"),
    mix("color", "shade.Value", "tinted.Color", (0.0, 0.0, 0.0)),
    # A rounded crown: the normal leans away from its middle.
    Node("lean", "VectorMath", {0: "flat.Vector", 1: "plant.Position"}, {"operation": "SUBTRACT"}),
    math_node("leaning", "MULTIPLY", "in.Roundness", 1.6),
    scaled("leant", "lean.Vector", "leaning.Value"),
    Node("geometry", "NewGeometry"),
    centered("leaf sides", "twigs.Color"),
    scaled("rough", "leaf sides.Vector", 2.0),
    Node("leant rough", "VectorMath", {0: "leant.Vector", 1: "rough.Vector"}, {"operation": "ADD"}),
    Node(
        "bent", "VectorMath", {0: "geometry.Normal", 1: "leant rough.Vector"}, {"operation": "ADD"}
    ),
    Node("normal", "VectorMath", {0: "bent.Vector"}, {"operation": "NORMALIZE"}),
    Node(
        "leaves",
        "BsdfPrincipled",
        {
            "Base Color": "color.Result",
            "Roughness": 0.8,
            "Specular IOR Level": 0.2,
            "Normal": "normal.Vector",
        },
    ),
    Node("nothing", "BsdfTransparent"),
    Node("cut", "MixShader", {0: "shown.Value", 1: "nothing.BSDF", 2: "leaves.BSDF"}),
    Node("out", "NodeGroupOutput", {"BSDF": "cut.Shader"}),
)


def foliage_material() -> bpy.types.Material:
    """Material "Terrain Foliage": the existing one, or a new one."""
    group = nodes.node_group(GROUP, VERSION, SOCKETS, NODES)
    material, is_new = nodes.material(GROUP, "Terrain Foliage", group, SOCKETS)
    if is_new:
        material.surface_render_method = "DITHERED"
        material.diffuse_color = (0.06, 0.10, 0.03, 1.0)
    return material
