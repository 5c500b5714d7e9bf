# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes chosen by their pictures."""

import bpy

from erosion_addon.model.presets import shipped
from erosion_addon.ui import previews


def test_every_shipped_recipe_has_a_picture_and_its_words():
    items = previews.recipe_items(None, None)
    assert [item[0] for item in items] == list(shipped())
    for name, path in shipped().items():
        assert (path.parent / "previews" / f"{name}.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert all(len(item[2]) > 20 for item in items)


def test_a_picture_that_is_chosen_brings_the_recipe(terrain_object):
    settings = terrain_object.erosion
    settings.recipe_choice = "canyon"
    assert (settings.recipe_name, settings.recipe_choice) == ("canyon", "canyon")
    assert [step.kind for step in settings.steps]
    settings.recipe_name = "alpine"
    assert settings.recipe_choice == "alpine"
    assert bpy.ops.erosion.run.poll()
