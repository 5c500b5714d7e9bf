# SPDX-License-Identifier: GPL-3.0-or-later
"""Fallback files for results that cannot be written."""

import secrets
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ..base.atomic_files import Outputs
from ..base.errors import InputError
from .terminal.output import note

Written = TypeVar("Written")


def keep(save: Callable[[Path], object], places: Iterable[Path], remedy: str = "") -> None:
    """Save a result at the first place that takes it, and print which one. remedy: printed too."""
    for path in places:
        with suppress(InputError, MemoryError):
            save(path)
            note(f"What was computed is kept in {path}{remedy}.")
            return


def temporary_place(name: str) -> Path:
    """Path of a new file or folder among the temporary files."""
    path = Path(tempfile.gettempdir(), name)
    return path.with_stem(f"{path.stem}-{secrets.token_hex(4)}")


def publish(outputs: Outputs, write: Callable[[], Written]) -> tuple[Written, list[Path]]:
    """Write the planned files and publish them; returns the result of `write`, and the paths.

    If that fails, they go to a new folder among the temporary files, before the error is raised.
    """
    try:
        return write(), outputs.publish()
    except (InputError, MemoryError, OSError):

        def elsewhere(folder: Path) -> None:
            outputs.redirect(folder)
            write()
            outputs.publish()

        keep(elsewhere, [temporary_place("terrain-erosion")])
        raise
