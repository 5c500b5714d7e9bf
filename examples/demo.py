# SPDX-License-Identifier: GPL-3.0-or-later
"""From an elevation model to pictures: erode real mountains and render them before and after.

The terrain is part of the Cumberland Mountains in Tennessee, from the elevation model that comes with matplotlib. It is
eroded by the command line and brought into Blender by the extension's own functions. Everything goes to demo/.
"""

import math
import os
import sys
import time
from pathlib import Path

import bpy
import matplotlib.cbook
import numpy as np
from mathutils import Vector

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from erosion_addon.cli.commands import main  # noqa: E402
from erosion_addon.files.heightmap import read_heightmap  # noqa: E402
from erosion_addon.files.image_files import OpenImageIOFiles  # noqa: E402
from erosion_addon.model import FIELDS, Recipe  # noqa: E402
from erosion_addon.scene.materials import material  # noqa: E402
from erosion_addon.scene.original import original as source  # noqa: E402
from erosion_addon.scene.terrain import attributes, grid  # noqa: E402

DEMO = ROOT / "demo"
CELL_SIZE = 25.0
RECIPE = "alpine"
PICTURE = (960, 540)

METERS_PER_DEGREE = 111_200.0
REGION = slice(20, 200), slice(5, 225)
"""Rows from the south and columns from the west of the elevation model: its mountains, 16 km across."""


def mountains() -> np.ndarray:
    """Elevation in meters, (rows, cols) float64, row 0 in the south, on square cells of CELL_SIZE."""
    data = matplotlib.cbook.get_sample_data("jacksboro_fault_dem.npz")
    elevation = data["elevation"][::-1][REGION].astype(float)
    latitude = math.radians(float(data["ymin"]))
    degrees = float(data["dy"]), float(data["dx"]) * math.cos(latitude)
    for axis in (0, 1):
        length = (elevation.shape[axis] - 1) * degrees[axis] * METERS_PER_DEGREE
        elevation = stretched(elevation, axis, int(length / CELL_SIZE) + 1)
    return elevation


def stretched(values: np.ndarray, axis: int, size: int) -> np.ndarray:
    """`values` with `size` samples along an axis, by cubic interpolation (Catmull-Rom)."""
    last = values.shape[axis] - 1
    place = np.linspace(0, last, size)
    cell = np.minimum(place.astype(int), last - 1)
    t = np.expand_dims(place - cell, 1 - axis)
    before, low, high, behind = (values.take(np.clip(cell + k, 0, last), axis) for k in (-1, 0, 1, 2))
    return low + 0.5 * t * (
        high - before + t * (2 * before - 5 * low + 4 * high - behind + t * (3 * (low - high) + behind - before))
    )


def erode() -> None:
    """Run the command line, as one would in a terminal."""
    words = ["erode", DEMO / "terrain.npy", DEMO / "eroded.exr", "--recipe", RECIPE, "--cell-size", CELL_SIZE]
    # The wetness of the second step, the last, is what the moisture is made with: wet enough for unbroken rivers.
    words += ["--set", "2.wetness=3500", "--maps", DEMO / "maps", "--report", DEMO / "report.json"]
    code = main([str(word) for word in words])
    if code:
        raise SystemExit(code)


def set_stage(scene: bpy.types.Scene, ground: float) -> None:
    """Camera above the north-west corner, evening sun from the right, a plain sky."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens, camera.data.clip_start, camera.data.clip_end = 38.0, 10.0, 60_000.0
    camera.location = (-7000.0, 6500.0, ground + 2000.0)
    target = Vector((-2170.0, 2390.0, ground))
    camera.rotation_euler = (target - camera.location).to_track_quat("-Z", "Y").to_euler()
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.data.color = 9.0, math.radians(0.6), (1.0, 0.92, 0.80)
    sun.rotation_euler = (math.radians(65), 0.0, math.radians(70))
    world = bpy.data.worlds.new("Sky")
    if bpy.app.version < (5, 0, 0):
        world.use_nodes = True
    background = world.node_tree.nodes["Background"].inputs
    background["Color"].default_value, background["Strength"].default_value = (0.50, 0.66, 0.92, 1.0), 0.45
    scene.world, scene.camera = world, camera
    for thing in (camera, sun):
        scene.collection.objects.link(thing)


def set_renderer(scene: bpy.types.Scene) -> None:
    """EEVEE, few samples, contrast of a photograph."""
    scene.render.engine = "BLENDER_EEVEE" if bpy.app.version >= (5, 0, 0) else "BLENDER_EEVEE_NEXT"
    scene.eevee.taa_render_samples = 16
    scene.render.resolution_x, scene.render.resolution_y = PICTURE
    scene.view_settings.view_transform, scene.view_settings.look = "AgX", "AgX - Medium High Contrast"
    scene.view_settings.exposure = 0.3


def render(scene: bpy.types.Scene, path: Path) -> None:
    """Render the scene to a PNG file."""
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


def read(name: str) -> np.ndarray:
    """One of the maps, as the command line wrote it."""
    return read_heightmap(DEMO / "maps" / f"{name}.exr", OpenImageIOFiles())


def pictures(before: np.ndarray) -> None:
    """Bring both terrains into Blender as one object, render each, save the file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    terrain = grid.make_grid_object("Terrain", before, (CELL_SIZE, CELL_SIZE), scene.collection)
    material.assign(terrain, Recipe.load(RECIPE).palette)
    set_stage(scene, float(np.median(before)))
    set_renderer(scene)
    render(scene, DEMO / "before.png")

    lattice = grid.find_lattice(terrain)
    kept = grid.heights(terrain.data)
    after = grid.local_heights(lattice, kept, before, read("elevation"))
    grid.write_heights(terrain.data, after)
    source.keep_source(terrain.data, kept)
    fields = {name: read(name) for name in FIELDS if (DEMO / "maps" / f"{name}.exr").exists()}
    attributes.write_fields(terrain.data, lattice, fields)
    source.mark_result(terrain.data)
    render(scene, DEMO / "after.png")
    bpy.context.preferences.filepaths.save_version = 0  # no terrain.blend1 beside it
    bpy.ops.wm.save_as_mainfile(filepath=str(DEMO / "terrain.blend"), compress=True)


def demo() -> None:
    """Do it all and print where things are."""
    began = time.perf_counter()
    (DEMO / "maps").mkdir(parents=True, exist_ok=True)
    before = mountains()
    np.save(DEMO / "terrain.npy", before)
    erode()
    pictures(before)
    print(f"\n{time.perf_counter() - began:.0f} s")
    for name in ("terrain.npy", "eroded.exr", "maps", "report.json", "before.png", "after.png", "terrain.blend"):
        print(DEMO / name)


if __name__ == "__main__":
    demo()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 as a Python module may hang at its end (projects.blender.org #146640)
