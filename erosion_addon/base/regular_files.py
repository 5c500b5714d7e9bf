# SPDX-License-Identifier: GPL-3.0-or-later
"""Regular files only. Reading a device, or a pipe without a writer, would never end."""

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
    """Kind of a path (links followed) in words, "" for a regular file. OSError if nothing exists
    there.
    """
    mode = path.stat().st_mode
    return "" if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "no ordinary file")


def require_regular(path: Path) -> None:
    """Raise InputError for anything but a regular file. OSError if nothing exists there."""
    if kind := kind_of(path):
        raise InputError("{path} cannot be read: it is {kind}.").format(path=path, kind=kind)


def is_in_network(path: str) -> bool:
    """Whether a full path lies in a network. A path in a file from a stranger may name a machine
    that must not be contacted.

    Windows takes slashes and backslashes alike, also mixed, and \\??\\UNC for what lies in a
    network.
    """
    return path.replace("/", "\\").startswith(("\\\\", "\\??\\"))


def is_blend_path_in_network(path: str) -> bool:
    """The same for a path in a .blend file. Leading `//` stands for the folder of that file, unless
    a full path follows.
    """
    return is_in_network(path.removeprefix("//"))


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading. InputError as in `require_regular`; OSError or ValueError as in
    `open`.
    """
    require_regular(path)
    return path.open("rb")
