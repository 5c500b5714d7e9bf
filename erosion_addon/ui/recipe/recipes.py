# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipe picker with pictures, and the comparison of settings with their recipe."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy

from ...base.data_files import OWN_FOLDER, file_name
from ...base.errors import InputError, Sentence
from ...recipe.recipe import Recipe
from ...scene.session import session
from ...scene.terrain.active import active_terrain
from ..base.panel import draw_lines
from ..base.terrain_operator import allowed, reports_refusals
from ..base.translations import phrase, tooltip
from . import loaded_recipe, previews, steps


def recipes() -> Path:
    """Recipe folder, possibly missing; in Blender's user folder if the extension is not
    installed.
    """
    package = ".".join(__package__.split(".")[:3])
    if package.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(package, path="recipes"))
    return Path(bpy.utils.user_resource("CONFIG", path="terrain_erosion/recipes"))


def offer() -> None:
    """Set the environment variable for the command line and the worker."""
    if not os.environ.get(OWN_FOLDER):
        os.environ[OWN_FOLDER] = str(recipes())
        session.recipes.folders.append(os.environ[OWN_FOLDER])


def withdraw() -> None:
    """Undo `offer`."""
    if session.recipes.folders and os.environ.get(OWN_FOLDER) == session.recipes.folders.pop():
        del os.environ[OWN_FOLDER]


TILE = 5.25
"""Picture size in the popover, in interface units, so it scales with the interface; six rows fit
860 pixels.
"""
PICTURE = 4.0
"""Picture size in the side panel: the height of the three rows beside it."""
_ACROSS = 6.0
"""Column width of pictures, enough for the longest recipe names."""
_NONE = 0.01
"""Height of an element without height; the next one is drawn over it."""


def why_no_terrain(context: bpy.types.Context) -> str | None:
    """Reason why there is no terrain with a recipe; None if there is one."""
    terrain = active_terrain(context)
    if terrain is not None and terrain.type == "MESH":
        return None
    return Sentence("Select a terrain: a mesh that is a grid")


def why_no_recipe(context: bpy.types.Context) -> str | None:
    """Reason why no terrain can load a recipe; None if there is one in this file."""
    if reason := why_no_terrain(context):
        return reason
    terrain = active_terrain(context)
    assert terrain is not None
    if terrain.is_editable:
        return None
    return Sentence("{name} is linked from another file, which holds its settings").format(
        name=terrain.name
    )


def is_changed(settings: Any) -> bool:
    """Whether steps or edges differ from the loaded recipe; the seed does not count."""
    try:
        loaded = loaded_recipe.recipe(settings)
        current = steps.recipe_of(settings, [])
    except InputError:
        return False
    return replace(current, seed=loaded.seed) != replace(
        loaded, edges=steps.edges_of(settings, loaded)
    )


def shown_name(settings: Any) -> str:
    """Recipe name with its state, such as (changed)."""
    if not settings.recipe_name:
        return "Choose a Recipe"
    name = previews.title(settings.recipe_name)
    if loaded_recipe.is_gone(settings):
        return phrase("{name} (not on this computer)", name=name)
    return phrase("{name} (changed)", name=name) if is_changed(settings) else name


def draw_choice(layout: bpy.types.UILayout, settings: Any) -> None:
    """Draw the recipe of a terrain: picture and name, which open the picker, the file menu, and
    settings outside the steps.
    """
    path = loaded_recipe.file_of(settings)
    icon = previews.icon_of(path) if path else previews.blank()
    row = layout.split(factor=0.34)
    picture = row.column(align=True)
    below = picture.column()
    below.ui_units_y = _NONE
    below.scale_y = PICTURE
    below.emboss = "PULLDOWN_MENU"
    below.operator("erosion.recipe_choose", text="")
    picture.template_icon(icon, scale=PICTURE)
    column = row.column()
    name = column.row(align=True)
    name.operator("erosion.recipe_choose", text=shown_name(settings))
    if is_changed(settings):
        name.operator("erosion.recipe_reset", text="", icon="LOOP_BACK")
    name.menu("EROSION_MT_recipe", text="", icon="DOWNARROW_HLT")
    column.prop(settings, "seed")
    column.prop(settings, "edges")
    if steps.opens_edges(settings):
        draw_lines(layout, [steps.OPENED], "INFO")


