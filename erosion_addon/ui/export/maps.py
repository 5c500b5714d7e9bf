# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps as files and as images in the .blend file."""

from pathlib import Path
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...base.errors import InputError, Sentence
from ...scene.companions import companions
from ...scene.terrain.active import active_terrain
from ..base import handlers
from ..base.panel import SubPanel
from ..base.terrain_operator import TerrainOperator, reports_refusals
from ..base.terrain_settings import images_of
from ..base.translations import report


def _fields(**options: Any) -> Any:
    """Property: names of fields."""
    return bpy.props.StringProperty(
        name="Fields",
        description="Names of fields, separated by commas. Empty: all fields of the terrain",
        **options,
    )


class _MapOperator(TerrainOperator):
    """Base of operators that export fields of the terrain."""

    fields: str

    def _names(self) -> list[str]:
        return [name.strip() for name in self.fields.split(",") if name.strip()]


class EROSION_OT_maps_export(_MapOperator, bpy.types.Operator):
    """Write the terrain's fields into a folder, each as FIELD.exr in the field's own unit, and its
    normal map
    """

    bl_idname = "erosion.maps_export"
    bl_label = "Export Maps"

    fields: _fields()
    directory: bpy.props.StringProperty(
        name="Folder",
        description="Folder for the maps",
        subtype="DIR_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE"},
    )
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN"})
    file_format: bpy.props.EnumProperty(
        name="Format",
        description="Kind of the files",
        items=[
            ("EXR", "EXR", "32-bit floats, in meters where the field is"),
            (
                "PNG",
                "PNG and EXR",
                "16-bit PNG for normals and fields from 0 to 1, EXR for all others",
            ),
        ],
    )
    normal_green: bpy.props.EnumProperty(
        name="Normals",
        description="Direction of the normal map's green channel",
        items=[
            ("OPENGL", "OpenGL (+Y)", "Green points to larger y, as for Blender, Unity and Godot"),
            ("DIRECTX", "DirectX (-Y)", "Green points to smaller y, as for Unreal"),
        ],
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    @reports_refusals("There is not enough memory to write the maps.")
    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...scene.derived import maps

        terrain = active_terrain(context)
        if not self.directory:
            raise InputError("No folder is chosen for the maps; give one as directory.")
        folder = Path(bpy.path.abspath(self.directory))
        png = self.file_format == "PNG"
        green = self.normal_green.lower()
        files = maps.export(
            terrain,
            folder,
            self._names(),
            png,
            green,
            terrain.erosion.edges == "wrap",
            images_of(terrain),
        )
        report(
            self,
            {"INFO"},
            Sentence("{folder}: {files}").format(
                folder=folder, files=", ".join(path.name for path in files)
            ),
        )
        return {"FINISHED"}


class EROSION_OT_images_send(_MapOperator, bpy.types.Operator):
    """Create images of the terrain's fields for other materials. Runs keep them up to date"""

    bl_idname = "erosion.images_send"
    bl_label = "Maps to Images"
    bl_options = {"REGISTER", "UNDO"}

    fields: _fields(options={"HIDDEN"})

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...scene.derived import maps

        images = maps.send(active_terrain(context), self._names())
        report(
            self,
            {"INFO"},
            Sentence("Images: {images}").format(images=", ".join(image.name for image in images)),
        )
        return {"FINISHED"}


class EROSION_PT_maps(SubPanel):
    bl_label = "Maps and Levels of Detail"

    def draw(self, context: bpy.types.Context) -> None:
        column = self.layout.column(align=True)
        column.operator("erosion.heightmap_export", icon="EXPORT")
        column.operator("erosion.maps_export", icon="EXPORT")
        column.operator("erosion.images_send", icon="IMAGE_DATA")
        row = column.row(align=True)
        row.operator("erosion.lod_add", icon="MOD_DECIM")
        if companions.find(active_terrain(context), "lod"):
            row.operator("erosion.companion_remove", text="", icon="X").kind = "lod"


@persistent
def _history_moved(*_: Any) -> None:
    from ...scene.derived import maps

    maps.forget_pixels()


CLASSES = (EROSION_OT_maps_export, EROSION_OT_images_send, EROSION_PT_maps)

HANDLERS: handlers.Handlers = (("undo_post", _history_moved), ("redo_post", _history_moved))
