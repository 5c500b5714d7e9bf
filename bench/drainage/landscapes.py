# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes on any land, by figures: the statistics of drainage and slopes after each, as rows of a table.

    python -m bench.drainage.landscapes [RECIPE ...] [--side 512] [--heights FILE.npy --cell-size METERS]

The land is the start terrain *fractal* of 4 km and 1000 m, the same at every number of cells; or a file of heights.
Without names, all recipes that begin with rivers. `python -m erosion_addon analyze` has more figures of one land.
"""

import argparse
from pathlib import Path

import numpy as np

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.base.data_files import shipped
from erosion_addon.drainage.statistics import statistics
from erosion_addon.generators.registry import make

WIDTH, RELIEF = 4000.0, 1000.0
"""Of the fractal land, m."""

HEAD = "| {:15} | drains freely | pits | concavity (R²) | slope p90, p99 | under 3° | needles | along the grid |"


def row(name: str, land: Terrain) -> str:
    """A line of the table: figures of a land."""
    found = statistics(land.elevation, land.spacing)
    concavity = "" if found["concavity"] is None else f"{found['concavity']:.2f} ({found['concavity_r2']:.2f})"
    along = "" if found["channels_along_grid"] is None else f"{found['channels_along_grid']:+.0%}"
    return (
        f"| {name:15} | {found['free_drainage']:.0%} | {found['pits']:.1%} | {concavity} | {found['slope_p90']:.0f}°, "
        f"{found['slope_p99']:.0f}° | {found['flat']:.1%} | {found['needles']:.0f} | {along} |"
    )


def begins_with_rivers(recipe: str) -> bool:
    """Whether its first step is uplift, with or without a rise."""
    return Recipe.load(recipe).steps[0].kind == "uplift"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("recipes", nargs="*", metavar="RECIPE")
    parser.add_argument("--side", type=int, default=512, help="cells of the fractal land along a side")
    parser.add_argument("--heights", type=Path, help="heights in meters, .npy, instead of the fractal land")
    parser.add_argument("--cell-size", type=float, default=30.0, help="of the file, m")
    given = parser.parse_args()
    if given.heights:
        land = Terrain(np.load(given.heights).astype(np.float64), given.cell_size)
    else:
        land = make("fractal", given.side, given.side, WIDTH / given.side, values={"relief": RELIEF})
    print(HEAD.format("land"), "| --- " * 8 + "|", row("untouched", land), sep="\n", flush=True)
    for recipe in given.recipes or [name for name in sorted(shipped()) if begins_with_rivers(name)]:
        print(row(recipe, erode(land, Recipe.load(recipe))), flush=True)


if __name__ == "__main__":
    main()
