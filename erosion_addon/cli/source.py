# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs of a run on the command line: recipe, terrain and masks."""

import argparse
import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..base.arrays import Array
from ..base.errors import InputError
from ..files import maps
from ..files.formats import IMAGE_SUFFIXES, RAW_SUFFIXES
from ..files.headers.image_header import read_header
from ..files.heightmap import read_heightmap
from ..files.image_files import ImageFiles
from ..recipe.needs import with_loose_top
from ..recipe.recipe import Recipe
from ..terrain.masks import MASK_KINDS
from ..terrain.strata import Strata
from ..terrain.terrain import Terrain
from .arguments.options import RECIPE
from .convert import read_input
from .terminal.output import note


def inputs(given: argparse.Namespace) -> list[str | Path]:
    """Input files, which no output may replace."""
    named = [getattr(given, name, None) for name in ("surface_color", "region_mask")]
    files = [given.input, given.input.with_suffix(".json"), *(file for file in named if file)]
    return [*files, *(path for _, path in getattr(given, "mask", []))]


def recipe_of(given: argparse.Namespace) -> Recipe:
    """Recipe with its settings; InputError for an unknown one."""
    recipe = Recipe.load(given.recipe or RECIPE).with_values(dict(given.set))
    if given.surface_color and is_strata(given.surface_color):
        recipe = dataclasses.replace(recipe, strata=Strata.load(given.surface_color))
    return recipe


def read(given: argparse.Namespace, recipe: Recipe, image_files: ImageFiles) -> tuple[Terrain, dict[str, Array]]:
    """Start terrain, with sand if requested, and masks."""
    terrain, masks = _read(given, image_files)
    if given.sand is not None:
        terrain = _with_sand(terrain, given.sand, recipe, masks)
    return terrain, masks


def read_region(given: argparse.Namespace, image_files: ImageFiles) -> Any:
    """Corners or cells of the region to erode; None for the whole terrain. InputError for both."""
    if given.region is not None and given.region_mask is not None:
        raise InputError("--region and --region-mask both say what to erode; give one of them.")
    if given.region is None and given.region_mask is None:
        return None
    return given.region or _read_mask(given, given.region_mask, image_files, None if given.quiet else note)


def read_outlets(given: argparse.Namespace, image_files: ImageFiles) -> Array | None:
    """Mask of outlets; None without one."""
    return read_heightmap(given.outlets, image_files, (0.0, 1.0)) if given.outlets else None


def note_lack(recipe: Recipe, terrain: Terrain, masks: Mapping[str, Array]) -> None:
    """Print what the recipe needs and the ground lacks, with the option that adds it."""
    loose = masks.get("sediment", terrain.fields.get("sediment"))
    if lack := recipe.needs.lack(0.0 if loose is None else float(loose.max())):
        note(f"{lack} --sand adds it.")


def _read(given: argparse.Namespace, image_files: ImageFiles) -> tuple[Terrain, dict[str, Array]]:
    """Start terrain and masks."""
    hint = None if given.quiet else note
    elevation, cell_size = read_input(given, given.size, image_files)
    is_image = given.input.suffix.lower() in IMAGE_SUFFIXES
    if is_image and not (given.smooth_steps or given.quiet) and read_header(given.input).kind == "uint8":
        note(f"{given.input} has 8 bits, so its slopes are made of up to 256 steps; --smooth-steps smooths them away.")
    fields = {}
    if given.surface_color and not is_strata(given.surface_color):
        rows, cols = elevation.shape
        fields["surface_color"] = maps.read_color(Path(given.surface_color), image_files, (rows, cols))
    terrain = Terrain(elevation, cell_size, fields)
    masks = {}
    for kind, path in given.mask:
        if kind not in MASK_KINDS:
            raise InputError(f"There is no mask {kind!r:.60}; choose one of {', '.join(MASK_KINDS)}.")
        masks[kind] = _read_mask(given, path, image_files, hint)
    return terrain, masks


def _read_mask(
    given: argparse.Namespace, path: Path, image_files: ImageFiles, hint: Callable[[str], None] | None
) -> Array:
    size = given.size if Path(path).suffix.lower() in RAW_SUFFIXES else None
    return read_heightmap(path, image_files, (0.0, 1.0), size, hint)


def _with_sand(terrain: Terrain, thickness: float, recipe: Recipe, masks: Mapping[str, Array]) -> Terrain:
    """Terrain whose top meters are loose; 0 for the amount that the recipe needs."""
    if "sediment" in masks:
        raise InputError("--sand and --mask sediment=FILE both say where loose sand lies; give one of them.")
    if not (thickness or recipe.needs.sediment):
        raise InputError(f"{recipe.name} needs no sand; say how much you want: --sand METERS.")
    return with_loose_top(terrain, thickness or recipe.needs.sediment)


def is_strata(surface_color: str) -> bool:
    """Whether the text names strata, shipped or in a file; else it is an image."""
    return Path(surface_color).suffix.lower() not in IMAGE_SUFFIXES
