# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends of runs at random moments, and random meshes: `make faults`, or `python -m
tests.interruptions --cancels 3000`.

0 failures in N bounds the rate of failures at about 3 / N.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bpy
import numpy as np

import erosion_addon
from erosion_addon import InputError, Recipe
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.mesh import fingerprint, make_grid_object
from erosion_addon.scene.worker import worker_process as process
from tests.terrains import fractal

ROOT = Path(__file__).resolve().parents[1]
LONG = Recipe.load("arcane").with_values({"droplet.drops_per_cell": 1000.0})
"""Longer than any run here goes on: half a minute on a quick machine."""


def terrain_object() -> bpy.types.Object:
    """A terrain in an empty scene."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return make_grid_object(
        "Terrain", fractal(192, 256, relief=200.0), (10.0, 10.0), bpy.context.scene.collection
    )


def start_and_wait(obj: bpy.types.Object, seconds: float) -> "job.Job":
    """A run, under way for so long, and most of the time seen on its mesh."""
    run = job.start(obj, LONG, {})
    run.viewer.shows = random.random() < 0.8
    end = time.monotonic() + seconds
    while time.monotonic() < end and not run.ended:
        run.poll(0.005)
    assert run.state != "done", "The run ended by itself before it could be interrupted."
    return run


def cancels(count: int) -> tuple[int, str]:
    """Cancel at random moments; a failure is a changed byte, a process left, or half a second until
    idle.
    """
    obj = terrain_object()
    failures = 0
    longest = 0.0
    before = fingerprint(obj.data)
    for _ in range(count):
        run = start_and_wait(obj, random.random() ** 3 * 3)
        worker = process.ready()._process
        began = time.monotonic()
        job.clear()
        longest = max(longest, time.monotonic() - began)
        intact = fingerprint(obj.data) == before and len(obj.data.attributes) == ATTRIBUTES
        failures += not (intact and run.state == "cancelled" and worker.poll() is not None)
    return failures + (longest > 0.5), f"longest time until idle {longest * 1000:.0f} ms"


def kills(count: int) -> tuple[int, str]:
    """kill -9 on the worker at random moments; a failure is a changed byte or no sentence."""
    obj = terrain_object()
    failures = 0
    before = fingerprint(obj.data)
    for _ in range(count):
        run = start_and_wait(obj, random.random() * 0.5)
        os.kill(process.ready()._process.pid, signal.SIGKILL)
        while not run.ended:
            run.poll(0.05)
        failures += not (fingerprint(obj.data) == before and "SIGKILL" in run.sentence)
        job.clear()
    return failures, "each with a sentence"


def worker_numbers(pid: int) -> list[int]:
    """Processes that a process has started."""
    lists = (task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/children"))
    return [int(number) for numbers in lists for number in numbers.split()]


def deaths(count: int) -> tuple[int, str]:
    """kill -9 on a Blender during a run; a failure is another .blend file, or a worker that
    outlives it by a second.
    """
    failures = 0
    longest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "land.blend"
        terrain_object()
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        before = path.read_bytes()
        for _ in range(count):
            words = [
                sys.executable,
                "-W",
                "ignore",
                "-m",
                "tests.interruptions",
                "--open",
                str(path),
            ]
            blender = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
            for line in blender.stdout or ():
                if line == "It runs.\n":
                    break
            time.sleep(random.random() ** 2)
            workers = worker_numbers(blender.pid)
            blender.kill()
            blender.wait()
            began = time.monotonic()
            while (
                any(Path(f"/proc/{worker}/exe").exists() for worker in workers)
                and time.monotonic() < began + 10.0
            ):
                time.sleep(0.01)
            seconds = time.monotonic() - began
            longest = max(longest, seconds)
            is_well = seconds < 1.0 and len(workers) == 1 and path.read_bytes() == before
            failures += not (
                is_well and [item.name for item in Path(folder).iterdir()] == [path.name]
            )
    return failures, f"longest life of a worker after it {longest * 1000:.0f} ms"


def run_on(path: str) -> None:
    """Run on the terrain of a file until somebody ends this process."""
    bpy.ops.wm.open_mainfile(filepath=path)
    run = job.start(bpy.data.objects["Terrain"], LONG, {})
    run.viewer.shows = True
    while not run.ended:
        run.poll(0.005)
        if run.state == "running":
            print("It runs.", flush=True)


def registered() -> tuple[object, ...]:
    """All that switching the extension on adds to Blender, and what runs and is open."""
    lists = (getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers))
    handlers = [len(one) for one in lists if isinstance(one, list)]
    classes = [name for name in dir(bpy.types) if name.startswith("EROSION_")]
    keys = sum(
        len(keymap.keymap_items) for keymap in bpy.context.window_manager.keyconfigs.addon.keymaps
    )
    return handlers, classes, keys, dir(bpy.ops.erosion), worker_numbers(os.getpid())


def switches(count: int) -> tuple[int, str]:
    """Switch the extension on and off, every third time in the middle of a run; a failure is
    anything that is left.
    """
    failures = 0
    before = registered()
    on = None
    for number in range(count):
        erosion_addon.register()
        now = registered()
        failures += now != (on := on or now) or now == before
        obj = terrain_object()
        seen = fingerprint(obj.data)
        if number % 3 == 0:
            start_and_wait(obj, random.random() * 0.3)
        erosion_addon.unregister()
        failures += registered() != before or fingerprint(obj.data) != seen
    return failures, "nothing left"


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
        places = places.reshape(-1, 3) * 10.0 ** chance.integers(-3, 4) + chance.choice(
            [0, 0, 1e3, 1e6]
        )
        for _ in range(chance.integers(0, 3)):
            match chance.integers(4):
                case 0:
                    places = chance.permutation(places)
                case 1:
                    places = places[chance.random(len(places)) > 0.1]
                case 2 if len(places):
                    places[chance.integers(len(places)), chance.integers(3)] = chance.choice(
                        [np.nan, np.inf, 1e30, 0]
                    )
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

ENDS = {cancels: 300, kills: 100, deaths: 30, switches: 100, meshes: 10000}
"""What is tried, and how often by default."""


def main() -> int:
    """Command line; returns how many failures there are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for end, usual in ENDS.items():
        parser.add_argument(
            f"--{end.__name__}", type=int, default=usual, metavar="N", help=end.__doc__
        )
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    parser.add_argument(
        "--open", metavar="FILE", help="run on the terrain of a .blend file until this process ends"
    )
    given = parser.parse_args()
    if given.open:
        run_on(given.open)
        return 1
    print(f"--seed {given.seed}", flush=True)
    random.seed(given.seed)
    total = 0
    for end in ENDS:
        if count := getattr(given, end.__name__):
            failures, more = end(count)
            total += failures
            print(f"{count} {end.__name__}: {failures} failures, {more}", flush=True)
    return total


if __name__ == "__main__":
    failed = main() > 0
    process.stop()
    sys.stdout.flush()
    os._exit(failed)  # Blender 4.5 as a Python module may hang at its end, see conftest.py
