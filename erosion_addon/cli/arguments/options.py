# SPDX-License-Identifier: GPL-3.0-or-later
"""Parser of a command, and options that several commands share."""

import argparse
import re
from typing import Any, NoReturn

from ...base.arrays import EDGES
from ...base.data_files import shipped
from ...base.errors import InputError
from ...base.parameters import Parameters, specifications
from ...files.maps import GREENS
from ...terrain.fields import ANALYZED
from ...terrain.masks import MASK_KINDS
from ..terminal.output import print_lines, table
from ..terminal.progress import FORMS
from .reading import add_reading
from .values import (
    assignment,
    count,
    duration,
    file,
    folder,
    limit,
    number,
    setting,
    size,
    thickness,
    whole,
)

RECIPE = "arcane"
"""Recipe unless another is named."""


class Parser(argparse.ArgumentParser):
    """Argument parser with errors as sentences, and help that every terminal can display."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options
        )
        # argparse takes -1e3 and -inf for options.
        self._negative_number_matcher = re.compile(r"-\.?\d|-(inf|infinity|nan)$", re.IGNORECASE)

    def error(self, message: str) -> NoReturn:
        """InputError with the message as a sentence."""
        raise InputError(f"{message[:1].upper()}{message[1:].rstrip('.')}; see {self.prog} --help.")

    def _print_message(self, message: str, file: Any = None) -> None:
        print_lines(message.rstrip("\n"))


def add_common(
    command: Parser, seed: int | None, seed_help: str, metavar: str, metavar_help: str
) -> None:
    """Options `--seed` and `--set`. metavar: value of `--set`; metavar_help: end of its help."""
    command.add_argument("--seed", metavar="N", type=whole, default=seed, help=seed_help)
    add_settings(command, metavar, f"parameters as listed below{metavar_help}")


def add_settings(command: Parser, metavar: str, sentence: str) -> None:
    """Option `--set`. metavar: its value; sentence: its help."""
    command.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        type=setting,
        metavar=metavar,
        help=sentence,
    )


def add_masks(command: Parser, sentence: str) -> None:
    """Option for images by kind. sentence: its help."""
    command.add_argument(
        "--mask",
        nargs="+",
        action="extend",
        default=[],
        type=assignment,
        metavar="KIND=FILE",
        help=sentence,
    )


def add_height_range(command: Parser, sentence: str) -> None:
    """Option for the heights of black and white. sentence: its help."""
    command.add_argument(
        "--height-range", nargs=2, type=number, metavar=("LOW", "HIGH"), help=sentence
    )


def add_source(command: Parser) -> None:
    """Options for the start terrain of a run."""
    command.add_argument("--recipe", metavar="NAME|FILE.toml", help=f"default: {RECIPE}")
    command.add_argument(
        "--size", metavar="ROWSxCOLS", type=size, help="of a raw file that is not square"
    )
    add_input(command)
    command.add_argument(
        "--edges", metavar="|".join(EDGES), help="edges of the terrain; default: the recipe's"
    )
    add_masks(command, "; ".join(f"{kind}: {mask.meaning}" for kind, mask in MASK_KINDS.items()))
    command.add_argument(
        "--sand",
        metavar="METERS",
        type=thickness,
        nargs="?",
        const=0.0,
        help=(
            "turn the uppermost meters of the ground into loose sand; default: the thickness that "
            "the recipe needs"
        ),
    )
    command.add_argument(
        "--surface-color",
        metavar="FILE|STRATA",
        help=(
            "color of the ground, which water carries along: an image, a .toml file of strata, or "
            "one of "
        )
        + ", ".join(shipped("strata")),
    )


def add_input(command: Parser) -> None:
    """Options for reading an ambiguous heightmap."""
    add_reading(command)
    command.add_argument(
        "--smooth-steps", action="store_true", help="smooth away the terraces of few heights"
    )


def add_results(command: Parser) -> None:
    """Options for the results of every command that erodes."""
    add_height_range(command, "meters of black and white in images")
    add_maps(command, "write every field as FIELD.exr, and the normal map")
    command.add_argument(
        "--weights",
        action="store_true",
        help="among the maps the shares of rock, soil, grass, sand, snow as 16-bit PNG",
    )
    command.add_argument(
        "--report", metavar="FILE.json", type=file, help="write a report of the run"
    )
    command.add_argument(
        "--checkpoint",
        metavar="FILE.npz",
        type=file,
        help="where to save the run if the time limit or SIGTERM ends it",
    )
    command.add_argument(
        "--checkpoint-every",
        metavar="MINUTES",
        type=duration,
        help="save the run at this interval until it is done",
    )
    command.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=limit,
        help="end the run after this time and write only the checkpoint",
    )
    command.add_argument("--threads", metavar="N", type=count, help="maximum number of threads")
    add_progress(command)


def add_maps(command: Parser, sentence: str) -> None:
    """Options for maps beside the result. sentence: help of `--maps`."""
    command.add_argument("--maps", metavar="FOLDER", type=folder, help=sentence)
    command.add_argument(
        "--analyze", action="store_true", help=f"among the maps {', '.join(ANALYZED)} of the result"
    )
    command.add_argument(
        "--png-maps", action="store_true", help="normals and maps from 0 to 1 as 16-bit PNG"
    )
    add_tif_maps(command)
    command.add_argument(
        "--normals",
        choices=GREENS,
        default="opengl",
        help="green of the normal map: +Y (opengl) or -Y (directx)",
    )


def add_tif_maps(command: Parser) -> None:
    """Option for maps with the location of a GeoTIFF."""
    command.add_argument(
        "--tif-maps",
        action="store_true",
        help="maps as TIFF, where INPUT is a GeoTIFF with its location",
    )


def add_outlets(command: Parser) -> None:
    """Option for the mask of outlets."""
    command.add_argument(
        "--outlets",
        metavar="FILE",
        type=file,
        help="image: water leaves where it is 0.5 or more, as at open edges",
    )


def add_survey(command: Parser) -> None:
    """Options of commands that analyze a heightmap: its reading, and threads."""
    command.add_argument(
        "--input-size", metavar="ROWSxCOLS", type=size, help="of a raw file that is not square"
    )
    add_height_range(command, "meters of black and white")
    add_input(command)
    command.add_argument("--threads", metavar="N", type=count, help="maximum number of threads")
    add_progress(command)


def add_progress(command: Parser) -> None:
    """Options for progress."""
    command.add_argument(
        "--progress",
        choices=FORMS,
        default="text",
        help="json: every line on standard error is a JSON object",
    )
    command.add_argument("--quiet", action="store_true", help="no progress and no notes")


def parameter_help(kind: str, parameters: type[Parameters]) -> str:
    """Parameters of a step or a start terrain as a table for the help."""
    rows = [
        (
            f"  {name}",
            f"{declaration.default} {declaration.unit}".rstrip(),
            f"{declaration.range_text}. {declaration.sentence}",
        )
        for name, declaration in specifications(parameters).items()
    ]
    return f"{kind}: {(parameters.__doc__ or '').splitlines()[0]}\n{table(rows)}"
