# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the node group "Terrain": sockets and nodes."""

from math import radians
from typing import Any

from .nodes import EXISTS, OF_OBJECT, VECTOR_OF_OBJECT, Node, Socket, math_node, mix, noise, ramp

VERSION = 17

SHORE = "erosion_shore"
"""Attribute of a terrain with water, rivers, lakes or a sea as objects: how wet the ground is beside them, 0-1."""

LEVEL = 0.995
"""Vertical part of the normal of ground on which moisture draws water."""

_ANGLE: dict[str, Any] = {"subtype": "ANGLE", "high": radians(90)}
_METERS: dict[str, Any] = {"low": 0.001, "high": 1e6}


def _output(name: str, default: object, sentence: str, kind: str = "") -> Socket:
    return Socket(name, default, sentence, kind=kind, output=True)


def _field(
    name: str, default: object, sentence: str, attribute: str, channel: str = "Fac", high: float = 1.0
) -> Socket:
    return Socket(name, default, sentence, high=high, panel="Fields", attribute=attribute, channel=channel)


OUTPUTS = (
    _output("BSDF", None, "The surface", "NodeSocketShader"),
    _output("Water", 0.0, "How much of this is water, 0-1"),
    _output("Gloss", 0.0, "How smooth the surface is, 0-1: 1 less its roughness"),
    _output("Albedo", (0.0, 0.0, 0.0), "Color of the surface, before the light that was baked"),
    _output("Glow", 0.0, "How much of this glows, 0-1"),
)

FIELDS = (
    _field("Moisture", 0.0, "Wetness of the ground, 0-1", "moisture"),
    _field("Sediment", 0.0, "Thickness of loose sediment in meters", "sediment", high=1e6),
    _field("Wear", 0.0, "Rock removed, in meters", "wear", high=1e6),
    _field("Grass", 0.0, "Grass that grew in a water step, 0-1", "grass"),
    _field("Snow Thickness", 0.0, "Thickness of the snow in meters", "snow", high=1e6),
    _field(
        "Has Snow Thickness",
        0.0,
        "1 if a snow step provides the snow, so that none is drawn by height, else 0",
        "snow",
        EXISTS,
    ),
    _field("Water Depth", 0.0, "Depth of the water in meters", "water_depth", high=1e6),
    _field("Shore", 0.0, "Ground beside water that is seen: 1 at the water, 0 where it is dry", SHORE),
    _field(
        "Water Surface",
        0.0,
        "1 where water has a surface of its own, so that none is drawn, else 0",
        "erosion_water_surface",
        OF_OBJECT,
    ),
    _field(
        "Has Water Depth",
        0.0,
        "1 if a water step provides the water, so that moisture draws none, else 0",
        "water_depth",
        EXISTS,
    ),
    Socket(
        "Shown",
        None,
        "First 1 where rivers or lakes are objects, so that moisture draws none, else 0; then where the wind "
        "goes, as x and y of length 1, for ripples in sand",
        panel="Fields",
        attribute="erosion_shown",
        channel=VECTOR_OF_OBJECT,
        kind="NodeSocketVector",
        low=-1.0,
    ),
    _field(
        "Surface Color",
        (0.0, 0.0, 0.0),
        "Color of the ground that was painted or transported",
        "surface_color",
        "Color",
    ),
    _field("Has Surface Color", 0.0, "1 where there is a Surface Color, else 0", "surface_color", EXISTS),
    _field("Sky Light", 1.0, "Visible share of the sky, 0-1", "sky_light"),
    _field("Has Sky Light", 0.0, "1 where there is a Sky Light, else 0", "sky_light", EXISTS),
    _field("Sun Light", 1.0, "Share of the sun that arrives, 0-1", "sun_light"),
    _field("Has Sun Light", 0.0, "1 where there is a Sun Light, else 0", "sun_light", EXISTS),
    _field("Sun Light 2", 1.0, "Share of the second sun that arrives, 0-1", "sun_light_2"),
    _field("Sun Light 3", 1.0, "Share of the third sun that arrives, 0-1", "sun_light_3"),
    Socket(
        "Suns",
        None,
        "How strongly each of the three suns shines; all 0: only the first",
        panel="Fields",
        attribute="erosion_suns",
        channel=VECTOR_OF_OBJECT,
        kind="NodeSocketVector",
        high=1e6,
    ),
    _field("Glow", 0.0, "Where the ground glows, 0-1: an attribute of this name, which you paint", "glow"),
)

