# SPDX-License-Identifier: GPL-3.0-or-later
"""All nodes of the group "Terrain", by the titles of its parts."""

from ..node_trees.table import Node, math_node, ramp, scaled
from .cover import COVER
from .place import PLACE
from .rock import ROCK
from .surface import SURFACE
from .water import WATER

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

VERSION = 17

NODES = {
    "Place and Noise": PLACE,
    "Sediment, Rock and Plants": COVER,
    "Rock": ROCK,
    "Wet Ground, Snow, Water": WATER,
    "Ripples": RIPPLES,
    "Light and Surface": SURFACE,
}
