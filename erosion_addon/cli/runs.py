# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands erode and resume: a run with its results, frames and checkpoint."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
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
from ..files.rasters.tiff_writer import Tags
from ..recipe.recipe import Recipe
from ..run.checkpoint import Checkpoint
from ..run.frames import frame_files
from ..run.frames.sequence import Frames
from ..run.precompile import rehearse
from ..run.progress import Progress
from ..run.region import resuming
from ..run.region.rerun import LOCAL_MASKS, begin
from ..run.report import in_words
from ..run.simulation import OutOfBoundsError, RunOptions
from ..terrain.terrain import Terrain
from .arguments.orders import ErodeOrder, FramesOrder, ResultsOrder, ResumeOrder
from .beside import (
    map_fields,
    note_gray,
    plan_maps,
    plan_report,
    plan_side,
    require_space,
    write_side,
)
from .finished import digest_of, is_finished
from .keeping import keep, temporary_place
from .source import kept_holes, note_holes, note_lack, read, read_mask_file
from .terminal import signals
from .terminal.output import note, print_written
from .terminal.progress import ProgressLine, RunProgress, watched


def erode(order: ErodeOrder, image_files: ImageFiles) -> None:
    """Run the command erode; InputError for invalid inputs."""
    source = order.source
    land = source.land
    recipe = source.recipe
    digest = ""
    if order.results.report:
        digest = digest_of(order.results.words, recipe, order.results.inputs)
    if _is_finished(order.results, digest):
        return
    with _planned(order.results, digest) as results, _locked_frames(order.frames.folder):
        terrain, masks, record = read(source, image_files)
        results.place = record.georeference
        results.holes = kept_holes(land, record)
        region: Any = order.region
        if order.region_mask:
            region = read_mask_file(order.region_mask, image_files, record, land.quiet)
        options = RunOptions(order.seed, order.edges, masks, order.results.threads)
        checkpoint = _checkpoint_of(order.results, terrain, recipe, options, region)
        frames = _frames(order.frames, terrain, checkpoint)
        compile_kernels: Callable[[OnProgress], None]
        if checkpoint:
            run = resuming.resume(checkpoint, order.results.threads)
            compile_kernels = partial(resuming.compile_rest, checkpoint)
        else:
            run = begin(terrain, recipe, options, region)
            kinds = {*masks, *(LOCAL_MASKS if region is not None else ())}
            compile_kernels = partial(rehearse, recipe, terrain.spacing, kinds, terrain.fields)
        results.require_space(terrain.shape)
        if not land.quiet:
            note_lack(recipe, terrain, masks)
        if frames:
            frames.require_space(terrain.shape)
            if not land.quiet:
                note(_frames_to_come(frames, terrain))
            if order.results.continues and not checkpoint:
                run = results.saving_first(run)
            run = frames.keep(run, terrain)
        with _naming_kept_files(frames, results):
            last = results.watch(run, compile_kernels)
        results.write(last, image_files, masks.get("outlet"))


def resume(order: ResumeOrder, image_files: ImageFiles) -> None:
    """Run the command resume; InputError for an invalid checkpoint."""
    digest = ""
    if order.results.report:
        digest = digest_of(order.results.words, None, [order.checkpoint])
    if _is_finished(order.results, digest):
        return
    with _planned(order.results, digest) as results, _locked_frames(order.frames_folder):
        checkpoint = Checkpoint.load(order.checkpoint)
        run = resuming.resume(checkpoint, order.results.threads)
        start = checkpoint.arrays["start/elevation"]
        rows, cols = start.shape
        results.require_space((rows, cols))
        frames = Frames.of_paused_run(order.frames_folder, start) if order.frames_folder else None
        if frames:
            frames.require_space((rows, cols))
            run = frames.keep(run)
        with _naming_kept_files(frames, results):
            last = results.watch(run, partial(resuming.compile_rest, checkpoint))
        results.write(last, image_files, resuming.outlets(checkpoint))


def _is_finished(order: ResultsOrder, digest: str) -> bool:
    """Whether the report lists finished results; prints a note if so."""
    if not (digest and order.report and is_finished(order.report, digest)):
        return False
    if not order.quiet:
        note(f"{order.output} already holds the complete result of this run; nothing was done.")
    return True


def _checkpoint_of(
    order: ResultsOrder, terrain: Terrain, recipe: Recipe, options: RunOptions, region: Any
) -> Checkpoint | None:
    """Checkpoint to continue from, if asked for and present; InputError for one of another run."""
    if not (order.continues and order.checkpoint and order.checkpoint.exists()):
        return None
    checkpoint = Checkpoint.load(order.checkpoint)
    if not resuming.is_of(checkpoint, terrain, recipe, options, region):
        raise InputError(
            f"{order.checkpoint} belongs to another run; name another checkpoint, or remove this "
            "one."
        )
    return checkpoint


def _locked_frames(folder: Path | None) -> AbstractContextManager[None]:
    """Context in which only this run keeps frames in their folder, if it keeps any."""
    return frame_files.locked(folder) if folder else nullcontext()


def _frames(order: FramesOrder, terrain: Terrain, checkpoint: Checkpoint | None) -> Frames | None:
    """Frames to keep, if requested; with a checkpoint, the frames of its run."""
    if order.folder is None or order.count is None:
        return None
    if checkpoint is None:
        return Frames(order.folder, order.count, order.fields)
    frames = Frames.of_paused_run(order.folder, terrain.elevation)
    if not frames.is_as_asked(order.count, order.fields):
        raise InputError(
            f"{order.folder} holds {frames.count} frames with {', '.join(frames.fields)}; "
            "ask for the same number and fields to go on with them."
        )
    return frames


