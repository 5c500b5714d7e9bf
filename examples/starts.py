# SPDX-License-Identifier: GPL-3.0-or-later
"""Start terrains of the shipped recipes, for the pictures and for the digests of results."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from erosion_addon import Terrain
from erosion_addon.generators.registry import make

SIDE = 384
Parts = tuple[tuple[str, dict[str, Any]], ...]


@dataclass(frozen=True)
class Start:
    """A start terrain: sums of kinds and parameters of `make`, for the rock and for the sand on it.

    width: meters. level: meters that are cut off the sand from below, so that rock shows where it
    was thin. terrace: height of the steps that the rock is cut into, in meters; 0 for none. tread:
    slope of their treads, as a share of that of the rock.
    """

    rock: Parts = (("fractal", {"relief": 900.0}),)
    sand: Parts = ()
    level: float = 0.0
    terrace: float = 0.0
    tread: float = 0.3
    width: float = 3840.0
    seed: int = 3


def fractal(relief: float, roughness: float = 0.2) -> Parts:
    """Fractal noise of so many meters."""
    return (("fractal", {"relief": relief, "roughness": roughness, "tileable": True}),)


def bumps(relief: float, number: float) -> Parts:
    """So many rounded bumps along each side."""
    return (("bumps", {"relief": relief, "bumps": number, "tileable": True}),)


def ridged(relief: float, ridges: float) -> Parts:
    """Sharp crests, so many along each side."""
    return (("ridged", {"relief": relief, "ridges": ridges, "tileable": True}),)


STARTS = {
    "alpine": Start(ridged(600.0, 2.0) + fractal(250.0)),
    "alpine with scree": Start(ridged(800.0, 2.0)),
    "badlands": Start(fractal(60.0), bumps(160.0, 3.0), width=1920.0),
    "barchan field": Start((), bumps(80.0, 5.0), level=54.0, seed=7),
    "canyon": Start(fractal(600.0, 0.0), seed=5),
    "coast dunes": Start(
        (("plane", {"slope": 0.02, "direction": 180.0}),),
        bumps(8.0, 10.0) + fractal(8.0),
        level=-12.0,
        seed=4,
    ),
    "desert canyon": Start(fractal(600.0, 0.0), terrace=150.0, tread=0.45),
    "desert range": Start(seed=11),
    "dune sea": Start((), bumps(50.0, 5.0) + fractal(30.0)),
    "flood plain": Start((("plane", {"slope": 0.01, "direction": 0.0}),), fractal(10.0, 0.3)),
    "linear dunes": Start((), bumps(12.0, 8.0) + fractal(12.0)),
    "light rills": Start(ridged(600.0, 2.0)),
    "mesas": Start(fractal(420.0), seed=5),
    "mountain range": Start(fractal(850.0, 0.2), seed=3),
    "oasis": Start(fractal(20.0), bumps(60.0, 6.0), level=10.0),
    "old hills": Start(fractal(700.0, 0.1), seed=6),
    "passing showers": Start(fractal(500.0, 0.1), seed=9),
    "river valley": Start(fractal(500.0, 0.1)),
    "scree slopes": Start(fractal(700.0, 0.05), terrace=200.0, seed=8),
    "soft downs": Start(fractal(350.0, 0.1)),
    "star dunes": Start((), bumps(20.0, 8.0) + fractal(4.0)),
    "stepped canyon": Start(fractal(600.0, 0.0), seed=5),
    "yardangs": Start(fractal(60.0)),
}
"""For the recipes that want something else than mountains of 900 m."""


def terrain_for(recipe: str, every: int = 1, side: int = SIDE, **changed: Any) -> Terrain:
    """Start terrain of a recipe. side: width in cells, each `every`-th kept. changed: fields of its
    `Start`.
    """
    start = replace(STARTS.get(recipe, Start()), **changed)
    cell_size = start.width / side

    def total(parts: Parts, seed: int) -> np.ndarray:
        terrains = (
            make(kind, side, side, cell_size, seed + at, values)
            for at, (kind, values) in enumerate(parts)
        )
        return sum((terrain.elevation for terrain in terrains), np.zeros((side, side)))[
            ::every, ::every
        ]

    sand = np.maximum(total(start.sand, start.seed + len(start.rock)) - start.level, 0.0)
    rock = total(start.rock, start.seed)
    if start.terrace > 0:
        steps, part = np.divmod(rock / start.terrace, 1.0)
        riser = (1.0 - start.tread) * np.clip(5.0 * part - 4.0, 0.0, 1.0)
        rock = (steps + start.tread * part + riser) * start.terrace
    return Terrain(rock + sand, cell_size * every, {"sediment": sand})
