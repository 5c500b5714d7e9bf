# SPDX-License-Identifier: GPL-3.0-or-later
"""Pyramid of a landscape: layers on ever coarser cells, kept beside the tiles, for previews that
read no tile.

A level is named by a hash of the tiles that it is of. One of other tiles is not found, and made
anew from the tiles.
"""

import hashlib
import json
import math
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError
from .arrays import part_of, refuse_link, refuse_links, write_arrays
from .folder import Landscape, Window, bounds
from .manifest import START

FOLDER = "pyramid"

LAYERS = ("elevation", "sediment")
"""Layers with a pyramid."""

SIDES = (64, 8192)
"""Cells along the longer side of the coarsest and the finest level, at least and at most."""

_PEAK = 16
"""Bytes for a cell of the finest level while it is made: its means, their sums over rows, and its
file twice.
"""

_BAND = 1 << 23
"""Cells that are read at once."""


def level(landscape: Landscape, layer: str, factor: int) -> Array:
    """Means of a layer over cells of `factor` × `factor`, fewer at the far edges: the stored level,
    else from tiles.
    """
    path = _path(landscape, layer, factor)
    if factor > 1 and path.is_file():
        with suppress(InputError):  # damaged, or of an unknown writer
            refuse_links(landscape.folder, path)
            return np.array(
                part_of(path, _shape(landscape, factor), None, *bounds(layer)), np.float64
            )
    return _means(landscape, layer, factor, landscape.whole)


def store(
    landscape: Landscape, before: Landscape | None = None, window: Window | None = None
) -> None:
    """Write the pyramid of a landscape. before: its state before the cells of `window` changed, if
    only they did.

    A disk without room for it leaves the landscape without: previews then read the tiles.
    """
    with suppress(InputError):
        entries = [_stored(landscape, name, before, window) for name in _layers(landscape)]
        refuse_link(landscape.folder / FOLDER)
        for path in (landscape.folder / FOLDER).glob("*"):
            if path.name not in entries:
                shutil.rmtree(path, ignore_errors=True)


def bytes_needed(landscape: Landscape) -> int:
    """Peak memory while the pyramid is made."""
    finest = factors(landscape)[:1]
    return _PEAK * math.prod(_shape(landscape, finest[0])) if finest else 0


def factors(landscape: Landscape) -> list[int]:
    """Cells along a cell of each level, the finest first: powers of 2."""
    longer = max(landscape.shape)
    numbers = list[int]()
    factor = 2
    while longer >= factor * SIDES[0]:
        if longer <= factor * SIDES[1]:
            numbers.append(factor)
        factor *= 2
    return numbers


def _stored(
    landscape: Landscape, layer: str, before: Landscape | None, window: Window | None
) -> str:
    """Write the levels of a layer; returns the name of their folder."""
    folder = _path(landscape, layer, 1).parent
    scales = factors(landscape)
    if not scales or all(_path(landscape, layer, factor).is_file() for factor in scales):
        return folder.name
    finest = scales[0]
    if before and window and _path(before, layer, finest).is_file():
        values = level(before, layer, finest)
        values[_on(window, finest).within(_on(landscape.whole, finest))] = _means(
            landscape, layer, finest, window
        )
    else:
        values = _means(landscape, layer, finest, landscape.whole)
    levels = {}
    factor = finest
    counts = [_counts(0, side, finest) for side in landscape.shape]
    while True:
        levels[f"x{factor}"] = values.astype(np.float32)
        if factor == scales[-1]:
            break
        values *= counts[0][:, None]
        values *= counts[1]
        counts = [np.add.reduceat(sides, np.arange(0, len(sides), 2)) for sides in counts]
        values = _sums(values, 2, 2)
        values /= counts[0][:, None] * counts[1]
        factor *= 2
    write_arrays(landscape.folder, f"{FOLDER}/{folder.name}", levels)
    return folder.name


def _means(landscape: Landscape, layer: str, factor: int, window: Window) -> Array:
    """Means over the coarse cells that a window meets, read in bands."""
    on = _on(window, factor)
    means = np.empty(on.shape)
    rows, cols = landscape.shape
    left = on.left * factor
    right = min(on.right * factor, cols)
    across = _counts(left, right, factor)
    step = max(1, _BAND // (right - left) // factor)
    for first in range(on.top, on.bottom, step):
        last = min(first + step, on.bottom)
        top = first * factor
        bottom = min(last * factor, rows)
        band = landscape.read(layer, Window(top, bottom, left, right)).astype(
            np.float64, copy=False
        )
        along = _counts(top, bottom, factor)
        means[first - on.top : last - on.top] = _sums(band, factor, factor) / (
            along[:, None] * across
        )
    return means


def _sums(values: Array, rows: int, cols: int) -> Array:
    """Sums over blocks, fewer cells at the far edges."""
    along = np.add.reduceat(values, np.arange(0, values.shape[0], rows), axis=0)
    return np.asarray(np.add.reduceat(along, np.arange(0, values.shape[1], cols), axis=1))


def _counts(first: int, end: int, factor: int) -> Array:
    """Number of cells in each block."""
    starts = np.arange(first, end, factor)
    return np.asarray(np.minimum(starts + factor, end) - starts)


def _on(window: Window, factor: int) -> Window:
    """Coarse cells that a window meets."""
    top = window.top // factor
    left = window.left // factor
    return Window(top, -(-window.bottom // factor), left, -(-window.right // factor))


def _shape(landscape: Landscape, factor: int) -> tuple[int, int]:
    return _on(landscape.whole, factor).shape


def _layers(landscape: Landscape) -> list[str]:
    start = "" if landscape.has("elevation") else START
    return [start + name for name in LAYERS if landscape.has(start + name)]


def _path(landscape: Landscape, layer: str, factor: int) -> Path:
    """File of a level, in a folder for the state of the layer's tiles."""
    tiles = landscape.manifest.layers[layer]
    state = hashlib.sha256(json.dumps(tiles, sort_keys=True).encode()).hexdigest()[:16]
    return landscape.folder / FOLDER / f"{layer.replace('/', '_')}_{state}" / f"x{factor}.npy"
