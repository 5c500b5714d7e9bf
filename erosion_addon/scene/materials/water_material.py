# SPDX-License-Identifier: GPL-3.0-or-later
"""The material of water: its color follows from the light that reaches the ground through it and
back.

By the law of Beer and Lambert a depth d lets through tint^(d / clarity) of each color: light from
the ground is dimmed by this factor, and light scattered by the water is added. The sky is reflected
by Fresnel's law, foam lies on top, and fine waves bend the normal. Pure shader nodes, for EEVEE and
Cycles.
"""

import bpy

from .material import LAND
from .node_trees import nodes
from .node_trees.table import (
    OF_OBJECT,
    VECTOR_OF_OBJECT,
    Node,
    Socket,
    centered,
    math_node,
    mix,
    noise,
    ramp,
    scaled,
)

GROUP = "Water"
VERSION = 5

SURF = "erosion_surf"
"""Custom property of a water surface: height of its breakers at the shore, 0-1."""

WAVES = "erosion_waves"
"""Custom property of a water surface: direction of its waves, a unit vector (x, y, z) in world
space; 0 for ripples that run nowhere.
"""

SOCKETS = (
    Socket("BSDF", None, "The water", kind="NodeSocketShader", output=True),
    Socket(
        "Depth", 0.0, "Depth of the water in meters", low=-1e6, high=1e6, attribute="water_depth"
    ),
    Socket("Speed", 0.0, "Speed of the water in meters a second", high=1e6, attribute="speed"),
    Socket("Foam", 0.0, "Cover of foam, 0-1", "FACTOR", attribute="foam"),
    Socket(
        "Flow",
        (0.0, 0.0, 0.0),
        "Direction of a river, a unit vector; 0 for still water",
        low=-1.0,
        attribute="flow_direction",
        channel="Vector",
        kind="NodeSocketVector",
    ),
    Socket("Distance", 0.0, "Meters to the mouth of a river", high=1e9, attribute="distance"),
    Socket(
        "Across", 0.0, "Meters from the middle of a river", low=-1e6, high=1e6, attribute="across"
    ),
    Socket(
        "Surf",
        0.0,
        "Strength of breakers at the shore, 0-1",
        "FACTOR",
        attribute=SURF,
        channel=OF_OBJECT,
    ),
    Socket(
        "Waves",
        None,
        "Direction of waves on still water, a unit vector; 0 for ripples that run nowhere",
        attribute=WAVES,
        channel=VECTOR_OF_OBJECT,
        kind="NodeSocketVector",
        low=-1.0,
    ),
    Socket("Tint", (0.22, 0.52, 0.50), "Remaining light at the depth Clarity"),
    Socket(
        "Clarity", 0.5, "Depth in meters at which light has the color Tint", low=0.001, high=1e4
    ),
    Socket("Body", (0.016, 0.034, 0.029), "Color of water too deep for a view of the ground"),
    Socket("Foam Color", (0.70, 0.74, 0.74), "Color of foam"),
    Socket("Foam Amount", 0.7, "Amount of foam", "FACTOR"),
    Socket(
        "Shore",
        0.06,
        "Depth in meters up to which the water's reflection fades in",
        low=0.001,
        high=1e3,
    ),
    Socket(
        "Surf Depth", 1.6, "Depth in meters at which the highest waves break", low=0.001, high=1e3
    ),
    Socket("Ripple Size", 4.0, "Length of the waves in meters", low=0.001, high=1e4),
    Socket(
        "Ripple Strength",
        0.07,
        "Steepness of the waves in still water; fast water has higher ones",
        high=10.0,
    ),
    Socket(
        "Ripple Stretch",
        2.5,
        "How many times as long the waves of rivers are along the flow",
        low=0.1,
        high=100.0,
    ),
    Socket(
        "Ripple Drift",
        0.04,
        "Meters a frame by which the waves of rivers run downstream",
        low=-1e3,
        high=1e3,
    ),
    Socket("Roughness", 0.06, "Roughness of still water; fast water is rougher", "FACTOR"),
)

LENGTHS = ("Clarity", "Shore", "Surf Depth", "Ripple Size", "Ripple Drift")
"""Sockets in meters."""

FRAME = "frame"
"""Node of the group with the number of the frame, by a driver that is no script."""

VECTORS = {"data_type": "VECTOR"}

_LEFT = ("Red", "Green", "Blue")

