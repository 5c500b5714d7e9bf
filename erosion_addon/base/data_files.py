# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings files, shipped or the user's own: location and reading."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from .arrays import linear
from .errors import InputError
from .regular_files import open_regular

LARGEST_FILE = 64 * 1024
"""Size limit in bytes. Settings are a page of text."""

LARGEST_RECIPE = 1024 * 1024
"""Bytes. Strokes of the brush make a recipe longer: a thousand of them take half of that."""

OWN_FOLDER = "TERRAIN_EROSION_RECIPES"
"""Environment variable with the folder of the user's recipes. Blender sets a default."""

_MOST_PARTS = 8
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = rf"(?<![\w\\-]){_PART}(?:\.[ \t]*+{_PART}){{{_MOST_PARTS}}}"
"""A dotted key with too many parts: tomllib's time grows with the cube of their number.

The lookbehind keeps the search itself linear in the length of the text.
"""


def shipped(kind: str = "") -> dict[str, Path]:
    """Shipped files by name: recipes, or the contents of the folder `kind` below them.

    They lie beside the package, or inside it in a pip installation.
    """
    package = Path(__file__).resolve().parents[1]
    files = [
        path
        for folder in (package.parent, package)
        for path in (folder / "presets" / kind).glob("*.toml")
    ]
    return {path.stem: path for path in sorted(files, reverse=True)[::-1]}


def own_folder() -> Path | None:
    """Folder of the user's recipes; None if not set."""
    folder = os.environ.get(OWN_FOLDER)
    return Path(folder) if folder else None


def own() -> dict[str, Path]:
    """The user's recipes, sorted by name. Names of shipped recipes, which are the same everywhere,
    are left out.
    """
    folder = own_folder()
    shipped_names = {name.casefold() for name in shipped()}
    try:
        files = sorted(folder.iterdir(), key=lambda path: path.stem.casefold()) if folder else []
    except OSError:
        return {}
    return {
        path.stem: path
        for path in files
        if path.suffix == ".toml" and path.stem.casefold() not in shipped_names
    }


def named(name: str) -> Path | None:
    """Recipe file for a name, or for a path that ends in .toml; None for an unknown name."""
    return Path(name) if name.lower().endswith(".toml") else shipped().get(name) or own().get(name)


def file_name(path: Path) -> str:
    """Name of a recipe loaded from a file: its path. InputError if that could pass for another
    recipe's name (no .toml).
    """
    if not path.name.lower().endswith(".toml"):
        raise InputError(
            "{path} does not have the name of a recipe file; choose a name that ends in .toml."
        ).format(path=path)
    return str(path)


def is_there(path: Path) -> bool:
    """Whether a file exists at a path; false for invalid paths, such as one that is too long."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def read(path: Path, kind: str, largest: int = LARGEST_FILE) -> str:
    """Text of a file of a kind, at most `largest` bytes; InputError if it cannot be that."""
    try:
        with open_regular(path) as file:
            content = file.read(largest + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        if isinstance(error, InputError):
            raise
        raise InputError("The {kind} {path} cannot be read: {reason}.").format(
            kind=kind, path=path, reason=getattr(error, "strerror", None) or error
        ) from None
    if len(content) > largest:
        raise InputError("{path} is larger than {largest} KB, so it is not a {kind}.").format(
            path=path, largest=largest // 1024, kind=kind
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("{path} is not UTF-8 text, so it is not a {kind}.").format(
            path=path, kind=kind
        ) from None


def tables(text: str, source: str, kind: str) -> dict[str, Any]:
    """Parsed TOML tables; InputError if the text is not valid. source: name of the text in
    errors.
    """
    if re.search(_LONG_KEY, text):
        raise InputError(
            "{source} has a key with more than {most} parts between dots, so it is not a {kind}."
        ).format(source=source, most=_MOST_PARTS, kind=kind)
    try:
        return tomllib.loads(text)
    except ValueError as error:  # also a number of thousands of digits, which is no TOMLDecodeError
        raise InputError("{source} is not valid TOML: {error}.").format(
            source=source, error=error
        ) from None
    except RecursionError:
        raise InputError("{source} is nested too deeply to be a {kind}.").format(
            source=source, kind=kind
        ) from None


def linear_color(key: str, value: object) -> tuple[float, float, float]:
    """Linear RGB of an sRGB color "#rrggbb"; InputError that names `key` for anything else."""
    if not isinstance(value, str) or not re.fullmatch("#[0-9a-fA-F]{6}", value):
        raise InputError('{key} must be a color like "#a08060", not {value:.60}.').format(
            key=key, value=repr(value)
        )
    red, green, blue = linear(
        np.array([int(value[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    ).tolist()
    return red, green, blue
