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
from .arguments.reading import reading_of, reading_words
from .source import note_doubts
from .terminal import signals
from .terminal.output import note, print_line, print_lines, print_written, table
from .terminal.progress import ProgressLine, ShareProgress, Stages

OnProgress = Callable[[float, str], None]


def landscape(arguments: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments or a damaged landscape."""
    match arguments.action:
        case "make":
            _make(arguments, image_files)
        case "erode":
            _erode(arguments)
        case "tasks":
            _tasks(arguments)
        case "task":
            _task(arguments)
        case "analyze":
            _analyze(arguments)
        case "check":
            _check(arguments)
        case "export":
            _export(arguments, image_files)
        case "preview":
            _preview(arguments, image_files)


def _make(arguments: argparse.Namespace, image_files: ImageFiles) -> None:
    if arguments.source in SOURCES:
        if arguments.size is None:
            raise InputError("A generated landscape needs --size, such as 8192x8192.")
        if words := reading_words(arguments, but="cell_size"):
            raise InputError(
                f"{arguments.source} is a start terrain, not a file; leave out {words[0]}."
            )
        spacing = arguments.cell_size or 1.0
        values = dict(arguments.set)
        if values.get("tileable"):
            raise InputError("The edges of a landscape cannot wrap; leave out tileable.")
        manifest = Manifest(
            arguments.size[0],
            arguments.size[1],
            arguments.tile,
            (spacing, spacing),
            f"{arguments.source}, seed {arguments.seed}",
        )
        start = make.generated(
            arguments.source, arguments.size, spacing, arguments.seed, values, image_files
        )
        land = Record(arguments.source, "float64", arguments.size, arguments.size)
    else:
        start, land = _heightmap(arguments, image_files)
        place = land.georeference.to_text() if land.georeference else ""
        spacing = land.spacing or (float(land.every), float(land.every))
        manifest = Manifest(
            *land.shape, arguments.tile, spacing, Path(arguments.source).name, place=place
        )
    on_progress = _progress(arguments)
    masks = {kind: _mask(arguments, kind, file, land, image_files) for kind, file in arguments.mask}
    result = make.make(
        arguments.folder,
        manifest,
        start,
        lambda fraction: on_progress(fraction, "tiles made"),
        masks,
    )
    rows, cols = result.counts
    print_line(
        f"{arguments.folder}: {manifest.rows} × {manifest.cols} cells in {rows} × {cols} tiles"
    )


def _heightmap(arguments: argparse.Namespace, image_files: ImageFiles) -> tuple[make.Start, Record]:
    """Start terrain from a file or tiles, read in windows, and its record."""
    path = Path(arguments.source)
    options = reading_of(arguments)
    if "{" in path.name and not path.exists():
        files = make.tile_files(path)
        files = files if arguments.bottom_first else files[::-1]
        numbers, record = make.tile_numbers(
            path, files, image_files, options, arguments.shared_borders
        )
        record, read = windows_in(numbers, record, options)
    elif path.suffix.lower() not in READ_SUFFIXES:
        raise InputError(
            f"{arguments.source} is neither a heightmap nor a start terrain; choose one of "
            f"{', '.join(SOURCES)}."
        )
    else:
        record, read = heightmap_windows(path, image_files, options)
    if not arguments.quiet:
        note_doubts(record.doubts)
    return make.from_windows(read), record


def _mask(
    arguments: argparse.Namespace, kind: str, file: str, land: Record, image_files: ImageFiles
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
    if not arguments.quiet:
        note_doubts(doubts)
    return lambda window: read(window.top, window.bottom, window.left, window.right)


def _erode(arguments: argparse.Namespace) -> None:
    recipe = Recipe.load(arguments.recipe).with_values(dict(arguments.set))
    on_progress = _limited(_progress(arguments), arguments.time_limit)

    def on_plan(plan: Plan) -> None:
        estimate.require_room(plan)
        if not arguments.quiet:
            note(estimate.in_words(plan))
            for sentence in plan.notes():
                note(sentence)

    with Outputs() as outputs, _going_on_later(arguments.folder), _workers(arguments) as workers:
        report = _planned_report(outputs, arguments.report)
        result = erode(
            arguments.folder,
            recipe,
            workers,
            arguments.seed,
            arguments.edges,
            arguments.coarse,
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
        f"{arguments.folder}: {recipe.name}, "
        f"{', '.join(name for name in result.manifest.layers if '/' not in name)}"
    )


def _tasks(arguments: argparse.Namespace) -> None:
    """Print a line for each task: number, name, tasks that it needs; or one for each round."""
    recipe = Recipe.load(arguments.recipe).with_values(dict(arguments.set))
    tasks = prepare(arguments.folder, recipe, arguments.seed, arguments.edges, arguments.coarse)
    if arguments.rounds:
        for first, last in rounds(tasks):
            print_line(f"{first}-{last}" if first < last else str(first))
        return
    for number, task in enumerate(tasks):
        print_line(" ".join([str(number), task.name, *task.needs]))


def _task(arguments: argparse.Namespace) -> None:
    """Do a task; one that comes too early ends with a code of its own, so that a farm tries
    again.
    """
    sentences: list[str] = []

    def on_wait(sentence: str) -> None:
        if not arguments.quiet and sentences[-1:] != [sentence]:
            note(f"Waiting: {sentence}")
        sentences.append(sentence)

    try:
        print_line(
            do_one(
                arguments.folder,
                arguments.name,
                arguments.threads or 0,
                60.0 * (arguments.wait or 0.0),
                on_wait,
            )
        )
    except TooEarlyError as early:
        raise signals.Ended(str(early), signals.TRY_AGAIN) from None


def _analyze(arguments: argparse.Namespace) -> None:
    on_progress = _progress(arguments)
    question = analyze.Question(arguments.edges, arguments.sea_level, arguments.channel_area)
    with Outputs() as outputs, _going_on_later(arguments.folder), _workers(arguments) as workers:
        report = _planned_report(outputs, arguments.report)
        result = analyze.analyze(arguments.folder, workers, question, on_progress, note)
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
def _workers(arguments: argparse.Namespace) -> Iterator[Workers]:
    """This process, or a cluster."""
    if arguments.cluster is None:
        yield Alone(arguments.threads or 0)
        return
    memory = 1e9 * (arguments.worker_memory or 0.0)
    with cluster(
        arguments.cluster, arguments.workers or 0, arguments.threads or 0, memory
    ) as workers:
        if workers.dashboard and not arguments.quiet:
            note(f"Dashboard of the cluster: {workers.dashboard}")
        yield workers


def _check(arguments: argparse.Namespace) -> None:
    land = Landscape(arguments.folder, Manifest.load(arguments.folder))
    stages = Stages(arguments.quiet, *(f"{layer} compared" for layer in land.manifest.layers))
    faults = list[str]()
    for layer in land.manifest.layers:
        faults += [fault for sentences in land.faults((layer,)).values() for fault in sentences]
        stages.end()
    if are_left(arguments.folder):
        raise InputError(
            f"The process ended while a window was being written back to {arguments.folder}. The "
            "next command that opens the landscape, such as landscape preview, completes it. Until "
            f"then {len(faults)} tiles differ from their hashes."
        )
    if faults:
        for fault in faults[:20]:
            note(f"{fault}.")
        raise InputError(
            f"{arguments.folder} has {len(faults)} damaged or missing tiles; the command that made "
            "them repairs it."
        )
    print_line(
        f"{arguments.folder}: {len(land.tiles())} tiles of {len(land.manifest.layers)} layers, all "
        "sound"
    )


def _export(arguments: argparse.Namespace, image_files: ImageFiles) -> None:
    on_progress = _progress(arguments)
    layout = export.Layout(
        arguments.layer,
        arguments.side or 0,
        arguments.engine or "",
        tuple(arguments.height_range) if arguments.height_range else None,  # type: ignore[arg-type]
        arguments.names or "",
        arguments.bottom_first,
    )
    paths, (low, high) = export.export(
        Landscape(arguments.folder),
        arguments.output,
        image_files,
        layout,
        export.Maps(arguments.weights, arguments.normals or ""),
        lambda fraction: on_progress(fraction, "files written"),
    )
    print_written(paths)
    if not arguments.quiet and arguments.output.suffix.lower() in GRAY_SUFFIXES:
        note(f"Black is {low:.10g} m and white {high:.10g} m in all of them.")


def _preview(arguments: argparse.Namespace, image_files: ImageFiles) -> None:
    with Outputs() as outputs:
        target = outputs.plan(arguments.output, (".png", ".exr"))
        stages = Stages(arguments.quiet, "picture made", "file written")
        land = Landscape(arguments.folder)
        if arguments.window:
            top, bottom, left, right = arguments.window
            image = _closely(land, Window(top, bottom, left, right), arguments.layer)
        else:
            image = export.picture(land, arguments.side, arguments.layer)
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


def _limited(on_progress: OnProgress, seconds: float | None) -> OnProgress:
    """Progress that ends the run after the task in which its time is up."""
    end = math.inf if seconds is None else time.monotonic() + seconds

    def limited(fraction: float, message: str) -> None:
        on_progress(fraction, message)
        if fraction < 1 and time.monotonic() >= end:
            raise signals.Ended("", signals.TRY_AGAIN)

    return limited


def _progress(arguments: argparse.Namespace) -> OnProgress:
    return ShareProgress(ProgressLine(arguments.quiet)).show
