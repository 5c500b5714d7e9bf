# SPDX-License-Identifier: GPL-3.0-or-later
"""Erosion of a landscape: its tasks in order, kept in a journal, so that a run that was ended goes on."""

import hashlib
import json
import math
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol

from .. import VERSION
from ..base.atomic_files import sha256
from ..base.errors import InputError
from ..base.regular_files import open_regular
from ..recipe.recipe import Recipe
from ..terrain.fields import ANALYZED, FIELDS
from .folder import Landscape, locked, refuse_link
from .manifest import Erosion
from .plan import COARSE, Plan, order
from .tasks import MASSES, VOLUMES, WORK, Task, tasks_of

_JOURNAL = "journal.jsonl"

_LARGEST_JOURNAL = 1 << 30
"""Bytes; a task takes about a thousand."""

_WORDS = {
    "coarse": "the whole eroded on coarse cells",
    "shape": "tile {tile} eroded",
    "cover": "tile {tile} covered",
    "finish": "tile {tile} finished",
}

Done = dict[str, Any]


class Workers(Protocol):
    """What does tasks: the processes of a cluster, or this one."""

    def work(self, folder: Path, tasks: Iterable[Task], done: set[str]) -> Iterator[Done]:
        """Do tasks, each after those that it needs; yields what each tells. done: names of those done before."""


class Alone:
    """Tasks one after the other in this process."""

    def __init__(self, threads: int = 0) -> None:
        """threads: the most to use, 0 for all processors."""
        self._threads = threads

    def work(self, folder: Path, tasks: Iterable[Task], done: set[str]) -> Iterator[Done]:
        """See `Workers`."""
        for task in tasks:
            if task.name not in done:
                yield task.do(str(folder), self._threads)


def erode(
    folder: Path,
    recipe: Recipe,
    workers: Workers,
    seed: int | None = None,
    edges: str | None = None,
    coarse: int = COARSE,
    told: Callable[[float, str], object] = lambda fraction, message: None,
) -> Landscape:
    """Erode a landscape; the same bytes on any number of workers, and after any of them was lost.

    told: gets the share of the work that is done, and what was done last. A run that was ended goes on where it was. If
    the result is there, with the hashes of the manifest, nothing is done. InputError for what cannot be eroded.
    """
    with locked(folder):
        landscape = Landscape(folder)
        wanted = order(landscape, recipe, seed, edges, coarse)
        if is_eroded(landscape, wanted):
            told(1.0, "it is eroded already")
            return landscape
        if faults := _start_faults(landscape):
            raise InputError(f"{faults[0]}; make the landscape again, or put the file back.")
        if landscape.manifest.erosion != wanted:
            manifest = replace(landscape.manifest, erosion=wanted, report={}, analysis={}, layers=_start_of(landscape))
            manifest.save(folder)
            landscape = Landscape(folder, manifest)
        plan = Plan(landscape, wanted)
        tasks = tasks_of(plan)
        journal = _Journal(folder, _key(landscape, wanted))
        done = journal.sound(tasks)
        whole = sum(task.cells for task in tasks)
        cells = {task.name: task.cells for task in tasks}
        share = sum(cells[name] for name in done)
        for result in workers.work(folder, tasks, set(done)):
            journal.add(result)
            done[result["name"]] = result
            share += cells[result["name"]]
            told(share / whole, _WORDS[result["name"].partition("_")[0]].format(tile=result["name"].partition("_")[2]))
        return _finished(landscape, plan, tasks, done)


def is_eroded(landscape: Landscape, erosion: Erosion) -> bool:
    """Whether the layers of this erosion are there, every tile with its hash."""
    manifest = landscape.manifest
    return manifest.erosion == erosion and landscape.has("elevation") and not _faults(landscape)


def _finished(landscape: Landscape, plan: Plan, tasks: list[Task], done: dict[str, Done]) -> Landscape:
    layers: dict[str, dict[str, str]] = {}
    for task in tasks:
        if task.kind == "finish":
            for file, digest in done[task.name]["files"].items():
                layer, _, tile = file.rpartition("/")
                layers.setdefault(layer, {})[tile] = digest
    manifest = replace(landscape.manifest, report=_report(plan, tasks, done)).with_layers(layers)
    manifest.save(landscape.folder)
    shutil.rmtree(landscape.folder / WORK, ignore_errors=True)
    return Landscape(landscape.folder, manifest)


