# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed and memory as ratios within one run: prints a table in Markdown and writes it to build/bench.md.

A machine shared with others is never equally fast twice, so whatever is compared runs in turn, several times, and the
median counts. Needs g++.
"""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import droplets  # noqa: E402

PAIRS = 7
STARTS = 5
Row = tuple[str, str, str, str]
"""What is measured, the figure, its gate, and whether that was met."""


def main() -> None:
    """Run everything; a gate that is not met is said, not an error."""
    lines = [*_machine(), "", droplets.check(), "", "| what | measured | gate | met |", "|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    for rows in (_droplets, _memory, _blender):
        for row in rows():
            lines.append(f"| {' | '.join(row)} |")
            print(lines[-1], flush=True)
    report = ROOT / "build" / "bench.md"
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"\nAlso in {report}")


def _machine() -> list[str]:
    import numba

    compiler = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return [
        f"# Benchmark on {_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        "",
        f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}; {compiler}, "
        f"-O3 -march=native. One thread each; {PAIRS} pairs of runs in turn, CPU time per step of a drop, median.",
    ]


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "an unknown processor"


def _at_least(what: str, ratio: float, gate: float, note: str) -> Row:
    return what, f"{ratio:.2f} ({note})", f"≥ {gate:.1f}", "yes" if ratio >= gate else "**no**"


def _at_most(what: str, value: float, gate: float, unit: str) -> Row:
    return what, f"{value:.1f} {unit}", f"≤ {gate:g} {unit}", "yes" if value <= gate else "**no**"


def _droplets() -> list[Row]:
    rows = []
    for side, drops in ((512, 131072), (2048, 262144)):
        ratio, speed = droplets.ratios(side, drops, PAIRS, np.float64)
        rows.append(_at_least(f"droplets {side}²: speed against C++ double", ratio, 1.0, f"{speed:,.0f} drops/s"))
        ratio, _ = droplets.ratios(side, drops, PAIRS, np.float32)
        rows.append((f"droplets {side}²: speed against C++ float", f"{ratio:.2f}", "–", "for information"))
    return rows


def _memory() -> list[Row]:
    if sys.platform == "win32":
        return [("memory of the worker, 2048²", "not measured on Windows", "–", "–")]
    figures = _child("worker_memory.py")
    returned = ("fields returned, 2048²", f"{figures['returned']:.1f} bytes/cell", "–", "for information")
    return [_at_most("memory of the worker beyond them", figures["beyond"], 64, "bytes/cell"), returned]


def _blender() -> list[Row]:
    starts = [_child("in_blender.py", "0") for _ in range(STARTS)]
    start = 1000 * median(each["import"] + each["register"] for each in starts)
    mesh = _child("in_blender.py", "7")
    return [
        _at_most("start of Blender: CPU time to import and register the extension", start, 50, "ms"),
        *(_at_most(f"mesh of 2048²: {name}", 1000 * mesh[name], 100, "ms")
          for name in ("read heights", "read terrain", "write heights")),
    ]  # fmt: skip


def _child(script: str, *arguments: str) -> dict[str, Any]:
    """The JSON that a script beside this one prints last, from a process of its own."""
    command = [sys.executable, str(ROOT / "bench" / script), *arguments]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    figures: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return figures


if __name__ == "__main__":
    main()
