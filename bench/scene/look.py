# SPDX-License-Identifier: GPL-3.0-or-later
"""Set Up Look on eroded mountains, and a picture of them. Its own process, with bpy, which prints
JSON.

    look.py [SIDE]          cells along a side, 1024

Median seconds of *Set Up Look*: `own`, CPU time of the main thread; `all`, by the clock, with the
light that the worker bakes. Seconds by the clock of the `first` picture of 1600 × 900, which
compiles materials, and of the `next`.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from erosion_addon.files.render_settings import Picture
from erosion_addon.scene.stage import render
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.scene.worker import worker_process
from examples.starts import terrain_for

RECIPE = "alpine"
TURNS = 3
SIZE = (1600, 900)


def save_terrain(path: Path, side: int) -> None:
    """Save a file with eroded mountains."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    land = terrain_for(RECIPE, side=side)
    make_grid_object("Terrain", land.elevation, land.spacing, bpy.context.scene.collection)
    bpy.context.view_layer.objects.active = bpy.data.objects["Terrain"]
    bpy.ops.erosion.recipe_load(name=RECIPE)
    bpy.ops.erosion.run()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def set_up(path: Path) -> tuple[float, float]:
    """Open the file and set up its look: CPU seconds of this thread, and seconds by the clock."""
    render.open_file(path)
    bpy.context.view_layer.objects.active = bpy.data.objects["Terrain"]
    in_thread = time.thread_time()
    start = time.perf_counter()
    bpy.ops.erosion.look_add()
    return time.thread_time() - in_thread, time.perf_counter() - start


def picture(path: Path) -> float:
    """Seconds of a picture of the scene."""
    scene = bpy.context.scene
    options = Picture(size=SIZE, view="file", engine="eevee")
    render.prepare(scene, bpy.data.objects["Terrain"], options)
    start = time.perf_counter()
    render.render(scene, path, options)
    return time.perf_counter() - start


if __name__ == "__main__":
    import erosion_addon

    erosion_addon.register()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "terrain.blend"
        save_terrain(file, int(sys.argv[1]) if len(sys.argv) > 1 else 1024)
        _, *times = [set_up(file) for _ in range(1 + TURNS)]  # the first loads modules
        worker_process.stop()
        pictures = [picture(Path(folder) / "picture.png") for _ in range(2)]
    in_thread, by_clock = (median(values) for values in zip(*times, strict=True))
    print(
        json.dumps({"own": in_thread, "all": by_clock, "first": pictures[0], "next": pictures[1]}),
        flush=True,
    )
