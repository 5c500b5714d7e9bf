# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of the command render."""

import argparse
from typing import Any

from ...files.render_settings import ENGINES, LIGHTS, PICTURE_FORMATS, VIEWS, Picture
from .options import add_progress
from .values import count, file, number, size


def add_render(commands: Any) -> None:
    """Command that renders a .blend file."""
    render = commands.add_parser(
        "render",
        help="render a picture of the terrain in a .blend file; only in Blender",
        description=(
            "Render a picture of the terrain in a .blend file. A camera, light or sky that the "
            "file lacks is added for the picture; the file itself does not change."
        ),
    )
    usual = Picture()
    render.add_argument("input", metavar="IN.blend", type=file, help="file with the terrain")
    render.add_argument(
        "output",
        metavar="OUT.png",
        type=file,
        help="picture to write: " + " ".join(PICTURE_FORMATS),
    )
    render.add_argument(
        "--object", metavar="NAME", help="name of the terrain; default: the eroded one"
    )
    render.add_argument(
        "--view",
        choices=VIEWS,
        default=usual.view,
        help=(
            "the file's camera if it has one (default), a view composed for the land, across it, "
            "or the whole terrain"
        ),
    )
    render.add_argument(
        "--turn", metavar="DEGREES", type=number, default=usual.turn, help="around it, to the left"
    )
    render.add_argument(
        "--turntable",
        metavar="FRAMES",
        type=count,
        help="a turn around it: OUT_0001.png and so on; whole by default",
    )
    render.add_argument(
        "--size", metavar="WIDTHxHEIGHT", type=size, default=usual.size, help="default: 960x540"
    )
    render.add_argument(
        "--samples", metavar="N", type=count, default=usual.samples, help="default: %(default)s"
    )
    render.add_argument(
        "--light",
        choices=LIGHTS,
        help="daylight of the sun and sky that are added; default: that of the file, or morning",
    )
    render.add_argument(
        "--engine", choices=ENGINES, default=usual.engine, help="default: %(default)s"
    )
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
    add_progress(render)
