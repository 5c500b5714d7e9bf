# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of the command landscape and its actions."""

from typing import Any

from ...base.parameters import specifications
from ...drainage.parameters import AnalysisParameters
from ...files.game_engines import ENGINES
from ...files.maps import GREENS
from ...generators.registry import SOURCES
from ...landscape.storage.manifest import MASKS
from ...terrain.masks import MASK_KINDS
from .options import Parser, add_common, add_height_range, add_masks, add_progress
from .reading import add_reading
from .values import count, duration, file, folder, limit, memory, number, size, whole


def add_landscape(commands: Any) -> None:
    """Command with an action for each thing to do with a folder of tiles."""
    top = commands.add_parser(
        "landscape",
        help="make and erode a landscape larger than memory",
        description="Make and erode a landscape larger than memory, in a folder of tiles.",
    )
    actions = top.add_subparsers(metavar="ACTION", dest="action", required=True)

    def add(name: str, sentence: str) -> Parser:
        action: Parser = actions.add_parser(
            name, help=sentence, description=f"{sentence[:1].upper()}{sentence[1:]}."
        )
        action.add_argument("folder", metavar="FOLDER", type=folder, help="folder of the landscape")
        return action

    _add_make(add("make", "make the start terrain of a landscape"))
    _add_erode(add("erode", "erode a landscape tile by tile; an interrupted run is resumed"))
    _add_tasks(
        add("tasks", "prepare an erosion for a farm, and print its tasks and what each depends on")
    )
    _add_task(add("task", "run one task of a prepared erosion"))
    _add_analyze(add("analyze", "compute drainage areas, lakes and slopes over all tiles"))
    add_progress(add("check", "compare every tile with its hash"))
    _add_export(add("export", "write a layer as files for other programs"))
    _add_preview(add("preview", "write a picture of a landscape from above"))


def _add_make(make: Parser) -> None:
    make.add_argument(
        "source",
        metavar="KIND|FILE|TILES",
        help="a heightmap, tiles of another program such as land_x{x}_y{y}.r16, or one of "
        + ", ".join(SOURCES),
    )
    make.add_argument(
        "--size",
        metavar="ROWSxCOLS",
        type=size,
        help="of a start terrain, a raw file, or a raw tile",
    )
    make.add_argument(
        "--bottom-first", action="store_true", help="tiles are numbered from the bottom row upward"
    )
    make.add_argument(
        "--shared-borders",
        action="store_true",
        help="neighboring tiles share the points on their border",
    )
    make.add_argument(
        "--tile",
        metavar="CELLS",
        type=count,
        default=1024,
        help="longest side of a tile; default: 1024",
    )
    add_height_range(make, "meters of black and white in FILE")
    add_reading(make)
    add_masks(
        make,
        "images, black 0 and white 1, that erosion follows; "
        + "; ".join(f"{kind}: {MASK_KINDS[kind].meaning}" for kind in MASKS),
    )
    add_common(make, 0, "default: 0", "PARAMETER=VALUE", "")
    add_progress(make)


def _add_erode(erode: Parser) -> None:
    _add_order(erode)
    _add_workers(erode)
    erode.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=limit,
        help="end after the task in which this time is up",
    )
    erode.add_argument("--report", metavar="FILE.json", type=file, help="write masses and hashes")
    add_progress(erode)


def _add_tasks(tasks: Parser) -> None:
    _add_order(tasks)
    tasks.add_argument(
        "--rounds",
        action="store_true",
        help="print ranges of numbers instead, each of tasks that can run at once",
    )


def _add_task(task: Parser) -> None:
    task.add_argument(
        "name", metavar="NAME|NUMBER", help="of the task, as landscape tasks prints it"
    )
    task.add_argument("--threads", metavar="N", type=count, help="maximum number of threads")
    task.add_argument(
        "--wait",
        metavar="MINUTES",
        type=duration,
        help="wait at most this long for the tasks that it needs",
    )
    add_progress(task)


def _add_analyze(analyze: Parser) -> None:
    analyze.add_argument(
        "--edges", choices=("open", "closed"), default="open", help="default: open"
    )
    analyze.add_argument(
        "--sea-level", metavar="METERS", type=number, help="height of the sea in which rivers end"
    )
    channel = specifications(AnalysisParameters)["channel_area"].sentence
    analyze.add_argument("--channel-area", metavar="KM²", type=number, default=0.0, help=channel)
    _add_workers(analyze)
    analyze.add_argument(
        "--report", metavar="FILE.json", type=file, help="write figures and hashes"
    )
    add_progress(analyze)


def _add_export(export: Parser) -> None:
    export.add_argument(
        "output", metavar="OUTPUT", type=file, help="heightmap; files are OUTPUT_x0_y0 …"
    )
    export.add_argument("--layer", default="elevation", help="layer or mask; default: %(default)s")
    export.add_argument(
        "--side", metavar="POINTS", type=count, help="of each file; default: the engine's nearest"
    )
    export.add_argument(
        "--engine", choices=list(ENGINES), help="use its sizes, order and names of tiles"
    )
    export.add_argument(
        "--names", metavar="PATTERN", help="names of files, such as {name}_y{y}_x{x}"
    )
    export.add_argument(
        "--bottom-first", action="store_true", help="number files from the bottom row upward"
    )
    add_height_range(export, "meters of black and white in images")
    export.add_argument(
        "--weights",
        action="store_true",
        help="also the shares of rock, soil, grass, sand, snow as 16-bit PNG",
    )
    export.add_argument(
        "--normals",
        choices=GREENS,
        help="also the normal map as 16-bit PNG, with green of +Y (opengl) or -Y (directx)",
    )
    add_progress(export)


def _add_preview(preview: Parser) -> None:
    preview.add_argument("output", metavar="OUT.png", type=file, help="picture to write")
    preview.add_argument(
        "--layer", default="elevation", help="layer or mask, others than the heights in gray"
    )
    preview.add_argument(
        "--side", metavar="POINTS", type=count, default=1024, help="default: %(default)s"
    )
    preview.add_argument(
        "--window",
        nargs=4,
        type=whole,
        metavar=("TOP", "BOTTOM", "LEFT", "RIGHT"),
        help="show these cells one by one",
    )
    add_progress(preview)


def _add_order(command: Parser) -> None:
    """Erosion of a landscape."""
    command.add_argument(
        "--recipe", metavar="NAME|FILE.toml", default="alpine", help="default: %(default)s"
    )
    add_common(command, None, "default: the recipe's", "STEP.PARAMETER=VALUE", "")
    command.add_argument(
        "--edges", choices=("open", "closed"), help="edges of the landscape; default: the recipe's"
    )
    command.add_argument(
        "--coarse", metavar="CELLS", type=count, default=1024, help="longer side of the coarse grid"
    )


def _add_workers(command: Parser) -> None:
    command.add_argument(
        "--cluster", metavar="local|ADDRESS|FILE", help="Dask cluster to use; default: this process"
    )
    command.add_argument("--workers", metavar="N", type=count, help="processes of a local cluster")
    command.add_argument(
        "--worker-memory",
        metavar="GB",
        type=memory,
        help="memory limit of each; default: its share of the free memory",
    )
    command.add_argument(
        "--threads", metavar="N", type=count, help="maximum number of threads for each tile"
    )
