# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the shipped recipes, to choose one by what it makes."""

from typing import Any

import bpy
import bpy.utils.previews

from ..model.presets import shipped
from ..model.recipe import Recipe

_pictures: Any = None
"""Blender's collection of the pictures, from the first look at them on."""

_items: list[tuple[str, str, str, int, int]] = []
"""Blender keeps no reference to the texts of an enumeration, so they live here."""


def recipe_items(settings: Any, context: bpy.types.Context | None) -> list[tuple[str, str, str, int, int]]:
    """The shipped recipes as items of an enumeration, each with its picture."""
    global _pictures
    if _pictures is None:
        _pictures = bpy.utils.previews.new()
        for number, (name, path) in enumerate(shipped().items()):
            picture = path.parent / "previews" / f"{name}.png"
            icon = _pictures.load(name, str(picture), "IMAGE").icon_id if picture.is_file() else 0
            _items.append((name, name.capitalize(), Recipe.load(path).description, icon, number))
    return _items


def chosen(settings: Any) -> int:
    """Number of the recipe that the settings name; 0 for one that is not shipped, as there is no item for none."""
    names = list(shipped())
    return names.index(settings.recipe_name) if settings.recipe_name in names else 0


def choose(settings: Any, number: int) -> None:
    """Take the recipe of that number."""
    settings.recipe_name = list(shipped())[number]


def forget() -> None:
    """Let go of the pictures."""
    global _pictures
    if _pictures is not None:
        bpy.utils.previews.remove(_pictures)
        _pictures = None
        _items.clear()
