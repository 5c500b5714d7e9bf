# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed of whole recipes by number of threads, and what keeps them from more: a Markdown table.

    python bench/run/cores.py [RECIPE ...] [--sides SIDE ...] [--threads COUNT ...] [--phases]

Measured: runs on as many threads as the machine has processors. Computed: the parts of each phase
are timed one after another on one thread, split as for the number of threads, and shared out to
that many; what is done between phases counts as a lone part. Each phase adds the time of handing
it out.
"""

import argparse
import heapq
import platform
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.shared.comparison import fractal
from erosion_addon import Recipe, Terrain, simulate
from erosion_addon.base import threads
from erosion_addon.processes.registry import PROCESSES

RECIPES = ("alpine", "canyon", "light rills", "mesas", "river valley", "dune sea")
SIDES = (512,)
COUNTS = (1, 2, 4, 8, 16)
TURNS = 3
"""Measured runs, of which the median counts."""

SHORTEST = 0.02
"""Share of a run's time from which a step has a row of its own."""

WIDTH, RELIEF = 4000.0, 800.0
"""Meters."""

Phases = dict[str, list[list[float]]]
"""Name of a phase → seconds of its parts, each time that it is handed out."""


@dataclass
class Work:
    """Processor time of a step on one thread in seconds, and its phases."""

    kind: str
    seconds: float = 0.0
    phases: Phases = field(default_factory=lambda: defaultdict(list))

    @property
    def lone(self) -> float:
        """Seconds between phases."""
        return self.seconds - sum(sum(parts) for calls in self.phases.values() for parts in calls)

    @property
    def calls(self) -> list[list[float]]:
        """All phases, by their parts."""
        return [parts for calls in self.phases.values() for parts in calls]

    def on(self, count: int, handing_out: float) -> float:
        """Seconds on a number of threads. handing_out: of a phase, in seconds."""
        together = sum(shared_out(parts, count) for parts in self.calls)
        return self.lone + together + handing_out * sum(len(parts) > 1 for parts in self.calls)


def shared_out(parts: list[float], count: int) -> float:
    """Seconds until all parts are done, if each of some threads takes the next when it is free."""
    ends = [0.0] * count
    for seconds in parts:
        heapq.heapreplace(ends, ends[0] + seconds)
    return max(ends)


def name_of_caller() -> str:
    """Function that hands out a phase, without the modules that only pass it on."""
    frame = sys._getframe(2)
    passing = ("base/threads.py", "shared/tile_scheduler.py")
    while frame.f_back and frame.f_code.co_filename.replace("\\", "/").endswith(passing):
        frame = frame.f_back
    code = frame.f_code
    return f"{Path(code.co_filename).stem}.{code.co_name}"


class TimedPhase(threads._Phase):
    """Phase on one thread that notes how long each of its parts takes."""

    phases: Phases

    def serve(self) -> None:
        """Work on all parts, and note their seconds under the name of the caller."""
        parts = []
        work = self._work

        def timed(number: int) -> None:
            begin = time.thread_time()
            work(number)
            parts.append(time.thread_time() - begin)

        self._work = timed
        super().serve()
        TimedPhase.phases[name_of_caller()].append(parts)


def works(land: Terrain, recipe: Recipe, count: int) -> list[Work]:
    """What each step does, split as for a number of threads but worked on by one."""
    steps = [Work(step.kind) for step in recipe.steps if step.enabled]
    with replaced("_Phase", TimedPhase), replaced("processors", lambda: 1):
        TimedPhase.phases = steps[0].phases
        begin = time.thread_time()
        for progress in simulate(land, recipe, threads=count):
            steps[progress.number].seconds += time.thread_time() - begin
            following = progress.number + (progress.done == 1)
            TimedPhase.phases = steps[min(following, len(steps) - 1)].phases
            begin = time.thread_time()
    return steps


@contextmanager
def replaced(name: str, value: object) -> Iterator[None]:
    """Context in which a name of `base.threads` has another value."""
    ordinary = getattr(threads, name)
    setattr(threads, name, value)
    try:
        yield
    finally:
        setattr(threads, name, ordinary)


