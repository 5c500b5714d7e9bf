# SPDX-License-Identifier: GPL-3.0-or-later
"""Cover by sediment, rock, plants and soil."""

from math import radians

from ..node_trees.table import Node, math_node, mix, ramp


def _slope_at(name: str, angle: str) -> tuple[Node, Node]:
    """Value of the slope mask, n_z^0.75, at an angle."""
    return (
        Node(f"{name} cosine", "Math", {0: angle}, {"operation": "COSINE", "use_clamp": True}),
        math_node(name, "POWER", f"{name} cosine", 0.75),
    )


COVER = (
    # Loose sediment.
    math_node("thickness", "DIVIDE", "in.Sediment", "in.Sediment Depth"),
    math_node("thickness in patches", "MULTIPLY_ADD", "patches", 0.15, "thickness"),
    # Washes run down fans and aprons.
    math_node("thickness patchy", "MULTIPLY_ADD", "washes", 0.25, "thickness in patches"),
    ramp("covered", "thickness patchy", 0.15, 1.0),
    # Rock on steep ground: the mask of the light droplets, smoothstep(0.4, 0.7, n_z^0.75), with
    # angles instead of its two numbers, which are 73° and 52°. Worn ground turns to rock earlier,
    # ground under sediment later.
    Node("normal", "SeparateXYZ", {0: "geometry.Normal"}),
    Node("upward", "Math", {0: "normal.Z", 1: 0.0}, {"operation": "ADD", "use_clamp": True}),
    math_node("mask", "POWER", "upward", 0.75),
    ramp("worn", "in.Wear", 0.0, "in.Wear Depth"),
    math_node("slope worn", "MULTIPLY_ADD", "worn", -0.05, "in.Rock Slope"),
    math_node("slope loose", "MULTIPLY_ADD", "covered", "in.Scree Slope", "slope worn"),
    # Gullies hold soil, ribs are bare. Patches and, close up, grain give outcrops crisp edges: a
    # wide border would look airbrushed.
    math_node("hollow", "MINIMUM", "sheltered", 0.3),
    math_node("slope in hollows", "MULTIPLY_ADD", "hollow", 0.5, "slope loose"),
    math_node("slope in patches", "MULTIPLY_ADD", "patches", -0.1, "slope in hollows"),
    math_node("grain of outcrops", "MULTIPLY", "grain near", "in.Detail"),
    math_node("slope in grain", "MULTIPLY_ADD", "grain of outcrops", -0.35, "slope in patches"),
    math_node("rock slope", "MULTIPLY_ADD", "fluted", -0.12, "slope in grain"),
    math_node("gentle", "SUBTRACT", "rock slope", "in.Slope Softness"),
    math_node("steep", "ADD", "rock slope", "in.Slope Softness"),
    math_node("at most upright", "MINIMUM", "steep", radians(90)),
    math_node("at least level", "MAXIMUM", "gentle", 0.0),
    *_slope_at("mask of ground", "at least level"),
    *_slope_at("mask of rock", "at most upright"),
    ramp("bare", "mask", "mask of ground", "mask of rock"),
    # Plants by moisture, and where they grew. At borders of wet and dry ground, patches hide the
    # stairs of the grid.
    math_node("dryness", "SUBTRACT", 1.0, "in.Moisture"),
    math_node("edge of moisture", "MULTIPLY", "dryness", "in.Moisture"),
    math_node("patches of moisture", "MULTIPLY_ADD", "edge of moisture", 2.0, 0.12),
    math_node("moist", "MULTIPLY_ADD", "patches", "patches of moisture", "in.Moisture"),
    # Slopes to the north dry up less.
    math_node("moist in shade", "MULTIPLY_ADD", "normal.Y", 0.25, "moist"),
    math_node("moist widely", "MULTIPLY_ADD", "zones", 1.3, "moist in shade"),
    math_node("moist grown", "MULTIPLY_ADD", "in.Grass", 0.4, "moist widely"),
    ramp("lush", "moist grown", 0.05, 0.5),
    mix("plants", "lush", "in.Grass Dry", "in.Grass Lush"),
    math_node("fertile", "MULTIPLY_ADD", "in.Vegetation", 2.0, "moist widely"),
    ramp("grows", "fertile", 1.0, 1.5),
    math_node("grass patchy", "MULTIPLY_ADD", "patches", 0.4, "in.Grass"),
    math_node("grass in tufts", "MULTIPLY_ADD", "grain near", 1.2, "grass patchy"),
    ramp("grew", "grass in tufts", 0.15, 0.7),
    math_node("growth", "MAXIMUM", "grows", "grew"),
    mix("soil", "growth", "in.Soil Color", "plants"),
    # Sediment shows where it is thick and too dry or too wet for plants: on fans and banks.
    math_node("meadow", "MULTIPLY", "lush", "growth"),
    math_node("dry fan", "MULTIPLY_ADD", "meadow", -0.95, 1.0),
    ramp("bank", "moist", 0.74, 0.86),
    math_node("barren by moisture", "MAXIMUM", "dry fan", "bank"),
    # Beside visible water floods strew gravel, and nothing takes root.
    math_node("at water", "MULTIPLY_ADD", "patches", 0.14, "in.Shore"),
    ramp("strand", "at water", 0.12, 0.6),
    math_node("barren", "MAXIMUM", "barren by moisture", "strand"),
    math_node("strewn", "MAXIMUM", "covered", "strand"),
    Node("loose", "Math", {0: "strewn", 1: "barren"}, {"operation": "MULTIPLY", "use_clamp": True}),
    mix("gentle ground", "loose", "soil", "in.Sediment Color"),
    # Single stones, light and dark, close by: in loose sediment, and where nothing grows on gentle
    # ground.
    ramp("stones", "grain.Fac", 0.46, 0.57, (-1.0, 1.0)),
    math_node("open ground", "SUBTRACT", 1.0, "growth"),
    math_node("paved", "MULTIPLY", "open ground", "in.Pavement"),
    ramp("stony anywhere", "loose", 0.0, 1.0, ("paved", "in.Gravel")),
    math_node("no rock", "SUBTRACT", 1.0, "bare"),
    math_node("stony here", "MULTIPLY", "stony anywhere", "no rock"),
    math_node("stony", "MULTIPLY", "stony here", "near"),
)
