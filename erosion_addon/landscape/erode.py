# SPDX-License-Identifier: GPL-3.0-or-later
"""Erosion of a landscape: its tasks in order, kept in a journal, so that an interrupted run
continues.
"""

import math
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from .. import VERSION
from ..base.atomic_files import move_over
from ..base.errors import InputError, unwritable
from ..base.lock import refuse_locked
from ..recipe.recipe import Recipe
from ..terrain.fields import ANALYZED, FIELDS
from .journal import JOURNAL, Journal, Outcome, users_secret
from .plan import COARSE, Plan, order, start_of
from .storage.arrays import refuse_link, refuse_links, remove
from .storage.folder import Landscape, changing, sweep
from .storage.manifest import Erosion
from .storage.pyramid import store
from .tasks import MASSES, VOLUMES, WORK, Task, require_order, tasks_of

REST, LONGEST_REST = 2.0, 60.0
"""Seconds between two looks whether a task can begin: at a file, and at all that it needs."""

_WORDS = {
    "coarse": "the whole eroded on coarse cells",
    "shape": "tile {tile} eroded",
    "cover": "tile {tile} covered",
    "finish": "tile {tile} finished",
}


class Workers(Protocol):
    """Executor of tasks: the processes of a cluster, or this one."""

    def work(self, folder: Path, tasks: Iterable[Task], finished: set[str]) -> Iterator[Outcome]:
        """Do the tasks in order of need, except the `finished` ones; yields their results."""


class Alone:
    """Tasks one after the other in this process."""

    def __init__(self, threads: int = 0) -> None:
        """threads: the most to use, 0 for all processors."""
        self._threads = threads

    def work(self, folder: Path, tasks: Iterable[Task], finished: set[str]) -> Iterator[Outcome]:
        """See `Workers`."""
        for task in tasks:
            if task.name not in finished:
                yield task.do(str(folder), self._threads)


def erode(
    folder: Path,
    recipe: Recipe,
    workers: Workers,
    seed: int | None = None,
    edges: str | None = None,
    coarse: int = COARSE,
    on_progress: Callable[[float, str], object] = lambda fraction, message: None,
    on_plan: Callable[[Plan], object] = lambda plan: None,
    on_note: Callable[[str], object] = lambda sentence: None,
) -> Landscape:
    """Erode a landscape; the same bytes on any number of workers, and after any of them was lost.

    on_progress: called with the share done and the last task. An interrupted run of the same user
    on the same machine continues where it was, and so do tasks done alone on any, see `do_one`. If
    the result exists with the hashes of the manifest, only a missing pyramid is made; else on_plan
    is called first, and may refuse. on_note: called with a sentence if work of others is done
    again. InputError if the landscape cannot be eroded, or where another version has begun to.
    """
    with changing(folder):
        landscape = Landscape(folder)
        erosion = order(landscape, recipe, seed, edges, coarse)
        if is_eroded(landscape, erosion):
            on_progress(1.0, "it is eroded already")
            return _completed(landscape)
        on_plan(Plan(landscape, erosion))
        plan, journal = _begun(landscape, erosion)
        landscape = plan.landscape
        tasks = tasks_of(plan)
        results = journal.sound(tasks)
        if journal.is_foreign:
            on_note(journal.note)
        total = sum(task.cells for task in tasks)
        cells = {task.name: task.cells for task in tasks}
        share = sum(cells[name] for name in results)
        for result in workers.work(folder, tasks, set(results)):
            journal.add(result)
            results[result["name"]] = result
            share += cells[result["name"]]
            on_progress(
                share / total,
                _WORDS[result["name"].partition("_")[0]].format(
                    tile=result["name"].partition("_")[2]
                ),
            )
        return _finished(landscape, plan, tasks, results)


def prepare(
    folder: Path,
    recipe: Recipe,
    seed: int | None = None,
    edges: str | None = None,
    coarse: int = COARSE,
) -> list[Task]:
    """Begin an erosion whose tasks a farm does one by one, see `do_one`; returns them, none if it
    is eroded already.

    At the end `erode` does the remaining tasks, and finishes the landscape. InputError as there.
    """
    with changing(folder):
        landscape = Landscape(folder)
        erosion = order(landscape, recipe, seed, edges, coarse)
        return [] if is_eroded(landscape, erosion) else tasks_of(_begun(landscape, erosion)[0])


