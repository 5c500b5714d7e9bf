# SPDX-License-Identifier: GPL-3.0-or-later
"""Erosion of a landscape: its tasks in order, kept in a journal, so that an interrupted run continues."""

import hashlib
import hmac
import json
import math
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol

from .. import VERSION
from ..base.atomic_files import sha256
from ..base.errors import InputError
from ..base.lock import refuse_locked
from ..base.regular_files import open_regular
from ..recipe.recipe import Recipe
from ..terrain.fields import ANALYZED, FIELDS
from .folder import Landscape, changing, refuse_link
from .manifest import MASK, START, Erosion
from .plan import COARSE, Plan, order
from .pyramid import store
from .tasks import MASSES, VOLUMES, WORK, Task, tasks_of

JOURNAL = "journal.jsonl"

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
    """Executor of tasks: the processes of a cluster, or this one."""

    def work(self, folder: Path, tasks: Iterable[Task], done: set[str]) -> Iterator[Done]:
        """Do tasks, each after those that it needs; yields the result of each. done: names of those done before."""


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
    on_progress: Callable[[float, str], object] = lambda fraction, message: None,
) -> Landscape:
    """Erode a landscape; the same bytes on any number of workers, and after any of them was lost.

    on_progress: called with the share done and what was done last. An interrupted run continues where it was. If
    the result exists with the hashes of the manifest, nothing is done. InputError if the landscape cannot be eroded.
    """
    with changing(folder):
        landscape = Landscape(folder)
        wanted = order(landscape, recipe, seed, edges, coarse)
        if is_eroded(landscape, wanted):
            on_progress(1.0, "it is eroded already")
            return landscape
        plan, journal = _begun(landscape, wanted)
        landscape, tasks = plan.landscape, tasks_of(plan)
        done = journal.sound(tasks)
        whole = sum(task.cells for task in tasks)
        cells = {task.name: task.cells for task in tasks}
        share = sum(cells[name] for name in done)
        for result in workers.work(folder, tasks, set(done)):
            journal.add(result)
            done[result["name"]] = result
            share += cells[result["name"]]
            on_progress(
                share / whole, _WORDS[result["name"].partition("_")[0]].format(tile=result["name"].partition("_")[2])
            )
        return _finished(landscape, plan, tasks, done)


def prepare(
    folder: Path,
    recipe: Recipe,
    seed: int | None = None,
    edges: str | None = None,
    coarse: int = COARSE,
) -> list[Task]:
    """Begin an erosion whose tasks a farm does one by one, see `do_one`; returns them, none if it is eroded already.

    At the end `erode` does what is left, and finishes the landscape. InputError as there.
    """
    with changing(folder):
        landscape = Landscape(folder)
        wanted = order(landscape, recipe, seed, edges, coarse)
        return [] if is_eroded(landscape, wanted) else tasks_of(_begun(landscape, wanted)[0])


def do_one(folder: Path, name: str, threads: int = 0) -> str:
    """Do one task of a prepared erosion, by its name or its number from 0, unless it is done; returns its name.

    Several processes may do several tasks of one landscape, if those that a task needs are done. A name that the recipe
    has no task for, such as cover_x0_y0 without snow, is no error: nothing is to be done. InputError for a landscape
    that is not prepared, or that `erode` changes, and for a task that comes too early.
    """
    refuse_locked(folder)
    landscape = Landscape(folder)
    erosion = landscape.manifest.erosion
    key = _key(landscape, erosion) if erosion else ""
    if erosion is None or _lines(folder / WORK / JOURNAL, key) is None:
        raise InputError(f"{folder} is not prepared; run landscape tasks first, which prints the tasks.")
    tasks = tasks_of(Plan(landscape, erosion))
    if name.isdecimal():
        if int(name) >= len(tasks):
            raise InputError(f"There is no task {name:.20}; there are tasks 0 to {len(tasks) - 1}.")
        name = tasks[int(name)].name
    elif name.partition("_")[0] not in _WORDS:
        raise InputError(f"There is no task {name!r:.60}; landscape tasks prints them.")
    known = {task.name: task for task in tasks}
    journal = Journal(folder, WORK, key, _may_be_of)
    if name not in known or journal.has(known[name]):
        return name
    if missing := [need for need in known[name].needs if not journal.has(known[need])]:
        raise InputError(f"The task {name} needs {missing[0]}, which is not done; run that one first.")
    result = known[name].do(str(folder), threads)
    journal.add(result, f"{Path(JOURNAL).stem}_{name}.jsonl")
    return name


def _begun(landscape: Landscape, wanted: Erosion) -> tuple[Plan, "Journal"]:
    """Plan of an erosion, with its manifest saved and its journal open."""
    if faults := _start_faults(landscape):
        raise InputError(f"{faults[0]}; make the landscape again, or put the file back.")
    if landscape.manifest.erosion != wanted:
        manifest = replace(landscape.manifest, erosion=wanted, report={}, analysis={}, layers=_start_of(landscape))
        manifest.save(landscape.folder)
        landscape = Landscape(landscape.folder, manifest)
    return Plan(landscape, wanted), Journal(landscape.folder, WORK, _key(landscape, wanted), _may_be_of)


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
    store(landscape := Landscape(landscape.folder, manifest))
    return landscape


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
    return {name: tiles for name, tiles in landscape.manifest.layers.items() if name.startswith((START, MASK))}


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


