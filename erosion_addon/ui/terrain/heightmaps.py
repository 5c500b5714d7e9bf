# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmap import: File ▸ Import, files dropped into the viewport, and images of the .blend
file.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy_extras.io_utils import ImportHelper

from ...base.errors import InputError, Sentence
from ...base.memory import available_memory
from ...files.formats import RAW_SUFFIXES, READ_SUFFIXES
from ...scene.masks import inputs, masks
from ...scene.session import session
from ...scene.terrain.mesh import make_grid_object
from ..base import handlers, views
from ..base.terrain_operator import reports_refusals, select_only
from ..base.translations import report
from .reading_display import (
    Applies,
    draw_gray,
    draw_options,
    draw_part,
    draw_record,
    draw_text,
    has_terraces,
)
from .reading_options import ReadingOptions

if TYPE_CHECKING:
    from ...files.reading.record import Record
    from ...scene.terrain import image_heights

WIDTH = 460
"""Pixels of the dialog."""


class EROSION_OT_heightmap_import(ReadingOptions, bpy.types.Operator, ImportHelper):
    """Make a grid mesh from a heightmap, ready for erosion"""

    bl_idname = "erosion.heightmap_import"
    bl_label = "Import Heightmap"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: bpy.props.StringProperty(
        default=";".join(f"*{suffix}" for suffix in READ_SUFFIXES), options={"HIDDEN"}
    )
    filepath: bpy.props.StringProperty(
        name="File",
        subtype="FILE_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE", "SKIP_SAVE", "HIDDEN"},
    )
    source: bpy.props.EnumProperty(
        name="From",
        items=[
            ("FILE", "File", "A file on disk"),
            ("IMAGE", "Image", "An image of this .blend file"),
        ],
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
    smooth_steps: bpy.props.BoolProperty(
        name="Remove Terracing",
        description=(
            "Smooth away the terraces of heights with only 8 bits. No height changes by "
            "more than half a step, so cliffs stay"
        ),
        default=True,
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        from ...scene.terrain import image_heights

        image_heights.forget()
        self.frame = True
        if self.source == "IMAGE":
            image = getattr(context.space_data, "image", None) or masks.only_image()
            self.image = self.image or (image.name if image else "")
            return self._ask(context, "Terrain from Image")
        if self.filepath:  # dropped into the viewport
            return self._ask(context, f"Terrain from {Path(self.filepath).name}")
        return ImportHelper.invoke(self, context, event)

    def check(self, context: bpy.types.Context) -> bool:
        """Read the chosen file again for `draw`, after a change in the dialog."""
        from ...scene.terrain import image_heights

        source = self._drawn_source(context)
        if source is not None:
            # `draw` shows the error.
            with suppress(InputError):
                image_heights.look(source, self.options_for(source)[0])
        return True

    def _ask(self, context: bpy.types.Context, title: str) -> set[str]:
        self.check(context)
        return context.window_manager.invoke_props_dialog(self, title=title, width=WIDTH)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        if self.source == "IMAGE" or self.image:
            layout.prop(self, "image", icon="IMAGE_DATA")
        record, measured = self._draw_record(layout, context)
        path = self._file(context)
        applies = Applies(
            record, path is not None and path.suffix.lower() in RAW_SUFFIXES, measured
        )
        if path is not None or measured:
            layout.prop(self, "known_meters")
        column = draw_gray(layout, applies.size)
        column.prop(self, "measure")
        column.prop(self, "cell_size" if self.measure == "CELL" else "width")
        column = draw_gray(layout, applies.shades).column(align=True)
        column.prop(self, "low")
        column.prop(self, "high")
        draw_gray(layout, applies.terraces).prop(self, "smooth_steps")
        draw_options(layout, self, applies)

    def _draw_record(
        self, layout: bpy.types.UILayout, context: bpy.types.Context
    ) -> "tuple[Record | None, bool]":
        """Draw the contents of the chosen file, or its error; returns its record, and whether the
        file sets the cell size.
        """
        from ...scene.terrain import image_heights

        path = self._file(context)
        source = self._drawn_source(context)
        if source is None:
            return None, False
        options = self.reading(None, None)
        measured = False
        try:
            record = image_heights.peek(source, options)
            if record is not None:
                options, measured = self.options_of(record)
                record = image_heights.peek(source, options)
        except InputError as error:
            draw_text(layout.box(), [error.sentence], "ERROR")
            return None, False
        if record is None:
            session.terrain.unread = (source if isinstance(source, Path) else source.name, options)
            handlers.call_later(_read)
            return None, False
        memory = image_heights.needed(record)
        free = available_memory()
        draw_record(layout, record, memory)
        if free is not None and memory > free:
            every, side = image_heights.fitting(record, free)
            self._draw_ways_out(layout, path, every, side)
        return record, measured

    def _drawn_source(self, context: bpy.types.Context) -> "image_heights.Source | None":
        """File or image that the dialog describes; None for one in a network."""
        from ...scene.terrain import image_heights

        path = self._file(context)
        source = self._image() if self.image else path
        if source is None or image_heights.is_far(source) or (path is not None and not path.name):
            return None
        return source

    def _draw_ways_out(
        self, layout: bpy.types.UILayout, path: Path | None, every: int, side: int
    ) -> None:
        """Draw the parts of a file that fit into memory. every: each n-th cell; side: cells of a
        square window.
        """
        box = layout.box()
        text = Sentence(
            "This is too large for the free memory: read one cell in {every}, or a window of "
            "{side} × {side} cells."
        ).format(every=every, side=side)
        draw_text(box, [text], "ERROR")
        draw_part(box, self)
        if path is not None:
            self.copy_to(box.operator("erosion.landscape_make", icon="MESH_GRID")).source = str(
                path
            )

    @reports_refusals("There is not enough memory for this heightmap; use a smaller one.")
    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...files.heightmap import without_steps
        from ...scene.terrain import image_heights

        source = self._source()
        options, measured = self.options_for(source)
        elevation, record = image_heights.read(source, options)
        for doubt in record.doubts:
            self._note(doubt.sentence)
        name = source.stem if isinstance(source, Path) else source.name
        assert record.spacing is not None
        if measured:
            row, col = record.spacing
            self._note(
                Sentence("{name} has pixels of {col:.4g} × {row:.4g} m").format(
                    name=image_heights.name_of(source), col=col, row=row
                )
            )
        if record.step and self.smooth_steps and has_terraces(record):
            self._note(Sentence("Smoothed away terraces of {step:.3g} m").format(step=record.step))
            elevation = without_steps(elevation, record)
        elif record.step:
            text = Sentence("{name} has terraces of {step:.3g} m: it has few levels of height")
            text = text.format(name=name, step=record.step)
            report(self, {"WARNING"} if has_terraces(record) else {"INFO"}, text)
        obj = make_grid_object(name, elevation, record.spacing, context.collection)
        if isinstance(source, Path):
            inputs.made_from(obj, source, record.georeference)
        select_only(context, obj)
        views.show_isolated(context, obj)
        if self.frame:
            views.frame(context, obj)
        return {"FINISHED"}

    def _source(self) -> "image_heights.Source":
        """File or image; InputError if none is chosen."""
        if self.image:
            image = self._image()
            if image is None:
                raise InputError("There is no image {image} in this file.").format(image=self.image)
            return image
        if self.source == "IMAGE":
            raise InputError("No image is chosen; choose one.")
        if not self.filepath:
            raise InputError("No file is chosen; give one as filepath.")
        return Path(bpy.path.abspath(self.filepath))

    def _image(self) -> bpy.types.Image | None:
        return bpy.data.images.get(self.image)

    def _file(self, context: bpy.types.Context) -> Path | None:
        """File that the dialog or the file browser shows; None for images."""
        if self.source == "IMAGE" or self.image:
            return None
        browser = context.space_data
        if isinstance(browser, bpy.types.SpaceFileBrowser) and browser.params is not None:
            return Path(os.fsdecode(browser.params.directory), browser.params.filename)
        return Path(bpy.path.abspath(self.filepath))

    def _note(self, sentence: str) -> None:
        report(self, {"INFO"}, sentence)


class EROSION_FH_heightmap(bpy.types.FileHandler):
    bl_idname = "EROSION_FH_heightmap"
    bl_label = "Terrain from heightmap"
    bl_import_operator = "erosion.heightmap_import"
    # for PNG, EXR and TIFF, Blender asks: picture or heightmap
    bl_file_extensions = ";".join(READ_SUFFIXES)

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        area = context.area
        region = context.region
        return (
            area is not None
            and area.type == "VIEW_3D"
            and region is not None
            and region.type == "WINDOW"
        )


def draw_buttons(layout: bpy.types.UILayout) -> None:
    """Draw the panel's buttons that make a terrain from a file or an image."""
    layout.operator("erosion.heightmap_import", icon="IMPORT")
    layout.operator(
        "erosion.heightmap_import", text="Terrain from Image", icon="IMAGE_DATA"
    ).source = "IMAGE"


def draw_import(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the entry in File ▸ Import."""
    self.layout.operator(
        EROSION_OT_heightmap_import.bl_idname,
        text="Heightmap (.tif, .png, .exr, .hgt, .asc, .r16, .npy)",
    )


def draw_image(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the entry in the menu Image of the image editor."""
    self.layout.separator()
    self.layout.operator(
        "erosion.heightmap_import", text="Terrain from Image", icon="MESH_GRID"
    ).source = "IMAGE"


def _read() -> None:
    """Read the file that the file browser could not draw, from a timer."""
    from ...scene.terrain import image_heights

    assert session.terrain.unread is not None
    name, options = session.terrain.unread
    source = name if isinstance(name, Path) else bpy.data.images.get(name)
    if source is not None:
        # The next drawing shows the error.
        with suppress(InputError):
            image_heights.look(source, options)
        for window in bpy.context.window_manager.windows:
            for area in window.screen.areas:
                if area.type == "FILE_BROWSER":
                    area.tag_redraw()


TIMERS: handlers.Timers = (_read,)


def register() -> None:
    """Add the entries to the menus."""
    bpy.types.TOPBAR_MT_file_import.append(draw_import)
    bpy.types.IMAGE_MT_image.append(draw_image)


def unregister() -> None:
    """Remove the entries."""
    bpy.types.IMAGE_MT_image.remove(draw_image)
    bpy.types.TOPBAR_MT_file_import.remove(draw_import)


CLASSES = (EROSION_OT_heightmap_import, EROSION_FH_heightmap)
