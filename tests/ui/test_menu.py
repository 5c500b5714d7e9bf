# SPDX-License-Identifier: GPL-3.0-or-later
"""Object ▸ Erosion lists every operator, as the menu search (F3) finds only menu entries."""

from types import SimpleNamespace

import bpy
import pytest

import erosion_addon
from erosion_addon import ui
from erosion_addon.ui import menu
from erosion_addon.ui.recipe import own_recipes
from tests.ui.recipe.test_steps import Drawn

MENUS = {
    cls.bl_idname: cls
    for cls in (*menu.CLASSES, *own_recipes.CLASSES)
    if issubclass(cls, bpy.types.Menu)
}
ELSEWHERE = {"erosion.recipe_delete", "erosion.brush_stroke"}
"""Operators on a recipe of the user's own, which stand in the menu as soon as there is one, and
that of a tool.
"""


def offered(name):
    """The operators of a menu and of those below it, each with the text that the search shows."""
    layout = Drawn()
    MENUS[name].draw(SimpleNamespace(layout=layout), bpy.context)
    found = {}
    for called, given, named in layout.seen["calls"]:
        if called == "menu":
            found |= offered(given[0])
        elif called.startswith("operator"):
            group, operator = given[0].split(".")
            label = getattr(getattr(bpy.ops, group), operator).get_rna_type().name
            found[given[0]] = named.get("text") or label
    return found


def test_every_operator_of_the_extension_stands_in_the_menu(terrain_object):
    known = {
        cls.bl_idname
        for module in ui._MODULES
        for cls in module.CLASSES
        if issubclass(cls, bpy.types.Operator) and "INTERNAL" not in getattr(cls, "bl_options", ())
    }
    found = offered("EROSION_MT_object")
    assert known - ELSEWHERE <= set(found)
    assert all(text and text[0].isupper() for text in found.values())


@pytest.mark.parametrize("selected", [None, "EMPTY"])
def test_the_menu_is_drawn_without_a_terrain(selected):
    """The search draws every menu whose poll lets it, whatever is selected."""
    if selected:
        bpy.ops.object.add(type=selected)
    layout = Drawn()
    menu.EROSION_MT_object.draw(SimpleNamespace(layout=layout), bpy.context)
    inner = [given[0] for name, given, _ in layout.seen["calls"] if name == "menu"]
    for cls in (MENUS[name] for name in inner):
        if not hasattr(cls, "poll") or cls.poll(bpy.context):
            cls.draw(SimpleNamespace(layout=Drawn()), bpy.context)
    assert not own_recipes.EROSION_MT_recipe.poll(bpy.context)


def test_the_entry_comes_and_goes_with_the_extension():
    def entries():
        drawn = getattr(bpy.types.VIEW3D_MT_object.draw, "_draw_funcs", [])
        return sum(function.__name__ == "draw_object" for function in drawn)

    assert entries() == 1
    erosion_addon.unregister()
    assert entries() == 0
    erosion_addon.register()
    assert entries() == 1
