# SPDX-License-Identifier: GPL-3.0-or-later
"""From an elevation model to pictures: erode real mountains, add their rivers, and render them
after and before.

The terrain is part of the Cumberland Mountains in Tennessee, from the elevation model that comes
with matplotlib. All is done by the extension's commands, as on a farm, and its operators, as a
script calls them. Everything goes to demo/.
"""

import math
import os
import sys
import time
from pathlib import Path

import bpy
import matplotlib.cbook
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import erosion_addon  # noqa: E402
from erosion_addon import ui  # noqa: E402
from erosion_addon.files.render_settings import Picture  # noqa: E402
from erosion_addon.scene.stage import render  # noqa: E402

DEMO = ROOT / "demo"
CELL_SIZE = 25.0
RECIPE = "river valley"
RIVERS = {"width": 3.0}
"""Wider than their discharge tells, as they are seen from 10 km away."""

METERS_PER_DEGREE = 111_200.0
REGION = slice(20, 200), slice(5, 225)
"""Rows from the south and columns from the west of the elevation model: its mountains, 16 km
across.
"""


def mountains() -> np.ndarray:
    """Elevation in meters, (rows, cols) float64, row 0 in the south, on square cells of
    CELL_SIZE.
    """
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
    before, low, high, behind = (
        values.take(np.clip(cell + k, 0, last), axis) for k in (-1, 0, 1, 2)
    )
    return low + 0.5 * t * (
        high
        - before
        + t * (2 * before - 5 * low + 4 * high - behind + t * (3 * (low - high) + behind - before))
    )


def command(*words: object) -> None:
    """Run a command, as one would in a terminal after `blender --command erosion`."""
    if code := ui.command_line([str(word) for word in words]):
        raise SystemExit(code)


def erode() -> None:
    """Write the eroded heightmap with its maps, and a .blend file with the look."""
    how = ["--recipe", RECIPE, "--cell-size", CELL_SIZE]
    results = ["--maps", DEMO / "maps", "--report", DEMO / "report.json"]
    command("erode", DEMO / "terrain.npy", DEMO / "eroded.exr", *how, *results)
    command("erode", DEMO / "terrain.npy", DEMO / "terrain.blend", *how, "--look", "--quiet")


def add_rivers() -> None:
    """Write the rivers of the eroded heightmap, and add rivers with carved beds to the .blend
    file.
    """
    command(
        "rivers", DEMO / "eroded.exr", DEMO / "rivers.geojson", "--set", f"width={RIVERS['width']}"
    )
    bpy.ops.wm.open_mainfile(filepath=str(DEMO / "terrain.blend"))
    bpy.context.view_layer.objects.active = bpy.data.objects["terrain"]
    bpy.ops.erosion.rivers_add(**RIVERS)
    bpy.ops.erosion.beds_carve()
    bpy.ops.wm.save_mainfile()


def pictures() -> None:
    """Render the file, restore the terrain in it without rivers and render again."""
    command("render", DEMO / "terrain.blend", DEMO / "after.png")
    bpy.context.view_layer.objects.active = bpy.data.objects["terrain"]
    bpy.ops.erosion.companion_remove(kind="rivers")
    bpy.ops.erosion.restore()
    render.render(bpy.context.scene, DEMO / "before.png", Picture())


def demo() -> None:
    """Do it all and print where things are."""
    start = time.perf_counter()
    DEMO.mkdir(exist_ok=True)
    np.save(DEMO / "terrain.npy", mountains())
    erosion_addon.register()
    erode()
    add_rivers()
    pictures()
    erosion_addon.unregister()
    print(f"\n{time.perf_counter() - start:.0f} s")
    for name in (
        "terrain.npy",
        "eroded.exr",
        "maps",
        "report.json",
        "rivers.geojson",
        "terrain.blend",
        "after.png",
        "before.png",
    ):
        print(DEMO / name)


if __name__ == "__main__":
    demo()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 as a Python module may hang at its end (projects.blender.org #146640)
