# SPDX-License-Identifier: GPL-3.0-or-later
"""Table of fields: every quantity on a terrain, declared once.

Attribute names, map file names, the command line's listing and the manual's table come from it.
"""

from typing import NamedTuple

import numpy as np


class Field(NamedTuple):
    """One quantity on the grid: shape (rows, cols), or (rows, cols, components)."""

    name: str
    unit: str
    meaning: str
    components: int = 1
    dtype: type = np.float32

    @property
    def images(self) -> tuple[str, ...]:
        """Names of its images: x and y have one each, colors are one."""
        return (f"{self.name}_x", f"{self.name}_y") if self.components == 2 else (self.name,)


RISE = "uplift"
"""Field that a process adds to where it raises the land, so that wear does not count it."""

FIELDS: dict[str, Field] = {
    field.name: field
    for field in (
        Field("elevation", "m", "height of the surface", dtype=np.float64),
        Field("bedrock", "m", "height of the solid rock below everything loose"),
        Field("sediment", "m", "thickness of the loose material on the rock"),
        Field("soil", "m", "thickness of the soil on the rock"),
        Field("suspended", "m", "material that the water carries", dtype=np.float64),
        Field("water_depth", "m", "depth of the water"),
        Field("velocity", "m/s", "velocity of the water along columns and rows", components=2),
        Field(
            "flow",
            "drops or m³",
            (
                "flow through the cell in the last step that computes it: number of drops, or m³ "
                "of Water"
            ),
        ),
        Field(
            "moisture",
            "0-1",
            "wetness of the ground by fresh water, 1 where much gathers on little slope",
        ),
        Field(RISE, "m", "how far the land rose", dtype=np.float64),
        Field("wear", "m", "rock removed"),
        Field("deposition", "m", "deposited loose material"),
        Field("grass", "0-1", "cover of grass"),
        Field("snow", "m", "thickness of the snow on the ground"),
        Field("meltwater", "m", "meltwater of the snow, which the next water step receives"),
        Field(
            "clouds", "of the mean", "rain under the clouds at the end of the last step with clouds"
        ),
        Field("foliage_density", "0-1", "density of plants, by moisture and slope"),
        Field("wind_path", "0-1", "how often the wind touches the ground"),
        Field(
            "wind_flow",
            "of the wind",
            "velocity of the wind near the ground along columns and rows",
            components=2,
        ),
        Field(
            "sand_flow",
            "m²",
            "sand that the wind carried along columns and rows, by meter of width",
            components=2,
        ),
        Field("sky_light", "0-1", "visible share of the sky, 1 in the open"),
        Field("sun_light", "0-1", "share of the sunlight that arrives, 1 without any shade"),
        Field("sun_light_2", "0-1", "share of the second sun's light that arrives"),
        Field("sun_light_3", "0-1", "share of the third sun's light that arrives"),
        Field(
            "drainage_area", "m²", "area whose water passes, by the steepest of eight directions"
        ),
        Field(
            "stream_order",
            "Strahler",
            "order of channels: 1 for brooks, more where equal ones meet, 0 on slopes",
        ),
        Field("lake_depth", "m", "depth of a lake that fills its basin to the point of overflow"),
        Field("slope", "m/m", "rise by distance, 1 for 45°"),
        Field(
            "curvature",
            "1/m",
            "mean curvature of the surface, above 0 on ridges and below in hollows",
        ),
        Field(
            "flow_direction",
            "length 1",
            "direction of the water along columns and rows",
            components=2,
        ),
        Field("river", "0-1", "cover of rivers, while rivers or lakes exist as objects"),
        Field(
            "bank",
            "0-1",
            "ground beside rivers and lakes, 1 at the water to 0 at the river's width from it",
        ),
        Field("lake", "0 or 1", "cover of lakes, while rivers or lakes exist as objects"),
        Field("surface_color", "0-1", "color of the ground (red, green, blue)", components=3),
    )
}

VAST = ("flow", "sand_flow", "drainage_area")
"""Fields in m² and m³, which grow with the land and the years."""

ANALYZED = ("drainage_area", "stream_order", "lake_depth", "slope", "curvature", "flow_direction")
"""Fields that an analysis computes from the heights of any terrain."""

WATERS = ("river", "bank", "lake")
"""Fields of a terrain with rivers or lakes as objects."""

BAKED = (
    "sky_light",
    "sun_light",
    "sun_light_2",
    "sun_light_3",
    "foliage_density",
    *ANALYZED,
    *WATERS,
)
"""Fields that are baked on a result; simulations do not produce them."""
