# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmap import: File ▸ Import, files dropped into the viewport, and images of the .blend file."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy_extras.io_utils import ImportHelper

from ...base.arrays import Array
from ...base.errors import InputError
from ...files.formats import FORMATS, SUFFIXES
from ...scene.masks import inputs
from ...scene.terrain import grid
from ..base import views
from ..base.parameter_properties import draw_value, switch
from ..base.refusals import reports_refusals
from ..base.terrain_operator import select_only
from ..base.translations import report


class EROSION_OT_heightmap_import(bpy.types.Operator, ImportHelper):
    """Make a grid mesh from a heightmap, ready for erosion"""

    bl_idname = "erosion.heightmap_import"
    bl_label = "Import Heightmap"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: bpy.props.StringProperty(default=";".join(f"*{suffix}" for suffix in SUFFIXES), options={"HIDDEN"})
    filepath: bpy.props.StringProperty(
        name="File", subtype="FILE_PATH", options={"PATH_SUPPORTS_BLEND_RELATIVE", "SKIP_SAVE", "HIDDEN"}
    )
    source: bpy.props.EnumProperty(
        name="From",
        items=[("FILE", "File", "A file on disk"), ("IMAGE", "Image", "An image of this .blend file")],
        options={"SKIP_SAVE", "HIDDEN"},
    )
    image: bpy.props.StringProperty(
        name="Image",
        description="Image of this .blend file, used instead of a file on disk",
        options={"SKIP_SAVE"},
        search=lambda self, context, text: [image.name for image in bpy.data.images],
    )
    frame: bpy.props.BoolProperty(
        name="Show All",
        description="Move the views so that they show the whole terrain",
        options={"SKIP_SAVE", "HIDDEN"},
    )
    known_meters: bpy.props.BoolProperty(
        name="Use File Metadata",
        description="Use the cell size and height range of a GeoTIFF or side file (.json), if there is one, instead "
        "of those below",
        default=True,
    )
    measure: bpy.props.EnumProperty(
        name="Size by",
        description="Size to enter: that of one cell, or of the whole heightmap",
        items=[
            ("CELL", "Cell Size", "Meters from one pixel to the next"),
            ("WIDTH", "Width", "Meters from the left edge to the right one"),
        ],
    )
    cell_size: bpy.props.FloatProperty(
        name="Cell Size",
        description="Meters from one pixel to the next: higher values make wider, gentler land",
        default=10.0,
        min=1e-6,
        max=1e6,
        soft_min=0.1,
        soft_max=100.0,
        step=10,
        precision=5,
        unit="LENGTH",
    )
    width: bpy.props.FloatProperty(
        name="Width",
        description="Meters from the left edge to the right one: higher values make wider, gentler land",
        default=2000.0,
        min=1e-3,
        max=1e9,
        soft_min=10.0,
        soft_max=100_000.0,
        step=1000,
        precision=5,
        unit="LENGTH",
    )
    low: bpy.props.FloatProperty(
        name="Black",
        description="Height of black in meters, for images without meters",
        soft_min=-1000.0,
        soft_max=9000.0,
        step=100,
        precision=5,
        unit="LENGTH",
    )
    high: bpy.props.FloatProperty(
        name="White",
        description="Height of white in meters, for images without meters: higher values make steeper land",
        default=1000.0,
        soft_min=-1000.0,
        soft_max=9000.0,
        step=100,
        precision=5,
        unit="LENGTH",
    )
    smooth_steps: bpy.props.BoolProperty(
        name="Remove Terracing",
        description="Where there are only as many heights as 8 bits hold, smooth away the terraces between them. No "
        "height moves by more than half a step, so cliffs stay",
        default=True,
    )
    raw_size: bpy.props.IntVectorProperty(
        name="Raw Size",
        size=2,
        min=0,
        max=1 << 17,
        options={"SKIP_SAVE"},
        description="Rows and columns of a raw file. Auto: those of a square",
    )
    raw_size_auto: switch("raw_size", "Auto", (1024, 1024))["raw_size_auto"]

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        self.frame = True
        if self.source == "IMAGE":
            shown = getattr(context.space_data, "image", None)
            self.image = self.image or (shown.name if shown else "")
            return context.window_manager.invoke_props_dialog(self, title="Terrain from Image")
        if self.filepath:  # dropped into the viewport
            return context.window_manager.invoke_props_dialog(self, title=f"Terrain from {Path(self.filepath).name}")
        return ImportHelper.invoke(self, context, event)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        if self.source == "IMAGE" or self.image:
            layout.prop(self, "image", icon="IMAGE_DATA")
        else:
            layout.prop(self, "known_meters")
        layout.prop(self, "measure")
        layout.prop(self, "cell_size" if self.measure == "CELL" else "width")
        suffix = Path(self.filepath).suffix.lower()
        if suffix not in FORMATS or FORMATS[suffix].holds != "meters":
            column = layout.column(align=True)
            column.prop(self, "low")
            column.prop(self, "high")
        layout.prop(self, "smooth_steps")
        if suffix in (".raw", ".r16", ".r32"):
            draw_value(layout, self, "raw_size")

    @reports_refusals("There is not enough memory for this heightmap; use a smaller one.")
    def execute(self, context: bpy.types.Context) -> set[str]:
        name, elevation, spacing, step = self._read_image() if self.image else self._read_file()
        if self.smooth_steps and step:
            elevation = self._smoothed(elevation, step)
        obj = grid.make_grid_object(name, elevation, spacing or self._spacing(elevation), context.collection)
        if not self.image:
            inputs.made_from(obj, self._path(), self._georeference())
        if step and not self.smooth_steps:
            report(self, {"WARNING"}, f"{name} has few gray levels, so its slopes are steps of {step:.3g} m")
        select_only(context, obj)
        views.show_isolated(context, obj)
        if self.frame:
            views.frame(context, obj)
        return {"FINISHED"}

    def _read_file(self) -> tuple[str, Array, tuple[float, float] | None, float | None]:
        """Name, elevation, (row, col) spacing and step; None if unknown."""
        from ...files.heightmap import read_heights  # here, as few sessions of Blender import a heightmap
        from ...files.reading.record import Reading
        from ...files.side_file import Meters, known_meters
        from ...scene.files.image import BlenderFiles

        if self.source == "IMAGE":
            raise InputError("No image is chosen; choose one.")
        if not self.filepath:
            raise InputError("No file is chosen; give one as filepath.")
        path = self._path()
        known = known_meters(path) if self.known_meters else Meters()
        size = (self.raw_size[0], self.raw_size[1]) if all(self.raw_size) else None
        options = Reading(height_range=known.height_range or (self.low, self.high), size=size)
        elevation, record = read_heights(path, BlenderFiles(), options)
        for doubt in record.doubts:
            self._note(doubt.sentence)
        spacing = record.spacing if self.known_meters else None
        if spacing:
            row, col = spacing
            self._note(f"{path.name} says {col:.4g} × {row:.4g} m from pixel to pixel")
        return path.stem, elevation, spacing, record.step

    def _georeference(self) -> Any:
        from ...files.side_file import known_meters

        return known_meters(self._path()).georeference

    def _path(self) -> Path:
        return Path(bpy.path.abspath(self.filepath))

    def _read_image(self) -> tuple[str, Array, None, float | None]:
        from ...grid.dequantize import step_of
        from ...scene.files.image import image_heights

        image = bpy.data.images.get(self.image)
        if image is None:
            raise InputError(f"There is no image {self.image} in this file.")
        heights = image_heights(image).astype(np.float64)
        elevation = heights if image.is_float else self.low + heights * (self.high - self.low)
        return image.name, elevation, None, step_of(elevation)

    def _smoothed(self, elevation: Array, step: float) -> Array:
        from ...grid.dequantize import smooth_steps

        self._note(f"The heights came in steps of {step:.3g} m, as of 8 bits, which were smoothed away")
        return smooth_steps(elevation, step)

    def _spacing(self, elevation: Array) -> tuple[float, float]:
        """Chosen meters between rows and columns."""
        size = self.cell_size if self.measure == "CELL" else self.width / (elevation.shape[1] - 1)
        return size, size

    def _note(self, sentence: str) -> None:
        report(self, {"INFO"}, sentence)


