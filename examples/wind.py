# SPDX-License-Identifier: GPL-3.0-or-later
"""Sand under the wind: the demonstrations and the parameter study of McDonald's article, as
pictures.

They are written to build/examples/. Each picture shows the terrain before and after in shaded
relief, sand colored, rock gray. Needs matplotlib.
"""

import sys
import time
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from erosion_addon import Recipe, Step, Terrain, erode  # noqa: E402
from erosion_addon.generators.registry import make  # noqa: E402
from erosion_addon.processes.wind.parameters import WindParameters  # noqa: E402

mpl.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

PICTURES = ROOT / "build" / "examples"
SIDE = 192
CELL_SIZE = 10.0
SAND = np.array([0.96, 0.78, 0.55])
ROCK = np.array([0.55, 0.52, 0.50])

CRESTS = {"suspension": 0.0003, "wind_speed": 0.5}
"""A gentler wind that lifts more: small dunes grow in it, instead of being carried off."""

BARCHANS = {
    "flight": "boundary layer",
    "direction": 0.0,
    "repose_angle": 30.0,
    "creep": 0.0002,
    "boundary_layer": 3.0,
    "particles_per_cell": 1.5,
}
"""Air that can hold only so much sand moves low flanks faster than the middle of a dune: they
become horns.
"""

ARTICLE = {
    "direction": 45.0,
    "gustiness": 0.0,
    "fallout": 0.0001,
    "shelter": 0.0,
    "creep": 0.0,
    "pace": 1.0,
}
"""The article's own constants where ours are others: sand stays in the air for thousands of steps,
no shadow but that of the slope, and each particle counts once, so that a dune takes a hundred times
as many of them.
"""

SHEET = Path(__file__).resolve().parent / "wind sheet"
"""The article's sheet of parameters: a recipe for each row, with the article's seed."""


def noise(relief: float, seed: int, steepness: float = 2.0, side: int = SIDE) -> np.ndarray:
    """Perlin-like heights from 0 to `relief` that fit at opposite edges: noise whose spectrum falls
    with frequency.
    """
    spectrum = np.fft.fft2(np.random.default_rng(seed).standard_normal((side, side)))
    frequency = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.fftfreq(side))
    frequency[0, 0] = np.inf
    heights = np.fft.ifft2(spectrum / frequency**steepness).real
    return (heights - heights.min()) / np.ptp(heights) * relief


