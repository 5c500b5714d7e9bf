# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of `analyze` after recipes, as the tables of the manual have them, a line for each recipe
and land.

Lands: the recipe's own start terrain, a fractal 4 km wide, and elevation models that are given, as
`python examples/figures.py alpine canyon --cells 512 --model bigtujunga.npy 30`. Without a recipe:
the land untouched, and all recipes that begin with rivers. With `--turned`: slopes along the grid,
of each land as it lies, and of its middle turned by 0, 22.5, 45 and 67.5° before the recipe,
together. The land's own grain turns with it, a bias of the grid stays.
"""

import argparse
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from erosion_addon import Recipe, Terrain, erode  # noqa: E402
from erosion_addon.base.data_files import shipped  # noqa: E402
from erosion_addon.drainage.land import Land  # noqa: E402
from erosion_addon.drainage.land_statistics import favored, statistics  # noqa: E402
from erosion_addon.drainage.rivers import sample  # noqa: E402
from erosion_addon.generators.registry import make  # noqa: E402
from examples.starts import terrain_for  # noqa: E402

WIDTH, RELIEF, ROUGHNESS = 4000.0, 850.0, 0.2
"""Of the fractal; the first two in meters."""

UNTOUCHED = "untouched"
"""In place of a recipe: none."""

TURNS = (0.0, 22.5, 45.0, 67.5)
"""Degrees after which axes, diagonals and what lies between have changed places."""

TURNED_HEAD = """| recipe | land | as it lies | turned |
| --- | --- | --- | --- |"""

HEAD = (
    "| recipe | land | drains freely | pits | concavity (R²) | slope p90, p99 | under 3° | needles "
    "| along the grid: channels, slopes |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


def lands(recipe: str, cells: int, models: list[list[str]]) -> Iterator[tuple[str, Terrain]]:
    """Name and start terrain of each land."""
    if recipe != UNTOUCHED:
        yield "its own", terrain_for(recipe, side=cells)
    yield (
        f"fractal, {cells}²",
        make("fractal", cells, cells, WIDTH / cells, 3, {"relief": RELIEF, "roughness": ROUGHNESS}),
    )
    for path, cell_size in models:
        yield Path(path).stem, Terrain(np.load(path).astype(np.float64), float(cell_size))


def line(recipe: str, land: str, figures: dict[str, Any]) -> str:
    """A row of the table."""
    concavity = "–"
    if figures["concavity"] is not None:
        concavity = f"{figures['concavity']:.2f} ({figures['concavity_r2']:.2f})"
    cells = (
        recipe,
        land,
        f"{figures['free_drainage']:.0%}",
        f"{figures['pits']:.1%}",
        concavity,
        f"{figures['slope_p90']:.0f}°, {figures['slope_p99']:.0f}°",
        f"{figures['flat']:.1%}",
        f"{figures['needles']:.0f}",
        ", ".join(_excess(figures[f"{name}_along_grid"]) for name in ("channels", "slopes")),
    )
    return f"| {' | '.join(cells)} |".replace("%", " %")


def _excess(share: float | None) -> str:
    """Excess over no favored direction; a dash where too little land tells."""
    return "–" if share is None else f"{share:+.0%}"


def turned(terrain: Terrain, degrees: float) -> Terrain:
    """The middle of a terrain with square cells, turned; of its side, 0.7, so that nothing lies
    beyond.
    """
    side = int(min(terrain.elevation.shape) / math.sqrt(2.0)) - 1
    at = np.arange(side) - 0.5 * (side - 1)
    up, right = np.meshgrid(at, at, indexing="ij")
    sine = math.sin(math.radians(degrees))
    cosine = math.cos(math.radians(degrees))
    middle = [0.5 * (count - 1) for count in terrain.elevation.shape]
    row = middle[0] + cosine * up + sine * right
    col = middle[1] + cosine * right - sine * up
    layers = {
        name: sample(np.asarray(layer, np.float64), row, col)
        for name, layer in terrain.fields.items()
    }
    return Terrain(sample(terrain.elevation, row, col), terrain.spacing[0], layers)


def along_grid(terrain: Terrain, recipe: str) -> tuple[float | None, float | None]:
    """Excess of slopes along the grid's axes or diagonals: of a land as it lies, and of all its
    turns together.
    """

    def aspects(start: Terrain) -> np.ndarray:
        after = start if recipe == UNTOUCHED else erode(start, Recipe.load(recipe))
        return Land(after.elevation, start.spacing).averaged.surface[2]

    return favored(aspects(terrain)), favored(
        sum(aspects(turned(terrain, degrees)) for degrees in TURNS)
    )


def main() -> None:
    """Print the table, each line as soon as it is known; how long it took goes to the error
    stream.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recipes", nargs="*", help="names of shipped recipes")
    parser.add_argument(
        "--cells", type=int, default=512, help="along a side of start terrain and fractal"
    )
    parser.add_argument(
        "--model", nargs=2, action="append", default=[], metavar=("FILE", "CELL_SIZE")
    )
    parser.add_argument(
        "--turned", action="store_true", help="slopes along the grid, of land that is turned"
    )
    parser.add_argument("--only", default="", help="lands whose names begin so")
    arguments = parser.parse_args()
    begin = [name for name in sorted(shipped()) if Recipe.load(name).steps[0].kind == "uplift"]
    print(TURNED_HEAD if arguments.turned else HEAD)
    for recipe in arguments.recipes or (UNTOUCHED, *begin):
        for land, terrain in lands(recipe, arguments.cells, arguments.model):
            if not land.startswith(arguments.only):
                continue
            clock = time.perf_counter()
            if arguments.turned:
                lies, turns = (
                    f"{100.0 * (excess or 0.0):+.0f} %" for excess in along_grid(terrain, recipe)
                )
                print(f"| {recipe} | {land} | {lies} | {turns} |", flush=True)
                continue
            after = terrain if recipe == UNTOUCHED else erode(terrain, Recipe.load(recipe))
            figures = statistics(after.elevation, terrain.spacing)
            print(line(recipe, land, figures), flush=True)
            print(
                f"{recipe}, {land}: {time.perf_counter() - clock:.0f} s",
                file=sys.stderr,
                flush=True,
            )


if __name__ == "__main__":
    main()
