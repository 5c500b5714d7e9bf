# SPDX-License-Identifier: GPL-3.0-or-later
"""Command landscape: landscapes larger than memory, in a folder of tiles."""

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..base.arrays import Array
from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..files.formats import GRAY_SUFFIXES, READ_SUFFIXES
from ..files.heightmap import heightmap_windows, windows_in
from ..files.image_files import ImageFiles
from ..files.mask_file import mask_windows
from ..files.reading.record import Record
from ..generators.registry import SOURCES
from ..landscape import analyze, estimate, export, make
from ..landscape.cluster import cluster
from ..landscape.erode import Alone, TooEarlyError, Workers, do_one, erode, prepare
from ..landscape.plan import Plan
from ..landscape.storage.folder import Landscape, Window, are_left
from ..landscape.storage.manifest import MASKS, Manifest
from ..landscape.tasks import rounds
from ..recipe.recipe import Recipe
from .arguments.reading import given_reading, reading_of
from .source import note_doubts
from .terminal import signals
from .terminal.output import note, print_line, print_lines, print_written, table
from .terminal.progress import ProgressLine, ShareProgress, Stages

OnProgress = Callable[[float, str], None]


def landscape(given: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments or a damaged landscape."""
    match given.action:
        case "make":
            _make(given, image_files)
        case "erode":
            _erode(given)
        case "tasks":
            _tasks(given)
        case "task":
            _task(given)
        case "analyze":
            _analyze(given)
        case "check":
            _check(given)
        case "export":
            _export(given, image_files)
        case "preview":
            _preview(given, image_files)


def _make(given: argparse.Namespace, image_files: ImageFiles) -> None:
    if given.source in SOURCES:
        if given.size is None:
            raise InputError("A generated landscape needs --size, such as 8192x8192.")
        if words := given_reading(given, but="cell_size"):
            raise InputError(
                f"{given.source} is a start terrain, not a file; leave out {words[0]}."
            )
        spacing = given.cell_size or 1.0
        values = dict(given.set)
        if values.get("tileable"):
            raise InputError("The edges of a landscape cannot wrap; leave out tileable.")
        manifest = Manifest(
            given.size[0],
            given.size[1],
            given.tile,
            (spacing, spacing),
            f"{given.source}, seed {given.seed}",
        )
        start = make.generated(given.source, given.size, spacing, given.seed, values, image_files)
        land = Record(given.source, "float64", given.size, given.size)
    else:
        start, land = _heightmap(given, image_files)
        place = land.georeference.to_text() if land.georeference else ""
        spacing = land.spacing or (float(land.every), float(land.every))
        manifest = Manifest(*land.shape, given.tile, spacing, Path(given.source).name, place=place)
    on_progress = _progress(given)
    masks = {kind: _mask(given, kind, file, land, image_files) for kind, file in given.mask}
    made = make.make(
        given.folder, manifest, start, lambda fraction: on_progress(fraction, "tiles made"), masks
    )
    rows, cols = made.counts
    print_line(f"{given.folder}: {manifest.rows} × {manifest.cols} cells in {rows} × {cols} tiles")


def _heightmap(given: argparse.Namespace, image_files: ImageFiles) -> tuple[make.Start, Record]:
    """Start terrain from a file or tiles, read in windows where it may be larger than memory, and
    its record.
    """
    path = Path(given.source)
    options = reading_of(given)
    if "{" in path.name and not path.exists():
        files = make.tile_files(path)
        files = files if given.bottom_first else files[::-1]
        numbers, record = make.tile_numbers(path, files, image_files, options, given.shared_borders)
        record, read = windows_in(numbers, record, options)
    elif path.suffix.lower() not in READ_SUFFIXES:
        raise InputError(
            f"{given.source} is neither a heightmap nor a start terrain; choose one of "
            f"{', '.join(SOURCES)}."
        )
    else:
        record, read = heightmap_windows(path, image_files, options)
    if not given.quiet:
        note_doubts(record.doubts)
    return make.from_windows(read), record


def _mask(
    given: argparse.Namespace, kind: str, file: str, land: Record, image_files: ImageFiles
) -> make.Read:
    """Reader of a mask's windows."""
    if kind not in MASKS:
        raise InputError(
            f"There is no mask {kind!r:.60} for landscapes; choose one of {', '.join(MASKS)}."
        )
    shape, read, doubts = mask_windows(Path(file), image_files, land)
    if shape != land.shape:
        rows, cols = land.shape
        raise InputError(
            f"{file} has {shape[0]} × {shape[1]} cells, and the landscape {rows} × {cols}."
        )
    if not given.quiet:
        note_doubts(doubts)
    return lambda window: read(window.top, window.bottom, window.left, window.right)


def _erode(given: argparse.Namespace) -> None:
    recipe = Recipe.load(given.recipe).with_values(dict(given.set))
    on_progress = _limited(_progress(given), given.time_limit)

    def on_plan(plan: Plan) -> None:
        estimate.require_room(plan)
        if not given.quiet:
            note(estimate.in_words(plan))
            for sentence in plan.notes():
                note(sentence)

    choice = given.seed, given.edges, given.coarse
    with Outputs() as outputs, _going_on_later(given.folder), _workers(given) as workers:
        report = _planned_report(outputs, given.report)
        done = erode(given.folder, recipe, workers, *choice, on_progress, on_plan, note)
        figures = {"recipe": recipe.name, **done.manifest.report, "sha256": done.manifest.layers}
        _write_report(outputs, report, figures)
    print_line(
        f"{given.folder}: {recipe.name}, "
        f"{', '.join(name for name in done.manifest.layers if '/' not in name)}"
    )


def _tasks(given: argparse.Namespace) -> None:
    """A line for each task: its number, its name, and the names of those that it needs. Or a line
    for each round.
    """
    recipe = Recipe.load(given.recipe).with_values(dict(given.set))
    tasks = prepare(given.folder, recipe, given.seed, given.edges, given.coarse)
    if given.rounds:
        for first, last in rounds(tasks):
            print_line(f"{first}-{last}" if first < last else str(first))
        return
    for number, task in enumerate(tasks):
        print_line(" ".join([str(number), task.name, *task.needs]))


def _task(given: argparse.Namespace) -> None:
    """Do a task; one that comes too early ends with a code of its own, so that a farm tries
    again.
    """
    told: list[str] = []

    def on_wait(sentence: str) -> None:
        if not given.quiet and told[-1:] != [sentence]:
            note(f"Waiting: {sentence}")
        told.append(sentence)

    try:
        print_line(
            do_one(
                given.folder, given.name, given.threads or 0, 60.0 * (given.wait or 0.0), on_wait
            )
        )
    except TooEarlyError as early:
        raise signals.Ended(str(early), signals.TRY_AGAIN) from None


def _analyze(given: argparse.Namespace) -> None:
    on_progress = _progress(given)
    question = analyze.Question(given.edges, given.sea_level, given.channel_area)
    with Outputs() as outputs, _going_on_later(given.folder), _workers(given) as workers:
        report = _planned_report(outputs, given.report)
        found = analyze.analyze(given.folder, workers, question, on_progress, note)
        hashes = {name: found.manifest.layers[name] for name in analyze.LAYERS}
        _write_report(outputs, report, {**found.manifest.analysis, "sha256": hashes})
    print_lines(table(analyze.lines(found.manifest.analysis)))


@contextmanager
def _going_on_later(folder: Path) -> Iterator[None]:
    """Context of work that the same command goes on with after it was ended, which the message
    says.
    """
    try:
        yield
    except (KeyboardInterrupt, signals.Ended) as end:
        what = f"the tasks that are done stay in {folder}, and the same command goes on from them"
        raise signals.renamed(end, what) from None


def _planned_report(outputs: Outputs, file: Path | None) -> Path | None:
    return outputs.plan(file, (".json",)) if file else None


def _write_report(outputs: Outputs, target: Path | None, result: dict[str, Any]) -> None:
    if target is None:
        return
    with outputs.write(target) as path:
        path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    outputs.publish()


@contextmanager
def _workers(given: argparse.Namespace) -> Iterator[Workers]:
    """This process, or a cluster."""
    if given.cluster is None:
        yield Alone(given.threads or 0)
        return
    memory = 1e9 * (given.worker_memory or 0.0)
    with cluster(given.cluster, given.workers or 0, given.threads or 0, memory) as workers:
        if workers.dashboard and not given.quiet:
            note(f"Dashboard of the cluster: {workers.dashboard}")
        yield workers


def _check(given: argparse.Namespace) -> None:
    found = Landscape(given.folder, Manifest.load(given.folder))
    stages = Stages(given.quiet, *(f"{layer} compared" for layer in found.manifest.layers))
    faults = list[str]()
    for layer in found.manifest.layers:
        faults += [fault for sentences in found.faults((layer,)).values() for fault in sentences]
        stages.end()
    if are_left(given.folder):
        raise InputError(
            f"The process ended while a window was being written back to {given.folder}. The next "
            "command that opens the landscape, such as landscape preview, completes it. Until "
            f"then {len(faults)} tiles differ from their hashes."
        )
    if faults:
        for fault in faults[:20]:
            note(f"{fault}.")
        raise InputError(
            f"{given.folder} has {len(faults)} damaged or missing tiles; the command that made "
            "them repairs it."
        )
    print_line(
        f"{given.folder}: {len(found.tiles())} tiles of {len(found.manifest.layers)} layers, all "
        "sound"
    )


def _export(given: argparse.Namespace, image_files: ImageFiles) -> None:
    on_progress = _progress(given)
    paths, (low, high) = export.export(
        Landscape(given.folder),
        given.output,
        image_files,
        given.layer,
        given.side or 0,
        given.engine or "",
        tuple(given.height_range) if given.height_range else None,  # type: ignore[arg-type]
        given.names or "",
        given.bottom_first,
        lambda fraction: on_progress(fraction, "files written"),
        export.Maps(given.weights, given.normals or ""),
    )
    print_written(paths)
    if not given.quiet and given.output.suffix.lower() in GRAY_SUFFIXES:
        note(f"Black is {low:.10g} m and white {high:.10g} m in all of them.")


def _preview(given: argparse.Namespace, image_files: ImageFiles) -> None:
    with Outputs() as outputs:
        target = outputs.plan(given.output, (".png", ".exr"))
        stages = Stages(given.quiet, "picture made", "file written")
        found = Landscape(given.folder)
        if given.window:
            top, bottom, left, right = given.window
            shown = _closely(found, Window(top, bottom, left, right), given.layer)
        else:
            shown = export.picture(found, given.side, given.layer)
        stages.end()
        with outputs.write(target) as path:
            image_files.write(path, shown, "uint16" if target.suffix == ".png" else "float")
        published = outputs.publish()
        stages.end()
        print_written(published)


def _closely(found: Landscape, window: Window, layer: str) -> Array:
    if window.meet(found.whole) != window:
        rows, cols = found.shape
        raise InputError(f"The window goes beyond the landscape of {rows} × {cols} cells.")
    return export.close_up(found, window, layer)


def _limited(on_progress: OnProgress, seconds: float | None) -> OnProgress:
    """Progress that ends the run after the task in which its time is up."""
    end = math.inf if seconds is None else time.monotonic() + seconds

    def limited(fraction: float, message: str) -> None:
        on_progress(fraction, message)
        if fraction < 1 and time.monotonic() >= end:
            raise signals.Ended("", signals.TRY_AGAIN)

    return limited


def _progress(given: argparse.Namespace) -> OnProgress:
    return ShareProgress(ProgressLine(given.quiet)).show
