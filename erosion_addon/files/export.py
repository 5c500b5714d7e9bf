# SPDX-License-Identifier: GPL-3.0-or-later
"""Export of heights and maps in the sizes that game engines take, with a side file that holds the
scale.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..base.atomic_files import Outputs
from ..base.errors import InputError, Sentence
from ..base.memory import require
from ..grid.resample import resized
from ..terrain.fields import FIELDS
from ..terrain.masks import MASK_KINDS
from ..terrain.terrain import SMALLEST_SIDE, Terrain
from .formats import GRAY_SUFFIXES, RAW_SUFFIXES, SUFFIXES, heightmap_bytes, require_space
from .game_engines import ANY, ENGINES, Engine
from .headers.georeference import Georeference
from .heightmap import encode_heightmap, own_range
from .image_files import ImageFiles
from .maps import images
from .rasters.tiff_writer import Tags
from .reading.record import Array, Range
from .side_writing import Sheet, SideFile

_BYTES_PER_CELL = 40
_MOST_TILES = 1024


@dataclass(frozen=True)
class Layout:
    """Layout of a terrain in files.

    engine: one of `ENGINES`, or "". size: (rows, cols) of each file; None: the engine's size
    nearest to the terrain's, or the terrain's own. tiles: (rows, cols) of files; neighbors share
    their border points. height_range: meters of black and white in 16-bit files; None: the lowest
    and highest point. flip: reverses the order of rows.
    """

    engine: str = ""
    size: tuple[int, int] | None = None
    tiles: tuple[int, int] = (1, 1)
    height_range: Range | None = None
    flip: bool = False

    @property
    def habits(self) -> Engine:
        """Conventions of the engine; InputError for an unknown one."""
        if self.engine and self.engine not in ENGINES:
            raise InputError("There is no engine {engine:.60}; choose one of {engines}.").format(
                engine=repr(self.engine), engines=", ".join(ENGINES)
            )
        return ENGINES.get(self.engine, ANY)

    def file_size(self, shape: tuple[int, int]) -> tuple[int, int]:
        """(rows, cols) of each file for a terrain of `shape`; InputError for an invalid size."""
        if not (min(self.tiles) >= 1 and self.tiles[0] * self.tiles[1] <= _MOST_TILES):
            raise InputError(
                "{tiles} are not 1 to {most} tiles; give rows and columns of tiles."
            ).format(tiles=_by(self.tiles), most=_MOST_TILES)
        parts = (
            round((side - 1) / tiles) + 1 for side, tiles in zip(shape, self.tiles, strict=True)
        )
        rows, cols = self.size or (self.habits.nearest(side) for side in parts)
        if min(rows, cols) < SMALLEST_SIDE:
            raise InputError(
                "A heightmap of {rows} × {cols} is too small; it needs {smallest} rows and columns."
            ).format(rows=rows, cols=cols, smallest=SMALLEST_SIDE)
        return rows, cols

    def whole_size(self, shape: tuple[int, int]) -> tuple[int, int]:
        """(rows, cols) of all tiles together, with shared borders."""
        rows, cols = (
            (side - 1) * tiles + 1
            for side, tiles in zip(self.file_size(shape), self.tiles, strict=True)
        )
        return rows, cols

    def bottom_first(self, suffix: str) -> bool:
        """Whether files with this suffix start with the row at the smallest y."""
        return (self.habits.bottom_first and suffix in RAW_SUFFIXES) != self.flip

    @property
    def tiles_upward(self) -> bool:
        """Whether tile rows are counted from the smallest y."""
        return self.habits.bottom_first or self.flip


@dataclass(frozen=True)
class Exported:
    """Written files, their range in meters (for floats the terrain's), and the number of clipped
    cells.
    """

    paths: list[Path]
    height_range: Range
    clipped_cells: int
    notes: list[Sentence] = field(default_factory=list)


class Origin(NamedTuple):
    """Files that a terrain was read from, which only the heightmap of that very name may replace;
    and its georeference and cells without data, which TIFFs keep.
    """

    inputs: Sequence[Path] = ()
    georeference: Georeference | None = None
    missing: Array | None = None


@dataclass(frozen=True)
class Layer:
    """A layer written as heightmap: the heights, whose name is "", or a map. range: fixed black and
    white, if any.
    """

    name: str
    unit: str
    values: Array
    range: Range | None = None


def export(
    path: str | Path,
    terrain: Terrain,
    image_files: ImageFiles,
    layout: Layout | None = None,
    maps: Sequence[str] = (),
    masks: Mapping[str, Array] | None = None,
    origin: Origin | None = None,
) -> Exported:
    """Write the heights of a terrain, and maps of its fields, to a file or to tiles; all or
    nothing.

    maps: names of fields, each written as NAME_FIELD beside it. masks: likewise NAME_mask_KIND.
    Raises InputError if a file cannot be written; existing files then stay.
    """
    origin = origin or Origin()
    with Outputs(origin.inputs) as outputs:
        write = planned(
            outputs,
            Path(path),
            terrain,
            image_files,
            layout or Layout(),
            layers(terrain, maps, masks),
            origin,
        )
        return replace(write(), paths=outputs.publish())


def planned(
    outputs: Outputs,
    path: Path,
    terrain: Terrain,
    image_files: ImageFiles,
    layout: Layout,
    layers: Sequence[Layer],
    origin: Origin,
) -> Callable[[], Exported]:
    """Plan the files of an export; the function returned writes them, without publishing."""
    notes = _notes(layout, terrain, path.suffix.lower())
    rows, cols = total = layout.whole_size(terrain.shape)
    require(
        rows * cols * _BYTES_PER_CELL,
        Sentence("Writing {path} ({rows} × {cols})").format(path=path, rows=rows, cols=cols),
    )
    tags = _tags(terrain, total, origin)
    gray = path.suffix.lower() in GRAY_SUFFIXES
    targets_by_layer = [_plan(outputs, path, layer.name, layout) for layer in layers]
    side = SideFile(outputs, path)
    length = heightmap_bytes(path, layout.file_size(terrain.shape))
    require_space((target, length) for targets in targets_by_layer for target in targets.values())

    def write() -> Exported:
        sheets = []
        for layer, targets in zip(layers, targets_by_layer, strict=True):
            values = resized(layer.values, total)
            height_range = layout.height_range if gray and not layer.name else None
            span = layer.range or height_range or own_range(values)
            clipped = 0
            if gray:
                clipped = int(np.count_nonzero((values < span[0]) | (values > span[1])))
            names = [target.name for target in targets.values()]
            sheets.append(Sheet(layer.name, layer.unit, names, span, clipped))
            encode = partial(encode_heightmap, image_files=image_files, height_range=span)
            of_layer = tags._replace(is_elevation=not layer.name)
            _write(outputs, targets, values, encode, layout, of_layer)
        side.write(
            sheets,
            layout.file_size(terrain.shape),
            _spacing(terrain, total),
            layout.bottom_first(path.suffix.lower()),
            layout.tiles,
            layout.tiles_upward,
        )
        return Exported([], sheets[0].range, sheets[0].clipped_cells, notes)

    return write


def _tags(terrain: Terrain, total: tuple[int, int], origin: Origin) -> Tags:
    """Tags of all tiles together, (rows, cols) cells."""
    tags = Tags(_spacing(terrain, total))
    if origin.georeference and origin.georeference.shape == terrain.shape:
        tags = tags._replace(georeference=origin.georeference.resized(total))
    if origin.missing is not None:
        tags = tags._replace(missing=resized(origin.missing.astype(np.float64), total) > 0.5)
    return tags


def layers(
    terrain: Terrain, maps: Sequence[str] = (), masks: Mapping[str, Array] | None = None
) -> list[Layer]:
    """Heights, maps and masks of a terrain, see `export`."""
    layers = [Layer("", "m", terrain.elevation)]
    for name in maps:
        if name not in terrain.fields:
            raise InputError("The terrain has no field {name:.60}; it has {fields}.").format(
                name=repr(name), fields=", ".join(terrain.fields) or "none"
            )
        field = FIELDS[name]
        if field.components == 3:
            raise InputError(
                "{name} is a color, which no heightmap holds; export it as a map."
            ).format(name=name)
        for part, values in images({name: terrain.fields[name]}):
            span = (0.0, 1.0) if field.unit == "0-1" else None
            layers.append(Layer(part, field.unit, values, span))
    for kind, values in (masks or {}).items():
        mask_kind = MASK_KINDS[kind]
        span = (0.0, 1.0) if mask_kind.highest == 1.0 else None
        layers.append(Layer(f"mask_{kind}", mask_kind.unit or "0-1", values, span))
    return layers


def _plan(outputs: Outputs, path: Path, layer: str, layout: Layout) -> dict[tuple[int, int], Path]:
    """Paths of a layer's tiles, by row and column from the smallest y and x."""
    stem = f"{path.stem}_{layer}" if layer else path.stem
    if layout.tiles == (1, 1):
        return {
            (0, 0): outputs.plan(
                path.with_name(stem + path.suffix), SUFFIXES, None if layer else path
            )
        }
    tile_rows, tile_cols = layout.tiles
    planned = {}
    for y in range(tile_rows):
        for x in range(tile_cols):
            name = layout.habits.tile.format(name=stem, x=x, y=y)
            row = y if layout.tiles_upward else tile_rows - 1 - y
            planned[row, x] = outputs.plan(path.with_name(name + path.suffix), SUFFIXES)
    return planned


def _write(
    outputs: Outputs,
    targets: dict[tuple[int, int], Path],
    values: Array,
    encode: Callable[..., object],
    layout: Layout,
    tags: Tags,
) -> None:
    """Write a layer's tiles. encode: writes one of them to a path. tags: of all together."""
    place = tags.georeference
    rows, cols = (
        (side - 1) // tiles for side, tiles in zip(values.shape, layout.tiles, strict=True)
    )
    for (row, col), target in targets.items():
        inside = np.s_[row * rows : (row + 1) * rows + 1, col * cols : (col + 1) * cols + 1]
        order = -1 if layout.bottom_first(target.suffix.lower()) else 1
        tile = values[inside][::order]
        of_tile = tags._replace(georeference=None)
        if tags.missing is not None:
            of_tile = of_tile._replace(missing=tags.missing[inside][::order])
        if place and not layout.flip:
            top = (values.shape[0] - 1 - row * rows - (tile.shape[0] - 1), col * cols)
            part = place.part(top, (1, 1), (tile.shape[0], tile.shape[1]))
            of_tile = of_tile._replace(georeference=part)
        with outputs.write(target) as temporary:
            encode(temporary, tile, tags=of_tile)


def _spacing(terrain: Terrain, size: tuple[int, int]) -> tuple[float, float]:
    row, col = (
        spacing * (before - 1) / (after - 1)
        for spacing, before, after in zip(terrain.spacing, terrain.shape, size, strict=True)
    )
    return row, col


def _notes(layout: Layout, terrain: Terrain, suffix: str) -> list[Sentence]:
    notes = []
    size = layout.file_size(terrain.shape)
    sizes = layout.habits.sizes
    if sizes and not set(size) <= set(sizes):
        names = ", ".join(map(str, sizes))
        notes.append(
            Sentence(
                "{engine} may not import {size} points unchanged; it expects {sizes} points a side."
            ).format(engine=layout.habits.label, size=_by(size), sizes=names)
        )
    if layout.engine == "unreal" and suffix == ".raw" and layout.tiles != (1, 1):
        notes.append(
            Sentence("Unreal needs a .json for each .raw file; give it tiles as .r16 or .png.")
        )
    total = layout.whole_size(terrain.shape)
    if total != terrain.shape:
        sentence = Sentence("The terrain was resampled from {size} to {new_size}.")
        notes.append(sentence.format(size=_by(terrain.shape), new_size=_by(total)))
    return notes


def _by(shape: tuple[int, int]) -> str:
    return f"{shape[0]} × {shape[1]}"
