# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters are declared once: default, range, unit and one sentence beside each dataclass field.

Recipe files, Blender's properties, ``--set`` on the command line and the manual's table all read these declarations.
"""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .errors import InputError


@dataclass(frozen=True)
class Specification:
    """What is known about one parameter; `low` and `high` belong to the range."""

    name: str
    default: Any
    sentence: str
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""
    seed_name: str = ""
    choices: tuple[str, ...] = ()
    row_names: tuple[str, ...] = ()

    @property
    def range_text(self) -> str:
        """The allowed values in words, for refusals and the manual."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.row_names:
            return f"a list of [{', '.join(self.row_names)}], each from {self.low:g} to {self.high:g}"
        if isinstance(self.default, bool):
            return "true or false"
        whole = "a whole number " if isinstance(self.default, int) else ""
        return f"{whole}from {self.low:g} to {self.high:g}"

    def checked(self, value: Any) -> Any:
        """`value` in the type of the default; InputError if it is of another type or out of range."""
        try:
            return self._converted(value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{self.name} must be {self.range_text}, not {value!r:.60}.") from None

    def _converted(self, value: Any) -> Any:
        if self.choices:
            if value not in self.choices:
                raise ValueError
            return value
        if self.row_names:
            return tuple(tuple(self._number(number) for number in self._row(row)) for row in value)
        if isinstance(self.default, bool):
            if not isinstance(value, bool):
                raise TypeError
            return value
        number = self._number(value)
        if isinstance(self.default, int):
            if number != int(number):
                raise ValueError
            return int(number)
        return number

    def _row(self, row: Any) -> Sequence[Any]:
        if isinstance(row, str) or len(row) != len(self.row_names):
            raise ValueError
        return row  # type: ignore[no-any-return]

    def _number(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError
        if not self.low <= value <= self.high:  # NaN fails this too
            raise ValueError
        return float(value)


def parameter(default: Any, sentence: str, **specification: Any) -> Any:
    """A dataclass field with its declaration; see `Specification` for the keywords."""
    return dataclasses.field(default=default, metadata={"sentence": sentence, **specification})


def specifications(parameters: Any) -> dict[str, Specification]:
    """The declarations of a parameter dataclass, by name, in order."""
    return {
        field.name: Specification(field.name, field.default, **field.metadata)
        for field in dataclasses.fields(parameters)
    }


class Parameters:
    """Base of the parameter dataclasses: checks every value against its declaration when one is made."""

    def __post_init__(self) -> None:
        for name, specification in specifications(self).items():
            object.__setattr__(self, name, specification.checked(getattr(self, name)))

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Parameters":
        """Parameters from a table of values; an unknown name is refused with the names there are."""
        known = specifications(cls)
        for name in values:
            if name not in known:
                raise InputError(f"{name} is not a parameter here; there are {', '.join(known)}.")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """The values by name, in the order of the declarations."""
        return {name: getattr(self, name) for name in specifications(self)}