class Journal:
    """Tasks done, a line of JSON each, after a line that says what they belong to; a file each of those done alone."""

    def __init__(
        self, folder: Path, work: str, key: str, may_be_of: Callable[[Task, Done], bool], secret: bytes = b""
    ) -> None:
        """folder: of the landscape. work: name of the folder of the tasks' files in it; removed if it belongs to
        something else. key: hash of all that they follow from. may_be_of: whether a line may tell of a task. secret:
        of the user, see `users_secret`; lines that were written without it do not count.
        """
        self._folder, self._work, self._key, self._may_be_of = folder, folder / work, key, may_be_of
        self._secret = secret
        for path in (self._work, self._work / JOURNAL):
            refuse_link(path)
        found = self._sealed(_lines(self._work / JOURNAL, key))
        if found is None:
            shutil.rmtree(self._work, ignore_errors=True)
            self._append(JOURNAL)
        for path in sorted(self._work.glob(f"{Path(JOURNAL).stem}_*.jsonl")):
            found = [*(found or []), *(self._sealed(_lines(path, key)) or [])]
        self._said = {str(line["name"]): line for line in found or [] if isinstance(line, dict) and "name" in line}

    def sound(self, tasks: Sequence[Task]) -> dict[str, Done]:
        """Tasks done whose files are there with their hashes, and so are those of all that they need."""
        sound: dict[str, Done] = {}
        for task in tasks:
            if all(need in sound for need in task.needs) and self.has(task):
                sound[task.name] = self._said[task.name]
        return sound

    def has(self, task: Task) -> bool:
        """Whether a task is done and its files are there with their hashes."""
        if task.name not in self._said:
            return False
        result = self._said[task.name]
        try:
            files = {name: self._folder / f"{name}.npy" for name in result["files"]}
            return self._may_be_of(task, result) and all(
                path.is_file() and sha256(path) == result["files"][name] for name, path in files.items()
            )
        except (OSError, KeyError, TypeError, ValueError):
            return False

    def add(self, result: Done, file: str = JOURNAL) -> None:
        """Keep a task that is done."""
        self._append(file, {**result, "seal": self._seal(result)} if self._secret else result)

    def _append(self, file: str, *results: Done) -> None:
        path = self._work / file
        refuse_link(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [*([] if path.exists() else [{"key": self._key}]), *results]
            with path.open("a", encoding="utf-8") as stream:
                stream.write("".join(json.dumps(line) + "\n" for line in lines))
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}.") from None

    def _seal(self, result: Done) -> str:
        text = self._key + json.dumps(result, sort_keys=True)
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()

    def _sealed(self, lines: list[Done] | None) -> list[Done] | None:
        """Lines that were written with the secret, if there is one; None without any."""
        if lines is None or not self._secret:
            return lines
        found = [(line, str(line.pop("seal", ""))) for line in lines if isinstance(line, dict)]
        return [line for line, seal in found if hmac.compare_digest(seal.encode(), self._seal(line).encode())] or None


def users_secret() -> bytes:
    """32 secret bytes of this user, who alone can read them beside the compiled code; without such a folder new ones
    each time."""
    from ..kernels.jit import CACHE  # numba takes a second to import

    fresh = os.urandom(32)
    if CACHE is None:
        return fresh
    path = CACHE / "secret"
    with suppress(OSError):
        with suppress(FileExistsError):
            path.touch(0o600, exist_ok=False)
            path.write_bytes(fresh)
        kept = path.read_bytes()
        return kept if len(kept) == len(fresh) else fresh
    return fresh


def _may_be_of(task: Task, result: Done) -> bool:
    """Whether a journal's line has all figures and names only files of the task."""
    finishes = task.kind == "finish"
    told = [result[name] for name in VOLUMES] if finishes else [result["mass"][name] for name in MASSES]
    return all(type(number) is float and math.isfinite(number) for number in (*told, result["seconds"])) and all(
        _belongs(name, task) for name in result["files"]
    )


def _belongs(name: str, task: Task) -> bool:
    """Whether the file is an output of the task."""
    folder, _, file = name.rpartition("/")
    return (folder in FIELDS and file == task.tile.name) if task.kind == "finish" else folder == f"{WORK}/{task.name}"


def _lines(path: Path, key: str) -> list[Done] | None:
    """Lines of a journal that belongs to this erosion, else None."""
    with suppress(OSError, ValueError, AttributeError, IndexError, RecursionError):
        with open_regular(path) as stream:
            first, *lines = stream.read(_LARGEST_JOURNAL).decode("utf-8", "replace").splitlines()
        if json.loads(first).get("key") != key:
            return None
        found = []
        for line in lines:
            with suppress(ValueError, RecursionError):  # the last one may be cut off
                found.append(json.loads(line))
        return found
    return None
