# SPDX-License-Identifier: GPL-3.0-or-later
"""Command line: erode and make terrain files, list recipes and fields. Needs no Blender.

Exit codes: 0 done; 1 internal error, with a traceback; 2 bad usage or input, with a sentence; 130 interrupted; 143
ended by SIGTERM, 129 by SIGHUP. After anything but 0, no file has been written, except frames, and the checkpoint of a
run ended by a signal.
"""

import argparse
import json
import math
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..base.atomic_files import Outputs
from ..base.data_files import own, shipped
from ..base.errors import InputError
from ..files import maps
from ..files.heightmap import SUFFIXES, Range, Written, encode_heightmap
from ..files.image_files import ImageFiles, OpenImageIOFiles
from ..frames.sequence import Frames
from ..generators.registry import make, require_size
from ..recipe.recipe import Recipe
from ..run.checkpoint import Checkpoint
from ..run.precompile import Tell, rehearse, rehearse_rest
from ..run.progress import Progress
from ..run.report import in_words
from ..run.simulation import resume, simulate
from ..terrain.fields import FIELDS
from ..terrain.terrain import Terrain
from .analyze import analyze
from .arguments import parser
from .beside import map_fields, plan_report, plan_side, require_space, write_side
from .convert import convert, place_of
from .rivers import rivers
from .source import inputs, note_lack, read, recipe_of
from .terminal import signals
from .terminal.output import complain, note, say, say_written, table
from .variants import variants
from .watching import watched


def main(
    argv: Sequence[str] | None = None,
    image_files: ImageFiles | None = None,
    program: str = "terrain-erosion",
    render: Callable[[argparse.Namespace], None] | None = None,
) -> int:
    """Run the command line and return the exit code.

    argv: arguments after the program's name (default: the process's own). image_files: reader and writer of images.
    render: implementation of the command of that name, which needs Blender.
    """
    try:
        given = parser(program).parse_args(argv)
        with signals.heeded(), warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: note(str(message))
            if given.command == "render":
                if render is None:
                    raise InputError("To render takes Blender: blender --command erosion render IN.blend OUT.png.")
                render(given)
            else:
                _run(given, image_files or OpenImageIOFiles())
    except signals.Ended as order:
        note(str(order))
        return order.code
    except InputError as error:
        note(str(error))
        return 2
    except MemoryError:
        note("There was not enough memory; use a smaller terrain or close other programs.")
        return 2
    except KeyboardInterrupt as end:
        note(str(end) or "Interrupted; nothing was written.")
        return 130
    except SystemExit as end:  # after --help
        return int(end.code or 0)
    except Exception:  # noqa: BLE001
        complain(traceback.format_exc())
        return 1
    return 0


def _run(given: argparse.Namespace, image_files: ImageFiles) -> None:
    match given.command:
        case "erode":
            _erode(given, image_files)
        case "resume":
            _resume(given, image_files)
        case "make":
            _make(given, image_files)
        case "convert":
            convert(given, image_files)
        case "analyze":
            analyze(given, image_files)
        case "rivers":
            rivers(given, image_files)
        case "variants":
            variants(given, image_files)
        case "recipes":
            _recipes(given.name)
        case "fields":
            _fields()


def _erode(given: argparse.Namespace, image_files: ImageFiles) -> None:
    recipe = recipe_of(given)
    with _planned(given) as results:
        terrain, masks = read(given, recipe, image_files)
        run = simulate(terrain, recipe, seed=given.seed, edges=given.edges, masks=masks, threads=given.threads or 0)
        results.require_space(terrain.shape)
        if not given.quiet:
            note_lack(recipe, terrain, masks)

        def compile_kernels(tell: Tell) -> None:
            rehearse(recipe, terrain.spacing, masks, terrain.fields, tell)

        if frames := _frames(given, image_files):
            frames.require_space(terrain.shape)
            if not given.quiet:
                note(f"{given.frames} frames of about {frames.bytes_needed(terrain.shape) / 1e6:.1f} MB in all.")
            run = frames.keep(run)
        with _told_of_frames(frames, given):
            last = results.watch(run, compile_kernels)
        results.write(last, image_files)


@contextmanager
def _told_of_frames(frames: Frames | None, given: argparse.Namespace) -> Iterator[None]:
    """Context that names the frames of a run that does not reach its end; an interruption says so in its sentence."""
    try:
        yield
    except (KeyboardInterrupt, signals.Ended) as end:
        if frames is None or not frames.kept:
            raise
        reason = "Ended by the system" if isinstance(end, signals.Ended) else "Interrupted"
        kept = f"the {frames.kept} frames made so far stay in {given.frames_folder}"
        raise type(end)(f"{reason}; no result was written, but {kept}.") from None
    except Exception:
        _note_frames(frames, given)
        raise
    _note_frames(frames, given)


def _note_frames(frames: Frames | None, given: argparse.Namespace) -> None:
    if frames is not None and 0 < frames.kept < given.frames:
        note(f"The {frames.kept} frames made so far stay in {given.frames_folder}.")


def _frames(given: argparse.Namespace, image_files: ImageFiles) -> Frames | None:
    """Frames to keep, if any are asked for."""
    if given.frames is None and given.frames_folder is None and not given.frames_fields:
        return None
    if given.frames is None or given.frames_folder is None:
        raise InputError("--frames needs --frames-folder, the folder for them, and the other way around.")
    return Frames(given.frames_folder, given.frames, given.frames_fields, image_files)


