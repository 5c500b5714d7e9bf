# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by ui/test_process.py in a Python of its own: use every operator, in the order in which an
artist may.

argv: an empty folder. The last line of standard output is a JSON object of what was seen.
"""

import json
import os
import sys
from pathlib import Path

import bpy
import numpy as np

import erosion_addon
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object, vertex_heights
from erosion_addon.scene.worker import worker_process as process
from tests.landscape.conftest import fractal as fractal_landscape
from tests.terrains import fractal

FOLDER = Path(sys.argv[1])
LIBRARIES = ("numba", "llvmlite")
used = set()
brought = {}


def use(name, /, **properties):
    """Call an operator, and see whether it brought compiled code into this process."""
    used.add(name)
    result = getattr(bpy.ops.erosion, name)("EXEC_DEFAULT", **properties)
    for library in LIBRARIES:
        if library in sys.modules:
            brought.setdefault(library, name)
    return result


def wet(terrain):
    """Give the terrain fields as a run with water leaves them."""
    depth = np.zeros((24, 30), np.float32)
    depth[:8] = 2.0
    fields = {"water_depth": depth, "moisture": np.full((24, 30), 0.5, np.float32)}
    attributes.write_fields(terrain.data, grid.find_lattice(terrain), fields)


os.environ["TERRAIN_EROSION_RECIPES"] = str(FOLDER / "recipes")
erosion_addon.register()
bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)

for kind in bpy.ops.erosion.terrain_add.get_rna_type().properties["kind"].enum_items.keys():  # noqa: SIM118
    if kind != "IMAGE":
        use("terrain_add", kind=kind, resolution=16)
use("heightmap_export", filepath=str(FOLDER / "land.png"))
use("heightmap_import", filepath=str(FOLDER / "land.png"))
use("terrain_enlarge")
fractal_landscape(FOLDER / "tiles", 64, (64, 96))
use(
    "landscape_import",
    filepath=str(FOLDER / "tiles" / "landscape.json"),
    part="WINDOW",
    size=(48, 48),
)
use("landscape_put_back")
bpy.ops.mesh.primitive_uv_sphere_add(segments=8, ring_count=6, radius=50)
use("grid_from_mesh", cell_size=5.0)

terrain = make_grid_object(
    "Land", fractal(24, 30, 120.0), (10.0, 10.0), bpy.context.scene.collection
)
bpy.context.view_layer.objects.active = terrain
terrain.select_set(True)
for kind in ("strength", "rain"):
    use("mask_image", kind=kind)
    use("mask_show", kind=kind)
use("recipe_load", name="river valley")
use("time_step_shorten")
use("recipe_load", name="dune sea")
use("sand_add")
use("recipe_load", name="arcane")
use("run")
wet(terrain)
use("light_bake")
use("look_add", foliage=True, passes=True)
use("plants_add", size=0.2)
use("lod_add")
use("analyze")
use("mask_from_field", kind="hardness", field="slope")
use("field_show", field="slope")
use("images_send")
use("maps_export", directory=str(FOLDER / "maps"))
use("water_add", threshold=0.5)
use("rivers_add", source_area=0.005)
use("lakes_add", lake_area=200.0, lake_depth=0.1)
use("sea_add", sea_level=float(np.median(vertex_heights(terrain.data))))
drawn = bpy.data.curves.new("Brook", "CURVE")
drawn.splines.new("POLY").points.add(1)
heights = grid.read_terrain(terrain)[0].elevation
for point, col in zip(
    drawn.splines[0].points, (0, 29) if heights[12, 0] > heights[12, 29] else (29, 0), strict=True
):
    point.co = (10.0 * col - 145.0, 5.0, 0.0, 1.0)
bpy.context.scene.collection.objects.link(bpy.data.objects.new("Brook", drawn))
use("river_carve", curve="Brook")
use("beds_carve", incision=0.5)
use("run")
bpy.context.object.data.attributes.new(".select_vert", "BOOLEAN", "POINT").data.foreach_set(
    "value", [True] * 24 * 30
)
use("run_region")
use("before")
use("before")
keep = terrain.erosion.frames
keep.folder = str(FOLDER / "frames")
keep.count = 2
keep.keep = True
use("run")
use("how_far", frame=1)
use("playback_add")
use("frames_export", filepath=str(FOLDER / "land.usdc"))
use("playback_remove")
use("frames_remove")
keep.keep = False
use("light_remove")
use("analysis_remove")
use("restore")
use("variants", seeds=1)
use("variant_choose", number=0)
use("run")
use("apply")
use("recipe_save", name="mine")
use("recipe_export", filepath=str(FOLDER / "mine.toml"))
use("recipe_import", filepath=str(FOLDER / "mine.toml"))
use("recipe_delete", name="mine")
use("step_add", kind="wind")
use("wind_add")
use("wind_remove", index=0)
use("step_duplicate")
use("step_move", direction="UP")
use("step_remove")
use("companion_remove", kind="lod")
use("mask_paint")
use("mask_paint")
use("brush_stroke", stroke=[{"name": "", "location": (0.0, 0.0, 0.0), "pressure": 1.0}])
use("brush_size", grows=True)

refused = []
# a menu, and the browser
for name in sorted(set(dir(bpy.ops.erosion)) - used - {"recipe_choose", "manual_open"}):
    try:
        use(name)
    except RuntimeError:  # a reason why not
        refused.append(name)
process.stop()
print(json.dumps({"brought": brought, "refused": refused}))
sys.stdout.flush()
os._exit(0)  # Blender 4.5 as a Python module may hang at its end, see conftest.py