CONTROLS = (
    Socket("Soil Color", (0.13, 0.095, 0.06), "Bare, gentle ground", panel="Ground"),
    Socket("Grass Dry", (0.150, 0.138, 0.060), "Plants where it is dry", panel="Ground"),
    Socket("Grass Lush", (0.045, 0.088, 0.020), "Plants where it is wet", panel="Ground"),
    Socket(
        "Vegetation",
        0.8,
        "How much grows: 0 nothing, 0.5 where it is moist, 1 everywhere; what the grass field holds grows in any case",
        "FACTOR",
        panel="Ground",
    ),
    Socket("Rock Color", (0.21, 0.185, 0.155), "Bare rock on steep ground", panel="Rock"),
    Socket("Layer Color", (0.13, 0.11, 0.09), "The other rock that layers are made of", panel="Rock"),
    Socket("Strata", 0.5, "How clearly layers show in the rock", "FACTOR", panel="Rock"),
    Socket("Strata Thickness", 60.0, "Thickness of the layers in meters", panel="Rock", **_METERS),
    Socket("Rock Slope", radians(34), "Slope above which the ground is bare rock", panel="Rock", **_ANGLE),
    Socket("Slope Softness", radians(3.5), "Half the width of the change to rock", panel="Rock", **_ANGLE),
    Socket("Wear Depth", 60.0, "Meters of rock removed at which rock is fresh, and soil thin", panel="Rock", **_METERS),
    Socket("Sediment Color", (0.36, 0.31, 0.24), "Loose sediment: gravel, scree, silt, sand", panel="Sediment"),
    Socket("Sediment Depth", 20.0, "Thickness in meters at which it hides what is below", panel="Sediment", **_METERS),
    Socket("Sediment Roughness", 0.9, "Roughness of loose sediment", "FACTOR", panel="Sediment"),
    Socket(
        "Gravel", 0.6, "How clearly single stones show in loose sediment: in beds, on scree", "FACTOR", panel="Sediment"
    ),
    Socket("Pavement", 0.4, "How clearly single stones show on bare, gentle ground", "FACTOR", panel="Sediment"),
    Socket("Scree Slope", radians(5), "How much steeper sediment lies before rock shows", panel="Sediment", **_ANGLE),
    Socket("Water Color", (0.012, 0.040, 0.050), "Water where no water surface is", panel="Water"),
    Socket(
        "Water Threshold",
        0.85,
        "Moisture above which water is drawn, unless a step or object provides water; 1 draws none",
        "FACTOR",
        panel="Water",
    ),
    Socket("Visible Depth", 0.2, "Minimum depth of water that is drawn, in meters", panel="Water", **_METERS),
    Socket("Wet Darkening", 0.5, "How much darker wet ground is", "FACTOR", panel="Water"),
    Socket("Snow", 0.0, "Amount of snow, unless a snow step provides the snow", "FACTOR", panel="Snow"),
    Socket("Snow Color", (0.80, 0.84, 0.88), "Snow", panel="Snow"),
    Socket(
        "Snow Line",
        0.6,
        "Lowest height of snow, as a share of the relief: 0 bottom, 1 top",
        "FACTOR",
        panel="Snow",
    ),
    Socket("Snow Slope", radians(42), "Slope from which snow slides off", panel="Snow", **_ANGLE),
    Socket(
        "Snow Depth", 0.6, "Thickness in meters at which snow of a snow step hides the ground", panel="Snow", **_METERS
    ),
    Socket("Detail", 0.7, "How much borders and colors are broken up", "FACTOR", panel="Detail"),
    Socket("Detail Size", 150.0, "Size in meters of the largest patches", panel="Detail", **_METERS),
    Socket("Relief", 1.0, "Strength of the fine relief", high=10.0, panel="Detail"),
    Socket(
        "Flutes", 0.8, "How clearly ribs and gullies finer than the cells run down slopes", "FACTOR", panel="Detail"
    ),
    Socket("Ripples", 0.0, "Height of the wind's ripples in sand", high=10.0, panel="Detail"),
    Socket("Glow Color", (1.0, 0.13, 0.015), "Light of the ground that glows, such as lava", panel="Glow"),
    Socket("Glow Strength", 8.0, "How brightly the ground shines where Glow is 1", high=1e4, panel="Glow"),
    Socket("Surface Color Strength", 1.0, "How much Surface Color covers", "FACTOR", panel="Light"),
    Socket("Sky Light Strength", 1.0, "How much Sky Light darkens", "FACTOR", panel="Light"),
    Socket("Sun Light Strength", 0.7, "How much Sun Light darkens", "FACTOR", panel="Light"),
)

