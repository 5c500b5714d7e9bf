# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipe files: import, drop and export."""

from dataclasses import replace
from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ...base.data_files import file_name
from ...base.errors import Sentence
from ...recipe import user_recipes
from ...recipe.recipe import Recipe
from ...scene.terrain.active import active_terrain
from ..base.terrain_operator import allowed, reports_refusals
from ..base.translations import report
from . import previews
from .own_recipes import recipe_of_terrain
from .recipes import why_no_recipe, why_no_terrain


class EROSION_OT_recipe_import(bpy.types.Operator, ImportHelper):
    """Copy a recipe file (.toml) to your recipes, or use it for the terrain. The file is checked
    first
    """

    bl_idname = "erosion.recipe_import"
    bl_label = "Import Recipe"
    bl_options = {"UNDO"}

    filename_ext = ".toml"
    filter_glob: bpy.props.StringProperty(default="*.toml", options={"HIDDEN"})
    filepath: bpy.props.StringProperty(
        name="File", subtype="FILE_PATH", options={"PATH_SUPPORTS_BLEND_RELATIVE", "SKIP_SAVE"}
    )
    keep: bpy.props.BoolProperty(
        name="Add to My Recipes",
        description="Copy the file, so the recipe survives the deletion of the original",
        default=True,
    )
    use: bpy.props.BoolProperty(
        name="Apply to Active Object",
        description="Give the active terrain its steps and settings",
        default=True,
    )

    @reports_refusals()
    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if not self.filepath:
            return ImportHelper.invoke(self, context, event)
        # Dropped into the viewport: other files are refused before the dialog.
        name = Recipe.load(Path(self.filepath)).name
        return context.window_manager.invoke_props_dialog(
            self, title=f"Recipe {name}", confirm_text="Apply"
        )

    def draw(self, context: bpy.types.Context) -> None:
        self.layout.prop(self, "keep")
        row = self.layout.row()
        row.active = why_no_recipe(context) is None
        row.prop(self, "use")

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        path = Path(bpy.path.abspath(self.filepath))
        Recipe.load(path)
        name = user_recipes.take(path) if self.keep else file_name(path)
        if self.use and why_no_recipe(context) is None:
            active_terrain(context).erosion.recipe_name = name
        if self.keep:
            report(self, {"INFO"}, Sentence("{name} was added to your recipes").format(name=name))
        return {"FINISHED"}


class EROSION_OT_recipe_export(bpy.types.Operator, ExportHelper):
    """Write these steps and settings to a recipe file (.toml), to share or for the command line"""

    bl_idname = "erosion.recipe_export"
    bl_label = "Export Recipe"

    filename_ext = ".toml"
    filepath: bpy.props.StringProperty(
        name="File Path", subtype="FILE_PATH", options={"PATH_SUPPORTS_BLEND_RELATIVE"}
    )
    filter_glob: bpy.props.StringProperty(default="*.toml", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, why_no_terrain(context))

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        settings = active_terrain(context).erosion
        self.filepath = f"{previews.title(settings.recipe_name).lower()}.toml"
        return ExportHelper.invoke(self, context, event)

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        path = Path(bpy.path.abspath(self.filepath))
        recipe = recipe_of_terrain(active_terrain(context))
        user_recipes.write(replace(recipe, name=path.stem), path)
        report(self, {"INFO"}, Sentence("Wrote {path}").format(path=path))
        return {"FINISHED"}


class EROSION_FH_recipe(bpy.types.FileHandler):
    bl_idname = "EROSION_FH_recipe"
    bl_label = "Terrain Erosion Recipe"
    bl_import_operator = "erosion.recipe_import"
    bl_file_extensions = ".toml"

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        return context.area is not None and context.area.type == "VIEW_3D"


CLASSES = (EROSION_OT_recipe_import, EROSION_OT_recipe_export, EROSION_FH_recipe)
