# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages over a pipe: one line of JSON, then the raw bytes of the arrays that it lists."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from ..base.arrays import Array
from ..base.errors import Sentence

SENTENCE = {"template", "fields"}
"""Keys of a `Sentence`."""

MASK_PREFIX = "mask "
"""Prefix that distinguishes masks from fields."""

REGION = "region"
"""Array of the cells of a region, 0-1, that a run is limited to."""

NO_MEMORY = 12
"""Exit code of a worker that lacks the memory for a message. Its rest stays in the pipe, so no
other can follow.
"""


@dataclass(frozen=True)
class Message:
    """A message: kind, values for JSON, and arrays by name."""

    kind: str
    values: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Request:
    """Request of a scene other than a run. kind: one of `SERVICES`. values: for JSON."""

    kind: str
    values: dict[str, Any]
    arrays: dict[str, Array]

    def asks_the_same_as(self, request: "Request") -> bool:
        """Whether two requests have the same answer."""
        if (self.kind, self.values, [*self.arrays]) != (
            request.kind,
            request.values,
            [*request.arrays],
        ):
            return False
        return all(
            np.array_equal(array, request.arrays[name]) for name, array in self.arrays.items()
        )


def send(
    stream: BinaryIO,
    kind: str,
    values: Mapping[str, Any] | None = None,
    arrays: Mapping[str, Array] | None = None,
) -> None:
    """Write a message; OSError or ValueError if the pipe is closed."""
    contiguous = {name: np.asarray(array, order="C") for name, array in (arrays or {}).items()}
    announced = [[name, array.dtype.str, array.shape] for name, array in contiguous.items()]
    line = json.dumps({"kind": kind, "values": _packed(values or {}), "arrays": announced})
    stream.write(line.encode() + b"\n")
    for array in contiguous.values():
        stream.write(array.reshape(-1).view(np.uint8).data)
    stream.flush()


def _packed(value: Any) -> Any:
    """A value for JSON, sentences with their templates."""
    if isinstance(value, Sentence):
        return {"template": value.template, "fields": _packed(value.values)}
    if isinstance(value, Mapping):
        return {key: _packed(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_packed(entry) for entry in value]
    return value


def _unpacked(values: dict[str, Any]) -> Any:
    if values.keys() != SENTENCE:
        return values
    sentence = Sentence(values["template"])
    return sentence.format(**values["fields"]) if values["fields"] else sentence


def receive(stream: BinaryIO) -> Message | None:
    """Next message; None at the end of the stream, also within a message."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    header = json.loads(line, object_hook=_unpacked)
    arrays = {}
    for name, dtype, shape in header["arrays"]:
        array = np.empty(shape, dtype)
        if not _fill(stream, array.reshape(-1).view(np.uint8).data):
            return None
        arrays[name] = array
    return Message(header["kind"], header["values"], arrays)


def _fill(stream: BinaryIO, view: memoryview) -> bool:
    while view:
        count = stream.readinto(view)  # type: ignore[attr-defined]
        if not count:
            return False
        view = view[count:]
    return True
