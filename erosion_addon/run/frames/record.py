# SPDX-License-Identifier: GPL-3.0-or-later
"""Record of a frame sequence: the file frames.json in its folder."""

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...base.errors import InputError
from ...base.regular_files import open_regular
from ...terrain.fields import FIELDS

RECORD = "frames.json"
"""Name of the file."""

MOST = 9999
"""Most frames of a sequence without the start; file names have four digits."""

LONGEST, FASTEST = 3600.0, 240
"""Greatest length of a film in seconds, and frames per second."""

NO_RANGE = (math.inf, -math.inf)
"""Range of heights of no frames."""

_LARGEST = 1 << 24
"""Greatest size of a record in bytes; a larger file counts as none."""


def frames_of_film(seconds: float, rate: float) -> int:
    """Number of frames after the start of a film of this length. rate: frames per second."""
    return max(1, round(seconds * rate))


def with_elevation(fields: Iterable[str]) -> list[str]:
    """Fields of a frame: the elevation, and the chosen ones once each."""
    return ["elevation", *dict.fromkeys(name for name in fields if name != "elevation")]


@dataclass(frozen=True)
class Record:
    """Description of a frame sequence.

    frames: number of the last one, and of all without the start; kept: number of the last one
    there. fields: with `elevation`. size: (rows, cols); spacing: (row, col) m; range: (lowest,
    highest) elevation of all frames, m. sha256: hash of the pixels by file. orders: digest of the
    inputs of each frame, if each is a run of its own.
    """

    recipe: str
    seed: int
    version: str
    edges: str
    frames: int
    kept: int
    fields: list[str]
    size: tuple[int, int]
    spacing: tuple[float, float]
    range: tuple[float, float]
    sha256: dict[str, str]
    orders: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        report: Mapping[str, Any],
        fields: list[str],
        size: tuple[int, int],
        spacing: tuple[float, float],
        frames: int,
    ) -> "Record":
        """Record before the first frame. report: of a run."""
        origin = {name: report[name] for name in ("recipe", "seed", "version", "edges")}
        layout: dict[str, Any] = {"fields": fields, "size": size, "spacing": spacing}
        return cls(**origin, **layout, frames=frames, kept=-1, range=NO_RANGE, sha256={})

    @classmethod
    def read(cls, folder: Path) -> "Record | None":
        """Record of the frames in a folder; None if there is none, or it is damaged."""
        path = folder / RECORD
        try:
            with open_regular(path) as stream:
                values: dict[str, Any] = json.loads(stream.read(_LARGEST))
            values["size"] = tuple(map(int, values["size"]))
            values |= {name: tuple(map(float, values[name])) for name in ("spacing", "range")}
            record = cls(
                **{name: values[name] for name in cls.__dataclass_fields__ if name in values}
            )
            return record if _is_sound(record) else None
        except (InputError, OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def to_text(self) -> str:
        """Content of the file."""
        return json.dumps(dataclasses.asdict(self), indent=2) + "\n"

    def until(self, last: int) -> "Record":
        """Record with the frames up to number `last`."""
        hashes = {file: digest for file, digest in self.sha256.items() if int(file[-8:-4]) <= last}
        return dataclasses.replace(self, kept=last, sha256=hashes)


def _is_sound(record: Record) -> bool:
    numbers = (
        type(record.frames) is int
        and type(record.kept) is int
        and 0 <= record.kept <= record.frames <= MOST
    )
    names = isinstance(record.fields, list) and all(name in FIELDS for name in record.fields)
    pairs = (
        len(record.size) == len(record.spacing) == len(record.range) == 2
        and min(record.spacing) > 0
    )
    files = isinstance(record.sha256, dict) and all(file[-8:-4].isdigit() for file in record.sha256)
    files &= isinstance(record.orders, list)
    return numbers and names and pairs and files
