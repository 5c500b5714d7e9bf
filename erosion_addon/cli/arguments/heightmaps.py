# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of the commands that read a heightmap as it is: convert, analyze, rivers."""

from typing import Any

from ...base.arrays import EDGES
from ...base.parameters import specifications
from ...drainage.beds import MASKS
from ...drainage.parameters import AnalysisParameters, CutParameters, RiverParameters
from ...drainage.waterways import WRITERS
from ...files.game_engines import ENGINES
from ...terrain.fields import ANALYZED
from .options import (
    add_height_range,
    add_input,
    add_masks,
    add_outlets,
    add_progress,
    add_settings,
    add_survey,
    add_tif_maps,
    parameter_help,
)
from .values import file, folder, number, size


def add_convert(commands: Any) -> None:
    """Command that writes a heightmap in another format or size."""
    convert = commands.add_parser(
        "convert",
        help="convert a heightmap to another format or size, or to tiles",
        description=(
            "Convert a heightmap to another format or size, or to tiles. Beside OUT.png comes "
            "OUT.json with the scale in meters and the values for the import dialogs of Unreal "
            "and Unity. An INPUT with such a file beside it, or a GeoTIFF, has its scale already."
        ),
    )
    convert.add_argument("input", metavar="INPUT", type=file, help="heightmap to read")
    convert.add_argument(
        "output", metavar="OUTPUT", type=file, help="heightmap to write; tiles are OUTPUT_x0_y0 …"
    )
    convert.add_argument(
        "--engine",
        choices=list(ENGINES),
        help="use its sizes, order of rows and names of tiles. "
        + "; ".join(
            f"{engine.label}: {', '.join(map(str, engine.sizes))}" for engine in ENGINES.values()
        ),
    )
    convert.add_argument(
        "--size",
        metavar="ROWSxCOLS",
        type=size,
        help="of each file; default: the engine's nearest, or the input's",
    )
    convert.add_argument(
        "--tiles",
        metavar="ROWSxCOLS",
        type=size,
        default=(1, 1),
        help="files that share the points on their borders",
    )
    add_height_range(
        convert,
        (
            "meters of black and white in images; default: what is known of the input; its lowest "
            "and highest point"
        ),
    )
    convert.add_argument(
        "--input-size", metavar="ROWSxCOLS", type=size, help="of a raw file that is not square"
    )
    convert.add_argument("--flip", action="store_true", help="reverse the order of rows")
    add_input(convert)
    add_progress(convert)


def add_analyze(commands: Any) -> None:
    """Command that measures drainage and slopes."""
    analyze = commands.add_parser(
        "analyze",
        help="analyze how a heightmap drains",
        description=(
            "Analyze how a heightmap drains and how steep it is: land in pits and land that "
            "drains freely, concavity of channels, Hack's law, slopes. Rivers and slopes are "
            "measured on cells of at least 30 m, maps on those of the heightmap."
        ),
    )
    analyze.add_argument("input", metavar="INPUT", type=file, help="heightmap to read")
    analyze.add_argument(
        "--edges", choices=EDGES, default="open", help="edges of the terrain; default: %(default)s"
    )
    analyze.add_argument("--report", metavar="FILE.json", type=file, help="write the figures")
    analyze.add_argument(
        "--maps", metavar="FOLDER", type=folder, help=f"write {', '.join(ANALYZED)} as FIELD.exr"
    )
    add_tif_maps(analyze)
    analyze.add_argument(
        "--plot",
        metavar="FILE.svg",
        type=file,
        help="draw slopes by drainage area, hypsometry and slopes",
    )
    channel, sea = (
        specifications(AnalysisParameters)[name].sentence for name in ("channel_area", "sea")
    )
    analyze.add_argument("--channel-area", metavar="KM²", type=number, default=0.0, help=channel)
    analyze.add_argument("--sea-level", metavar="METERS", type=number, help=sea)
    add_outlets(analyze)
    add_survey(analyze)


def add_rivers(commands: Any) -> None:
    """Command that writes rivers and lakes."""
    rivers = commands.add_parser(
        "rivers",
        help="write the rivers and lakes of a heightmap",
        description=(
            "Write the rivers and lakes of a heightmap: lines and outlines (.geojson), ribbons "
            "and sheets (.obj, y up), a table of points (.csv), or splines for game engines "
            "(.json). Lengths are in meters from the middle of the first cell, x along columns "
            "and y along rows."
        ),
        epilog=(
            parameter_help("rivers", RiverParameters)
            + "\n\n"
            + parameter_help("beds", CutParameters)
        ),
    )
    rivers.add_argument("input", metavar="INPUT", type=file, help="heightmap to read")
    rivers.add_argument(
        "output", metavar="OUTPUT", type=file, help="file to write: " + " ".join(WRITERS)
    )
    rivers.add_argument(
        "--also", metavar="OUTPUT", type=file, nargs="+", default=[], help="further files to write"
    )
    add_masks(
        rivers,
        "images to write; " + "; ".join(f"{kind}: {meaning}" for kind, meaning in MASKS.items()),
    )
    rivers.add_argument(
        "--carve",
        metavar="FILE",
        type=file,
        help="heightmap to write with the river beds carved in; the other files then fit it",
    )
    rivers.add_argument(
        "--edges", choices=EDGES, default="open", help="edges of the terrain; default: %(default)s"
    )
    rivers.add_argument(
        "--headwaters",
        metavar="FILE",
        type=file,
        help="image: rivers begin where it is over 0.5, and not by area",
    )
    add_outlets(rivers)
    add_settings(rivers, "PARAMETER=VALUE", "parameters as listed below")
    add_survey(rivers)
