# SPDX-License-Identifier: GPL-3.0-or-later
"""Update of a 1024 × 1024 terrain after a run: its own process, with bpy, which prints JSON.

Median CPU time in seconds to write the attributes after a run of water, to make the water surface
with a tenth of the terrain and with all of it under water, and to write the density of plants.
First argument: number of repetitions.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from erosion_addon.scene.plants import foliage
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.scene.water import water_surface

SIDE = 1024

FIELDS = (
    "bedrock",
    "sediment",
    "soil",
    "suspended",
    "flow",
    "moisture",
    "wear",
    "deposition",
    "grass",
)


def times(repeats: int) -> dict[str, float]:
    """Median seconds of each part."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    random = np.random.default_rng(1)
    elevation = np.cumsum(random.random((SIDE, SIDE), np.float32), axis=0)
    terrain = make_grid_object("Terrain", elevation, (10.0, 10.0), bpy.context.scene.collection)
    lattice = grid.find_lattice(terrain)
    fields = {name: random.random((SIDE, SIDE), np.float32) for name in FIELDS}
    fields["velocity"] = random.random((SIDE, SIDE, 2), np.float32)
    wet = {"a tenth": elevation < np.quantile(elevation, 0.1), "all": np.ones((SIDE, SIDE), bool)}

    def write_all() -> None:
        attributes.write_fields(terrain.data, lattice, fields)

    seconds = {}
    for name, where in wet.items():
        fields["water_depth"] = np.where(where, 2.0, 0.0).astype(np.float32)
        seconds["attributes"] = _median(write_all, repeats)
        surface = water_surface.add(terrain)
        seconds[f"water on {name}"] = _median(
            lambda surface=surface: water_surface.update(terrain, surface), repeats
        )
    seconds["density of plants"] = _median(lambda: foliage.write_density(terrain), repeats)
    return seconds


def _median(work: Callable[[], None], repeats: int) -> float:
    measured = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        measured.append(time.process_time() - start)
    return median(measured)


if __name__ == "__main__":
    print(json.dumps(times(int(sys.argv[1]))))
