# SPDX-License-Identifier: GPL-3.0-or-later
"""Palettes: settings of the terrain material for a landscape, as TOML data.

A file holds a `description`, the `haze_color` of the air, the `surf` at shores, controls in lower
case ("rock_color"), and a table `plants`. Colors are "#rrggbb" in sRGB, angles are in degrees,
other values are as the material shows them. Missing values keep their defaults.
"""

from dataclasses import dataclass, field
from math import radians
from pathlib import Path
from typing import Any

from ...base.data_files import linear_color, read, shipped, tables
from ...base.errors import InputError
from .node_trees.table import Socket
from .terrain.sockets import CONTROLS

FOLDER = "palettes"
"""Folder of palettes among the presets."""

HAZE = "#b9c6d4"
"""Default haze color: moist air."""

TREE_LINE = "tree_line"
"""Entry of `plants`: share of the relief up to which trees grow."""

FOREDUNE = "foredune"
"""Entry of `plants`: density of tufts on sand laid behind a beach."""

PLANTS = ("conifers", "broadleaf", "palms", "hedges", "shrubs", "tufts", "boulders")
"""Kinds that the entries of `plants` scatter."""

_PLANTS = (*PLANTS, TREE_LINE, FOREDUNE)

_SOCKETS = {socket.name.lower().replace(" ", "_"): socket for socket in CONTROLS}


@dataclass(frozen=True)
class Palette:
    """Named values of the material's controls: linear (r, g, b, 1), radians, numbers.

    haze: linear (r, g, b) of the air in the distance at noon. plants: density of each kind of plant
    where it grows best, 0-1, the tree line, and the foredune's tufts. surf: height of the breakers
    at its shores, 0-1.
    """

    name: str
    description: str
    values: dict[str, Any]
    haze: tuple[float, float, float]
    plants: dict[str, float] = field(default_factory=dict)
    surf: float = 0.0

    def color(self, control: str) -> tuple[float, float, float]:
        """Linear color of a control."""
        default = next(socket.default for socket in CONTROLS if socket.name == control)
        return tuple(self.values.get(control, default)[:3])  # type: ignore[return-value]

    @classmethod
    def load(cls, name: str) -> "Palette":
        """Shipped palette by name, or one from a file by its path (ending in .toml)."""
        path = Path(name) if name.lower().endswith(".toml") else shipped(FOLDER).get(name)
        if path is None:
            raise InputError("There is no palette {name:.80}; choose one of {folder}.").format(
                name=repr(name), folder=", ".join(shipped(FOLDER))
            )
        return cls.parse(read(path, "palette"), path.stem, str(path))

    @classmethod
    def parse(cls, text: str, name: str, source: str) -> "Palette":
        """Palette from TOML text. source: name of the text in errors."""
        table = tables(text, source, "palette")
        try:
            description = table.pop("description", "")
            if not isinstance(description, str):
                raise InputError("description must be a text, not {description:.60}.").format(
                    description=repr(description)
                )
            haze = linear_color("haze_color", table.pop("haze_color", HAZE))
            plants = _plants(table.pop("plants", {}))
            surf = _share("surf", table.pop("surf", 0.0))
            values = dict(_checked(key, value) for key, value in table.items())
            return cls(name, description, values, haze, plants, surf)
        except InputError as error:
            raise InputError("{source}: {error}").format(source=source, error=error) from None


def _checked(key: str, value: Any) -> tuple[str, Any]:
    """(name of the control, value in Blender's form); InputError for an invalid one."""
    socket = _SOCKETS.get(key)
    if socket is None:
        raise InputError(
            "{key:.80} is not a control of the terrain material; choose one of {sockets}."
        ).format(key=key, sockets=", ".join(_SOCKETS))
    if isinstance(socket.default, tuple):
        return socket.name, (*linear_color(key, value), 1.0)
    return socket.name, _number(key, value, socket)


def _plants(table: Any) -> dict[str, float]:
    """Table `plants`; InputError for an invalid one."""
    if not isinstance(table, dict):
        raise InputError("plants must be a table of numbers, not {table:.60}.").format(
            table=repr(table)
        )
    for key in table:
        if key not in _PLANTS:
            raise InputError("plants has no {key:.80}; choose one of {plants}.").format(
                key=key, plants=", ".join(_PLANTS)
            )
    return {key: _share(key, value) for key, value in table.items()}


def _share(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError("{key} must be a number from 0 to 1, not {value:.60}.").format(
            key=key, value=repr(value)
        )
    return float(value)


def _number(key: str, value: Any, socket: Socket) -> float:
    unit = radians(1) if socket.subtype == "ANGLE" else 1.0
    low = socket.low / unit
    high = socket.high / unit
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InputError(
            "{key} must be a number from {low:g} to {high:g}, not {value:.60}."
        ).format(key=key, low=low, high=high, value=repr(value))
    return float(value) * unit
