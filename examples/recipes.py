# SPDX-License-Identifier: GPL-3.0-or-later
"""Every shipped recipe on a terrain that suits it, before and after, in shaded relief:
build/examples/recipes.png.

`python examples/recipes.py alpine canyon` makes the pictures of these alone. Each recipe's own
picture is beside the sheet. With `--plain` all run on the same plain fractal, 4 km wide:
build/examples/plain.png. `--keep` puts the sheet into docs/images too.
"""

import argparse
import sys
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_rgb

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from erosion_addon import Recipe, Terrain, erode  # noqa: E402
from erosion_addon.base.data_files import shipped  # noqa: E402
from erosion_addon.generators.registry import make  # noqa: E402
from erosion_addon.recipe.needs import with_loose_top  # noqa: E402
from examples.starts import SIDE, terrain_for  # noqa: E402

PICTURES = ROOT / "build" / "examples"
TARGET = ROOT / "docs" / "images"
PLAIN_SIDE = 256
PLAIN = {"relief": 850.0, "roughness": 0.2}
"""Of the fractal for all recipes."""


def relief(terrain: Terrain) -> np.ndarray:
    """Shaded relief (rows, cols, 3) seen from above, north on top, tinted by sand, soil, grass and
    water.
    """
    names = ("elevation", "sediment", "soil", "grass", "water_depth")
    fields = {name: terrain[name][::-1] for name in names if name in terrain}
    south, east = np.gradient(fields["elevation"], *terrain.spacing)
    # The sun is in the north-west, 50° high.
    shade = np.clip((0.77 + 0.45 * (east + south)) / np.sqrt(1 + east**2 + south**2), 0, 1)
    color = np.ones((*terrain.shape, 3)) * to_rgb("#b3aca3")
    for name, tint, full in (
        ("sediment", "#dfc48a", 1.0),
        ("soil", "#a8845a", 1.0),
        ("grass", "#6f9450", 0.8),
    ):
        if name in fields:
            share = np.clip(fields[name] / full, 0, 1)[..., None] * 0.8
            color = color * (1 - share) + np.array(to_rgb(tint)) * share
    lit = color * (0.15 + 1.1 * shade[..., None])
    if "water_depth" in fields:
        share = np.clip(fields["water_depth"] / 0.5, 0, 1)[..., None] * 0.85
        lit = lit * (1 - share) + np.array(to_rgb("#3d6f93")) * share
    return np.clip(lit, 0, 1)


def plain_terrain(recipe: str, side: int = PLAIN_SIDE) -> Terrain:
    """The fractal for all recipes, `side` cells wide, its top meters sand where the recipe needs
    that.
    """
    land = make("fractal", side, side, 4000.0 / side, 3, PLAIN)
    return with_loose_top(land, Recipe.load(recipe).needs.sediment)


def eroded(name: str, before: Terrain) -> Terrain:
    """Terrain after the recipe; prints a line about it."""
    start = time.perf_counter()
    after = erode(before, Recipe.load(name))
    assert after.report is not None
    mass = after.report["mass"]
    steps = " → ".join(step["kind"] for step in after.report["steps"])
    balanced = abs(mass["error"]) <= 1e-9 * mass["moved"]
    seconds = time.perf_counter() - start
    verdict = "balanced" if balanced else f"LOST {mass['error']:.3g} m³"
    print(
        f"{name}: {steps}; {seconds:.1f} s, {mass['moved']:.3g} m³ moved, mass {verdict}",
        flush=True,
    )
    return after


def main() -> None:
    """Make the pictures of these recipes, and the sheet of them all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recipes", nargs="*", help="names of shipped recipes")
    parser.add_argument("--plain", action="store_true", help="all on one fractal")
    parser.add_argument(
        "--keep", action="store_true", help="put the sheet into the manual's pictures"
    )
    arguments = parser.parse_args()
    names = arguments.recipes or sorted(shipped())
    plain = arguments.plain
    PICTURES.mkdir(parents=True, exist_ok=True)
    pairs = {name: [plain_terrain(name) if plain else terrain_for(name)] for name in names}
    for name, lands in pairs.items():
        lands.append(eroded(name, lands[0]))
        plt.imsave(PICTURES / f"{name}{' on a fractal' if plain else ''}.png", relief(lands[1]))
    across = 6 if plain else 4
    if plain:
        pairs = {"untouched": [plain_terrain("arcane")] * 2, **pairs}
    rows = -(-len(pairs) // across)
    figure, axes = plt.subplots(
        rows, across, figsize=(26, (4.6 if plain else 3.5) * rows), squeeze=False
    )
    for axis in axes.flat:
        axis.set_axis_off()
    for (name, (before, after)), axis in zip(pairs.items(), axes.flat, strict=False):
        gap = np.ones((SIDE, SIDE // 48, 3))
        axis.imshow(relief(after) if plain else np.hstack((relief(before), gap, relief(after))))
        axis.set_title(name, loc="left")
    figure.tight_layout()
    sheet = "plain" if plain else "recipes"
    figure.savefig(PICTURES / f"{sheet}.png", dpi=60)
    print(PICTURES / f"{sheet}.png")
    if arguments.keep:
        figure.savefig(
            TARGET / f"{sheet}.jpg", dpi=60, pil_kwargs={"quality": 72, "optimize": True}
        )


if __name__ == "__main__":
    main()
