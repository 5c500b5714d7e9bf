# SPDX-License-Identifier: GPL-3.0-or-later
"""File ▸ Import ▸ Heightmap: an image becomes a grid mesh in metres."""

from pathlib import Path

import bpy
import numpy as np
from bpy_extras.io_utils import ImportHelper

from ..model.errors import InputError
from ..scene import grid

SUFFIXES = (".npy", ".exr", ".tif", ".tiff", ".png", ".r16", ".r32", ".raw")


class EROSION_OT_heightmap_import(bpy.types.Operator, ImportHelper):
    """Make a grid mesh from a heightmap, ready to be eroded"""

    bl_idname = "erosion.heightmap_import"
    bl_label = "Import Heightmap"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: bpy.props.StringProperty(default=";".join(f"*{suffix}" for suffix in SUFFIXES), options={"HIDDEN"})
    image: bpy.props.StringProperty(
        name="Image", description="An image of this file to take instead of a file on disk", options={"SKIP_SAVE"}
    )
    cell_size: bpy.props.FloatProperty(
        name="Cell Size", description="Metres from one pixel to the next", default=10.0, min=1e-6, max=1e6
    )
    low: bpy.props.FloatProperty(name="Black", description="Height of black in metres, for images without metres")
    high: bpy.props.FloatProperty(
        name="White", description="Height of white in metres, for images without metres", default=1000.0
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            name, elevation = self._read()
            obj = grid.make_grid_object(name, elevation, (self.cell_size, self.cell_size), context.collection)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except MemoryError:
            self.report({"ERROR"}, "There is not enough memory for this heightmap; use a smaller one.")
            return {"CANCELLED"}
        if len(np.unique(elevation)) <= 256 < elevation.size:
            self.report({"WARNING"}, f"{name} has so few grey levels that its slopes are steps; use 16 bits or floats")
        for other in context.selected_objects:
            other.select_set(False)
        context.view_layer.objects.active = obj
        obj.select_set(True)
        return {"FINISHED"}

    def _note(self, sentence: str) -> None:
        self.report({"INFO"}, sentence)

    def _read(self) -> tuple[str, np.ndarray]:
        from ..model.heightmap import read_heightmap  # here, as few sessions of Blender import a heightmap
        from ..scene.image import BlenderFiles, image_heights

        if not self.image:
            path = Path(bpy.path.abspath(self.filepath))
            return path.stem, read_heightmap(path, BlenderFiles(), (self.low, self.high), note=self._note)
        image = bpy.data.images.get(self.image)
        if image is None:
            raise InputError(f"There is no image {self.image} in this file.")
        heights = image_heights(image).astype(np.float64)
        return image.name, heights if image.is_float else self.low + heights * (self.high - self.low)


def draw_import(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """The entry in File ▸ Import."""
    self.layout.operator(EROSION_OT_heightmap_import.bl_idname, text="Heightmap (.exr, .tif, .png, .npy, .r16)")


def register() -> None:
    """Add the entry to File ▸ Import."""
    bpy.types.TOPBAR_MT_file_import.append(draw_import)


def unregister() -> None:
    """Take the entry away again."""
    bpy.types.TOPBAR_MT_file_import.remove(draw_import)


CLASSES = (EROSION_OT_heightmap_import,)
