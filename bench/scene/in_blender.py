# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of the extension inside Blender: its own process, with bpy, which prints its figures as
JSON.

First argument: number of repetitions of reading and writing a 2048 × 2048 mesh; 0: the import
alone.
"""

import json
import sys
import time
from pathlib import Path
from statistics import median

import bpy

from erosion_addon.scene.terrain.mesh import make_grid_object, vertex_heights, write_heights

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

SIDE = 2048


def start_time() -> dict[str, float]:
    """CPU time of this thread in seconds to import and register the extension, as Blender does
    it.
    """
    start = time.thread_time()
    import erosion_addon

    erosion_addon.register()
    ended = time.thread_time()
    if "numba" in sys.modules:
        sys.exit("The extension imports numba when it starts.")
    return {"start": ended - start}


def mesh_times(repeats: int) -> dict[str, float]:
    """Median seconds to read the heights of a grid mesh, to read it as a terrain, and to write
    heights.
    """
    import numpy as np

    from erosion_addon.scene.terrain import grid

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    elevation = np.random.default_rng(1).random((SIDE, SIDE), np.float32) * 100
    obj = make_grid_object("Terrain", elevation, (10.0, 10.0), bpy.context.scene.collection)
    seconds: dict[str, list[float]] = {"read heights": [], "read terrain": [], "write heights": []}
    for repeat in range(repeats):
        start = time.perf_counter()
        heights = vertex_heights(obj.data)
        seconds["read heights"].append(time.perf_counter() - start)
        start = time.perf_counter()
        terrain, _ = grid.read_terrain(obj)
        seconds["read terrain"].append(time.perf_counter() - start)
        del terrain
        heights += repeat + 1
        start = time.perf_counter()
        write_heights(obj.data, heights)
        seconds["write heights"].append(time.perf_counter() - start)
    return {name: median(values) for name, values in seconds.items()}


if __name__ == "__main__":
    figures = start_time()
    if int(sys.argv[1]):
        figures |= mesh_times(int(sys.argv[1]))
    print(json.dumps(figures))
