# SPDX-License-Identifier: GPL-3.0-or-later
"""Command landscape: landscapes larger than memory, in a folder of tiles."""

import argparse
import json
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
from .arguments.landscape_orders import (
    ErosionOrder,
    ExportOrder,
    FileStart,
    GeneratedStart,
    LandscapeAnalyzeOrder,
    LandscapeErodeOrder,
    LandscapeMakeOrder,
    PreviewOrder,
    TaskOrder,
    WorkersOrder,
)
from .source import note_doubts
from .terminal import signals
from .terminal.output import note, print_line, print_lines, print_written, table
from .terminal.progress import ProgressLine, ShareProgress, Stages

OnProgress = Callable[[float, str], None]


def landscape(arguments: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments or a damaged landscape."""
    match arguments.action:
        case "make":
            _make(LandscapeMakeOrder.of(arguments), image_files)
        case "erode":
            _erode(LandscapeErodeOrder.of(arguments))
        case "tasks":
            _tasks(ErosionOrder.of(arguments), arguments.rounds)
        case "task":
            _task(TaskOrder.of(arguments))
        case "analyze":
            _analyze(LandscapeAnalyzeOrder.of(arguments))
        case "check":
            _check(arguments.folder, arguments.quiet)
        case "export":
            _export(ExportOrder.of(arguments), image_files)
        case "preview":
            _preview(PreviewOrder.of(arguments), image_files)


def _make(order: LandscapeMakeOrder, image_files: ImageFiles) -> None:
    match order.start:
        case GeneratedStart() as source:
            spacing = (source.cell_size, source.cell_size)
            manifest = Manifest(
                *source.size, order.tile, spacing, f"{source.kind}, seed {source.seed}"
            )
            start = make.generated(
                source.kind, source.size, source.cell_size, source.seed, source.values, image_files
            )
            land = Record(source.kind, "float64", source.size, source.size)
        case FileStart() as file:
            start, land = _heightmap(file, image_files, order.quiet)
            place = land.georeference.to_text() if land.georeference else ""
            spacing = land.spacing or (float(land.every), float(land.every))
            manifest = Manifest(
                *land.shape, order.tile, spacing, Path(file.source).name, place=place
            )
    on_progress = _progress(order.quiet)
    masks = {kind: _mask(kind, path, land, image_files, order.quiet) for kind, path in order.masks}
    result = make.make(
        order.folder, manifest, start, lambda fraction: on_progress(fraction, "tiles made"), masks
    )
    rows, cols = result.counts
    print_line(f"{order.folder}: {manifest.rows} × {manifest.cols} cells in {rows} × {cols} tiles")


def _heightmap(start: FileStart, image_files: ImageFiles, quiet: bool) -> tuple[make.Start, Record]:
    """Start terrain from a file or tiles, read in windows, and its record."""
    path = Path(start.source)
    if "{" in path.name and not path.exists():
        files = make.tile_files(path)
        files = files if start.bottom_first else files[::-1]
        numbers, record = make.tile_numbers(
            path, files, image_files, start.reading, start.shared_borders
        )
        record, read = windows_in(numbers, record, start.reading)
    elif path.suffix.lower() not in READ_SUFFIXES:
        raise InputError(
            f"{start.source} is neither a heightmap nor a start terrain; choose one of "
            f"{', '.join(SOURCES)}."
        )
    else:
        record, read = heightmap_windows(path, image_files, start.reading)
    if not quiet:
        note_doubts(record.doubts)
    return make.from_windows(read), record


def _mask(kind: str, file: str, land: Record, image_files: ImageFiles, quiet: bool) -> make.Read:
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
    if not quiet:
        note_doubts(doubts)
    return lambda window: read(window.top, window.bottom, window.left, window.right)


def _erode(order: LandscapeErodeOrder) -> None:
    erosion = order.erosion
    recipe = erosion.recipe
    on_progress = _limited(_progress(order.quiet), order.time_limit)

    def on_plan(plan: Plan) -> None:
        estimate.require_room(plan)
        if not order.quiet:
            note(estimate.in_words(plan))
            for sentence in plan.notes():
                note(sentence)

    with Outputs() as outputs, _going_on_later(erosion.folder), _workers(order.workers) as workers:
        report = _planned_report(outputs, order.report)
        result = erode(
            erosion.folder,
            recipe,
            workers,
            erosion.seed,
            erosion.edges,
            erosion.coarse,
            on_progress=on_progress,
            on_plan=on_plan,
            on_note=note,
        )
        figures = {
            "recipe": recipe.name,
            **result.manifest.report,
            "sha256": result.manifest.layers,
        }
        _write_report(outputs, report, figures)
    print_line(
        f"{erosion.folder}: {recipe.name}, "
        f"{', '.join(name for name in result.manifest.layers if '/' not in name)}"
    )


def _tasks(order: ErosionOrder, in_rounds: bool) -> None:
    """Print a line for each task: number, name, tasks that it needs; or one for each round."""
    tasks = prepare(order.folder, order.recipe, order.seed, order.edges, order.coarse)
    if in_rounds:
        for first, last in rounds(tasks):
            print_line(f"{first}-{last}" if first < last else str(first))
        return
    for number, task in enumerate(tasks):
        print_line(" ".join([str(number), task.name, *task.needs]))


def _task(order: TaskOrder) -> None:
    """Do a task; one that starts too early has its own exit code, so that a farm retries it."""
    sentences: list[str] = []

    def on_wait(sentence: str) -> None:
        if not order.quiet and sentences[-1:] != [sentence]:
            note(f"Waiting: {sentence}")
        sentences.append(sentence)

    try:
        print_line(do_one(order.folder, order.name, order.threads, order.wait, on_wait))
    except TooEarlyError as early:
        raise signals.Ended(str(early), signals.TRY_AGAIN) from None


def _analyze(order: LandscapeAnalyzeOrder) -> None:
    on_progress = _progress(order.quiet)
    with Outputs() as outputs, _going_on_later(order.folder), _workers(order.workers) as workers:
        report = _planned_report(outputs, order.report)
        result = analyze.analyze(order.folder, workers, order.question, on_progress, note)
        hashes = {name: result.manifest.layers[name] for name in analyze.LAYERS}
        _write_report(outputs, report, {**result.manifest.analysis, "sha256": hashes})
    print_lines(table(analyze.lines(result.manifest.analysis)))


@contextmanager
def _going_on_later(folder: Path) -> Iterator[None]:
    """Context of resumable work: an interruption's message says that the same command resumes."""
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
def _workers(order: WorkersOrder) -> Iterator[Workers]:
    """This process, or a cluster."""
    if order.cluster is None:
        yield Alone(order.threads)
        return
    with cluster(order.cluster, order.workers, order.threads, order.memory) as workers:
        if workers.dashboard and not order.quiet:
            note(f"Dashboard of the cluster: {workers.dashboard}")
        yield workers


def _check(folder: Path, quiet: bool) -> None:
    land = Landscape(folder, Manifest.load(folder))
    stages = Stages(quiet, *(f"{layer} compared" for layer in land.manifest.layers))
    faults = list[str]()
    for layer in land.manifest.layers:
        faults += [fault for sentences in land.faults((layer,)).values() for fault in sentences]
        stages.end()
    if are_left(folder):
        raise InputError(
            f"The process ended while a window was being written back to {folder}. The "
            "next command that opens the landscape, such as landscape preview, completes it. Until "
            f"then {len(faults)} tiles differ from their hashes."
        )
    if faults:
        for fault in faults[:20]:
            note(f"{fault}.")
        raise InputError(
            f"{folder} has {len(faults)} damaged or missing tiles; the command that made "
            "them repairs it."
        )
    print_line(
        f"{folder}: {len(land.tiles())} tiles of {len(land.manifest.layers)} layers, all sound"
    )


def _export(order: ExportOrder, image_files: ImageFiles) -> None:
    on_progress = _progress(order.quiet)
    paths, (low, high) = export.export(
        Landscape(order.folder),
        order.output,
        image_files,
        order.layout,
        order.maps,
        lambda fraction: on_progress(fraction, "files written"),
    )
    print_written(paths)
    if not order.quiet and order.output.suffix.lower() in GRAY_SUFFIXES:
        note(f"Black is {low:.10g} m and white {high:.10g} m in all of them.")


def _preview(order: PreviewOrder, image_files: ImageFiles) -> None:
    with Outputs() as outputs:
        target = outputs.plan(order.output, (".png", ".exr"))
        stages = Stages(order.quiet, "picture made", "file written")
        land = Landscape(order.folder)
        if order.window:
            image = _closely(land, order.window, order.layer)
        else:
            image = export.picture(land, order.side, order.layer)
        stages.end()
        with outputs.write(target) as path:
            image_files.write(path, image, "uint16" if target.suffix == ".png" else "float")
        published = outputs.publish()
        stages.end()
        print_written(published)


def _closely(land: Landscape, window: Window, layer: str) -> Array:
    if window.meet(land.whole) != window:
        rows, cols = land.shape
        raise InputError(f"The window goes beyond the landscape of {rows} × {cols} cells.")
    return export.close_up(land, window, layer)


def _limited(on_progress: OnProgress, seconds: float) -> OnProgress:
    """Progress that ends the run after the task in which its time is up."""
    end = time.monotonic() + seconds

    def limited(fraction: float, message: str) -> None:
        on_progress(fraction, message)
        if fraction < 1 and time.monotonic() >= end:
            raise signals.Ended("", signals.TRY_AGAIN)

    return limited


def _progress(quiet: bool) -> OnProgress:
    return ShareProgress(ProgressLine(quiet)).show
