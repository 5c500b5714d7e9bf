# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's recipes: a folder of TOML files named after the recipes, with optional pictures
NAME.png.

No recipe name can lead to a file outside that folder.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ..base.atomic_files import DEVICES, Outputs
from ..base.data_files import LARGEST_RECIPE, OWN_FOLDER, own, own_folder, read, shipped
from ..base.errors import InputError, Sentence
from ..base.regular_files import open_regular
from .recipe import Recipe

LONGEST_NAME = 60
PICTURE = ".png"

_SIGNS = " -_+&'(),"
"""Characters allowed in names beside letters and digits of any language; valid in file names of
every system.
"""
_LARGEST_PICTURE = 4 * 1024 * 1024
_PNG = b"\x89PNG\r\n\x1a\n"


def name_for(text: str) -> str:
    """File name for a recipe called `text`; other characters become spaces.

    InputError if nothing is left, if the name is too long, or if it belongs to a shipped recipe or
    a device.
    """
    name = _clean(text)
    if not any(sign.isalnum() for sign in name):
        raise InputError(
            "{text:.60} is not a name for a recipe: it needs a letter or a digit."
        ).format(text=repr(text))
    if len(name) > LONGEST_NAME:
        raise InputError("The name of a recipe has at most {most} letters, not {count}.").format(
            most=LONGEST_NAME, count=len(name)
        )
    if unicodedata.normalize("NFKC", name).casefold() in DEVICES:
        raise InputError("{name} is the name of a device on Windows; choose another.").format(
            name=name
        )
    if name.casefold() in (recipe.casefold() for recipe in shipped()):
        raise InputError("{name} is the name of a built-in recipe; choose another one.").format(
            name=name
        )
    return name


def free_name(text: str) -> str:
    """Unused name similar to `text`; InputError as in `name_for`."""
    taken = {name.casefold() for name in [*shipped(), *own()]}
    clean = _clean(text)[: LONGEST_NAME - 4].strip()
    numbered = (f"{clean} {number}" for number in range(2, 1000))
    return name_for(next(name for name in (clean, *numbered) if name.casefold() not in taken))


def _clean(text: str) -> str:
    plain = unicodedata.normalize("NFC", text.strip())
    plain = plain[:-5] if plain.lower().endswith(".toml") else plain
    letters = (
        sign if sign in _SIGNS or unicodedata.category(sign)[0] in "LMN" else " " for sign in plain
    )
    return re.sub(" +", " ", "".join(letters)).strip()


def find(name: str) -> Path | None:
    """File of the user's recipe of that name, ignoring case, as some file systems do."""
    return {recipe.casefold(): path for recipe, path in own().items()}.get(name.casefold())


def save(recipe: Recipe, overwrite: bool = False) -> str:
    """Save a recipe among the user's own and return its name; InputError if impossible."""
    name = name_for(recipe.name)
    existing = find(name)
    if existing is not None and not overwrite:
        raise InputError(
            "You already have a recipe {stem}; choose another name, or replace it."
        ).format(stem=existing.stem)
    path = existing or _folder() / f"{name}.toml"
    write(replace(recipe, name=path.stem), path)
    return path.stem


def write(recipe: Recipe, path: Path) -> None:
    """Write a recipe to any file, atomically; InputError if impossible."""
    _publish([(path, recipe.to_toml().encode(errors="replace"))])


def take(source: Path) -> str:
    """Import a recipe file and the picture beside it into the user's recipes; returns its name.

    Never overwrites: a duplicate name becomes "NAME 2". InputError for a file that is not a recipe.
    """
    text = read(source, "recipe", LARGEST_RECIPE)
    recipe = Recipe.parse(text, str(source))
    for name, path in own().items():
        if path.resolve() == source.resolve() or (
            recipe.name == name and read(path, "recipe", LARGEST_RECIPE) == text
        ):
            return name
    name = free_name(recipe.name)
    path = _folder() / f"{name}.toml"
    picture = source.with_suffix(PICTURE)
    _publish(
        [
            (path, text.encode()),
            *((path.with_suffix(PICTURE), image) for image in _picture(picture)),
        ]
    )
    return name


def delete(name: str) -> None:
    """Delete a user recipe and its picture; InputError for any other recipe."""
    path = own().get(name)
    if path is None:
        raise InputError(
            Sentence("{name} is built in and cannot be deleted.").format(name=name)
            if name in shipped()
            else Sentence("You have no recipe {name:.80}.").format(name=repr(name))
        )
    try:
        path.unlink()
        path.with_suffix(PICTURE).unlink(missing_ok=True)
    except OSError as error:
        raise InputError("{path} cannot be deleted: {reason}.").format(
            path=path, reason=error.strerror or error
        ) from None


def _folder() -> Path:
    folder = own_folder()
    if folder is None:
        raise InputError("There is no folder for your recipes; set {variable} to one.").format(
            variable=OWN_FOLDER
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            "The folder for your recipes cannot be created: {reason}: {folder}."
        ).format(reason=error.strerror or error, folder=folder) from None
    return folder


def _picture(path: Path) -> Iterable[bytes]:
    """Bytes of the picture, if present."""
    try:
        with open_regular(path) as file:
            image = file.read(_LARGEST_PICTURE + 1)
    except (OSError, InputError):
        return
    if len(image) <= _LARGEST_PICTURE and image.startswith(_PNG):
        yield image


def _publish(files: list[tuple[Path, bytes]]) -> None:
    with Outputs() as outputs:
        for path, content in files:
            with outputs.write(outputs.plan(path, (path.suffix.lower(),))) as temporary:
                temporary.write_bytes(content)
        outputs.publish()
