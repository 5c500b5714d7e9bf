# SPDX-License-Identifier: GPL-3.0-or-later
"""Each recipe's beauty picture, as an artist gets it: erode, finish the look, render. build/examples/gallery/NAME.png

`python examples/gallery.py alpine canyon` makes these alone. `--keep` makes the preset previews in presets/previews and
the manual's sheet docs/images/gallery.jpg from the pictures that are there, without rendering any.
"""

import os
import sys
import time
from pathlib import Path

import bpy
from PIL import Image, ImageDraw, ImageFont, ImageOps

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "examples")]

from recipes import terrain_for  # noqa: E402

import erosion_addon  # noqa: E402
from erosion_addon.base.data_files import shipped  # noqa: E402
from erosion_addon.files.render_settings import Picture  # noqa: E402
from erosion_addon.scene.stage import render  # noqa: E402
from erosion_addon.scene.terrain import grid  # noqa: E402
from erosion_addon.scene.terrain.attributes import new_attribute  # noqa: E402

PICTURES = ROOT / "build" / "examples" / "gallery"
PREVIEWS = ROOT / "presets" / "previews"
SHEET = ROOT / "docs" / "images" / "gallery.jpg"
PREVIEW = 256
"""Pixels of a square preview: Blender makes its pictures of files no larger."""
SIDE = 512

SIDES = {"barchan field": 384}
"""Of terrains whose random start has fewer cells: another number of cells is another start."""

VIEWS = {"barchan field": "across", "oasis": "across"}
"""Of terrains that show their forms from above: crescents, a pool between dunes."""


def make_object(recipe: str) -> bpy.types.Object:
    """The recipe's start terrain as an object, with its sand as the attribute `sediment`."""
    start = terrain_for(recipe, side=SIDES.get(recipe, SIDE))
    obj = grid.make_grid_object(recipe, start.elevation, start.spacing, bpy.context.scene.collection)
    if start["sediment"].any():
        new_attribute(obj.data, "sediment", "FLOAT")
        sand = grid.find_lattice(obj).to_vertices(start["sediment"]).astype("float32")
        obj.data.attributes["sediment"].data.foreach_set("value", sand)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    obj.erosion.recipe_name = recipe
    return obj


def picture(recipe: str) -> Path:
    """Erode the recipe's start terrain, finish its look and render it."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    for world in list(bpy.data.worlds):
        bpy.data.worlds.remove(world)
    obj = make_object(recipe)
    bpy.ops.erosion.run()
    bpy.ops.erosion.look_add()
    render.prepare(scene, obj, Picture(view=VIEWS.get(recipe, "file"), samples=24))
    path = PICTURES / f"{recipe}.png"
    render.render(scene, path)
    return path


def keep() -> None:
    """Small previews of the pictures for the recipe menu, and all of them on one sheet for the manual."""
    PREVIEWS.mkdir(exist_ok=True)
    names, across, (width, height) = sorted(shipped()), 3, (480, 270)
    down = -(-len(names) // across)
    sheet = Image.new("RGB", (across * width, down * (height + 28)), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(18)
    for number, name in enumerate(names):
        with Image.open(PICTURES / f"{name}.png") as image:
            square = ImageOps.fit(image.convert("RGB"), (PREVIEW, PREVIEW), Image.Resampling.LANCZOS)
            square.save(PREVIEWS / f"{name}.png", optimize=True)
            place = (number % across * width, number // across * (height + 28))
            sheet.paste(image.convert("RGB").resize((width, height), Image.Resampling.LANCZOS), place)
        draw.text((place[0] + 6, place[1] + height + 3), name, "black", font)
    sheet.save(SHEET, quality=88)
    print(SHEET)


def main(words: list[str]) -> None:
    """Make the pictures of these recipes, or keep those of all."""
    if words == ["--keep"]:
        keep()
        return
    PICTURES.mkdir(parents=True, exist_ok=True)
    erosion_addon.register()
    for name in words or sorted(shipped()):
        began = time.perf_counter()
        path = picture(name)
        print(f"{path}: {time.perf_counter() - began:.0f} s", flush=True)
    erosion_addon.unregister()


if __name__ == "__main__":
    main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 as a Python module may hang at its end (projects.blender.org #146640)
