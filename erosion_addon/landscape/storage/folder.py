# SPDX-License-Identifier: GPL-3.0-or-later
"""Folder of a landscape: tiles as .npy files, read in windows of any size, written atomically."""

import math
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...base.arrays import Array
from ...base.atomic_files import move_over, remove_leftovers, sha256
from ...base.errors import InputError, unreadable, unwritable
from ...base.lock import locked
from ...base.regular_files import kind_of
from ...terrain.fields import ANALYZED, FIELDS
from ...terrain.terrain import HIGHEST
from .arrays import LARGEST, part_of, refuse_link, refuse_links, require_sound, write_arrays
from .manifest import MASK, NAME, START, Manifest

_HEADER = 1 << 16
"""Bytes of the longest header of a .npy file."""

CHANGES = "changes"
"""Folder of tiles on their way to their places; they count once the new manifest lies beside
them.
"""

PARTS = (START[:-1], MASK[:-1], CHANGES, "pyramid", "work", "analysis", *FIELDS)
"""Folders of a landscape in its own."""


@dataclass(frozen=True)
class Window:
    """Cells of a landscape: first row, end of rows, first column, end of columns."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, cols)."""
        return self.bottom - self.top, self.right - self.left

    def meet(self, window: "Window") -> "Window | None":
        """Cells of both; None if there are none."""
        top = max(self.top, window.top)
        bottom = min(self.bottom, window.bottom)
        left = max(self.left, window.left)
        right = min(self.right, window.right)
        return Window(top, bottom, left, right) if top < bottom and left < right else None

    def within(self, outer: "Window") -> tuple[slice, slice]:
        """Slices of this window in an array of `outer`."""
        rows = slice(self.top - outer.top, self.bottom - outer.top)
        return rows, slice(self.left - outer.left, self.right - outer.left)


@dataclass(frozen=True)
class Tile:
    """A tile by its numbers along columns and rows, from 0."""

    x: int
    y: int

    @property
    def name(self) -> str:
        """Name in files and the manifest."""
        return f"x{self.x}_y{self.y}"


class Landscape:
    """Tiles of a landscape in its folder."""

    def __init__(self, folder: Path, manifest: Manifest | None = None) -> None:
        """manifest: default: the folder's own, once changes that a process has left there have
        taken their places.

        InputError for a folder without one.
        """
        self.folder = folder
        if manifest is None and are_left(folder):
            with changing(folder):
                pass
        self.manifest = manifest or Manifest.load(folder)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, cols)."""
        return self.manifest.rows, self.manifest.cols

    @property
    def whole(self) -> Window:
        """All cells."""
        return Window(0, self.manifest.rows, 0, self.manifest.cols)

    @property
    def counts(self) -> tuple[int, int]:
        """Number of tiles along rows and along columns."""
        rows, cols = (-(-side // self.manifest.tile) for side in self.shape)
        return rows, cols

    def tiles(self) -> list[Tile]:
        """All tiles, row by row."""
        rows, cols = self.counts
        return [Tile(x, y) for y in range(rows) for x in range(cols)]

    def window(self, tile: Tile) -> Window:
        """Cells of a tile. Tiles differ by a cell at most."""
        rows, cols = self.shape
        along, across = self.counts
        return Window(
            tile.y * rows // along,
            (tile.y + 1) * rows // along,
            tile.x * cols // across,
            (tile.x + 1) * cols // across,
        )

    def path(self, layer: str, tile: Tile) -> Path:
        """File of a tile of a layer."""
        return self.folder / layer / f"{tile.name}.npy"

    def has(self, layer: str) -> bool:
        """Whether the manifest has a layer."""
        return layer in self.manifest.layers

    def tile_array(self, layer: str, tile: Tile, part: tuple[slice, slice] | None = None) -> Array:
        """A tile's values or a part of them, mapped from its file; InputError for one that the
        manifest does not name, that is missing, or that has another size, kind or range of numbers.
        """
        path = self.path(layer, tile)
        if tile.name not in self.manifest.layers.get(layer, {}):
            raise InputError(
                f"{path} is missing in the manifest; make or erode the landscape again."
            )
        return part_of(path, (*self.window(tile).shape, *components(layer)), part, *bounds(layer))

    def read(self, layer: str, window: Window) -> Array:
        """Values of a window, over any number of tiles; float64 heights, thicknesses and masks."""
        exact = layer.startswith(MASK) or FIELDS[layer.removeprefix(START)].unit == "m"
        values = np.empty((*window.shape, *components(layer)), np.float64 if exact else np.float32)
        for tile in self.tiles():
            area = self.window(tile)
            if part := area.meet(window):
                values[part.within(window)] = self.tile_array(layer, tile, part.within(area))
        return values

    def write(self, layer: str, tile: Tile, values: Array) -> str:
        """Write a tile as float32; returns the SHA-256 of its file. InputError for numbers out of
        range.
        """
        require_sound(values, self.path(layer, tile), *bounds(layer))
        return write_arrays(self.folder, layer, {tile.name: np.asarray(values, np.float32)})[
            tile.name
        ]

    def faults(self, layers: Collection[str] | None = None) -> dict[str, list[str]]:
        """Damaged and missing tiles: layer → sentences. layers: default: all."""
        faults: dict[str, list[str]] = {}
        names = {tile.name for tile in self.tiles()}
        for layer, hashes in self.manifest.layers.items():
            if layers is not None and layer not in layers:
                continue
            if hashes.keys() != names:
                faults.setdefault(layer, []).append(
                    f"{layer}: the manifest does not name all its tiles"
                )
            for tile in self.tiles():
                path = self.path(layer, tile)
                if not path.is_file():
                    faults.setdefault(layer, []).append(f"{path} is missing")
                elif path.stat().st_size > self._most_bytes(layer, tile) or _sha256(
                    path
                ) != hashes.get(tile.name):
                    faults.setdefault(layer, []).append(f"{path} is damaged")
        return faults

    def _most_bytes(self, layer: str, tile: Tile) -> int:
        """Size of a tile's file with the longest header; a larger one need not be read."""
        return _HEADER + 8 * math.prod((*self.window(tile).shape, *components(layer)))


