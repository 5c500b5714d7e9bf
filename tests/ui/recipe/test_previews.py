# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipe pictures in the popover."""

import os
import shutil

from erosion_addon.base.data_files import shipped
from erosion_addon.recipe.recipe import LANDSCAPES, Recipe
from erosion_addon.scene.session import session
from erosion_addon.ui.recipe import previews


def test_every_shipped_recipe_stands_once_under_its_landscape_with_its_picture():
    shelves = previews.by_landscape()
    assert list(shelves) == [heading for heading in LANDSCAPES.values() if heading in shelves]
    shown = {entry.name: heading for heading, entries in shelves.items() for entry in entries}
    assert shown == {name: LANDSCAPES[Recipe.load(name).landscape] for name in shipped()}
    assert sum(map(len, shelves.values())) == len(shipped())


def test_every_shipped_recipe_has_a_square_picture_as_fine_as_blender_keeps_them():
    for path in shipped().values():
        head = previews.picture_of(path).read_bytes()[:24]
        assert head[:8] == b"\x89PNG\r\n\x1a\n"
        assert [int.from_bytes(head[at : at + 4]) for at in (16, 20)] == [256, 256]


def test_ones_own_recipe_has_its_own_picture_or_a_blank_one(own_recipes):
    own_recipes.mkdir()
    recipe = own_recipes / "mine.toml"
    picture = own_recipes / "mine.png"
    shutil.copy(shipped()["alpine"], recipe)
    assert previews.of_the_user() == [("mine", previews.blank())] and previews.blank() > 0
    previews.forget()
    # a picture that is replaced is loaded anew
    for stamp, other in enumerate(("alpine", "canyon")):
        shutil.copy(previews.picture_of(shipped()[other]), picture)
        os.utime(picture, (stamp, stamp))
        for _ in range(2):
            previews.of_the_user()
        assert previews.picture_of(recipe) == picture and len(session.recipes.pictures) == stamp + 1


def test_names_are_shown_as_people_write_them():
    assert [
        previews.title(name) for name in ("dune sea", "my Hills", "/tmp/Far Away.toml", "")
    ] == ["Dune sea", "My Hills", "Far Away", ""]
