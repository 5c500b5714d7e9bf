# SPDX-License-Identifier: GPL-3.0-or-later
"""Start terrain of a landscape: generated in windows, or from a heightmap of any size."""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError, unreadable, unwritable
from ..base.kernels.elementary import power
from ..files.formats import RAW_SUFFIXES
from ..files.heightmap import opened, resolved_form
from ..files.image_files import ImageFiles
from ..files.rasters.raster import Cells, Raster
from ..files.reading.numbers import Windows
from ..files.reading.parts import cut
from ..files.reading.record import Doubt, Reading, Record
from ..generators import registry
from ..generators.noise import random_numbers
from ..terrain.terrain import HIGHEST
from .storage.folder import Landscape, Window, changing, sweep
from .storage.manifest import MASK, NAME, START, Manifest
from .storage.pyramid import store
from .storage.spread import clamped, spread

LARGEST_WHOLE = 2048
"""Cells along the longer side that a generator makes at once; finer detail is added tile by
tile.
"""

ROUGHNESS = 0.9
"""Hurst exponent of that detail: each octave is 2^-0.9 times as high as the one before."""

_DETAIL = 17
"""First stream of its random numbers."""

Start = Callable[[Window], Mapping[str, Array]]
"""Window → heights, and the thickness of loose material if there is any; m."""

OnProgress = Callable[[float], object]

Read = Callable[[Window], Array]
"""Window → values."""


