# SPDX-License-Identifier: GPL-3.0-or-later
"""Report of a run: steps, mass balance, and hashes of the results."""

import hashlib
import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ..processes.registry import PROCESSES
from ..processes.shared.process import volume
from ..terrain.terrain import Terrain

if TYPE_CHECKING:
    from ..processes.shared.state import Volumes


def mass_balance(before: Terrain, after: Terrain, volumes: "Volumes") -> dict[str, float]:
    """Volumes of solid material in m³, with error = before + added - exported - after.

    The error is summed over the change of each cell, so rounding of the two large sums does not
    hide it.
    """
    area = before.cell_area
    # Row by row, so that no second array of the terrain's size is needed.
    rows = zip(after.elevation, before.elevation, strict=True)
    change = (
        math.fsum(float(np.sum(new - old)) for new, old in rows) * area
        + _suspended(after)
        - _suspended(before)
    )
    return {
        "before": float(np.sum(before.elevation)) * area + _suspended(before),
        "added": volumes.added,
        "exported": volumes.exported,
        "after": float(np.sum(after.elevation)) * area + _suspended(after),
        "moved": volumes.moved,
        "error": volumes.added - volumes.exported - change,
    }


def _suspended(terrain: Terrain) -> float:
    """Volume of suspended material, in m³."""
    return float(np.sum(terrain.fields.get("suspended", 0.0), dtype=np.float64)) * terrain.cell_area


def hashes(terrain: Terrain) -> dict[str, str]:
    """SHA-256 of each field's little-endian bytes in C order."""
    return {
        name: hashlib.sha256(
            np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data
        ).hexdigest()
        for name, array in {"elevation": terrain.elevation, **terrain.fields}.items()
    }


def peak_memory_bytes() -> int:
    """Peak memory of this process so far; 0 if unknown."""
    if sys.platform == "win32":
        return _peak_memory_windows()
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _peak_memory_windows() -> int:
    import ctypes
    from ctypes import wintypes

    class Counters(ctypes.Structure):
        _fields_ = [("size", wintypes.DWORD), ("page_faults", wintypes.DWORD)] + [
            (name, ctypes.c_size_t)
            for name in ("peak", "now", "a", "b", "c", "d", "pagefile", "peak_pagefile")
        ]

    counters = Counters(size=ctypes.sizeof(Counters))
    kernel32: Any = ctypes.windll.kernel32  # type: ignore[attr-defined]
    kernel32.GetCurrentProcess.restype = wintypes.HANDLE
    query = kernel32.K32GetProcessMemoryInfo
    query.argtypes = [wintypes.HANDLE, ctypes.POINTER(Counters), wintypes.DWORD]
    if query(kernel32.GetCurrentProcess(), ctypes.byref(counters), counters.size):
        return int(counters.peak)
    return 0


def in_words(report: dict[str, Any]) -> list[str]:
    """Report in a few short lines for the panel and the terminal."""
    grid = report["grid"]
    mass = report["mass"]
    lines = [
        f"{report['recipe']}, seed {report['seed']}, {grid['rows']} × {grid['cols']} cells, "
        f"{report['seconds']:.1f} s"
    ]
    if region := report.get("region"):
        lines.append(f"on a region of {region['cells']:,} cells")
    if report["finished"] < 1:
        lines.append(f"finished early, at {report['finished']:.0%}")
    if reused := sum(step.get("reused", False) for step in report["steps"]):
        lines.append(f"{reused} of {len(report['steps'])} steps reused from an earlier run")
    for step in report["steps"]:
        lines += PROCESSES[step["kind"]].summary(step)
    lines.append(f"{volume(mass['moved'])} moved, {volume(mass['exported'])} carried out")
    return lines


def is_step_report(step: Any) -> bool:
    """Whether a value is a valid report of a step; checkpoints are untrusted."""
    if (
        not isinstance(step, dict)
        or not isinstance(step.get("kind"), str)
        or not isinstance(step.get("name", ""), str)
    ):
        return False
    grid = step.get("grid", {})
    if not isinstance(grid, dict):
        return False
    counts = {key: value for key, value in step.items() if key not in ("kind", "name", "grid")}
    process = PROCESSES.get(step["kind"])
    if process is None or not all(map(_is_number, (*counts.values(), *grid.values()))):
        return False
    return counts.keys() >= {"seconds", *process.summarized}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) <= 1e300  # NaN fails too
