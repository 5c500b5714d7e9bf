# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed and memory as ratios within one run: prints a table in Markdown and writes it to build/bench.md.

Needs g++. What is compared runs in turn, several times, and the median counts; see `comparison`.
"""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import droplets  # noqa: E402
import lights  # noqa: E402
import rills  # noqa: E402
import taluses  # noqa: E402
import waters  # noqa: E402
import winds  # noqa: E402
from comparison import BUILD, TURNS  # noqa: E402
from table import Row, at_most, for_information  # noqa: E402

PROCESSES = (droplets, rills, winds, waters, taluses, lights)
STARTS = 5


def main() -> None:
    """Run everything; a gate that is not met is said, not an error."""
    lines: list[str] = []
    for line in _report():
        lines.append(line)
        print(line, flush=True)
    report = BUILD / "bench.md"
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"\nAlso in {report}")


def _report() -> Iterator[str]:
    """Lines of the report, as they come."""
    yield from _machine()
    yield from ("", "Kernel and C++ without fused multiply-adds agree bit for bit:", "")
    for process in PROCESSES:
        yield f"* {process.check()}"
    yield from ("", "| what | measured | gate | met |", "|---|---|---|---|")
    for rows in (*(process.rows for process in PROCESSES), _memory, _blender, _look):
        for row in rows():
            yield f"| {' | '.join(row)} |"


def _machine() -> list[str]:
    import numba

    compiler = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return [
        f"# Benchmark on {_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        "",
        f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}; {compiler}, "
        f"-O3 -march=native. One thread each; CPU time, median of {TURNS} turns.",
    ]


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "an unknown processor"


def _memory() -> Iterator[Row]:
    if sys.platform == "win32":
        yield for_information("memory of the worker, 2048²", "not measured on Windows")
        return
    for recipe in ("droplets", "water and wind"):
        figures = _child("worker_memory.py", recipe)
        peak, returned = figures["peak"], figures["returned"]
        yield at_most(f"memory of the worker at its peak, 2048², {recipe}", peak, 128, "bytes/cell")
        if recipe == "droplets":
            yield at_most("memory beyond the fields returned, 2048², droplets", peak - returned, 64, "bytes/cell")
        yield for_information(f"fields returned, 2048², {recipe}", f"{returned:.1f} bytes/cell")


def _blender() -> Iterator[Row]:
    starts = [_child("in_blender.py", "0") for _ in range(STARTS)]
    start = 1000 * median(each["import"] + each["register"] for each in starts)
    yield at_most("start of Blender: CPU time to import and register the extension", start, 50, "ms")
    mesh = _child("in_blender.py", "7")
    for name in ("read heights", "read terrain", "write heights"):
        yield at_most(f"mesh of 2048²: {name}", 1000 * mesh[name], 100, "ms")


def _look() -> Iterator[Row]:
    times = _child("companions.py", "5")
    total = 1000 * (times["attributes"] + times["water on all"])
    yield at_most("terrain of 1024²: attributes and water surface brought up to date", total, 300, "ms")


def _child(script: str, *arguments: str) -> dict[str, Any]:
    """The JSON that a script beside this one prints last, from a process of its own."""
    command = [sys.executable, str(ROOT / "bench" / script), *arguments]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    figures: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return figures


if __name__ == "__main__":
    main()