LENGTHS = tuple(control.name for control in CONTROLS if _METERS.items() <= control._asdict().items())
"""Controls in meters."""

SOCKETS = (*OUTPUTS, *FIELDS, *CONTROLS)


def _scaled(name: str, vector: str, scale: object) -> Node:
    return Node(name, "VectorMath", {0: vector, "Scale": scale}, {"operation": "SCALE"})


def _times(name: str, vector: str, other: object) -> Node:
    return Node(name, "VectorMath", {0: vector, 1: other}, {"operation": "MULTIPLY"})


def _centered(name: str, color: str) -> Node:
    """A noise's color as a direction, around 0."""
    return Node(name, "VectorMath", {0: color, 1: (0.5, 0.5, 0.5)}, {"operation": "SUBTRACT"})


def _slope_at(name: str, angle: str) -> tuple[Node, Node]:
    """Value of the slope mask, n_z^0.75, at an angle."""
    return (
        Node(f"{name} cosine", "Math", {0: angle}, {"operation": "COSINE", "use_clamp": True}),
        math_node(name, "POWER", f"{name} cosine", 0.75),
    )


def _toned(name: str, place: str, softness: float) -> tuple[Node, ...]:
    """Beds one unit of `place` thick: their number, the height within, 0-1, and a tone by chance, 0-1, for each."""
    return (
        Node(f"number of {name}", "Math", {0: place}, {"operation": "FLOOR"}),
        Node(f"height in {name}", "Math", {0: place}, {"operation": "FRACT"}),
        math_node(f"number below {name}", "SUBTRACT", f"number of {name}", 1.0),
        Node(f"chance of {name}", "TexWhiteNoise", {"W": f"number of {name}"}, {"noise_dimensions": "1D"}),
        Node(f"chance below {name}", "TexWhiteNoise", {"W": f"number below {name}"}, {"noise_dimensions": "1D"}),
        ramp(f"tone of {name}", f"height in {name}", 0.0, softness, (f"chance below {name}", f"chance of {name}")),
    )


def _cracks(name: str, across: tuple[float, float, float]) -> tuple[Node, ...]:
    """Vertical joints across a direction, unevenly far apart, other ones in each bed: 1 in the crack, else 0."""
    return (
        Node(f"{name} across", "VectorMath", {0: "fine place", 1: across}, {"operation": "DOT_PRODUCT"}),
        math_node(f"{name} by bed", "MULTIPLY_ADD", "chance of beds", 17.0, f"{name} across"),
        math_node(f"{name} bent", "MULTIPLY_ADD", "centered", 9.0, f"{name} by bed"),
        Node(f"{name} from joint", "Math", {0: f"{name} bent", 1: 1.0}, {"operation": "PINGPONG"}),
        ramp(name, f"{name} from joint", 0.1, 0.02),
    )


def _flutes(name: str, scale: float, waves: float) -> tuple[Node, ...]:
    """Ribs and gullies down the slope, -1 to 1: waves across it in each cell of a pattern, which fade at its border.

    Their direction is the ground's own at each point, so that they meet and part as runnels do. Also their slope.
    """
    return (
        _scaled(f"place of {name}", "level place", scale),
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
        Node(f"across {name}", "VectorMath", {0: f"from middle of {name}", 1: "contour"}, {"operation": "DOT_PRODUCT"}),
        math_node(f"width of {name}", "MULTIPLY_ADD", f"cell of {name}.Color", waves, 0.5 * waves),
        math_node(f"number of {name}", "MULTIPLY_ADD", f"across {name}", f"width of {name}", "bend of flutes"),
        math_node(f"phase of {name}", "MULTIPLY_ADD", f"cell of {name}.Color", 9.0, f"number of {name}"),
        math_node(f"wave of {name}", "SINE", f"phase of {name}"),
        math_node(f"side of {name}", "COSINE", f"phase of {name}"),
        ramp(f"middle of {name}", f"cell of {name}.Distance", 0.75, 0.2),
        math_node(name, "MULTIPLY", f"wave of {name}", f"middle of {name}"),
        math_node(f"slope of {name}", "MULTIPLY", f"side of {name}", f"middle of {name}"),
    )


