# SPDX-License-Identifier: GPL-3.0-or-later
"""Options for reading a heightmap that does not say what it is, shared by all commands with an
input.
"""

import argparse
from collections.abc import Mapping
from typing import Any

from ...files.reading.record import BYTE_ORDERS, DEPTHS, NUMBERS, UNITS, Reading
from .values import count, level, number, whole

OPTIONS: Mapping[str, dict[str, Any]] = {
    "cell_size": {
        "metavar": "METERS",
        "type": number,
        "help": "side of a cell; default: the file's, or 1",
    },
    "numbers": {
        "choices": NUMBERS,
        "help": "what the numbers of the file are; default: by its kind",
    },
    "unit": {
        "choices": tuple(UNITS),
        "help": "of heights: meters, feet, US survey feet; default: the file's, or m",
    },
    "no_data": {
        "metavar": "NUMBER",
        "type": number,
        "help": "number of cells without data; nan: none, every number is a height",
    },
    "holes": {
        "metavar": "fill|METERS",
        "type": level,
        "help": (
            "cells without data: filled from the heights around, or sea at this level; default: "
            "fill"
        ),
    },
    "byte_order": {"choices": BYTE_ORDERS, "help": "of a raw file; default: the smoother one"},
    "depth": {
        "choices": DEPTHS,
        "help": "of a raw file: shades, signed numbers, floats; default: the smoothest",
    },
    "flip_rows": {"action": "store_true", "help": "the first row lies at the other end than usual"},
    "every": {"metavar": "N", "type": count, "help": "read each N-th cell of each N-th row"},
    "window": {
        "nargs": 4,
        "type": whole,
        "metavar": ("X", "Y", "COLS", "ROWS"),
        "help": "read these cells, counted from the lower left corner",
    },
}
"""Options by the name of their value."""

_FLAGS = {"spacing": "--cell-size", "flip": "--flip-rows", "sea_level": "--holes"}
"""Options of other names than the fields of `Reading`."""


def add_reading(command: argparse.ArgumentParser) -> None:
    """Add the options to a command."""
    for name, settings in OPTIONS.items():
        command.add_argument(flag(name), **settings)


def flag(name: str) -> str:
    """Option that sets a field of `Reading`."""
    return _FLAGS.get(name, f"--{name.replace('_', '-')}")


def reading_of(given: argparse.Namespace) -> Reading:
    """Options of reading on the command line."""
    holes = "fill" if given.holes in (None, "fill") else "sea"
    return Reading(
        height_range=tuple(given.height_range) if given.height_range else None,
        numbers=given.numbers or "auto",
        unit=given.unit or "auto",
        no_data=given.no_data,
        holes=holes,
        sea_level=given.holes if holes == "sea" else 0.0,
        byte_order=given.byte_order or "auto",
        depth=given.depth or "auto",
        flip=given.flip_rows,
        size=given.input_size if hasattr(given, "input_size") else given.size,
        spacing=None if given.cell_size is None else (given.cell_size, given.cell_size),
        every=given.every or 1,
        window=tuple(given.window) if given.window else None,
    )


def given_reading(given: argparse.Namespace, but: str = "") -> list[str]:
    """Options of reading that stand on the command line, with their values, as words of it. but: an
    option left out.
    """
    words = []
    for name, settings in OPTIONS.items():
        value = getattr(given, name)
        if value is None or value is False or name == but:
            continue
        values = value if isinstance(value, list) else [value]
        words += [flag(name), *([] if "action" in settings else map(str, values))]
    return words
