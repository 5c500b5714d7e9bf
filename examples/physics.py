# SPDX-License-Identifier: GPL-3.0-or-later
"""Known answers and the results of the processes: one sheet of six plots, with figures.

Flow directions on tilted planes, even wear of a cone, a lake that comes to rest, round heaps of
sand, speed of dunes by their height, and worn rock by cell size. Writes build/examples/physics.png.
Needs matplotlib.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from erosion_addon import Recipe, Terrain, erode  # noqa: E402

mpl.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

OUT = ROOT / "build" / "examples"
RIVERS, SANDS = 1920.0, 320.0
"""Sides of the land (m) on which worn rock is compared."""

COLORS = ("#1f5f8b", "#d98324", "#4d7c3a")


def after(
    kind: str, terrain: Terrain, edges: str = "open", seed: int = 1, **parameters: Any
) -> Terrain:
    """A terrain after one step."""
    recipe = Recipe.from_dict({"name": kind, "step": [{"kind": kind, **parameters}]})
    return erode(terrain, recipe, seed=seed, edges=edges)


def distances(side: int, cell: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Distance from the middle (m) and azimuth (degrees) of (side, side) cells."""
    y, x = (np.mgrid[:side, :side] - side // 2) * np.reshape(cell, (2, 1, 1))
    return np.hypot(x, y), np.degrees(np.arctan2(y, x))


def by_azimuth(
    values: np.ndarray, azimuth: np.ndarray, step: float = 7.5
) -> tuple[np.ndarray, np.ndarray]:
    """Azimuths from 0 to 90°, and the mean of the values around each, in all four quarters."""
    ways = np.arange(0.0, 90.0, step)
    off = np.abs((azimuth[None] - ways[:, None] + 45) % 90 - 45)
    return ways, np.array([values[near < step / 2].mean() for near in off])


def cone(axes: plt.Axes) -> str:
    """Rock that rain wears on a cone of 26°."""
    side = 97
    cell = 10.0
    radius, azimuth = distances(side, (cell, cell))
    height = (radius.max() - radius) * np.tan(np.radians(26))
    result = after("water", Terrain(height, cell), duration=0.3)
    worn = height - (result.elevation - result["soil"] - result["sediment"])
    ring = (radius > 200) & (radius < 400)
    ways, means = by_azimuth(worn[ring], azimuth[ring])
    shares = means / worn[ring].mean()
    axes.axhspan(0.9, 1.1, color="0.92")
    axes.plot(ways, shares, "o-", color=COLORS[0])
    axes.set(
        ylim=(0, 2),
        xlabel="azimuth (°)",
        ylabel="wear / mean",
        title="Rain on a cone of 26°: wear of rock",
    )
    return f"{shares.min():.2f} to {shares.max():.2f} of the mean"


def planes(axes: plt.Axes) -> str:
    """Deviation of flow from the steepest descent, on planes of any azimuth."""
    side = 32
    ways = np.arange(0.0, 46.0, 5.0)
    furthest = 0.0
    y, x = np.mgrid[:side, :side] * 10.0
    for slope, color in zip((0.01, 0.1, 1.0), COLORS, strict=True):
        off = []
        for way in np.radians(ways):
            plane = Terrain(1000.0 - slope * (x * np.cos(way) + y * np.sin(way)), 10.0)
            flow = after("water", plane, duration=0.05)["velocity"][8:-8, 8:-8].mean(axis=(0, 1))
            off.append(np.degrees(np.arctan2(flow[1], flow[0]) - way))
        axes.plot(ways, off, "o-", color=color, label=f"slope {slope:g}")
        furthest = max(furthest, float(np.abs(off).max()))
    axes.axhspan(-2, 2, color="0.92", zorder=0)
    axes.set(
        ylim=(-10, 10),
        xlabel="azimuth (°)",
        ylabel="off downhill (°)",
        title="Water on tilted planes",
    )
    axes.legend(frameon=False)
    return f"at most {furthest:.2f}° off"


def lake(axes: plt.Axes) -> str:
    """Highest speed by time after a ripple of 10 cm on a lake over a rough floor with soil."""
    side = 48
    cell = 10.0
    rng = np.random.default_rng(5)
    waves = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.fftfreq(side))
    waves[0, 0] = np.inf
    floor = np.fft.ifft2(np.fft.fft2(rng.standard_normal((side, side))) / waves**2).real
    floor = (floor - floor.min()) / np.ptp(floor) * 60.0
    depth = np.maximum(np.percentile(floor, 70) - floor, 0.0)
    y, x = np.mgrid[:side, :side]
    depth += np.where(depth > 1.0, 0.1 * np.sin(x / 3.0) * np.cos(y / 4.0), 0.0)
    layers = {"sediment": np.full_like(floor, 2.0), "water_depth": depth.astype(np.float32)}
    land = Terrain(floor, cell, layers)
    wet = depth > 0.5
    speeds = []
    times = np.arange(1, 9) / 6
    for _ in times:
        land = after("water", land, "closed", rain=0.0, evaporation=0.0, duration=1 / 6)
        speeds.append(float(np.linalg.norm(land["velocity"], axis=-1)[wet].max()))
    level = (land.elevation + land["water_depth"] + land["suspended"])[wet]
    axes.semilogy(times * 60, np.array(speeds) * 1000, "o-", color=COLORS[0])
    axes.set(
        ylim=(0.1, 100),
        xlabel="minutes",
        ylabel="fastest water (mm/s)",
        title="A ripple of 10 cm on a lake",
    )
    return f"in the end {speeds[-1] * 1000:.2g} mm/s, level within {np.ptp(level) * 1000:.1g} mm"


