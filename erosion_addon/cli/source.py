# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs of a run on the command line: recipe, terrain and masks."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..base.arrays import Array
from ..base.errors import InputError
from ..files import maps
from ..files.headers.image_header import file_header
from ..files.heightmap import read_heights, without_steps
from ..files.image_files import ImageFiles
from ..files.mask_file import read_mask, require_place
from ..files.reading.record import Doubt, Record
from ..recipe.needs import with_loose_top
from ..recipe.recipe import Recipe
from ..terrain.masks import MASK_KINDS
from ..terrain.terrain import Terrain
from .arguments.orders import LandOrder, SourceOrder, is_strata
from .arguments.reading import flag
from .terminal.output import note


def read_land(order: LandOrder, image_files: ImageFiles) -> tuple[Terrain, Record]:
    """Terrain of a heightmap, and the record of how it was read; prints its doubts."""
    elevation, record = read_heights(order.path, image_files, order.reading)
    if not order.quiet:
        note_doubts(record.doubts)
        has_range = order.range_is_of_input and order.reading.height_range is not None
        if has_range and record.meaning == "heights":
            note(
                f"{record.name} holds heights, so the height range does not count. To change that: "
                "--numbers."
            )
    if order.smooth_steps:
        elevation = _smoothed(elevation, record, order.quiet)
    return Terrain(elevation, record.spacing or float(record.every)), record


def read(order: SourceOrder, image_files: ImageFiles) -> tuple[Terrain, dict[str, Array], Record]:
    """Start terrain, with sand if requested, masks, and the record of the heights."""
    terrain, masks, record = _read(order, image_files)
    if order.sand is not None:
        terrain = _with_sand(terrain, order.sand, order.recipe, masks)
    return terrain, masks, record


def read_mask_file(
    path: str | Path, image_files: ImageFiles, land: Record, quiet: bool = False
) -> Array:
    """Values of a mask for a land; prints its doubts."""
    mask, doubts = read_mask(path, image_files, land)
    if not quiet:
        note_doubts(doubts)
    return mask


def kept_holes(order: LandOrder, record: Record) -> Array | None:
    """Cells without data that remain so in TIFFs: all, unless the user fills them."""
    return record.missing if order.keeps_holes else None


def note_holes(output: Path, holes: Array | None) -> None:
    """Print that cells without data stay so in a TIFF."""
    if holes is not None and output.suffix.lower() in (".tif", ".tiff"):
        note(f"The cells without data stay so in {output}; --holes makes them land or sea.")


def note_doubts(doubts: Iterable[Doubt]) -> None:
    """Print the doubts about a file, each with the option that settles it."""
    for doubt in doubts:
        note(
            f"{doubt.sentence} To change that: {flag(doubt.option)}."
            if doubt.option
            else doubt.sentence
        )


def note_lack(recipe: Recipe, terrain: Terrain, masks: Mapping[str, Array]) -> None:
    """Print a note if the ground lacks loose material that the recipe needs."""
    loose = masks.get("sediment", terrain.fields.get("sediment"))
    if lack := recipe.needs.lack(0.0 if loose is None else float(loose.max())):
        note(f"{lack} --sand adds it.")


def _read(order: SourceOrder, image_files: ImageFiles) -> tuple[Terrain, dict[str, Array], Record]:
    """Start terrain, masks, and the record of the heights."""
    land = order.land
    terrain, record = read_land(land, image_files)
    if record.step and not (land.smooth_steps or land.quiet):
        what = "has 8 bits, so its heights come" if record.kind == "uint8" else "has heights"
        note(
            f"{land.path} {what} in steps of {record.step:.4g} m; --smooth-steps smooths them away."
        )
    if order.surface_color and not is_strata(order.surface_color):
        path = Path(order.surface_color)
        image = file_header(path)
        require_place(path, image.header.georeference, record)
        color = maps.read_color(path, image, image_files, terrain.shape)
        terrain = Terrain(terrain.elevation, terrain.spacing, {"surface_color": color})
    masks = {}
    for kind, file in order.masks:
        if kind not in MASK_KINDS:
            raise InputError(
                f"There is no mask {kind!r:.60}; choose one of {', '.join(MASK_KINDS)}."
            )
        masks[kind] = read_mask_file(file, image_files, record, land.quiet)
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
        raise InputError("--sand and --mask sediment=FILE both place loose sand; give one of them.")
    if not (thickness or recipe.needs.sediment):
        raise InputError(f"{recipe.name} needs no sand; say how much you want: --sand METERS.")
    return with_loose_top(terrain, thickness or recipe.needs.sediment)
