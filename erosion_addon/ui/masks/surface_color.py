# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the surface color: input of the starting colors."""

from typing import Any

import bpy

from ...base.data_files import shipped
from ...scene.masks import masks
from ...scene.terrain.active import active_terrain
from ..base.panel import SubPanel

COLOR_ITEMS = [
    (
        "NONE",
        "Recipe",
        "Strata where the recipe has some, or a vertex attribute surface_color of type Color",
    ),
    ("ATTRIBUTE", "Attribute", "A color attribute of the mesh, such as vertex paint"),
    ("IMAGE", "Image", "An image, stretched over the terrain"),
    ("STRATA", "Strata", "Layers of rock of different colors, exposed by erosion"),
]


def _preselect(settings: Any, context: bpy.types.Context) -> None:
    """Preselect a layer or image for a new source."""
    obj = settings.id_data
    if settings.source == "ATTRIBUTE" and obj.type == "MESH":
        layer = masks.color_layer_for(obj, settings.layer)
        if layer != settings.layer:
            settings.layer = layer
    if settings.source == "IMAGE" and settings.image is None:
        settings.image = masks.only_image()


class EROSION_PG_surface_color(bpy.types.PropertyGroup):
    """Starting colors of the ground"""

    source: bpy.props.EnumProperty(
        name="Source",
        description="Source of the ground's colors, which erosion transports",
        items=COLOR_ITEMS,
        update=_preselect,
    )
    layer: bpy.props.StringProperty(name="Layer", description="Name of the color attribute")
    image: bpy.props.PointerProperty(
        type=bpy.types.Image,
        name="Image",
        description="The image; its corners lie on the terrain's",
    )
    strata: bpy.props.StringProperty(
        name="Strata",
        description="Name of shipped strata, or path of a .toml file",
        default="red canyon",
        search=lambda settings, context, text: list(shipped("strata")),
        search_options={"SUGGESTION"},
    )


class EROSION_MT_strata(bpy.types.Menu):
    """Layers of rock of different colors"""

    bl_idname = "EROSION_MT_strata"
    bl_label = "Strata"

    def draw(self, context: bpy.types.Context) -> None:
        for name in shipped("strata"):
            change = self.layout.operator("wm.context_set_string", text=name.capitalize())
            change.data_path = "terrain.erosion.surface_color.strata"
            change.value = name


class EROSION_PT_surface_color(SubPanel):
    bl_label = "Surface Color"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        terrain = active_terrain(context)
        settings = terrain.erosion.surface_color
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(settings, "source")
        if settings.source == "ATTRIBUTE":
            layout.prop_search(
                settings, "layer", terrain.data, "color_attributes", text="Attribute"
            )
        elif settings.source == "IMAGE":
            layout.template_ID(settings, "image", new="image.new", open="image.open")
        elif settings.source == "STRATA":
            row: bpy.types.UILayout = layout.row(align=True)
            row.context_pointer_set("terrain", terrain)
            row.prop(settings, "strata")
            row.menu("EROSION_MT_strata", text="", icon="DOWNARROW_HLT")


CLASSES = (EROSION_PG_surface_color, EROSION_MT_strata, EROSION_PT_surface_color)
