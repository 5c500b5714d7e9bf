# SPDX-License-Identifier: GPL-3.0-or-later
"""Hundreds of runs and thousands of strokes of the brush in one Blender: `make soak`, or `python -m
tests.soak`.

Growth is a failure: memory by more than 2 KiB for each run or stroke (median slope of the second
half), open files, threads, processes. The scene is made anew every 25, as undo steps and strokes of
a recipe are the artist's own.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import bpy
import numpy as np

import erosion_addon
from erosion_addon import Recipe
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.scene.worker import worker_process
from erosion_addon.ui.recipe import steps
from tests.terrains import fractal

SIDE = 128
CELL = 10.0
ANEW = 25
"""Runs or strokes on one terrain."""

MOST_GROWTH = 2048.0
"""Bytes for each run or stroke."""

KINDS = ("rain", "raise", "smooth", "talus", "sand", "wind", "rills")


def terrain() -> bpy.types.Object:
    """A terrain in an empty scene, active."""
    job.clear()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    obj = make_grid_object(
        "Land", fractal(SIDE, SIDE, 200.0), (CELL, CELL), bpy.context.scene.collection
    )
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    steps.fill(obj.erosion, Recipe.load("arcane").with_values({"droplet.drops_per_cell": 0.2}))
    return obj


def run(number: int) -> None:
    """A run; now and then one that is canceled, or Restore."""
    assert bpy.ops.erosion.run() == {"FINISHED"}
    if number % 5 == 4:
        assert bpy.ops.erosion.restore() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Run")


def stroke(number: int) -> None:
    """A stroke of the brush."""
    brush = bpy.context.scene.erosion_brush
    brush.kind = KINDS[number % len(KINDS)]
    brush.radius = 60.0
    dabs = [
        ((number * 37 % 100 - 50) * 8.0 + 15.0 * dab, (number * 53 % 100 - 50) * 8.0, 0.0)
        for dab in range(4)
    ]
    given = [{"name": "", "location": place, "pressure": 1.0} for place in dabs]
    assert bpy.ops.erosion.brush_stroke(stroke=given) == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Stroke")


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def held(pid: int) -> tuple[int, int]:
    """Open files and threads of a process."""
    return len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208


def children(pid: int) -> int:
    """How many processes a process has."""
    return sum(
        len(task.read_text().split()) for task in Path(f"/proc/{pid}/task").glob("*/children")
    )


def slope(values: list[int]) -> float:
    """Growth of the second half of some values, each (Theil, Sen: the median of the slopes between
    all pairs).
    """
    half = values[len(values) // 2 :]
    pairs = combinations(range(0, len(half), max(1, len(half) // 200)), 2)
    return float(np.median([(half[b] - half[a]) / (b - a) for a, b in pairs]))


def soak(name: str, act: Callable[[int], None], count: int) -> int:
    """Do it so often; returns how many of memory, files, threads and processes have grown."""
    processes: dict[str, list[int]] = {"Blender": [], "worker": []}
    counts = []
    began = time.monotonic()
    for number in range(count):
        if number % ANEW == 0:
            terrain()
        act(number)
        worker = worker_process.ready()._process.pid
        if number % ANEW == ANEW - 1:
            for who, pid in (("Blender", os.getpid()), ("worker", worker)):
                processes[who].append(resident(pid))
            counts.append((*held(os.getpid()), children(os.getpid()), *held(worker)))
    failures = 0
    for who, values in processes.items():
        growth = slope(values) / ANEW
        failures += growth > MOST_GROWTH
        print(
            f"{count} {name}, memory of {who}: {values[0] / 2**20:.1f} MiB after the first "
            f"{ANEW}, {values[-1] / 2**20:.1f} at the end; {growth / 1024:+.2f} KiB for each in "
            "the second half",
            flush=True,
        )
    half = counts[len(counts) // 2]
    for what, one, other in zip(
        (
            "open files of Blender",
            "its threads",
            "its processes",
            "open files of the worker",
            "its threads",
        ),
        half,
        counts[-1],
        strict=True,
    ):
        failures += other > one
        print(f"    {what}: {one}, at the end {other}", flush=True)
    print(f"    {(time.monotonic() - began) / count * 1000:.0f} ms for each", flush=True)
    return failures


def main() -> int:
    """Command line; returns how many things have grown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--strokes", type=int, default=2000)
    given = parser.parse_args()
    sys.stdout = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # where Blender tells of each run
    erosion_addon.register()
    failures = 0
    for name, act, count in (("runs", run, given.runs), ("strokes", stroke, given.strokes)):
        if count:
            failures += soak(name, act, max(count // ANEW, 4) * ANEW)
    print(f"{failures} failures")
    worker_process.stop()
    return failures


if __name__ == "__main__":
    failed = main() > 0
    sys.stdout.flush()
    os._exit(failed)  # Blender 4.5 as a Python module may hang at its end, see conftest.py
