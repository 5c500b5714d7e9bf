# SPDX-License-Identifier: GPL-3.0-or-later
"""Sky of a terrain's picture: a gradient, the sun's glow, and soft clouds on a high plane.

Shader nodes only, for EEVEE and Cycles of all versions: Blender's own sky texture changed models
and names in 5.0. The sun lamp draws the disc.
"""

from collections.abc import Mapping
from typing import Any

import bpy

from .node_trees import nodes
from .node_trees.table import Node, Socket, math_node, mix, noise, ramp, scaled

GROUP = "Sky"
VERSION = 2

SOCKETS = (
    Socket("Color", (0.0, 0.0, 0.0), "The sky", output=True),
    Socket("Zenith", (0.06, 0.20, 0.62), "Color overhead"),
    Socket("Horizon", (0.46, 0.62, 0.86), "Color at the horizon: the haze"),
    Socket("Below", (0.20, 0.18, 0.15), "Color below the horizon: light from the ground"),
    Socket("Glow Color", (1.0, 0.75, 0.45), "Color of the air around the sun"),
    Socket("Glow", 0.5, "Brightness of the air around the sun", high=10.0),
    Socket("Clouds", 0.3, "Share of the sky covered by clouds", "FACTOR"),
    Socket("Cloud Color", (0.9, 0.88, 0.86), "Sunlit clouds"),
    Socket("Cloud Shade", (0.45, 0.47, 0.52), "The undersides of thick clouds"),
    Socket(
        "Sun Direction",
        (0.0, -0.8, 0.6),
        "Unit vector toward the sun",
        low=-1.0,
        high=1.0,
        kind="NodeSocketVector",
    ),
)


def _vector(name: str, operation: str, *operands: Any, **more: Any) -> Node:
    return Node(name, "VectorMath", {**dict(enumerate(operands)), **more}, {"operation": operation})


NODES = (
    Node("place", "TexCoord"),
    _vector("direction", "NORMALIZE", "place.Generated"),
    Node("parts", "SeparateXYZ", {0: "direction"}),
    Node("up", "Math", {0: "parts.Z", 1: 0.0}, {"operation": "ADD", "use_clamp": True}),
    # Paler with a longer path through the air: most of the change is in the lowest 15°.
    math_node("low", "SUBTRACT", 1.0, "up"),
    math_node("air", "POWER", "low", 7.0),
    mix("clear", "air", "in.Zenith", "in.Horizon"),
    # Around the sun the air glows: widely along the horizon, more closely around the sun itself.
    _vector("towards", "DOT_PRODUCT", "direction", "in.Sun Direction"),
    Node("sunward", "Math", {0: "towards.Value", 1: 0.0}, {"operation": "MAXIMUM"}),
    math_node("wide glow", "POWER", "sunward", 6.0),
    math_node("near glow", "POWER", "sunward", 120.0),
    math_node("low glow", "MULTIPLY", "wide glow", "air"),
    math_node("glow", "MULTIPLY_ADD", "near glow", 0.8, "low glow"),
    math_node("glowing", "MULTIPLY", "glow", "in.Glow"),
    scaled("glow color", "in.Glow Color", "glowing"),
    _vector("air lit", "ADD", "clear", "glow color"),
    # Clouds on a plane, larger overhead than far away, stretched by the wind.
    math_node("height", "ADD", "up", 0.10),
    _vector("flat", "MULTIPLY", "direction", (1.0, 0.55, 0.0)),
    Node("reach", "Math", {0: 1.3, 1: "height"}, {"operation": "DIVIDE"}),
    scaled("on plane", "flat", "reach"),
    noise("billows", "on plane", 7.0, 0.56),
    # This noise ranges from 0.3 to 0.7; the cover sets the share of cloud.
    math_node("from", "MULTIPLY_ADD", "in.Clouds", -0.42, 0.68),
    math_node("to", "ADD", "from", 0.17),
    ramp("cloud", "billows.Fac", "from", "to"),
    ramp("above haze", "up", 0.02, 0.16),
    math_node("cover", "MULTIPLY", "cloud", "above haze"),
    math_node("thick from", "ADD", "from", 0.08),
    math_node("thick to", "ADD", "from", 0.30),
    ramp("thick", "billows.Fac", "thick from", "thick to"),
    mix("cloud color", "thick", "in.Cloud Color", "in.Cloud Shade"),
    _vector("cloud lit", "ADD", "cloud color", "glow color"),
    mix("clouded", "cover", "air lit", "cloud lit"),
    ramp("under", "parts.Z", -0.02, -0.25),
    mix("color", "under", "clouded", "in.Below"),
    Node("out", "NodeGroupOutput", {"Color": "color"}),
)


def sky_world(name: str) -> bpy.types.World:
    """New world with the sky."""
    world = bpy.data.worlds.new(name)
    if bpy.app.version < (5, 0, 0):
        world.use_nodes = True
    group = nodes.node_group(GROUP, VERSION, SOCKETS, NODES)
    tree = world.node_tree
    tree.nodes.clear()
    nodes.build(
        tree,
        (
            Node(nodes.SURFACE, "Group", {}, {"node_tree": group, "width": 240.0}),
            Node("Background", "Background", {"Color": nodes.SURFACE}),
            Node("out", "OutputWorld", {"Surface": "Background"}),
        ),
    )
    world[nodes.KIND] = GROUP
    return world


def is_ours(world: bpy.types.World | None) -> bool:
    """Whether a world is an added sky."""
    return world is not None and world.get(nodes.KIND) == GROUP and world.library is None


def set_sky(world: bpy.types.World, values: Mapping[str, Any], strength: float) -> None:
    """Set the sky's inputs by name, colors as linear (r, g, b), and its strength."""
    inputs = world.node_tree.nodes[nodes.SURFACE].inputs
    for name, value in values.items():
        socket = inputs[name]
        socket.default_value = (*value, 1.0) if socket.type == "RGBA" else value
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = strength
