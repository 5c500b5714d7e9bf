# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed and memory as ratios within one run: prints a report in Markdown, for the manual's page on
speed.

    python bench/bench.py [--sides 512 1024 ...] [--threads 1 2 ...] [--sizes-only] [--keep]

Needs g++. Competitors run in turn, several times; the median counts, see `shared/comparison.py`.
Report and plot are written to build/, and with --keep also to docs/developing/. All sizes take the
better part of an hour, and 16 GB.
"""

import argparse
import itertools
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.bake import bake  # noqa: E402
from bench.drainage import flow_graph  # noqa: E402
from bench.landscape import scaling as tiles  # noqa: E402
from bench.processes import droplet, dunes, rill, talus, water, wind  # noqa: E402
from bench.run import scaling  # noqa: E402
from bench.shared.comparison import BUILD, TURNS  # noqa: E402
from bench.shared.table import Row, at_least, at_most, for_information  # noqa: E402
from erosion_addon.base.threads import processors  # noqa: E402

COMPARED = (droplet, rill, wind, dunes, water, talus, flow_graph, bake)
STARTS = 5


def main() -> None:
    """Run all benchmarks. A gate that is not met is reported; it is no error."""
    words = _words()
    BUILD.mkdir(exist_ok=True)
    lines: list[str] = []
    parts = [
        _machine(),
        _sizes(tuple(words.sides), tuple(words.threads)),
        () if words.sizes_only else _ratios(),
    ]
    for line in itertools.chain.from_iterable(parts):
        lines.append(line)
        print(line, flush=True)
    report = BUILD / "benchmark.md"
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in ("benchmark.md", "benchmark.png") if words.keep else ():
        shutil.copy(BUILD / name, ROOT / "docs" / "developing" / name)
    print(f"\nAlso in {report}")


def _words() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure speed and memory.")
    parser.add_argument(
        "--sides", type=int, nargs="+", default=scaling.SIDES, help="sizes of the terrains"
    )
    usual = sorted(
        {1, *(2**power for power in range(1, 8) if 2**power <= processors()), processors()}
    )
    parser.add_argument("--threads", type=int, nargs="+", default=usual, help="numbers of threads")
    parser.add_argument(
        "--sizes-only", action="store_true", help="no ratios to C++, which take half of the time"
    )
    parser.add_argument(
        "--keep", action="store_true", help="put report and plot into docs/developing/"
    )
    return parser.parse_args()


def _sizes(sides: tuple[int, ...], threads: tuple[int, ...]) -> Iterator[str]:
    """Lines of the report about speed by size and threads."""
    yield from ("", "## Sizes and threads", "")
    speeds = dict(scaling.measure(sides, threads))
    yield from scaling.table(speeds)
    scaling.plot(speeds, f"{_processor()}, {os.cpu_count()} cores", BUILD / "benchmark.png")
    yield from ("", "![Speed by size and threads](benchmark.png)")


def _ratios() -> Iterator[str]:
    """Lines of the report about speed and memory relative to their references."""
    yield from (
        "",
        "## Ratios",
        "",
        "Kernel and C++ without fused multiply-adds agree bit for bit:",
        "",
    )
    for compared in COMPARED:
        yield f"* {compared.check()}"
    yield from ("", "| what | measured | gate | met |", "|---|---|---|---|")
    for rows in (
        *(compared.rows for compared in COMPARED),
        _whole_job,
        tiles.rows,
        _live,
        _hands,
        _memory,
        _blender,
        _look,
        _picture,
    ):
        for row in rows():
            yield f"| {' | '.join(row)} |"


def _machine() -> list[str]:
    import numba

    compiler = subprocess.run(
        ["g++", "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]
    return [
        (
            f"# Speed, measured on {_processor()}, {os.cpu_count()} cores, {platform.system()} "
            f"{platform.machine()}"
        ),
        "",
        f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}; "
        f"{compiler}, -O3 -march=native. Ratios are of CPU time on one thread where nothing else "
        f"is said, medians of {TURNS}.",
    ]


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "an unknown processor"


def _whole_job() -> Iterator[Row]:
    times = _child("run/whole_job.py")
    outside = 100 * (1 - times["kernels"] / times["whole"])
    yield at_most(
        "`erode` 1024² with alpine, one thread: share of the time outside the kernels",
        outside,
        10,
        "%",
    )


def _live() -> Iterator[Row]:
    shares = _child("scene/live.py")
    note = (
        f"{shares['pictures a second']:.1f} pictures a second, longest stall "
        f"{shares['longest stall ms']:.0f} ms"
    )
    share = shares["throughput shown / not shown"]
    yield at_least(
        "live heights on a mesh of 1024²: throughput shown against not shown", share, 0.9, note
    )
    often = _child("scene/live.py", "512", "12")["pictures a second"]
    yield at_least("live heights on a mesh of 512²: pictures a second", often, 5, "by the clock")


def _hands() -> Iterator[Row]:
    felt = _child("scene/hands.py")
    yield at_most(
        "live preview of alpine on 1024²: from a change to its picture",
        1000 * felt["answer"],
        300,
        "ms",
    )
    yield at_least(
        "stroke of rain on 1024²: updates a second, drawing apart",
        felt["updates"],
        15,
        "by the clock",
    )


def _memory() -> Iterator[Row]:
    if sys.platform == "win32":
        yield for_information("memory of the worker, 2048²", "not measured on Windows")
        return
    for recipe in ("droplets", "water and wind"):
        figures = _child("worker/memory.py", recipe)
        peak = figures["peak"]
        returned = figures["returned"]
        yield at_most(f"memory of the worker at its peak, 2048², {recipe}", peak, 128, "bytes/cell")
        if recipe == "droplets":
            yield at_most(
                "memory beyond the fields returned, 2048², droplets",
                peak - returned,
                64,
                "bytes/cell",
            )
        yield for_information(f"fields returned, 2048², {recipe}", f"{returned:.1f} bytes/cell")


def _blender() -> Iterator[Row]:
    # compiled modules, which an installed extension has beside its own
    with tempfile.TemporaryDirectory() as folder:
        switches = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        _, *starts = [_child("scene/in_blender.py", "0", **switches) for _ in range(1 + STARTS)]
    start = 1000 * median(times["start"] for times in starts)
    yield at_most(
        "start of Blender: CPU time to import and register the extension", start, 50, "ms"
    )
    mesh = _child("scene/in_blender.py", "7")
    for name in ("read heights", "read terrain", "write heights"):
        yield at_most(f"mesh of 2048²: {name}", 1000 * mesh[name], 100, "ms")


def _look() -> Iterator[Row]:
    times = _child("scene/companions.py", "5")
    total = 1000 * (times["attributes"] + times["water on all"])
    yield at_most(
        "terrain of 1024²: attributes and water surface brought up to date", total, 200, "ms"
    )


def _picture() -> Iterator[Row]:
    times = _child("scene/look.py")
    note = (
        f"terrain of 1024² with alpine: Set Up Look, Blender's own part ({times['all']:.1f} s with "
        "the light)"
    )
    yield at_most(note, 1000 * times["own"], 1000, "ms")
    figure = f"{times['next']:.0f} s, the first {times['first']:.0f} s"
    yield for_information("picture of it with plants, 1600 × 900, EEVEE, by the clock", figure)


def _child(script: str, *arguments: str, **environment: str) -> dict[str, Any]:
    """Last JSON printed by a script of this folder, run as its own process."""
    command = [sys.executable, str(ROOT / "bench" / script), *arguments]
    variables = os.environ | environment
    printed = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=variables
    ).stdout
    figures: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return figures


if __name__ == "__main__":
    main()
