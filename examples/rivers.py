# SPDX-License-Identifier: GPL-3.0-or-later
"""Picture of rivers, lakes and a sea as objects, in mountains that were cut by rivers and then sank unevenly.

Writes build/examples/rivers.png. Cycles renders it, as its water is seen through.
"""

import math
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

OUT = ROOT / "build" / "examples"
SIDE, CELL_SIZE, RELIEF = 320, 15.0, 500.0
PICTURE, SAMPLES = (1600, 900), 16


def noise(seed: int, exponent: float) -> np.ndarray:
    """Fractal noise from 0 to 1, (rows, cols)."""
    waves = np.fft.fft2(np.random.default_rng(seed).standard_normal((SIDE, SIDE)))
    frequency = np.hypot(np.fft.fftfreq(SIDE)[:, None], np.fft.fftfreq(SIDE))
    frequency[0, 0] = np.inf
    heights = np.fft.ifft2(waves / frequency**exponent).real
    return (heights - heights.min()) / np.ptp(heights)


def mountains() -> Terrain:
    """Eroded mountains whose floor sank here more than there, so that valleys hold lakes and the coast has bays."""
    result = erode(Terrain(noise(7, 2.1) * RELIEF, (CELL_SIZE, CELL_SIZE)), Recipe.load("mountain range"))
    result.elevation += 90.0 * noise(5, 3.0)
    return result


def set_stage(scene: bpy.types.Scene, ground: float) -> None:
    """Camera above the south-west, sun from the left, a sky."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.lens, camera.data.clip_start, camera.data.clip_end = 40.0, 10.0, 60_000.0
    camera.location = (-1500.0, -3600.0, ground + 1500.0)
    target = Vector((0.0, -500.0, ground))
    camera.rotation_euler = (target - camera.location).to_track_quat("-Z", "Y").to_euler()
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.data.color = 6.0, math.radians(0.6), (1.0, 0.92, 0.80)
    sun.rotation_euler = (math.radians(55), 0.0, math.radians(-60))
    world = bpy.data.worlds.new("Sky")
    if bpy.app.version < (5, 0, 0):
        world.use_nodes = True
    background = world.node_tree.nodes["Background"].inputs
    background["Color"].default_value, background["Strength"].default_value = (0.42, 0.62, 0.95, 1.0), 0.8
    scene.world, scene.camera = world, camera
    for thing in (camera, sun):
        scene.collection.objects.link(thing)


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
    set_stage(scene, float(np.median(made.elevation)))
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", SAMPLES, True
    scene.render.resolution_x, scene.render.resolution_y = PICTURE
    scene.view_settings.view_transform, scene.view_settings.look = "AgX", "AgX - Medium High Contrast"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    picture(OUT / "rivers.png")
