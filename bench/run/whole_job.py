# SPDX-License-Identifier: GPL-3.0-or-later
"""Share of `erode` outside the kernels: its own process, which prints its figures as JSON.

From parsing the command line to the written files, on one thread, with compiled kernels in the
cache.
"""

import importlib
import json
import pkgutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import erosion_addon
from erosion_addon.cli import commands as cli
from erosion_addon.generators.registry import make

SIDE = 1024
RECIPE = "alpine"


class _Clock:
    """Seconds in kernels, those that kernels call through Python counted once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._inside = False

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, with its time counted."""

        def call(*arguments: Any) -> Any:
            if self._inside:
                return function(*arguments)
            self._inside = True
            begin = time.perf_counter()
            try:
                return function(*arguments)
            finally:
                self._inside, self.seconds = False, self.seconds + time.perf_counter() - begin

        return call


def _watch_kernels(clock: _Clock) -> None:
    for entry in pkgutil.walk_packages(erosion_addon.__path__, "erosion_addon."):
        if ".kernels." not in entry.name:
            continue
        module = importlib.import_module(entry.name)
        for name, value in list(vars(module).items()):
            if hasattr(value, "py_func"):
                setattr(module, name, clock.timed(value))


def measure() -> dict[str, float]:
    """Seconds of the whole, and of the kernels."""
    with tempfile.TemporaryDirectory() as folder:
        start, end = (str(Path(folder) / name) for name in ("start.npy", "end.npy"))
        np.save(start, make("ridged", SIDE, SIDE, 10.0, 1, {"relief": 1500.0}).elevation)
        words = [
            "erode",
            start,
            end,
            "--recipe",
            RECIPE,
            "--cell-size",
            "10",
            "--threads",
            "1",
            "--quiet",
        ]
        cli.main(words)  # compiles
        clock = _Clock()
        _watch_kernels(clock)
        begin = time.perf_counter()
        cli.main(words)
        return {"whole": time.perf_counter() - begin, "kernels": clock.seconds}


if __name__ == "__main__":
    print(json.dumps(measure()))
