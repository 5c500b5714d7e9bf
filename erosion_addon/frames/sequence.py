# SPDX-License-Identifier: GPL-3.0-or-later
"""Frame sequence: states of a run after equal shares of its work, as numbered EXR files in a folder."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..files import file_sizes, maps
from ..processes.shared.state import smallest_chunks
from ..run.progress import Progress
from ..terrain.fields import FIELDS
from ..terrain.terrain import Terrain
from .exr_writer import write_exr
from .record import RECORD, Record

MOST = 9999
"""Most frames of a sequence; file names have four digits."""

_ROUNDING = 1e-12
_LEFTOVER = re.compile(r"\.erosion-[0-9a-f]{16}(\.exr|\.json)?")


@dataclass(frozen=True)
class FrameOrder:
    """Order to keep frames: folder, number, and fields besides the elevation."""

    folder: Path
    count: int
    fields: tuple[str, ...]

    def begin(self) -> "Frames":
        """Frames of a new run; InputError as for `Frames`."""
        return Frames(self.folder, self.count, self.fields)

    def to_json(self) -> dict[str, Any]:
        """Values of a message to the worker."""
        return {"folder": str(self.folder), "count": self.count, "fields": list(self.fields)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any] | None) -> "FrameOrder | None":
        """Order from the values of a message."""
        if values is None:
            return None
        return cls(Path(values["folder"]), values["count"], tuple(values["fields"]))


class Frames:
    """Frames of one run: FIELD_0000.exr to FIELD_NNNN.exr of the elevation and the chosen fields, float32.

    Frame 0 is the start. Frame k of `count` is the state at the first of the smallest chunks with k equal shares of the
    run's work done; the last frame is the result. Chunks do not depend on threads or speed, and so neither do the
    frames. kept: the number of the last frame written, -1 before the first.
    """

    def __init__(self, folder: Path, count: int, fields: Iterable[str]) -> None:
        """InputError for unknown fields, too many frames, a folder with frames in it or one that is not writable."""
        self._folder, self._count = folder, count
        self._fields = ["elevation", *dict.fromkeys(name for name in fields if name != "elevation")]
        if unknown := [name for name in self._fields if name not in FIELDS]:
            raise InputError(f"There is no field {unknown[0]}; choose among {', '.join(FIELDS)}.")
        if count > MOST:
            raise InputError(f"A sequence has {MOST} frames at most; {count} are too many.")
        if _files(folder, self._fields) or (folder / RECORD).exists():
            raise InputError(f"{folder} holds frames of a run already; choose another folder, or remove them.")
        with Outputs() as outputs:
            outputs.plan_folder(folder)
            if folder.is_dir():
                outputs.plan(folder / RECORD, (".json",))
        self.kept = -1
        self._range = (np.inf, -np.inf)
        self._hashes: dict[str, str] = {}

    @classmethod
    def of_paused_run(cls, folder: Path, start: Array) -> "Frames":
        """Frames of a run that is resumed, to go on with. start: (rows, cols) m, the elevation that it began with.

        InputError if the folder holds none, or those of another run.
        """
        record = Record.read(folder)
        if record is None or record.sha256.get("elevation_0000.exr") != _hash(start):
            raise InputError(
                f"{folder} does not hold the frames of the paused run; switch frames off to go on without them, or run "
                "the terrain again from the start."
            )
        frames = cls.__new__(cls)
        frames._folder, frames._count, frames._fields = folder, record.frames, record.fields
        frames.kept, frames._range, frames._hashes = record.kept, record.range, record.sha256
        cut(folder, record.fields, record.kept)
        return frames

    def bytes_needed(self, shape: tuple[int, int]) -> float:
        """Estimated size of all frames of a terrain of (rows, cols)."""
        return bytes_needed(self._count, self._fields, shape)

    def require_space(self, shape: tuple[int, int]) -> None:
        """Raise InputError if the disk lacks space for all frames."""
        file_sizes.require_space([(self._folder / RECORD, self.bytes_needed(shape))])

    def keep(
        self, run: Iterator[Progress], start: Terrain | None = None, lost: Callable[[str], None] | None = None
    ) -> Iterator[Progress]:
        """Progress of `run`, whose states become frames as it goes. Each frame appears complete or not at all.

        start: the terrain that it begins with, frame 0. lost: hears why a frame cannot be written, and the run goes on
        without; by default an InputError ends it.
        """
        is_lost = False
        while True:
            with smallest_chunks():  # of this run: not while others have their turn
                progress = next(run, None)
            if progress is None:
                return
            if not is_lost:
                try:
                    self._keep(progress, start)
                except InputError as error:
                    if lost is None:
                        raise
                    is_lost = True
                    lost(str(error))
            yield progress

    def _keep(self, progress: Progress, start: Terrain | None) -> None:
        done = int(progress.fraction * self._count + _ROUNDING * self._count)
        if done <= self.kept:
            return
        terrain = progress.terrain
        report = terrain.report or {}
        if start is not None and self.kept < 0:
            self._write(0, start, report)
        while self.kept < done:
            self._write(self.kept + 1, terrain, report)

    def _write(self, number: int, terrain: Terrain, report: Mapping[str, Any]) -> None:
        images = dict(maps.images({name: _field(terrain, name) for name in self._fields}))
        low, high = self._range
        span = min(low, float(images["elevation"].min())), max(high, float(images["elevation"].max()))
        files = {name: frame_file(name, number) for name in images}
        hashes = self._hashes | {files[name]: _hash(values) for name, values in images.items()}
        said = {name: report[name] for name in ("recipe", "seed", "version", "edges")}
        record = Record(
            **said,
            frames=self._count,
            kept=number,
            fields=self._fields,
            size=terrain.shape,
            spacing=terrain.spacing,
            range=span,
            sha256=hashes,
        )
        with Outputs() as outputs:
            outputs.plan_folder(self._folder)
            target = outputs.plan(self._folder / RECORD, (".json",))
            planned = {name: outputs.plan(self._folder / file, (".exr",)) for name, file in files.items()}
            with outputs.write(target) as path:
                path.write_text(record.to_text(), "utf-8")
            for name, values in images.items():
                with outputs.write(planned[name]) as path:
                    write_exr(path, values)
            outputs.publish()
        self._range, self._hashes, self.kept = span, hashes, number


def frame_file(name: str, number: int) -> str:
    """File name of a frame of an image: a field, or a component of one."""
    return f"{name}_{number:04d}.exr"


def bytes_needed(count: int, fields: Iterable[str], shape: tuple[int, int]) -> float:
    """Estimated size of `count` frames and the start, of a terrain of (rows, cols)."""
    components = sum(FIELDS[name].components for name in dict.fromkeys(["elevation", *fields]))
    return (count + 1) * components * file_sizes.heightmap_bytes(Path("frame.exr"), shape)


def holds_frames(folder: Path, fields: Iterable[str] = ()) -> bool:
    """Whether a folder holds frames that a run with these fields would replace."""
    return (folder / RECORD).exists() or bool(_files(folder, ["elevation", *fields]))


def cut(folder: Path, fields: Iterable[str], kept: int) -> None:
    """Remove the frames of a run after number `kept`, and what a process that was ended left half-written.

    kept: -1 for all, with the record. fields: of the run. Files that cannot be removed stay.
    """
    record = Record.read(folder)
    with suppress(OSError):
        for file in _files(folder, ["elevation", *fields]):
            if int(file.stem[-4:]) > kept:
                file.unlink(missing_ok=True)
        for file in folder.glob(".erosion-*"):
            if _LEFTOVER.fullmatch(file.name):
                file.unlink(missing_ok=True)
        if kept < 0:
            (folder / RECORD).unlink(missing_ok=True)
        elif record is not None and record.kept > kept:
            with Outputs() as outputs:
                target = outputs.plan(folder / RECORD, (".json",))
                with outputs.write(target) as path:
                    path.write_text(record.until(kept).to_text(), "utf-8")
                outputs.publish()


def _files(folder: Path, fields: Iterable[str]) -> list[Path]:
    """Frames of fields in a folder."""
    names = {name + ending for name in fields for ending in maps.COMPONENTS[FIELDS[name].components]}
    found = (re.fullmatch(r"(.+)_\d{4}\.exr", path.name) for path in folder.glob("*_[0-9][0-9][0-9][0-9].exr"))
    return sorted(folder / match[0] for match in found if match and match[1] in names)


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
