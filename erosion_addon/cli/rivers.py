# SPDX-License-Identifier: GPL-3.0-or-later
"""Command rivers: rivers, lakes and sea of a heightmap, as lines, outlines, meshes and masks."""

import argparse
from pathlib import Path

from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..drainage.beds import MASKS, masks
from ..drainage.parameters import RiverParameters
from ..drainage.rivers import lake_sizes, water_of
from ..drainage.waterways import WRITERS, Waterways, write
from ..files.formats import SUFFIXES
from ..files.heightmap import encode_heightmap, read_heightmap
from ..files.image_files import ImageFiles
from ..grid.resample import bilinear
from ..terrain.terrain import Terrain
from .convert import place_of, read_input
from .source import read_outlets
from .terminal.output import note, print_written
from .terminal.progress import Stages


def rivers(given: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments."""
    parameters = RiverParameters.from_dict(dict(given.set))
    masks_read = [path for path in (given.headwaters, given.outlets) if path]
    with Outputs([given.input, given.input.with_suffix(".json"), *masks_read]) as outputs:
        targets = [outputs.plan(path, WRITERS) for path in [given.output, *given.also]]
        wanted = _planned_masks(outputs, given.mask)
        stages = Stages("heightmap read", "rivers found", "files written")
        terrain = Terrain(*read_input(given, given.input_size, image_files))
        stages.end()
        place, headwaters = place_of(given.input, terrain.shape), None
        if given.headwaters:
            headwaters = bilinear(read_heightmap(given.headwaters, image_files, (0.0, 1.0)), terrain.shape)
        outlets = read_outlets(given, image_files)
        ground = terrain.elevation, terrain.spacing, given.edges
        water = water_of(*ground, parameters, headwaters, given.threads or 0, outlets)
        ways = Waterways(water, parameters, terrain.elevation, terrain.spacing)
        stages.end()
        for target in targets:
            with outputs.write(target) as path:
                write(path, ways)
        if wanted:
            made = masks(water, ways.sizes, terrain.spacing, given.edges, ways.sea)
            for kind, target in wanted.items():
                with outputs.write(target) as path:
                    encode_heightmap(path, made[kind], image_files, (0.0, 1.0), "f4", terrain.spacing, place)
        published = outputs.publish()
        stages.end()
    print_written(published)
    if not given.quiet:
        note(_summary(ways, given.headwaters))


def _planned_masks(outputs: Outputs, given: list[tuple[str, str]]) -> dict[str, Path]:
    planned = {}
    for kind, path in given:
        if kind not in MASKS:
            raise InputError(f"There is no mask {kind!r:.60} of water; choose one of {', '.join(MASKS)}.")
        planned[kind] = outputs.plan(path, SUFFIXES)
    return planned


def _summary(ways: Waterways, headwaters: Path | None) -> str:
    count, lakes = len(ways.water.starts) - 1, len(ways.water.level)
    if not count:
        way = f"{headwaters} is nowhere over 0.5." if headwaters else "A smaller source_area shows brooks."
        return f"No river; lakes: {lakes}.{_held(ways)} {way}"
    order, widest = int(ways.water.order.max()), float(ways.sizes.width.max())
    return f"Rivers: {count}, up to order {order} and {widest:.3g} m wide; lakes: {lakes}.{_held(ways)}"


def _held(ways: Waterways) -> str:
    """Share of a limited rain that lakes hold, in words; empty if they are full."""
    if not ways.parameters.limited_water:
        return ""
    land = ways.elevation.size * ways.spacing[0] * ways.spacing[1]
    fallen = ways.parameters.rain_depth(land) * land
    held = float(lake_sizes(ways.water.lakes, ways.water.level, ways.elevation, ways.spacing).volume.sum())
    return f" They hold {held:.4g} of {fallen:.4g} m³ of rain."
