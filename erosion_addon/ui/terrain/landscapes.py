# SPDX-License-Identifier: GPL-3.0-or-later
"""Landscapes in tiles: the whole as a preview, or a window at full resolution that is written
back.
"""

import json
from contextlib import suppress
from pathlib import Path

import bpy
from bpy_extras.io_utils import ImportHelper

from ...base.errors import InputError, Sentence
from ...base.regular_files import is_in_network
from ...scene.run import readiness
from ...scene.terrain import attributes, grid
from ...scene.terrain.active import active_terrain
from ...scene.terrain.grid import make_terrain_object
from ..base import views
from ..base.terrain_operator import TerrainOperator, allowed, reports_refusals, select_only
from ..base.translations import report
from .reading_options import ReadingOptions

WINDOW = "erosion_landscape"
"""Custom property of a terrain: its landscape, window and their state, as JSON."""


class EROSION_OT_landscape_import(bpy.types.Operator, ImportHelper):
    """Make a terrain from a landscape in tiles: the whole on coarser cells, or a window at full
    resolution
    """

    bl_idname = "erosion.landscape_import"
    bl_label = "Import Landscape"
    bl_options = {"REGISTER", "UNDO"}

    filter_glob: bpy.props.StringProperty(default="landscape.json", options={"HIDDEN"})
    filepath: bpy.props.StringProperty(
        name="File",
        subtype="FILE_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE", "SKIP_SAVE", "HIDDEN"},
    )
    part: bpy.props.EnumProperty(
        name="Part",
        description="Part of the landscape that the terrain shows",
        items=[
            ("WHOLE", "Whole", "The whole landscape, on cells coarse enough to fit"),
            ("WINDOW", "Window", "A window of cells at full resolution, which can be written back"),
        ],
    )
    longest: bpy.props.IntProperty(
        name="Longest Side",
        description=(
            "Maximum cells along a side of the preview: higher values show finer detail "
            "and need more memory"
        ),
        default=512,
        min=16,
        max=8192,
        soft_max=2048,
    )
    first: bpy.props.IntVectorProperty(
        name="First Row and Column",
        description="Where the window begins in the landscape, from 0",
        size=2,
        min=0,
        max=1 << 20,
    )
    size: bpy.props.IntVectorProperty(
        name="Rows and Columns",
        description="Cells of the window: higher values show more land and need more memory",
        size=2,
        default=(512, 512),
        min=32,
        max=8192,
        soft_max=2048,
    )

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "part")
        if self.part == "WHOLE":
            layout.prop(self, "longest")
        else:
            layout.prop(self, "first")
            layout.prop(self, "size")

    @reports_refusals("There is not enough memory for so many cells; take fewer.")
    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...landscape import window
        from ...landscape.storage.folder import Landscape, Window

        if not self.filepath:
            raise InputError("No file is chosen; give one as filepath.")
        landscape = Landscape(Path(bpy.path.abspath(self.filepath)).absolute().parent)
        name = landscape.folder.name
        cells = None
        state = ""
        if self.part == "WHOLE":
            terrain = window.overview(landscape, self.longest)
        else:
            top, left = self.first
            rows, cols = self.size
            cells = Window(
                top, min(top + rows, landscape.shape[0]), left, min(left + cols, landscape.shape[1])
            )
            terrain, state = window.take(landscape, cells)
        obj = make_terrain_object(name, terrain, context.collection)
        if cells:
            obj[WINDOW] = _text(
                landscape.folder, (cells.top, cells.bottom, cells.left, cells.right), state
            )
        select_only(context, obj)
        views.show_isolated(context, obj)
        views.frame(context, obj)
        return {"FINISHED"}