def handing_out(count: int) -> float:
    """Seconds that a phase takes beyond the longest of its parts, one for each thread."""
    part = 1e-3

    def sleep(_: int) -> None:
        time.sleep(part)  # as a kernel, it needs no interpreter, and here no processor either

    with replaced("processors", lambda: count):
        phase = median(elapsed(lambda: threads.in_parts(sleep, count, count)) for _ in range(100))
    return phase - median(elapsed(lambda: sleep(0)) for _ in range(100))


def elapsed(work: Callable[[], object]) -> float:
    """Seconds by the clock."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def measured(land: Terrain, recipe: Recipe, counts: list[int]) -> dict[int, float]:
    """Seconds by the clock of whole runs, in turns, of which the median counts."""
    seconds = defaultdict(list)
    for _ in range(TURNS):
        for count in counts:
            seconds[count].append(
                elapsed(partial(deque, simulate(land, recipe, threads=count), maxlen=0))
            )
    return {count: median(turns) for count, turns in seconds.items()}


def rows(name: str, side: int, counts: list[int]) -> Iterator[str]:
    """Rows of the table: a recipe, and each of its steps."""
    recipe = Recipe.load(name)
    land = Terrain(fractal(side, RELIEF), WIDTH / side)
    deque(simulate(land, recipe), maxlen=0)  # compiles
    possible = [count for count in counts if count <= threads.processors()]
    clock = measured(land, recipe, possible)
    cost = {count: handing_out(count) for count in counts if count > 1}
    steps = {count: works(land, recipe, count) for count in counts}
    alone = steps[max(counts)]
    whole = sum(step.seconds for step in alone)
    cells = [f"{clock[count]:.2f}" if count in clock else "–" for count in counts]
    yield f"| **{name}** {side}², measured | {' | '.join(cells)} | | |"
    for number, step in enumerate([None, *alone]):
        seconds = {
            count: sum(
                work.on(count, cost.get(count, 0.0))
                for place, work in enumerate(steps[count], 1)
                if number in (0, place)
            )
            for count in counts
        }
        own = alone if step is None else [step]
        lone = sum(work.lone for work in own) / sum(work.seconds for work in own)
        if step is None or step.seconds > SHORTEST * whole:
            title = "computed" if step is None else f"… {PROCESSES[step.kind].label}"
            calls = sum(len(work.calls) for work in own)
            figures = " | ".join(f"{seconds[count]:.2f}" for count in counts)
            yield f"| {title} | {figures} | {lone:.1%} | {calls} |"


def phases(name: str, side: int, count: int) -> Iterator[str]:
    """Rows of a table of phases: share of the step's time, calls, and the speedup of each."""
    recipe = Recipe.load(name)
    for step in works(Terrain(fractal(side, RELIEF), WIDTH / side), recipe, count):
        yield f"| {PROCESSES[step.kind].label}, between phases | {step.lone:.2f} | | |"
        for phase, calls in sorted(step.phases.items(), key=lambda item: -seconds_of(item[1])):
            together = sum(shared_out(parts, count) for parts in calls)
            seconds = seconds_of(calls)
            yield f"| … {phase} | {seconds:.2f} | {len(calls)} | {seconds / (together or 1):.1f} |"


def seconds_of(calls: list[list[float]]) -> float:
    """Seconds of all parts."""
    return sum(map(sum, calls))


def main() -> None:
    """Print the table, and with --phases that of the phases on the most threads."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("recipes", nargs="*", default=RECIPES, metavar="RECIPE")
    parser.add_argument("--sides", type=int, nargs="+", default=SIDES)
    parser.add_argument("--threads", type=int, nargs="+", default=COUNTS)
    parser.add_argument("--phases", action="store_true", help="list the phases of each step")
    words = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, {threads.processors()} processors\n")
    print(f"| seconds on threads | {' | '.join(map(str, words.threads))} | lone | phases |")
    print("|---" * (len(words.threads) + 3) + "|")
    for side in words.sides:
        for name in words.recipes:
            print(*rows(name, side, words.threads), sep="\n", flush=True)
    if words.phases:
        print(f"\n| {max(words.threads)} threads | seconds | calls | speedup |\n|---|---|---|---|")
        for side in words.sides:
            for name in words.recipes:
                print(*phases(name, side, max(words.threads)), sep="\n", flush=True)


if __name__ == "__main__":
    main()