PLACE = (
    # Noise in the world's meters, at three sizes. Grain fades out where it would be finer than the pixels.
    Node("geometry", "NewGeometry"),
    Node("camera", "CameraData"),
    math_node("per meter", "DIVIDE", 1.0, "in.Detail Size"),
    _scaled("place", "geometry.Position", "per meter"),
    _scaled("wide place", "place", 0.13),
    noise("wide", "wide place", 2.0, 0.5),
    # On slopes patches lie along the contours, as outcrops and terraces do; round ones would look like wool.
    _times("place of patches", "place", (1.0, 1.0, 4.0)),
    noise("noise", "place of patches", 5.0, 0.62),
    _scaled("fine place", "place", 23.0),
    # Rounder than patches: as long along the contours it would weave a cloth with the streaks down the walls.
    _times("place of grain", "fine place", (2.5, 2.5, 3.75)),
    # More octaves than pixels show from afar: close by they are the grains of gravel and scree.
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
    _times("level place", "place", (1.0, 1.0, 0.0)),
    math_node("backward", "MULTIPLY", "normal.X", -1.0),
    Node("downhill side", "CombineXYZ", {"X": "normal.Y", "Y": "backward"}),
    Node("contour", "VectorMath", {0: "downhill side"}, {"operation": "NORMALIZE"}),
    math_node("bend of flutes", "MULTIPLY", "mottle", 5.0),
    # Zero whatever the distance, which compilers see, so that they leave out the octaves of the cells. A number that
    # can be set would have them compiled: on a computer without a graphics card that takes five times as long.
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
    _scaled("flute slope", "contour", "fluted side"),
)
"""Position of a point, and noise there; `patches` is about -1 to 1 times the detail."""

COVER = (
    # Loose sediment.
    math_node("thickness", "DIVIDE", "in.Sediment", "in.Sediment Depth"),
    math_node("thickness in patches", "MULTIPLY_ADD", "patches", 0.15, "thickness"),
    # Washes run down fans and aprons.
    math_node("thickness patchy", "MULTIPLY_ADD", "washes", 0.25, "thickness in patches"),
    ramp("covered", "thickness patchy", 0.15, 1.0),
    # Rock on steep ground: the mask of the light droplets, smoothstep(0.4, 0.7, n_z^0.75), with angles instead of its
    # two numbers, which are 73° and 52°. Worn ground turns to rock earlier, ground under sediment later.
    Node("normal", "SeparateXYZ", {0: "geometry.Normal"}),
    Node("upward", "Math", {0: "normal.Z", 1: 0.0}, {"operation": "ADD", "use_clamp": True}),
    math_node("mask", "POWER", "upward", 0.75),
    ramp("worn", "in.Wear", 0.0, "in.Wear Depth"),
    math_node("slope worn", "MULTIPLY_ADD", "worn", -0.05, "in.Rock Slope"),
    math_node("slope loose", "MULTIPLY_ADD", "covered", "in.Scree Slope", "slope worn"),
    # Gullies hold soil, ribs are bare. Patches and, close by, grain make outcrops with crisp edges: a wide border would
    # look airbrushed.
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
    # Plants by moisture, and where they grew.
    # Where wet and dry ground meet within a cell, patches hide the grid's stairs.
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
    # Sediment shows where it is thick and nothing grows, for want of water or for too much of it: on fans and banks.
    math_node("meadow", "MULTIPLY", "lush", "growth"),
    math_node("dry fan", "MULTIPLY_ADD", "meadow", -0.95, 1.0),
    ramp("bank", "moist", 0.74, 0.86),
    math_node("barren by moisture", "MAXIMUM", "dry fan", "bank"),
    # Beside water that is seen floods strew gravel, and nothing takes root.
    math_node("at water", "MULTIPLY_ADD", "patches", 0.14, "in.Shore"),
    ramp("strand", "at water", 0.12, 0.6),
    math_node("barren", "MAXIMUM", "barren by moisture", "strand"),
    math_node("strewn", "MAXIMUM", "covered", "strand"),
    Node("loose", "Math", {0: "strewn", 1: "barren"}, {"operation": "MULTIPLY", "use_clamp": True}),
    mix("gentle ground", "loose", "soil", "in.Sediment Color"),
    # Single stones, light and dark, close by: in loose sediment, and where nothing grows on gentle ground.
    ramp("stones", "grain.Fac", 0.46, 0.57, (-1.0, 1.0)),
    math_node("open ground", "SUBTRACT", 1.0, "growth"),
    math_node("paved", "MULTIPLY", "open ground", "in.Pavement"),
    ramp("stony anywhere", "loose", 0.0, 1.0, ("paved", "in.Gravel")),
    math_node("no rock", "SUBTRACT", 1.0, "bare"),
    math_node("stony here", "MULTIPLY", "stony anywhere", "no rock"),
    math_node("stony", "MULTIPLY", "stony here", "near"),
)
"""Cover by sediment, rock, plants and soil."""

