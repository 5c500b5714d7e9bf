# SPDX-License-Identifier: GPL-3.0-or-later
"""Wetness, snow and water."""

from ..node_trees.table import Node, math_node, mix, ramp

LEVEL = 0.995
"""Vertical part of the normal of ground on which moisture draws water."""

WATER = (
    # Wet ground is darker, rock most of all, so that grooves show.
    ramp("wet", "in.Moisture", 0.2, 0.8),
    math_node("bare wet", "MULTIPLY_ADD", "bare", 0.6, 0.4),
    math_node("darkening", "MULTIPLY", "wet", "in.Wet Darkening"),
    math_node("darkened by moisture", "MULTIPLY", "darkening", "bare wet"),
    # Ground within reach of waves and splashes is dark and smooth, gravel and sand most of all.
    ramp("soaked", "at water", 0.5, 0.85),
    math_node("darkened at water", "MULTIPLY", "soaked", "in.Wet Darkening"),
    math_node("darkened", "MAXIMUM", "darkened by moisture", "darkened at water"),
    mix("wet ground", "darkened", "ground", (0.0, 0.0, 0.0)),
    # Snow, high up and where it holds. The share of the relief is generated Z, read by a texture:
    # the Texture Coordinate node would use one more of EEVEE's 14 attributes, for UVs.
    Node("share", "TexGradient", settings={"texture_mapping.mapping_x": "Z"}),
    # No line of height ends it: it stays where it is shaded, in gullies, which see less of the sky,
    # and on slopes that look to the north, and on gentle ground; sun and wind bare slopes to the
    # south, steep ground and ribs. Patches from meters to a hundred break up the rest.
    math_node("hidden sky", "SUBTRACT", 1.0, "in.Sky Light"),
    math_node("sheltered", "MULTIPLY", "hidden sky", "in.Has Sky Light"),
    math_node("shade of slope", "MULTIPLY", "normal.Y", 0.5),
    math_node("kept by shade", "MULTIPLY_ADD", "sheltered", 2.0, "shade of slope"),
    ramp("swept", "slope", 0.35, 0.9),
    math_node("kept by slope", "MULTIPLY_ADD", "swept", -1.0, "kept by shade"),
    math_node("kept widely", "MULTIPLY_ADD", "zones", 1.5, "kept by slope"),
    math_node("kept in patches", "MULTIPLY_ADD", "patches", 0.5, "kept widely"),
    math_node("kept in gullies", "MULTIPLY_ADD", "fluted", -0.5, "kept in patches"),
    math_node("kept", "MULTIPLY_ADD", "mottled", 0.9, "kept in gullies"),
    math_node("high", "MULTIPLY_ADD", "kept", 0.16, "share.Fac"),
    math_node("snow from", "SUBTRACT", "in.Snow Line", 0.05),
    math_node("snow to", "ADD", "in.Snow Line", 0.07),
    ramp("snowy height", "high", "snow from", "snow to", (0.0, "in.Snow")),
    math_node("slope", "ARCCOSINE", "upward"),
    # Ribs and ledges of rock that stand out of a slope throw the snow off, so that it thins out in
    # bands and streaks.
    math_node("ribs", "SUBTRACT", "streaks.Fac", 0.5),
    math_node("faint ribs", "MULTIPLY", "ribs", 0.45),
    math_node("ribs and ledges", "MULTIPLY_ADD", "ledge", 0.3, "faint ribs"),
    math_node("ribbed", "MULTIPLY", "ribs and ledges", "in.Detail"),
    math_node("slope ribbed", "MULTIPLY_ADD", "ribbed", 1.1, "slope"),
    math_node("slope patchy", "MULTIPLY_ADD", "patches", 0.1, "slope ribbed"),
    math_node("holds to", "SUBTRACT", "in.Snow Slope", 0.12),
    ramp("snow holds", "slope patchy", "in.Snow Slope", "holds to"),
    math_node("snow drawn", "MULTIPLY", "snowy height", "snow holds"),
    # Or from a snow step; thin snow stays in sheltered places, and on steep ground ribs stand out
    # of it.
    math_node("snow thickness", "DIVIDE", "in.Snow Thickness", "in.Snow Depth"),
    # On slopes the first snow lies in gullies alone.
    ramp("slid", "slope", 0.44, 0.62, (0.0, -0.6)),
    math_node("snow left", "ADD", "snow thickness", "slid"),
    math_node("snow patchy", "MULTIPLY_ADD", "kept", 2.5, "snow left"),
    ramp("steep snow", "slope", 0.4, 0.8, (0.0, -16.0)),
    math_node("snow on ribs", "MULTIPLY_ADD", "ribbed", "steep snow", "snow patchy"),
    math_node("snow spread", "MULTIPLY", "snow thickness", 5.0),
    math_node("snow any", "MINIMUM", "snow on ribs", "snow spread"),
    ramp("snow lying", "snow any", 0.15, 0.9),
    ramp("snow", "in.Has Snow Thickness", 0.0, 1.0, ("snow drawn", "snow lying")),
    mix("snowed", "snow", "wet ground", "in.Snow Color"),
    # Water by its depth, or by moisture without any depth.
    Node("shown", "SeparateXYZ", {0: "in.Shown"}),
    math_node("known water", "MAXIMUM", "in.Has Water Depth", "shown.X"),
    math_node("unknown water", "SUBTRACT", 1.0, "known water"),
    math_node("water to", "ADD", "in.Water Threshold", 0.02),
    ramp("wettest", "in.Moisture", "in.Water Threshold", "water to"),
    # Only on level ground; slopes are just wet.
    ramp("level", "upward", LEVEL - 0.003, LEVEL + 0.003),
    math_node("standing", "MULTIPLY", "wettest", "level"),
    math_node("stream", "MULTIPLY", "standing", "unknown water"),
    math_node("deep", "MULTIPLY", "in.Visible Depth", 2.0),
    ramp("pool", "in.Water Depth", "in.Visible Depth", "deep"),
    math_node("wherever", "MAXIMUM", "stream", "pool"),
    math_node("no surface", "SUBTRACT", 1.0, "in.Water Surface"),
    math_node("water", "MULTIPLY", "wherever", "no surface"),
    mix("albedo", "water", "snowed", "in.Water Color"),
)
