# SPDX-License-Identifier: GPL-3.0-or-later
"""Command line: erode and make terrain files, list recipes and fields. Needs no Blender.

Exit codes: 0 done; 1 internal error, with a traceback; 2 bad usage or input, with a sentence; 75 to
be tried again, as after the time limit; 130 interrupted; 143 ended by SIGTERM, 129 by SIGHUP. After
anything but 0, no file has been written, except frames and the checkpoint.
"""

import argparse
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from ..base.atomic_files import Outputs
from ..base.data_files import own, shipped
from ..base.errors import InputError
from ..files import maps
from ..files.formats import SUFFIXES
from ..files.heightmap import encode_heightmap
from ..files.image_files import ImageFiles, OpenImageIOFiles
from ..files.rasters.tiff_writer import Tags
from ..generators import registry
from ..recipe.recipe import Recipe
from ..terrain.fields import FIELDS
from .analyze import analyze
from .arguments import parser
from .arguments.blend_orders import BlendErodeOrder, RenderOrder
from .arguments.land_orders import AnalyzeOrder, ConvertOrder, MakeOrder, RiversOrder
from .arguments.orders import ErodeOrder, ResumeOrder, VariantsOrder
from .beside import map_fields, note_gray, plan_maps, plan_side, require_space, write_side
from .convert import convert
from .landscape import landscape
from .rivers import rivers
from .runs import erode, resume
from .terminal import signals
from .terminal.output import (
    as_json,
    note,
    print_error,
    print_event,
    print_lines,
    print_written,
    table,
)
from .terminal.progress import Stages
from .variants import variants

_LONGEST = 1000
"""Letters of a sentence."""


def main(
    argv: Sequence[str] | None = None,
    image_files: ImageFiles | None = None,
    program: str = "terrain-erosion",
    render: Callable[[RenderOrder], None] | None = None,
    erode_file: Callable[[BlendErodeOrder], None] | None = None,
) -> int:
    """Run the command line and return the exit code.

    argv: arguments after the program's name (default: the process's own). image_files: reader and
    writer of images. render, erode_file: implementations that need Blender: of the command render,
    and of erode with .blend files.
    """
    try:
        arguments = parser(program).parse_args(argv)
    except InputError as error:
        note(_shortened(str(error)))
        return 2
    except SystemExit as end:  # after --help
        return int(end.code or 0)
    with as_json(getattr(arguments, "progress", "text") == "json"):
        code, sentence = _ended(arguments, image_files, render, erode_file)
        if sentence:
            print_error(sentence)
        print_event("end", code=code)
    return code


def _ended(
    arguments: argparse.Namespace,
    image_files: ImageFiles | None,
    render: Callable[[RenderOrder], None] | None,
    erode_file: Callable[[BlendErodeOrder], None] | None,
) -> tuple[int, str]:
    """Exit code of a command, and the error message if it failed."""
    try:
        with signals.handled(), warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: note(str(message))
            if arguments.command == "render":
                if render is None:
                    raise InputError(
                        "Rendering needs Blender: blender --command erosion render IN.blend "
                        "OUT.png."
                    )
                render(RenderOrder.of(arguments))
            elif arguments.command == "erode" and _has_blend_file(arguments):
                if erode_file is None:
                    raise InputError(
                        "A .blend file needs Blender: blender --command erosion erode INPUT "
                        "OUT.blend."
                    )
                erode_file(BlendErodeOrder.of(arguments))
            else:
                _run(arguments, image_files or OpenImageIOFiles())
    except signals.Ended as order:
        return order.code, str(order)
    except InputError as error:
        return 2, _shortened(" ".join(str(error).splitlines()))
    except MemoryError:
        return 2, "There was not enough memory; use a smaller terrain or close other programs."
    except KeyboardInterrupt as end:
        return 130, str(end) or "Interrupted; nothing was written."
    except Exception as error:  # noqa: BLE001
        if isinstance(error, ImportError | OSError) and _is_of_the_compiler(error):
            cause = " ".join(str(error).split())
            return (
                2,
                "The libraries of the compiler cannot be loaded; close other programs, or "
                f"reinstall numba: {cause:.200}",
            )
        return 1, traceback.format_exc()
    return 0, ""


