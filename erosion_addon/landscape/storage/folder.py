# SPDX-License-Identifier: GPL-3.0-or-later
"""Folder of a landscape: tiles as .npy files, read in windows of any size, written atomically."""

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...base.arrays import Array
from ...base.atomic_files import Outputs, move_over, remove_leftovers, sha256
from ...base.errors import InputError
from ...base.lock import locked
from ...base.regular_files import require_regular
from ...terrain.fields import FIELDS
from .manifest import MASK, NAME, START, Manifest

CHANGES = "changes"
"""Folder of tiles on their way to their places; they count once the new manifest lies beside them."""


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

    def meet(self, other: "Window") -> "Window | None":
        """Cells of both; None if there are none."""
        top, bottom = max(self.top, other.top), min(self.bottom, other.bottom)
        left, right = max(self.left, other.left), min(self.right, other.right)
        return Window(top, bottom, left, right) if top < bottom and left < right else None

    def within(self, whole: "Window") -> tuple[slice, slice]:
        """Slices of this window in an array of `whole`."""
        rows = slice(self.top - whole.top, self.bottom - whole.top)
        return rows, slice(self.left - whole.left, self.right - whole.left)


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
        """manifest: default: the folder's own, once changes that a process has left there have taken their places.

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
        (rows, cols), (along, across) = self.shape, self.counts
        return Window(
            tile.y * rows // along, (tile.y + 1) * rows // along, tile.x * cols // across, (tile.x + 1) * cols // across
        )

    def path(self, layer: str, tile: Tile) -> Path:
        """File of a tile of a layer."""
        return self.folder / layer / f"{tile.name}.npy"

    def has(self, layer: str) -> bool:
        """Whether the manifest has a layer."""
        return layer in self.manifest.layers

    def tile_array(self, layer: str, tile: Tile) -> Array:
        """A tile's values, mapped from its file; InputError if it is missing or has another size or type."""
        return mapped(self.path(layer, tile), (*self.window(tile).shape, *components(layer)))

    def read(self, layer: str, window: Window) -> Array:
        """Values of a window, over any number of tiles; float64 heights, thicknesses and masks."""
        exact = layer.startswith(MASK) or FIELDS[layer.removeprefix(START)].unit == "m"
        found = np.empty((*window.shape, *components(layer)), np.float64 if exact else np.float32)
        for tile in self.tiles():
            there = self.window(tile)
            if part := there.meet(window):
                found[part.within(window)] = self.tile_array(layer, tile)[part.within(there)]
        return found

    def write(self, layer: str, tile: Tile, values: Array) -> str:
        """Write a tile as float32; returns the SHA-256 of its file."""
        return write_arrays(self.folder / layer, {tile.name: np.asarray(values, np.float32)})[tile.name]

    def faults(self, layers: Collection[str] | None = None) -> dict[str, list[str]]:
        """Damaged and missing tiles: layer → sentences. layers: default: all."""
        found: dict[str, list[str]] = {}
        names = {tile.name for tile in self.tiles()}
        for layer, hashes in self.manifest.layers.items():
            if layers is not None and layer not in layers:
                continue
            if hashes.keys() != names:
                found.setdefault(layer, []).append(f"{layer}: the manifest does not name all its tiles")
            for tile in self.tiles():
                path = self.path(layer, tile)
                if not path.is_file():
                    found.setdefault(layer, []).append(f"{path} is missing")
                elif _sha256(path) != hashes.get(tile.name):
                    found.setdefault(layer, []).append(f"{path} is damaged")
        return found


def components(layer: str) -> tuple[int, ...]:
    """Axis of the values in a cell, if there are several."""
    count = 1 if layer.startswith(MASK) else FIELDS[layer.removeprefix(START)].components
    return () if count == 1 else (count,)


def _sha256(path: Path) -> str:
    try:
        return sha256(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None


def mapped(path: Path, shape: tuple[int, ...]) -> Array:
    """Array of a .npy file, mapped from the disk; InputError unless it has this shape and holds numbers."""
    try:
        require_regular(path)
        array: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise InputError(f"{path} is missing; make or erode the landscape again.") from None
    except (OSError, ValueError, EOFError):  # InputError among them
        raise InputError(f"{path} is damaged; make or erode the landscape again.") from None
    if array.shape != shape or array.dtype not in (np.dtype("<f4"), np.dtype("<f8")):
        raise InputError(f"{path} is not a tile of this landscape; make or erode the landscape again.")
    return array


def save(path: Path, array: Array) -> None:
    """Write an array as a .npy file. `numpy.save` says how many bytes were written, not that the disk is full."""
    values = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    with path.open("wb") as stream:
        header = np.lib.format.header_data_from_array_1_0(values)  # type: ignore[no-untyped-call]
        np.lib.format.write_array_header_1_0(stream, header)  # type: ignore[no-untyped-call]
        stream.write(values.tobytes())


def refuse_link(path: Path) -> None:
    """InputError for a symbolic link: in a folder from somebody else it may lead to any file of the user's."""
    if path.is_symlink():
        raise InputError(f"{path} is a link to another file; remove it.")


def write_arrays(folder: Path, arrays: Mapping[str, Array]) -> dict[str, str]:
    """Write arrays as NAME.npy into a folder, all or none; returns the SHA-256 of each file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error}.") from None
    with Outputs() as outputs:
        for name, array in arrays.items():
            refuse_link(folder / f"{name}.npy")
            target = outputs.plan(folder / f"{name}.npy", (".npy",))
            with outputs.write(target) as path:
                save(path, array)
        digests = {Path(path).stem: digest for path, digest in outputs.digests().items()}
        outputs.publish(goes_on=True)
    return digests


def arrays_in(folder: Path) -> list[Path]:
    """Files of `write_arrays` in a folder. One that a killed process has left half-written is none."""
    return [path for path in sorted(folder.glob("*.npy")) if not path.name.startswith(".")]


def sweep(folder: Path) -> None:
    """Remove what killed processes have left half-written in a landscape on which no other one works."""
    for place in (folder, *(path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink())):
        remove_leftovers(place)


@contextmanager
def changing(folder: Path) -> Iterator[None]:
    """Context of the one command that changes a landscape, see `base.lock.locked`; first ends what another has left."""
    with locked(folder):
        take_places(folder)
        yield


def change(
    landscape: Landscape,
    tiles: Iterable[tuple[str, Tile, Array]],
    renewed: Callable[[dict[str, dict[str, str]]], Manifest],
) -> Manifest:
    """Write tiles and the manifest, which is returned: all or none, also where the process is killed.

    tiles: layer, tile and values. renewed: the manifest by the hashes written. Call it within `changing`. What has been
    written completely takes its places with `take_places`, or when the landscape is opened next.
    """
    folder, hashes = landscape.folder / CHANGES, dict[str, dict[str, str]]()
    try:
        for layer, tile, values in tiles:
            refuse_link(landscape.path(layer, tile))
            written = write_arrays(folder / layer, {tile.name: np.asarray(values, np.float32)})
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
        for path, place in files:
            for part in (place, *place.parents[:-1]):
                refuse_link(changes / part)
                refuse_link(folder / part)
            if manifest.layers.get(place.parent.as_posix(), {}).get(place.stem) != _sha256(path):
                raise InputError(f"{path} is damaged; remove {changes} to give up what was being written back.")
        try:
            for path, place in [*files, (changes / NAME, Path(NAME))]:
                move_over(path, folder / place)
        except OSError as error:
            raise InputError(f"{folder / place} cannot be written: {error.strerror or error}.") from None
    shutil.rmtree(changes, ignore_errors=True)