class TooEarlyError(InputError):
    """Task that cannot begin yet. until: file that appears when it can."""

    def __init__(self, sentence: str, until: Path) -> None:
        super().__init__(sentence)
        self.until = until


def do_one(
    folder: Path,
    name: str,
    threads: int = 0,
    patience: float = 0.0,
    on_wait: Callable[[str], object] = lambda sentence: None,
) -> str:
    """Do one task of a prepared erosion, by its name or its number from 0, unless it is done;
    returns its name.

    Several processes may do several tasks of one landscape, if those that a task needs are done. A
    name that the recipe has no task for, such as cover_x0_y0 without snow, is no error: nothing is
    to be done, as in a landscape that is complete. patience: seconds to wait until the task can
    begin; on_wait: called with the tasks it waits for. TooEarlyError after that time: for a task
    that needs others, for a landscape that is not prepared, or that `erode` changes.
    """
    end = time.monotonic() + patience
    while True:
        try:
            return _done_one(folder, name, threads)
        except TooEarlyError as early:
            if time.monotonic() >= end:
                raise
            on_wait(str(early))
            again = min(end, time.monotonic() + LONGEST_REST)
            time.sleep(max(0.0, min(REST, end - time.monotonic())))
            while not early.until.exists() and time.monotonic() < again:
                time.sleep(min(REST, max(0.0, again - time.monotonic())))


def _done_one(folder: Path, name: str, threads: int) -> str:
    """See `do_one`, without patience."""
    landscape = Landscape(folder)
    try:
        refuse_locked(folder)
    except InputError as locked:
        raise TooEarlyError(str(locked), folder / WORK / JOURNAL) from None
    erosion = landscape.manifest.erosion
    start = folder / WORK / JOURNAL
    unprepared = TooEarlyError(
        f"{folder} is not prepared; run landscape tasks first, which prints the tasks.", start
    )
    if erosion is None:
        raise unprepared
    tasks = tasks_of(Plan(landscape, erosion))
    name = _name_of(name, tasks)
    if landscape.has("elevation"):
        return name
    plan = Plan(landscape, erosion)
    by_name = {task.name: task for task in tasks}
    journal = Journal(folder, WORK, plan.key, _may_be_of)
    if not journal.is_there:
        raise unprepared
    if name not in by_name or journal.has(by_name[name]):
        return name
    needs = by_name[name].needs
    # before files are compared with hashes
    unknown = next((need for need in needs if not journal.names(need)), "")
    if missing := unknown or next((need for need in needs if not journal.has(by_name[need])), ""):
        sentence = f"The task {name} needs {missing}, which is not done; run that one first."
        raise TooEarlyError(sentence, folder / WORK / _journal_of(missing))
    journal.add_alone(
        by_name[name].do(str(folder), threads), _journal_of(name), partial(require_order, plan)
    )
    return name


def _name_of(word: str, tasks: list[Task]) -> str:
    """Name of a task that is named or numbered; InputError if there can be none."""
    if word.isdecimal():
        if int(word) >= len(tasks):
            raise InputError(f"There is no task {word:.20}; there are tasks 0 to {len(tasks) - 1}.")
        return tasks[int(word)].name
    if word.partition("_")[0] not in _WORDS:
        raise InputError(f"There is no task {word!r:.60}; landscape tasks prints them.")
    return word


def _journal_of(task: str) -> str:
    """File of the journal of a task that is done alone."""
    return f"{Path(JOURNAL).stem}_{task}.jsonl"


def _begun(landscape: Landscape, erosion: Erosion) -> tuple[Plan, Journal]:
    """Plan of an erosion, with its manifest saved and its journal open."""
    if faults := _start_faults(landscape):
        raise InputError(f"{faults[0]}; make the landscape again, or put the file back.")
    journal = Journal(
        landscape.folder, WORK, Plan(landscape, erosion).key, _may_be_of, users_secret()
    )
    _refuse_places(landscape)
    if landscape.manifest.erosion != erosion or landscape.has("elevation"):
        manifest = replace(
            landscape.manifest, erosion=erosion, report={}, analysis={}, layers=start_of(landscape)
        )
        manifest.save(landscape.folder)
        landscape = Landscape(landscape.folder, manifest)
        for name in FIELDS:  # layers of an earlier erosion, which the manifest no longer names
            remove(landscape.folder / name)
    if not journal.is_there:
        journal.begin()
    return Plan(landscape, erosion), journal


