# SPDX-License-Identifier: GPL-3.0-or-later
"""Rock, and the dry ground composed from it."""

from ..node_trees.table import Node, math_node, mix, noise, ramp, times


def _toned(name: str, place: str, softness: float) -> tuple[Node, ...]:
    """Beds one unit of `place` thick: their number, the height within, 0-1, and a tone by chance,
    0-1, for each.
    """
    return (
        Node(f"number of {name}", "Math", {0: place}, {"operation": "FLOOR"}),
        Node(f"height in {name}", "Math", {0: place}, {"operation": "FRACT"}),
        math_node(f"number below {name}", "SUBTRACT", f"number of {name}", 1.0),
        Node(
            f"chance of {name}",
            "TexWhiteNoise",
            {"W": f"number of {name}"},
            {"noise_dimensions": "1D"},
        ),
        Node(
            f"chance below {name}",
            "TexWhiteNoise",
            {"W": f"number below {name}"},
            {"noise_dimensions": "1D"},
        ),
        ramp(
            f"tone of {name}",
            f"height in {name}",
            0.0,
            softness,
            (f"chance below {name}", f"chance of {name}"),
        ),
    )


def _cracks(name: str, across: tuple[float, float, float]) -> tuple[Node, ...]:
    """Vertical joints across a direction at uneven distances, different in each bed: 1 in the
    crack, 0 elsewhere.
    """
    return (
        Node(
            f"{name} across",
            "VectorMath",
            {0: "fine place", 1: across},
            {"operation": "DOT_PRODUCT"},
        ),
        math_node(f"{name} by bed", "MULTIPLY_ADD", "chance of beds", 17.0, f"{name} across"),
        math_node(f"{name} bent", "MULTIPLY_ADD", "centered", 9.0, f"{name} by bed"),
        Node(f"{name} from joint", "Math", {0: f"{name} bent", 1: 1.0}, {"operation": "PINGPONG"}),
        ramp(name, f"{name} from joint", 0.1, 0.02),
    )


