# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of options: from text to numbers, sizes, paths and settings. Each is one that everything
else can take.
"""

import argparse
import math
import os
import re
from pathlib import Path
from typing import Any

from ...base.data_files import tables
from ...base.errors import InputError
from ...run.frames.record import LONGEST
from ...terrain.terrain import HIGHEST

MOST = 2**31 - 1
"""Greatest count."""

FARTHEST = 1e12
"""Greatest number but for settings, whose ranges are their own."""

LONGEST_TIME = 1e9
"""Seconds or minutes."""

_LONGEST_PATH = 4096
_LONGEST_NAME = 255
"""Of a path and its parts, as systems take them."""


def folder(text: str) -> Path:
    """Path of a folder."""
    path = Path(text)
    try:
        longest = max(
            (len(part if os.name == "nt" else os.fsencode(part)) for part in path.parts), default=0
        )
    except UnicodeEncodeError:
        text = ""
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError(f"{str(path)!r:.60} is not a usable name")
    if len(text) > _LONGEST_PATH or longest > _LONGEST_NAME:
        raise argparse.ArgumentTypeError(f"{text!r:.60} … is too long for a name")
    return path


def file(text: str) -> Path:
    """Path of a file."""
    if not folder(text).name:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not the name of a file")
    return Path(text)


def whole(text: str) -> int:
    """Whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a whole number") from None


def count(text: str) -> int:
    """Whole number of at least 1."""
    if whole(text) < 1:
        raise argparse.ArgumentTypeError(f"there must be at least 1, not {text:.60}")
    if whole(text) > MOST:
        raise argparse.ArgumentTypeError(f"there are at most {MOST}, not {text:.60}")
    return whole(text)


def number(text: str) -> float:
    """Number, neither nan nor infinite."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a number such as 0.5 or 1e3")
    if abs(value) > FARTHEST:
        raise argparse.ArgumentTypeError(
            f"a number is from {-FARTHEST:g} to {FARTHEST:g}, not {text:.60}"
        )
    return value


def level(text: str) -> str | float:
    """Height of the sea, or "fill"."""
    return text if text == "fill" else number(text)


def duration(text: str) -> float:
    """Time of more than 0."""
    if not 0 < number(text) <= LONGEST_TIME:
        raise argparse.ArgumentTypeError(
            f"a time is more than 0 and at most {LONGEST_TIME:g}, not {text:.60}"
        )
    return number(text)


def limit(text: str) -> float:
    """Time after which to end, 0 for at once."""
    if not 0 <= number(text) <= LONGEST_TIME:
        raise argparse.ArgumentTypeError(
            f"a time limit is from 0 to {LONGEST_TIME:g}, not {text:.60}"
        )
    return number(text)


def memory(text: str) -> float:
    """Memory of a process in GB."""
    if not 0.1 <= number(text) <= 1e6:
        raise argparse.ArgumentTypeError(
            f"a process has from 0.1 GB to 1e6 GB of memory, not {text:.60}"
        )
    return number(text)


def positive(text: str) -> float:
    """Rate or length of a film."""
    if not 0 < number(text) <= LONGEST:
        raise argparse.ArgumentTypeError(
            f"a rate or length is more than 0 and at most {LONGEST:g}, not {text:.60}"
        )
    return number(text)


def thickness(text: str) -> float:
    """Thickness of a layer in meters."""
    if not 0 < number(text) <= HIGHEST:
        raise argparse.ArgumentTypeError(f"a layer is more than 0 m thick, not {text:.60}")
    return number(text)


def size(text: str) -> tuple[int, int]:
    """Rows and columns, from 512x1024."""
    sides = re.fullmatch(r"0*([1-9][0-9]{0,8})[xX×]0*([1-9][0-9]{0,8})", text)
    if not sides:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not two whole numbers such as 512x1024")
    return int(sides[1]), int(sides[2])


def assignment(text: str) -> tuple[str, str]:
    """Name and text, from NAME=VALUE."""
    name, separator, value = text.partition("=")
    if not (name and separator and value):
        raise argparse.ArgumentTypeError(
            f"{text!r:.60} is not NAME=VALUE; put the files before the options"
        )
    return name, value


def setting(text: str) -> tuple[str, Any]:
    """Name and value in TOML syntax; a bare word is a string."""
    name, value = assignment(text)
    try:
        values = tables(f"value = {value}", "The value", "setting")
    except InputError:
        return name, value
    return name, values["value"] if list(values) == ["value"] else value