class EROSION_FH_heightmap(bpy.types.FileHandler):
    bl_idname = "EROSION_FH_heightmap"
    bl_label = "Terrain from heightmap"
    bl_import_operator = "erosion.heightmap_import"
    bl_file_extensions = ";".join(SUFFIXES)  # of PNG, EXR and TIFF Blender asks whether they are pictures or this

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        area, region = context.area, context.region
        return area is not None and area.type == "VIEW_3D" and region is not None and region.type == "WINDOW"


def draw_buttons(layout: Any) -> None:
    """Draw the panel's buttons that make a terrain from a file or an image."""
    layout.operator("erosion.heightmap_import", icon="IMPORT")
    layout.operator("erosion.heightmap_import", text="Terrain from Image", icon="IMAGE_DATA").source = "IMAGE"


def draw_import(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the entry in File ▸ Import."""
    self.layout.operator(EROSION_OT_heightmap_import.bl_idname, text="Heightmap (.exr, .tif, .png, .npy, .r16)")


def draw_image(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the entry in the menu Image of the image editor."""
    self.layout.separator()
    self.layout.operator("erosion.heightmap_import", text="Terrain from Image", icon="MESH_GRID").source = "IMAGE"


def register() -> None:
    """Add the entries to the menus."""
    bpy.types.TOPBAR_MT_file_import.append(draw_import)
    bpy.types.IMAGE_MT_image.append(draw_image)


def unregister() -> None:
    """Remove the entries."""
    bpy.types.IMAGE_MT_image.remove(draw_image)
    bpy.types.TOPBAR_MT_file_import.remove(draw_import)


CLASSES = (EROSION_OT_heightmap_import, EROSION_FH_heightmap)
