# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an object's settings came from: its recipe as it was when it was loaded, kept with the object.

So a file from another artist keeps its palette and its strata where the recipe is on no disk of this computer.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy

from ...base.data_files import is_there, named
from ...base.errors import InputError
from ...recipe.recipe import PALETTE, Recipe, Step
from ...scene import session

CHOSEN = "erosion_palette"
"""Custom property of a terrain: the palette that the user chose for it, instead of its recipe's."""


@dataclass(eq=False, repr=False)
class _Now:
    """What was chosen in this session."""

    chosen: set[str] = field(default_factory=set)
    """Paths of recipes that the user has chosen since Blender was started. Other paths come out of a file, maybe
    somebody else's: neither looking at a panel nor a timer may reach out to where they point, as into a network."""


_now = session.remember(_Now)


def choose(name: str) -> None:
    """The user, or a script of the user's, has named a recipe."""
    _now.chosen.add(name)


def keep(settings: Any, recipe: Recipe) -> None:
    """Remember the recipe that the settings are filled from, which the user has chosen."""
    choose(settings.recipe_name)
    settings.recipe_loaded = json.dumps({"name": settings.recipe_name, "recipe": recipe.to_dict()})


def recipe(settings: Any, steps: tuple[Step, ...] = ()) -> Recipe:
    """The recipe that the settings came from. One that is found nowhere is no more than a name and these `steps`;
    InputError without any."""
    name, kept = _read(settings.recipe_loaded)
    if kept is not None and name == settings.recipe_name:
        return kept
    try:
        if not _may_be_read(settings.recipe_name):
            raise InputError(f"The recipe {settings.recipe_name} was chosen in another session; load it again.")
        return Recipe.load(settings.recipe_name)
    except InputError:
        if not steps:
            raise
        return Recipe(Path(settings.recipe_name).stem or "unnamed", steps)


def file_of(settings: Any) -> Path | None:
    """The file of the recipe that the settings name; None where there is no such name, or it may not be looked at."""
    return named(settings.recipe_name) if _may_be_read(settings.recipe_name) else None


def is_here(settings: Any) -> bool:
    """Whether the recipe that is named is on this computer, as far as it may be looked for."""
    path = file_of(settings)
    return path is not None and is_there(path)


def is_gone(settings: Any) -> bool:
    """Whether the recipe that is named was looked for on this computer, and is not there."""
    return _may_be_read(settings.recipe_name) and not is_here(settings)


def _may_be_read(name: str) -> bool:
    """Whether a recipe is one of the shipped or the user's own, which have no path, or a path that the user chose."""
    return name in _now.chosen or not name.lower().endswith(".toml")


@session.cached(64)
def _read(text: str) -> tuple[str, Recipe | None]:
    """Name and recipe from what `keep` wrote; none from what is missing, damaged, or of a newer release."""
    try:
        table = json.loads(text)
        return str(table["name"]), Recipe.from_dict(table["recipe"])
    except (ValueError, TypeError, KeyError, InputError, AttributeError, RecursionError):
        return "", None


def palette_of(obj: bpy.types.Object) -> str:
    """The palette that the user chose for a terrain, or else the one that its recipe names."""
    if CHOSEN in obj:
        return str(obj[CHOSEN])
    try:
        return recipe(obj.erosion).palette
    except InputError:  # the run says so
        return PALETTE.default
