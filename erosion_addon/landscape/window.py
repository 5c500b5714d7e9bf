# SPDX-License-Identifier: GPL-3.0-or-later
"""Part of a landscape at full resolution, changed elsewhere and put back."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..grid.sampling import smooth_step
from ..terrain.fields import ANALYZED, RISE
from ..terrain.terrain import HIGHEST, Terrain
from .storage.folder import Landscape, Tile, Window, change, changing, take_places
from .storage.manifest import START, Manifest
from .storage.pyramid import LAYERS, level, store

SURFACE = ("elevation", "sediment", RISE)
"""Layers that determine all others, and that later tiles continue; other fields are blended."""


def since_start(start: Mapping[str, Array], current: Mapping[str, Array]) -> dict[str, Array]:
    """Wear, deposition and bedrock, (rows, cols) m.

    start, current: elevation, and sediment and rise if any.
    """
    loose = current.get("sediment", np.zeros_like(current["elevation"]))
    gained = loose - start.get("sediment", 0.0)
    lost = start["elevation"] - current["elevation"] + gained + current.get(RISE, 0.0)
    return {
        "wear": np.maximum(lost, 0.0),
        "deposition": np.maximum(gained, 0.0),
        "bedrock": current["elevation"] - loose,
    }


BLEND = 8
"""Part of a window's shorter side over which changes fade toward its border."""

COVERS = ("flow", "snow")
"""Fields of a window that are put back with its heights."""

LEAST = 32
"""Cells a side of a window."""