def heaps(axes: plt.Axes) -> str:
    """Radius of collapsed columns of sand by azimuth, on cells of three shapes."""
    side = 81
    uneven = 0.0
    for cell, color in zip(((10.0, 10.0), (20.0, 10.0), (30.0, 10.0)), COLORS, strict=True):
        distance, azimuth = distances(side, cell)
        sand = np.where(distance <= 60.0, 250.0, 0.0)
        heap = after("talus", Terrain(sand, cell, {"sediment": sand}), "closed", reach=4000.0)[
            "sediment"
        ]
        # Where the flank is at a third of the height, from the slope that it has there: finer than
        # a cell.
        third = heap.max() / 3
        near = (heap > 0.5 * third) & (heap < 1.5 * third)
        radius = distance[near] + (heap[near] - third) / np.tan(np.radians(34))
        ways, means = by_azimuth(radius, azimuth[near], 15.0)
        axes.plot(
            ways, means / means.mean(), "o-", color=color, label=f"{cell[0]:.0f} × {cell[1]:.0f} m"
        )
        uneven = max(uneven, float(np.abs(means / means.mean() - 1).max()))
    axes.axhspan(0.98, 1.02, color="0.92", zorder=0)
    axes.set(
        ylim=(0.9, 1.1),
        xlabel="azimuth (°)",
        ylabel="radius / mean",
        title="Heaps of sand by the shape of cells",
    )
    axes.legend(frameon=False)
    return f"round within {100 * uneven:.1f} %"


def dune_speed(height: float, cols: int, cell: float = 5.0) -> tuple[float, float]:
    """Height (m) and speed (m/year) of a ridge of sand on rock once it has its own shape."""
    along = (np.arange(cols) - cols / 4) * cell
    profile = np.maximum(
        1.05 * height * np.exp(-((along / (4 * height)) ** 2)) - 0.05 * height, 0.0
    )
    sand = np.tile(profile, (24, 1))
    years = height**2 / 40
    turn = np.exp(2j * np.pi * np.arange(cols) / cols)
    places = []
    tops = []
    for seed in (1, 2, 3):
        dune = Terrain(sand, cell, {"sediment": sand})
        sand = after("dunes", dune, "wrap", seed, years=years, gustiness=0.0, hop_length=10.0)[
            "sediment"
        ]
        places.append((sand.mean(axis=0) * turn).sum())
        tops.append(sand.mean(axis=0).max())
    way = np.angle(places[2] / places[0]) / (2 * np.pi) * cols * cell
    return float(np.mean(tops[1:])), float(way / (2 * years))


