# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands erode and resume: a run with its results, frames and checkpoint."""

import argparse
import json
import math
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

from ..base.arrays import Array
from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..base.memory import size_in_words
from ..base.threads import OnProgress
from ..files import maps
from ..files.formats import SUFFIXES
from ..files.headers.georeference import Georeference
from ..files.heightmap import Written, encode_heightmap
from ..files.image_files import ImageFiles
from ..recipe.recipe import Recipe
from ..run.checkpoint import Checkpoint
from ..run.frames import frame_files
from ..run.frames.record import frames_of_film
from ..run.frames.sequence import Frames
from ..run.precompile import rehearse
from ..run.progress import Progress
from ..run.region import resuming
from ..run.region.rerun import LOCAL_MASKS, begin
from ..run.report import in_words
from ..run.simulation import OutOfBoundsError, RunOptions
from ..terrain.terrain import Terrain
from .beside import map_fields, note_gray, plan_report, plan_side, require_space, write_side
from .finished import is_finished, order_of
from .source import inputs, kept_holes, note_holes, note_lack, read, read_region, recipe_of
from .terminal import signals
from .terminal.output import note, print_written
from .terminal.progress import ProgressLine, RunProgress
from .watching import watched


def erode(arguments: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command erode; InputError for invalid arguments or inputs."""
    if arguments.look:
        raise InputError("--look is for an OUTPUT that ends in .blend.")
    recipe = recipe_of(arguments)
    order = order_of(arguments, recipe, inputs(arguments)) if arguments.report else ""
    if _is_finished(arguments, order):
        return
    with _planned(arguments, order) as results, _locked_frames(arguments):
        terrain, masks, record = read(arguments, recipe, image_files)
        results.place, results.holes = record.georeference, kept_holes(arguments, record)
        _require_frames_whole(arguments)
        region = read_region(arguments, image_files, record)
        local: frozenset[str] = frozenset() if region is None else LOCAL_MASKS
        compile_kernels: Callable[[OnProgress], None] = partial(
            rehearse, recipe, terrain.spacing, local.union(masks), terrain.fields
        )
        options = RunOptions(arguments.seed, arguments.edges, masks, arguments.threads or 0)
        checkpoint = _checkpoint_of(arguments, terrain, recipe, options, region)
        frames = _frames(arguments, terrain, checkpoint)
        if checkpoint:
            run = resuming.resume(checkpoint, arguments.threads or 0)
            compile_kernels = partial(resuming.compile_rest, checkpoint)
        else:
            run = begin(terrain, recipe, options, region)
        results.require_space(terrain.shape)
        if not arguments.quiet:
            note_lack(recipe, terrain, masks)
        if frames:
            frames.require_space(terrain.shape)
            if not arguments.quiet:
                note(_frames_to_come(frames, terrain))
            if arguments.go_on and not checkpoint:
                run = results.saving_first(run)
            run = frames.keep(run, terrain)
        with _naming_kept_files(frames, results, arguments):
            last = results.watch(run, compile_kernels)
        results.write(last, image_files, masks.get("outlet"))


def resume(arguments: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command resume; InputError for invalid arguments or an invalid checkpoint."""
    order = order_of(arguments, None, [arguments.input]) if arguments.report else ""
    if _is_finished(arguments, order):
        return
    with _planned(arguments, order) as results, _locked_frames(arguments):
        checkpoint = Checkpoint.load(arguments.input)
        run = resuming.resume(checkpoint, arguments.threads or 0)
        start = checkpoint.arrays["start/elevation"]
        rows, cols = start.shape
        results.require_space((rows, cols))
        frames = (
            Frames.of_paused_run(arguments.frames_folder, start)
            if arguments.frames_folder
            else None
        )
        if frames:
            frames.require_space((rows, cols))
            run = frames.keep(run)
        with _naming_kept_files(frames, results, arguments):
            last = results.watch(run, partial(resuming.compile_rest, checkpoint))
        results.write(last, image_files, resuming.outlets(checkpoint))


def _is_finished(arguments: argparse.Namespace, order: str) -> bool:
    """Whether the report lists finished results; prints a note if so."""
    if not (order and is_finished(arguments.report, order)):
        return False
    if not arguments.quiet:
        note(f"{arguments.output} already holds the complete result of this run; nothing was done.")
    return True


def _checkpoint_of(
    arguments: argparse.Namespace,
    terrain: Terrain,
    recipe: Recipe,
    options: RunOptions,
    region: Any,
) -> Checkpoint | None:
    """Checkpoint to go on from, if that is wanted and there is one; InputError for one of another
    run.
    """
    if not (arguments.go_on and arguments.checkpoint.exists()):
        return None
    checkpoint = Checkpoint.load(arguments.checkpoint)
    if not resuming.is_of(checkpoint, terrain, recipe, options, region):
        raise InputError(
            f"{arguments.checkpoint} belongs to another run; name another checkpoint, or remove "
            "this one."
        )
    return checkpoint


def _require_frames_whole(arguments: argparse.Namespace) -> None:
    """Check the options for frames, and set `frames`, their number, from a film; InputError if they
    do not fit.
    """
    if arguments.frames_per_second is not None:
        if arguments.frames is not None:
            raise InputError(
                "--frames and --frames-per-second are two ways to say how many; leave out one of "
                "the two."
            )
        arguments.frames = frames_of_film(*arguments.frames_per_second)
    if (arguments.frames is None) != (arguments.frames_folder is None) or (
        arguments.frames_fields and arguments.frames is None
    ):
        raise InputError("--frames and --frames-folder belong together; give both.")


def _locked_frames(arguments: argparse.Namespace) -> AbstractContextManager[None]:
    """Context of the one run that keeps frames in their folder, if any are kept."""
    return frame_files.locked(arguments.frames_folder) if arguments.frames_folder else nullcontext()


def _frames(
    arguments: argparse.Namespace, terrain: Terrain, checkpoint: Checkpoint | None
) -> Frames | None:
    """Frames to keep, if any are asked for; with a checkpoint those of its run, to go on with."""
    if arguments.frames is None:
        return None
    if checkpoint is None:
        return Frames(arguments.frames_folder, arguments.frames, arguments.frames_fields)
    frames = Frames.of_paused_run(arguments.frames_folder, terrain.elevation)
    if not frames.is_as_asked(arguments.frames, arguments.frames_fields):
        raise InputError(
            f"{arguments.frames_folder} holds {frames.count} frames with "
            f"{', '.join(frames.fields)}; ask for the same number and fields to go on with them."
        )
    return frames


def _frames_to_come(frames: Frames, terrain: Terrain) -> str:
    """Number and greatest size of all frames, in words."""
    most = size_in_words(frames.bytes_needed(terrain.shape))
    finished = f"; {frames.kept + 1} of them are there already" if frames.kept >= 0 else ""
    return f"{frames.count + 1} frames of at most {most} in all{finished}."


@contextmanager
def _naming_kept_files(
    frames: Frames | None, results: "_Results", arguments: argparse.Namespace
) -> Iterator[None]:
    """Context that names the files left by a run that does not reach its end, and by an interrupted
    one.
    """
    try:
        yield
    except (KeyboardInterrupt, signals.Ended) as end:
        remains = [*_frames_that_stay(frames), *results.saved]
        if not remains:
            raise
        raise signals.renamed(end, f"no result was written, but {' and '.join(remains)}") from None
    except Exception:
        stay = _frames_that_stay(frames)
        again = (
            "go on from the checkpoint"
            if results.saved
            else "remove them, or choose another folder, to run again"
        )
        _note_all([f"{clause}; {again}" for clause in stay] + results.saved)
        raise
    _note_all(_frames_that_stay(frames))


def _frames_that_stay(frames: Frames | None) -> list[str]:
    if frames is None or not 0 <= frames.kept < frames.count:
        return []
    return [f"the {frames.kept + 1} frames made so far stay in {frames.folder}"]


def _note_all(clauses: list[str]) -> None:
    for clause in clauses:
        note(f"{clause[:1].upper()}{clause[1:]}.")


class _Results:
    """Output files of a run. saved: a clause on the last checkpoint that was written on the way.
    place: georeference of the result. holes: cells without data.
    """

    place: Georeference | None = None
    holes: Array | None = None

    def __init__(self, outputs: Outputs, arguments: argparse.Namespace, order: str) -> None:
        if arguments.analyze and not arguments.maps:
            raise InputError("--analyze needs --maps, the folder for what it finds.")
        if arguments.weights and not arguments.maps:
            raise InputError("--weights needs --maps, the folder for them.")
        for option in ("time_limit", "checkpoint_every", "go_on"):
            if getattr(arguments, option, None) and arguments.checkpoint is None:
                name = {"go_on": "continue"}.get(option, option).replace("_", "-")
                raise InputError(f"--{name} needs --checkpoint, the file that holds the run.")
        self._outputs = outputs
        self._arguments = arguments
        self._order = order
        forms = {"png": arguments.png_maps, "tif": arguments.tif_maps}
        self._maps = maps.plan(outputs, arguments.maps, **forms) if arguments.maps else {}
        self._cover = (
            maps.plan_cover(outputs, arguments.maps) if arguments.maps and arguments.weights else {}
        )
        self._target = outputs.plan(arguments.output, SUFFIXES, arguments.input)
        self._report = plan_report(outputs, arguments.report) if arguments.report else None
        self._side = plan_side(outputs, arguments.output, self._report)
        self._checkpoint = (
            outputs.plan(arguments.checkpoint, (".npz",), arguments.input)
            if arguments.checkpoint
            else None
        )
        self.saved: list[str] = []
        self._finished: Progress | None = None  # until its results are written

    def require_space(self, shape: tuple[int, ...]) -> None:
        """Raise InputError if the disk lacks space for the files of a terrain of (rows, cols)."""
        require_space(self._target, shape, list(self._maps.values()), self._checkpoint)

    def watch(
        self, run: Iterator[Progress], compile_kernels: Callable[[OnProgress], None]
    ) -> Progress:
        """Final progress of the run."""
        arguments = self._arguments
        limit = math.inf if arguments.time_limit is None else arguments.time_limit
        every = math.inf if arguments.checkpoint_every is None else 60 * arguments.checkpoint_every
        display = RunProgress(ProgressLine(arguments.quiet))
        display.begin()
        try:
            return watched(
                run,
                compile_kernels,
                display,
                limit,
                self._save if self._checkpoint else None,
                every,
            )
        except OutOfBoundsError as error:
            self._finished = error.progress
            raise

    def saving_first(self, run: Iterator[Progress]) -> Iterator[Progress]:
        """The run, saved in the checkpoint before its first frame: no frames without a run to go on
        with.
        """
        first = next(run)
        self._save(first)
        yield first
        yield from run

    def _save(self, progress: Progress) -> None:
        """Write the checkpoint on the way; the run goes on where that fails."""
        assert self._checkpoint is not None
        try:
            progress.checkpoint.save(self._checkpoint)
        except (InputError, MemoryError) as error:
            note(f"{error or 'There was not enough memory for a checkpoint.'} The run goes on.")
        else:
            self.saved = [
                f"the checkpoint at {progress.fraction:.0%} stays in {self._arguments.checkpoint}"
            ]

    def write(self, last: Progress, image_files: ImageFiles, outlets: Array | None) -> None:
        """Write and publish the result; only the checkpoint if the run is not complete. outlets:
        see `map_fields`.
        """
        if last.fraction < 1 and self._checkpoint:
            with self._outputs.write(self._checkpoint) as path:
                last.checkpoint.save(path)
            print_written(self._outputs.publish())
            command = (
                "the same command"
                if getattr(self._arguments, "go_on", False)
                else "the command resume"
            )
            at = f"at {last.fraction:.0%}; go on with {command}."
            if signals.arrived():
                raise signals.Ended(f"Ended by the system {at}")
            raise signals.Ended(f"The time limit ended the run {at}", signals.TRY_AGAIN)
        result = last.terrain
        self._finished = last
        written = self._write_result(result, image_files, outlets)
        published = self._outputs.publish()
        self._finished = None
        print_written(published)
        if self._checkpoint and (self.saved or getattr(self._arguments, "go_on", False)):
            # the state on the way to a result that is there
            self._checkpoint.unlink(missing_ok=True)
        if self._arguments.quiet:
            return
        note_gray(self._arguments.output, written, self._arguments.height_range)
        note_holes(self._arguments.output, self.holes)
        for line in [*(result.report or {})["notes"], *in_words(result.report or {})]:
            note(line)

    def keep(self) -> None:
        """Save a finished run whose results were not written, so that `resume` writes them without
        the work.

        It goes to the checkpoint, to a new file beside the output, or else to one among the
        temporary files.
        """
        if self._finished is None:
            return
        beside = self._target.with_suffix(".npz")
        places = [self._checkpoint] if self._checkpoint else [] if beside.exists() else [beside]
        for path in (
            *places,
            Path(tempfile.gettempdir(), f"{self._target.stem}-{secrets.token_hex(4)}.npz"),
        ):
            with suppress(InputError, MemoryError):
                self._finished.checkpoint.save(path)
                note(f"What was computed is kept in {path}; the command resume writes its results.")
                return

    def _write_result(
        self, result: Terrain, image_files: ImageFiles, outlets: Array | None
    ) -> Written:
        with self._outputs.write(self._target) as path:
            span = self._arguments.height_range
            heights = result.elevation
            written = encode_heightmap(
                path,
                heights,
                image_files,
                span,
                "f8",
                result.spacing,
                self.place,
                self.holes,
                is_elevation=True,
            )
        write_side(self._side, self._arguments.output, result, written)
        edges = (result.report or {}).get("edges", "open")
        fields = map_fields(result, self._arguments, edges, outlets)
        maps.write(
            self._outputs, self._maps, fields, image_files, result.spacing, self.place, self.holes
        )
        maps.write_cover(self._outputs, self._cover, result, image_files)
        if self._report:
            report = {
                **(result.report or {}),
                "order": self._order,
                "files": self._outputs.digests(),
            }
            with self._outputs.write(self._report) as path:
                path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        return written


@contextmanager
def _planned(arguments: argparse.Namespace, order: str) -> Iterator[_Results]:
    """Plan all files of a run, before it begins. order: what its report names it by."""
    results = None
    try:
        with Outputs(inputs(arguments)) as outputs:
            results = _Results(outputs, arguments, order)
            yield results
    except Exception:
        if results is not None:  # which has room now that what was half-written is gone
            results.keep()
        raise
