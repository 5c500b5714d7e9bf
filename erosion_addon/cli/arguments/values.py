# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of options: from text to numbers, sizes and settings."""

import argparse
import re
import tomllib
from typing import Any

from ...frames.record import LONGEST
from ...terrain.terrain import HIGHEST


def whole(text: str) -> int:
    """Whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a whole number") from None


def count(text: str) -> int:
    """Whole number of at least 1."""
    if whole(text) < 1:
        raise argparse.ArgumentTypeError(f"there must be at least 1, not {text}")
    return whole(text)


def number(text: str) -> float:
    """Number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a number such as 0.5 or 1e3") from None


def level(text: str) -> str | float:
    """Height of the sea, or "fill"."""
    return text if text == "fill" else number(text)


def duration(text: str) -> float:
    """Time of more than 0."""
    if not number(text) > 0:
        raise argparse.ArgumentTypeError(f"a time is more than 0, not {text}")
    return number(text)


def memory(text: str) -> float:
    """Memory of a process in GB."""
    if not 0.1 <= number(text) <= 1e6:
        raise argparse.ArgumentTypeError(f"a process has from 0.1 GB to 1e6 GB of memory, not {text}")
    return number(text)


def positive(text: str) -> float:
    """Rate or length of a film."""
    if not 0 < number(text) <= LONGEST:
        raise argparse.ArgumentTypeError(f"a rate or length is more than 0 and at most {LONGEST:g}, not {text}")
    return number(text)


def thickness(text: str) -> float:
    """Thickness of a layer in meters."""
    if not 0 < number(text) <= HIGHEST:
        raise argparse.ArgumentTypeError(f"a layer is more than 0 m thick, not {text}")
    return number(text)


def size(text: str) -> tuple[int, int]:
    """Rows and columns, from 512x1024."""
    sides = re.fullmatch(r"([0-9]{1,9})[xX×]([0-9]{1,9})", text)
    if not sides:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not two whole numbers such as 512x1024")
    return int(sides[1]), int(sides[2])


def assignment(text: str) -> tuple[str, str]:
    """Name and text, from NAME=VALUE."""
    name, separator, value = text.partition("=")
    if not (name and separator and value):
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not NAME=VALUE; put the files before the options")
    return name, value


def setting(text: str) -> tuple[str, Any]:
    """Name and value in TOML syntax; a bare word is a string."""
    name, value = assignment(text)
    try:
        values = tomllib.loads(f"value = {value}")
    except (ValueError, RecursionError):
        return name, value
    return name, values["value"] if list(values) == ["value"] else value
