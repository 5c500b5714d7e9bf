# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a run: what was done, that no mass was lost, and the hashes that prove the bytes."""

import hashlib
import math
import sys
from typing import Any

import numpy as np

from ..processes.shared.state import Volumes
from ..terrain.terrain import Terrain


def mass_balance(before: Terrain, after: Terrain, volumes: Volumes) -> dict[str, float]:
    """Volumes of solid material in m³, with error = before + added - exported - after.

    The error is summed from the change of each cell, so that it is not drowned by the rounding of the two large sums.
    """
    area = before.cell_area
    # Row by row, so that no second array of the terrain's size is needed.
    rows = zip(after.elevation, before.elevation, strict=True)
    change = math.fsum(float(np.sum(new - old)) for new, old in rows) * area + _suspended(after) - _suspended(before)
    return {
        "before": float(np.sum(before.elevation)) * area + _suspended(before),
        "added": volumes.added,
        "exported": volumes.exported,
        "after": float(np.sum(after.elevation)) * area + _suspended(after),
        "moved": volumes.moved,
        "error": volumes.added - volumes.exported - change,
    }


def _suspended(terrain: Terrain) -> float:
    """Volume that the water carries, in m³."""
    return float(np.sum(terrain.fields.get("suspended", 0.0), dtype=np.float64)) * terrain.cell_area


def hashes(terrain: Terrain) -> dict[str, str]:
    """SHA-256 of each field's little-endian bytes in C order."""
    return {
        name: hashlib.sha256(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data).hexdigest()
        for name, array in {"elevation": terrain.elevation, **terrain.fields}.items()
    }


def peak_memory_bytes() -> int:
    """The most memory this process has held so far; 0 where the system does not tell."""
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
            (name, ctypes.c_size_t) for name in ("peak", "now", "a", "b", "c", "d", "pagefile", "peak_pagefile")
        ]

    counters = Counters(size=ctypes.sizeof(Counters))
    kernel32: Any = ctypes.windll.kernel32  # type: ignore[attr-defined]
    kernel32.GetCurrentProcess.restype = wintypes.HANDLE
    query = kernel32.K32GetProcessMemoryInfo
    query.argtypes = [wintypes.HANDLE, ctypes.POINTER(Counters), wintypes.DWORD]
    return counters.peak if query(kernel32.GetCurrentProcess(), ctypes.byref(counters), counters.size) else 0


def in_words(report: dict[str, Any]) -> list[str]:
    """The report as a few short lines for the panel and the terminal."""
    grid, mass = report["grid"], report["mass"]
    lines = [
        f"{report['recipe']}, seed {report['seed']}, {grid['rows']} × {grid['cols']} cells, {report['seconds']:.1f} s"
    ]
    if report["finished"] < 1:
        lines.append(f"finished early, at {report['finished']:.0%}")
    if reused := sum(step.get("reused", False) for step in report["steps"]):
        lines.append(f"{reused} of {len(report['steps'])} steps as in a run before, not run again")
    for step in report["steps"]:
        lines += _step_in_words(step)
    lines.append(f"{volume(mass['moved'])} moved, {volume(mass['exported'])} carried out")
    return lines


_TOLD = (
    ("drops", "drops_per_second", "mean_path", "paths_cut"),
    ("particles", "particles_per_second"),
    ("water_steps", "rain", "inflow", "outflow", "evaporation", "stored"),
    ("passes", "at_rest"),
    ("years", "weathered"),
)
"""Counts of a step that `in_words` tells, by kind of process; the first one shows which it is."""


def is_step_report(step: Any) -> bool:
    """Whether this is what a report says of a step; it may come from anybody."""
    if not isinstance(step, dict) or not isinstance(step.get("kind"), str) or not isinstance(step.get("name", ""), str):
        return False
    grid = step.get("grid", {})
    if not isinstance(grid, dict):
        return False
    counts = {key: value for key, value in step.items() if key not in ("kind", "name", "grid")}
    told = next((keys for keys in _TOLD if keys[0] in step), ("years",))
    return all(map(_is_number, (*counts.values(), *grid.values()))) and counts.keys() >= {"seconds", *told}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) <= 1e300  # NaN fails too


def _step_in_words(step: dict[str, Any]) -> list[str]:
    if "drops" in step:
        paths = f"mean path {step['mean_path']:.0f} cells, {step['paths_cut']:,} paths cut"
        if "random_directions" in step:
            paths += f", {step['random_directions']:,} random directions"
        return [f"{step['drops']:,} drops, {step['drops_per_second']:,.0f} a second", paths]
    if "particles" in step:
        return [f"{step['particles']:,} gusts of wind, {step['particles_per_second']:,.0f} a second"]
    if "water_steps" in step:
        came, left = step["rain"] + step["inflow"], step["outflow"] + step["evaporation"]
        return [f"{volume(came)} of water came, {volume(left)} left, {volume(step['stored'])} stands"]
    if "passes" in step:
        rest = "at rest" if step["at_rest"] else "not at rest yet"
        return [f"talus {rest} after {step['passes']:,} slides"]
    return [f"{step['years']:,.0f} years of weather, {step['weathered']:.3g} m of rock weathered"]


def volume(cubic_metres: float) -> str:
    """A volume in words, in the unit that keeps it short."""
    for unit, size in (("km³", 1e9), ("million m³", 1e6)):
        if abs(cubic_metres) >= size / 10:
            return f"{cubic_metres / size:,.2f} {unit}"
    return f"{cubic_metres:,.0f} m³" if abs(cubic_metres) >= 10 else f"{cubic_metres:.3g} m³"
