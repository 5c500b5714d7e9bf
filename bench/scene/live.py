# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of live heights: throughput while a run is shown on its mesh relative to that while it is
not, and the time for which Blender's main thread is blocked. Its own process, with bpy.

    live.py [SIDE [SECONDS]]        cells along a side, 1024; seconds of each of the two kinds of
    time, 30

Prints JSON. Without a window nothing is drawn; `make gui-test` prints what that adds.
"""

import json
import sys
import time
from pathlib import Path
from statistics import median

import bpy
import numpy as np

from erosion_addon.scene.terrain.mesh import make_grid_object

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

SLICE = 3.0
"""Seconds of one kind, until it is the other's turn."""

TURN = 0.05
"""Seconds between two looks at the run, as in the user interface."""


def measure(side: int, seconds: float) -> dict[str, float]:
    """Ratio of throughputs, longest update in ms, and updates per second."""
    from erosion_addon import Recipe
    from erosion_addon.scene.run import displayed_heights as live
    from erosion_addon.scene.run import job
    from erosion_addon.scene.terrain.mesh import shown_positions
    from erosion_addon.scene.worker import worker_process as process

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    place = np.linspace(0.0, 12.0, side)
    elevation = 300.0 * (
        2.0 + np.sin(place) * np.cos(place[:, None]) + 0.2 * np.sin(7.0 * (place + place[:, None]))
    )
    obj = make_grid_object("Terrain", elevation, (10.0, 10.0), bpy.context.scene.collection)
    run = job.start(obj, Recipe.load("arcane").with_values({"droplet.drops_per_cell": 1000.0}), {})
    while run.fraction == 0.0:
        run.poll(TURN)
    speeds: dict[bool, list[float]] = {True: [], False: []}
    longest = longest_work = 0.0
    pictures = 0
    picture = b""
    for number in range(2 * round(seconds / SLICE)):
        run.viewer.shows = number % 2 == 0
        begin = time.perf_counter()
        before = run.fraction
        while time.perf_counter() - begin < SLICE:
            time.sleep(TURN)
            looked = time.perf_counter()
            worked = time.thread_time()
            run.poll()
            longest = max(longest, time.perf_counter() - looked)
            longest_work = max(longest_work, time.thread_time() - worked)
            pixels = (
                shown_positions(obj.data)[:: side + 1].tobytes()
                if live.is_shown(obj.data)
                else picture
            )
            pictures = pictures + (pixels != picture)
            picture = pixels
        speeds[run.viewer.shows].append((run.fraction - before) / (time.perf_counter() - begin))
    run.cancel()
    process.stop()
    ratios = [visible / unseen for visible, unseen in zip(speeds[True], speeds[False], strict=True)]
    return {
        "side": side,
        "throughput shown / not shown": median(ratios),
        "longest stall ms": 1000 * longest,
        "of it work ms": 1000 * longest_work,
        "pictures a second": pictures / seconds,
    }


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    print(json.dumps(measure(*(words + [1024, 30][len(words) :]))))
