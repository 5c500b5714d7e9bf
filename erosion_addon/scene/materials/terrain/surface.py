# SPDX-License-Identifier: GPL-3.0-or-later
"""Light, fine relief, and the final shader."""

from ..node_trees.table import Node, centered, math_node, mix, ramp, scaled, times

RIPPLES = (
    # Crests across the wind, which fork and end as the noise shifts them; close by alone, where
    # they are wider than pixels, and not on slip faces, which are smoother.
    Node("goes", "CombineXYZ", {"X": "shown.Y", "Y": "shown.Z"}),
    Node("along", "VectorMath", {0: "fine place", 1: "goes"}, {"operation": "DOT_PRODUCT"}),
    math_node("shifted", "MULTIPLY_ADD", "centered", 14.0, "along"),
    math_node("shifted finely", "MULTIPLY_ADD", "grain centered", 1.2, "shifted"),
    math_node("phase", "MULTIPLY", "shifted finely", 8.0),
    math_node("wave", "SINE", "phase"),
    ramp("close", "distance", 8.0, 0.8, (0.0, "in.Ripples")),
    ramp("windward", "upward", 0.84, 0.93),
    math_node("sandy", "MULTIPLY", "loose", "windward"),
    math_node("rippling", "MULTIPLY", "sandy", "close"),
    math_node("height of ripples", "MULTIPLY", "wave", "rippling"),
    scaled("ripple slope", "goes", "height of ripples"),
)

SURFACE = (
    # Baked light; a mesh without it counts as lit.
    math_node("sky share", "MULTIPLY", "in.Has Sky Light", "in.Sky Light Strength"),
    mix("sky", "sky share", (1.0, 1.0, 1.0), "in.Sky Light"),
    math_node("sun share", "MULTIPLY", "in.Has Sun Light", "in.Sun Light Strength"),
    # Several suns count by their strengths.
    Node("suns", "CombineXYZ", {"X": "in.Sun Light", "Y": "in.Sun Light 2", "Z": "in.Sun Light 3"}),
    Node("arriving", "VectorMath", {0: "suns", 1: "in.Suns"}, {"operation": "DOT_PRODUCT"}),
    Node(
        "all suns", "VectorMath", {0: "in.Suns", 1: (1.0, 1.0, 1.0)}, {"operation": "DOT_PRODUCT"}
    ),
    math_node("several suns", "GREATER_THAN", "all suns", 0.0),
    math_node("mean sun", "DIVIDE", "arriving", "all suns"),
    mix("sunlit", "several suns", "in.Sun Light", "mean sun"),
    mix("sun", "sun share", (1.0, 1.0, 1.0), "sunlit"),
    mix("light", 1.0, "sky", "sun", "MULTIPLY"),
    mix("color", 1.0, "albedo", "light", "MULTIPLY"),
    ramp("damp", "in.Moisture", 0.35, 1.0, (0.0, -0.2)),
    ramp("loose roughness", "loose", 0.0, 1.0, (0.95, "in.Sediment Roughness")),
    math_node("rough or damp", "ADD", "loose roughness", "damp"),
    math_node("ground roughness", "MULTIPLY_ADD", "soaked", -0.3, "rough or damp"),
    ramp("snow roughness", "snow", 0.0, 1.0, ("ground roughness", 0.6)),
    ramp("roughness", "water", 0.0, 1.0, ("snow roughness", 0.12)),
    math_node("shining", "MULTIPLY_ADD", "soaked", 0.3, "water"),
    ramp("specular", "shining", 0.0, 1.0, (0.15, 0.5)),
    math_node("gloss", "SUBTRACT", 1.0, "roughness"),
    math_node("shine", "MULTIPLY", "in.Glow", "in.Glow Strength"),
    # Fine relief, on rock more than on grass, none on water. A bent normal, as EEVEE weaves a
    # pattern into bump maps where triangles are as small as pixels. Only the streaks give their
    # color, which is three noises more: with the color of a second and a third noise too, a
    # computer without a graphics card compiles the material five and forty times as long.
    centered("streaks colored", "streaks.Color"),
    # Red is the streak's own value: darker colors would bend the normal too, in blotches.
    times("streaks bent", "streaks colored", (0.2, 1.0, 1.0)),
    Node("grain bent", "CombineXYZ", {"X": "grain centered", "Y": "grain centered", "Z": "ribs"}),
    math_node("craggy", "MULTIPLY", "bare", "wall"),
    math_node("crags", "MULTIPLY_ADD", "craggy", 0.8, 0.28),
    scaled("crags bent", "streaks bent", "crags"),
    scaled("grain near bent", "grain bent", "near"),
    Node("roughened", "VectorMath", {0: "crags bent", 1: "grain near bent"}, {"operation": "ADD"}),
    math_node("ledges near", "MULTIPLY", "ledges", "near"),
    math_node("tread", "MULTIPLY", "ledges near", 4.0),
    Node("treads", "CombineXYZ", {"Z": "tread"}),
    Node("rough", "VectorMath", {0: "roughened", 1: "treads"}, {"operation": "ADD"}),
    math_node("relief", "MULTIPLY_ADD", "bare", 0.55, 0.3),
    # Snow fills the fine relief, but not all of it.
    math_node("snow fills", "MULTIPLY", "snow", 0.8),
    math_node("smooth", "MAXIMUM", "water", "snow fills"),
    math_node("dry", "SUBTRACT", 1.0, "smooth"),
    math_node("relief on land", "MULTIPLY", "relief", "dry"),
    math_node("bend of stones", "MULTIPLY_ADD", "stony", 1.2, "relief on land"),
    math_node("bend strength", "MULTIPLY", "bend of stones", "in.Relief"),
    scaled("bend", "rough", "bend strength"),
    scaled("rippled", "ripple slope", "bend strength"),
    Node("bend of all", "VectorMath", {0: "bend", 1: "rippled"}, {"operation": "ADD"}),
    math_node("flute strength", "MULTIPLY", "dry", -0.32),
    scaled("flute bend", "flute slope", "flute strength"),
    Node(
        "bend and flutes", "VectorMath", {0: "bend of all", 1: "flute bend"}, {"operation": "ADD"}
    ),
    Node("bent", "VectorMath", {0: "geometry.Normal", 1: "bend and flutes"}, {"operation": "ADD"}),
    Node("bent normal", "VectorMath", {0: "bent"}, {"operation": "NORMALIZE"}),
    Node(
        "surface",
        "BsdfPrincipled",
        {
            "Base Color": "color",
            "Roughness": "roughness",
            "Normal": "bent normal",
            "Specular IOR Level": "specular",
            "Emission Color": "in.Glow Color",
            "Emission Strength": "shine",
        },
    ),
    Node(
        "out",
        "NodeGroupOutput",
        {
            "BSDF": "surface",
            "Water": "water",
            "Gloss": "gloss",
            "Albedo": "albedo",
            "Glow": "in.Glow",
        },
    ),
)
