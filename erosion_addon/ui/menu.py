# SPDX-License-Identifier: GPL-3.0-or-later
"""Object ▸ Erosion: all operators of the extension, for Blender's menu search (F3).

The search lists menu entries only. Entries are grayed out if they cannot act; the tooltip says why.
"""

import bpy

from ..base.errors import Sentence
from ..scene.session import session
from .base import manual
from .base.translations import sentence
from .terrain import heightmaps


class EROSION_MT_steps(bpy.types.Menu):
    """Change the steps of the recipe"""

    bl_idname = "EROSION_MT_steps"
    bl_label = "Steps"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.operator_menu_enum("erosion.step_add", "kind", icon="ADD")
        layout.operator("erosion.step_duplicate", icon="DUPLICATE")
        layout.operator("erosion.step_remove", icon="REMOVE")
        layout.operator_menu_enum("erosion.step_move", "direction")
        layout.separator()
        layout.operator("erosion.wind_add", icon="FORCE_WIND")
        layout.operator("erosion.wind_remove")


class EROSION_MT_masks(bpy.types.Menu):
    """Paint, make and show masks"""

    bl_idname = "EROSION_MT_masks"
    bl_label = "Masks"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.operator_menu_enum("erosion.mask_paint", "kind", icon="BRUSH_DATA")
        layout.operator_menu_enum("erosion.mask_show", "kind", icon="HIDE_OFF")
        layout.operator_menu_enum(
            "erosion.mask_image", "kind", text="New Mask Image", icon="IMAGE_DATA"
        )
        layout.operator_menu_enum("erosion.mask_from_field", "field", icon="MOD_VERTEX_WEIGHT")
        layout.operator_menu_enum("erosion.field_show", "field", icon="HIDE_OFF")


class EROSION_MT_look(bpy.types.Menu):
    """Material, water, plants and light of the terrain"""

    bl_idname = "EROSION_MT_look"
    bl_label = "Look"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.operator("erosion.look_add", icon="SHADERFX")
        layout.separator()
        layout.operator("erosion.material_add", icon="MATERIAL")
        layout.operator("erosion.aovs_add", icon="RENDERLAYERS")
        layout.operator("erosion.water_add", icon="MOD_OCEAN")
        layout.operator("erosion.rivers_add", icon="FORCE_CURVE")
        layout.operator("erosion.lakes_add", icon="MATFLUID")
        layout.operator("erosion.sea_add", icon="MOD_FLUIDSIM")
        layout.operator("erosion.river_carve", icon="CURVE_PATH")
        layout.operator("erosion.beds_carve", icon="IPO_QUAD")
        layout.operator("erosion.foliage_add", icon="OUTLINER_OB_CURVES")
        layout.operator("erosion.plants_add", icon="OUTLINER_OB_FORCE_FIELD")
        layout.operator("erosion.surroundings_add", icon="WORLD")
        layout.operator("erosion.light_bake", icon="LIGHT_SUN")
        layout.operator("erosion.light_remove")
        layout.operator_menu_enum("erosion.companion_remove", "kind")


class EROSION_MT_files(bpy.types.Menu):
    """Heights and maps for other programs"""

    bl_idname = "EROSION_MT_files"
    bl_label = "Export"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.operator("erosion.heightmap_export", icon="EXPORT")
        layout.operator("erosion.maps_export")
        layout.operator("erosion.landscape_put_back")
        layout.operator("erosion.images_send", icon="IMAGE_DATA")
        layout.operator("erosion.lod_add", icon="MOD_DECIM")
        layout.operator("erosion.playback_add", icon="PLAY")
        layout.operator("erosion.playback_remove")
        layout.operator("erosion.how_far", icon="TIME")


class EROSION_MT_object(bpy.types.Menu):
    """Erode terrain with rain, rivers, wind, frost and landslides"""

    bl_idname = "EROSION_MT_object"
    bl_label = "Erosion"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        _draw_sources(layout)
        layout.separator()
        _draw_run(layout)
        layout.separator()
        layout.operator("erosion.recipe_choose", icon="PRESET")
        layout.operator("erosion.recipe_reset")
        layout.operator("erosion.variants", icon="IMGDISPLAY")
        for menu in ("EROSION_MT_recipe", "EROSION_MT_steps", "EROSION_MT_masks"):
            layout.menu(menu)
        layout.separator()
        layout.menu("EROSION_MT_look")
        layout.menu("EROSION_MT_files")
        layout.separator()
        layout.operator("erosion.steps_smooth")
        layout.operator("erosion.analyze", icon="VIEWZOOM")
        layout.operator("erosion.analysis_remove")
        manual.draw_link(layout)


def _draw_sources(layout: bpy.types.UILayout) -> None:
    layout.operator("erosion.terrain_add", text="Add Terrain", icon="RNDCURVE")
    heightmaps.draw_buttons(layout)
    layout.operator("erosion.landscape_import")
    layout.operator("erosion.grid_from_mesh", icon="MESH_GRID")
    layout.operator("erosion.grid_straighten")
    layout.operator("erosion.rotation_apply")


def _draw_run(layout: bpy.types.UILayout) -> None:
    layout.operator("erosion.run", icon="PLAY")
    layout.operator("erosion.run", text="Resume", icon="FRAME_NEXT").resume = True
    layout.operator("erosion.run_region")
    layout.operator("erosion.pause", icon="PAUSE")
    layout.operator("erosion.finish", icon="CHECKMARK")
    layout.operator("erosion.cancel", icon="CANCEL")
    layout.operator("erosion.before", icon="HIDE_ON")
    layout.operator("erosion.restore", icon="LOOP_BACK")
    layout.operator("erosion.apply")


def draw_object(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the entry in the menu Object."""
    self.layout.separator()
    self.layout.menu(EROSION_MT_object.bl_idname, icon="RNDCURVE")


def draw_file(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw a note at the top of the menu File during work: it is not saved, and ends with
    Blender.
    """
    run = session.run.task
    if run is not None:
        state = Sentence(
            "{object_name} is being {doing}: saving keeps it as it was, and quitting cancels that."
        ).format(object_name=run.object_name, doing=run.doing)
        self.layout.label(text=sentence(state), icon="INFO", translate=False)
        self.layout.separator()


def register() -> None:
    """Add the entry to the menu Object, and the note to the menu File."""
    bpy.types.VIEW3D_MT_object.append(draw_object)
    bpy.types.TOPBAR_MT_file.prepend(draw_file)


def unregister() -> None:
    """Remove both."""
    bpy.types.TOPBAR_MT_file.remove(draw_file)
    bpy.types.VIEW3D_MT_object.remove(draw_object)


CLASSES = (EROSION_MT_steps, EROSION_MT_masks, EROSION_MT_look, EROSION_MT_files, EROSION_MT_object)
