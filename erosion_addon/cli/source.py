# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs of a run on the command line: recipe, terrain and masks."""

import argparse
import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..base.arrays import Array
from ..base.errors import InputError
from ..files import maps
from ..files.formats import IMAGE_SUFFIXES
from ..files.headers.image_header import read_header
from ..files.heightmap import read_heights, without_steps
from ..files.image_files import ImageFiles
from ..files.mask_file import read_mask, require_place
from ..files.reading.record import Doubt, Record
from ..recipe.needs import with_loose_top
from ..recipe.recipe import Recipe
from ..terrain.masks import MASK_KINDS
from ..terrain.strata import Strata
from ..terrain.terrain import Terrain
from .arguments.options import RECIPE
from .arguments.reading import flag, reading_of
from .terminal.output import note


def inputs(arguments: argparse.Namespace) -> list[str | Path]:
    """Input files, which no output may replace."""
    options = [getattr(arguments, name, None) for name in ("surface_color", "region_mask")]
    files = [
        arguments.input,
        arguments.input.with_suffix(".json"),
        *(file for file in options if file),
    ]
    return [*files, *(path for _, path in getattr(arguments, "mask", []))]


def recipe_of(arguments: argparse.Namespace) -> Recipe:
    """Recipe with its settings; InputError for an unknown one."""
    recipe = Recipe.load(arguments.recipe or RECIPE).with_values(dict(arguments.set))
    if arguments.surface_color and is_strata(arguments.surface_color):
        recipe = dataclasses.replace(recipe, strata=Strata.load(arguments.surface_color))
    return recipe


def read_land(arguments: argparse.Namespace, image_files: ImageFiles) -> tuple[Terrain, Record]:
    """Terrain of the command's input, and the record of how the file was read, which is said."""
    elevation, record = read_heights(arguments.input, image_files, reading_of(arguments))
    if not arguments.quiet:
        note_doubts(record.doubts)
        if (
            arguments.height_range
            and record.meaning == "heights"
            and not hasattr(arguments, "output")
        ):
            note(
                f"{record.name} holds heights, so the height range does not count. To change that: "
                "--numbers."
            )
    if arguments.smooth_steps:
        elevation = _smoothed(elevation, record, arguments.quiet)
    return Terrain(elevation, record.spacing or float(record.every)), record


def read(
    arguments: argparse.Namespace, recipe: Recipe, image_files: ImageFiles
) -> tuple[Terrain, dict[str, Array], Record]:
    """Start terrain, with sand if requested, masks, and the record of the heights."""
    terrain, masks, record = _read(arguments, image_files)
    if arguments.sand is not None:
        terrain = _with_sand(terrain, arguments.sand, recipe, masks)
    return terrain, masks, record


def read_region(arguments: argparse.Namespace, image_files: ImageFiles, land: Record) -> Any:
    """Corners or cells of the region to erode; None for the whole terrain. InputError for both."""
    if arguments.region is not None and arguments.region_mask is not None:
        raise InputError("--region and --region-mask both say what to erode; give one of them.")
    if arguments.region is None and arguments.region_mask is None:
        return None
    return arguments.region or read_mask_file(arguments, arguments.region_mask, image_files, land)


def read_outlets(
    arguments: argparse.Namespace, image_files: ImageFiles, land: Record
) -> Array | None:
    """Mask of outlets; None without one."""
    return (
        read_mask_file(arguments, arguments.outlets, image_files, land)
        if arguments.outlets
        else None
    )


def read_mask_file(
    arguments: argparse.Namespace, path: str | Path, image_files: ImageFiles, land: Record
) -> Array:
    """Values of a mask for a land; what is doubtful is said."""
    mask, doubts = read_mask(path, image_files, land)
    if not arguments.quiet:
        note_doubts(doubts)
    return mask


def kept_holes(arguments: argparse.Namespace, record: Record) -> Array | None:
    """Cells without data that stay so in TIFFs: all, unless the user says what they are."""
    return record.missing if arguments.holes is None else None


def note_holes(output: Path, holes: Array | None) -> None:
    """Print that cells without data stay so in a TIFF."""
    if holes is not None and output.suffix.lower() in (".tif", ".tiff"):
        note(f"The cells without data stay so in {output}; --holes makes them land or sea.")


def note_doubts(doubts: Iterable[Doubt]) -> None:
    """Print what a file leaves open, with the option that settles it."""
    for doubt in doubts:
        note(
            f"{doubt.sentence} To change that: {flag(doubt.option)}."
            if doubt.option
            else doubt.sentence
        )


def note_lack(recipe: Recipe, terrain: Terrain, masks: Mapping[str, Array]) -> None:
    """Print what the recipe needs and the ground lacks, with the option that adds it."""
    loose = masks.get("sediment", terrain.fields.get("sediment"))
    if lack := recipe.needs.lack(0.0 if loose is None else float(loose.max())):
        note(f"{lack} --sand adds it.")


def _read(
    arguments: argparse.Namespace, image_files: ImageFiles
) -> tuple[Terrain, dict[str, Array], Record]:
    """Start terrain, masks, and the record of the heights."""
    terrain, record = read_land(arguments, image_files)
    if record.step and not (arguments.smooth_steps or arguments.quiet):
        what = "has 8 bits, so its heights come" if record.kind == "uint8" else "has heights"
        note(
            f"{arguments.input} {what} in steps of {record.step:.4g} m; --smooth-steps smooths "
            "them away."
        )
    if arguments.surface_color and not is_strata(arguments.surface_color):
        path = Path(arguments.surface_color)
        require_place(path, read_header(path).georeference, record)
        color = maps.read_color(path, image_files, terrain.shape)
        terrain = Terrain(terrain.elevation, terrain.spacing, {"surface_color": color})
    masks = {}
    for kind, path in arguments.mask:
        if kind not in MASK_KINDS:
            raise InputError(
                f"There is no mask {kind!r:.60}; choose one of {', '.join(MASK_KINDS)}."
            )
        masks[kind] = read_mask_file(arguments, path, image_files, record)
    return terrain, masks, record


def _smoothed(elevation: Array, record: Record, quiet: bool) -> Array:
    """Elevation without terracing; InputError if it has none."""
    if record.step is None:
        raise InputError(
            f"{record.name} has no steps to smooth away: its heights are fine enough; leave out "
            "the option."
        )
    if not quiet:
        note(f"The steps of {record.step:.4g} m in {record.name} were smoothed away.")
    return without_steps(elevation, record)


def _with_sand(
    terrain: Terrain, thickness: float, recipe: Recipe, masks: Mapping[str, Array]
) -> Terrain:
    """Terrain whose top meters are loose; 0 for the amount that the recipe needs."""
    if "sediment" in masks:
        raise InputError(
            "--sand and --mask sediment=FILE both say where loose sand lies; give one of them."
        )
    if not (thickness or recipe.needs.sediment):
        raise InputError(f"{recipe.name} needs no sand; say how much you want: --sand METERS.")
    return with_loose_top(terrain, thickness or recipe.needs.sediment)


def is_strata(surface_color: str) -> bool:
    """Whether the text names strata, shipped or in a file; else it is an image."""
    return Path(surface_color).suffix.lower() not in IMAGE_SUFFIXES
