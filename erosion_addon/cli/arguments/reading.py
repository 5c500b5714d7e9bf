# SPDX-License-Identifier: GPL-3.0-or-later
"""Options for reading an ambiguous heightmap, shared by all commands with an input."""

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
    "numbers": {"choices": NUMBERS, "help": "meaning of the numbers; default: by the kind of file"},
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
    "flip_rows": {"action": "store_true", "help": "reverse the usual order of rows"},
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


def reading_of(arguments: argparse.Namespace) -> Reading:
    """Options of reading on the command line."""
    holes = "fill" if arguments.holes in (None, "fill") else "sea"
    return Reading(
        height_range=tuple(arguments.height_range) if arguments.height_range else None,
        numbers=arguments.numbers or "auto",
        unit=arguments.unit or "auto",
        no_data=arguments.no_data,
        holes=holes,
        sea_level=arguments.holes if holes == "sea" else 0.0,
        byte_order=arguments.byte_order or "auto",
        depth=arguments.depth or "auto",
        flip=arguments.flip_rows,
        size=arguments.input_size if hasattr(arguments, "input_size") else arguments.size,
        spacing=None if arguments.cell_size is None else (arguments.cell_size, arguments.cell_size),
        every=arguments.every or 1,
        window=tuple(arguments.window) if arguments.window else None,
    )


def reading_words(arguments: argparse.Namespace, but: str = "") -> list[str]:
    """Options of reading that stand on the command line, with their values, as words of it. but: an
    option left out.
    """
    words = []
    for name, settings in OPTIONS.items():
        value = getattr(arguments, name)
        if value is None or value is False or name == but:
            continue
        values = value if isinstance(value, list) else [value]
        words += [flag(name), *([] if "action" in settings else map(str, values))]
    return words
