# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifest of a landscape: its grid, its origin, its erosion, and a hash of every tile."""

import json
import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ...base.atomic_files import Outputs
from ...base.errors import InputError, unreadable
from ...base.regular_files import open_regular
from ...files.headers.georeference import Georeference
from ...recipe.recipe import EDGE_CHOICE, SEED, Recipe
from ...terrain.fields import FIELDS
from ...terrain.masks import AREAS
from ...terrain.terrain import checked_spacing
from .arrays import refuse_link

FORMAT = 1
"""Version of the file format; others are refused."""

NAME = "landscape.json"

LARGEST_SIDE = 1 << 20
"""Cells along a side; a larger number is probably a typing error."""

TILES = (64, 8192)
"""Least and most cells along a side of a tile."""

MOST_TILES = 1 << 18

HALO = 8
"""Width of the halo as a share of the tile's side."""

LARGEST_COARSE = 1 << 31
"""Most cells along the longer side of coarse cells, eroded as a whole."""

_LARGEST_FILE = 256 << 20

_LARGEST_NUMBER = 1e40
"""Bound of volumes and figures: 2^40 cells of 1000 km, and heights of 10^9 m."""

_HASH = re.compile(r"[0-9a-f]{64}")

START, MASK = "start/", "mask/"
"""Beginnings of the names of layers before erosion, and of masks."""

MASKS = ("strength", "hardness", "protect", "plot", "outlet", *AREAS)
"""Masks of landscapes. Others count by their mean over the whole land, which a tile does not
know.
"""


@dataclass(frozen=True)
class Erosion:
    """Settings of an erosion; with the start terrain they determine the result.

    recipe: its tables. coarse: cells along the longer side of the terrain that is eroded as a
    whole. halo: cells by which tiles overlap to each side.
    """

    recipe: dict[str, Any]
    seed: int
    edges: str
    coarse: int
    halo: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", SEED.checked(self.seed))
        object.__setattr__(self, "edges", EDGE_CHOICE.checked(self.edges))
        if self.edges == "wrap":
            raise InputError("The edges of a landscape cannot wrap; choose --edges open or closed.")
        for name, most in (("coarse", LARGEST_COARSE), ("halo", TILES[1] // HALO)):
            number = getattr(self, name)
            if type(number) is not int or not 1 <= number <= most:
                raise InputError(
                    f"An erosion has from 1 to {most} cells for {name}, not {number!r:.30}."
                )


@dataclass(frozen=True)
class Manifest:
    """Contents of landscape.json.

    rows, cols: cells. tile: longest side of a tile, cells. spacing: (row, column) spacing, m.
    source: origin in words. report: of the erosion. analysis: figures of the land. layers: layer →
    tile ("x0_y0") → SHA-256 of its file. place: text of the georeference, see
    `Georeference.to_text`; "" for land without one.
    """

    rows: int
    cols: int
    tile: int
    spacing: tuple[float, float]
    source: str
    erosion: Erosion | None = None
    report: dict[str, Any] = field(default_factory=dict)
    analysis: dict[str, Any] = field(default_factory=dict)
    layers: dict[str, dict[str, str]] = field(default_factory=dict)
    place: str = ""

    def __post_init__(self) -> None:
        for name in ("rows", "cols"):
            side = getattr(self, name)
            if type(side) is not int or not TILES[0] <= side <= LARGEST_SIDE:
                raise InputError(
                    f"A landscape has from {TILES[0]} to {LARGEST_SIDE} {name}, not {side!r:.30}."
                )
        if type(self.tile) is not int or not TILES[0] <= self.tile <= TILES[1]:
            raise InputError(
                f"A tile has from {TILES[0]} to {TILES[1]} cells a side, not {self.tile!r:.30}."
            )
        if -(-self.rows // self.tile) * -(-self.cols // self.tile) > MOST_TILES:
            raise InputError(
                f"A landscape has at most {MOST_TILES} tiles; make them larger than {self.tile} "
                "cells."
            )
        object.__setattr__(self, "spacing", checked_spacing(self.spacing))
        if self.erosion is not None and self.erosion.halo > self.tile // HALO:
            raise InputError(
                f"Tiles of {self.tile} cells have a halo of at most {self.tile // HALO}."
            )

    @classmethod
    def load(cls, folder: Path) -> "Manifest":
        """Manifest of a folder; InputError if it has none, or a damaged one."""
        path = folder / NAME
        if not path.exists():
            raise InputError(
                f"{folder} is not a landscape: it has no {NAME}. Make one with landscape make."
            )
        try:
            with open_regular(path) as stream:
                text = stream.read(_LARGEST_FILE + 1)
            table = json.loads(
                text[:_LARGEST_FILE].decode("utf-8"),
                parse_int=_whole,
                parse_float=_number,
                parse_constant=_number,
            )
            return _parsed(table)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        except OSError as error:
            raise unreadable(path, error) from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise InputError(f"{path} is damaged: it is not the manifest of a landscape.") from None

    def save(self, folder: Path) -> None:
        """Write the manifest atomically."""
        refuse_link(folder / NAME)
        with Outputs() as outputs:
            target = outputs.plan(folder / NAME, (".json",))
            with outputs.write(target) as path:
                path.write_text(self.text(), encoding="utf-8")
            outputs.publish(goes_on=True)

    def text(self) -> str:
        """Text of the manifest's file."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1) + "\n"

    @property
    def georeference(self) -> Georeference | None:
        """Georeference of the cells, the top left one first; None for land without one."""
        georeference = Georeference.from_text(self.place) if self.place else None
        if georeference is not None and georeference.shape == (self.rows, self.cols):
            return georeference
        return None

    def with_layers(self, layers: dict[str, dict[str, str]]) -> "Manifest":
        """Copy with further or newer layers."""
        return replace(self, layers={**self.layers, **layers})


def _parsed(table: dict[str, Any]) -> Manifest:
    if table.pop("format") != FORMAT:
        raise InputError(
            "it was made by another version of Terrain Erosion; make the landscape again."
        )
    rows, cols = table.pop("spacing")
    erosion = table.pop("erosion")
    manifest = Manifest(spacing=(rows, cols), erosion=_erosion(erosion), **table)
    for layer, hashes in manifest.layers.items():
        if not (
            layer.removeprefix(START) in FIELDS
            or (layer.startswith(MASK) and layer.removeprefix(MASK) in MASKS)
        ):
            raise InputError(f"{layer!r:.60} is not a layer.")
        if not all(_HASH.fullmatch(value) for value in hashes.values()):
            raise ValueError
    if START + "elevation" not in manifest.layers:
        raise InputError("it names no tiles of the land before erosion.")
    if not (isinstance(manifest.source, str) and isinstance(manifest.place, str)):
        raise ValueError
    if manifest.place and manifest.georeference is None:
        raise ValueError
    if not all(isinstance(entry, dict) for entry in (manifest.report, manifest.analysis)):
        raise ValueError
    return manifest


def _erosion(table: dict[str, Any] | None) -> Erosion | None:
    if table is None:
        return None
    erosion = Erosion(**table)
    Recipe.from_dict(erosion.recipe)
    return erosion


def _whole(text: str) -> int:
    """A whole number of the file; ValueError for one that no manifest has."""
    _number(text)
    return int(text)


def _number(text: str) -> float:
    """A number of the file; ValueError for one that is not finite, or that no manifest has."""
    number = float(text)
    if not abs(number) <= _LARGEST_NUMBER:
        raise ValueError
    return number