class EROSION_OT_landscape_make(ReadingOptions, bpy.types.Operator):
    """Make a landscape in tiles from a heightmap of any size, and a terrain that shows the whole on
    coarser cells
    """

    bl_idname = "erosion.landscape_make"
    bl_label = "Landscape in Tiles"
    bl_options = {"INTERNAL"}

    source: bpy.props.StringProperty(
        name="Heightmap",
        description="Heightmap to cut into tiles",
        subtype="FILE_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE", "SKIP_SAVE", "HIDDEN"},
    )
    folder: bpy.props.StringProperty(
        name="Folder",
        description="New folder for the tiles, which take about as much room as the heightmap",
        subtype="DIR_PATH",
        options={"PATH_SUPPORTS_BLEND_RELATIVE", "SKIP_SAVE"},
    )
    tile: bpy.props.IntProperty(
        name="Tile",
        description="Cells along a side of a tile: higher values need more memory and fewer files",
        default=1024,
        min=64,
        max=8192,
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        path = self._path()
        self.folder = self.folder or str(path.with_name(f"{path.stem} tiles"))
        return context.window_manager.invoke_props_dialog(self, title=f"Landscape from {path.name}")

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "folder")
        layout.prop(self, "tile")

    @reports_refusals("There is not enough memory for such tiles; make them smaller.")
    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...files.heightmap import heightmap_windows
        from ...landscape import make
        from ...landscape.storage.manifest import NAME, Manifest
        from ...scene.terrain.image import BlenderFiles

        if not (self.source and self.folder):
            raise InputError("No heightmap or no folder is chosen; give source and folder.")
        path = self._path()
        folder = Path(bpy.path.abspath(self.folder))
        record, read = heightmap_windows(path, BlenderFiles(), self.options_for(path)[0])
        for doubt in record.doubts:
            report(self, {"INFO"}, doubt.sentence)
        assert record.spacing is not None
        place = record.georeference.to_text() if record.georeference else ""
        rows, cols = record.shape
        manifest = Manifest(rows, cols, self.tile, record.spacing, path.name, place=place)
        manager = context.window_manager
        manager.progress_begin(0, 100)
        try:
            landscape = make.make(
                folder,
                manifest,
                make.from_windows(read),
                lambda share: manager.progress_update(100 * share),
            )
        finally:
            manager.progress_end()
        tile_rows, tile_cols = landscape.counts
        report(
            self,
            {"INFO"},
            Sentence("{name}: {rows} × {cols} cells in {tile_rows} × {tile_cols} tiles").format(
                name=folder.name, rows=rows, cols=cols, tile_rows=tile_rows, tile_cols=tile_cols
            ),
        )
        operators = bpy.ops.erosion  # type: ignore[attr-defined] # registered by the extension
        return set(operators.landscape_import(filepath=str(folder / NAME)))

    def _path(self) -> Path:
        return Path(bpy.path.abspath(self.source))


class EROSION_OT_landscape_put_back(TerrainOperator, bpy.types.Operator):
    """Write the heights of a window back into its landscape.

    Changes fade toward the border of the window, so the land around it still fits
    """

    bl_idname = "erosion.landscape_put_back"
    bl_label = "Write Back to Landscape"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = active_terrain(context)
        if reason := readiness.why_not(terrain):
            return allowed(cls, reason)
        return allowed(
            cls,
            None if WINDOW in terrain else Sentence("The terrain is not a window of a landscape."),
        )

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...landscape.storage.folder import Window
        from ...landscape.window import COVERS, UnplacedError, put_back

        obj = active_terrain(context)
        folder, place, state = _known(obj)
        terrain, lattice = grid.read_terrain(obj)
        fields = attributes.read_fields(obj.data, lattice, ["sediment", *COVERS])
        sediment = fields.pop("sediment", None)
        try:
            state = put_back(folder, Window(*place), state, terrain.elevation, sediment, fields)
        except UnplacedError as error:
            obj[WINDOW] = _text(folder, place, error.state)
            raise
        obj[WINDOW] = _text(folder, place, state)
        report(self, {"INFO"}, Sentence("{name} was written back").format(name=obj.name))
        return {"FINISHED"}


def _text(folder: Path, place: tuple[int, int, int, int], state: str) -> str:
    return json.dumps({"folder": str(folder), "window": place, "state": state})


def _known(obj: bpy.types.Object) -> tuple[Path, tuple[int, int, int, int], str]:
    """Folder, window and state of a terrain, checked: the file may come from elsewhere."""
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        record = json.loads(obj[WINDOW])
        top, bottom, left, right = record["window"]
        folder = record["folder"]
        state = record["state"]
        valid = all(type(number) is int for number in (top, bottom, left, right))
        if (
            valid
            and isinstance(folder, str)
            and isinstance(state, str)
            and not is_in_network(folder)
        ):
            return Path(folder), (top, bottom, left, right), state
    raise InputError(
        "{name} lacks the position of its window in the landscape; import the window again."
    ).format(name=obj.name)


def draw_import(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the entry in File ▸ Import."""
    self.layout.operator(
        EROSION_OT_landscape_import.bl_idname, text="Landscape in Tiles (landscape.json)"
    )


def register() -> None:
    """Add the entry to File ▸ Import."""
    bpy.types.TOPBAR_MT_file_import.append(draw_import)


def unregister() -> None:
    """Remove the entry."""
    bpy.types.TOPBAR_MT_file_import.remove(draw_import)


CLASSES = (EROSION_OT_landscape_import, EROSION_OT_landscape_make, EROSION_OT_landscape_put_back)