def _shortened(sentence: str) -> str:
    """A sentence without the middle, if that is a very long name."""
    if len(sentence) <= _LONGEST:
        return sentence
    return f"{sentence[: _LONGEST // 2]} … {sentence[-_LONGEST // 2 :]}"


def _has_blend_file(arguments: argparse.Namespace) -> bool:
    """Whether the input or the output is a .blend file."""
    return any(path.suffix.lower() == ".blend" for path in (arguments.input, arguments.output))


def _is_of_the_compiler(error: Exception) -> bool:
    """Whether an error comes from loading numba or llvmlite, for example for lack of memory."""
    return any(
        name in Path(frame.filename).parts
        for frame in traceback.extract_tb(error.__traceback__)
        for name in ("numba", "llvmlite")
    )


def _run(arguments: argparse.Namespace, image_files: ImageFiles) -> None:
    match arguments.command:
        case "erode":
            erode(ErodeOrder.of(arguments), image_files)
        case "resume":
            resume(ResumeOrder.of(arguments), image_files)
        case "make":
            _make(MakeOrder.of(arguments), image_files)
        case "convert":
            convert(ConvertOrder.of(arguments), image_files)
        case "analyze":
            analyze(AnalyzeOrder.of(arguments), image_files)
        case "rivers":
            rivers(RiversOrder.of(arguments), image_files)
        case "landscape":
            landscape(arguments, image_files)
        case "variants":
            variants(VariantsOrder.of(arguments), image_files)
        case "recipes":
            _recipes(arguments.name)
        case "fields":
            _fields()


def _make(order: MakeOrder, image_files: ImageFiles) -> None:
    stages = Stages(order.quiet, "terrain made", "heightmap written", "maps written")
    values = dict(order.values)
    with Outputs(order.files) as outputs:
        planned = plan_maps(outputs, order.maps)
        target = outputs.plan(order.output, SUFFIXES)
        side = plan_side(outputs, order.output)
        rows, cols = order.size
        registry.require_size(rows, cols)
        require_space(target, order.size)
        if (cell_size := order.cell_size) is None:
            cell_size = registry.WIDTH / (max(rows, cols) - 1)
            values = registry.lengths(order.kind, registry.WIDTH) | values
        terrain = registry.make(order.kind, rows, cols, cell_size, order.seed, values, image_files)
        stages.end()
        tags = Tags(terrain.spacing)
        with outputs.write(target) as path:
            written = encode_heightmap(
                path,
                terrain.elevation,
                image_files,
                dtype="f8",
                tags=tags._replace(is_elevation=True),
            )
        write_side(side, order.output, terrain, written)
        stages.end()
        edges = "wrap" if values.get("tileable") else "open"
        maps.write(outputs, planned, map_fields(terrain, order.maps, edges), image_files, tags)
        published = outputs.publish()
        stages.end()
    if not order.quiet:
        note_gray(order.output, written, None)
    print_written(published)


def _recipes(recipe: str | None) -> None:
    if recipe is None:
        print_lines(
            table((name, _description(path)) for name, path in [*shipped().items(), *own().items()])
        )
        return
    text = Recipe.load(recipe).to_toml()
    if (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8":
        # TOML files are UTF-8; escapes keep the text valid in whatever a redirected output is
        # written in.
        text = re.sub(r"[^\x00-\x7f]", lambda letter: f"\\U{ord(letter[0]):08x}", text)
    print_lines(text.rstrip("\n"))


def _description(path: Path) -> str:
    """Description of a recipe; for an invalid file of the user's, the error."""
    try:
        return Recipe.load(path).description
    except InputError as error:
        return str(error)


def _fields() -> None:
    rows = [("name", "unit", "components", "meaning")]
    rows += [
        (field.name, field.unit, str(field.components), field.meaning) for field in FIELDS.values()
    ]
    print_lines(table(rows))
