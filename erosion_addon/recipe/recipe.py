# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes: a seed and an ordered list of steps, as data in TOML."""

import dataclasses
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.data_files import LARGEST_RECIPE, named, own, read, shipped, tables
from ..base.errors import InputError
from ..base.parameters import Parameters, Specification
from ..processes.registry import PROCESSES
from ..terrain.limits import NO_LIMITS, Limits
from ..terrain.strata import Strata
from .needs import NOTHING, Needs

MOST_STEPS = 64
LONGEST_NAME = 60
"""Letters that fit a row of the panel's list."""


SEED = Specification(
    "seed",
    0,
    "Random seed: each number gives another terrain of the same kind.",
    low=0,
    high=2**31 - 1,
)
EDGE_CHOICE = Specification(
    "edges",
    "open",
    "Surroundings of the terrain.",
    choices={
        "open": "Water leaves over the edges with its load",
        "closed": "The edges are walls: nothing leaves",
        "wrap": "A seamless tile: water and material that leave on one side enter on the other",
    },
)
LANDSCAPES = {
    "mountains": "Mountains",
    "desert": "Desert rock",
    "sand": "Sand and dunes",
    "water": "Rivers and water",
    "hills": "Soft hills",
    "other": "Other land",
}
"""Landscape types of recipes with their headings, in menu order."""

WIDTH = Specification(
    "width",
    0.0,
    (
        "Width of land that the lengths of the steps are made for; on narrower land they shrink "
        "with it. 0: they never do."
    ),
    low=0,
    high=1e9,
    unit="m",
)
LANDSCAPE = Specification(
    "landscape", "other", "Kind of land that the recipe makes.", choices=LANDSCAPES
)
PALETTE = Specification(
    "palette",
    "temperate",
    "Colors that suit the land.",
    choices=dict.fromkeys(shipped("palettes"), ""),
)


@dataclass(frozen=True)
class Step:
    """One step: kind, parameters, whether it is enabled, name, limits and masks.

    masks: parameter → its scale factor, one of `terrain.masks.FACTORS` (none: left out). The name
    has no effect and is ignored in comparisons. InputError for a name that is too long or spans
    lines.
    """

    kind: str
    parameters: Parameters
    enabled: bool = True
    name: str = dataclasses.field(default="", compare=False)
    limits: Limits = NO_LIMITS
    masks: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "masks", _checked_masks(self.kind, self.masks))
        if (
            not isinstance(self.name, str)
            or len(self.name) > LONGEST_NAME
            or len(self.name.splitlines()) > 1
        ):
            raise InputError(
                "name must be one line of at most {most} letters, not {name:.60}."
            ).format(most=LONGEST_NAME, name=repr(self.name))

    @property
    def title(self) -> str:
        """Display name: its own, or else that of its process."""
        return self.name or PROCESSES[self.kind].label


