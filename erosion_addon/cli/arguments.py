# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of the command line: options, help texts and parsing."""

import argparse
import re
import tomllib
from pathlib import Path
from typing import Any, NoReturn

from ..base.arrays import EDGES
from ..base.data_files import shipped
from ..base.errors import InputError
from ..base.parameters import Parameters, specifications
from ..drainage.beds import MASKS
from ..drainage.parameters import AnalysisParameters, RiverParameters
from ..drainage.waterways import WRITERS
from ..files.formats import SUFFIXES
from ..files.game_engines import ENGINES as GAME_ENGINES
from ..files.normals import GREENS
from ..files.render_settings import ENGINES, LIGHTS, PICTURE_FORMATS, VIEWS, Picture
from ..frames.record import LONGEST
from ..generators.registry import SOURCES
from ..landscape.storage.manifest import MASKS as LANDSCAPE_MASKS
from ..processes.registry import PROCESSES
from ..terrain.fields import ANALYZED
from ..terrain.masks import MASK_KINDS
from ..terrain.terrain import HIGHEST
from .source import RECIPE
from .terminal.output import print_line, table
from .terminal.progress import FORMS


class _Parser(argparse.ArgumentParser):
    """Argument parser with errors as sentences, and help that every terminal can display."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message[:1].upper()}{message[1:].rstrip('.')}; see {self.prog} --help.")

    def _print_message(self, message: str, file: Any = None) -> None:
        print_line(message.rstrip("\n"))


def parser(program: str) -> argparse.ArgumentParser:
    """Parser of the command line; `command` is the name of the sub-command. InputError for bad usage."""
    top = _Parser(prog=program, description="Erode terrain heightmaps.")
    commands = top.add_subparsers(metavar="COMMAND", dest="command", required=True)
    _add_erode(commands)
    _add_resume(commands)
    _add_make(commands)
    _add_convert(commands)
    _add_analyze(commands)
    _add_rivers(commands)
    _add_variants(commands)
    _add_landscape(commands)
    _add_render(commands)
    recipes = commands.add_parser("recipes", help="list the recipes, or print one as TOML")
    recipes.add_argument("name", metavar="NAME", nargs="?", help="recipe to print")
    commands.add_parser("fields", help="list the fields")
    return top


def _add_erode(commands: Any) -> None:
    erode = commands.add_parser(
        "erode",
        help="erode a heightmap",
        description="Erode a heightmap by the steps of a recipe.",
        epilog="files: "
        + " ".join(SUFFIXES)
        + "\n\n"
        + "\n\n".join(_parameter_help(kind, process.parameters) for kind, process in PROCESSES.items()),
    )
    erode.add_argument("input", metavar="INPUT", type=Path, help="heightmap to erode; in Blender also a .blend file")
    erode.add_argument(
        "output", metavar="OUTPUT", type=Path, help="heightmap to write; may be INPUT; in Blender also a .blend file"
    )
    erode.add_argument(
        "--object", metavar="NAME", help="the terrain of a .blend file; default: the one that was eroded"
    )
    erode.add_argument(
        "--look", action="store_true", help="material, water, plants, light, sky and camera, for an OUTPUT of Blender"
    )
    _add_common(erode, None, "default: the recipe's", "STEP.PARAMETER=VALUE", "; STEP: a kind or a number from 1")
    _add_source(erode)
    erode.add_argument(
        "--region",
        nargs=4,
        type=_number,
        metavar=("X0", "Y0", "X1", "Y1"),
        help="erode only this rectangle, in meters from the lower left corner; nothing beyond it changes",
    )
    erode.add_argument(
        "--region-mask",
        metavar="FILE",
        type=Path,
        help="erode only where this image is not black; nothing else changes",
    )
    _add_results(erode)
    erode.add_argument(
        "--continue", dest="go_on", action="store_true", help="continue from the checkpoint, if it is of this run"
    )
    erode.add_argument(
        "--frames", metavar="N", type=_count, help="keep N states of the run, after equal shares of its work"
    )
    erode.add_argument(
        "--frames-per-second",
        metavar=("RATE", "SECONDS"),
        nargs=2,
        type=_positive,
        help="keep as many states as a film of this rate and length has, in place of --frames",
    )
    erode.add_argument("--frames-folder", metavar="FOLDER", type=Path, help="folder for them: elevation_0000.exr …")
    erode.add_argument("--frames-fields", metavar="FIELD", nargs="+", default=[], help="fields to keep besides heights")


def _add_source(command: _Parser) -> None:
    """Options for the start terrain of a run."""
    command.add_argument("--recipe", metavar="NAME|FILE.toml", help=f"default: {RECIPE}")
    command.add_argument("--size", metavar="ROWSxCOLS", type=_size, help="of a raw file that is not square")
    _add_input(command)
    command.add_argument("--edges", metavar="|".join(EDGES), help="what lies around the terrain; default: the recipe's")
    command.add_argument(
        "--mask",
        nargs="+",
        action="extend",
        default=[],
        type=_assignment,
        metavar="KIND=FILE",
        help="; ".join(f"{kind}: {mask.meaning}" for kind, mask in MASK_KINDS.items()),
    )
    command.add_argument(
        "--sand",
        metavar="METERS",
        type=_thickness,
        nargs="?",
        const=0.0,
        help="turn the uppermost meters of the ground into loose sand; default: the thickness that the recipe needs",
    )
    command.add_argument(
        "--surface-color",
        metavar="FILE|STRATA",
        help="color of the ground, which water carries along: an image, a .toml file of strata, or one of "
        + ", ".join(shipped("strata")),
    )


def _add_resume(commands: Any) -> None:
    resume = commands.add_parser(
        "resume",
        help="resume a run that ended early",
        description="Resume a run that --time-limit or SIGTERM ended. The result is the same as without the "
        "interruption.",
    )
    resume.add_argument("input", metavar="CHECKPOINT", type=Path, help="file that --checkpoint named")
    resume.add_argument("output", metavar="OUTPUT", type=Path, help="heightmap to write")
    _add_results(resume)
    resume.add_argument("--frames-folder", metavar="FOLDER", type=Path, help="folder with the run's frames, to go on")


def _add_results(command: _Parser) -> None:
    """Options for the results of every command that erodes."""
    command.add_argument(
        "--height-range", nargs=2, type=_number, metavar=("LOW", "HIGH"), help="meters of black and white in images"
    )
    _add_maps(command, "write every field as FIELD.exr, and the normal map")
    command.add_argument(
        "--weights",
        action="store_true",
        help="among the maps the shares of rock, soil, grass, sand, snow as 16-bit PNG",
    )
    command.add_argument("--report", metavar="FILE.json", type=Path, help="write a report of the run")
    command.add_argument(
        "--checkpoint", metavar="FILE.npz", type=Path, help="where to save the run if the time limit or SIGTERM ends it"
    )
    command.add_argument(
        "--checkpoint-every", metavar="MINUTES", type=_duration, help="save the run at this interval until it is done"
    )
    command.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=_number,
        help="end the run after this time and write only the checkpoint",
    )
    command.add_argument("--threads", metavar="N", type=_count, help="maximum number of threads")
    _add_progress(command)


def _add_form(command: _Parser) -> None:
    command.add_argument(
        "--progress", choices=FORMS, default="text", help="json: every line on standard error is a JSON object"
    )


def _add_progress(command: _Parser) -> None:
    _add_form(command)
    command.add_argument("--quiet", action="store_true", help="no progress and no notes")


def _add_maps(command: _Parser, sentence: str) -> None:
    command.add_argument("--maps", metavar="FOLDER", type=Path, help=sentence)
    command.add_argument("--analyze", action="store_true", help=f"among the maps {', '.join(ANALYZED)} of the result")
    command.add_argument("--png-maps", action="store_true", help="normals and maps from 0 to 1 as 16-bit PNG")
    _add_tif_maps(command)
    command.add_argument(
        "--normals", choices=GREENS, default="opengl", help="green of the normal map: +Y (opengl) or -Y (directx)"
    )


def _add_tif_maps(command: _Parser) -> None:
    command.add_argument(
        "--tif-maps", action="store_true", help="maps as TIFF, where INPUT is a GeoTIFF with its location"
    )


def _add_make(commands: Any) -> None:
    source = commands.add_parser(
        "make",
        help="make a start terrain",
        description="Make a start terrain.",
        epilog="\n\n".join(_parameter_help(kind, source.parameters) for kind, source in SOURCES.items()),
    )
    source.add_argument("kind", metavar="KIND", help=", ".join(SOURCES))
    source.add_argument("output", metavar="OUTPUT", type=Path, help="heightmap to write")
    source.add_argument("--size", metavar="ROWSxCOLS", type=_size, required=True, help="rows and columns")
    source.add_argument("--cell-size", metavar="METERS", type=_number, default=1.0, help="default: 1")
    _add_common(source, 0, "default: 0", "PARAMETER=VALUE", "")
    _add_maps(source, "write every field as FIELD.exr, such as the sediment of sand, and the normal map")


def _add_convert(commands: Any) -> None:
    convert = commands.add_parser(
        "convert",
        help="convert a heightmap to another format or size, or to tiles",
        description="Convert a heightmap to another format or size, or to tiles. Beside OUT.png comes OUT.json with "
        "the scale in meters and the values for the import dialogs of Unreal and Unity. An INPUT with such a file "
        "beside it, or a GeoTIFF, has its scale already.",
    )
    convert.add_argument("input", metavar="INPUT", type=Path, help="heightmap to read")
    convert.add_argument("output", metavar="OUTPUT", type=Path, help="heightmap to write; tiles are OUTPUT_x0_y0 …")
    convert.add_argument(
        "--engine",
        choices=list(GAME_ENGINES),
        help="use its sizes, order of rows and names of tiles. "
        + "; ".join(f"{engine.label}: {', '.join(map(str, engine.sizes))}" for engine in GAME_ENGINES.values()),
    )
    convert.add_argument(
        "--size", metavar="ROWSxCOLS", type=_size, help="of each file; default: the engine's nearest, or the input's"
    )
    convert.add_argument(
        "--tiles", metavar="ROWSxCOLS", type=_size, default=(1, 1), help="files that share the points on their borders"
    )
    convert.add_argument(
        "--height-range",
        nargs=2,
        type=_number,
        metavar=("LOW", "HIGH"),
        help="meters of black and white in images; default: what is known of the input; its lowest and highest point",
    )
    convert.add_argument("--input-size", metavar="ROWSxCOLS", type=_size, help="of a raw file that is not square")
    convert.add_argument("--flip", action="store_true", help="reverse the order of rows")
    _add_input(convert)
    _add_progress(convert)


def _add_survey(command: _Parser) -> None:
    """Options of commands that analyze a heightmap: its reading, and threads."""
    command.add_argument("--input-size", metavar="ROWSxCOLS", type=_size, help="of a raw file that is not square")
    command.add_argument(
        "--height-range", nargs=2, type=_number, metavar=("LOW", "HIGH"), help="meters of black and white"
    )
    _add_input(command)
    command.add_argument("--threads", metavar="N", type=_count, help="maximum number of threads")
    _add_progress(command)


def _add_analyze(commands: Any) -> None:
    analyze = commands.add_parser(
        "analyze",
        help="analyze how a heightmap drains",
        description="Analyze how a heightmap drains and how steep it is: land in pits and land that drains freely, "
        "concavity of channels, Hack's law, slopes. Rivers and slopes are measured on cells of at least 30 m, maps "
        "on those of the heightmap.",
    )
    analyze.add_argument("input", metavar="INPUT", type=Path, help="heightmap to read")
    analyze.add_argument(
        "--edges", choices=EDGES, default="open", help="what lies around the terrain; default: %(default)s"
    )
    analyze.add_argument("--report", metavar="FILE.json", type=Path, help="write the figures")
    analyze.add_argument("--maps", metavar="FOLDER", type=Path, help=f"write {', '.join(ANALYZED)} as FIELD.exr")
    _add_tif_maps(analyze)
    analyze.add_argument(
        "--plot", metavar="FILE.svg", type=Path, help="draw slopes by drainage area, hypsometry and slopes"
    )
    channel, sea = (specifications(AnalysisParameters)[name].sentence for name in ("channel_area", "sea"))
    analyze.add_argument("--channel-area", metavar="KM²", type=_number, default=0.0, help=channel)
    analyze.add_argument("--sea-level", metavar="METERS", type=_number, help=sea)
    _add_outlets(analyze)
    _add_survey(analyze)


def _add_outlets(command: _Parser) -> None:
    """Option for the mask of outlets."""
    command.add_argument(
        "--outlets", metavar="FILE", type=Path, help="image: water leaves where it is 0.5 or more, as at open edges"
    )


def _add_rivers(commands: Any) -> None:
    rivers = commands.add_parser(
        "rivers",
        help="write the rivers and lakes of a heightmap",
        description="Write the rivers and lakes of a heightmap: lines and outlines (.geojson), ribbons and sheets "
        "(.obj, y up), a table of points (.csv), or splines for game engines (.json). Lengths are in meters from the "
        "middle of the first cell, x along columns and y along rows.",
        epilog=_parameter_help("rivers", RiverParameters),
    )
    rivers.add_argument("input", metavar="INPUT", type=Path, help="heightmap to read")
    rivers.add_argument("output", metavar="OUTPUT", type=Path, help="file to write: " + " ".join(WRITERS))
    rivers.add_argument("--also", metavar="OUTPUT", type=Path, nargs="+", default=[], help="further files to write")
    rivers.add_argument(
        "--mask",
        nargs="+",
        action="extend",
        default=[],
        type=_assignment,
        metavar="KIND=FILE",
        help="images to write; " + "; ".join(f"{kind}: {meaning}" for kind, meaning in MASKS.items()),
    )
    rivers.add_argument(
        "--edges", choices=EDGES, default="open", help="what lies around the terrain; default: %(default)s"
    )
    rivers.add_argument(
        "--headwaters", metavar="FILE", type=Path, help="image: rivers begin where it is over 0.5, and not by area"
    )
    _add_outlets(rivers)
    rivers.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        type=_setting,
        metavar="PARAMETER=VALUE",
        help="parameters as listed below",
    )
    _add_survey(rivers)


def _add_variants(commands: Any) -> None:
    variants = commands.add_parser(
        "variants",
        help="erode a heightmap in several ways, to choose from",
        description="Erode a heightmap in small by several seeds and values of a parameter. FOLDER/index.html shows "
        "the results in rows and columns, each with the command that makes it in full.",
    )
    variants.add_argument("input", metavar="INPUT", type=Path, help="heightmap to erode")
    variants.add_argument("folder", metavar="FOLDER", type=Path, help="where the page and its pictures go")
    variants.add_argument(
        "--seeds", metavar="N", type=_whole, nargs="+", default=[0, 1, 2, 3], help="columns; default: 0 1 2 3"
    )
    variants.add_argument(
        "--vary",
        metavar="STEP.PARAMETER=[VALUE, ...]",
        nargs="+",
        action="extend",
        default=[],
        type=_setting,
        help="rows, such as droplet.capacity=[0.05,0.2]; several give a row for each combination",
    )
    variants.add_argument(
        "--full",
        action="store_true",
        help="also make each at full size: FOLDER/ROW_SEED/elevation.exr with its report.json",
    )
    variants.add_argument(
        "--side", metavar="CELLS", type=_count, default=256, help="cells along the longer side; default: %(default)s"
    )
    variants.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        type=_setting,
        metavar="STEP.PARAMETER=VALUE",
        help="parameters of all, as listed in erode --help",
    )
    _add_source(variants)
    variants.add_argument(
        "--height-range", nargs=2, type=_number, metavar=("LOW", "HIGH"), help="meters of black and white in INPUT"
    )
    variants.add_argument("--threads", metavar="N", type=_count, help="maximum number of threads")
    _add_progress(variants)


def _add_landscape(commands: Any) -> None:
    top = commands.add_parser(
        "landscape",
        help="make and erode a landscape larger than memory",
        description="Make and erode a landscape larger than memory, in a folder of tiles.",
    )
    actions = top.add_subparsers(metavar="ACTION", dest="action", required=True)

    def add(name: str, sentence: str) -> _Parser:
        action: _Parser = actions.add_parser(name, help=sentence, description=f"{sentence[:1].upper()}{sentence[1:]}.")
        action.add_argument("folder", metavar="FOLDER", type=Path, help="folder of the landscape")
        return action

    make = add("make", "make the start terrain of a landscape")
    make.add_argument(
        "source",
        metavar="KIND|FILE|TILES",
        help="a heightmap, tiles of another program such as land_x{x}_y{y}.r16, or one of " + ", ".join(SOURCES),
    )
    make.add_argument("--size", metavar="ROWSxCOLS", type=_size, help="of a start terrain, a raw file, or a raw tile")
    make.add_argument("--bottom-first", action="store_true", help="tiles are numbered from the bottom row upward")
    make.add_argument(
        "--shared-borders", action="store_true", help="neighboring tiles share the points on their border"
    )
    make.add_argument(
        "--tile", metavar="CELLS", type=_count, default=1024, help="longest side of a tile; default: 1024"
    )
    make.add_argument("--cell-size", metavar="METERS", type=_number, help="side of a cell; default: the file's, or 1")
    make.add_argument(
        "--height-range", nargs=2, type=_number, metavar=("LOW", "HIGH"), help="meters of black and white in FILE"
    )
    make.add_argument(
        "--mask",
        nargs="+",
        action="extend",
        default=[],
        type=_assignment,
        metavar="KIND=FILE",
        help="images, black 0 and white 1, that erosion follows; "
        + "; ".join(f"{kind}: {MASK_KINDS[kind].meaning}" for kind in LANDSCAPE_MASKS),
    )
    _add_common(make, 0, "default: 0", "PARAMETER=VALUE", "")
    _add_progress(make)
    erode = add("erode", "erode a landscape tile by tile; an interrupted run is resumed")
    _add_order(erode)
    _add_workers(erode)
    erode.add_argument(
        "--time-limit", metavar="SECONDS", type=_number, help="end after the task in which this time is up"
    )
    erode.add_argument("--report", metavar="FILE.json", type=Path, help="write masses and hashes")
    _add_progress(erode)
    _add_order(add("tasks", "prepare an erosion for a farm, and print its tasks and what each depends on"))
    task = add("task", "run one task of a prepared erosion")
    task.add_argument("name", metavar="NAME|NUMBER", help="of the task, as landscape tasks prints it")
    task.add_argument("--threads", metavar="N", type=_count, help="maximum number of threads")
    analyze = add("analyze", "compute drainage areas, lakes and slopes over all tiles")
    analyze.add_argument("--edges", choices=("open", "closed"), default="open", help="default: open")
    analyze.add_argument("--sea-level", metavar="METERS", type=_number, help="height of the sea in which rivers end")
    channel = specifications(AnalysisParameters)["channel_area"].sentence
    analyze.add_argument("--channel-area", metavar="KM²", type=_number, default=0.0, help=channel)
    _add_workers(analyze)
    analyze.add_argument("--report", metavar="FILE.json", type=Path, help="write figures and hashes")
    _add_progress(analyze)
    _add_form(add("check", "compare every tile with its hash"))
    export = add("export", "write a layer as files for other programs")
    export.add_argument("output", metavar="OUTPUT", type=Path, help="heightmap; files are OUTPUT_x0_y0 …")
    export.add_argument("--layer", default="elevation", help="layer or mask; default: %(default)s")
    export.add_argument("--side", metavar="POINTS", type=_count, help="of each file; default: the engine's nearest")
    export.add_argument("--engine", choices=list(GAME_ENGINES), help="use its sizes, order and names of tiles")
    export.add_argument("--names", metavar="PATTERN", help="names of files, such as {name}_y{y}_x{x}")
    export.add_argument("--bottom-first", action="store_true", help="number files from the bottom row upward")
    export.add_argument(
        "--height-range", nargs=2, type=_number, metavar=("LOW", "HIGH"), help="meters of black and white in images"
    )
    export.add_argument(
        "--weights", action="store_true", help="also the shares of rock, soil, grass, sand, snow as 16-bit PNG"
    )
    export.add_argument(
        "--normals", choices=GREENS, help="also the normal map as 16-bit PNG, with green of +Y (opengl) or -Y (directx)"
    )
    _add_progress(export)
    preview = add("preview", "write a picture of a landscape from above")
    preview.add_argument("output", metavar="OUT.png", type=Path, help="picture to write")
    preview.add_argument("--layer", default="elevation", help="layer or mask, others than the heights in gray")
    preview.add_argument("--side", metavar="POINTS", type=_count, default=1024, help="default: %(default)s")
    preview.add_argument(
        "--window", nargs=4, type=_whole, metavar=("TOP", "BOTTOM", "LEFT", "RIGHT"), help="show these cells one by one"
    )
    _add_form(preview)


def _add_order(command: _Parser) -> None:
    """Erosion of a landscape."""
    command.add_argument("--recipe", metavar="NAME|FILE.toml", default="alpine", help="default: %(default)s")
    _add_common(command, None, "default: the recipe's", "STEP.PARAMETER=VALUE", "")
    command.add_argument("--edges", choices=("open", "closed"), help="what lies around it; default: the recipe's")
    command.add_argument(
        "--coarse", metavar="CELLS", type=_count, default=1024, help="longer side of what is eroded as a whole"
    )


def _add_workers(command: _Parser) -> None:
    command.add_argument("--cluster", metavar="local|ADDRESS|FILE", help="Dask cluster to use; default: this process")
    command.add_argument("--workers", metavar="N", type=_count, help="processes of a local cluster")
    command.add_argument(
        "--worker-memory", metavar="GB", type=_memory, help="most memory of each; default: their share of what is free"
    )
    command.add_argument("--threads", metavar="N", type=_count, help="maximum number of threads for each tile")


def _add_input(command: _Parser) -> None:
    command.add_argument(
        "--cell-size", metavar="METERS", type=_number, help="side of a cell; default: what is known of INPUT, or 1"
    )
    command.add_argument(
        "--smooth-steps", action="store_true", help="smooth away the terraces of an input that has 8 bits"
    )


def _add_render(commands: Any) -> None:
    render = commands.add_parser(
        "render",
        help="render a picture of the terrain in a .blend file; only in Blender",
        description="Render a picture of the terrain in a .blend file. A camera, light or sky that the file lacks is "
        "added for the picture; the file itself does not change.",
    )
    usual = Picture()
    render.add_argument("input", metavar="IN.blend", type=Path, help="file with the terrain")
    render.add_argument("output", metavar="OUT.png", type=Path, help="picture to write: " + " ".join(PICTURE_FORMATS))
    render.add_argument("--object", metavar="NAME", help="the terrain; default: the one that was eroded")
    render.add_argument(
        "--view",
        choices=VIEWS,
        default=usual.view,
        help="the file's camera if it has one (default), a view composed for the land, across it, or the whole terrain",
    )
    render.add_argument("--turn", metavar="DEGREES", type=_number, default=usual.turn, help="around it, to the left")
    render.add_argument(
        "--turntable", metavar="FRAMES", type=_count, help="a turn around it: OUT_0001.png and so on; whole by default"
    )
    render.add_argument("--size", metavar="WIDTHxHEIGHT", type=_size, default=usual.size, help="default: 960x540")
    render.add_argument("--samples", metavar="N", type=_count, default=usual.samples, help="default: %(default)s")
    render.add_argument(
        "--light",
        choices=LIGHTS,
        help="daylight of the sun and sky that are added; default: that of the file, or morning",
    )
    render.add_argument("--engine", choices=ENGINES, default=usual.engine, help="default: %(default)s")
    render.add_argument(
        "--plants",
        action=argparse.BooleanOptionalAction,
        default=usual.plants,
        help="add plants and boulders of the palette, or leave them out; default: as in the file",
    )
    render.add_argument(
        "--passes",
        action="store_true",
        help="write an .exr of many layers: the picture, depth, normals, and AOVs if any",
    )


def _add_common(command: _Parser, seed: int | None, seed_help: str, setting: str, setting_help: str) -> None:
    command.add_argument("--seed", metavar="N", type=_whole, default=seed, help=seed_help)
    command.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        type=_setting,
        metavar=setting,
        help=f"parameters as listed below{setting_help}",
    )


def _parameter_help(kind: str, parameters: type[Parameters]) -> str:
    rows = [
        (f"  {name}", f"{known.default} {known.unit}".rstrip(), f"{known.range_text}. {known.sentence}")
        for name, known in specifications(parameters).items()
    ]
    return f"{kind}: {(parameters.__doc__ or '').splitlines()[0]}\n{table(rows)}"


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a whole number") from None


def _count(text: str) -> int:
    if _whole(text) < 1:
        raise argparse.ArgumentTypeError(f"there must be at least 1, not {text}")
    return _whole(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a number such as 0.5 or 1e3") from None


def _duration(text: str) -> float:
    if not _number(text) > 0:
        raise argparse.ArgumentTypeError(f"a time is more than 0, not {text}")
    return _number(text)


def _memory(text: str) -> float:
    if not 0.1 <= _number(text) <= 1e6:
        raise argparse.ArgumentTypeError(f"a process has from 0.1 GB to 1e6 GB of memory, not {text}")
    return _number(text)


def _positive(text: str) -> float:
    if not 0 < _number(text) <= LONGEST:
        raise argparse.ArgumentTypeError(f"a rate or length is more than 0 and at most {LONGEST:g}, not {text}")
    return _number(text)


def _thickness(text: str) -> float:
    if not 0 < _number(text) <= HIGHEST:
        raise argparse.ArgumentTypeError(f"a layer is more than 0 m thick, not {text}")
    return _number(text)


def _size(text: str) -> tuple[int, int]:
    sides = re.fullmatch(r"([0-9]{1,9})[xX×]([0-9]{1,9})", text)
    if not sides:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not two whole numbers such as 512x1024")
    return int(sides[1]), int(sides[2])


def _assignment(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not (name and separator and value):
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not NAME=VALUE; put the files before the options")
    return name, value


def _setting(text: str) -> tuple[str, Any]:
    """Name and value in TOML syntax; a bare word is a string."""
    name, value = _assignment(text)
    try:
        values = tomllib.loads(f"value = {value}")
    except (ValueError, RecursionError):
        return name, value
    return name, values["value"] if list(values) == ["value"] else value