def pyramid(sand: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rock of a pyramid buried in sand; elevation and thickness of the sand."""
    row, col = np.mgrid[0 : len(sand), 0 : len(sand)] - len(sand) / 2
    rock = np.maximum(80.0 - 1.6 * (np.abs(row) + np.abs(col)), 0.0)
    return np.maximum(rock, sand), np.maximum(sand - rock, 0.0)


def heaps(count: int = 9, seed: int = 4) -> np.ndarray:
    """Round heaps of sand on bare rock, 17 to 30 m high, that fit at opposite edges."""
    rng = np.random.default_rng(seed)
    sand = np.zeros((SIDE, SIDE))
    row, col = np.mgrid[0:SIDE, 0:SIDE]
    for at_row, at_col, width in zip(
        *rng.uniform(0, SIDE, (2, count)), rng.uniform(8, 14, count), strict=True
    ):
        distances = [
            (axis - at + SIDE / 2) % SIDE - SIDE / 2 for axis, at in ((row, at_row), (col, at_col))
        ]
        sand = np.maximum(sand, 2.2 * width * np.exp(-(np.hypot(*distances) ** 2) / width**2) - 1.0)
    return sand


def blow(
    elevation: np.ndarray, sand: np.ndarray, edges: str = "wrap", **parameters: Any
) -> Terrain:
    """Let the wind blow over sand on rock."""
    recipe = Recipe("wind", (Step("wind", WindParameters(**parameters)),))
    return erode(Terrain(elevation, CELL_SIZE, {"sediment": sand}), recipe, edges=edges)


def shaded(
    elevation: np.ndarray, sand: np.ndarray, sun: float = 300.0, height: float = 35.0
) -> np.ndarray:
    """Colors (rows, cols, 3) of the land under a low sun; sun: direction it stands in, clockwise
    from north.
    """
    rise, run = np.gradient(elevation, CELL_SIZE)
    azimuth = np.radians(sun)
    altitude = np.radians(height)
    light = np.sin(altitude) - (run * np.sin(azimuth) + rise * np.cos(azimuth)) * np.cos(altitude)
    light = np.clip(light / np.sqrt(rise**2 + run**2 + 1), 0, 1)
    cover = np.clip(sand / 0.5, 0, 1)[..., None]
    return (0.1 + 0.9 * light[..., None]) * (cover * SAND + (1 - cover) * ROCK) * 1.25


def save(name: str, pictures: dict[str, tuple[np.ndarray, np.ndarray]], columns: int = 2) -> None:
    """Draw titled (elevation, sand) side by side into one file."""
    rows = -(-len(pictures) // columns)
    shapes = [elevation.shape for elevation, _ in pictures.values()]
    height = 4.0 * max(down / across for down, across in shapes) + 0.3
    size = 4 * columns, height * rows
    figure, places = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for place in places.flat:
        place.axis("off")
    for place, (title, (elevation, sand)) in zip(places.flat, pictures.items(), strict=False):
        place.imshow(np.clip(shaded(elevation, sand), 0, 1), origin="lower")
        place.set_title(title)
    figure.savefig(PICTURES / f"{name}.png", dpi=80)
    plt.close(figure)


def demonstrate(name: str, elevation: np.ndarray, sand: np.ndarray, **parameters: Any) -> None:
    """One scene before and after."""
    begin = time.perf_counter()
    after = blow(elevation, sand, **parameters)
    save(f"wind {name}", {"before": (elevation, sand), name: (after.elevation, after["sediment"])})
    mass = after.report["mass"]
    balance = abs(mass["error"]) / max(mass["moved"], 1e-300)
    print(
        f"{name}: {time.perf_counter() - begin:.0f} s, mass off by {balance:.1e} of what moved",
        flush=True,
    )


def merging() -> None:
    """A low dune catches up with a high one and runs into it; they merge, and new dunes leave from
    the horns. A picture after each quarter of the time.
    """
    row, col = np.mgrid[0 : SIDE // 2, 0:SIDE]
    sand = np.zeros(row.shape)
    for at_col, height in ((45, 14.0), (80, 26.0)):
        way = np.hypot(row - SIDE / 4, col - at_col)
        sand = np.maximum(sand, height * np.exp(-((way / (height / 2)) ** 2)) - 0.5)
    pictures = {"start": (sand, sand)}
    dune = sand
    for part in range(1, 5):
        after = blow(dune, dune, **BARCHANS)
        dune = after["sediment"]
        pictures[f"{part} / 4"] = (dune, dune)
        print(f"merging {part} / 4: crests at {_crests(dune)} m", flush=True)
    save("wind merging dunes", pictures, columns=1)


def _crests(dune: np.ndarray) -> list[int]:
    """Positions along the wind of crests higher than 5 m, in meters."""
    profile = dune.max(axis=0)
    tops = (profile > np.roll(profile, 1)) & (profile >= np.roll(profile, -1)) & (profile > 5.0)
    return [int(place * CELL_SIZE) for place in np.flatnonzero(tops)]


def study() -> None:
    """The article's sheet of parameters, each row from the same start for the same time."""
    recipes = {path.stem: Recipe.load(str(path)) for path in sorted(SHEET.glob("*.toml"))}
    side = SIDE * 2 // 3
    start = make(
        "fractal", side, side, CELL_SIZE, recipes["base"].seed, {"relief": 300.0}
    ).elevation
    sand = np.full(start.shape, recipes["base"].needs.sediment)
    pictures = {"start": (start, sand)}
    for title, recipe in recipes.items():
        after = erode(Terrain(start, CELL_SIZE, {"sediment": sand}), recipe)
        pictures[title] = after.elevation, after["sediment"]
        lifted, slid = (after.report["steps"][0][name] / 1e6 for name in ("lifted", "slid"))
        relief = np.ptp(after.elevation)
        print(
            f"{title}: {lifted:.2f} million m³ lifted, {slid:.2f} slid, relief {relief:.0f} m",
            flush=True,
        )
    save("wind parameters", pictures, columns=4)


def main() -> None:
    """Make all pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    rolling = noise(40.0, 3)
    round_heaps = heaps()
    steep = noise(250.0, 7, 2.6)
    heap = np.maximum(noise(160.0, 11, 3.5) - 80.0, 0.0)
    buried = pyramid(noise(40.0, 3))
    demonstrate("sharp crests", rolling, rolling + 20.0, **CRESTS, particles_per_cell=0.6)
    demonstrate("barchans", round_heaps, round_heaps, **BARCHANS)
    demonstrate(
        "transverse dunes",
        rolling,
        rolling + 20.0,
        **{**BARCHANS, "creep": 0.0006, "exchange": 0.03, "windward_lift": 80.0},
    )
    demonstrate("smooth lee slopes", steep, steep + 20.0)
    demonstrate("one large dune", heap, heap, direction=0.0, particles_per_cell=0.3)
    demonstrate("pyramid", *buried, direction=0.0, suspension=0.0003)
    demonstrate("abrasion", *buried, direction=0.0, suspension=0.0003, abrasion=1.0)
    demonstrate(
        "article's constants",
        rolling,
        rolling + 20.0,
        edges="open",
        **ARTICLE,
        particles_per_cell=4.0,
    )
    merging()
    demonstrate(
        "star dunes",
        rolling,
        rolling + 20.0,
        **CRESTS,
        particles_per_cell=0.6,
        wind_rose=[[0.0, 1.0], [120.0, 1.0], [240.0, 1.0]],
    )
    for direction in (0.0, 45.0, 135.0, 270.0):
        demonstrate(
            f"wind to {direction:.0f}°",
            rolling,
            rolling + 20.0,
            direction=direction,
            particles_per_cell=0.5,
        )
    study()


if __name__ == "__main__":
    main()