NODES = (
    # Light left after its way through the water, by color.
    math_node("wet", "MAXIMUM", "in.Depth", 0.0),
    math_node("thickness", "DIVIDE", "wet.Value", "in.Clarity"),
    Node("tint", "SeparateColor", {"Color": "in.Tint"}),
    *(math_node(f"left {color}", "POWER", f"tint.{color}", "thickness.Value") for color in _LEFT),
    Node("left", "CombineColor", {color: f"left {color}.Value" for color in _LEFT}),
    Node("lost", "Invert", {"Color": "left.Color"}),
    mix("scattered", 1.0, "in.Body", "lost.Color", "MULTIPLY"),
    # Fine waves, in meters of the world: a bent normal, as EEVEE weaves a pattern into bump maps
    # from afar.
    Node("geometry", "NewGeometry"),
    math_node("per meter", "DIVIDE", 1.0, "in.Ripple Size"),
    # Waves of rivers lie along the flow and run downstream; distances to the mouth are continuous
    # at confluences.
    Node(FRAME, "Value"),
    math_node("upstream", "MULTIPLY_ADD", FRAME, "in.Ripple Drift", "in.Distance"),
    math_node("stretched", "DIVIDE", "upstream.Value", "in.Ripple Stretch"),
    Node("along", "CombineXYZ", {0: "stretched.Value", 1: "in.Across"}),
    Node("flows", "VectorMath", {0: "in.Flow"}, {"operation": "LENGTH"}),
    # Waves of the sea have long crests across their direction.
    Node(
        "ahead", "VectorMath", {0: "geometry.Position", 1: "in.Waves"}, {"operation": "DOT_PRODUCT"}
    ),
    Node(
        "crest", "VectorMath", {0: "in.Waves", 1: (0.0, 0.0, 0.5)}, {"operation": "CROSS_PRODUCT"}
    ),
    Node(
        "aside",
        "VectorMath",
        {0: "geometry.Position", 1: "crest.Vector"},
        {"operation": "DOT_PRODUCT"},
    ),
    Node("before the wind", "CombineXYZ", {0: "ahead.Value", 1: "aside.Value"}),
    Node("windy", "VectorMath", {0: "in.Waves"}, {"operation": "LENGTH"}),
    Node(
        "still",
        "Mix",
        {"Factor": "windy.Value", "A": "geometry.Position", "B": "before the wind.Vector"},
        VECTORS,
    ),
    Node(
        "place", "Mix", {"Factor": "flows.Value", "A": "still.Result", "B": "along.Vector"}, VECTORS
    ),
    scaled("scaled", "place.Result", "per meter.Value"),
    noise("waves", "scaled.Vector", 3.0, 0.55),
    centered("centered", "waves.Color"),
    ramp("rapid", "in.Speed", 0.3, 4.0),
    math_node("height", "MULTIPLY_ADD", "rapid.Result", 2.0, 1.0),
    math_node("steepness", "MULTIPLY", "height.Value", "in.Ripple Strength"),
    # Waves finer than pixels do not sparkle one by one, they roughen the surface.
    Node("camera", "CameraData"),
    math_node("distance", "MULTIPLY", "camera.View Distance", "per meter.Value"),
    ramp("afar", "distance.Value", 50.0, 500.0),
    math_node("shown", "MULTIPLY_ADD", "afar.Result", -0.75, 1.0),
    math_node("steepness shown", "MULTIPLY", "steepness.Value", "shown.Value"),
    scaled("bend", "centered.Vector", "steepness shown.Value"),
    # Swell in sets.
    math_node("swell ahead", "MULTIPLY", "ahead.Value", "per meter.Value"),
    math_node("swell in sets", "MULTIPLY_ADD", "sets.Fac", 16.0, "swell ahead.Value"),
    math_node("slope of swell", "COSINE", "swell in sets.Value"),
    math_node("steepness of swell", "MULTIPLY", "in.Ripple Strength", -0.2),
    math_node("rise of swell", "MULTIPLY", "slope of swell.Value", "steepness of swell.Value"),
    scaled("swell bend", "in.Waves", "rise of swell.Value"),
    Node(
        "bend and swell",
        "VectorMath",
        {0: "bend.Vector", 1: "swell bend.Vector"},
        {"operation": "ADD"},
    ),
    Node(
        "bent",
        "VectorMath",
        {0: "geometry.Normal", 1: "bend and swell.Vector"},
        {"operation": "ADD"},
    ),
    Node("normal", "VectorMath", {0: "bent.Vector"}, {"operation": "NORMALIZE"}),
    math_node("roughness by speed", "MULTIPLY_ADD", "rapid.Result", 0.3, "in.Roughness"),
    math_node("roughness", "MULTIPLY_ADD", "afar.Result", 0.2, "roughness by speed.Value"),
    # Through the water one sees the ground; the water itself scatters and reflects.
    Node("through", "BsdfTransparent", {"Color": "left.Color"}),
    Node(
        "body",
        "BsdfPrincipled",
        {
            "Base Color": "scattered.Result",
            "Roughness": "roughness.Value",
            "Normal": "normal.Vector",
            "IOR": 1.333,
        },
    ),
    Node("water", "AddShader", {0: "through.BSDF", 1: "body.BSDF"}),
    # Towards the shore even the reflection fades, so that there is no hard edge.
    Node("nothing", "BsdfTransparent"),
    ramp("inside", "in.Depth", 0.0, "in.Shore"),
    Node("soft water", "MixShader", {0: "inside.Result", 1: "nothing.BSDF", 2: "water.Shader"}),
    # Foam in flecks that close as it grows.
    noise("flecks", "scaled.Vector", 5.0, 0.7),
    math_node("bare", "SUBTRACT", 0.72, "in.Foam"),
    math_node("bare to", "ADD", "bare.Value", 0.25),
    ramp("flecked", "flecks.Fac", "bare.Value", "bare to.Value"),
    ramp("foamy", "in.Foam", 0.0, 0.3),
    math_node("cover", "MULTIPLY", "flecked.Result", "foamy.Result"),
    # Waves break in lines along the shore, which end and shift, and run out in a hem of foam.
    scaled("wide", "scaled.Vector", 0.11),
    noise("sets", "wide.Vector", 2.0),
    math_node("shallow", "DIVIDE", "wet.Value", "in.Surf Depth"),
    math_node("number of waves", "MULTIPLY", "shallow.Value", 14.0),
    math_node("swell", "MULTIPLY_ADD", "sets.Fac", 15.0, "number of waves.Value"),
    math_node("wave", "SINE", "swell.Value"),
    ramp("line", "wave.Value", 0.72, 0.98),
    ramp("breaks", "shallow.Value", 1.0, 0.15),
    ramp("in sets", "sets.Fac", 0.40, 0.56),
    math_node("rolling", "MULTIPLY", "line.Result", "breaks.Result"),
    math_node("breaking", "MULTIPLY", "rolling.Value", "in sets.Result"),
    math_node("hem to", "MULTIPLY", "sets.Fac", 0.34),
    ramp("hem", "shallow.Value", "hem to.Value", 0.0),
    math_node("white water", "MAXIMUM", "breaking.Value", "hem.Result"),
    ramp("bubbles", "flecks.Fac", 0.36, 0.52),
    math_node("surf foam", "MULTIPLY", "white water.Value", "bubbles.Result"),
    math_node("surf", "MULTIPLY", "surf foam.Value", "in.Surf"),
    math_node("cover or surf", "MAXIMUM", "cover.Value", "surf.Value"),
    math_node("cover inside", "MULTIPLY", "cover or surf.Value", "inside.Result"),
    math_node("foam", "MULTIPLY", "cover inside.Value", "in.Foam Amount"),
    Node("white", "BsdfDiffuse", {"Color": "in.Foam Color"}),
    Node("foamed", "MixShader", {0: "foam.Value", 1: "soft water.Shader", 2: "white.BSDF"}),
    Node("out", "NodeGroupOutput", {"BSDF": "foamed.Shader"}),
)


def water_material(width: float = LAND) -> bpy.types.Material:
    """Material "Terrain Water": the existing one, or a new one for land of `width` meters, whose
    lengths shrink below `LAND`.
    """
    group = nodes.node_group(GROUP, VERSION, SOCKETS, NODES)
    if group.animation_data is None:
        group.nodes[FRAME].outputs[0].driver_add("default_value").driver.expression = "frame"
    material, is_new = nodes.material(GROUP, "Terrain Water", group, SOCKETS)
    if is_new:
        inputs = material.node_tree.nodes[nodes.SURFACE].inputs
        for control in LENGTHS:
            inputs[control].default_value *= min(width / LAND, 1.0)
        # needed for the color of the ground seen through the water
        material.surface_render_method = "BLENDED"
        material.use_transparency_overlap = False
        material.diffuse_color = (0.03, 0.12, 0.15, 0.8)
    return material