def dunes(axes: plt.Axes) -> str:
    """Speed of ridges in the dunes step by their height, on a short and a long terrain."""
    products = []
    for cols, color in zip((128, 256), COLORS, strict=False):
        heights, speeds = np.transpose(
            [dune_speed(height, cols) for height in (8.0, 10.0, 13.0, 16.0)]
        )
        axes.loglog(
            heights,
            speeds,
            "o-" if cols == 128 else "s--",
            color=color,
            label=f"terrain of {cols * 5} m",
        )
        products += list(heights * speeds)
    fitting = np.array([8.0, 18.0])
    axes.loglog(
        fitting, np.mean(products) / fitting, color="0.7", zorder=0, label="speed ~ 1 / height"
    )
    axes.set_xticks([8, 10, 13, 17], ["8", "10", "13", "17"])
    axes.set_yticks([6, 8, 10, 12], ["6", "8", "10", "12"])
    axes.minorticks_off()
    axes.set(xlabel="height (m)", ylabel="speed (m/year)", title="Dunes: the low ones run")
    axes.legend(frameon=False)
    return f"speed × height {min(products):.0f} to {max(products):.0f} m²/year"


def waves(side: int, relief: float) -> np.ndarray:
    """The same hills (side, side) on any number of cells, fitting at opposite edges."""
    y, x = (np.mgrid[:side, :side] + 0.5) * (2 * np.pi / side)
    hills = (
        np.sin(x) * np.cos(y)
        + 0.5 * np.sin(2 * x + y + 1)
        + 0.3 * np.cos(3 * y - 2 * x)
        + 0.2 * np.sin(5 * x)
    )
    return hills / np.ptp(hills) * relief


def resolution(axes: plt.Axes) -> str:
    """Rock worn by water and wind on the same terrain, by cell size."""
    lines = []
    cases: tuple[tuple[str, Callable[[int], float], tuple[int, ...], float], ...] = (
        ("water", _worn_by_water, (48, 96, 192), RIVERS),
        ("particles", lambda side: _worn_by_wind(side, "particles"), (32, 64, 128), SANDS),
        (
            "boundary layer",
            lambda side: _worn_by_wind(side, "boundary layer"),
            (32, 64, 128),
            SANDS,
        ),
    )
    for (name, worn, sides, length), color in zip(cases, COLORS, strict=True):
        result = np.array([worn(side) for side in sides])
        axes.semilogx(length / np.array(sides), result / result[-1], "o-", color=color, label=name)
        lines.append(f"{name} {result[0] / result[-1]:.2f}, {result[1] / result[-1]:.2f}")
    axes.set_xticks([2.5, 5, 10, 20, 40], ["2.5", "5", "10", "20", "40"])
    axes.minorticks_off()
    axes.set(
        ylim=(0, 2),
        xlabel="cells (m)",
        ylabel="rock worn / on finest",
        title="Rock worn by the size of cells",
    )
    axes.legend(frameon=False, loc="lower left")
    return "\n".join(lines)


def _worn_by_water(side: int) -> float:
    """Mean depth (m) of rock that two hours of rain wear."""
    before = waves(side, 200.0)
    result = after("water", Terrain(before, RIVERS / side), duration=2.0)
    return float((before - (result.elevation - result["soil"] - result["sediment"])).mean())


def _worn_by_wind(side: int, flight: str) -> float:
    """Volume (m³) of rock worn by the sand that a wind brings over bare hills."""
    before = waves(side, 20.0)
    settings = {
        "direction": 0.0,
        "particles_per_cell": 0.3,
        "pace": 200.0,
        "abrasion": 0.01,
        "supply": 2.0,
    }
    result = after("wind", Terrain(before, SANDS / side), flight=flight, **settings)
    return float(result.report["steps"][0]["abraded"])


def main() -> None:
    """Draw the sheet."""
    OUT.mkdir(parents=True, exist_ok=True)
    figure, places = plt.subplots(2, 3, figsize=(15, 9), layout="constrained")
    for place, draw in zip(
        places.flat, (planes, cone, lake, heaps, dunes, resolution), strict=True
    ):
        start = time.perf_counter()
        figures = draw(place)
        place.text(0.03, 0.95, figures, transform=place.transAxes, va="top", weight="bold")
        place.spines[["top", "right"]].set_visible(False)
        print(f"{place.get_title()}: {figures} ({time.perf_counter() - start:.0f} s)", flush=True)
    figure.savefig(OUT / "physics.png", dpi=90)
    print(OUT / "physics.png")


if __name__ == "__main__":
    main()
