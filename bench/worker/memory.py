# SPDX-License-Identifier: GPL-3.0-or-later
"""How much memory the worker needs: a process of its own that has a worker erode and prints its
figures as JSON.

The peak of a worker that erodes a large terrain, less that of one that erodes a small one, so that
Python, numpy, numba and the compiled kernels do not count. The argument names one of RECIPES. Linux
and macOS.
"""

import json
import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from erosion_addon import Recipe, Terrain
from erosion_addon.worker.client import Runner

SIDE = 2048
SHORT: dict[str, dict[str, Any]] = {
    "droplet": {"drops_per_cell": 0.02},
    "water": {"duration": 8 / 3600},
    "wind": {"particles_per_cell": 0.001},
}
"""Steps, as short as shows how much they need."""
RECIPES = {"droplets": ["droplet"], "water and wind": ["water", "wind"]}


def erode(kinds: list[str], side: int) -> int:
    """Have a worker erode a terrain; returns the bytes of the fields that come back."""
    recipe = Recipe.from_dict(
        {"name": "bench", "step": [{"kind": kind, **SHORT[kind]} for kind in kinds]}
    )
    elevation = np.random.default_rng(1).random((side, side)) * 10
    runner = Runner({})
    runner.run(Terrain(elevation), recipe, {})
    while True:
        for message in runner.poll(60):
            if message.kind == "result":
                runner.kill()
                return sum(array.nbytes for array in message.arrays.values())
            if message.kind not in ("ready", "progress"):
                sys.exit(f"The worker says {message.kind}: {message.values}")


def peak() -> int:
    """Bytes that the largest worker so far has held."""
    kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return kilobytes if sys.platform == "darwin" else kilobytes * 1024


def measure(kinds: list[str]) -> dict[str, float]:
    """Bytes a cell at the peak, and those of the fields returned, which are among them."""
    erode(kinds, 64)
    before = peak()
    returned = erode(kinds, SIDE)
    return {"returned": returned / SIDE**2, "peak": (peak() - before) / SIDE**2}


if __name__ == "__main__":
    print(json.dumps(measure(RECIPES[sys.argv[1]])))