def bounds(layer: str) -> tuple[float, float]:
    """Least and greatest value of a layer."""
    if layer.startswith(MASK):
        return 0.0, 1.0
    return (-LARGEST, LARGEST) if layer in ("flow", *ANALYZED) else (-HIGHEST, HIGHEST)


def components(layer: str) -> tuple[int, ...]:
    """Axis of the values in a cell, if there are several."""
    count = 1 if layer.startswith(MASK) else FIELDS[layer.removeprefix(START)].components
    return () if count == 1 else (count,)


def _sha256(path: Path) -> str:
    try:
        return sha256(path)
    except OSError as error:
        raise unreadable(path, error) from None


def sweep(folder: Path) -> None:
    """Remove unfinished files of killed processes from a landscape in no other use."""
    remove_leftovers(folder)
    # Other folders are the user's: a landscape may be made in his home.
    for part in PARTS:
        # which passes over links, and over what vanishes meanwhile
        for place, _, _ in os.walk(folder / part):
            remove_leftovers(Path(place))


@contextmanager
def changing(folder: Path) -> Iterator[None]:
    """Context of the one command that changes a landscape, see `base.lock.locked`; first completes
    or removes the unfinished change of another.
    """
    with locked(folder):
        take_places(folder)
        yield


def change(
    landscape: Landscape,
    tiles: Iterable[tuple[str, Tile, Array]],
    renewed: Callable[[dict[str, dict[str, str]]], Manifest],
) -> Manifest:
    """Write tiles and the manifest, which is returned: all or none, also where the process is
    killed.

    tiles: layer, tile and values. renewed: the manifest by the hashes written. Call it within
    `changing`. Completely written files are moved into place by `take_places`, or when the
    landscape is next opened.
    """
    folder = landscape.folder / CHANGES
    hashes = dict[str, dict[str, str]]()
    try:
        for layer, tile, values in tiles:
            refuse_links(landscape.folder, landscape.path(layer, tile))
            values = np.asarray(values, np.float32)
            written = write_arrays(landscape.folder, f"{CHANGES}/{layer}", {tile.name: values})
            hashes.setdefault(layer, {}).update(written)
        manifest = renewed(hashes)
        manifest.save(folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return manifest


def are_left(folder: Path) -> bool:
    """Whether changes are complete, but not all in their places."""
    return (folder / CHANGES / NAME).exists()


def take_places(folder: Path) -> None:
    """Move complete changes to their places, the manifest last; remove incomplete ones."""
    changes = folder / CHANGES
    refuse_link(changes)
    if are_left(folder):
        manifest = Manifest.load(changes)
        files = [(path, path.relative_to(changes)) for path in sorted(changes.rglob("*.npy"))]
        for path, place in [*files, (changes / NAME, Path(NAME))]:
            refuse_links(folder, path)
            refuse_links(folder, folder / place)
        for path, place in files:
            listed = manifest.layers.get(place.parent.as_posix(), {}).get(place.stem)
            if listed is None or kind_of(path) or listed != _sha256(path):
                raise InputError(
                    f"{path} is damaged; remove {changes} to give up what was being written back."
                )
        try:
            for path, place in [*files, (changes / NAME, Path(NAME))]:
                move_over(path, folder / place)
        except OSError as error:
            raise unwritable(folder / place, error) from None
    shutil.rmtree(changes, ignore_errors=True)
