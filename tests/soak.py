# SPDX-License-Identifier: GPL-3.0-or-later
"""Long runs of what must never fail, with figures: `make soak`, or `python tests/soak.py --cancels 3000 --kills 1000`.

0 failures in N bounds the rate of failures at about 3 / N.
"""

import argparse
import os
import random
import signal
import sys
import time
from pathlib import Path

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from erosion_addon.model import InputError, Recipe
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.worker import worker_process as process
from tests.terrains import fractal

LONG = Recipe.load("arcane").with_values({"droplet.drops_per_cell": 1000.0})


def terrain_object() -> bpy.types.Object:
    """A small terrain in an empty scene."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return grid.make_grid_object("Terrain", fractal(48, 64, relief=200.0), (10.0, 10.0), bpy.context.scene.collection)


def start_and_wait(obj: bpy.types.Object, seconds: float) -> "job.Job":
    """A run, under way for so long, and most of the time seen on its mesh."""
    run = job.start(obj, LONG, {})
    run.viewer.shows = random.random() < 0.8
    end = time.monotonic() + seconds
    while time.monotonic() < end and not run.ended:
        run.poll(0.005)
    return run


def cancels(count: int) -> tuple[int, str]:
    """Cancel at random moments; a failure is a changed byte, a process left, or half a second until idle."""
    obj, failures, longest = terrain_object(), 0, 0.0
    before = grid.fingerprint(obj.data)
    for _ in range(count):
        run = start_and_wait(obj, random.random() ** 3 * 3)
        worker = process.ready()._process
        began = time.monotonic()
        job.clear()
        longest = max(longest, time.monotonic() - began)
        intact = grid.fingerprint(obj.data) == before and len(obj.data.attributes) == ATTRIBUTES
        failures += not (intact and run.state == "cancelled" and worker.poll() is not None)
    return failures + (longest > 0.5), f"longest time until idle {longest * 1000:.0f} ms"


def kills(count: int) -> tuple[int, str]:
    """kill -9 on the worker at random moments; a failure is a changed byte or no sentence."""
    obj, failures = terrain_object(), 0
    before = grid.fingerprint(obj.data)
    for _ in range(count):
        run = start_and_wait(obj, random.random() * 0.5)
        os.kill(process.ready()._process.pid, signal.SIGKILL)
        while not run.ended:
            run.poll(0.05)
        failures += not (grid.fingerprint(obj.data) == before and "SIGKILL" in run.sentence)
        job.clear()
    return failures, "each with a sentence"


def meshes(count: int) -> tuple[int, str]:
    """Random meshes; a failure is anything but a terrain or a sentence."""
    refused = failures = 0
    for number in range(count):
        if number % 1000 == 0:
            bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        chance = np.random.default_rng(random.getrandbits(64))
        rows, cols = chance.integers(1, 9, 2)
        heights = chance.normal(0, 10.0 ** chance.integers(-3, 4), (rows, cols))
        places = np.stack([*np.mgrid[0:rows, 0:cols][::-1], heights], -1)
        places = places.reshape(-1, 3) * 10.0 ** chance.integers(-3, 4) + chance.choice([0, 0, 1e3, 1e6])
        for _ in range(chance.integers(0, 3)):
            match chance.integers(4):
                case 0:
                    places = chance.permutation(places)
                case 1:
                    places = places[chance.random(len(places)) > 0.1]
                case 2 if len(places):
                    places[chance.integers(len(places)), chance.integers(3)] = chance.choice([np.nan, np.inf, 1e30, 0])
                case 3:
                    places = np.concatenate([places, places[:1]])
        mesh = bpy.data.meshes.new("Random")
        mesh.from_pydata(places.tolist(), [], [])
        obj = bpy.data.objects.new("Random", mesh)
        obj.scale = chance.choice([1, 1, 1, 0, -1, 1e-3, 50], 3)
        bpy.context.view_layer.update()
        try:
            assert np.isfinite(grid.read_terrain(obj)[0].elevation).all()
        except InputError as error:
            refused += 1
            failures += not str(error).endswith(".")
        except Exception as error:  # noqa: BLE001 - that none comes is what is tested
            failures += 1
            print(repr(error))
        bpy.data.meshes.remove(mesh)
    return failures, f"{refused} refused in a sentence"


ATTRIBUTES = len(terrain_object().data.attributes)

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for soak, usual in ((cancels, 300), (kills, 100), (meshes, 10000)):
        parser.add_argument(f"--{soak.__name__}", type=int, default=usual, metavar="N", help=soak.__doc__)
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    given = parser.parse_args()
    print(f"--seed {given.seed}")
    random.seed(given.seed)
    total = 0
    for soak in (cancels, kills, meshes):
        count = getattr(given, soak.__name__)
        failures, more = soak(count)
        total += failures
        print(f"{count} {soak.__name__}: {failures} failures, {more}", flush=True)
    process.stop()
    sys.exit(total > 0)
