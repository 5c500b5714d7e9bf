# SPDX-License-Identifier: GPL-3.0-or-later
"""Landscape as heightmap files for other programs, and as a picture."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..bake.light import COVERS, shaded_relief
from ..base.arrays import Array
from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..files.formats import SUFFIXES
from ..files.game_engines import ANY, ENGINES
from ..files.heightmap import encode_heightmap
from ..files.image_files import ImageFiles
from ..files.maps import DERIVED, derive, encode_color
from ..files.rasters.tiff_writer import Tags
from ..files.reading.record import Range
from ..files.side_file import is_side_file
from ..files.side_writing import Sheet, SideFile
from ..terrain import ground_cover
from ..terrain.fields import FIELDS
from ..terrain.terrain import Terrain
from .storage.folder import Landscape, Window, components
from .storage.manifest import MASK, START
from .storage.pyramid import level

OnProgress = Callable[[float], object]

_FIELD = re.compile(r"\{(?:name|[xy](?::0?[1-9]d?)?)\}")
"""Fields allowed in a pattern of names: Python's formats can write gigabytes of spaces, and reach
into objects.
"""


@dataclass(frozen=True)
class Maps:
    """Maps beside the files of a layer, as 16-bit PNG. weights: the share of each cover of the
    ground.

    normals: green of the normal map, one of `files.normals.GREENS`; "" for none.
    """

    weights: bool = False
    normals: str = ""


@dataclass(frozen=True)
class Layout:
    """Layer of a landscape in square files.

    side: points of a file, which shares those on its borders; 0 for the tile's own. engine: see
    `game_engines.ENGINES`. height_range: m of black and white; None for the range of the whole
    layer, 0 to 1 for masks. names: pattern of the files' names, with {x} and {y} for the numbers of
    tiles, also {x:03d}, and {name} for that of the path; default: the engine's. bottom_first:
    whether y grows upward, as for Unity in any case.
    """

    layer: str = "elevation"
    side: int = 0
    engine: str = ""
    height_range: Range | None = None
    names: str = ""
    bottom_first: bool = False


def export(
    landscape: Landscape,
    path: Path,
    image_files: ImageFiles,
    layout: Layout,
    maps: Maps,
    on_progress: OnProgress = lambda fraction: None,
) -> tuple[list[Path], Range]:
    """Write a layer as square files; returns them and the meters of black and white. TIFFs have the
    landscape's georeference, each with the origin of its own points.

    Beyond the far edges the last point is repeated. maps: written as NAME_weight_rock, NAME_normal
    in the same tiles; equal, cell by cell, to maps of the land in one piece. Files are written one
    by one; each is complete or missing. A side file with the scale comes last, see `side_writing`.
    """
    layer = _of_one_value(landscape, layout.layer)
    habits = ENGINES[layout.engine] if layout.engine else ANY
    pattern = layout.names or habits.tile
    # Before the layer is read: whether files can be written there.
    Outputs().plan(path.with_name(_filled_in(pattern, path.stem, 0, 0) + path.suffix), SUFFIXES)
    if (maps.weights or maps.normals) and pattern.format(name="a", x=0, y=0) == pattern.format(
        name="b", x=0, y=0
    ):
        raise InputError(
            f"Maps need a name of their own; put {{name}} into the pattern {pattern!r:.80}."
        )
    side = layout.side
    if not side:
        tile = landscape.manifest.tile
        side = habits.nearest(tile) if habits.sizes else tile + 1
    if side < 2:
        raise InputError(f"A file needs at least 2 points a side, not {side}.")
    span = layout.height_range or _range(landscape, layer)
    place = landscape.manifest.georeference
    rows, cols = (max(1, -(-(count - 1) // (side - 1))) for count in landscape.shape)
    unit = "0-1" if layer.startswith(MASK) else FIELDS[layer.removeprefix(START)].unit
    sheets = [_Sheet("" if unit == "m" else layer.rpartition("/")[2], unit, path, span)]
    sheets += [
        _Sheet(name, "0-1", path.with_name(f"{path.stem}_{name}.png")) for name in _names(maps)
    ]
    upward = layout.bottom_first or habits.bottom_first
    spacing = landscape.manifest.spacing
    paths: list[Path] = []
    with Outputs() as beside:
        scale = _side_file(beside, path)
        for y in range(rows):
            for x in range(cols):
                number = y if upward else rows - 1 - y
                window = _window(landscape, y * (side - 1), x * (side - 1), side)
                first = (landscape.shape[0] - 1 - (y + 1) * (side - 1), x * (side - 1))
                georeference = place.part(first, (1, 1), (side, side)) if place else None
                values = [landscape.read(layer, window), *_maps(landscape, window, maps)]
                for sheet, points in zip(sheets, values, strict=True):
                    file = sheet.path.with_name(
                        _filled_in(pattern, sheet.path.stem, x, number) + sheet.path.suffix
                    )
                    with Outputs() as outputs:
                        target = outputs.plan(file, SUFFIXES)
                        with outputs.write(target) as temporary:
                            tags = Tags(spacing, georeference)
                            if sheet.path == path and layer.removeprefix(START) == "elevation":
                                tags = tags._replace(is_elevation=True)
                            points = _repeated(points, side)
                            _encode(temporary, points, image_files, sheet.range, tags)
                        paths += outputs.publish(goes_on=True)
                    sheet.files[y, x] = file.name
                on_progress((y * cols + x + 1) / (rows * cols))
        if scale is not None:
            order = [(y, x) for y in range(rows)[:: 1 if upward else -1] for x in range(cols)]
            entries = [
                Sheet(entry.name, entry.unit, [entry.files[at] for at in order], entry.range)
                for entry in sheets
            ]
            scale.write(entries, (side, side), spacing, False, (rows, cols), upward)
            paths += beside.publish()
    return paths, span


@dataclass(frozen=True)
class _Sheet:
    """A layer or map in files. path: their name before the numbers of tiles are in it. range: black
    and white.

    files: names of those written, by row from the smallest y and column.
    """

    name: str
    unit: str
    path: Path
    range: Range = (0.0, 1.0)
    files: dict[tuple[int, int], str] = field(default_factory=dict)


def _names(maps: Maps) -> list[str]:
    weights = [f"weight_{cover}" for cover in ground_cover.COVERS if maps.weights]
    return weights + [name for name in DERIVED if maps.normals]


def _maps(landscape: Landscape, window: Window, maps: Maps) -> Iterator[Array]:
    """Maps of a window, in the order of `_names`: values from 0 to 1, (rows, cols) or (rows, cols,
    3).
    """
    if maps.weights:
        ground = {
            name: landscape.read(layer, window)
            for name in ground_cover.GROUND
            if (layer := _there(landscape, name))
        }
        for share in ground_cover.ground_cover(ground, window.shape).values():
            yield share / ground_cover.WHITE
    if maps.normals:
        # Slopes at the border of a part are the land's.
        reach = max(derived.reach for derived in DERIVED.values())
        rows, cols = landscape.shape
        wide = Window(
            max(window.top - reach, 0),
            min(window.bottom + reach, rows),
            max(window.left - reach, 0),
            min(window.right + reach, cols),
        )
        heights = landscape.read(layer_of(landscape, "elevation"), wide)
        for values in derive(
            DERIVED, heights, landscape.manifest.spacing, green=maps.normals
        ).values():
            yield values[window.within(wide)]


def _encode(path: Path, values: Array, image_files: ImageFiles, span: Range, tags: Tags) -> None:
    if values.ndim == 3:
        encode_color(path, values, image_files)
    else:
        encode_heightmap(path, values, image_files, span, "f4", tags)


def _side_file(outputs: Outputs, path: Path) -> SideFile | None:
    """Planned side file of an export, see `side_writing`; None for .npy files, and where another
    file has its name.
    """
    side = path.with_suffix(".json")
    if path.suffix.lower() == ".npy" or (side.exists() and not is_side_file(side)):
        return None
    return SideFile(outputs, path)


def picture(landscape: Landscape, side: int, layer: str = "elevation") -> Array:
    """Shaded relief of the whole landscape, (rows, cols, 3), with at most `side` points along the
    longer side.

    layer: one other than the heights is shown in gray, (rows, cols), see `_gray`.
    """
    factor = max(1, -(-max(landscape.shape) // side))
    if layer != "elevation":
        layer = _of_one_value(landscape, layer)
        return _gray(level(landscape, layer, factor), layer)
    names = [name for name, _, _ in COVERS if landscape.has(name)]
    fields = {name: level(landscape, name, factor) for name in names}
    elevation = level(landscape, layer_of(landscape, layer), factor)
    spacing = tuple(length * factor for length in landscape.manifest.spacing)
    return shaded_relief(Terrain(elevation, (spacing[0], spacing[1]), fields))


def close_up(landscape: Landscape, window: Window, layer: str = "elevation") -> Array:
    """Shaded relief of a window, (rows, cols, 3), a point for each cell. layer: see `picture`."""
    if layer != "elevation":
        layer = _of_one_value(landscape, layer)
        return _gray(landscape.read(layer, window), layer)
    fields = {name: landscape.read(name, window) for name, _, _ in COVERS if landscape.has(name)}
    elevation = landscape.read(layer_of(landscape, layer), window)
    return shaded_relief(Terrain(elevation, landscape.manifest.spacing, fields))


def layer_of(landscape: Landscape, name: str) -> str:
    """Layer or mask of this name, at the start if nothing has been eroded; InputError if there is
    none.
    """
    for layer in (name, START + name, MASK + name):
        if landscape.has(layer):
            return layer
    raise InputError(
        f"There is no layer {name!r:.60}; choose one of {', '.join(landscape.manifest.layers)}."
    )


def _of_one_value(landscape: Landscape, name: str) -> str:
    layer = layer_of(landscape, name)
    if components(layer):
        raise InputError(
            f"{layer} has several values in a cell; only layers of one value can be exported or "
            "shown."
        )
    return layer


def _filled_in(pattern: str, name: str, x: int, y: int) -> str:
    """Name of a tile's file; InputError for a pattern that gives two tiles one name."""
    if re.search("[{}]", _FIELD.sub("", pattern)):
        names = [""]
    else:
        names = [
            pattern.format(name=name, x=at, y=along)
            for at, along in ((x, y), (x + 1, y), (x, y + 1))
        ]
    if len(set(names)) < 3 or not all(file and Path(file).name == file for file in names):
        raise InputError(
            f"{pattern!r:.80} names no tiles; a pattern such as {{name}}_y{{y}}_x{{x}} does."
        )
    return names[0]