class EROSION_PT_recipes(bpy.types.Panel):
    bl_label = "Recipes"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_options = {"INSTANCED"}
    bl_ui_units_x = int(_ACROSS * 5 + 1)

    def draw(self, context: bpy.types.Context) -> None:
        current = active_terrain(context).erosion.recipe_name
        shelves = previews.by_landscape()
        mine = previews.of_the_user()
        row = self.layout.row()
        for heading, entries in shelves.items():
            column = row.column()
            column.label(text=heading)
            for entry in entries:
                _draw_recipe(column, entry, current)
        if mine:
            self.layout.separator(type="LINE")
            self.layout.label(text="My Recipes")
        for number, entry in enumerate(mine):
            if number % len(shelves) == 0:
                row = self.layout.row()
                row.alignment = "LEFT"
            column = row.column()
            column.ui_units_x = _ACROSS
            _draw_recipe(column, entry, current)


def _draw_recipe(layout: bpy.types.UILayout, entry: previews.Entry, current: str) -> None:
    """Draw the picture and name of a recipe as one large button."""
    tile = layout.column(align=True)
    is_current = entry.name == current
    height = TILE if is_current else TILE + 1.2  # on its color the name is hard to read
    draw_tile(tile, entry.icon, TILE, height, is_current, "erosion.recipe_load").name = entry.name
    name = tile.row()
    name.alignment = "CENTER"
    name.label(text=previews.title(entry.name))


def draw_tile(
    layout: bpy.types.UILayout,
    icon: int,
    side: float,
    height: float,
    is_current: bool,
    operator: str,
) -> Any:
    """Draw a picture as a large button, both sizes in interface units; returns the operator's
    properties.
    """
    below = layout.column()
    below.ui_units_y = _NONE
    below.scale_y = height
    below.emboss = "PULLDOWN_MENU"
    properties = below.operator(operator, text="", depress=is_current)
    layout.template_icon(icon, scale=side)
    return properties


class EROSION_OT_recipe_choose(bpy.types.Operator):
    """Choose a landscape by its picture"""

    bl_idname = "erosion.recipe_choose"
    bl_label = "Choose a Recipe"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, why_no_recipe(context))

    def execute(self, context: bpy.types.Context) -> set[str]:
        # This panel closes with the click that chooses, unlike one of `layout.popover`.
        return bpy.ops.wm.call_panel(name=EROSION_PT_recipes.__name__, keep_open=False)


class EROSION_OT_recipe_load(bpy.types.Operator):
    """Load the steps and settings of a recipe"""

    bl_idname = "erosion.recipe_load"
    bl_label = "Load Recipe"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.StringProperty(
        name="Recipe",
        description="Name of a recipe, or path of a .toml file",
        options={"SKIP_SAVE", "HIDDEN"},
    )
    filepath: bpy.props.StringProperty(
        name="File",
        description="Recipe file to load instead",
        subtype="FILE_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE", "SKIP_SAVE", "HIDDEN"},
    )
    filter_glob: bpy.props.StringProperty(default="*.toml", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, why_no_recipe(context))

    @classmethod
    def description(cls, context: bpy.types.Context, operator: Any) -> str:
        try:
            return tooltip(Recipe.load(operator.name).description)
        except InputError:
            return cls.__doc__ or ""

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if self.name or self.filepath:
            return self.execute(context)
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        name = file_name(Path(bpy.path.abspath(self.filepath))) if self.filepath else self.name
        Recipe.load(name)
        active_terrain(context).erosion.recipe_name = name  # fills the steps
        return {"FINISHED"}


class EROSION_OT_recipe_reset(bpy.types.Operator):
    """Reset the steps and edges to the recipe, discarding your changes"""

    bl_idname = "erosion.recipe_reset"
    bl_label = "Reset to Recipe"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, why_no_recipe(context))

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = active_terrain(context).erosion
        shipped = loaded_recipe.is_here(settings)
        recipe = Recipe.load(settings.recipe_name) if shipped else loaded_recipe.recipe(settings)
        steps.fill(settings, recipe)
        return {"FINISHED"}


def register() -> None:
    """Set the folder of the user's recipes."""
    offer()


def unregister() -> None:
    """Free the folder setting and the pictures."""
    withdraw()
    previews.forget()


CLASSES = (
    EROSION_PT_recipes,
    EROSION_OT_recipe_choose,
    EROSION_OT_recipe_load,
    EROSION_OT_recipe_reset,
)
