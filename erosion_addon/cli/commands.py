# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: erode and make terrain files, list recipes and fields. Needs no Blender.

Exit codes: 0 done; 2 bad usage or input, said in one sentence; 130 interrupted; 143 ended by the system (SIGTERM; 129
by SIGHUP); 1 a fault of the program, with a traceback. Whatever is not 0 has written nothing, but for the checkpoint of
a run that the system has ended.
"""

import argparse
import dataclasses
import json
import math
import re
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..base.arrays import Array
from ..base.atomic_files import Outputs
from ..base.data_files import own, shipped
from ..base.errors import InputError
from ..files import maps
from ..files.headers.image_header import read_header
from ..files.heightmap import IMAGE_SUFFIXES, RAW_SUFFIXES, SUFFIXES, Range, Written, encode_heightmap, read_heightmap
from ..files.image_files import ImageFiles, OpenImageIOFiles
from ..generators.registry import make, require_size
from ..recipe.needs import with_loose_top
from ..recipe.recipe import Recipe
from ..run.checkpoint import Checkpoint
from ..run.precompile import Tell, rehearse, rehearse_rest
from ..run.progress import Progress
from ..run.report import in_words
from ..run.simulation import resume, simulate
from ..terrain.fields import FIELDS
from ..terrain.masks import MASK_KINDS
from ..terrain.strata import Strata
from ..terrain.terrain import Terrain
from . import ending
from .analyze import analyze
from .arguments import parser
from .beside import map_fields, plan_report, plan_side, require_space, write_side
from .convert import convert, read_input
from .rivers import rivers
from .terminal import ProgressLine, complain, note, say, say_written, table


def main(
    argv: Sequence[str] | None = None,
    image_files: ImageFiles | None = None,
    program: str = "terrain-erosion",
    render: Callable[[argparse.Namespace], None] | None = None,
) -> int:
    """Do what the words of `argv` say and return the exit code.

    argv: the words after the program's name (default: the process's own). image_files: reads and writes images.
    render: does the command of that name, which takes Blender.
    """
    try:
        given = parser(program).parse_args(argv)
        with ending.heeded(), warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: note(str(message))
            if given.command == "render":
                if render is None:
                    raise InputError("To render takes Blender: blender --command erosion render IN.blend OUT.png.")
                render(given)
            else:
                _run(given, image_files or OpenImageIOFiles())
    except ending.Ended as order:
        note(str(order))
        return order.code
    except InputError as error:
        note(str(error))
        return 2
    except MemoryError:
        note("There was not enough memory; use a smaller terrain or close other programs.")
        return 2
    except KeyboardInterrupt:
        note("Interrupted; nothing was written.")
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
        case "recipes":
            _recipes(given.name)
        case "fields":
            _fields()


def _erode(given: argparse.Namespace, image_files: ImageFiles) -> None:
    recipe = Recipe.load(given.recipe).with_values(dict(given.set))
    if given.surface_color and _is_strata(given.surface_color):
        recipe = dataclasses.replace(recipe, strata=Strata.load(given.surface_color))
    with _planned(given) as results:
        terrain, masks = _read(given, image_files)
        if given.sand is not None:
            terrain = _with_sand(terrain, given.sand, recipe, masks)
        run = simulate(terrain, recipe, seed=given.seed, edges=given.edges, masks=masks, threads=given.threads or 0)
        results.require_space(terrain.shape)
        if not given.quiet:
            _note_lack(recipe, terrain, masks)

        def compile_kernels(tell: Tell) -> None:
            rehearse(recipe, terrain.spacing, masks, terrain.fields, tell)

        results.write(_watched(run, given, compile_kernels), image_files)


def _resume(given: argparse.Namespace, image_files: ImageFiles) -> None:
    with _planned(given) as results:
        checkpoint = Checkpoint.load(given.input)
        run = resume(checkpoint, given.threads or 0)
        results.require_space(checkpoint.arrays["start/elevation"].shape)
        results.write(_watched(run, given, lambda tell: rehearse_rest(checkpoint, tell)), image_files)


class _Results:
    """The files that a run is asked for."""

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
        """Raise InputError where there is no room for the files of a terrain of (rows, cols)."""
        require_space(self._target, shape, list(self._maps.values()), self._checkpoint)

    def write(self, last: Progress, image_files: ImageFiles) -> None:
        """Write and publish the result; only the checkpoint where the run is not at its end."""
        written = None
        if last.fraction < 1 and self._checkpoint:
            with self._outputs.write(self._checkpoint) as path:
                last.checkpoint.save(path)
        else:
            result = last.terrain
            written = self._write_result(result, image_files)
        say_written(self._outputs.publish())
        if written is None and ending.came():
            raise ending.Ended(f"Ended by the system at {last.fraction:.0%}; go on with the command resume.")
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
            written = encode_heightmap(path, result.elevation, image_files, span, "f8", result.spacing)
        write_side(self._side, self._given.output, result, written)
        edges = (result.report or {}).get("edges", "open")
        maps.write(self._outputs, self._maps, map_fields(result, self._given, edges), image_files)
        if self._report:
            with self._outputs.write(self._report) as path:
                path.write_text(json.dumps(result.report, indent=2) + "\n", encoding="utf-8")
        return written


@contextmanager
def _planned(given: argparse.Namespace) -> Iterator[_Results]:
    """All files of a run, found writable before it begins."""
    colors = getattr(given, "surface_color", None)
    inputs = [given.input, given.input.with_suffix(".json"), *([colors] if colors else [])]
    with Outputs([*inputs, *(path for _, path in getattr(given, "mask", []))]) as outputs:
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
    """What a recipe makes; for a file of the user's that is none, what is wrong with it."""
    try:
        return Recipe.load(path).description
    except InputError as error:
        return str(error)


