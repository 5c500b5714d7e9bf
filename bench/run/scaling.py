# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed of every process by size of terrain and number of threads: a table and its plot.

    python bench/run/scaling.py KIND SIDE THREADS ...     prints millions of units of work a second
    for each, as JSON

Unit of work: a cell that a drop or grain passes, or a cell in one time step. The terrain repeats
the same 512² cells: only their number differs.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.shared.comparison import tiled
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.processes.shared.state import State

SIDES = (512, 1024, 2048, 4096, 8192)
SECONDS = 1.0
"""Of work that are timed, at least."""

COLUMNS = 4
"""Panels of the plot side by side."""

SPACING = 10.0
RELIEF = 1500.0

WORK: dict[str, tuple[dict[str, Any], str, Callable[[dict[str, Any], int], float]]] = {
    "droplet": (
        {"drops_per_cell": 50.0},
        "steps of drops",
        lambda totals, cells: totals["drops"] * totals["mean_path"],
    ),
    "rill": (
        {"drops_per_cell": 50.0},
        "steps of drops",
        lambda totals, cells: totals["drops"] * totals["mean_path"],
    ),
    "wind": (
        {"particles_per_cell": 50.0},
        "steps of grains",
        lambda totals, cells: totals["particles"] * totals["mean_steps"],
    ),
    "dunes": ({"years": 1000.0}, "hops of sand", lambda totals, cells: totals["hops"]),
    "water": (
        {"duration": 100.0},
        "cells in a step",
        lambda totals, cells: totals["water_steps"] * cells,
    ),
    "talus": (
        {"reach": 5000.0, "rock_angle": 20.0},
        "cells in a pass",
        lambda totals, cells: totals["passes"] * cells,
    ),
    "weather": (
        {"duration": 1e7},
        "cells in a step",
        lambda totals, cells: totals["time_steps"] * cells,
    ),
}
"""Kind of step → parameters that make it last, its unit of work, and how much of that its counts
tell.
"""

Speeds = dict[tuple[str, int, int], float]
"""Millions of units a second by kind, side and threads."""


def speed(kind: str, side: int, threads: int) -> float:
    """Millions of units of work a second by the clock."""
    values, _, work = WORK[kind]
    land = tiled(side, RELIEF, 2.0)
    process = PROCESSES[kind]
    state = State(land, {"sediment": land * 0.0 + 1.0}, {}, (SPACING, SPACING), "wrap", threads)
    step = process.step(state, process.parameters.from_dict(values), 1)
    for _ in range(3):  # compiles, and finds the size of its chunks
        step.advance()
    # From one change of the counts to another, as some processes count only when a storm or a year
    # is over.
    counted = work(step.counts(1.0), side**2)
    moments = []
    while len(moments) < 2 or moments[-1][0] - moments[0][0] < SECONDS:
        share = step.advance()
        if (amount := work(step.counts(1.0), side**2)) != counted:
            moments.append((time.perf_counter(), counted := amount))
        if share == 1.0:
            break
    (start, before), *_, (ended, after) = moments
    return (after - before) / (ended - start) / 1e6


def measure(
    sides: tuple[int, ...], threads: tuple[int, ...]
) -> Iterator[tuple[tuple[str, int, int], float]]:
    """Speeds as they are measured, each size in its own process, so that its memory is returned."""
    for kind in WORK:
        for side in sides:
            command = [sys.executable, __file__, kind, str(side), *map(str, threads)]
            printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
            for count, speeds_by_turn in zip(
                threads, json.loads(printed.splitlines()[-1]), strict=True
            ):
                yield (kind, side, count), speeds_by_turn


def table(speeds: Speeds) -> list[str]:
    """Lines of a Markdown table: a row for each process and number of threads."""
    sides = sorted({side for _, side, _ in speeds})
    lines = ["| millions a second | threads | " + " | ".join(f"{side}²" for side in sides) + " |"]
    lines.append("|---" * (len(sides) + 2) + "|")
    for kind in WORK:
        for count in sorted({count for _, _, count in speeds}):
            speeds_by_turn = " | ".join(f"{speeds[kind, side, count]:.3g}" for side in sides)
            lines.append(
                f"| {PROCESSES[kind].label}, {WORK[kind][1]} | {count} | {speeds_by_turn} |"
            )
    return lines


def plot(speeds: Speeds, machine: str, path: Path) -> None:
    """A picture of the table: a panel for each process, a line for each number of threads."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    sides = sorted({side for _, side, _ in speeds})
    counts = sorted({count for _, _, count in speeds})
    rows = -(-len(WORK) // COLUMNS)
    figure, panels = pyplot.subplots(
        rows, COLUMNS, figsize=(11, 3 * rows), sharex=True, layout="constrained"
    )
    for unused in panels.ravel()[len(WORK) :]:
        unused.set_axis_off()
    for panel, kind in zip(panels.ravel(), WORK, strict=False):
        for shade, count in enumerate(counts):
            color = pyplot.get_cmap("viridis")(0.15 + 0.7 * shade / max(len(counts) - 1, 1))
            label = f"{count} thread{'s' if count > 1 else ''}"
            panel.plot(
                sides, [speeds[kind, side, count] for side in sides], "o-", color=color, label=label
            )
        panel.set_title(PROCESSES[kind].label, loc="left", fontweight="bold")
        panel.set_ylabel(f"million {WORK[kind][1]} / s", fontsize=9)
        panel.set_xscale("log", base=2)
        panel.set_xticks(sides, [f"{side}²" for side in sides])
        panel.minorticks_off()
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0, 0].legend(frameon=False)
    figure.supxlabel("cells of the terrain")
    figure.suptitle(machine, fontsize=9, color="0.4")
    figure.savefig(path, dpi=110)


def _several(kind: str, side: int, threads: list[int]) -> list[float]:
    """Speed for each number of threads; small terrains are measured in turns, of which the median
    counts.
    """
    turns = 3 if side <= 1024 else 1
    speeds_by_turn = [[speed(kind, side, count) for count in threads] for _ in range(turns)]
    return [median(column) for column in zip(*speeds_by_turn, strict=True)]


if __name__ == "__main__":
    print(
        json.dumps(_several(sys.argv[1], int(sys.argv[2]), [int(count) for count in sys.argv[3:]]))
    )