def _refuse_places(landscape: Landscape) -> None:
    """InputError for links where layers are about to be written."""
    for name in FIELDS:
        folder = landscape.folder / name
        refuse_link(folder)
        for tile in landscape.tiles() if folder.exists() else ():
            refuse_link(landscape.path(name, tile))


def is_eroded(landscape: Landscape, erosion: Erosion) -> bool:
    """Whether the layers of this erosion are there, every tile with its hash."""
    manifest = landscape.manifest
    return manifest.erosion == erosion and landscape.has("elevation") and not _faults(landscape)


def _finished(
    landscape: Landscape, plan: Plan, tasks: list[Task], results: dict[str, Outcome]
) -> Landscape:
    require_order(plan)
    layers: dict[str, dict[str, str]] = {}
    for task in tasks:
        if task.kind == "finish":
            for file, digest in results[task.name]["files"].items():
                layer = file.rpartition("/")[2]
                _move(landscape, landscape.folder / f"{file}.npy", landscape.path(layer, task.tile))
                layers.setdefault(layer, {})[task.tile.name] = digest
    manifest = replace(landscape.manifest, report=_report(plan, tasks, results)).with_layers(layers)
    manifest.save(landscape.folder)
    return _completed(Landscape(landscape.folder, manifest))


def _move(landscape: Landscape, path: Path, target: Path) -> None:
    """Move the file of a finished tile to its place."""
    refuse_links(landscape.folder, target)
    try:
        target.parent.mkdir(exist_ok=True)
        move_over(path, target)
    except OSError as error:
        raise unwritable(target, error) from None


def _completed(landscape: Landscape) -> Landscape:
    """An eroded landscape, without work on the way and with its pyramid: a signal may come
    between.
    """
    shutil.rmtree(landscape.folder / WORK, ignore_errors=True)
    sweep(landscape.folder)
    store(landscape)
    return landscape


def _report(plan: Plan, tasks: list[Task], results: dict[str, Outcome]) -> dict[str, Any]:
    """Mass balance in m³, and the seconds of all tasks.

    leveled: volume that detail finer than coarse cells gained or lost by erosion and burial.
    suspended: load of the water at the end of a run. error = before + added + leveled - exported -
    suspended - after.
    """
    outcomes = [results[task.name] for task in tasks]
    coarse, *fine = [result["mass"] for result in outcomes if "mass" in result]
    sums = {name: coarse[name] + sum(mass[name] for mass in fine) for name in coarse}
    before, spread, shaped = (sum(result.get(name, 0.0) for result in outcomes) for name in VOLUMES)
    leveled = spread - _kept(coarse)
    after = before + spread + shaped
    error = sum(map(_kept, fine)) - shaped
    return {
        "version": VERSION,
        "mass": {"before": before, **sums, "leveled": leveled, "after": after, "error": error},
        "seconds": sum(result["seconds"] for result in outcomes),
        "tasks": len(tasks),
    }


def _kept(mass: dict[str, float]) -> float:
    """Volume by which a run has raised the ground."""
    return mass["added"] - mass["exported"] - mass["suspended"]


def _start_faults(landscape: Landscape) -> list[str]:
    return [
        fault
        for faults in landscape.faults(tuple(start_of(landscape))).values()
        for fault in faults
    ]


def _faults(landscape: Landscape) -> dict[str, list[str]]:
    """Faults of the layers that an erosion leaves; an analysis is made anew by itself."""
    return landscape.faults(
        tuple(name for name in landscape.manifest.layers if name not in ANALYZED)
    )


def _may_be_of(task: Task, result: Outcome) -> bool:
    """Whether a journal's line has all figures and names only files of the task."""
    finishes = task.kind == "finish"
    if finishes:
        figures = [result[name] for name in VOLUMES]
    else:
        figures = [result["mass"][name] for name in MASSES]
    return all(
        type(number) is float and math.isfinite(number) for number in (*figures, result["seconds"])
    ) and all(_belongs(name, task) for name in result["files"])


def _belongs(name: str, task: Task) -> bool:
    """Whether the file is an output of the task."""
    folder, _, file = name.rpartition("/")
    return folder == f"{WORK}/{task.name}" and (file in FIELDS or task.kind != "finish")
