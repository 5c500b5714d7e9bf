# SPDX-License-Identifier: GPL-3.0-or-later
"""User recipes: save, replace and delete."""

from dataclasses import replace
from typing import Any

import bpy

from ...base.data_files import shipped
from ...base.errors import InputError, Sentence
from ...recipe import user_recipes
from ...recipe.recipe import LANDSCAPE, LANDSCAPES, PALETTE, Recipe
from ...scene.masks import masks, surface_color
from ...scene.terrain.active import active_terrain
from ..base.terrain_operator import allowed, reports_refusals
from ..base.translations import phrase, report, sentence
from . import loaded_recipe, steps
from .recipes import why_no_recipe, why_no_terrain


def recipe_of_terrain(terrain: bpy.types.Object) -> Recipe:
    """Recipe made from a terrain's settings, with springs, strata and palette; InputError for
    invalid values.
    """
    settings = terrain.erosion
    recipe = steps.recipe_of(settings, masks.spring_rows(terrain, settings.springs))
    color = settings.surface_color
    if color.source == "STRATA":
        recipe = surface_color.start(terrain, recipe, color.source, "", None, color.strata).recipe
    palette = loaded_recipe.palette_of(terrain)
    return replace(recipe, palette=palette if palette in PALETTE.choices else recipe.palette)


class EROSION_OT_recipe_save(bpy.types.Operator):
    """Save these steps and settings in your recipes"""

    bl_idname = "erosion.recipe_save"
    bl_label = "Save Recipe"
    bl_options = {"UNDO"}

    name: bpy.props.StringProperty(
        name="Name", description="Name of the recipe", options={"SKIP_SAVE"}
    )
    description: bpy.props.StringProperty(
        name="Description",
        description="Description of the landscape, shown over its picture",
        options={"SKIP_SAVE"},
    )
    landscape: bpy.props.EnumProperty(
        name="Landscape",
        description=LANDSCAPE.sentence.rstrip("."),
        default=LANDSCAPE.default,
        items=[
            (key, heading, f"Like the shipped recipes under {heading}")
            for key, heading in LANDSCAPES.items()
        ],
        options={"SKIP_SAVE"},
    )
    keep_seed: bpy.props.BoolProperty(
        name="Keep Seed", description="Store the seed too, so that loading the recipe sets it"
    )
    picture: bpy.props.BoolProperty(
        name="Picture from the Viewport",
        default=True,
        description="Use the middle of the 3D viewport, without overlays, as the recipe's picture",
    )
    overwrite: bpy.props.BoolProperty(
        name="Replace It", description="Replace your recipe of this name", options={"SKIP_SAVE"}
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, why_no_terrain(context))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        settings = active_terrain(context).erosion
        if self.overwrite and user_recipes.find(self.name):
            self._take_words(Recipe.load(self.name))
            return context.window_manager.invoke_confirm(
                self,
                event,
                title=phrase("Replace {name}?", name=self.name),
                confirm_text="Replace",
                message=phrase(
                    "Your recipe of this name gets the steps and settings of this terrain."
                ),
            )
        try:
            loaded = loaded_recipe.recipe(settings)
            self._take_words(loaded)
            wish = f"my {loaded.name}" if loaded.name in shipped() else loaded.name
            self.name = self.name or user_recipes.free_name(wish)
        except InputError:
            pass  # nothing to suggest
        return context.window_manager.invoke_props_dialog(self, width=400, confirm_text="Save")

    def _take_words(self, recipe: Recipe) -> None:
        self.description = recipe.description
        self.landscape = recipe.landscape

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.activate_init = True
        layout.prop(self, "name")
        layout.prop(self, "description")
        layout.prop(self, "landscape")
        layout.prop(self, "keep_seed")
        layout.prop(self, "picture")
        try:
            existing = user_recipes.find(user_recipes.name_for(self.name))
        except InputError as error:
            layout.label(text=sentence(error.sentence), icon="ERROR", translate=False)
            return
        if existing:
            text = phrase("You already have a recipe {name}.", name=existing.stem)
            layout.label(text=text, icon="ERROR", translate=False)
            layout.prop(self, "overwrite")

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        recipe = recipe_of_terrain(terrain)
        recipe = replace(
            recipe,
            name=self.name,
            description=self.description,
            landscape=self.landscape,
            seed=recipe.seed if self.keep_seed else 0,
        )
        name = user_recipes.save(recipe, self.overwrite)
        if why_no_recipe(context) is None:
            terrain.erosion.recipe_name = name
        report(self, {"INFO"}, Sentence("Saved {name} among your recipes").format(name=name))
        if self.picture and not bpy.app.background:
            self._take_picture(context, name)
        return {"FINISHED"}

    def _take_picture(self, context: bpy.types.Context, name: str) -> None:
        path = user_recipes.find(name)
        try:
            from ...scene.stage import viewport_picture

            viewport_picture.save(context, path.with_suffix(user_recipes.PICTURE))
        except InputError as error:
            report(self, {"WARNING"}, error.sentence)


class EROSION_OT_recipe_delete(bpy.types.Operator):
    """Delete one of your recipes. Terrains made with it keep their settings"""

    bl_idname = "erosion.recipe_delete"
    bl_label = "Delete Recipe"

    name: bpy.props.StringProperty(
        name="Name", description="Name of your recipe", options={"SKIP_SAVE"}
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return context.window_manager.invoke_confirm(
            self,
            event,
            title=phrase("Delete {name}?", name=self.name),
            confirm_text="Delete",
            message=phrase(
                "Its file is deleted. This cannot be undone. Terrains keep their settings."
            ),
        )

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        user_recipes.delete(self.name)
        report(self, {"INFO"}, Sentence("Deleted the recipe {name}").format(name=self.name))
        return {"FINISHED"}


class EROSION_MT_recipe(bpy.types.Menu):
    """Save, replace, delete and exchange recipes"""

    bl_idname = "EROSION_MT_recipe"
    bl_label = "Recipe"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return why_no_terrain(context) is None

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        name = active_terrain(context).erosion.recipe_name
        mine = user_recipes.find(name)
        layout.operator("erosion.recipe_save", text="Save As…", icon="ADD")
        if mine:
            change: Any = layout.operator(
                "erosion.recipe_save",
                text=phrase("Replace {name}", name=mine.stem),
                icon="FILE_TICK",
            )
            change.name = mine.stem
            change.overwrite = True
            layout.operator(
                "erosion.recipe_delete", text=phrase("Delete {name}", name=mine.stem), icon="TRASH"
            ).name = mine.stem
        layout.separator()
        layout.operator("erosion.recipe_load", text="Load…", icon="FILE_FOLDER").name = ""
        layout.operator("erosion.recipe_import", text="Import…", icon="IMPORT")
        layout.operator("erosion.recipe_export", text="Export…", icon="EXPORT")


CLASSES = (EROSION_OT_recipe_save, EROSION_OT_recipe_delete, EROSION_MT_recipe)
