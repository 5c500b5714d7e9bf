# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the extension holds up Blender's main thread: `make stalls`, or `python -m tests.stalls
--side 1024`.

Each turn of the extension on the main thread is timed: starting a run, showing it on the mesh,
writing its result, dabs of the brush, the end of a stroke, cancel and quit. Blender's own drawing
is not in it. Turns are counted by their processor time, which others on the machine do not change;
the longest by the clock stands beside it.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import bpy
import numpy as np

import erosion_addon
from erosion_addon import Recipe
from erosion_addon.processes.brush.parameters import Stroke
from erosion_addon.scene.brush import ground as grounds
from erosion_addon.scene.brush.painter import Painter
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.scene.worker import worker_process
from erosion_addon.ui.recipe import steps
from tests.terrains import fractal

ROOT = Path(__file__).resolve().parents[1]
CELL = 10.0
MOST = 50.0
"""Milliseconds that a turn may take."""

BINS = (1.0, 5.0, 20.0, 50.0, 100.0, 200.0)
"""Upper ends of a histogram, ms."""

Given = TypeVar("Given")


class Turns:
    """Turns on the main thread."""

    def __init__(self) -> None:
        self.processor: dict[str, list[float]] = {}
        self.clock: dict[str, list[float]] = {}

    def time(self, name: str, act: Callable[[], Given]) -> Given:
        """Do it and keep how long that took, ms."""
        began = time.thread_time()
        clock = time.perf_counter()
        try:
            return act()
        finally:
            self.clock.setdefault(name, []).append(1000.0 * (time.perf_counter() - clock))
            self.processor.setdefault(name, []).append(1000.0 * (time.thread_time() - began))

    def print_all(self) -> int:
        """Print all; returns in how many kinds of turns one took too long."""
        print(
            f"{'':24}{'turns':>7}"
            + "".join(f"{f'<{end:g}':>7}" for end in BINS)
            + "   more  longest  by the clock"
        )
        too_long = 0
        for name, values in self.processor.items():
            counts = np.bincount(np.searchsorted(BINS, values, "right"), minlength=len(BINS) + 1)
            cells = "".join(f"{count:7}" for count in counts)
            print(
                f"{name:24}{len(values):7}{cells}{max(values):7.0f} ms{max(self.clock[name]):8.0f} "
                "ms"
            )
            too_long += max(values) > MOST
        return too_long


def terrain(side: int) -> bpy.types.Object:
    """A terrain in an empty scene, active."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    obj = make_grid_object(
        "Land", fractal(side, side, 900.0), (CELL, CELL), bpy.context.scene.collection
    )
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    steps.fill(obj.erosion, Recipe.load("arcane"))
    return obj


def runs(side: int, turns: Turns) -> None:
    """A run that is seen on its mesh, to its end; and one on its result."""
    obj = terrain(side)
    for drops in (1.0, 0.5):
        recipe = Recipe.load("arcane").with_values({"droplet.drops_per_cell": drops})
        run = turns.time("start of a run", lambda recipe=recipe: job.start(obj, recipe, {}))
        run.viewer.shows = True
        while not run.ended:
            time.sleep(0.1)
            turns.time("a run is shown", run.listen)
            name = "the result is written" if run.ready else "a run is waited for"
            turns.time(name, run.commit)
        assert run.state == "done", run.sentence
        job.clear()


def strokes(side: int, turns: Turns) -> None:
    """Strokes of the brush, dab by dab, 40 cells wide; the first one hands the terrain over."""
    obj = terrain(side)
    for number, kind in enumerate(("rain", "smooth", "raise", "talus")):
        given = Stroke(kind=kind, radius=40 * CELL, seed=number)
        first = ": first" if number == 0 else ""
        ground = turns.time(f"terrain is read{first}", lambda: grounds.of(obj))
        begin = partial(Painter, obj, ground, given, {}, None, "open", 0)
        painter = turns.time(f"start of a stroke{first}", begin)
        for dab in range(20):
            painter.dab((0.3 + 0.02 * dab) * side * CELL, (0.3 + 0.1 * number) * side * CELL)
            time.sleep(0.02)
            turns.time("dabs are shown", painter.tick)
        painter.end()
        while not painter.ended:
            time.sleep(0.01)
            turns.time("dabs are shown", painter.tick)
            assert not painter.fault, painter.fault
        while not turns.time("a stroke is prepared", painter.is_settled):
            time.sleep(0.01)
        turns.time("a stroke is written", painter.commit)


def ends(side: int, count: int) -> tuple[float, float]:
    """Cancel runs that are under way, and quit Blender during one; returns the longest seconds of
    each.
    """
    obj = terrain(side)
    longest = 0.0
    recipe = Recipe.load("arcane").with_values({"droplet.drops_per_cell": 1000.0})
    for _ in range(count):
        run = job.start(obj, recipe, {})
        run.viewer.shows = True
        while run.state in ("starting", "compiling"):
            run.poll(0.05)
        began = time.perf_counter()
        job.clear()
        longest = max(longest, time.perf_counter() - began)
    words = [sys.executable, "-W", "ignore", "-m", "tests.stalls", "--side", str(side), "--quit"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    return longest, time.time() - float(done.stdout.split()[-1])


def quit_during_a_run(side: int) -> None:
    """End this Blender during a run, as it ends: extensions are switched off, and the process is
    left.
    """
    obj = terrain(side)
    run = job.start(obj, Recipe.load("arcane").with_values({"droplet.drops_per_cell": 1000.0}), {})
    while run.state in ("starting", "compiling"):
        run.poll(0.05)
    print(time.time(), flush=True)
    erosion_addon.unregister()
    os._exit(0)  # Blender 4.5 as a Python module may hang at its end, see conftest.py


def main() -> int:
    """Command line; returns in how many kinds of turns one took too long."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=1024, help="cells a side (default: 1024)")
    parser.add_argument(
        "--quit", action="store_true", help="quit during a run, and do nothing else"
    )
    given = parser.parse_args()
    erosion_addon.register()
    if given.quit:
        quit_during_a_run(given.side)
    turns = Turns()
    runs(given.side, turns)
    strokes(given.side, turns)
    too_long = turns.print_all()
    cancel, leave = ends(given.side, 10)
    print(f"cancel: {1000 * cancel:.0f} ms at most; quit during a run: {1000 * leave:.0f} ms")
    failures = too_long + (cancel > 0.5) + (leave > 3.0)
    print(f"{failures} of the promises are not kept")
    worker_process.stop()
    return failures


if __name__ == "__main__":
    failed = main() > 0
    sys.stdout.flush()
    os._exit(failed)  # Blender 4.5 as a Python module may hang at its end, see conftest.py