def _resume(given: argparse.Namespace, image_files: ImageFiles) -> None:
    with _planned(given) as results:
        checkpoint = Checkpoint.load(given.input)
        run = resume(checkpoint, given.threads or 0)
        results.require_space(checkpoint.arrays["start/elevation"].shape)
        results.write(results.watch(run, lambda tell: rehearse_rest(checkpoint, tell)), image_files)


class _Results:
    """Output files of a run."""

    def __init__(self, outputs: Outputs, given: argparse.Namespace) -> None:
        if given.analyze and not given.maps:
            raise InputError("--analyze needs --maps, the folder for what it finds.")
        if given.checkpoint is None and given.time_limit is not None:
            raise InputError("--time-limit needs --checkpoint, to save the run when it is over.")
        self._outputs, self._given = outputs, given
        self._maps = maps.plan(outputs, given.maps, png=given.png_maps) if given.maps else {}
        self._target = outputs.plan(given.output, SUFFIXES, given.input)
        self._report = plan_report(outputs, given.report) if given.report else None
        self._side = plan_side(outputs, given.output, self._report)
        self._checkpoint = outputs.plan(given.checkpoint, (".npz",), given.input) if given.checkpoint else None

    def require_space(self, shape: tuple[int, ...]) -> None:
        """Raise InputError if the disk lacks space for the files of a terrain of (rows, cols)."""
        require_space(self._target, shape, list(self._maps.values()), self._checkpoint)

    def watch(self, run: Iterator[Progress], compile_kernels: Callable[[Tell], None]) -> Progress:
        """Final progress of the run."""
        limit = math.inf if self._given.time_limit is None else self._given.time_limit
        return watched(run, compile_kernels, self._given.quiet, limit, self._checkpoint is not None)

    def write(self, last: Progress, image_files: ImageFiles) -> None:
        """Write and publish the result; only the checkpoint if the run is not complete."""
        written = None
        if last.fraction < 1 and self._checkpoint:
            with self._outputs.write(self._checkpoint) as path:
                last.checkpoint.save(path)
        else:
            result = last.terrain
            written = self._write_result(result, image_files)
        say_written(self._outputs.publish())
        if written is None and signals.came():
            raise signals.Ended(f"Ended by the system at {last.fraction:.0%}; go on with the command resume.")
        if self._given.quiet:
            return
        if written is None:
            note(f"The time limit ended the run at {last.fraction:.0%}; go on with the command resume.")
            return
        _note_gray(self._given.output, written, self._given.height_range)
        for line in [*(result.report or {})["notes"], *in_words(result.report or {})]:
            note(line)

    def _write_result(self, result: Terrain, image_files: ImageFiles) -> Written:
        with self._outputs.write(self._target) as path:
            span = self._given.height_range
            place = place_of(self._given.input, result.shape)
            written = encode_heightmap(path, result.elevation, image_files, span, "f8", result.spacing, place)
        write_side(self._side, self._given.output, result, written)
        edges = (result.report or {}).get("edges", "open")
        maps.write(self._outputs, self._maps, map_fields(result, self._given, edges), image_files)
        if self._report:
            with self._outputs.write(self._report) as path:
                path.write_text(json.dumps(result.report, indent=2) + "\n", encoding="utf-8")
        return written


@contextmanager
def _planned(given: argparse.Namespace) -> Iterator[_Results]:
    """Plan all files of a run, before it begins."""
    with Outputs(inputs(given)) as outputs:
        yield _Results(outputs, given)


def _make(given: argparse.Namespace, image_files: ImageFiles) -> None:
    with Outputs(value for _, value in given.set if isinstance(value, str)) as outputs:
        planned = maps.plan(outputs, given.maps, png=given.png_maps) if given.maps else {}
        target = outputs.plan(given.output, SUFFIXES)
        side = plan_side(outputs, given.output)
        rows, cols = given.size
        require_size(rows, cols)
        require_space(target, given.size)
        terrain = make(given.kind, rows, cols, given.cell_size, given.seed, dict(given.set), image_files)
        with outputs.write(target) as path:
            written = encode_heightmap(path, terrain.elevation, image_files, None, "f8", terrain.spacing)
        write_side(side, given.output, terrain, written)
        edges = "wrap" if dict(given.set).get("tileable") else "open"
        maps.write(outputs, planned, map_fields(terrain, given, edges), image_files)
        published = outputs.publish()
    _note_gray(given.output, written, None)
    say_written(published)


def _recipes(chosen: str | None) -> None:
    if chosen is None:
        say(table((name, _description(path)) for name, path in [*shipped().items(), *own().items()]))
        return
    text = Recipe.load(chosen).to_toml()
    if (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8":
        # TOML files are UTF-8; escapes keep the text valid in whatever a redirected output is written in.
        text = re.sub(r"[^\x00-\x7f]", lambda letter: f"\\U{ord(letter[0]):08x}", text)
    say(text.rstrip("\n"))


def _description(path: Path) -> str:
    """Description of a recipe; for an invalid file of the user's, the error."""
    try:
        return Recipe.load(path).description
    except InputError as error:
        return str(error)


def _fields() -> None:
    rows = [("name", "unit", "components", "meaning")]
    rows += [(field.name, field.unit, str(field.components), field.meaning) for field in FIELDS.values()]
    say(table(rows))


def _note_gray(path: Path, written: Written, wanted: Range | None) -> None:
    """Print the scale of a 16-bit file if the user gave none, and the number of clipped cells."""
    if written.height_range and not wanted:
        low, high = written.height_range
        note(f"In {path} black is {low:.10g} m and white {high:.10g} m.")
    if written.clipped_cells:
        note(f"{written.clipped_cells} cells lay outside the height range and were cut off in {path}.")
