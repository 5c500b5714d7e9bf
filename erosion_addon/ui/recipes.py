# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes to choose from, by name or by picture."""

from typing import Any

import bpy

from ..model.errors import InputError
from ..model.presets import shipped
from ..model.recipe import Recipe
from ..scene import companions
from . import previews


class EROSION_MT_recipes(bpy.types.Menu):
    """Kinds of landscape"""

    bl_idname = "EROSION_MT_recipes"
    bl_label = "Recipes"

    def draw(self, context: bpy.types.Context) -> None:
        for name in shipped():
            self.layout.operator("erosion.recipe_load", text=name.capitalize()).name = name


class EROSION_PT_recipes(bpy.types.Panel):
    bl_label = "Recipes"
    bl_description = "Choose a recipe by its picture"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_options = {"INSTANCED"}
    bl_ui_units_x = 14

    def draw(self, context: bpy.types.Context) -> None:
        settings = companions.terrain_of(context.object).erosion
        self.layout.template_icon_view(settings, "recipe_choice", show_labels=True, scale=9.0, scale_popup=7.0)
        self.layout.label(text=settings.recipe_choice.capitalize())


class EROSION_OT_recipe_load(bpy.types.Operator):
    """Take the steps and settings of a recipe"""

    bl_idname = "erosion.recipe_load"
    bl_label = "Load Recipe"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.StringProperty(name="Recipe", description="Name of a shipped recipe, or path of a .toml file")

    @classmethod
    def description(cls, context: bpy.types.Context, operator: Any) -> str:
        try:
            return Recipe.load(operator.name).description
        except InputError:
            return cls.__doc__ or ""

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            Recipe.load(self.name)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        companions.terrain_of(context.object).erosion.recipe_name = self.name  # which fills the steps
        return {"FINISHED"}


def unregister() -> None:
    """Let go of the pictures."""
    previews.forget()


CLASSES = (EROSION_MT_recipes, EROSION_PT_recipes, EROSION_OT_recipe_load)