def _frames_to_come(frames: Frames, terrain: Terrain) -> str:
    """Number and greatest size of all frames, in words."""
    most = size_in_words(frames.bytes_needed(terrain.shape))
    finished = f"; {frames.kept + 1} of them are there already" if frames.kept >= 0 else ""
    return f"{frames.count + 1} frames of at most {most} in all{finished}."


@contextmanager
def _naming_kept_files(frames: Frames | None, results: "_Results") -> Iterator[None]:
    """Context that names the files left by a run that does not reach its end."""
    try:
        yield
    except (KeyboardInterrupt, signals.Ended) as end:
        remains = [*_frames_that_stay(frames), *results.saved]
        if not remains:
            raise
        raise signals.renamed(end, f"no result was written, but {' and '.join(remains)}") from None
    except Exception:
        stay = _frames_that_stay(frames)
        if results.saved:
            again = "go on from the checkpoint"
        else:
            again = "remove them, or choose another folder, to run again"
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

    def __init__(self, outputs: Outputs, order: ResultsOrder, digest: str) -> None:
        self._outputs = outputs
        self._order = order
        self._digest = digest
        self._maps = plan_maps(outputs, order.maps)
        self._cover: dict[str, Path] = {}
        if order.maps.folder and order.weights:
            self._cover = maps.plan_cover(outputs, order.maps.folder)
        source = Path(order.inputs[0])
        self._target = outputs.plan(order.output, SUFFIXES, source)
        self._report = plan_report(outputs, order.report) if order.report else None
        self._side = plan_side(outputs, order.output, self._report)
        self._checkpoint: Path | None = None
        if order.checkpoint:
            self._checkpoint = outputs.plan(order.checkpoint, (".npz",), source)
        self.saved: list[str] = []
        self._finished: Progress | None = None  # until its results are written

    def require_space(self, shape: tuple[int, ...]) -> None:
        """Raise InputError if the disk lacks space for the files of a terrain of (rows, cols)."""
        require_space(self._target, shape, list(self._maps.values()), self._checkpoint)

    def watch(
        self, run: Iterator[Progress], compile_kernels: Callable[[OnProgress], None]
    ) -> Progress:
        """Final progress of the run."""
        display = RunProgress(ProgressLine(self._order.quiet))
        display.begin()
        save = self._save if self._checkpoint else None
        try:
            return watched(
                run, compile_kernels, display, self._order.time_limit, save, self._order.save_every
            )
        except OutOfBoundsError as error:
            self._finished = error.progress
            raise

    def saving_first(self, run: Iterator[Progress]) -> Iterator[Progress]:
        """The run, saved in the checkpoint before its first frame: frames belong to a run."""
        first = next(run)
        self._save(first)
        yield first
        yield from run

    def _save(self, progress: Progress) -> None:
        """Write the checkpoint during the run; a failure does not end the run."""
        assert self._checkpoint is not None
        try:
            progress.checkpoint.save(self._checkpoint)
        except (InputError, MemoryError) as error:
            note(f"{error or 'There was not enough memory for a checkpoint.'} The run goes on.")
        else:
            self.saved = [
                f"the checkpoint at {progress.fraction:.0%} stays in {self._order.checkpoint}"
            ]

    def write(self, last: Progress, image_files: ImageFiles, outlets: Array | None) -> None:
        """Write and publish the result; only the checkpoint if the run is not complete. outlets:
        see `map_fields`.
        """
        if last.fraction < 1 and self._checkpoint:
            with self._outputs.write(self._checkpoint) as path:
                last.checkpoint.save(path)
            print_written(self._outputs.publish())
            command = "the same command" if self._order.continues else "the command resume"
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
        if self._checkpoint and (self.saved or self._order.continues):
            # the state on the way to a result that is there
            self._checkpoint.unlink(missing_ok=True)
        if self._order.quiet:
            return
        note_gray(self._order.output, written, self._order.height_range)
        note_holes(self._order.output, self.holes)
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
        places = [temporary_place(f"{self._target.stem}.npz")]
        beside = self._target.with_suffix(".npz")
        if self._checkpoint:
            places.insert(0, self._checkpoint)
        elif not beside.exists():
            places.insert(0, beside)
        keep(self._finished.checkpoint.save, places, "; the command resume writes its results")

    def _write_result(
        self, result: Terrain, image_files: ImageFiles, outlets: Array | None
    ) -> Written:
        tags = Tags(result.spacing, self.place, self.holes)
        with self._outputs.write(self._target) as path:
            written = encode_heightmap(
                path,
                result.elevation,
                image_files,
                self._order.height_range,
                "f8",
                tags._replace(is_elevation=True),
            )
        write_side(self._side, self._order.output, result, written)
        edges = (result.report or {}).get("edges", "open")
        fields = map_fields(result, self._order.maps, edges, self._order.threads, outlets)
        maps.write(self._outputs, self._maps, fields, image_files, tags)
        maps.write_cover(self._outputs, self._cover, result, image_files)
        if self._report:
            report = {
                **(result.report or {}),
                "order": self._digest,
                "files": self._outputs.digests(),
            }
            with self._outputs.write(self._report) as path:
                path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        return written


@contextmanager
def _planned(order: ResultsOrder, digest: str) -> Iterator[_Results]:
    """Plan all files of a run, before it begins. digest: for its report."""
    results = None
    try:
        with Outputs(order.inputs) as outputs:
            results = _Results(outputs, order, digest)
            yield results
    except Exception:
        if results is not None:  # there is room again without the unfinished files
            results.keep()
        raise