def _report(plan: Plan, tasks: list[Task], done: dict[str, Done]) -> dict[str, Any]:
    """Mass balance in m³, and the seconds of all tasks.

    leveled: what the detail of the start below coarse cells gained or lost where it was dug off or buried.
    suspended: what waters carried at the end of a run. error = before + added + leveled - exported - suspended - after.
    """
    told = [done[task.name] for task in tasks]
    coarse, *others = [result["mass"] for result in told if "mass" in result]
    sums = {name: coarse[name] + sum(mass[name] for mass in others) for name in coarse}
    before, spread, shaped = (sum(result.get(name, 0.0) for result in told) for name in VOLUMES)
    leveled = spread - _kept(coarse)
    after = before + spread + shaped
    error = sum(map(_kept, others)) - shaped
    return {
        "version": VERSION,
        "mass": {"before": before, **sums, "leveled": leveled, "after": after, "error": error},
        "seconds": sum(result["seconds"] for result in told),
        "tasks": len(tasks),
    }


def _kept(mass: dict[str, float]) -> float:
    """Volume by which a run has raised the ground."""
    return mass["added"] - mass["exported"] - mass["suspended"]


def _start_of(landscape: Landscape) -> dict[str, dict[str, str]]:
    return {name: tiles for name, tiles in landscape.manifest.layers.items() if name.startswith("start/")}


def _start_faults(landscape: Landscape) -> list[str]:
    return [fault for faults in landscape.faults(tuple(_start_of(landscape))).values() for fault in faults]


def _faults(landscape: Landscape) -> dict[str, list[str]]:
    """Faults of the layers that an erosion leaves; an analysis is made anew by itself."""
    return landscape.faults(tuple(name for name in landscape.manifest.layers if name not in ANALYZED))


def _key(landscape: Landscape, erosion: Erosion) -> str:
    """Hash of all that the tasks' files follow from."""
    manifest = landscape.manifest
    grid = [manifest.rows, manifest.cols, manifest.tile, list(manifest.spacing)]
    text = json.dumps([VERSION, grid, asdict(erosion), _start_of(landscape)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


class _Journal:
    """Tasks done, a line of JSON each, after a line that says what they belong to."""

    def __init__(self, folder: Path, key: str) -> None:
        self._folder, self._path = folder, folder / WORK / _JOURNAL
        self._found: list[Done] = []
        refuse_link(self._path)
        with suppress(OSError, ValueError, AttributeError, IndexError, RecursionError):
            with open_regular(self._path) as stream:
                lines = stream.read(_LARGEST_JOURNAL).decode("utf-8", "replace").splitlines()
            if json.loads(lines[0]).get("key") == key:
                for line in lines[1:]:
                    with suppress(ValueError, RecursionError):  # the last one may be cut off
                        self._found.append(json.loads(line))
                return
        shutil.rmtree(folder / WORK, ignore_errors=True)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._append({"key": key})
        except OSError as error:
            raise InputError(f"{self._path} cannot be written: {error.strerror or error}.") from None

    def sound(self, tasks: list[Task]) -> dict[str, Done]:
        """Tasks done whose files are there with their hashes, and so are those of all that they need."""
        said = {str(result["name"]): result for result in self._found if isinstance(result, dict) and "name" in result}
        sound: dict[str, Done] = {}
        for task in tasks:
            result = said.get(task.name)
            if result and all(need in sound for need in task.needs) and self._is_there(task, result):
                sound[task.name] = result
        return sound

    def add(self, result: Done) -> None:
        """Keep a task that is done."""
        try:
            self._append(result)
        except OSError as error:
            raise InputError(f"{self._path} cannot be written: {error.strerror or error}.") from None

    def _append(self, entry: dict[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(entry) + "\n")

    def _is_there(self, task: Task, result: Done) -> bool:
        """Whether a line tells all that it must of a task, and the files are there with their hashes."""
        try:
            finishes = task.kind == "finish"
            told = [result[name] for name in VOLUMES] if finishes else [result["mass"][name] for name in MASSES]
            files = {name: self._folder / f"{name}.npy" for name in result["files"]}
            return (
                all(type(number) is float and math.isfinite(number) for number in (*told, result["seconds"]))
                and all(_belongs(name, task) for name in files)
                and all(path.is_file() and sha256(path) == result["files"][name] for name, path in files.items())
            )
        except (OSError, KeyError, TypeError, ValueError):
            return False


def _belongs(name: str, task: Task) -> bool:
    """Whether a task writes a file of that name."""
    folder, _, file = name.rpartition("/")
    return (folder in FIELDS and file == task.tile.name) if task.kind == "finish" else folder == f"{WORK}/{task.name}"
