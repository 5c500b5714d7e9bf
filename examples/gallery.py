# SPDX-License-Identifier: GPL-3.0-or-later
"""Each recipe's beauty picture, as an artist gets it: erode, finish the look, render.
build/examples/gallery/NAME.png

`python examples/gallery.py alpine canyon` makes these alone; `--cells 1024 --width 1600` makes them
finer and larger, `--view` from elsewhere, and `--before` of the land before erosion too: NAME
before.png. `--keep` renews the preset previews in presets/previews, the manual's sheet
docs/images/gallery.jpg and its large pictures from the pictures that are there, without rendering
any; other recipes keep theirs.
"""

import argparse
import itertools
import os
import sys
import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from PIL import Image, ImageDraw, ImageFont, ImageOps

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import erosion_addon  # noqa: E402
from erosion_addon import Terrain  # noqa: E402
from erosion_addon.base.data_files import shipped  # noqa: E402
from erosion_addon.files.render_settings import VIEWS, Picture  # noqa: E402
from erosion_addon.grid.resample import resized  # noqa: E402
from erosion_addon.scene.stage import render  # noqa: E402
from erosion_addon.scene.terrain import grid  # noqa: E402
from erosion_addon.scene.terrain.attributes import new_attribute  # noqa: E402
from erosion_addon.scene.terrain.mesh import make_grid_object  # noqa: E402
from examples.starts import terrain_for  # noqa: E402

PICTURES = ROOT / "build" / "examples" / "gallery"
PREVIEWS = ROOT / "presets" / "previews"
SHEET = ROOT / "docs" / "images" / "gallery.jpg"
LARGE = ("alpine", "alpine before", "dune sea", "mountain range", "oasis", "stepped canyon")
"""Pictures that the manual shows in full size."""
PREVIEW = 256
"""Pixels of a square preview: Blender makes its pictures of files no larger."""
CELLS = 1024
WIDTH = 1600

SIDES = {"barchan field": 384}
"""Of terrains whose random start has fewer cells: another number of cells is another start."""
CHANGED: dict[str, dict[str, Any]] = {"barchan field": {"level": 50.0}}
"""Of starts for pictures: with more sand, a view holds several crescents."""


def start_of(recipe: str, cells: int) -> Terrain:
    """The recipe's start terrain, `cells` wide."""
    start = terrain_for(recipe, side=SIDES.get(recipe, cells), **CHANGED.get(recipe, {}))
    if recipe not in SIDES:
        return start
    finer = {name: resized(start[name], (cells, cells)) for name in ("elevation", "sediment")}
    cell_size = start.cell_size * len(start.elevation) / cells
    return Terrain(finer["elevation"], cell_size, {"sediment": np.maximum(finer["sediment"], 0.0)})


def make_object(recipe: str, cells: int) -> bpy.types.Object:
    """The recipe's start terrain as an object, with its sand as the attribute `sediment`."""
    start = start_of(recipe, cells)
    obj = make_grid_object(recipe, start.elevation, start.spacing, bpy.context.scene.collection)
    if start["sediment"].any():
        new_attribute(obj.data, "sediment", "FLOAT")
        sand = grid.find_lattice(obj).to_vertices(start["sediment"]).astype("float32")
        obj.data.attributes["sediment"].data.foreach_set("value", sand)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    obj.erosion.recipe_name = recipe
    return obj


def picture(recipe: str, cells: int, width: int, view: str, before: bool) -> Path:
    """Erode the recipe's start terrain, finish its look and render it; tells how long that took.

    before: also render the terrain before erosion, in the same look and view.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    for world in list(bpy.data.worlds):
        bpy.data.worlds.remove(world)
    obj = make_object(recipe, cells)
    times = [time.perf_counter()]
    path = PICTURES / f"{recipe}.png"
    options = Picture(size=(width, width * 9 // 16), view=view or "file", samples=24)
    for work in (
        bpy.ops.erosion.run,
        bpy.ops.erosion.look_add,
        lambda: render.prepare(scene, obj, options),
        lambda: render.render(scene, path, options),
    ):
        work()
        times.append(time.perf_counter())
    run, look, _, rendered = (after - before for before, after in itertools.pairwise(times))
    print(
        f"{path}: eroded in {run:.0f} s, look in {look:.1f} s, rendered in {rendered:.0f} s",
        flush=True,
    )
    if before:
        bpy.ops.erosion.restore()
        render.render(scene, path.with_stem(f"{recipe} before"), options)
    return path


def keep() -> None:
    """Small previews of the pictures for the recipe menu, and all of them on one sheet for the
    manual.
    """
    PREVIEWS.mkdir(exist_ok=True)
    names, across, (width, height) = sorted(shipped()), 3, (480, 270)
    down = -(-len(names) // across)
    sheet = Image.new("RGB", (across * width, down * (height + 28)), "white")
    with Image.open(SHEET) as before:
        if before.size == sheet.size:
            sheet.paste(before.convert("RGB"))
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(18)
    for name in LARGE:
        if (PICTURES / f"{name}.png").is_file():
            with Image.open(PICTURES / f"{name}.png") as image:
                image.convert("RGB").save(
                    SHEET.with_name(f"{name.replace(' ', '_')}.jpg"), quality=92, optimize=True
                )
    for number, name in enumerate(names):
        if not (PICTURES / f"{name}.png").is_file():
            continue
        with Image.open(PICTURES / f"{name}.png") as image:
            square = ImageOps.fit(
                image.convert("RGB"), (PREVIEW, PREVIEW), Image.Resampling.LANCZOS
            )
            square.save(PREVIEWS / f"{name}.png", optimize=True)
            place = (number % across * width, number // across * (height + 28))
            sheet.paste(
                image.convert("RGB").resize((width, height), Image.Resampling.LANCZOS), place
            )
        draw.rectangle(
            (place[0], place[1] + height, place[0] + width, place[1] + height + 28), "white"
        )
        draw.text((place[0] + 6, place[1] + height + 3), name, "black", font)
    sheet.save(SHEET, quality=62, optimize=True)
    print(SHEET)


def main() -> None:
    """Make the pictures of these recipes, or keep those of all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recipes", nargs="*", help="names of shipped recipes")
    parser.add_argument("--cells", type=int, default=CELLS, help="along a side of the terrain")
    parser.add_argument("--width", type=int, default=WIDTH, help="of the pictures, in pixels")
    parser.add_argument("--view", choices=VIEWS, default="", help="in place of each recipe's own")
    parser.add_argument(
        "--before", action="store_true", help="pictures of the land before erosion too"
    )
    parser.add_argument(
        "--keep", action="store_true", help="previews and the manual's sheet instead"
    )
    arguments = parser.parse_args()
    if arguments.keep:
        keep()
        return
    PICTURES.mkdir(parents=True, exist_ok=True)
    erosion_addon.register()
    for name in arguments.recipes or sorted(shipped()):
        picture(name, arguments.cells, arguments.width, arguments.view, arguments.before)
    erosion_addon.unregister()


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 as a Python module may hang at its end (projects.blender.org #146640)
