# SPDX-License-Identifier: GPL-3.0-or-later
"""Command rivers: rivers, lakes and sea of a heightmap, as lines, outlines, meshes and masks."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..drainage.beds import MASKS, carve_rivers, masks
from ..drainage.rivers import lake_sizes, water_of
from ..drainage.waterways import WRITERS, Waterways, write
from ..files.formats import SUFFIXES
from ..files.heightmap import Written, encode_heightmap
from ..files.image_files import ImageFiles
from ..files.rasters.tiff_writer import Tags
from ..grid.sampling import bilinear
from ..terrain.terrain import Terrain
from .arguments.land_orders import RiversOrder
from .arguments.orders import Mask
from .beside import note_gray, plan_side, write_side
from .keeping import publish
from .source import kept_holes, note_holes, read_land, read_mask_file
from .terminal.output import note, print_written
from .terminal.progress import Stages


def rivers(order: RiversOrder, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments."""
    land = order.land
    with Outputs(order.inputs) as outputs:
        targets = [outputs.plan(path, WRITERS) for path in order.outputs]
        mask_targets = _planned_masks(outputs, order.masks)
        carved = side = None
        if order.carve:
            carved = outputs.plan(order.carve, SUFFIXES)
            side = plan_side(outputs, order.carve)
        stages = Stages(order.quiet, "heightmap read", "rivers found", "files written")
        terrain, record = read_land(land, image_files)
        stages.end()
        place = record.georeference
        headwaters = outlets = None
        if order.headwaters:
            mask = read_mask_file(order.headwaters, image_files, record, order.quiet)
            headwaters = bilinear(mask, terrain.shape)
        if order.outlets:
            outlets = read_mask_file(order.outlets, image_files, record, order.quiet)
        find_water = partial(
            water_of,
            spacing=terrain.spacing,
            edges=order.edges,
            parameters=order.parameters,
            headwaters=headwaters,
            threads=order.threads,
            outlets=outlets,
        )
        water = find_water(terrain.elevation)
        if carved:  # and all files have the rivers of the ground with beds
            beds = carve_rivers(
                terrain.elevation, terrain.spacing, order.edges, water, order.parameters, order.beds
            )
            terrain = Terrain(beds, terrain.spacing)
            water = find_water(terrain.elevation)
        degrees = place.degrees(terrain.spacing) if place else None
        ways = Waterways(water, order.parameters, terrain.elevation, terrain.spacing, degrees)
        stages.end()
        holes = kept_holes(land, record)

        def write_files() -> Written:
            for target in targets:
                with outputs.write(target) as path:
                    write(path, ways)
            tags = Tags(terrain.spacing, place)
            if mask_targets:
                mask_arrays = masks(water, ways.sizes, terrain.spacing, order.edges, ways.sea)
            for kind, target in mask_targets.items():
                with outputs.write(target) as path:
                    values = mask_arrays[kind]
                    encode_heightmap(path, values, image_files, (0.0, 1.0), "f4", tags)
            written = Written()
            if order.carve and carved:
                tags = Tags(terrain.spacing, place, holes, is_elevation=True)
                span = order.height_range
                with outputs.write(carved) as path:
                    written = encode_heightmap(
                        path, terrain.elevation, image_files, span, "f8", tags
                    )
                write_side(side, order.carve, terrain, written)
            return written

        written, published = publish(outputs, write_files)
        stages.end()
    print_written(published)
    if order.quiet:
        return
    if order.carve:
        note_gray(order.carve, written, order.height_range)
        note_holes(order.carve, holes)
    note(_summary(ways, order.headwaters))
    if degrees is None and any(target.suffix.lower() == ".geojson" for target in targets):
        note(
            f"{land.path} has no place on Earth that is known here, so the coordinates are in "
            "meters."
        )


def _planned_masks(outputs: Outputs, assignments: Sequence[Mask]) -> dict[str, Path]:
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
        if headwaters:
            way = f"{headwaters} is nowhere over 0.5."
        else:
            way = "A smaller source_area shows brooks."
        return f"No river; lakes: {lakes}.{_volume_in_words(ways)} {way}"
    order = int(ways.water.order.max())
    widest = float(ways.sizes.width.max())
    return (
        f"Rivers: {count}, up to order {order} and {widest:.3g} m wide; lakes: "
        f"{lakes}.{_volume_in_words(ways)}"
    )


def _volume_in_words(ways: Waterways) -> str:
    """Share of a limited rain that lakes hold, in words; empty if they are full."""
    if not ways.parameters.limited_water:
        return ""
    land = ways.elevation.size * ways.spacing[0] * ways.spacing[1]
    fallen = ways.parameters.rain_depth(land) * land
    volume = float(
        lake_sizes(ways.water.lakes, ways.water.level, ways.elevation, ways.spacing).volume.sum()
    )
    return f" They hold {volume:.4g} of {fallen:.4g} m³ of rain."
