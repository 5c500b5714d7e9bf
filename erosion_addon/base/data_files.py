# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of settings that come along, or that users write: where they lie, and how one is read."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from ..kernels.elementary import power
from .errors import InputError
from .regular_files import open_regular

LARGEST_FILE = 64 * 1024
"""Bytes. Settings are a page of text; anything larger is something else."""

LARGEST_RECIPE = 1024 * 1024
"""Bytes. Strokes of the brush make a recipe longer: a thousand of them take half of that."""

OWN_FOLDER = "TERRAIN_EROSION_RECIPES"
"""Environment variable: the folder of the user's own recipes. Blender sets it where the user has not."""

_MOST_PARTS = 8
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w\\-]){_PART}(?:\.[ \t]*+{_PART}){{{_MOST_PARTS}}}")
"""A key of more parts than any needs: tomllib's work grows with the cube of their number. What may begin one and how it
goes on is told so that the search itself takes no longer than the text is long."""


def shipped(kind: str = "") -> dict[str, Path]:
    """The files that come along, by name: the recipes, or what lies in the folder `kind` below them.

    They lie beside the package, or inside it where pip put them.
    """
    package = Path(__file__).resolve().parents[1]
    files = [path for folder in (package.parent, package) for path in (folder / "presets" / kind).glob("*.toml")]
    return {path.stem: path for path in sorted(files, reverse=True)[::-1]}


def own_folder() -> Path | None:
    """Where the user's own recipes lie; None where nothing says so."""
    folder = os.environ.get(OWN_FOLDER)
    return Path(folder) if folder else None


def own() -> dict[str, Path]:
    """The user's own recipes by name, in the order of their names; those that are called like a shipped one are not
    among them, as a shipped recipe is the same everywhere."""
    folder = own_folder()
    there = {name.casefold() for name in shipped()}
    try:
        files = sorted(folder.iterdir(), key=lambda path: path.stem.casefold()) if folder else []
    except OSError:
        return {}
    return {path.stem: path for path in files if path.suffix == ".toml" and path.stem.casefold() not in there}


def named(name: str) -> Path | None:
    """The recipe file of a name or path (anything that ends in .toml); None where there is no such name."""
    return Path(name) if name.lower().endswith(".toml") else shipped().get(name) or own().get(name)


def file_name(path: Path) -> str:
    """What a recipe of a file is known by from then on: its path. InputError where that would be taken for the name of
    another recipe, as it does not end in .toml."""
    if not path.name.lower().endswith(".toml"):
        raise InputError(f"{path} is not called like a recipe file; give it a name that ends in .toml.")
    return str(path)


def is_there(path: Path) -> bool:
    """Whether a path is that of a file; false for text that no system takes for a path, such as a very long one."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def read(path: Path, what: str, largest: int = LARGEST_FILE) -> str:
    """The text of a file of `largest` bytes at most; InputError where it cannot be read or can be no `what`, such as a
    recipe."""
    try:
        with open_regular(path) as file:
            content = file.read(largest + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        if isinstance(error, InputError):
            raise
        raise InputError(f"The {what} {path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if len(content) > largest:
        raise InputError(f"{path} is larger than {largest // 1024} KB, so it is no {what}.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text in UTF-8, so it is no {what}.") from None


def tables(text: str, source: str, what: str) -> dict[str, Any]:
    """The tables of TOML text; `source` is what errors call it. InputError where it can be no `what`."""
    if _LONG_KEY.search(text):
        raise InputError(f"{source} has a key of more than {_MOST_PARTS} parts between dots, so it is no {what}.")
    try:
        return tomllib.loads(text)
    except ValueError as error:  # also a number of thousands of digits, which is no TOMLDecodeError
        raise InputError(f"{source} is not valid TOML: {error}.") from None
    except RecursionError:
        raise InputError(f"{source} is nested too deeply to be a {what}.") from None


def linear_color(key: str, value: object) -> tuple[float, float, float]:
    """Linear red, green, blue of a color "#rrggbb" in sRGB; InputError, naming `key`, for anything else."""
    if not isinstance(value, str) or not re.fullmatch("#[0-9a-fA-F]{6}", value):
        raise InputError(f'{key} must be a color like "#a08060", not {value!r:.60}.')
    encoded = (int(value[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else float(power((c + 0.055) / 1.055, 2.4)) for c in encoded)
    return red, green, blue
