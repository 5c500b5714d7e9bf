# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of the start terrains."""

from typing import Any

from ..base.parameters import Parameters, parameter

GROUP = "Finish"
"""Group heading of the shared parameters."""

CALM = 0.75
"""How much smoother the valleys of ridged noise are than its crests."""

SPURS = 0.1
"""Downslope stretch of small forms."""

SAND_OCTAVES = 4
SAND_GAIN = 0.3
"""Octaves of sand, and the height of each as a share of the one before."""


def relief(default: float) -> Any:
    """Parameter: height range of the terrain."""
    return parameter(
        default,
        "Height from the lowest to the highest point.",
        low=0,
        high=1e6,
        unit="m",
        soft_high=2000,
        width_power=1,
    )


def warp(default: float = 0.0) -> Any:
    """Parameter: strength of the domain warp."""
    return parameter(
        default, "Distortion of the forms: 0 none, 1 folds.", low=0, high=1, group=GROUP
    )


def island() -> Any:
    """Parameter: width of the coast."""
    return parameter(
        0.0,
        (
            "Width of an island's coast, as a share of the way from the border to the middle; "
            "0 for no island."
        ),
        low=0,
        high=1,
        group=GROUP,
    )


def tileable() -> Any:
    """Parameter: whether the terrain tiles seamlessly."""
    return parameter(
        False, "The terrain repeats seamlessly, for the Wrap setting of Edges.", group=GROUP
    )


def height() -> Any:
    """Parameter: height of the shape."""
    return parameter(
        200.0,
        "Height of the top above the ground.",
        low=0,
        high=1e6,
        unit="m",
        soft_high=2000,
        width_power=1,
    )


def width(default: float) -> Any:
    """Parameter: width of the shape."""
    return parameter(
        default, "Width of the foot, as a share of the shorter side.", low=0.01, high=2
    )


class RidgedParameters(Parameters):
    """Ridged noise: sharp crests with ribs down to calm valleys, as in young mountains."""

    relief: float = relief(200.0)
    ridges: float = parameter(
        1.5, "Number of the largest forms along the longer side.", low=1, high=1000, soft_high=20
    )
    octaves: int = parameter(
        7,
        "Number of layers of forms, each half the size of the one before: higher values add "
        "finer forms.",
        low=1,
        high=16,
    )
    gain: float = parameter(
        0.45,
        "Height of the next smaller forms, as a share: higher values make rougher land.",
        low=0,
        high=1,
    )
    warp: float = warp(0.25)
    tileable: bool = tileable()
    island: float = island()

    retired = {
        "calm": (CALM, "Lower gain for smoother valleys."),
        "spurs": (SPURS, "Erode with light droplets for ribs down the slopes."),
    }


class MountainsParameters(Parameters):
    """Mountains that rose while rivers cut them, so every valley leads down to the border; with
    tilted beds of rock on request.
    """

    relief: float = relief(150.0)
    massifs: float = parameter(
        2.0, "Number of the largest massifs along the longer side.", low=1, high=100, soft_high=12
    )
    age: float = parameter(
        0.5,
        (
            "Progress of the rivers: 0 untouched hills, 0.2 gorges in uplands, 0.5 sharp "
            "crests, 1 old, rounded mountains."
        ),
        low=0,
        high=1,
    )
    roughness: float = parameter(
        0.5,
        (
            "Unevenness of the rock and the first hills: 0 straight, parallel valleys, 1 "
            "winding ones."
        ),
        low=0,
        high=1,
    )
    hardness: float = parameter(
        0.0,
        (
            "Hardness of every other bed of rock: 0 for no beds, 0.9 for ridges and cliffs of "
            "hard beds."
        ),
        low=0,
        high=0.98,
        soft_high=0.95,
    )
    beds: float = parameter(
        6.0,
        "Number of hard beds at the surface.",
        low=1,
        high=100,
        soft_high=20,
        needs=("hardness",),
    )
    strike: float = parameter(
        40.0,
        "Direction of the beds: 0 along x, 90 along y. They dip to the left of it.",
        low=-360,
        high=360,
        unit="°",
        needs=("hardness",),
    )
    dip: float = parameter(
        25.0,
        ("Slope of the beds: 0 table mountains, 25 ridges with a gentle back, 60 narrow ridges."),
        low=0,
        high=80,
        unit="°",
        needs=("hardness",),
    )
    warp: float = warp(0.1)
    island: float = island()


class FractalParameters(Parameters):
    """Fractal noise (fBm): hills on hills, self-similar at every scale."""

    relief: float = relief(200.0)
    roughness: float = parameter(
        0.1, "Height of small forms: 0 smooth hills, 1 rubble.", low=0, high=1
    )
    warp: float = warp()
    tileable: bool = tileable()
    island: float = island()


