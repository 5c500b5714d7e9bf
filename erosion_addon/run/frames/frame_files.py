# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of frames: their names, sizes and hashes; written complete or not at all, and removed."""

import dataclasses
import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import numpy as np

from ...base import lock
from ...base.arrays import Array
from ...base.atomic_files import Outputs, remove_leftovers
from ...base.errors import InputError
from ...terrain.fields import FIELDS
from ...terrain.terrain import Terrain
from .record import MOST, RECORD, Record, with_elevation

_BYTES = 4.0
"""Bytes of a number. The last bits of heights hardly compress; maps that are 0 in many places take
less.
"""


def check(folder: Path, fields: Iterable[str], count: int) -> None:
    """InputError for unknown fields, too many frames, or a folder that is not writable."""
    if unknown := [name for name in fields if name not in FIELDS]:
        raise InputError("There is no field {unknown}; choose one of {fields}.").format(
            unknown=unknown[0], fields=", ".join(FIELDS)
        )
    if count > MOST:
        raise InputError("A sequence has {most} frames at most; {count} are too many.").format(
            most=MOST, count=count
        )
    with Outputs() as outputs:
        outputs.plan_folder(folder)
        if folder.is_dir():
            outputs.plan(folder / RECORD, (".json",))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Context of the only run that keeps frames in a folder, created if missing. InputError as for
    `check`, or if another run has it.
    """
    check(folder, (), 0)
    is_new = not folder.exists()
    with ExitStack() as stack:
        if is_new:
            folder.mkdir()
            stack.callback(_remove_empty, folder)
        stack.enter_context(lock.locked(folder))
        yield


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):  # it holds frames
        folder.rmdir()


def write(folder: Path, record: Record, number: int, terrain: Terrain) -> Record:
    """Write the files of a frame and the record, and return it with their hashes and range.
    InputError if that fails, with the files as they were.
    """
    from ...files import maps  # only the worker writes frames
    from ...files.rasters.exr_writer import write_exr

    images = dict(maps.images({name: _field(terrain, name) for name in record.fields}))
    low, high = record.range
    span = min(low, float(images["elevation"].min())), max(high, float(images["elevation"].max()))
    files = {name: frame_file(name, number) for name in images}
    hashes = record.sha256 | {files[name]: digest(values) for name, values in images.items()}
    record = dataclasses.replace(record, range=span, sha256=hashes)
    with Outputs() as outputs:
        outputs.plan_folder(folder)
        target = outputs.plan(folder / RECORD, (".json",))
        planned = {name: outputs.plan(folder / file, (".exr",)) for name, file in files.items()}
        with outputs.write(target) as path:
            path.write_text(record.to_text(), "utf-8")
        for name, values in images.items():
            with outputs.write(planned[name]) as path:
                write_exr(path, values)
        outputs.publish(goes_on=True)
    return record


def frame_file(name: str, number: int) -> str:
    """File name of a frame of an image: a field, or a component of one."""
    return f"{name}_{number:04d}.exr"


def bytes_needed(count: int, fields: Iterable[str], shape: tuple[int, int]) -> float:
    """Greatest size of `count` frames and the start, of a terrain of (rows, cols)."""
    components = sum(FIELDS[name].components for name in with_elevation(fields))
    return (count + 1) * components * shape[0] * shape[1] * _BYTES


def holds(folder: Path, fields: Iterable[str] = ()) -> bool:
    """Whether a folder holds frames of these fields, or the record of a run."""
    return (folder / RECORD).exists() or bool(frame_paths(folder, fields))


def cut(folder: Path, fields: Iterable[str], last: int) -> None:
    """Remove the frames of a run after number `last`, and half-written files of a killed process.

    last: -1 for all, with the record. fields: of the run. Files that cannot be removed stay.
    """
    record = Record.read(folder)
    with suppress(OSError):
        for file in frame_paths(folder, fields):
            if int(file.stem[-4:]) > last:
                file.unlink(missing_ok=True)
        remove_leftovers(folder)
        if last < 0:
            (folder / RECORD).unlink(missing_ok=True)
        elif record is not None and record.kept > last:
            with Outputs() as outputs:
                target = outputs.plan(folder / RECORD, (".json",))
                with outputs.write(target) as path:
                    path.write_text(record.until(last).to_text(), "utf-8")
                outputs.publish()


def frame_paths(folder: Path, fields: Iterable[str]) -> list[Path]:
    """Frames of the elevation and fields in a folder."""
    names = {image for name in with_elevation(fields) for image in FIELDS[name].images}
    present = (
        re.fullmatch(r"(.+)_\d{4}\.exr", path.name)
        for path in folder.glob("*_[0-9][0-9][0-9][0-9].exr")
    )
    return sorted(folder / match[0] for match in present if match and match[1] in names)


def _field(terrain: Terrain, name: str) -> Array:
    """A field of the terrain; zeros as long as no step has made it, so that every frame has all
    files.
    """
    if name == "elevation":
        return terrain.elevation
    components = FIELDS[name].components
    shape = terrain.shape if components == 1 else (*terrain.shape, components)
    return terrain.fields.get(name, np.zeros(shape, np.float32))


def digest(values: Array) -> str:
    """SHA-256 of the little-endian float32 bytes in C order, row 0 first."""
    return hashlib.sha256(np.ascontiguousarray(values, "<f4").data).hexdigest()
