# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of each kind of task, measured on a small landscape, and from it the time of a large one on
many workers.

    python -m bench.landscape.scaling [--cells 2048] [--tile 512] [--coarse 512] [--recipe alpine]
                                      [--large 65536] [--large-tile 2048] [--workers 1 2 8 16 32 64]

Processor time of one thread, so that other work on the machine hardly counts. Times on several
workers are computed, not measured: workers take tasks in their order as soon as what these need is
done. Disk and network are left out. With `--dask` also the time that Dask takes for a task, from
tasks that do nothing.
"""

import argparse
import heapq
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.shared.table import Row, at_least, at_most, for_information
from erosion_addon.generators import registry
from erosion_addon.landscape import make
from erosion_addon.landscape.cluster import Cluster, cluster
from erosion_addon.landscape.erode import erode
from erosion_addon.landscape.plan import HALO, Plan, order
from erosion_addon.landscape.storage.folder import Landscape, Tile
from erosion_addon.landscape.storage.manifest import Manifest
from erosion_addon.landscape.tasks import Task, tasks_of
from erosion_addon.recipe.recipe import Recipe
from erosion_addon.run.simulation import erode as erode_whole

CELL = 4.0


class Timed:
    """Tasks one after the other in this process, see `erode.Workers`. costs: seconds a cell by kind
    of task.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.cells: dict[str, int] = {}

    def work(
        self, folder: Path, tasks: Iterable[Task], completed: set[str]
    ) -> Iterator[dict[str, Any]]:
        """Do tasks, and add up their processor time."""
        for task in tasks:
            begin = time.process_time()
            result = task.do(str(folder), 1)
            self.seconds[task.kind] = self.seconds.get(task.kind, 0.0) + time.process_time() - begin
            self.cells[task.kind] = self.cells.get(task.kind, 0) + task.cells
            yield result

    @property
    def costs(self) -> dict[str, float]:
        """Seconds a cell."""
        return {kind: spent / self.cells[kind] for kind, spent in self.seconds.items()}


def measured(cells: int, tile: int, coarse: int, recipe: Recipe) -> Timed:
    """Costs of the tasks of a landscape of `cells` × `cells`, once kernels are compiled."""
    timed = Timed()
    for size in (128, cells):
        timed = Timed()
        with tempfile.TemporaryDirectory() as folder:
            start = make.generated(
                "fractal", (size, size), CELL, 3, {"relief": 0.18 * size * CELL}, None
            )
            land = make.make(
                Path(folder) / "land",
                Manifest(size, size, min(tile, size // 2), (CELL, CELL), "fractal"),
                start,
            )
            erode(land.folder, recipe, timed, coarse=min(coarse, size // 2))
    return timed


class Nothing(Task):
    """Task without work."""

    def do(self, folder: str, threads: int = 0) -> dict[str, Any]:
        """Its name."""
        return {"name": self.name}


def overhead(tasks: int = 300) -> float:
    """Processor time in seconds that Dask takes for a task, in all processes together."""
    idle = [Nothing("shape", Tile(number, 0), 0, ()) for number in range(tasks)]
    with cluster(workers=2) as workers:
        for _ in workers.work(Path(), idle[:20], set()):
            pass
        begin = _spent(workers)
        for _ in workers.work(Path(), idle, set()):
            pass
        return (_spent(workers) - begin) / tasks


def _spent(workers: Cluster) -> float:
    """Processor time of this process and all workers, in seconds."""
    return time.process_time() + sum(workers.ask(time.process_time))


def finished(tasks: Sequence[Task], costs: dict[str, float], workers: int) -> float:
    """Duration of all tasks in seconds. workers: their number."""
    seconds = {task.name: task.cells * costs[task.kind] for task in tasks}
    waits = {task.name: len(task.needs) for task in tasks}
    leads = {task.name: list[int]() for task in tasks}
    for place, task in enumerate(tasks):
        for need in task.needs:
            leads[need].append(place)
    ready = [place for place, task in enumerate(tasks) if not task.needs]
    running: list[tuple[float, int]] = []
    clock = 0.0
    while ready or running:
        while ready and len(running) < workers:
            place = heapq.heappop(ready)
            heapq.heappush(running, (clock + seconds[tasks[place].name], place))
        clock, place = heapq.heappop(running)
        for follower in leads[tasks[place].name]:
            waits[tasks[follower].name] -= 1
            if not waits[tasks[follower].name]:
                heapq.heappush(ready, follower)
    return clock


def rows(cells: int = 1024) -> Iterator[Row]:
    """Rows of the benchmark: tiles against one piece, and what Dask takes of the time of a tile of
    2048² cells.
    """
    recipe = Recipe.load("alpine")
    timed = measured(cells, cells // 2, cells // 2, recipe)
    start = registry.make("fractal", cells, cells, CELL, 3, {"relief": 0.18 * cells * CELL}, None)
    begin = time.process_time()
    erode_whole(start, recipe, threads=1)
    total = time.process_time() - begin
    tiled = sum(timed.seconds.values())
    note = f"{cells**2 / tiled / 1e6:.3f} million cells a second, one thread"
    yield at_least(
        f"landscape of {cells}² in 2 × 2 tiles, alpine: cells a second against one piece",
        total / tiled,
        0.85,
        note,
    )
    if find_spec("distributed") is None:
        yield for_information(
            "Dask's share of the time of a tile of 2048²", "not measured without distributed"
        )
        return
    side = 2048 * (1 + 2 / HALO)
    share = 100 * overhead() / (timed.costs["shape"] * side * side)
    yield at_most("Dask's share of the time of a tile of 2048²", share, 5, "%")


def main() -> None:
    """The whole report."""
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("--cells", type=int, default=2048)
    words.add_argument("--tile", type=int, default=512)
    words.add_argument("--coarse", type=int, default=512)
    words.add_argument("--recipe", default="alpine")
    words.add_argument("--large", type=int, default=65536)
    words.add_argument("--large-tile", type=int, default=2048)
    words.add_argument("--workers", type=int, nargs="+", default=[1, 2, 8, 16, 32, 64])
    words.add_argument("--dask", action="store_true")
    arguments = words.parse_args()
    recipe = Recipe.load(arguments.recipe)
    timed = measured(arguments.cells, arguments.tile, arguments.coarse, recipe)
    for kind, cost in timed.costs.items():
        print(f"{kind}: {timed.seconds[kind]:.1f} s, {1e6 * cost:.2f} µs a cell with halos")
    print(
        f"{arguments.cells**2 / sum(timed.seconds.values()) / 1e6:.3f} million cells a second of "
        "one thread"
    )
    manifest = Manifest(
        arguments.large, arguments.large, arguments.large_tile, (CELL, CELL), "fractal"
    )
    large = Landscape(Path(), manifest)
    tasks = tasks_of(Plan(large, order(large, recipe, None, None, 1024)))
    alone = finished(tasks, timed.costs, 1)
    path = finished(tasks, timed.costs, len(tasks))
    print(
        f"{arguments.large}² in tiles of {arguments.large_tile}², {len(tasks)} tasks, critical "
        f"path {path / 60:.1f} min:"
    )
    for workers in arguments.workers:
        spent = finished(tasks, timed.costs, workers)
        print(
            f"  {workers} workers: {spent / 3600:.2f} h, {alone / spent:.1f} times as fast as one"
        )
    if arguments.dask:
        mean = sum(task.cells * timed.costs[task.kind] for task in tasks) / len(tasks)
        print(f"Dask: {1000 * (spent := overhead()):.1f} ms for a task, {spent / mean:.2%} of one")


if __name__ == "__main__":
    main()
