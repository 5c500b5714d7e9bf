# SPDX-License-Identifier: GPL-3.0-or-later
"""Start terrain of a landscape: generated in windows, or from a heightmap of any size."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..files.image_files import ImageFiles
from ..generators import registry
from ..generators.noise import random
from ..kernels.elementary import power
from ..terrain.terrain import HIGHEST
from .folder import Landscape, Window, changing
from .manifest import MASK, NAME, Manifest
from .pyramid import store
from .spread import clamped, spread

LARGEST_WHOLE = 2048
"""Cells along the longer side that a generator makes at once; finer detail is added tile by tile."""

ROUGHNESS = 0.9
"""Hurst exponent of that detail: each octave is 2^-0.9 times as high as the one before."""

_DETAIL = 17
"""First stream of its random numbers."""

Start = Callable[[Window], Mapping[str, Array]]
"""Window → heights, and the thickness of loose material if there is any; m."""

Told = Callable[[float], object]


def generated(
    kind: str,
    shape: tuple[int, int],
    cell_size: float,
    seed: int,
    values: Mapping[str, Any],
    image_files: ImageFiles | None,
) -> Start:
    """Start terrain of a generator, see `generators.registry.make`; above `LARGEST_WHOLE` cells with finer detail.

    The detail goes on where the generated terrain ends, by octaves of noise with the height of its finest one.
    """
    factor = -(-max(shape) // LARGEST_WHOLE)
    rows, cols = (max(-(-side // factor), 3) for side in shape)
    base = registry.make(kind, rows, cols, cell_size * factor, seed, values, image_files)
    layers = {"elevation": base.elevation, **base.fields}
    rough = _roughness(base.elevation)

    def start(window: Window) -> dict[str, Array]:
        found = {name: spread(clamped(layer), factor, window) for name, layer in layers.items()}
        height, finer, octave = rough, factor, 0
        while finer > 1:
            finer, height, octave = finer // 2, height * float(power(0.5, ROUGHNESS)), octave + 1
            found["elevation"] += height * spread(_white(seed, octave), finer, window)
        return found

    return start


def given(elevation: Array) -> Start:
    """Start terrain from heights in memory or mapped from a file, (rows, cols) m."""
    return lambda window: {
        "elevation": np.asarray(elevation[window.top : window.bottom, window.left : window.right], np.float64)
    }


def from_windows(read: Callable[[int, int, int, int], Array]) -> Start:
    """Start terrain from a reader of windows, see `files.heightmap.heightmap_windows`."""
    return lambda window: {"elevation": read(window.top, window.bottom, window.left, window.right)}


def make(
    folder: Path,
    manifest: Manifest,
    start: Start,
    told: Told = lambda fraction: None,
    masks: Mapping[str, Callable[[Window], Array]] | None = None,
) -> Landscape:
    """Write the start tiles of a landscape, and its manifest last.

    masks: kind, one of `manifest.MASKS` → its values in a window, from 0 to 1. InputError for a folder that holds a
    landscape already, for heights that are not finite, and for masks that are not from 0 to 1.
    """
    if (folder / NAME).exists():
        raise InputError(f"{folder} holds a landscape already; choose another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error}.") from None
    with changing(folder):
        landscape = Landscape(folder, manifest)
        layers: dict[str, dict[str, str]] = {}
        tiles = landscape.tiles()
        for number, tile in enumerate(tiles, 1):
            for name, values in start(landscape.window(tile)).items():
                if not np.abs(values).max() <= HIGHEST:
                    raise InputError(f"Tile {tile.name} has heights that are no numbers or over {HIGHEST:g} m.")
                layers.setdefault(f"start/{name}", {})[tile.name] = landscape.write(f"start/{name}", tile, values)
            for name, read in (masks or {}).items():
                values = read(landscape.window(tile))
                if not (values.min() >= 0.0 and values.max() <= 1.0):
                    raise InputError(f"The mask {name} has values below 0, above 1, or no numbers in tile {tile.name}.")
                layers.setdefault(MASK + name, {})[tile.name] = landscape.write(MASK + name, tile, values)
            told(number / len(tiles))
        manifest = manifest.with_layers(layers)
        manifest.save(folder)
        store(landscape := Landscape(folder, manifest))
    return landscape


def _roughness(elevation: Array) -> float:
    """Height (m, root mean square) of the finest octave: what differs between neighbors beside their mean."""
    rows, cols = (side // 2 * 2 for side in elevation.shape)
    blocks = elevation[:rows, :cols].reshape(rows // 2, 2, cols // 2, 2)
    rest = blocks - blocks.mean(axis=(1, 3), keepdims=True)
    # A slope differs between neighbors too; what bends does not lie on their plane.
    bend = (rest[:, 0, :, 0] - rest[:, 0, :, 1] - rest[:, 1, :, 0] + rest[:, 1, :, 1]) / 2
    return float(np.sqrt(np.mean(bend * bend)))


def _white(seed: int, octave: int) -> Callable[[Array, Array], Array]:
    return lambda rows, cols: random(seed, _DETAIL + octave, rows, cols)
