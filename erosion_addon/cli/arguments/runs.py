# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of the commands that make and erode terrain: erode, resume, make, variants."""

from typing import Any

from ...files.formats import READ_SUFFIXES, SUFFIXES
from ...generators.registry import DECLARED_WIDTH, SOURCES, WIDTH
from ...processes.registry import PROCESSES
from .options import (
    add_common,
    add_height_range,
    add_maps,
    add_progress,
    add_results,
    add_settings,
    add_source,
    parameter_help,
)
from .values import count, file, folder, number, positive, setting, size, whole


def add_erode(commands: Any) -> None:
    """Command that erodes a heightmap."""
    erode = commands.add_parser(
        "erode",
        help="erode a heightmap",
        description="Erode a heightmap by the steps of a recipe.",
        epilog="files: "
        + " ".join(SUFFIXES)
        + "; read only: "
        + " ".join(READ_SUFFIXES[len(SUFFIXES) :])
        + "\n\n"
        + "\n\n".join(
            parameter_help(kind, process.parameters) for kind, process in PROCESSES.items()
        ),
    )
    erode.add_argument(
        "input",
        metavar="INPUT",
        type=file,
        help="heightmap to erode; in Blender also a .blend file",
    )
    erode.add_argument(
        "output",
        metavar="OUTPUT",
        type=file,
        help="heightmap to write; may be INPUT; in Blender also a .blend file",
    )
    erode.add_argument(
        "--object", metavar="NAME", help="terrain of a .blend file; default: the eroded one"
    )
    erode.add_argument(
        "--look",
        action="store_true",
        help="material, water, plants, light, sky and camera, for an OUTPUT of Blender",
    )
    add_common(
        erode,
        None,
        "default: the recipe's",
        "STEP.PARAMETER=VALUE",
        "; STEP: a kind or a number from 1",
    )
    add_source(erode)
    erode.add_argument(
        "--region",
        nargs=4,
        type=number,
        metavar=("X0", "Y0", "X1", "Y1"),
        help=(
            "erode only this rectangle, in meters from the lower left corner; nothing beyond it "
            "changes"
        ),
    )
    erode.add_argument(
        "--region-mask",
        metavar="FILE",
        type=file,
        help="erode only where this image is not black; nothing else changes",
    )
    add_results(erode)
    erode.add_argument(
        "--continue",
        dest="go_on",
        action="store_true",
        help="continue from the checkpoint, if it is of this run",
    )
    erode.add_argument(
        "--frames",
        metavar="N",
        type=count,
        help="keep N states of the run, after equal shares of its work",
    )
    erode.add_argument(
        "--frames-per-second",
        metavar=("RATE", "SECONDS"),
        nargs=2,
        type=positive,
        help="keep as many states as a film of this rate and length has, in place of --frames",
    )
    erode.add_argument(
        "--frames-folder",
        metavar="FOLDER",
        type=folder,
        help="folder for them: elevation_0000.exr …",
    )
    erode.add_argument(
        "--frames-fields",
        metavar="FIELD",
        nargs="+",
        default=[],
        help="fields to keep besides heights",
    )


def add_resume(commands: Any) -> None:
    """Command that continues from a checkpoint."""
    resume = commands.add_parser(
        "resume",
        help="resume a run that ended early",
        description=(
            "Resume a run that --time-limit or SIGTERM ended. The result is the same as without "
            "the interruption."
        ),
    )
    resume.add_argument(
        "input", metavar="CHECKPOINT", type=file, help="file that --checkpoint named"
    )
    resume.add_argument("output", metavar="OUTPUT", type=file, help="heightmap to write")
    add_results(resume)
    resume.add_argument(
        "--frames-folder",
        metavar="FOLDER",
        type=folder,
        help="folder with the run's frames, to go on",
    )


def add_make(commands: Any) -> None:
    """Command that makes a start terrain."""
    source = commands.add_parser(
        "make",
        help="make a start terrain",
        description=(
            f"Make a start terrain. Without a cell size it is {WIDTH / 1000:g} km long, and "
            f"heights and depths that are not set are {WIDTH / DECLARED_WIDTH:g} times those below."
        ),
        epilog="\n\n".join(
            parameter_help(kind, source.parameters) for kind, source in SOURCES.items()
        ),
    )
    source.add_argument("kind", metavar="KIND", help=", ".join(SOURCES))
    source.add_argument("output", metavar="OUTPUT", type=file, help="heightmap to write")
    source.add_argument(
        "--size", metavar="ROWSxCOLS", type=size, required=True, help="rows and columns"
    )
    source.add_argument(
        "--cell-size",
        metavar="METERS",
        type=number,
        help=f"default: {WIDTH:g} m along the longer side",
    )
    add_common(source, 0, "default: 0", "PARAMETER=VALUE", "")
    add_maps(
        source, "write every field as FIELD.exr, such as the sediment of sand, and the normal map"
    )
    add_progress(source)


def add_variants(commands: Any) -> None:
    """Command that erodes by several seeds and parameters."""
    variants = commands.add_parser(
        "variants",
        help="erode a heightmap in several ways, to choose from",
        description=(
            "Erode a heightmap in small by several seeds and values of a parameter. "
            "FOLDER/index.html shows the results in rows and columns, each with the command that "
            "makes it in full."
        ),
    )
    variants.add_argument("input", metavar="INPUT", type=file, help="heightmap to erode")
    variants.add_argument(
        "folder", metavar="FOLDER", type=folder, help="where the page and its pictures go"
    )
    variants.add_argument(
        "--seeds",
        metavar="N",
        type=whole,
        nargs="+",
        default=[0, 1, 2, 3],
        help="columns; default: 0 1 2 3",
    )
    variants.add_argument(
        "--vary",
        metavar="STEP.PARAMETER=[VALUE, ...]",
        nargs="+",
        action="extend",
        default=[],
        type=setting,
        help="rows, such as droplet.capacity=[0.05,0.2]; several give a row for each combination",
    )
    variants.add_argument(
        "--full",
        action="store_true",
        help="also make each at full size: FOLDER/ROW_SEED/elevation.exr with its report.json",
    )
    variants.add_argument(
        "--side",
        metavar="CELLS",
        type=count,
        default=256,
        help="cells along the longer side; default: %(default)s",
    )
    add_settings(variants, "STEP.PARAMETER=VALUE", "parameters of all, as listed in erode --help")
    add_source(variants)
    add_height_range(variants, "meters of black and white in INPUT")
    variants.add_argument("--threads", metavar="N", type=count, help="maximum number of threads")
    add_progress(variants)