ROCK = (
    # Beds dip by 3° and are folded over kilometers; beds of painted colors follow the colors.
    Node(
        "dip",
        "VectorMath",
        {0: "geometry.Position", 1: (0.045, 0.03, 0.0)},
        {"operation": "DOT_PRODUCT"},
    ),
    math_node("unpainted", "SUBTRACT", 1.0, "in.Has Surface Color"),
    math_node("level of bed", "MULTIPLY_ADD", "dip", "unpainted", "position.Z"),
    math_node("uneven", "MULTIPLY", "centered", "in.Detail"),
    math_node("bend of beds", "MULTIPLY_ADD", "zones", 10.0, "uneven"),
    math_node("bed", "DIVIDE", "level of bed", "in.Strata Thickness"),
    math_node("bent bed", "MULTIPLY_ADD", "bend of beds", 0.6, "bed"),
    # Two waves without a common period stretch and squeeze them: their thickness differs up to
    # tenfold.
    math_node("quick phase", "MULTIPLY", "bent bed", 1.7),
    math_node("slow phase", "MULTIPLY", "bent bed", 0.61),
    math_node("quick swell", "SINE", "quick phase"),
    math_node("slow swell", "SINE", "slow phase"),
    math_node("swelling bed", "MULTIPLY_ADD", "quick swell", 0.35, "bent bed"),
    math_node("uneven bed", "MULTIPLY_ADD", "slow swell", 0.5, "swelling bed"),
    *_toned("beds", "uneven bed", 0.12),
    # Half of them are packets of thin beds, half are massive and make cliffs.
    math_node("thin bed", "MULTIPLY", "uneven bed", 5.0),
    *_toned("thin beds", "thin bed", 0.3),
    math_node("second chance", "MULTIPLY", "chance of beds", 7.3),
    Node("kind of bed", "Math", {0: "second chance"}, {"operation": "FRACT"}),
    ramp("packet", "kind of bed", 0.49, 0.51, (0.12, 0.75)),
    Node(
        "tone",
        "MapRange",
        {"Value": "packet", "To Min": "tone of beds", "To Max": "tone of thin beds"},
    ),
    # Rubble hides the beds, except on slopes much steeper than needed for bare rock.
    math_node("over rock", "SUBTRACT", "slope", "in.Rock Slope"),
    math_node("exposure", "MULTIPLY_ADD", "patches", 0.08, "over rock"),
    ramp("exposed", "exposure", -0.06, 0.26, (0.15, 1.0)),
    math_node("clearness", "MULTIPLY", "exposed", "in.Strata"),
    math_node("weathered tone", "MULTIPLY_ADD", "mottled", 0.9, "tone"),
    ramp("layer", "weathered tone", -0.15, 1.15, (0.0, "clearness")),
    mix("layered", "layer", "in.Rock Color", "in.Layer Color"),
    # Hard beds stand out as ledges: light above, dark below.
    ramp("ledge", "tone", 0.3, 0.7, (-0.2, 0.2)),
    math_node("bedded", "MULTIPLY", "bare", "in.Strata"),
    math_node("ledges", "MULTIPLY", "ledge", "bedded"),
    # Streaks down the walls. On gentler slopes they would be blotches.
    ramp("wall", "upward", 0.82, 0.58),
    math_node("streaky", "MULTIPLY", "wall", "in.Detail"),
    times("down", "place", (12.0, 12.0, 1.4)),
    noise("streaks", "down", 3.0, 0.6),
    ramp("streak", "streaks.Fac", 0.34, 0.62, (0.68, 1.16)),
    # They start at the edge of a bed and fade below it.
    ramp("stain", "height in beds", 0.0, 0.9, (0.35, 1.0)),
    math_node("stained", "MULTIPLY", "streaky", "stain"),
    mix("streaked", "stained", "layered", "streak", "MULTIPLY"),
    # Vertical joints part massive beds, close by; thin ones crumble.
    *_cracks("joint", (0.31, 0.12, 0.0)),
    *_cracks("other joint", (-0.17, 0.26, 0.0)),
    math_node("joints", "MAXIMUM", "joint", "other joint"),
    ramp("massive", "kind of bed", 0.51, 0.49),
    math_node("joints of beds", "MULTIPLY", "joints", "massive"),
    math_node("jointed wall", "MULTIPLY", "bedded", "wall"),
    math_node("jointed", "MULTIPLY", "jointed wall", "near"),
    math_node("cracked", "MULTIPLY", "joints of beds", "jointed"),
    math_node("fresh", "MULTIPLY_ADD", "worn", 0.25, 0.9),
    mix("rock", 1.0, "streaked", "fresh", "MULTIPLY"),
    mix("dry ground", "bare", "gentle ground", "rock"),
    # Painted or transported colors replace the ground's.
    math_node("painted share", "MULTIPLY", "in.Has Surface Color", "in.Surface Color Strength"),
    mix("painted", "painted share", "dry ground", "in.Surface Color"),
    math_node("contrast of ground", "MULTIPLY_ADD", "bare", -0.5, 1.3),
    math_node("shade of zones", "MULTIPLY_ADD", "zones", 0.7, 1.0),
    math_node("bedded shade", "MULTIPLY_ADD", "ledges", 1.1, "shade of zones"),
    math_node("cracked shade", "MULTIPLY_ADD", "cracked", -0.55, "bedded shade"),
    math_node("mottled shade", "MULTIPLY_ADD", "mottled", "contrast of ground", "cracked shade"),
    math_node("light of stones", "MULTIPLY", "stones", "stony"),
    math_node("shade of stones", "MULTIPLY_ADD", "light of stones", 0.28, "mottled shade"),
    math_node("shade", "MULTIPLY_ADD", "fluted", 0.12, "shade of stones"),
    mix("ground", 1.0, "painted", "shade", "MULTIPLY"),
)
