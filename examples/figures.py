# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of `analyze` after recipes, as the tables of the manual have them, a line for each recipe and land.

Lands: the recipe's own start terrain, a fractal 4 km wide, and elevation models that are given, as
`python examples/figures.py alpine canyon --cells 512 --model bigtujunga.npy 30`. Without a recipe: the land untouched,
and all recipes that begin with rivers.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from recipes import ROOT, terrain_for

sys.path.insert(0, str(ROOT))

from erosion_addon.base.data_files import shipped
from erosion_addon.drainage.statistics import statistics
from erosion_addon.generators.registry import make
from erosion_addon.model import Recipe, Terrain, erode

WIDTH, RELIEF, ROUGHNESS = 4000.0, 850.0, 0.2
"""Of the fractal; the first two in meters."""

UNTOUCHED = "untouched"
"""In place of a recipe: none."""

HEAD = """| recipe | land | drains freely | pits | concavity (R²) | slope p90, p99 | under 3° | needles |
| --- | --- | --- | --- | --- | --- | --- | --- |"""


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
    )
    return f"| {' | '.join(cells)} |".replace("%", " %")


def main() -> None:
    """Print the table, each line as soon as it is known; how long it took goes to the error stream."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipes", nargs="*", help="names of shipped recipes")
    parser.add_argument("--cells", type=int, default=512, help="along a side of start terrain and fractal")
    parser.add_argument("--model", nargs=2, action="append", default=[], metavar=("FILE", "CELL_SIZE"))
    parser.add_argument("--only", default="", help="lands whose names begin so")
    given = parser.parse_args()
    begin = [name for name in sorted(shipped()) if Recipe.load(name).steps[0].kind == "uplift"]
    print(HEAD)
    for recipe in given.recipes or (UNTOUCHED, *begin):
        for land, terrain in lands(recipe, given.cells, given.model):
            if not land.startswith(given.only):
                continue
            began = time.perf_counter()
            after = terrain if recipe == UNTOUCHED else erode(terrain, Recipe.load(recipe))
            figures = statistics(after.elevation, terrain.spacing)
            print(line(recipe, land, figures), flush=True)
            print(f"{recipe}, {land}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
