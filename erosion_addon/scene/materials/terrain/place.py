# SPDX-License-Identifier: GPL-3.0-or-later
"""Position of a point, and noise there; `patches` is about -1 to 1 times the detail."""

from ..node_trees.table import Node, math_node, noise, ramp, scaled, times


def _flutes(name: str, scale: float, waves: float) -> tuple[Node, ...]:
    """Ribs and gullies down the slope, -1 to 1: waves across it in each cell of a pattern, which
    fade at its border.

    Their direction is the ground's own at each point, so that they meet and part as runnels do.
    Also their slope.
    """
    return (
        scaled(f"place of {name}", "level place", scale),
        Node(
            f"cell of {name}",
            "TexVoronoi",
            {"Vector": f"place of {name}", "Scale": 1.0, "Detail": "no octaves"},
            {"voronoi_dimensions": "2D"},
        ),
        Node(
            f"from middle of {name}",
            "VectorMath",
            {0: f"place of {name}", 1: f"cell of {name}.Position"},
            {"operation": "SUBTRACT"},
        ),
        Node(
            f"across {name}",
            "VectorMath",
            {0: f"from middle of {name}", 1: "contour"},
            {"operation": "DOT_PRODUCT"},
        ),
        math_node(f"width of {name}", "MULTIPLY_ADD", f"cell of {name}.Color", waves, 0.5 * waves),
        math_node(
            f"number of {name}",
            "MULTIPLY_ADD",
            f"across {name}",
            f"width of {name}",
            "bend of flutes",
        ),
        math_node(
            f"phase of {name}", "MULTIPLY_ADD", f"cell of {name}.Color", 9.0, f"number of {name}"
        ),
        math_node(f"wave of {name}", "SINE", f"phase of {name}"),
        math_node(f"side of {name}", "COSINE", f"phase of {name}"),
        ramp(f"middle of {name}", f"cell of {name}.Distance", 0.75, 0.2),
        math_node(name, "MULTIPLY", f"wave of {name}", f"middle of {name}"),
        math_node(f"slope of {name}", "MULTIPLY", f"side of {name}", f"middle of {name}"),
    )


PLACE = (
    # Noise in the world's meters, at three sizes. Grain fades out where it would be finer than the
    # pixels.
    Node("geometry", "NewGeometry"),
    Node("camera", "CameraData"),
    math_node("per meter", "DIVIDE", 1.0, "in.Detail Size"),
    scaled("place", "geometry.Position", "per meter"),
    scaled("wide place", "place", 0.13),
    noise("wide", "wide place", 2.0, 0.5),
    # On slopes patches lie along the contours, as outcrops and terraces do; round ones would look
    # like wool.
    times("place of patches", "place", (1.0, 1.0, 4.0)),
    noise("noise", "place of patches", 5.0, 0.62),
    scaled("fine place", "place", 23.0),
    # Rounder than patches: stretched as much along the contours, it would look woven with the
    # streaks down the walls.
    times("place of grain", "fine place", (2.5, 2.5, 3.75)),
    # More octaves than pixels resolve from afar: close up they are grains of gravel and scree.
    noise("grain", "place of grain", 6.0, 0.72),
    math_node("distance", "MULTIPLY", "camera.View Distance", "per meter"),
    ramp("near", "distance", 30.0, 4.0),
    math_node("wide centered", "SUBTRACT", "wide.Fac", 0.5),
    math_node("zones", "MULTIPLY", "wide centered", "in.Detail"),
    math_node("centered", "SUBTRACT", "noise.Fac", 0.5),
    math_node("contrast", "MULTIPLY", "in.Detail", 6.0),
    math_node("patches", "MULTIPLY", "centered", "contrast"),
    math_node("grain centered", "SUBTRACT", "grain.Fac", 0.5),
    math_node("grain near", "MULTIPLY", "grain centered", "near"),
    math_node("mottle", "MULTIPLY_ADD", "grain near", 1.0, "centered"),
    math_node("mottled", "MULTIPLY", "mottle", "in.Detail"),
    Node("position", "SeparateXYZ", {0: "geometry.Position"}),
    # Ribs and gullies finer than the cells run down slopes, at two sizes.
    times("level place", "place", (1.0, 1.0, 0.0)),
    math_node("backward", "MULTIPLY", "normal.X", -1.0),
    Node("downhill side", "CombineXYZ", {"X": "normal.Y", "Y": "backward"}),
    Node("contour", "VectorMath", {0: "downhill side"}, {"operation": "NORMALIZE"}),
    math_node("bend of flutes", "MULTIPLY", "mottle", 5.0),
    # A constant zero, so that compilers drop the octaves of the cells. With an input they are
    # compiled, which takes five times as long without a graphics card.
    math_node("no octaves", "LESS_THAN", "distance", "distance"),
    *_flutes("ribs of slope", 5.0, 15.0),
    *_flutes("runnels", 14.0, 13.0),
    ramp("sloping", "slope", 0.22, 0.5, (0.0, "in.Flutes")),
    # Some slopes are smoother than others.
    math_node("dissected", "MULTIPLY_ADD", "noise.Fac", 0.6, "wide.Fac"),
    ramp("clearness of flutes", "dissected", 0.66, 0.94, (0.25, 1.0)),
    math_node("fluting", "MULTIPLY", "sloping", "clearness of flutes"),
    math_node("runnels near", "MULTIPLY", "runnels", "near"),
    math_node("ribs and runnels", "MULTIPLY_ADD", "runnels near", 0.6, "ribs of slope"),
    math_node("fluted", "MULTIPLY", "ribs and runnels", "fluting"),
    ramp("drained", "slope", 0.03, 0.12, (0.0, "in.Flutes")),
    math_node("washes", "MULTIPLY", "ribs of slope", "drained"),
    math_node("runnels beside", "MULTIPLY", "slope of runnels", "near"),
    math_node("side of flutes", "ADD", "runnels beside", "slope of ribs of slope"),
    math_node("fluted side", "MULTIPLY", "side of flutes", "fluting"),
    scaled("flute slope", "contour", "fluted side"),
)
