# SPDX-License-Identifier: GPL-3.0-or-later
"""Picture of rivers, lakes and a sea as objects, in mountains that were cut by rivers and then sank
unevenly.

Writes build/examples/rivers.png; with --keep, the picture of the manual, docs/images/rivers.jpg.
EEVEE renders it.
"""

import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import erosion_addon  # noqa: E402
from erosion_addon import FIELDS, Recipe, Terrain, erode  # noqa: E402
from erosion_addon.drainage.parameters import RiverParameters  # noqa: E402
from erosion_addon.files.render_settings import Picture  # noqa: E402
from erosion_addon.scene.derived import surroundings  # noqa: E402
from erosion_addon.scene.stage import look, render, studio  # noqa: E402
from erosion_addon.scene.terrain import attributes, grid  # noqa: E402
from erosion_addon.scene.terrain.mesh import make_grid_object  # noqa: E402
from erosion_addon.scene.water import rivers  # noqa: E402
from examples.animation import noise  # noqa: E402

OUT = ROOT / "build" / "examples"
TARGET = ROOT / "docs" / "images" / "rivers.jpg"
SIDE = 320
CELL_SIZE = 15.0
RELIEF = 500.0
EYE, AIM, LENS = Vector((-1300.0, -3500.0, 1100.0)), Vector((100.0, -500.0, 400.0)), 35.0
"""Camera: meters from the terrain's middle, above the median of its heights; mm."""
OPTIONS = Picture(size=(1600, 900), view="file", samples=24)


def mountains() -> Terrain:
    """Eroded mountains whose floor sank here more than there, so that valleys hold lakes and the
    coast has bays.
    """
    result = erode(
        Terrain(noise(7, 2.1, SIDE) * RELIEF, (CELL_SIZE, CELL_SIZE)), Recipe.load("mountain range")
    )
    result.elevation += 90.0 * noise(5, 3.0, SIDE)
    return result


def picture(path: Path) -> None:
    """Make the mountains, rivers, lakes and sea in Blender, and render them."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    erosion_addon.register()
    scene = bpy.context.scene
    land = mountains()
    terrain = make_grid_object("Terrain", land.elevation, (CELL_SIZE, CELL_SIZE), scene.collection)
    fields = {name: land.fields[name] for name in FIELDS if name in land.fields}
    attributes.write_fields(terrain.data, grid.find_lattice(terrain), fields)
    level = float(np.quantile(land.elevation, 0.12))
    settings = RiverParameters(
        source_area=0.15, width=2.0, lake_area=4000.0, sea=True, sea_level=level
    )
    for kind in rivers.KINDS:
        rivers.add(terrain, kind, settings)
    surroundings.add(terrain)
    camera = studio.add_camera(scene)
    ground = Vector((0.0, 0.0, float(np.median(land.elevation))))
    camera.data.lens = LENS
    camera.data.clip_start = 10.0
    camera.data.clip_end = studio.CLIP * SIDE * CELL_SIZE
    camera.location, camera.rotation_euler = (
        ground + EYE,
        (AIM - EYE).to_track_quat("-Z", "Y").to_euler(),
    )
    look.finish(
        terrain, Recipe.load("mountain range").palette, ("smooth", "light", "stage", "plants")
    )
    render.prepare(scene, terrain, OPTIONS)
    render.render(scene, path, OPTIONS)


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    picture(OUT / "rivers.png")
    if "--keep" in sys.argv[1:]:
        with Image.open(OUT / "rivers.png") as land:
            land.convert("RGB").save(TARGET, quality=90, optimize=True)
        print(TARGET)
