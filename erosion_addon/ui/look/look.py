# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for the look of a terrain: material, render passes, and the complete setup in one
click.
"""

from typing import Any

import bpy

from ...base.data_files import shipped
from ...base.errors import Sentence
from ...scene.companions import companions
from ...scene.derived import light
from ...scene.materials.aovs import AOVS
from ...scene.run.errand import Plan
from ...scene.terrain import obstacle
from ...scene.terrain.active import active_terrain
from ...worker.messages import Request
from ..base import views
from ..base.panel import SubPanel, draw_lines
from ..base.terrain_operator import allowed, reports_refusals
from ..base.terrain_settings import settings_of
from ..base.translations import report
from ..recipe import loaded_recipe
from ..run.modal import ErrandOperator


def _palettes(operator: Any, context: bpy.types.Context, edit_text: str) -> list[str]:
    return [name for name in shipped("palettes") if edit_text.lower() in name]


class EROSION_OT_material_add(bpy.types.Operator):
    """Assign a material that shows rock, plants, sediment and water in the colors of the recipe"""

    bl_idname = "erosion.material_add"
    bl_label = "Add Material"
    bl_options = {"REGISTER", "UNDO"}

    palette: bpy.props.StringProperty(
        name="Palette",
        description=(
            "Name of a palette, or path of a .toml file; empty: the previous choice, or the "
            "recipe's"
        ),
        search=_palettes,
        search_options={"SUGGESTION"},
        options={"SKIP_SAVE"},
    )
    replace: bpy.props.BoolProperty(
        name="Replace", description="Replace the materials of the terrain"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, obstacle.why_not(active_terrain(context)))

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        # its tables take a while to load
        from ...scene.materials import material

        terrain = active_terrain(context)
        visible = material.assign(
            terrain, self.palette or loaded_recipe.palette_of(terrain), self.replace
        )
        if self.palette:
            terrain[loaded_recipe.PALETTE_NAME] = self.palette
        if not visible:
            report(
                self,
                {"INFO"},
                "The terrain material is a slot now; assign faces to it, or use Replace",
            )
        return {"FINISHED"}


class EROSION_OT_aovs_add(bpy.types.Operator):
    """Add passes to the view layer for compositing: water, gloss, albedo, glow, moisture, sediment
    and wear. Without a graphics card, EEVEE takes minutes to compile the material with them
    """

    bl_idname = "erosion.aovs_add"
    bl_label = "Add Passes"
    bl_options = {"REGISTER", "UNDO"}

    remove: bpy.props.BoolProperty(
        name="Remove",
        description="Remove them from the view layer",
        options={"SKIP_SAVE", "HIDDEN"},
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...scene.materials import aovs, material

        change = aovs.remove if self.remove else aovs.add
        change(context.view_layer, material.terrain_materials())
        return {"FINISHED"}


class EROSION_OT_look_add(ErrandOperator, bpy.types.Operator):
    """Set up the look in one click: material, water, plants, sky light, and sun and camera if
    missing.

    Your own materials, lights and cameras stay
    """

    bl_idname = "erosion.look_add"
    bl_label = "Set Up Look"
    bl_options = {"REGISTER", "UNDO"}

    work = "Light"

    smooth: bpy.props.BoolProperty(
        name="Shade Smooth",
        description="Shade the terrain smooth if all of its faces are flat",
        default=True,
    )
    water: bpy.props.BoolProperty(
        name="Water Surface", description="Show the water of the last run", default=True
    )
    light: bpy.props.BoolProperty(
        name="Sky Light", description="Bake the light of the sky and the suns", default=True
    )
    foliage: bpy.props.BoolProperty(
        name="Foliage", description="Let plants grow on wet ground as shells; renders take longer"
    )
    plants: bpy.props.BoolProperty(
        name="Plants and Boulders",
        description=(
            "Scatter trees, shrubs, grass and boulders as in the palette's landscape; renders "
            "take longer"
        ),
        default=True,
    )
    passes: bpy.props.BoolProperty(name="Passes", description="Add the passes for compositing too")
    surroundings: bpy.props.BoolProperty(
        name="Surrounding Land",
        description=(
            "Continue the land around the terrain to the horizon, so that pictures show no edge; "
            "only if a camera is added too"
        ),
        default=True,
    )
    stage: bpy.props.BoolProperty(
        name="Sun, Sky and Camera",
        default=True,
        description=(
            "Add a sun, sky and camera if the scene has none. Yours stay; the lamp, camera "
            "and cube of a new file are removed if untouched"
        ),
    )
    sky: bpy.props.EnumProperty(
        name="Sky",
        description=("Daylight of the added sun and sky; a new choice changes those added before"),
        items=[
            ("morning", "Morning", "A low sun rakes over the land: relief shows best"),
            ("noon", "Noon", "A high sun and white clouds: colors show best"),
            ("overcast", "Overcast", "Soft, gray light without shadows"),
            ("golden", "Golden", "The last light of the day, low and warm"),
        ],
        options={"SKIP_SAVE"},
    )

    def plan(self) -> Plan:
        from ...scene.stage import look

        parts = {name for name in look.PARTS if getattr(self, name)}
        daylight = self.sky if self.properties.is_property_set("sky") else ""

        def change(terrain: bpy.types.Object) -> tuple[str, list[str]]:
            palette = loaded_recipe.palette_of(terrain)
            layer = bpy.context.view_layer
            sentences = look.finish(terrain, palette, parts, layer, daylight, settings_of(terrain))
            if "stage" in parts:
                views.reach(terrain)
            return "", sentences

        def requests(terrain: bpy.types.Object) -> list[Request]:
            return look.requests(terrain, parts, settings_of(terrain))

        return Plan(requests, change)


class EROSION_PT_look(SubPanel):
    bl_label = "Look"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        terrain = active_terrain(context)
        row = layout.row(align=True)
        row.operator("erosion.material_add", text="Material", icon="MATERIAL")
        row.operator("erosion.aovs_add", text="Passes", icon="RENDERLAYERS")
        if any(aov.name in context.view_layer.aovs for aov in AOVS):
            row.operator("erosion.aovs_add", text="", icon="X").remove = True
        for kind, operator, icon in (
            ("water", "erosion.water_add", "MOD_OCEAN"),
            ("rivers", "erosion.rivers_add", "FORCE_CURVE"),
            ("lakes", "erosion.lakes_add", "MATFLUID"),
            ("sea", "erosion.sea_add", "MOD_FLUIDSIM"),
            ("foliage", "erosion.foliage_add", "OUTLINER_OB_CURVES"),
            ("plants", "erosion.plants_add", "OUTLINER_OB_FORCE_FIELD"),
            ("surroundings", "erosion.surroundings_add", "WORLD"),
        ):
            row = layout.row(align=True)
            row.operator(operator, icon=icon)
            if companions.find(terrain, kind):
                row.operator("erosion.companion_remove", text="", icon="X").kind = kind
        row = layout.row(align=True)
        row.operator("erosion.river_carve", icon="CURVE_PATH")
        row.operator("erosion.beds_carve", icon="IPO_QUAD")
        if light.suns_have_moved(terrain, context.scene):
            draw_lines(
                layout,
                [Sentence("The suns have moved since the light was baked; bake it again.")],
                "INFO",
            )
        row = layout.row(align=True)
        row.operator("erosion.light_bake", icon="LIGHT_SUN")
        if light.settings_of(terrain.data):
            row.operator("erosion.light_remove", text="", icon="X")
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(terrain.erosion, "casters")


CLASSES = (EROSION_OT_material_add, EROSION_OT_aovs_add, EROSION_OT_look_add, EROSION_PT_look)