def overview(landscape: Landscape, side: int) -> Terrain:
    """The whole landscape with at most `side` cells along the longer side: means of blocks of 1, 2,
    4, … cells.
    """
    factor = 1
    while -(-max(landscape.shape) // factor) > side:
        factor *= 2
    layers = {name: level(landscape, layer, factor) for name, layer in _layers(landscape).items()}
    return _terrain(landscape, layers, factor)


def take(landscape: Landscape, window: Window) -> tuple[Terrain, str]:
    """Terrain of a window, and a stamp of its state for `put_back`. InputError for a window beyond
    the landscape.
    """
    _check(landscape, window)
    layers = {name: landscape.read(layer, window) for name, layer in _layers(landscape).items()}
    return _terrain(landscape, layers, 1), stamp(landscape, window)


def stamp(landscape: Landscape, window: Window) -> str:
    """Hash of the tiles that a window meets."""
    near = [tile.name for tile in landscape.tiles() if landscape.window(tile).meet(window)]
    layers = landscape.manifest.layers
    state = [[layers[layer].get(name) for name in near] for layer in _layers(landscape).values()]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()


class UnplacedError(InputError):
    """Everything was written, but is not in its places before the landscape is opened next.

    state: stamp of the window from then on.
    """

    def __init__(self, sentence: str, state: str) -> None:
        super().__init__(sentence)
        self.state = state


def put_back(
    folder: Path,
    window: Window,
    state: str,
    elevation: Array,
    sediment: Array | None = None,
    covers: Mapping[str, Array] | None = None,
) -> str:
    """Write heights (m) of a window, and loose material if it has any, into the landscape; returns
    its new stamp.

    covers: further fields by name, see `COVERS`; those that the landscape lacks are left out.

    Changes fade over an eighth of the window toward its border, which stays, but not at edges of
    the landscape. All tiles and the manifest are written, or none. Bedrock, wear and deposition
    follow; layers of an analysis are removed. InputError if the landscape is not as it was when the
    window was taken out, see `stamp`, or for heights that are not numbers; UnplacedError.
    """
    with changing(folder):
        landscape = Landscape(folder)
        _check(landscape, window)
        if stamp(landscape, window) != state:
            raise InputError(f"{folder} has changed since the window was loaded; load it again.")
        layers = _layers(landscape)
        changes = {"elevation": elevation}
        if sediment is not None and "sediment" in layers:
            changes["sediment"] = sediment
        for name, values in (covers or {}).items():
            if name in COVERS and landscape.has(name):
                layers[name] = name
                changes[name] = values
        for values in changes.values():
            if values.shape != window.shape or not np.abs(values).max() <= HIGHEST:
                raise InputError(f"The window needs {window.shape} heights up to {HIGHEST:g} m.")
        weight = _weight(landscape, window)
        after = {}
        for name, values in changes.items():
            before = landscape.read(layers[name], window)
            after[layers[name]] = before + weight * (values - before)
        after |= _following(landscape, window, after)
        changed = Landscape(folder, _write(landscape, window, after))
        state = stamp(changed, window)
        try:
            take_places(folder)
        except (InputError, OSError, MemoryError) as error:
            if isinstance(error, InputError):
                reason = str(error)
            else:
                reason = f"{folder} cannot be written to the end."
            later = "All is written, and takes its place when the landscape is opened next."
            raise UnplacedError(f"{reason} {later}", state) from error
        with suppress(MemoryError):
            store(changed, landscape, window)
        return state


def _following(landscape: Landscape, window: Window, after: dict[str, Array]) -> dict[str, Array]:
    """Layers of the landscape that follow from changed ones, where it has been eroded."""
    if "elevation" not in after:
        return {}
    start = {
        name: landscape.read(START + name, window)
        for name in SURFACE
        if landscape.has(START + name)
    }
    unchanged = {
        name: landscape.read(name, window)
        for name in SURFACE
        if name not in after and landscape.has(name)
    }
    changes = since_start(start, unchanged | after)
    return {name: values for name, values in changes.items() if landscape.has(name)}


def _write(landscape: Landscape, window: Window, after: dict[str, Array]) -> Manifest:
    def tiles() -> Iterator[tuple[str, Tile, Array]]:
        for tile in landscape.tiles():
            area = landscape.window(tile)
            if part := area.meet(window):
                for layer, values in after.items():
                    numbers = np.array(landscape.tile_array(layer, tile), np.float32)
                    numbers[part.within(area)] = values[part.within(window)]
                    yield layer, tile, numbers

    def renewed(hashes: dict[str, dict[str, str]]) -> Manifest:
        lasting = {
            layer: digests
            for layer, digests in landscape.manifest.layers.items()
            if layer not in ANALYZED
        }
        layers = {layer: {**digests, **hashes.get(layer, {})} for layer, digests in lasting.items()}
        return replace(landscape.manifest, layers=layers, analysis={})

    return change(landscape, tiles(), renewed)


def _layers(landscape: Landscape) -> dict[str, str]:
    """Layers by their names without "start/", those after erosion if there has been any."""
    start = "" if landscape.has("elevation") else START
    return {name: start + name for name in LAYERS if landscape.has(start + name)}


def _terrain(landscape: Landscape, layers: dict[str, Array], factor: int) -> Terrain:
    rows, cols = (side * factor for side in landscape.manifest.spacing)
    return Terrain(layers.pop("elevation"), (rows, cols), layers)


def _check(landscape: Landscape, window: Window) -> None:
    rows, cols = landscape.shape
    if window.meet(landscape.whole) != window:
        raise InputError(
            f"The window goes beyond the landscape of {rows} × {cols} cells; choose cells inside "
            "it."
        )
    if min(window.shape) < LEAST:
        raise InputError(f"A window has at least {LEAST} cells a side; choose a larger one.")


def _weight(landscape: Landscape, window: Window) -> Array:
    """Share (rows, cols) of a change that is kept: 0 at the window's border, 1 inside and at the
    landscape's edges.
    """
    rows, cols = landscape.shape
    margin = min(window.shape) / BLEND

    def ramp(first: int, end: int, count: int) -> Array:
        cells = np.arange(first, end)
        rise = smooth_step(cells, first, first + margin) if first > 0 else np.ones(len(cells))
        fall = smooth_step(end - 1.0 - cells, 0.0, margin) if end < count else np.ones(len(cells))
        return np.asarray(rise * fall)

    return ramp(window.top, window.bottom, rows)[:, None] * ramp(window.left, window.right, cols)
