# SPDX-License-Identifier: GPL-3.0-or-later
"""Every shipped recipe on a terrain that suits it, before and after, in shaded relief: build/examples/recipes.png.

`python examples/recipes.py alpine canyon` makes the pictures of these alone. Each recipe's own picture is beside the
sheet. With `--plain` all run on the same plain fractal, 4 km wide:
build/examples/plain.png. `--keep` puts the sheet into docs/images too.
"""

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from erosion_addon.base.data_files import shipped  # noqa: E402
from erosion_addon.generators.registry import make  # noqa: E402
from erosion_addon.model import Recipe, Terrain, erode  # noqa: E402
from erosion_addon.recipe.needs import with_loose_top  # noqa: E402

PICTURES = ROOT / "build" / "examples"
KEPT = ROOT / "docs" / "images"
SIDE, PLAIN_SIDE = 384, 256
PLAIN = {"relief": 850.0, "roughness": 0.2}
"""Of the fractal for all recipes."""
Parts = tuple[tuple[str, dict[str, Any]], ...]


@dataclass(frozen=True)
class Start:
    """A start terrain: sums of kinds and parameters of `make`, for the rock and for the sand on it.

    width: meters. level: meters that are cut off the sand from below, so that rock shows where it was thin.
    terrace: height of the steps that the rock is cut into, in meters; 0 for none.
    tread: slope of their treads, as a share of that of the rock.
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
        (("plane", {"slope": 0.02, "direction": 180.0}),), bumps(8.0, 10.0) + fractal(8.0), level=-12.0, seed=4
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
    "yardangs": Start(fractal(60.0)),
}
"""For the recipes that want something else than mountains of 900 m."""


def terrain_for(recipe: str, every: int = 1, side: int = SIDE) -> Terrain:
    """The start terrain of a recipe, `side` cells wide, or only one of so many."""
    start = STARTS.get(recipe, Start())
    cell_size = start.width / side

    def total(parts: Parts, seed: int) -> np.ndarray:
        made = (make(kind, side, side, cell_size, seed + at, values) for at, (kind, values) in enumerate(parts))
        return sum((terrain.elevation for terrain in made), np.zeros((side, side)))[::every, ::every]

    sand = np.maximum(total(start.sand, start.seed + len(start.rock)) - start.level, 0.0)
    rock = total(start.rock, start.seed)
    if start.terrace > 0:
        steps, part = np.divmod(rock / start.terrace, 1.0)
        riser = (1.0 - start.tread) * np.clip(5.0 * part - 4.0, 0.0, 1.0)
        rock = (steps + start.tread * part + riser) * start.terrace
    return Terrain(rock + sand, cell_size * every, {"sediment": sand})


def relief(terrain: Terrain) -> np.ndarray:
    """Shaded relief (rows, cols, 3) seen from above, north on top, tinted by sand, soil, grass and water."""
    names = ("elevation", "sediment", "soil", "grass", "water_depth")
    fields = {name: terrain[name][::-1] for name in names if name in terrain}
    south, east = np.gradient(fields["elevation"], *terrain.spacing)
    # The sun is in the north-west, 50° high.
    shade = np.clip((0.77 + 0.45 * (east + south)) / np.sqrt(1 + east**2 + south**2), 0, 1)
    color = np.ones((*terrain.shape, 3)) * to_rgb("#b3aca3")
    for name, tint, full in (("sediment", "#dfc48a", 1.0), ("soil", "#a8845a", 1.0), ("grass", "#6f9450", 0.8)):
        if name in fields:
            share = np.clip(fields[name] / full, 0, 1)[..., None] * 0.8
            color = color * (1 - share) + np.array(to_rgb(tint)) * share
    lit = color * (0.15 + 1.1 * shade[..., None])
    if "water_depth" in fields:
        share = np.clip(fields["water_depth"] / 0.5, 0, 1)[..., None] * 0.85
        lit = lit * (1 - share) + np.array(to_rgb("#3d6f93")) * share
    return np.clip(lit, 0, 1)


def plain_terrain(recipe: str, side: int = PLAIN_SIDE) -> Terrain:
    """The fractal for all recipes, `side` cells wide, its top meters sand where the recipe needs that."""
    land = make("fractal", side, side, 4000.0 / side, 3, PLAIN)
    return with_loose_top(land, Recipe.load(recipe).needs.sediment)


def eroded(name: str, before: Terrain) -> Terrain:
    """Terrain after the recipe; prints a line about it."""
    began = time.perf_counter()
    after = erode(before, Recipe.load(name))
    assert after.report is not None
    mass, steps = after.report["mass"], " → ".join(step["kind"] for step in after.report["steps"])
    balanced = abs(mass["error"]) <= 1e-9 * mass["moved"]
    seconds = time.perf_counter() - began
    verdict = "balanced" if balanced else f"LOST {mass['error']:.3g} m³"
    print(f"{name}: {steps}; {seconds:.1f} s, {mass['moved']:.3g} m³ moved, mass {verdict}", flush=True)
    return after


def main() -> None:
    """Make the pictures of these recipes, and the sheet of them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipes", nargs="*", help="names of shipped recipes")
    parser.add_argument("--plain", action="store_true", help="all on one fractal")
    parser.add_argument("--keep", action="store_true", help="put the sheet into the manual's pictures")
    given = parser.parse_args()
    names, plain = given.recipes or sorted(shipped()), given.plain
    PICTURES.mkdir(parents=True, exist_ok=True)
    made = {name: [plain_terrain(name) if plain else terrain_for(name)] for name in names}
    for name, lands in made.items():
        lands.append(eroded(name, lands[0]))
        plt.imsave(PICTURES / f"{name}{' on a fractal' if plain else ''}.png", relief(lands[1]))
    across = 6 if plain else 4
    if plain:
        made = {"untouched": [plain_terrain("arcane")] * 2, **made}
    rows = -(-len(made) // across)
    figure, axes = plt.subplots(rows, across, figsize=(26, (4.6 if plain else 3.5) * rows), squeeze=False)
    for axis in axes.flat:
        axis.set_axis_off()
    for (name, (before, after)), axis in zip(made.items(), axes.flat, strict=False):
        gap = np.ones((SIDE, SIDE // 48, 3))
        axis.imshow(relief(after) if plain else np.hstack((relief(before), gap, relief(after))))
        axis.set_title(name, loc="left")
    figure.tight_layout()
    sheet = "plain" if plain else "recipes"
    figure.savefig(PICTURES / f"{sheet}.png", dpi=60)
    print(PICTURES / f"{sheet}.png")
    if given.keep:
        figure.savefig(KEPT / f"{sheet}.jpg", dpi=60, pil_kwargs={"quality": 72, "optimize": True})


if __name__ == "__main__":
    main()
