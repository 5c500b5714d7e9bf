# SPDX-License-Identifier: GPL-3.0-or-later
"""Sockets of the node group "Terrain": outputs, fields of the terrain, and controls."""

from math import radians
from typing import Any

from ..node_trees.table import EXISTS, OF_OBJECT, VECTOR_OF_OBJECT, Socket

SHORE = "erosion_shore"
"""Attribute of a terrain with water objects: wetness of the ground beside them, 0-1."""

_ANGLE: dict[str, Any] = {"subtype": "ANGLE", "high": radians(90)}
_METERS: dict[str, Any] = {"low": 0.001, "high": 1e6}


def _output(name: str, default: object, sentence: str, kind: str = "") -> Socket:
    return Socket(name, default, sentence, kind=kind, output=True)


def _field(
    name: str,
    default: object,
    sentence: str,
    attribute: str,
    channel: str = "Fac",
    high: float = 1.0,
) -> Socket:
    return Socket(
        name, default, sentence, high=high, panel="Fields", attribute=attribute, channel=channel
    )


OUTPUTS = (
    _output("BSDF", None, "The surface", "NodeSocketShader"),
    _output("Water", 0.0, "How much of this is water, 0-1"),
    _output("Gloss", 0.0, "How smooth the surface is, 0-1: 1 less its roughness"),
    _output("Albedo", (0.0, 0.0, 0.0), "Color of the surface, before the baked light"),
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
    _field("Shore", 0.0, "Ground beside visible water: 1 at the water, 0 on dry ground", SHORE),
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
        "x: 1 if rivers or lakes are objects, so that moisture draws none. y, z: unit "
        "vector of the wind, for ripples in sand",
        panel="Fields",
        attribute="erosion_shown",
        channel=VECTOR_OF_OBJECT,
        kind="NodeSocketVector",
        low=-1.0,
    ),
    _field(
        "Surface Color",
        (0.0, 0.0, 0.0),
        "Painted or transported color of the ground",
        "surface_color",
        "Color",
    ),
    _field(
        "Has Surface Color",
        0.0,
        "1 where there is a Surface Color, else 0",
        "surface_color",
        EXISTS,
    ),
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
    _field(
        "Glow",
        0.0,
        "Glow of the ground, 0-1, from an attribute of this name, painted by you",
        "glow",
    ),
)

CONTROLS = (
    Socket("Soil Color", (0.13, 0.095, 0.06), "Bare, gentle ground", panel="Ground"),
    Socket("Grass Dry", (0.150, 0.138, 0.060), "Plants where it is dry", panel="Ground"),
    Socket("Grass Lush", (0.045, 0.088, 0.020), "Plants where it is wet", panel="Ground"),
    Socket(
        "Vegetation",
        0.8,
        (
            "Amount of plants: 0 none, 0.5 on moist ground, 1 everywhere; plants of the "
            "grass field always grow"
        ),
        "FACTOR",
        panel="Ground",
    ),
    Socket("Rock Color", (0.21, 0.185, 0.155), "Bare rock on steep ground", panel="Rock"),
    Socket("Layer Color", (0.13, 0.11, 0.09), "Second rock of the layers", panel="Rock"),
    Socket("Strata", 0.5, "How clearly layers show in the rock", "FACTOR", panel="Rock"),
    Socket("Strata Thickness", 60.0, "Thickness of the layers in meters", panel="Rock", **_METERS),
    Socket(
        "Rock Slope",
        radians(34),
        "Slope above which the ground is bare rock",
        panel="Rock",
        **_ANGLE,
    ),
    Socket(
        "Slope Softness",
        radians(3.5),
        "Half the width of the change to rock",
        panel="Rock",
        **_ANGLE,
    ),
    Socket(
        "Wear Depth",
        60.0,
        "Meters of rock removed at which rock is fresh, and soil thin",
        panel="Rock",
        **_METERS,
    ),
    Socket(
        "Sediment Color",
        (0.36, 0.31, 0.24),
        "Loose sediment: gravel, scree, silt, sand",
        panel="Sediment",
    ),
    Socket(
        "Sediment Depth",
        20.0,
        "Thickness in meters at which it hides the ground",
        panel="Sediment",
        **_METERS,
    ),
    Socket("Sediment Roughness", 0.9, "Roughness of loose sediment", "FACTOR", panel="Sediment"),
    Socket(
        "Gravel",
        0.6,
        "How clearly single stones show in loose sediment: in beds, on scree",
        "FACTOR",
        panel="Sediment",
    ),
    Socket(
        "Pavement",
        0.4,
        "How clearly single stones show on bare, gentle ground",
        "FACTOR",
        panel="Sediment",
    ),
    Socket(
        "Scree Slope",
        radians(5),
        "How much steeper sediment lies before rock shows",
        panel="Sediment",
        **_ANGLE,
    ),
    Socket("Water Color", (0.012, 0.040, 0.050), "Water without a water surface", panel="Water"),
    Socket(
        "Water Threshold",
        0.85,
        "Moisture above which water is drawn, unless a step or object provides water; 1 draws none",
        "FACTOR",
        panel="Water",
    ),
    Socket(
        "Visible Depth",
        0.2,
        "Minimum depth of water that is drawn, in meters",
        panel="Water",
        **_METERS,
    ),
    Socket("Wet Darkening", 0.5, "How much darker wet ground is", "FACTOR", panel="Water"),
    Socket(
        "Snow", 0.0, "Amount of snow, unless a snow step provides the snow", "FACTOR", panel="Snow"
    ),
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
        "Snow Depth",
        0.6,
        "Thickness in meters at which snow of a snow step hides the ground",
        panel="Snow",
        **_METERS,
    ),
    Socket("Detail", 0.7, "How much borders and colors are broken up", "FACTOR", panel="Detail"),
    Socket(
        "Detail Size", 150.0, "Size in meters of the largest patches", panel="Detail", **_METERS
    ),
    Socket("Relief", 1.0, "Strength of the fine relief", high=10.0, panel="Detail"),
    Socket(
        "Flutes",
        0.8,
        "How clearly ribs and gullies finer than the cells run down slopes",
        "FACTOR",
        panel="Detail",
    ),
    Socket("Ripples", 0.0, "Height of the wind's ripples in sand", high=10.0, panel="Detail"),
    Socket(
        "Glow Color",
        (1.0, 0.13, 0.015),
        "Light of the ground that glows, such as lava",
        panel="Glow",
    ),
    Socket(
        "Glow Strength",
        8.0,
        "How brightly the ground shines where Glow is 1",
        high=1e4,
        panel="Glow",
    ),
    Socket("Surface Color Strength", 1.0, "How much Surface Color covers", "FACTOR", panel="Light"),
    Socket("Sky Light Strength", 1.0, "How much Sky Light darkens", "FACTOR", panel="Light"),
    Socket("Sun Light Strength", 0.7, "How much Sun Light darkens", "FACTOR", panel="Light"),
)

LENGTHS = tuple(
    control.name for control in CONTROLS if _METERS.items() <= control._asdict().items()
)
"""Controls in meters."""

SOCKETS = (*OUTPUTS, *FIELDS, *CONTROLS)