class VoronoiParameters(Parameters):
    """Mountains between scattered peaks (Voronoi cells) under noise, with valleys where two are
    equally far.
    """

    relief: float = relief(200.0)
    peaks: int = parameter(2, "Number of peaks along the longer side.", low=1, high=64)
    noise: float = parameter(
        0.5, "Share of noise in the height: 0 bare cells, 1 noise alone.", low=0, high=1
    )
    warp: float = warp(0.5)
    tileable: bool = tileable()
    island: float = island()


class FaultsParameters(Parameters):
    """Faults: straight cuts, each of which lifts one side of the terrain."""

    relief: float = relief(120.0)
    cuts: int = parameter(
        400,
        "Number of cuts: higher values break the land into more and lower steps.",
        low=1,
        high=10000,
        soft_high=2000,
    )
    softness: float = parameter(
        0.01,
        "Width of the slope at each cut, as a share of the longer side; 0 for walls.",
        low=0,
        high=1,
        soft_high=0.2,
    )
    warp: float = warp()
    tileable: bool = tileable()
    island: float = island()


class SandParameters(Parameters):
    """A field of loose sand: rolling noise on flat rock, for the wind to pile into dunes."""

    relief: float = relief(20.0)
    waves: float = parameter(
        5.0, "Number of sand hills along the longer side.", low=1, high=1000, soft_high=50
    )
    warp: float = warp()
    tileable: bool = tileable()
    island: float = island()

    retired = {
        "octaves": (SAND_OCTAVES, "Use the start terrain fractal for rougher land."),
        "gain": (SAND_GAIN, "Use the start terrain fractal for rougher land."),
    }


class BumpsParameters(Parameters):
    """Rounded bumps of roughly equal size."""

    relief: float = relief(20.0)
    bumps: float = parameter(
        8.0, "Number of bumps along the longer side.", low=1, high=1000, soft_high=50
    )
    warp: float = warp()
    tileable: bool = tileable()
    island: float = island()


class BlocksParameters(Parameters):
    """Tilted fault blocks: parallel ranges with a steep front and a gentle back, and level basins
    between them.
    """

    relief: float = relief(200.0)
    blocks: float = parameter(
        3.0, "Number of ranges side by side along the longer side.", low=1, high=100, soft_high=12
    )
    strike: float = parameter(
        60.0,
        "Direction of the ranges: 0 along x, 90 along y. Their steep fronts face to the right "
        "of it.",
        low=-360,
        high=360,
        unit="°",
    )
    dip: float = parameter(
        15.0,
        "Slope of their backs: lower values make wide plateaus and narrow basins.",
        low=1,
        high=60,
        unit="°",
    )
    roughness: float = parameter(
        0.3,
        "Noise on the blocks: 0 bare planes, 1 hills a third as high as the blocks.",
        low=0,
        high=1,
    )
    warp: float = warp(0.15)
    island: float = island()


class PlaneParameters(Parameters):
    """A plane with a slope."""

    slope: float = parameter(0.1, "Slope of the plane.", low=0, high=100, unit="m/m", soft_high=2)
    direction: float = parameter(
        270.0, "Direction of the slope: 0 along x, 90 along y.", low=-360, high=360, unit="°"
    )
    warp: float = warp()
    island: float = island()


class ConeParameters(Parameters):
    """A round cone on flat ground, as a young volcano."""

    height: float = height()
    width: float = width(0.8)
    warp: float = warp()
    island: float = island()


class PyramidParameters(Parameters):
    """A square pyramid of steps on flat ground."""

    height: float = height()
    width: float = width(0.8)
    steps: int = parameter(8, "Number of steps to the top.", low=1, high=1000, soft_high=50)
    warp: float = warp()
    island: float = island()


class BoxParameters(Parameters):
    """A box with upright walls on flat ground: a table mountain to begin with."""

    height: float = height()
    width: float = width(0.5)
    warp: float = warp()
    island: float = island()

    retired = {"turn": (0.0, "Use letters with a picture of a turned box.")}


class LettersParameters(Parameters):
    """Letters or any other shape from a picture, standing out of flat ground as high as they are
    bright.
    """

    image: str = parameter(
        "", "Grayscale image of the shape: white is high. Empty: the letters ABC."
    )
    height: float = height()
    width: float = parameter(
        0.8, "Width of the picture, as a share of the terrain's.", low=0.01, high=2
    )
    warp: float = warp()
    island: float = island()

    retired = {"invert": (False, "Invert the picture.")}


class PyramidInSandParameters(Parameters):
    """A step pyramid of rock that stands in loose sand, for the wind to blow around."""

    height: float = height()
    width: float = width(0.5)
    steps: int = parameter(8, "Number of steps to the top.", low=1, high=1000, soft_high=50)
    sand: float = parameter(
        20.0,
        "Depth of the sand around the pyramid.",
        low=0,
        high=1e6,
        unit="m",
        soft_high=200,
        width_power=1,
    )
    waves: float = parameter(
        10.0,
        "Height of the waves in the sand, up to twice its depth.",
        low=0,
        high=1e6,
        unit="m",
        soft_high=200,
        width_power=1,
    )
    warp: float = warp()
    island: float = island()