def _fields() -> None:
    rows = [("name", "unit", "components", "meaning")]
    rows += [(field.name, field.unit, str(field.components), field.meaning) for field in FIELDS.values()]
    say(table(rows))


def _read(given: argparse.Namespace, image_files: ImageFiles) -> tuple[Terrain, dict[str, Array]]:
    """The start terrain and the masks."""
    hint = None if given.quiet else note
    elevation, cell_size = read_input(given, given.size, image_files)
    is_image = given.input.suffix.lower() in IMAGE_SUFFIXES
    if is_image and not (given.smooth_steps or given.quiet) and read_header(given.input).kind == "uint8":
        note(f"{given.input} has 8 bits, so its slopes are made of up to 256 steps; --smooth-steps smooths them away.")
    fields = {}
    if given.surface_color and not _is_strata(given.surface_color):
        rows, cols = elevation.shape
        fields["surface_color"] = maps.read_color(Path(given.surface_color), image_files, (rows, cols))
    terrain = Terrain(elevation, cell_size, fields)
    masks = {}
    for kind, path in given.mask:
        if kind not in MASK_KINDS:
            raise InputError(f"There is no mask {kind!r:.60}; there are {', '.join(MASK_KINDS)}.")
        size = given.size if Path(path).suffix.lower() in RAW_SUFFIXES else None
        masks[kind] = read_heightmap(path, image_files, (0.0, 1.0), size, hint)
    return terrain, masks


def _with_sand(terrain: Terrain, thickness: float, recipe: Recipe, masks: Mapping[str, Array]) -> Terrain:
    """The terrain with its uppermost meters loose; 0 for as many as the recipe needs."""
    if "sediment" in masks:
        raise InputError("--sand and --mask sediment=FILE both say where loose sand lies; give one of them.")
    if not (thickness or recipe.needs.sediment):
        raise InputError(f"{recipe.name} needs no sand; say how much you want: --sand METERS.")
    return with_loose_top(terrain, thickness or recipe.needs.sediment)


def _note_lack(recipe: Recipe, terrain: Terrain, masks: Mapping[str, Array]) -> None:
    """Say what the recipe needs and the ground lacks, and offer it."""
    loose = masks.get("sediment", terrain.fields.get("sediment"))
    if lack := recipe.needs.lack(0.0 if loose is None else float(loose.max())):
        note(f"{lack} --sand adds it.")


def _is_strata(surface_color: str) -> bool:
    """Whether this names strata, shipped ones or a file; else it is an image."""
    return Path(surface_color).suffix.lower() not in IMAGE_SUFFIXES


def _watched(run: Iterator[Progress], given: argparse.Namespace, compile_kernels: Callable[[Tell], None]) -> Progress:
    """The last progress of a run, shown on standard error on its way to the end or the time limit.

    compile_kernels: called first with what it is to tell about its progress.
    """
    line = None if given.quiet else ProgressLine()
    end = math.inf if given.time_limit is None else time.monotonic() + given.time_limit
    try:
        compile_kernels(line.show_compiling if line else lambda fraction, message: None)
        with ending.postponed(given.checkpoint is not None):
            for progress in run:
                if line:
                    line.show(progress)
                ending.check()
                if time.monotonic() >= end or ending.came():
                    break
    finally:
        if line:
            line.close()
    return progress


def _note_gray(path: Path, written: Written, wanted: Range | None) -> None:
    """Say what the shades of a 16-bit file mean, where the user did not, and what did not fit in."""
    if written.height_range and not wanted:
        low, high = written.height_range
        note(f"In {path} black is {low:.10g} m and white {high:.10g} m.")
    if written.clipped_cells:
        note(f"{written.clipped_cells} cells lay outside the height range and were cut off in {path}.")