@dataclass(frozen=True)
class Recipe:
    """Named list of steps. Values are validated on construction; raises InputError.

    strata: rock layers with colors, if any. palette: name of the matching material colors.
    landscape: its heading, see LANDSCAPES. needs: requirements on the ground. width: least width of
    land, m, that the lengths of the steps are made for, see `scaled_to`; 0 for any.
    """

    name: str
    steps: tuple[Step, ...]
    description: str = ""
    seed: int = 0
    edges: str = "open"
    strata: Strata | None = None
    palette: str = PALETTE.default
    landscape: str = LANDSCAPE.default
    needs: Needs = NOTHING
    width: float = WIDTH.default

    def __post_init__(self) -> None:
        for key in ("name", "description"):
            text = getattr(self, key)
            if not isinstance(text, str) or len(text) > 1000:
                raise InputError(
                    "{key} must be text of at most 1000 characters, not {text:.60}."
                ).format(key=key, text=repr(text))
        if not self.name.strip():
            raise InputError('The recipe has no name; give it one, such as name = "High dunes".')
        object.__setattr__(self, "seed", SEED.checked(self.seed))
        object.__setattr__(self, "edges", EDGE_CHOICE.checked(self.edges))
        object.__setattr__(self, "palette", PALETTE.checked(self.palette))
        object.__setattr__(self, "landscape", LANDSCAPE.checked(self.landscape))
        object.__setattr__(self, "width", WIDTH.checked(self.width))
        if not 1 <= len(self.steps) <= MOST_STEPS:
            raise InputError("A recipe needs from 1 to {most} steps; this one has {count}.").format(
                most=MOST_STEPS, count=len(self.steps)
            )

    @classmethod
    def load(cls, name: str | Path) -> "Recipe":
        """Shipped recipe or user recipe by its name, or any recipe by its path (ending in
        .toml).
        """
        path = named(name) if isinstance(name, str) else name
        if path is None:
            raise InputError("There is no recipe {name:.80}; choose one of {recipes}.").format(
                name=repr(name), recipes=", ".join([*shipped(), *own()])
            )
        return cls.parse(read(path, "recipe", LARGEST_RECIPE), str(path))

    @classmethod
    def parse(cls, text: str, source: str) -> "Recipe":
        """Recipe from TOML text. source: name of the text in errors."""
        table = tables(text, source, "recipe")
        try:
            return cls.from_dict(table)
        except InputError as error:
            raise InputError("{source}: {error}").format(source=source, error=error) from None

    @classmethod
    def from_dict(cls, table: dict[str, Any]) -> "Recipe":
        """Recipe from plain tables, as in TOML or JSON; InputError for unknown keys."""
        settings = {
            "name",
            "description",
            "seed",
            "edges",
            "strata",
            "palette",
            "landscape",
            "needs",
            "step",
            "width",
        }
        for key in table:
            if key not in settings:
                raise InputError(
                    "{key} is not a key of a recipe; choose one of {settings}."
                ).format(key=key, settings=", ".join(sorted(settings)))
        steps = table.get("step", [])
        if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
            raise InputError("step must be written as [[step]] tables.")
        if len(steps) > MOST_STEPS:
            raise InputError("A recipe needs from 1 to {most} steps; this one has {count}.").format(
                most=MOST_STEPS, count=len(steps)
            )
        return cls(
            name=table.get("name", ""),
            description=table.get("description", ""),
            seed=table.get("seed", 0),
            edges=table.get("edges", "open"),
            strata=_strata(table.get("strata")),
            palette=table.get("palette", PALETTE.default),
            landscape=table.get("landscape", LANDSCAPE.default),
            needs=_needs(table.get("needs", {})),
            width=table.get("width", WIDTH.default),
            steps=tuple(_step(number, step) for number, step in enumerate(steps, 1)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain tables, the inverse of `from_dict`."""
        return {
            "name": self.name,
            "description": self.description,
            "seed": self.seed,
            "edges": self.edges,
            "palette": self.palette,
            "landscape": self.landscape,
            **({"width": self.width} if self.width else {}),
            **({"needs": self.needs.to_dict()} if self.needs != NOTHING else {}),
            **({"strata": self.strata.to_dict()} if self.strata else {}),
            "step": [_step_table(step) for step in self.steps],
        }

    def to_toml(self) -> str:
        """TOML text with every parameter written out."""
        return "\n".join(_toml_lines(self.to_dict())) + "\n"

    def scaled_to(self, width: float) -> "Recipe":
        """Recipe for land whose longer side is `width` (m): lengths shrink where that is less than
        the recipe's own width, so that small land gets the same forms in small.
        """
        if not self.width:
            return self
        ratio = width / self.width
        if ratio >= 1.0:
            return dataclasses.replace(self, width=0.0)
        strata = self.strata and self.strata.scaled(ratio)
        scaled = self.with_parameters(lambda step: step.parameters.scaled(ratio))
        return dataclasses.replace(scaled, strata=strata, width=0.0)

    def written(self, colored: bool) -> set[str]:
        """Fields that the enabled steps write beyond elevation, sediment and soil, at most.

        colored: whether the ground has colors at the start.
        """
        fields = {
            name for step in self.steps if step.enabled for name in PROCESSES[step.kind].writes
        }
        return fields if colored or self.strata else fields - {"surface_color"}

    def result_fields(self, fields: Collection[str]) -> set[str]:
        """Fields of the result, at most. fields: of the terrain at the start."""
        if any(step.enabled and PROCESSES[step.kind].makes_soil for step in self.steps):
            soil = {"soil"}
        else:
            soil = set()
        return (
            {*fields, "bedrock", "sediment", "wear", "deposition"}
            | soil
            | self.written("surface_color" in fields)
        )

    def with_parameters(self, of: Callable[[Step], Any]) -> "Recipe":
        """Copy in which each step has other parameters of its kind."""
        steps = tuple(dataclasses.replace(step, parameters=of(step)) for step in self.steps)
        return dataclasses.replace(self, steps=steps)

    def around(self, middle: tuple[float, float]) -> "Recipe":
        """Recipe for a part of the land, whose beds lie as on the whole. middle: see `Strata`."""
        return dataclasses.replace(
            self, strata=self.strata and dataclasses.replace(self.strata, middle=middle)
        )

    def with_values(self, assignments: Mapping[str, Any]) -> "Recipe":
        """Copy with parameters set: {"capacity" of "droplet" as "droplet.capacity": value}.

        The part before the dot is a kind (all its steps) or the number of a step, from 1. Limits
        and masks add a part: "droplet.limits.max_erosion", "droplet.masks.erosion_rate".
        """
        steps = list(self.steps)
        for target, value in assignments.items():
            number, _, name = target.partition(".")
            hits = [i for i, step in enumerate(steps) if number in (step.kind, str(i + 1))]
            if not hits or not name:
                available = ", ".join(f"{i}.{step.kind}" for i, step in enumerate(steps, 1))
                raise InputError(
                    "{target:.80} is not a parameter of a step, written STEP.PARAMETER; the "
                    "steps are {available}."
                ).format(target=repr(target), available=available)
            table, _, entry = name.partition(".")
            for i in hits:
                if table == "limits" and entry:
                    limits = _limits({**steps[i].limits.to_dict(), entry: value})
                    steps[i] = dataclasses.replace(steps[i], limits=limits)
                    continue
                if table == "masks" and entry:
                    steps[i] = dataclasses.replace(steps[i], masks={**steps[i].masks, entry: value})
                    continue
                values = {**steps[i].parameters.to_dict(), name: value}
                steps[i] = dataclasses.replace(
                    steps[i], parameters=type(steps[i].parameters).from_dict(values)
                )
        return dataclasses.replace(self, steps=tuple(steps))


def _strata(table: Any) -> Strata | None:
    """Strata from the name of shipped ones, or from a table."""
    if table is None:
        return None
    if isinstance(table, dict):
        return Strata.from_dict(table)
    if not isinstance(table, str) or table.lower().endswith(".toml"):
        raise InputError("strata must be a name or a table [strata], not {table:.60}.").format(
            table=repr(table)
        )
    return Strata.load(table)


def _needs(table: Any) -> Needs:
    if not isinstance(table, dict):
        raise InputError("needs must be a table [needs], not {table:.60}.").format(
            table=repr(table)
        )
    try:
        return Needs.from_dict(table)
    except InputError as error:
        raise InputError("needs: {error}").format(error=error) from None


def _limits(table: Any) -> Limits:
    if not isinstance(table, dict):
        raise InputError("limits must be a table [step.limits], not {table:.60}.").format(
            table=repr(table)
        )
    try:
        return Limits.from_dict(table)
    except InputError as error:
        raise InputError("limits: {error}").format(error=error) from None


def _checked_masks(kind: str, table: Any) -> dict[str, str]:
    """Parameter → scale factor, without "none"."""
    if not isinstance(table, Mapping):
        raise InputError("masks must be a table [step.masks], not {table:.60}.").format(
            table=repr(table)
        )
    scales = PROCESSES[kind].scales
    for name in table:
        if name in scales:
            continue
        if hasattr(PROCESSES[kind].parameters, str(name)):
            raise InputError(
                "masks: no mask can scale {name:.60} here, only {scales}: it holds for the whole "
                "step. For two values of it, use two steps, each with a strength mask."
            ).format(name=name, scales=", ".join(scales))
        raise InputError("masks: no mask can scale {name:.60} here, only {scales}.").format(
            name=name, scales=", ".join(scales)
        )
    try:
        masks = {name: scales[name].checked(mask) for name, mask in table.items()}
    except InputError as error:
        raise InputError("masks: {error}").format(error=error) from None
    return {name: masks[name] for name in scales if masks.get(name, "none") != "none"}


def _step(number: int, table: dict[str, Any]) -> Step:
    values = dict(table)
    kind = values.pop("kind", None)
    enabled = values.pop("enabled", True)
    name = values.pop("name", "")
    if not isinstance(kind, str) or kind not in PROCESSES:
        raise InputError("step {number}: kind must be one of {processes}, not {kind:.60}.").format(
            number=number, processes=", ".join(PROCESSES), kind=repr(kind)
        )
    if not isinstance(enabled, bool):
        raise InputError(
            "step {number} ({kind}): enabled must be true or false, not {enabled:.60}."
        ).format(number=number, kind=kind, enabled=repr(enabled))
    try:
        limits = _limits(values.pop("limits", {}))
        masks = values.pop("masks", {})
        return Step(
            kind, PROCESSES[kind].parameters.from_dict(values), enabled, name, limits, masks
        )
    except InputError as error:
        raise InputError("step {number} ({kind}): {error}").format(
            number=number, kind=kind, error=error
        ) from None


def _step_table(step: Step) -> dict[str, Any]:
    """Plain table, the inverse of `_step`."""
    name = {"name": step.name} if step.name else {}
    limits = {"limits": step.limits.to_dict()} if step.limits != NO_LIMITS else {}
    masks = {"masks": dict(step.masks)} if step.masks else {}
    switched = {} if step.enabled else {"enabled": False}
    return {"kind": step.kind, **name, **switched, **step.parameters.to_dict(), **limits, **masks}


def _toml_lines(table: dict[str, Any], path: str = "") -> Iterator[str]:
    """TOML lines: plain values first, then the tables and arrays of tables, whose names begin with
    `path`.
    """
    for key, value in table.items():
        if not _is_nested(value):
            # JSON's texts, numbers, booleans and lists of numbers are TOML's too.
            yield f"{key} = {_visible(json.dumps(value, ensure_ascii=False))}"
    for key, value in table.items():
        if _is_nested(value):
            for part in value if isinstance(value, list) else [value]:
                yield from ("", f"[[{path}{key}]]" if isinstance(value, list) else f"[{path}{key}]")
                yield from _toml_lines(part, f"{path}{key}.")


def _visible(text: str) -> str:
    """TOML with escapes for unprintable characters, except surrogates, which TOML lacks."""
    return "".join(
        sign if sign.isprintable() or "\ud800" <= sign <= "\udfff" else f"\\U{ord(sign):08x}"
        for sign in text
    )


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], dict)
    )
