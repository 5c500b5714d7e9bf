# SPDX-License-Identifier: GPL-3.0-or-later
"""Landscape as heightmap files for other programs, and as a picture."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..base.arrays import Array
from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..files.formats import SUFFIXES
from ..files.game_engines import ANY, ENGINES
from ..files.heightmap import Range, encode_heightmap
from ..files.image_files import ImageFiles
from ..files.side_file import is_side_file
from ..files.side_writing import Sheet, SideFile
from ..light.relief import COVERS, shaded_relief
from ..terrain.fields import FIELDS
from ..terrain.terrain import Terrain
from .storage.folder import Landscape, Window, components
from .storage.manifest import MASK, START
from .storage.pyramid import level

OnProgress = Callable[[float], object]


def export(
    landscape: Landscape,
    path: Path,
    image_files: ImageFiles,
    layer: str = "elevation",
    side: int = 0,
    engine: str = "",
    height_range: Range | None = None,
    names: str = "",
    bottom_first: bool = False,
    on_progress: OnProgress = lambda fraction: None,
) -> tuple[list[Path], Range]:
    """Write a layer as square files of `side` points that share those on their borders; returns them and the meters of
    black and white. TIFFs have the landscape's georeference, each with the origin of its own points.

    side: 0 for the tile's own. Beyond the far edges the last point is repeated. engine: see `game_engines.ENGINES`.
    height_range: default: of the whole layer, 0 to 1 for masks. names: pattern of the files' names, with {x} and {y}
    for the numbers of tiles and {name} for that of `path`; default: the engine's. bottom_first: whether y grows upward,
    as for Unity in any case. Files are written one by one; each is complete or not there. A side file with
    the scale comes last, see `side_writing`.
    """
    layer = _of_one_value(landscape, layer)
    habits = ENGINES[engine] if engine else ANY
    pattern = names or habits.tile
    _filled_in(pattern, path.stem, 0, 0)
    side = side or (habits.nearest(landscape.manifest.tile) if habits.sizes else landscape.manifest.tile + 1)
    if side < 2:
        raise InputError(f"A file needs at least 2 points a side, not {side}.")
    span, place = height_range or _range(landscape, layer), landscape.manifest.georeference
    rows, cols = (max(1, -(-(count - 1) // (side - 1))) for count in landscape.shape)
    paths: list[Path] = []
    with Outputs() as beside:
        scale = _side_file(beside, path)
        for y in range(rows):
            for x in range(cols):
                number = y if bottom_first or habits.bottom_first else rows - 1 - y
                file = path.with_name(_filled_in(pattern, path.stem, x, number) + path.suffix)
                points = _points(landscape, layer, y * (side - 1), x * (side - 1), side)
                first = (landscape.shape[0] - 1 - (y + 1) * (side - 1), x * (side - 1))
                down, across = points.shape
                there = place.part(first, (1, 1), (down, across)) if place else None
                with Outputs() as outputs:
                    target = outputs.plan(file, SUFFIXES)
                    with outputs.write(target) as temporary:
                        encode_heightmap(temporary, points, image_files, span, "f4", landscape.manifest.spacing, there)
                    paths += outputs.publish(goes_on=True)
                on_progress(len(paths) / (rows * cols))
        if scale is not None:
            unit = "0-1" if layer.startswith(MASK) else FIELDS[layer.removeprefix(START)].unit
            upward = bottom_first or habits.bottom_first
            along = [paths[first : first + cols] for first in range(0, len(paths), cols)][:: 1 if upward else -1]
            files = [file.name for row in along for file in row]
            sheet = Sheet("" if unit == "m" else layer.rpartition("/")[2], unit, files, span)
            scale.write([sheet], (side, side), landscape.manifest.spacing, False, (rows, cols), upward)
            paths += beside.publish()
    return paths, span


def _side_file(outputs: Outputs, path: Path) -> SideFile | None:
    """Planned side file of an export, see `side_writing`; None for .npy files, and where another file has its name."""
    side = path.with_suffix(".json")
    if path.suffix.lower() == ".npy" or (side.exists() and not is_side_file(side)):
        return None
    return SideFile(outputs, path)


def picture(landscape: Landscape, side: int, layer: str = "elevation") -> Array:
    """Shaded relief of the whole landscape, (rows, cols, 3), with at most `side` points along the longer side.

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
    """Layer or mask of this name, at the start if nothing has been eroded; InputError if there is none."""
    for layer in (name, START + name, MASK + name):
        if landscape.has(layer):
            return layer
    raise InputError(f"There is no layer {name!r:.60}; choose one of {', '.join(landscape.manifest.layers)}.")


def _of_one_value(landscape: Landscape, name: str) -> str:
    layer = layer_of(landscape, name)
    if components(layer):
        raise InputError(f"{layer} has several values in a cell; only layers of one value can be exported or shown.")
    return layer


def _filled_in(pattern: str, name: str, x: int, y: int) -> str:
    """Name of a tile's file; InputError for a pattern that gives two tiles one name."""
    try:
        found = [pattern.format(name=name, x=at, y=along) for at, along in ((x, y), (x + 1, y), (x, y + 1))]
    except (KeyError, ValueError, IndexError, AttributeError):
        found = [""]
    if len(set(found)) < 3 or not all(each and Path(each).name == each for each in found):
        raise InputError(f"{pattern!r:.80} names no tiles; a pattern such as {{name}}_y{{y}}_x{{x}} does.")
    return found[0]


def _gray(values: Array, layer: str) -> Array:
    """Values from 0, black, to 1, white: unchanged if their unit is 0-1, else from the least to the greatest."""
    if layer.startswith(MASK) or FIELDS[layer.removeprefix(START)].unit == "0-1":
        return np.asarray(values, np.float32)
    low, high = float(values.min()), float(values.max())
    return np.asarray((values - low) / ((high - low) or 1.0), np.float32)


def _points(landscape: Landscape, layer: str, top: int, left: int, side: int) -> Array:
    rows, cols = landscape.shape
    window = Window(top, min(top + side, rows), left, min(left + side, cols))
    missing = [(0, side - count) for count in window.shape]
    return np.pad(landscape.read(layer, window), missing, mode="edge")


def _range(landscape: Landscape, layer: str) -> Range:
    """Lowest and highest value; a meter apart at least."""
    if layer.startswith(MASK):
        return 0.0, 1.0
    tiles = [landscape.tile_array(layer, tile) for tile in landscape.tiles()]
    low, high = min(float(tile.min()) for tile in tiles), max(float(tile.max()) for tile in tiles)
    return low, max(high, low + 1.0)
