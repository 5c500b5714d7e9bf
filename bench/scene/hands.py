# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon a terrain answers the hand: live preview after a change, a stroke of the brush. Its own
process, with bpy.

    hands.py [SIDE]         cells along a side, 1024

Prints JSON. Without a window nothing is drawn; `make gui-test` prints what that adds.
"""

import json
import sys
import time
from pathlib import Path
from statistics import median

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from erosion_addon.processes.brush.parameters import Stroke
from erosion_addon.recipe.recipe import Recipe
from erosion_addon.scene.brush import ground
from erosion_addon.scene.brush.painter import Painter
from erosion_addon.scene.run import preview
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.scene.worker import worker_process

CELL = 4.0
"""Meters."""

CHANGES = 8
"""Changes of a parameter that are timed."""

SECONDS, DABS = 4.0, 60.0
"""Length of the stroke, and dabs a second, as fast as a mouse moves."""


class CountedPainter(Painter):
    """A stroke that counts how often the mesh shows it anew."""

    redraws = 0

    def show(self) -> None:
        """Count, and show."""
        self.redraws += 1
        super().show()


def terrain(side: int) -> bpy.types.Object:
    """Hills in an empty scene."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    place = np.linspace(0.0, 12.0, side)
    hills = 300.0 * (
        2.0 + np.sin(place) * np.cos(place[:, None]) + 0.2 * np.sin(7.0 * (place + place[:, None]))
    )
    return make_grid_object("Terrain", hills, (CELL, CELL), bpy.context.scene.collection)


def answer(side: int) -> float:
    """Median seconds from a change of a parameter of *alpine* to its first picture."""
    obj = terrain(side)
    recipe = Recipe.load("alpine")
    seconds = []
    redraws = preview.of(obj)
    redraws.prepare(obj, "", {}, False)
    for number in range(1 + CHANGES):  # the first compiles
        start = time.perf_counter()
        redraws.run(recipe.with_values({"droplet.capacity": 0.05 + 0.01 * number}), 0)
        while redraws.is_computing:
            redraws.poll(obj, 0.005)
        seconds.append(time.perf_counter() - start)
    preview.end()
    return median(seconds[1:])


def updates(side: int) -> float:
    """How many times a second the mesh shows a stroke of rain, 40 cells in radius, anew; the second
    of two strokes.
    """
    obj = terrain(side)
    for number in range(2):
        stroke = Stroke(kind="rain", radius=40 * CELL, seed=number)
        painter = CountedPainter(obj, ground.of(obj), stroke, {}, None, "open", 0)
        start = time.perf_counter()
        dabs = 0
        while (spent := time.perf_counter() - start) < SECONDS:
            while dabs < spent * DABS:
                painter.dab((0.2 + 0.1 * spent) * side * CELL, 0.5 * side * CELL)
                dabs += 1
            painter.tick(0.005)
        painter.end()
        redraws = painter.redraws / SECONDS
        while not painter.ended:
            painter.tick(0.05)
        while not painter.is_settled():
            time.sleep(0.01)
        painter.commit()
    return redraws


if __name__ == "__main__":
    import erosion_addon

    erosion_addon.register()
    cells = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    figures = {"answer": answer(cells), "updates": updates(cells)}
    worker_process.stop()
    print(json.dumps(figures), flush=True)
