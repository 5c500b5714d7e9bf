# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared parameters: default, range, unit and tooltip beside each dataclass field.

Recipe files, Blender's properties, ``--set`` on the command line and the manual's tables read these
declarations.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import FrozenInstanceError, dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self, dataclass_transform

from .errors import InputError, Sentence

UNLIMITED = 2**31 - 1
"""Greatest length of a list without a limit."""


class Specification(NamedTuple):
    """Declaration of one parameter. The range includes `low` and `high`.

    choices: the allowed values, each with its meaning in half a sentence. soft_low, soft_high:
    slider ends, where the allowed range is wider than the useful one. step: smallest visible
    change, where a fiftieth of the soft range is too coarse. zero: label of the value 0 where it
    means a choice, such as "Auto"; usual: first number to try instead of it. records: declarations
    of the columns, for a list of tables. most: greatest length of a list. group: heading of the
    parameter in the panel; none for the most important ones. needs: name of the parameter that
    switches this one on, and the values that do (none listed: all but 0, false and an empty list).
    width_power: power of the land's width to which the parameter grows in start terrains and in
    recipes with a `width`: 1 for a length or a rate of rising, 2 for a diffusivity.
    """

    name: str
    default: Any
    sentence: str
    low: float = -math.inf
    high: float = math.inf
    unit: str = ""
    seed_name: str = ""
    soft_low: float | None = None
    soft_high: float | None = None
    step: float | None = None
    choices: Mapping[str, str] = MappingProxyType({})
    row_names: tuple[str, ...] = ()
    records: "type[Parameters] | None" = None
    most: int = UNLIMITED
    zero: str = ""
    usual: float = 0.0
    group: str = ""
    needs: tuple[Any, ...] = ()
    width_power: int = 0

    @property
    def soft_range(self) -> tuple[float, float]:
        """Ends of the slider."""
        low = self.low if self.soft_low is None else self.soft_low
        return low, self.high if self.soft_high is None else self.soft_high

    @property
    def is_list(self) -> bool:
        """Whether a value is a list of rows or of tables."""
        return bool(self.row_names) or self.records is not None

    @property
    def is_file(self) -> bool:
        """Whether the value is a file name, empty for none."""
        return isinstance(self.default, str) and not self.choices

    def acts(self, values: Mapping[str, Any]) -> bool:
        """Whether the parameter has any effect, given the values of the others."""
        if not self.needs:
            return True
        name, *allowed = self.needs
        return values[name] in allowed if allowed else bool(values[name])

    @property
    def needs_text(self) -> str:
        """Condition under which the parameter acts, in words; empty for always."""
        if not self.needs:
            return ""
        name, *allowed = self.needs
        words = [str(value) if value != () else "none" for value in allowed]
        return f"Used only with {name}{': ' if words else ''}{' or '.join(words)}."

    @property
    def range_text(self) -> str:
        """Allowed values in words, for error messages and the manual."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.records is not None:
            return (
                f"a list of at most {self.most} tables of {', '.join(specifications(self.records))}"
            )
        if self.row_names:
            most = f" at most {self.most}" if self.most < UNLIMITED else ""
            return (
                f"a list of{most} [{', '.join(self.row_names)}], each from {self.low:g} to "
                f"{self.high:g}"
            )
        if isinstance(self.default, bool):
            return "true or false"
        if self.is_file:
            return "the name of a file"
        integer = "a whole number " if isinstance(self.default, int) else ""
        return f"{integer}from {self.low:g} to {self.high:g}"

    def checked(self, value: Any) -> Any:
        """`value` in the type of the default; InputError for another type or a value out of
        range.
        """
        try:
            return self._converted(value)
        except InputError:
            raise
        except (TypeError, ValueError, OverflowError):
            raise InputError("{name} must be {range_text}, not {value:.60}.").format(
                name=self.name, range_text=self.range_text, value=repr(value)
            ) from None

    def _converted(self, value: Any) -> Any:
        if self.choices:
            if value not in self.choices:
                raise ValueError
            return value
        if self.is_list and (isinstance(value, str) or len(value) > self.most):
            raise ValueError
        if self.records is not None:
            return tuple(self._record(number, table) for number, table in enumerate(value, 1))
        if self.row_names:
            return tuple(tuple(self._number(number) for number in self._row(row)) for row in value)
        if isinstance(self.default, bool):
            if not isinstance(value, bool):
                raise TypeError
            return value
        if self.is_file:
            if not isinstance(value, str):
                raise TypeError
            return value
        number = self._number(value)
        if isinstance(self.default, int):
            if number != int(number):
                raise ValueError
            return int(number)
        return number

    def _record(self, number: int, table: Any) -> "Parameters":
        """Checked table of a list; errors give its number."""
        assert self.records is not None
        if isinstance(table, self.records):  # checked when it was made
            return table
        if not isinstance(table, Mapping):
            raise TypeError
        try:
            return self.records.from_dict(dict(table))
        except InputError as error:
            raise InputError("{name}, number {number}: {error}").format(
                name=self.name, number=number, error=error
            ) from None

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
    """Dataclass field with its declaration; see `Specification` for the keywords."""
    return dataclasses.field(default=default, metadata={"sentence": sentence, **specification})


def specifications(parameters: Any) -> dict[str, Specification]:
    """Declarations of a parameter dataclass by name, in order."""
    return dict(_declared(parameters if isinstance(parameters, type) else type(parameters)))


@cache
def _declared(parameters: Any) -> dict[str, Specification]:
    fields = dataclasses.fields(parameters)
    return {
        field.name: Specification(field.name, field.default, **field.metadata) for field in fields
    }


def groups(parameters: Any) -> dict[str, list[Specification]]:
    """Declarations by group, "" first."""
    by_group: dict[str, list[Specification]] = {"": []}
    for specification in specifications(parameters).values():
        by_group.setdefault(specification.group, []).append(specification)
    return by_group


@dataclass_transform(frozen_default=True)
class Parameters:
    """Base class of parameters: subclasses are frozen dataclasses. Construction checks every value
    against its declaration.
    """

    retired: ClassVar[Mapping[str, tuple[Any, str]]] = {}
    """Former parameters: the value that always holds now, and a sentence with the replacement."""

    def __init_subclass__(cls) -> None:
        # The methods below serve all subclasses. Generated ones are compiled for each, at every
        # start of Blender.
        dataclass(init=False, repr=False, eq=False)(cls)

    def __init__(self, *values: Any, **by_name: Any) -> None:
        declared = specifications(self)
        arguments = dict(zip(declared, values, strict=False))
        if (
            len(arguments) < len(values)
            or arguments.keys() & by_name.keys()
            or by_name.keys() - declared.keys()
        ):
            raise TypeError(
                f"{type(self).__name__} takes each of {', '.join(declared)} once, and nothing else."
            )
        arguments |= by_name
        for name, specification in declared.items():
            object.__setattr__(
                self, name, specification.checked(arguments.get(name, specification.default))
            )
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check conditions on several values."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise FrozenInstanceError(f"cannot assign to {name}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete {name}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({values})"

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Parameters from a table of values; InputError for an unknown name, with the list of known
        names, and for a retired one with another value than it has now.
        """
        names = specifications(cls)
        current = {**values}
        for name in values:
            if name in cls.retired:
                fixed, replacement = cls.retired[name]
                if current.pop(name) != fixed:
                    raise InputError("{name} is fixed at {fixed} now. {replacement}").format(
                        name=name, fixed=fixed, replacement=Sentence(replacement)
                    )
            elif name not in names:
                raise InputError("{name} is not a parameter here; choose one of {names}.").format(
                    name=name, names=", ".join(names)
                )
        return cls(**current)

    def scaled(self, ratio: float) -> Self:
        """Parameters for land of `ratio` times the width, kept in range; see
        `Specification.width_power`.
        """
        factors = {1: ratio, 2: ratio * ratio}
        values = {
            name: min(
                max(getattr(self, name) * factors[specification.width_power], specification.low),
                specification.high,
            )
            for name, specification in specifications(self).items()
            if specification.width_power
        }
        return dataclasses.replace(self, **values)  # type: ignore[type-var]

    def to_dict(self) -> dict[str, Any]:
        """Values by name, in the order of the declarations; records become plain tables."""
        values = {name: getattr(self, name) for name in specifications(self)}
        for name, specification in specifications(self).items():
            if specification.records is not None:
                values[name] = [record.to_dict() for record in values[name]]
        return values
