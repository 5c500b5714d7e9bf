# SPDX-License-Identifier: GPL-3.0-or-later
"""Frame sequence: states of a run after equal shares of its work, as numbered EXR files in a
folder.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...base.arrays import Array
from ...base.errors import InputError
from ...files import formats
from ...processes.shared.state import smallest_chunks
from ...terrain.terrain import Terrain
from ..progress import Progress
from . import frame_files
from .record import NO_RANGE, RECORD, Record, with_elevation

_ROUNDING = 1e-12


class Frames:
    """Frames of one run: FIELD_0000.exr to FIELD_NNNN.exr of the elevation and the chosen fields,
    float32.

    Frame 0 is the start. Frame k of `count` is the state at the first of the smallest chunks with k
    equal shares of the run's work done; the last frame is the result. Chunks do not depend on
    threads or speed, and so neither do the frames. folder: where they are. count: number of the
    last one. fields: kept in each, elevation first. kept: the number of the last frame written, -1
    before the first.
    """

    def __init__(self, folder: Path, count: int, fields: Iterable[str]) -> None:
        """InputError for unknown fields, too many frames, a folder with frames in it or one that is
        not writable.
        """
        self.folder = folder
        self.count = count
        self.fields = with_elevation(fields)
        frame_files.check(folder, self.fields, count)
        if frame_files.holds(folder, self.fields):
            raise InputError(
                "{folder} already holds frames of a run; choose another folder, or remove them."
            ).format(folder=folder)
        self.kept = -1
        self._range = NO_RANGE
        self._hashes: dict[str, str] = {}

    @classmethod
    def of_paused_run(cls, folder: Path, start: Array) -> "Frames":
        """Frames of a resumed run, to continue. start: (rows, cols) m, the elevation that it began
        with.

        InputError if the folder holds no frames, or frames of another run.
        """
        record = Record.read(folder)
        if record is None or record.sha256.get("elevation_0000.exr") != frame_files.digest(start):
            raise InputError(
                "{folder} does not hold the frames of the paused run; go on without frames, or run "
                "the terrain again from the start."
            ).format(folder=folder)
        frames = cls.__new__(cls)
        frames.folder, frames.count, frames.fields = folder, record.frames, record.fields
        frames.kept = record.kept
        frames._range = record.range
        frames._hashes = record.sha256
        frame_files.cut(folder, record.fields, record.kept)
        return frames

    def bytes_needed(self, shape: tuple[int, int]) -> float:
        """Greatest size of all frames of a terrain of (rows, cols)."""
        return frame_files.bytes_needed(self.count, self.fields, shape)

    def require_space(self, shape: tuple[int, int]) -> None:
        """Raise InputError if the disk lacks space for the frames to come."""
        size = frame_files.bytes_needed(self.count - self.kept - 1, self.fields, shape)
        formats.require_space([(self.folder / RECORD, size)])

    def is_as_asked(self, count: int, fields: Iterable[str]) -> bool:
        """Whether these are the frames that `Frames` makes of the same number and fields."""
        return count == self.count and with_elevation(fields) == self.fields

    def keep(
        self,
        run: Iterator[Progress],
        start: Terrain | None = None,
        lost: Callable[[str], None] | None = None,
    ) -> Iterator[Progress]:
        """Progress of `run`, whose states become frames as it goes. Each frame appears complete or
        not at all.

        start: the terrain that it begins with, frame 0. lost: called with the reason if a frame
        cannot be written, and the run continues without frames; by default an InputError ends it.
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
                    lost(error.sentence)
            yield progress

    def _keep(self, progress: Progress, start: Terrain | None) -> None:
        number = int(progress.fraction * self.count + _ROUNDING * self.count)
        if number <= self.kept:
            return
        terrain = progress.terrain
        report = terrain.report or {}
        if start is not None and self.kept < 0:
            self._write(0, start, report)
        while self.kept < number:
            self._write(self.kept + 1, terrain, report)

    def _write(self, number: int, terrain: Terrain, report: Mapping[str, Any]) -> None:
        fresh = Record.of(report, self.fields, terrain.shape, terrain.spacing, self.count)
        record = dataclasses.replace(fresh, kept=number, range=self._range, sha256=self._hashes)
        record = frame_files.write(self.folder, record, number, terrain)
        self._range = record.range
        self._hashes = record.sha256
        self.kept = number
