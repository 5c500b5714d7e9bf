# SPDX-License-Identifier: GPL-3.0-or-later
"""Frame sequence: states of a run after equal shares of its work, as numbered EXR files in a folder."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..files import file_sizes, maps
from ..files.image_files import ImageFiles
from ..processes.shared.state import smallest_chunks
from ..run.progress import Progress
from ..terrain.fields import FIELDS
from ..terrain.terrain import Terrain

MOST = 9999
"""Most frames of a sequence; file names have four digits."""

RECORD = "frames.json"
"""File that describes the sequence: frames, fields, size, range of heights, recipe, hashes."""

_ROUNDING = 1e-12


class Frames:
    """Frames of one run: FIELD_0001.exr to FIELD_NNNN.exr of the elevation and the chosen fields, float32.

    Frame k of `count` is the state at the first of the smallest chunks with k equal shares of the run's work done; the
    last frame is the result. Chunks do not depend on threads or speed, and so neither do the frames.
    """

    def __init__(self, folder: Path, count: int, fields: Iterable[str], image_files: ImageFiles) -> None:
        """InputError for unknown fields, too many frames, a folder with frames in it or one that is not writable."""
        self._folder, self._count, self._image_files = folder, count, image_files
        self._fields = ["elevation", *dict.fromkeys(name for name in fields if name != "elevation")]
        if unknown := [name for name in self._fields if name not in FIELDS and name != "elevation"]:
            raise InputError(f"There is no field {unknown[0]}; choose among {', '.join(FIELDS)}.")
        if count > MOST:
            raise InputError(f"A sequence has {MOST} frames at most; {count} are too many.")
        there = [file for name in self._fields for file in folder.glob(f"{name}_*[0-9].exr")]
        if there or (folder / RECORD).exists():
            raise InputError(f"{folder} holds frames of a run already; choose another folder, or remove them.")
        with Outputs() as outputs:
            outputs.plan_folder(folder)
            if folder.is_dir():
                outputs.plan(folder / RECORD, (".json",))
        self.kept = 0
        self._range = (np.inf, -np.inf)
        self._hashes: dict[str, str] = {}

    def bytes_needed(self, shape: tuple[int, int]) -> float:
        """Estimated size of all frames of a terrain of (rows, cols)."""
        components = sum(FIELDS[name].components if name in FIELDS else 1 for name in self._fields)
        return self._count * components * file_sizes.heightmap_bytes(Path("frame.exr"), shape)

    def require_space(self, shape: tuple[int, int]) -> None:
        """Raise InputError if the disk lacks space for all frames."""
        file_sizes.require_space([(self._folder / RECORD, self.bytes_needed(shape))])

    def keep(self, run: Iterator[Progress]) -> Iterator[Progress]:
        """Progress of `run`, whose states become frames as it goes. Each frame appears complete or not at all."""
        with smallest_chunks():
            for progress in run:
                done = int(progress.fraction * self._count + _ROUNDING * self._count)
                if done > self.kept:
                    terrain = progress.terrain
                    while self.kept < done:
                        self._write(self.kept + 1, terrain)
                        self.kept += 1
                yield progress

    def _write(self, number: int, terrain: Terrain) -> None:
        fields = {name: _field(terrain, name) for name in self._fields}
        images = dict(maps.images(fields))
        low, high = self._range
        span = min(low, float(images["elevation"].min())), max(high, float(images["elevation"].max()))
        files = {name: f"{name}_{number:04d}.exr" for name in images}
        hashes = self._hashes | {files[name]: _hash(values) for name, values in images.items()}
        with Outputs() as outputs:
            outputs.plan_folder(self._folder)
            record = outputs.plan(self._folder / RECORD, (".json",))
            planned = {name: outputs.plan(self._folder / file, (".exr",)) for name, file in files.items()}
            with outputs.write(record) as path:
                path.write_text(json.dumps(self._record(number, terrain, span, hashes), indent=2) + "\n", "utf-8")
            maps.write(outputs, planned, fields, self._image_files)
            outputs.publish()
        self._range, self._hashes = span, hashes

    def _record(
        self, number: int, terrain: Terrain, span: tuple[float, float], hashes: dict[str, str]
    ) -> dict[str, Any]:
        report = terrain.report or {}
        return {
            **{name: report[name] for name in ("recipe", "seed", "version", "edges")},
            "frames": self._count,
            "kept": number,
            "fields": self._fields,
            "size": list(terrain.shape),
            "spacing": list(terrain.spacing),
            "range": list(span),
            "sha256": hashes,
        }


def _field(terrain: Terrain, name: str) -> Array:
    """A field of the terrain; zeros as long as no step has made it, so that every frame has all files."""
    if name == "elevation":
        return terrain.elevation
    components = FIELDS[name].components
    shape = terrain.shape if components == 1 else (*terrain.shape, components)
    return terrain.fields.get(name, np.zeros(shape, np.float32))


def _hash(values: Array) -> str:
    """SHA-256 of the little-endian float32 bytes in C order, row 0 first."""
    return hashlib.sha256(np.ascontiguousarray(values, "<f4").data).hexdigest()
