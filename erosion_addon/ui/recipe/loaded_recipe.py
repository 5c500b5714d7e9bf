# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipe of an object's settings, stored with the object.

A file from another artist thus keeps its palette and strata if the recipe is not on this computer.
"""

import json
from pathlib import Path
from typing import Any

import bpy

from ...base.data_files import is_there, named
from ...base.errors import InputError
from ...recipe.recipe import PALETTE, Recipe, Step
from ...scene.session import session

PALETTE_NAME = "erosion_palette"
"""Custom property of a terrain: palette chosen by the user instead of the recipe's."""


def choose(name: str) -> None:
    """Record a recipe named by the user or a script."""
    session.recipes.trusted.add(name)


def keep(settings: Any, recipe: Recipe) -> None:
    """Store the recipe that the settings are loaded from, as chosen by the user."""
    choose(settings.recipe_name)
    settings.recipe_loaded = json.dumps({"name": settings.recipe_name, "recipe": recipe.to_dict()})


def recipe(settings: Any, steps: tuple[Step, ...] = ()) -> Recipe:
    """Recipe of the settings.

    If it cannot be found, only its name and these `steps` are known; InputError without steps.
    """
    name, loaded = _read(settings.recipe_loaded)
    if loaded is not None and name == settings.recipe_name:
        return loaded
    try:
        if not _may_be_read(settings.recipe_name):
            raise InputError(
                "The recipe {recipe_name} was chosen in another session; load it again."
            ).format(recipe_name=settings.recipe_name)
        return Recipe.load(settings.recipe_name)
    except InputError:
        if not steps:
            raise
        return Recipe(Path(settings.recipe_name).stem or "unnamed", steps)


def file_of(settings: Any) -> Path | None:
    """File of the recipe named in the settings; None for an unknown name or a path that must not be
    accessed.
    """
    return named(settings.recipe_name) if _may_be_read(settings.recipe_name) else None


def is_here(settings: Any) -> bool:
    """Whether the recipe is on this computer, as far as it may be accessed."""
    path = file_of(settings)
    return path is not None and is_there(path)


def is_gone(settings: Any) -> bool:
    """Whether the recipe was searched and is not on this computer."""
    return _may_be_read(settings.recipe_name) and not is_here(settings)


def _may_be_read(name: str) -> bool:
    """Whether a recipe may be accessed: shipped, the user's own, or a path chosen by the user."""
    return name in session.recipes.trusted or not name.lower().endswith(".toml")


@session.cached(64)
def _read(text: str) -> tuple[str, Recipe | None]:
    """Name and recipe stored by `keep`; none if missing, damaged, or of a newer release."""
    try:
        table = json.loads(text)
        return str(table["name"]), Recipe.from_dict(table["recipe"])
    except (ValueError, TypeError, KeyError, InputError, AttributeError, RecursionError):
        return "", None


def palette_of(obj: bpy.types.Object) -> str:
    """Palette of a terrain: the user's choice, or else that of its recipe."""
    if PALETTE_NAME in obj:
        return str(obj[PALETTE_NAME])
    try:
        return recipe(obj.erosion).palette
    except InputError:  # the run reports it
        return PALETTE.default