def generated(
    kind: str,
    shape: tuple[int, int],
    cell_size: float,
    seed: int,
    values: Mapping[str, Any],
    image_files: ImageFiles | None,
) -> Start:
    """Start terrain of a generator, see `generators.registry.make`; above `LARGEST_WHOLE` cells
    with finer detail.

    Octaves of noise add the finer detail, with the height of the finest generated octave.
    """
    factor = -(-max(shape) // LARGEST_WHOLE)
    rows, cols = (max(-(-side // factor), 3) for side in shape)
    base = registry.make(kind, rows, cols, cell_size * factor, seed, values, image_files)
    layers = {"elevation": base.elevation, **base.fields}
    rough = _roughness(base.elevation)

    def start(window: Window) -> dict[str, Array]:
        start = {name: spread(clamped(layer), factor, window) for name, layer in layers.items()}
        height = rough
        finer = factor
        octave = 0
        while finer > 1:
            finer = finer // 2
            height = height * float(power(0.5, ROUGHNESS))
            octave = octave + 1
            start["elevation"] += height * spread(_white(seed, octave), finer, window)
        return start

    return start


def from_windows(read: Callable[[int, int, int, int], Array]) -> Start:
    """Start terrain from a reader of windows, see `files.heightmap.heightmap_windows`."""
    return lambda window: {"elevation": read(window.top, window.bottom, window.left, window.right)}


def tile_files(pattern: Path) -> list[list[Path]]:
    """Files of tiles as other programs write them, row by row, by the numbers in their names.

    pattern: a path with {x} and {y} in its name for the numbers of a tile, which may begin
    anywhere. InputError if no file is there, or some are missing.
    """
    parts = re.split(r"(\{[xy]\})", pattern.name)
    if sorted(parts[1::2]) != ["{x}", "{y}"]:
        raise InputError(
            f"{pattern} names no tiles; a pattern such as land_x{{x}}_y{{y}}.r16 has {{x}} and "
            "{y} once."
        )
    words = "".join(
        rf"(?P<{part[1]}>\d+)" if part in ("{x}", "{y}") else re.escape(part) for part in parts
    )
    files = {}
    try:
        for path in pattern.parent.iterdir():
            if match := re.fullmatch(words, path.name):
                files[int(match["y"]), int(match["x"])] = path
    except OSError as error:
        raise unreadable(pattern.parent, error) from None
    if not files:
        raise InputError(f"No file matches {pattern}; check the pattern.")
    rows, cols = (sorted({number[axis] for number in files}) for axis in (0, 1))
    for y in range(rows[0], rows[-1] + 1):
        for x in range(cols[0], cols[-1] + 1):
            if (y, x) not in files:
                name = "".join({"{x}": str(x), "{y}": str(y)}.get(part, part) for part in parts)
                raise InputError(
                    f"{pattern.with_name(name)} is missing; tiles must fill a rectangle."
                )
    return [[files[y, x] for x in cols] for y in rows]


def tile_numbers(
    pattern: Path, files: list[list[Path]], image_files: ImageFiles, options: Reading, shared: bool
) -> tuple[Raster, Record]:
    """Numbers of tiles side by side, and their record before any number is read; see `joined`."""
    complete = replace(options, window=None, every=1)
    doubts: tuple[Doubt, ...] = ()
    if pattern.suffix.lower() in RAW_SUFFIXES:  # all in the same form
        complete, doubts = resolved_form([path for row in files for path in row], complete)
    shape, read = joined(
        files, lambda path: _shape_and_numbers(*opened(path, image_files, complete)), shared
    )
    # whose first pixel is the first of all
    numbers, record = opened(files[-1][0], image_files, complete)
    place = record.georeference.part((0, 0), (1, 1), shape) if record.georeference else None
    doubts += record.doubts
    record = replace(
        record, name=str(pattern), shape=shape, file_shape=shape, georeference=place, doubts=doubts
    )
    return cut(numbers._replace(read=read), record, options)


def _shape_and_numbers(numbers: Raster, record: Record) -> tuple[tuple[int, int], Windows]:
    return record.shape, numbers.read


def joined(
    files: list[list[Path]], opened: Callable[[Path], tuple[tuple[int, int], Windows]], shared: bool
) -> tuple[tuple[int, int], Windows]:
    """(rows, cols) of tiles side by side, and a reader of windows of their numbers.

    files: those of the smallest y first. opened: (rows, cols) of a file, and a reader of its
    windows. shared: whether neighbors have the points on their border in common. InputError for
    tiles that do not fit together.
    """
    opened = lru_cache(maxsize=4)(opened)
    least = int(shared)
    heights = [opened(row[0])[0][0] for row in files]
    widths = [opened(path)[0][1] for path in files[0]]
    tops, lefts = ([0, *accumulate(side - least for side in sides)] for sides in (heights, widths))

    def read(top: int, bottom: int, left: int, right: int) -> Cells:
        window = Window(top, bottom, left, right)
        joint = np.empty(window.shape)
        valid = np.ones(window.shape, np.bool_)
        for y in range(bisect_right(tops[:-1], top) - 1, len(files)):
            for x in range(bisect_right(lefts[:-1], left) - 1, len(files[0])):
                area = Window(tops[y], tops[y] + heights[y], lefts[x], lefts[x] + widths[x])
                if part := area.meet(window):
                    shape, tile = opened(files[y][x])
                    if shape != area.shape:
                        raise InputError(
                            f"{files[y][x]} has {shape[0]} × {shape[1]} cells, and its neighbors "
                            f"leave room for {heights[y]} × {widths[x]}."
                        )
                    rows, cols = part.within(area)
                    place = part.within(window)
                    joint[place], data = tile(rows.start, rows.stop, cols.start, cols.stop)
                    valid[place] = True if data is None else data
        return joint, valid

    return (tops[-1] + least, lefts[-1] + least), read


def make(
    folder: Path,
    manifest: Manifest,
    start: Start,
    on_progress: OnProgress = lambda fraction: None,
    masks: Mapping[str, Read] | None = None,
) -> Landscape:
    """Write the start tiles of a landscape, its pyramid, and its manifest last.

    masks: kind, one of `manifest.MASKS` → its values in a window, from 0 to 1. InputError for a
    folder that holds a landscape already, for heights that are not finite, and for masks that are
    not from 0 to 1.
    """
    if (folder / NAME).exists():
        raise InputError(f"{folder} holds a landscape already; choose another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from None
    with changing(folder):
        landscape = Landscape(folder, manifest)
        layers: dict[str, dict[str, str]] = {}
        tiles = landscape.tiles()
        for number, tile in enumerate(tiles, 1):
            for name, values in start(landscape.window(tile)).items():
                if not np.abs(values).max() <= HIGHEST:
                    raise InputError(
                        f"Tile {tile.name} has heights that are not numbers or over {HIGHEST:g} m."
                    )
                layers.setdefault(START + name, {})[tile.name] = landscape.write(
                    START + name, tile, values
                )
            for name, read in (masks or {}).items():
                values = read(landscape.window(tile))
                if not (values.min() >= 0.0 and values.max() <= 1.0):
                    raise InputError(
                        f"The mask {name} has values outside 0 to 1, or that are not numbers, in "
                        f"tile {tile.name}."
                    )
                layers.setdefault(MASK + name, {})[tile.name] = landscape.write(
                    MASK + name, tile, values
                )
            on_progress(number / len(tiles))
        landscape = Landscape(folder, manifest.with_layers(layers))
        sweep(folder)
        store(landscape)
        landscape.manifest.save(folder)
    return landscape


def _roughness(elevation: Array) -> float:
    """Height (m, root mean square) of the finest octave: the difference of neighbors from their
    mean.
    """
    rows, cols = (side // 2 * 2 for side in elevation.shape)
    blocks = elevation[:rows, :cols].reshape(rows // 2, 2, cols // 2, 2)
    rest = blocks - blocks.mean(axis=(1, 3), keepdims=True)
    # A slope differs between neighbors too; a bend leaves their plane.
    bend = (rest[:, 0, :, 0] - rest[:, 0, :, 1] - rest[:, 1, :, 0] + rest[:, 1, :, 1]) / 2
    return float(np.sqrt(np.mean(bend * bend)))


def _white(seed: int, octave: int) -> Callable[[Array, Array], Array]:
    return lambda rows, cols: random_numbers(seed, _DETAIL + octave, rows, cols)
