# SPDX-License-Identifier: GPL-3.0-or-later
"""Where an object's settings came from: its recipe as it was when it was loaded, kept with the object.

So a file from another artist keeps its palette and its strata where the recipe is on no disk of this computer.
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..model.errors import InputError
from ..model.presets import is_there, named
from ..model.recipe import Recipe, Step


def keep(settings: Any, recipe: Recipe) -> None:
    """Remember the recipe that the settings are filled from."""
    settings.recipe_loaded = json.dumps({"name": settings.recipe_name, "recipe": recipe.to_dict()})


def recipe(settings: Any, steps: tuple[Step, ...] = ()) -> Recipe:
    """The recipe that the settings came from. One that is found nowhere is no more than a name and these `steps`;
    InputError without any."""
    name, kept = _read(settings.recipe_loaded)
    if kept is not None and name == settings.recipe_name:
        return kept
    try:
        return Recipe.load(settings.recipe_name)
    except InputError:
        if not steps:
            raise
        return Recipe(Path(settings.recipe_name).stem or "unnamed", steps)


def file_of(settings: Any) -> Path | None:
    """The file of the recipe that the settings name. None where there is no such name, and for a place in the network:
    looking at a panel must not reach out to where somebody else's file points."""
    return None if settings.recipe_name.startswith(("//", "\\\\")) else named(settings.recipe_name)


def is_here(settings: Any) -> bool:
    """Whether the recipe that is named is on this computer."""
    path = file_of(settings)
    return path is not None and is_there(path)


@lru_cache(maxsize=64)
def _read(text: str) -> tuple[str, Recipe | None]:
    """Name and recipe from what `keep` wrote; none from what is missing, damaged, or of a newer release."""
    try:
        table = json.loads(text)
        return str(table["name"]), Recipe.from_dict(table["recipe"])
    except (ValueError, TypeError, KeyError, InputError, AttributeError, RecursionError):
        return "", None
