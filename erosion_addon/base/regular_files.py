# SPDX-License-Identifier: GPL-3.0-or-later
"""Ordinary files: a pipe that nobody writes to, or a device, would be read for ever."""

import stat
from pathlib import Path
from typing import BinaryIO

from .errors import InputError

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def kind_of(path: Path) -> str:
    """What a path, or what a link there leads to, is where it is no ordinary file, in words; else "". OSError where
    nothing is there."""
    mode = path.stat().st_mode
    return "" if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "no ordinary file")


def require_regular(path: Path) -> None:
    """Raise InputError where there is something else than an ordinary file. OSError where nothing is there."""
    if kind := kind_of(path):
        raise InputError(f"{path} cannot be read: it is {kind}.")


def open_regular(path: Path) -> BinaryIO:
    """A file to read from; InputError as of `require_regular`, and OSError or ValueError as of `open`."""
    require_regular(path)
    return path.open("rb")
