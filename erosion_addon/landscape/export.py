# SPDX-License-Identifier: GPL-3.0-or-later
"""Landscape as heightmap files for other programs, and as a picture."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..base.arrays import Array
from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..files.game_engines import ANY, ENGINES
from ..files.heightmap import SUFFIXES, Range, encode_heightmap
from ..files.image_files import ImageFiles
from ..light.relief import COVERS, shaded_relief
from ..terrain.fields import FIELDS
from ..terrain.terrain import Terrain
from .folder import Landscape, Window
from .pyramid import level

Told = Callable[[float], object]


def export(
    landscape: Landscape,
    path: Path,
    image_files: ImageFiles,
    layer: str = "elevation",
    side: int = 0,
    engine: str = "",
    height_range: Range | None = None,
    told: Told = lambda fraction: None,
) -> tuple[list[Path], Range]:
    """Write a layer as square files of `side` points that share those on their borders; returns them and the meters of
    black and white.

    side: 0 for the tile's own. Beyond the far edges the last point is repeated. engine: see `game_engines.ENGINES`.
    height_range: default: of the whole layer. Files are written one by one; each is complete or not there.
    """
    layer = layer_of(landscape, layer)
    if FIELDS[layer.removeprefix("start/")].components > 1:
        raise InputError(f"{layer} has several values in a cell; only layers of one value can be exported.")
    habits = ENGINES[engine] if engine else ANY
    side = side or (habits.nearest(landscape.manifest.tile) if habits.sizes else landscape.manifest.tile + 1)
    if side < 2:
        raise InputError(f"A file needs at least 2 points a side, not {side}.")
    span = height_range or _range(landscape, layer)
    rows, cols = (max(1, -(-(count - 1) // (side - 1))) for count in landscape.shape)
    paths = []
    for y in range(rows):
        for x in range(cols):
            number = y if habits.bottom_first else rows - 1 - y
            file = path.with_name(habits.tile.format(name=path.stem, x=x, y=number) + path.suffix)
            points = _points(landscape, layer, y * (side - 1), x * (side - 1), side)
            with Outputs() as outputs:
                target = outputs.plan(file, SUFFIXES)
                with outputs.write(target) as temporary:
                    encode_heightmap(temporary, points, image_files, span, "f4", landscape.manifest.spacing)
                paths += outputs.publish()
            told(len(paths) / (rows * cols))
    return paths, span


def picture(landscape: Landscape, side: int) -> Array:
    """Shaded relief of the whole landscape, (rows, cols, 3), with at most `side` points along the longer side."""
    factor = max(1, -(-max(landscape.shape) // side))
    names = [name for name, _, _ in COVERS if landscape.has(name)]
    fields = {name: level(landscape, name, factor) for name in names}
    elevation = level(landscape, layer_of(landscape, "elevation"), factor)
    spacing = tuple(length * factor for length in landscape.manifest.spacing)
    return shaded_relief(Terrain(elevation, (spacing[0], spacing[1]), fields))


def close_up(landscape: Landscape, window: Window) -> Array:
    """Shaded relief of a window, (rows, cols, 3), a point for each cell."""
    fields = {name: landscape.read(name, window) for name, _, _ in COVERS if landscape.has(name)}
    elevation = landscape.read(layer_of(landscape, "elevation"), window)
    return shaded_relief(Terrain(elevation, landscape.manifest.spacing, fields))


def layer_of(landscape: Landscape, name: str) -> str:
    """Layer of this name, at the start if nothing has been eroded; InputError if there is none."""
    for layer in (name, f"start/{name}"):
        if landscape.has(layer):
            return layer
    raise InputError(f"There is no layer {name!r:.60}; there are {', '.join(landscape.manifest.layers)}.")


def _points(landscape: Landscape, layer: str, top: int, left: int, side: int) -> Array:
    rows, cols = landscape.shape
    window = Window(top, min(top + side, rows), left, min(left + side, cols))
    missing = [(0, side - count) for count in window.shape]
    return np.pad(landscape.read(layer, window), missing, mode="edge")


def _range(landscape: Landscape, layer: str) -> Range:
    """Lowest and highest value; a meter apart at least."""
    tiles = [landscape.tile_array(layer, tile) for tile in landscape.tiles()]
    low, high = min(float(tile.min()) for tile in tiles), max(float(tile.max()) for tile in tiles)
    return low, max(high, low + 1.0)