def _gray(values: Array, layer: str) -> Array:
    """Values from 0, black, to 1, white: unchanged if their unit is 0-1, else from the least to the
    greatest.
    """
    if layer.startswith(MASK) or FIELDS[layer.removeprefix(START)].unit == "0-1":
        return np.asarray(values, np.float32)
    low = float(values.min())
    high = float(values.max())
    return np.asarray((values - low) / ((high - low) or 1.0), np.float32)


def _there(landscape: Landscape, name: str) -> str:
    """Layer of this name, at the start if nothing has been eroded; "" if there is none."""
    return next((layer for layer in (name, START + name) if landscape.has(layer)), "")


def _window(landscape: Landscape, top: int, left: int, side: int) -> Window:
    rows, cols = landscape.shape
    return Window(top, min(top + side, rows), left, min(left + side, cols))


def _repeated(values: Array, side: int) -> Array:
    """Values (rows, cols, …) with those at the far edges repeated up to `side` rows and columns."""
    missing = [(0, side - count) for count in values.shape[:2]]
    return np.pad(values, [*missing, *[(0, 0)] * (values.ndim - 2)], mode="edge")


def _range(landscape: Landscape, layer: str) -> Range:
    """Lowest and highest value; a meter apart at least."""
    if layer.startswith(MASK):
        return 0.0, 1.0
    tiles = [landscape.tile_array(layer, tile) for tile in landscape.tiles()]
    low = min(float(tile.min()) for tile in tiles)
    high = max(float(tile.max()) for tile in tiles)
    return low, max(high, low + 1.0)
