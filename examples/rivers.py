# SPDX-License-Identifier: GPL-3.0-or-later
"""Picture of rivers, lakes and a sea as objects, in mountains that were cut by rivers and then sank unevenly.

Writes build/examples/rivers.png. Cycles renders it, as its water is seen through.
"""

import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import erosion_addon  # noqa: E402
from erosion_addon.drainage.parameters import RiverParameters  # noqa: E402
from erosion_addon.model import FIELDS, Recipe, Terrain, erode  # noqa: E402
from erosion_addon.scene.derived import rivers  # noqa: E402
from erosion_addon.scene.materials import material  # noqa: E402
from erosion_addon.scene.terrain import attributes, grid  # noqa: E402
from examples.animation import add_lights, noise  # noqa: E402

OUT = ROOT / "build" / "examples"
SIDE, CELL_SIZE, RELIEF = 320, 15.0, 500.0
PICTURE, SAMPLES = (1600, 900), 16


def mountains() -> Terrain:
    """Eroded mountains whose floor sank here more than there, so that valleys hold lakes and the coast has bays."""
    result = erode(Terrain(noise(7, 2.1, SIDE) * RELIEF, (CELL_SIZE, CELL_SIZE)), Recipe.load("mountain range"))
    result.elevation += 90.0 * noise(5, 3.0, SIDE)
    return result


def picture(path: Path) -> None:
    """Make the mountains, rivers, lakes and sea in Blender, and render them."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    erosion_addon.register()
    scene = bpy.context.scene
    made = mountains()
    terrain = grid.make_grid_object("Terrain", made.elevation, (CELL_SIZE, CELL_SIZE), scene.collection)
    fields = {name: made.fields[name] for name in FIELDS if name in made.fields}
    attributes.write_fields(terrain.data, grid.find_lattice(terrain), fields)
    material.assign(terrain, Recipe.load("mountain range").palette)
    level = float(np.quantile(made.elevation, 0.12))
    settings = RiverParameters(source_area=0.15, width=2.0, lake_area=4000.0, sea=True, sea_level=level)
    for kind in rivers.KINDS:
        rivers.add(terrain, kind, settings)
    ground = float(np.median(made.elevation))
    add_lights(
        scene, 40.0, Vector((-1500.0, -3600.0, ground + 1500.0)), Vector((0.0, -500.0, ground)), (35.0, -60.0), 0.8
    )
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", SAMPLES, True
    scene.render.resolution_x, scene.render.resolution_y = PICTURE
    scene.view_settings.view_transform, scene.view_settings.look = "AgX", "AgX - Medium High Contrast"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    picture(OUT / "rivers.png")
