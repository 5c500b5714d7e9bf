# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation that stands still: all that is needed to go on to the same bytes, in memory or in a file."""

import json
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from .errors import InputError
from .state import Array, RunningStep

FORMAT = 1
"""Number of the file's layout; another one is refused."""


@dataclass(frozen=True)
class Checkpoint:
    """values: numbers and texts for JSON; arrays: by name, with a slash between the parts of a name."""

    values: dict[str, Any]
    arrays: dict[str, Array]

    def save(self, path: Path) -> None:
        """Write a .npz file, which holds no program (nothing in it is pickled)."""
        with path.open("wb") as file:
            self.write(file)

    def write(self, stream: IO[bytes]) -> None:
        """`save` to an open file."""
        text = json.dumps({"format": FORMAT, **self.values})
        np.savez_compressed(stream, allow_pickle=False, values=np.array(text), **self.arrays)

    @classmethod
    def load(cls, path: str | Path) -> "Checkpoint":
        """Read what `save` wrote; InputError for anything else."""
        try:
            # Opened here, because numpy leaves a file open that turns out to be none of its own.
            with Path(path).open("rb") as stream:
                return cls.read(stream, str(path))
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None

    @classmethod
    def read(cls, stream: IO[bytes], name: str) -> "Checkpoint":
        """`load` from an open file, which errors call `name`."""
        try:
            with np.load(stream, allow_pickle=False) as file:
                arrays = {key: file[key] for key in file.files}
            values = json.loads(str(arrays.pop("values")))
            if values.pop("format") != FORMAT:
                raise InputError(f"{name} is of another version of Terrain Erosion; run it again from the start.")
        except (ValueError, KeyError, AttributeError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{name} is no checkpoint, or damaged; run it again from the start.") from None
        return cls(values, arrays)

    def part(self, name: str) -> dict[str, Array]:
        """The arrays whose names begin with `name` and a slash, by the rest of their names."""
        return _part(self.arrays, name)


def _part(arrays: dict[str, Array], name: str) -> dict[str, Array]:
    return {key.removeprefix(f"{name}/"): array for key, array in arrays.items() if key.startswith(f"{name}/")}


def step_arrays(running: RunningStep) -> dict[str, Array]:
    """All that a step under way has changed of itself, by the names that it lists as `evolving`."""
    arrays: dict[str, Array] = {}
    for name in running.evolving:
        value = getattr(running, name)
        if isinstance(value, tuple):
            arrays |= {f"{name}/{place}": np.array(item) for place, item in enumerate(value)}
        elif hasattr(value, "evolving"):
            arrays |= {f"{name}/{part}": array for part, array in step_arrays(value).items()}
        elif value is not None:
            arrays[name] = np.array(value)
    return arrays


def set_step_arrays(running: RunningStep, arrays: dict[str, Array]) -> None:
    """The reverse of `step_arrays`, on a step newly made from the same state; InputError where they do not fit."""
    try:
        for name in running.evolving:
            value = getattr(running, name)
            if isinstance(value, tuple):
                for place, item in enumerate(value):
                    item[...] = arrays[f"{name}/{place}"]
            elif hasattr(value, "evolving"):
                set_step_arrays(value, _part(arrays, name))
            elif isinstance(getattr(type(running), name, None), property):
                setattr(running, name, arrays[name])
            elif isinstance(value, np.ndarray):
                value[...] = arrays[name]
            elif value is not None:
                setattr(running, name, type(value)(arrays[name]))
    except (KeyError, ValueError, TypeError):
        raise InputError("The checkpoint does not fit its recipe; run it again from the start.") from None
