# SPDX-License-Identifier: GPL-3.0-or-later
"""Available recipes and their preview pictures."""

from pathlib import Path
from typing import NamedTuple

import bpy
import bpy.utils.previews

from ...base.data_files import is_there, own, shipped
from ...base.errors import InputError
from ...recipe.recipe import LANDSCAPE, LANDSCAPES, Recipe
from ...recipe.user_recipes import PICTURE
from ...scene.session import session


class Entry(NamedTuple):
    """Menu entry of a recipe; icon: Blender's number of its picture."""

    name: str
    icon: int


def by_landscape() -> dict[str, list[Entry]]:
    """Shipped recipes by landscape, in the order of the headings."""
    shelves: dict[str, list[Entry]] = {heading: [] for heading in LANDSCAPES.values()}
    for name, path in sorted(shipped().items()):
        shelves[LANDSCAPES[_landscape(path)]].append(Entry(name, icon_of(path)))
    return {heading: entries for heading, entries in shelves.items() if entries}


def of_the_user() -> list[Entry]:
    """User recipes."""
    return [Entry(name, icon_of(path)) for name, path in own().items()]


def title(name: str) -> str:
    """Display name of a recipe or its file."""
    name = Path(name).stem if name.lower().endswith(".toml") else name
    return name[:1].upper() + name[1:]


def picture_of(path: Path) -> Path | None:
    """Picture of a recipe file: in the folder of previews for a shipped one, else beside the
    file.
    """
    places = (
        path.parent / "previews" / f"{path.stem}{PICTURE}",
        path.parent / f"{path.stem}{PICTURE}",
    )
    return next((place for place in places if is_there(place)), None)


def icon_of(path: Path) -> int:
    """Blender's number of a recipe file's picture; a blank one if it has none."""
    picture = picture_of(path)
    if picture is None:
        return blank()
    if session.recipes.pictures is None:
        session.recipes.pictures = bpy.utils.previews.new()
    key = f"{picture} {picture.stat().st_mtime_ns}"  # a replaced picture has another key
    return (
        session.recipes.pictures.get(key)
        or session.recipes.pictures.load(key, str(picture), "IMAGE")
    ).icon_id


@session.cached(1)
def blank() -> int:
    """Blender's placeholder picture."""
    icons = bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items
    return int(icons["IMAGE_DATA"].value)


@session.cached(256)
def _landscape(path: Path) -> str:
    """Landscape of a shipped recipe; cached, as it never changes."""
    try:
        return Recipe.load(path).landscape
    except InputError:
        return str(LANDSCAPE.default)


def forget() -> None:
    """Free the pictures."""
    if session.recipes.pictures is not None:
        bpy.utils.previews.remove(session.recipes.pictures)
        session.recipes.pictures = None
