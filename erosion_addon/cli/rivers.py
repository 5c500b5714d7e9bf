# SPDX-License-Identifier: GPL-3.0-or-later
"""Command rivers: rivers, lakes and sea of a heightmap, as lines, outlines, meshes and masks."""

import argparse
from functools import partial
from pathlib import Path

from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..base.parameters import specifications
from ..drainage.beds import MASKS, carve_rivers, masks
from ..drainage.parameters import CutParameters, RiverParameters
from ..drainage.rivers import lake_sizes, water_of
from ..drainage.waterways import WRITERS, Waterways, write
from ..files.formats import SUFFIXES
from ..files.heightmap import encode_heightmap
from ..files.image_files import ImageFiles
from ..grid.sampling import bilinear
from ..terrain.terrain import Terrain
from .arguments.orders import LandOrder
from .beside import note_gray, plan_side, write_side
from .source import kept_holes, note_holes, read_land, read_mask_file
from .terminal.output import note, print_written
from .terminal.progress import Stages


def rivers(arguments: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments."""
    parameters, cut = _parameters(arguments)
    land = LandOrder.of(arguments)
    masks_read = [path for path in (arguments.headwaters, arguments.outlets) if path]
    with Outputs([*land.files, *masks_read]) as outputs:
        targets = [outputs.plan(path, WRITERS) for path in [arguments.output, *arguments.also]]
        mask_targets = _planned_masks(outputs, arguments.mask)
        carved = outputs.plan(arguments.carve, SUFFIXES) if arguments.carve else None
        side = plan_side(outputs, arguments.carve) if arguments.carve else None
        stages = Stages(arguments.quiet, "heightmap read", "rivers found", "files written")
        terrain, record = read_land(land, image_files)
        stages.end()
        place = record.georeference
        headwaters = None
        if arguments.headwaters:
            mask = read_mask_file(arguments.headwaters, image_files, record, arguments.quiet)
            headwaters = bilinear(mask, terrain.shape)
        outlets = None
        if arguments.outlets:
            outlets = read_mask_file(arguments.outlets, image_files, record, arguments.quiet)
        find_water = partial(
            water_of,
            spacing=terrain.spacing,
            edges=arguments.edges,
            parameters=parameters,
            headwaters=headwaters,
            threads=arguments.threads or 0,
            outlets=outlets,
        )
        water = find_water(terrain.elevation)
        if carved:  # and all files have the rivers of the ground with beds
            beds = carve_rivers(
                terrain.elevation, terrain.spacing, arguments.edges, water, parameters, cut
            )
            terrain = Terrain(beds, terrain.spacing)
            water = find_water(terrain.elevation)
        degrees = place.degrees(terrain.spacing) if place else None
        ways = Waterways(water, parameters, terrain.elevation, terrain.spacing, degrees)
        stages.end()
        for target in targets:
            with outputs.write(target) as path:
                write(path, ways)
        if mask_targets:
            mask_arrays = masks(water, ways.sizes, terrain.spacing, arguments.edges, ways.sea)
            for kind, target in mask_targets.items():
                with outputs.write(target) as path:
                    encode_heightmap(
                        path,
                        mask_arrays[kind],
                        image_files,
                        (0.0, 1.0),
                        "f4",
                        terrain.spacing,
                        place,
                    )
        if carved:
            with outputs.write(carved) as path:
                span = arguments.height_range
                holes = kept_holes(land, record)
                written = encode_heightmap(
                    path,
                    terrain.elevation,
                    image_files,
                    span,
                    "f8",
                    terrain.spacing,
                    place,
                    holes,
                    is_elevation=True,
                )
            write_side(side, arguments.carve, terrain, written)
        published = outputs.publish()
        stages.end()
    print_written(published)
    if not arguments.quiet:
        if carved:
            note_gray(arguments.carve, written, arguments.height_range)
            note_holes(arguments.carve, holes)
        note(_summary(ways, arguments.headwaters))
        if degrees is None and any(target.suffix.lower() == ".geojson" for target in targets):
            note(
                f"{arguments.input} has no place on Earth that is known here, so the coordinates "
                "are in meters."
            )


def _parameters(arguments: argparse.Namespace) -> tuple[RiverParameters, CutParameters]:
    """Settings of the rivers and of their beds; InputError for those of beds without `--carve`."""
    of_beds = {
        name: value for name, value in arguments.set if name in specifications(CutParameters)
    }
    if of_beds and not arguments.carve:
        raise InputError(
            f"--set {' '.join(of_beds)} is for carved beds; name a heightmap for them with --carve."
        )
    of_rivers = {name: value for name, value in arguments.set if name not in of_beds}
    return RiverParameters.from_dict(of_rivers), CutParameters.from_dict(of_beds)


def _planned_masks(outputs: Outputs, assignments: list[tuple[str, str]]) -> dict[str, Path]:
    planned = {}
    for kind, path in assignments:
        if kind not in MASKS:
            raise InputError(
                f"There is no mask {kind!r:.60} of water; choose one of {', '.join(MASKS)}."
            )
        planned[kind] = outputs.plan(path, SUFFIXES)
    return planned


def _summary(ways: Waterways, headwaters: Path | None) -> str:
    count = len(ways.water.starts) - 1
    lakes = len(ways.water.level)
    if not count:
        way = (
            f"{headwaters} is nowhere over 0.5."
            if headwaters
            else "A smaller source_area shows brooks."
        )
        return f"No river; lakes: {lakes}.{_held(ways)} {way}"
    order = int(ways.water.order.max())
    widest = float(ways.sizes.width.max())
    return (
        f"Rivers: {count}, up to order {order} and {widest:.3g} m wide; lakes: "
        f"{lakes}.{_held(ways)}"
    )


def _held(ways: Waterways) -> str:
    """Share of a limited rain that lakes hold, in words; empty if they are full."""
    if not ways.parameters.limited_water:
        return ""
    land = ways.elevation.size * ways.spacing[0] * ways.spacing[1]
    fallen = ways.parameters.rain_depth(land) * land
    volume = float(
        lake_sizes(ways.water.lakes, ways.water.level, ways.elevation, ways.spacing).volume.sum()
    )
    return f" They hold {volume:.4g} of {fallen:.4g} m³ of rain."