ROCK = (
    # Beds dip by 3° and are folded over kilometers; those of painted colors lie as the colors do.
    Node("dip", "VectorMath", {0: "geometry.Position", 1: (0.045, 0.03, 0.0)}, {"operation": "DOT_PRODUCT"}),
    math_node("unpainted", "SUBTRACT", 1.0, "in.Has Surface Color"),
    math_node("level of bed", "MULTIPLY_ADD", "dip", "unpainted", "position.Z"),
    math_node("uneven", "MULTIPLY", "centered", "in.Detail"),
    math_node("bend of beds", "MULTIPLY_ADD", "zones", 10.0, "uneven"),
    math_node("bed", "DIVIDE", "level of bed", "in.Strata Thickness"),
    math_node("bent bed", "MULTIPLY_ADD", "bend of beds", 0.6, "bed"),
    # Two waves without a common period stretch and squeeze them: their thickness differs up to tenfold.
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
    Node("tone", "MapRange", {"Value": "packet", "To Min": "tone of beds", "To Max": "tone of thin beds"}),
    # Rubble hides the beds, except where it is much steeper than rock has to be to show.
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
    _times("down", "place", (12.0, 12.0, 1.4)),
    noise("streaks", "down", 3.0, 0.6),
    ramp("streak", "streaks.Fac", 0.34, 0.62, (0.68, 1.16)),
    # They run down from the edge of a bed and fade below it.
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
    # Where colors were painted or transported, they are the ground's.
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
"""Rock, and the dry ground composed from it."""

WATER = (
    # Wet ground is darker, rock most of all, so that grooves show.
    ramp("wet", "in.Moisture", 0.2, 0.8),
    math_node("bare wet", "MULTIPLY_ADD", "bare", 0.6, 0.4),
    math_node("darkening", "MULTIPLY", "wet", "in.Wet Darkening"),
    math_node("darkened by moisture", "MULTIPLY", "darkening", "bare wet"),
    # What waves and splashes reach is dark and smooth, gravel and sand most of all.
    ramp("soaked", "at water", 0.5, 0.85),
    math_node("darkened at water", "MULTIPLY", "soaked", "in.Wet Darkening"),
    math_node("darkened", "MAXIMUM", "darkened by moisture", "darkened at water"),
    mix("wet ground", "darkened", "ground", (0.0, 0.0, 0.0)),
    # Snow, high and where it holds.
    # The share of the relief is generated Z. A texture reads it alone, where the node of all coordinates would take an
    # attribute more, for UVs, of the 14 that EEVEE has.
    Node("share", "TexGradient", settings={"texture_mapping.mapping_x": "Z"}),
    # No line of height ends it: it stays where it is shaded, in gullies, which see less of the sky, and on slopes that
    # look to the north, and on gentle ground; sun and wind bare slopes to the south, steep ground and ribs. Patches
    # from meters to a hundred break up the rest.
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
    # Ribs and ledges of rock that stand out of a slope throw the snow off, so that it thins out in bands and streaks.
    math_node("ribs", "SUBTRACT", "streaks.Fac", 0.5),
    math_node("faint ribs", "MULTIPLY", "ribs", 0.45),
    math_node("ribs and ledges", "MULTIPLY_ADD", "ledge", 0.3, "faint ribs"),
    math_node("ribbed", "MULTIPLY", "ribs and ledges", "in.Detail"),
    math_node("slope ribbed", "MULTIPLY_ADD", "ribbed", 1.1, "slope"),
    math_node("slope patchy", "MULTIPLY_ADD", "patches", 0.1, "slope ribbed"),
    math_node("holds to", "SUBTRACT", "in.Snow Slope", 0.12),
    ramp("snow holds", "slope patchy", "in.Snow Slope", "holds to"),
    math_node("snow drawn", "MULTIPLY", "snowy height", "snow holds"),
    # Or as a snow step left it; thin snow lies where it keeps, and on steep ground ribs stand out of it.
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
    # Water by its depth; by moisture where nothing better is known of it.
    Node("shown", "SeparateXYZ", {0: "in.Shown"}),
    math_node("known water", "MAXIMUM", "in.Has Water Depth", "shown.X"),
    math_node("unknown water", "SUBTRACT", 1.0, "known water"),
    math_node("water to", "ADD", "in.Water Threshold", 0.02),
    ramp("wettest", "in.Moisture", "in.Water Threshold", "water to"),
    # It stands on level ground alone; on slopes the ground is wet.
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
"""Wetness, snow and water."""

SURFACE = (
    # Light that was baked; a mesh without it is lit.
    math_node("sky share", "MULTIPLY", "in.Has Sky Light", "in.Sky Light Strength"),
    mix("sky", "sky share", (1.0, 1.0, 1.0), "in.Sky Light"),
    math_node("sun share", "MULTIPLY", "in.Has Sun Light", "in.Sun Light Strength"),
    # Of several suns each gives as much as it is strong.
    Node("suns", "CombineXYZ", {"X": "in.Sun Light", "Y": "in.Sun Light 2", "Z": "in.Sun Light 3"}),
    Node("arriving", "VectorMath", {0: "suns", 1: "in.Suns"}, {"operation": "DOT_PRODUCT"}),
    Node("all suns", "VectorMath", {0: "in.Suns", 1: (1.0, 1.0, 1.0)}, {"operation": "DOT_PRODUCT"}),
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
    # Fine relief, on rock more than on grass, none on water. A bent normal, as EEVEE weaves a pattern into bump maps
    # where triangles are as small as pixels.
    # Only the streaks give their color, which is three noises more: with the color of a second and a third noise too, a
    # computer without a graphics card compiles the material five and forty times as long.
    _centered("streaks colored", "streaks.Color"),
    # Red is the streak's own value: what is darker would be bent away from the sun too, in blotches.
    _times("streaks bent", "streaks colored", (0.2, 1.0, 1.0)),
    Node("grain bent", "CombineXYZ", {"X": "grain centered", "Y": "grain centered", "Z": "ribs"}),
    math_node("craggy", "MULTIPLY", "bare", "wall"),
    math_node("crags", "MULTIPLY_ADD", "craggy", 0.8, 0.28),
    _scaled("crags bent", "streaks bent", "crags"),
    _scaled("grain near bent", "grain bent", "near"),
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
    _scaled("bend", "rough", "bend strength"),
    _scaled("rippled", "ripple slope", "bend strength"),
    Node("bend of all", "VectorMath", {0: "bend", 1: "rippled"}, {"operation": "ADD"}),
    math_node("flute strength", "MULTIPLY", "dry", -0.32),
    _scaled("flute bend", "flute slope", "flute strength"),
    Node("bend and flutes", "VectorMath", {0: "bend of all", 1: "flute bend"}, {"operation": "ADD"}),
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
        {"BSDF": "surface", "Water": "water", "Gloss": "gloss", "Albedo": "albedo", "Glow": "in.Glow"},
    ),
)

RIPPLES = (
    # Crests across the wind, which fork and end as the noise shifts them; close by alone, where they are wider than
    # pixels, and not on slip faces, which are smoother.
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
    _scaled("ripple slope", "goes", "height of ripples"),
)
"""Wind ripples in sand, as a slope."""

NODES = {
    "Place and Noise": PLACE,
    "Sediment, Rock and Plants": COVER,
    "Rock": ROCK,
    "Wet Ground, Snow, Water": WATER,
    "Ripples": RIPPLES,
    "Light and Surface": SURFACE,
}
