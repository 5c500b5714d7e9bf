# SPDX-License-Identifier: GPL-3.0-or-later
"""File ▸ Export ▸ Heightmap: sizes and formats for game engines."""

from pathlib import Path
from typing import Any

import bpy
from bpy_extras.io_utils import ExportHelper

from ...base.errors import InputError, Sentence
from ...files.formats import FORMATS, GRAY_SUFFIXES
from ...files.game_engines import ENGINES
from ...scene.masks import inputs
from ...scene.terrain import grid
from ...scene.terrain.active import active_terrain
from ...terrain.fields import FIELDS
from ..base.panel import draw_lines
from ..base.parameter_properties import draw_value, label, shade_height, switch
from ..base.terrain_operator import TerrainOperator, reports_refusals
from ..base.terrain_settings import images_of
from ..base.translations import phrase, report
from ..masks.mask_settings import arrays_of

WRITTEN = tuple(suffix for suffix in FORMATS if suffix not in (".npy", ".tiff"))
"""Formats that other programs read, by one suffix each."""

USUAL = {"NONE": ".exr", "UNREAL": ".png", "UNITY": ".raw"}
"""Default format of each engine."""

MOST = 32
"""Maximum members of a set in Blender."""


def sets_of(names: list[str]) -> dict[str, list[str]]:
    """Names of maps by the property that holds them: `maps` has the first 32, `maps_2` the next,
    and so on.
    """
    firsts = range(0, len(names), MOST)
    return {
        f"maps_{number}" if number > 1 else "maps": names[at : at + MOST]
        for number, at in enumerate(firsts, 1)
    }


MAPS = sets_of(
    [name for name, field in FIELDS.items() if name != "elevation" and field.components < 3]
)


def _set(names: list[str]) -> Any:
    items = [
        (name, label(name), FIELDS[name].meaning[0].upper() + FIELDS[name].meaning[1:])
        for name in names
    ]
    description = "Maps to write beside the heights, in the same size: FILE_wear and so on"
    return bpy.props.EnumProperty(
        name="Maps", description=description, items=items, options={"ENUM_FLAG"}
    )


class _Maps:
    """Base of the operator, with a property for each set of maps."""

    __annotations__ = {name: _set(names) for name, names in MAPS.items()}


def _sizes(engine: str) -> Any:
    sizes = ENGINES[engine].sizes
    items = [("NEAREST", "Nearest", "The size that stretches the terrain the least")]
    items += [(str(size), str(size), f"{size} × {size} points") for size in sizes]
    return bpy.props.EnumProperty(
        name="Size", description="Points along the sides of each file", items=items
    )


def _engine_is_chosen(operator: Any, context: bpy.types.Context) -> None:
    operator.file_format = USUAL[operator.engine]


class EROSION_OT_heightmap_export(_Maps, TerrainOperator, bpy.types.Operator, ExportHelper):
    """Write the terrain's heights, and optionally maps, in a size for game engines, with a side
    file that stores the scale in meters
    """

    bl_idname = "erosion.heightmap_export"
    bl_label = "Export Heightmap"

    filepath: bpy.props.StringProperty(
        name="File Path", subtype="FILE_PATH", options={"PATH_SUPPORTS_BLEND_RELATIVE"}
    )
    filter_glob: bpy.props.StringProperty(
        default=";".join(f"*{suffix}" for suffix in WRITTEN), options={"HIDDEN"}
    )
    engine: bpy.props.EnumProperty(
        name="For",
        description="Program that determines sizes, row order and tile names",
        items=[("NONE", "Any Program", "The terrain's own size, or a chosen one")]
        + [
            (name.upper(), engine.label, f"The sizes of {engine.label}")
            for name, engine in ENGINES.items()
        ],
        update=_engine_is_chosen,
    )
    file_format: bpy.props.EnumProperty(
        name="Format",
        items=[(suffix, FORMATS[suffix].label, FORMATS[suffix].about) for suffix in WRITTEN],
        description="Kind of the files",
    )
    unreal_size: _sizes("unreal")
    unity_size: _sizes("unity")
    size: bpy.props.IntVectorProperty(
        name="Size",
        size=2,
        min=0,
        max=1 << 16,
        options={"SKIP_SAVE"},
        description=(
            "Rows and columns of each file: more are interpolated, fewer are averaged. Auto: the "
            "terrain's own"
        ),
    )
    size_auto: switch("size", "Auto", (1024, 1024))["size_auto"]
    tiles: bpy.props.IntVectorProperty(
        name="Tiles",
        size=2,
        default=(1, 1),
        min=1,
        max=64,
        description="Rows and columns of files. Neighbors share the points on their border",
    )
    own_range: bpy.props.BoolProperty(
        name="Auto Range",
        description=(
            "Black is the lowest point of the terrain and white the highest. Off: custom "
            "heights, for example the same for several terrains"
        ),
        default=True,
    )
    low: shade_height("Black", "Height of black in meters; lower heights are cut off")
    high: shade_height("White", "Height of white in meters; greater heights are cut off", 1000.0)
    flip: bpy.props.BoolProperty(
        name="Flip Rows",
        description="Reverse the order of rows, for programs that show the terrain mirrored",
    )
    masks: bpy.props.BoolProperty(
        name="Masks",
        description=(
            "Also write the masks of the panel at the same size: FILE_mask_strength and so on"
        ),
    )

    @property
    def filename_ext(self) -> str:
        """Suffix of the chosen format, which `ExportHelper` appends."""
        return self.file_format

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if not self.filepath:  # type: ignore[has-type]
            name = bpy.path.clean_name(active_terrain(context).name)
            self.filepath = str(
                Path(bpy.data.filepath).with_name(name) if bpy.data.filepath else Path(name)
            )
            self.filepath += self.filename_ext
        return ExportHelper.invoke(self, context, event)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "engine")
        layout.prop(self, "file_format")
        draw_value(
            layout, self, {"UNREAL": "unreal_size", "UNITY": "unity_size"}.get(self.engine, "size")
        )
        layout.prop(self, "tiles")
        self._draw_size(layout, active_terrain(context))
        if self.file_format in GRAY_SUFFIXES:
            layout.prop(self, "own_range")
            if not self.own_range:
                column = layout.column(align=True)
                column.prop(self, "low")
                column.prop(self, "high")
        layout.prop(self, "flip")
        self._draw_maps(layout, active_terrain(context))

    def _draw_size(self, layout: bpy.types.UILayout, terrain: bpy.types.Object) -> None:
        try:
            lattice = grid.describe(terrain)
            image_layout = self._layout()
            rows, cols = image_layout.file_size((lattice.rows, lattice.cols))
            points = image_layout.whole_size((lattice.rows, lattice.cols))
        except InputError as error:
            draw_lines(layout, [error.sentence], "ERROR")
            return
        apart = lattice.spacing[1] * (lattice.cols - 1) / (points[1] - 1)
        text = phrase(
            "{rows} × {cols} points, {spacing} m apart",
            rows=rows,
            cols=cols,
            spacing=f"{apart:.3g}",
        )
        layout.label(text=text, icon="INFO", translate=False)

    def _draw_maps(self, layout: bpy.types.UILayout, terrain: bpy.types.Object) -> None:
        from ...scene.derived import maps

        available = maps.names_of(terrain.data)
        rows = [
            (which, name) for which, names in MAPS.items() for name in names if name in available
        ]
        if rows:
            column = layout.column(align=True)
            column.use_property_split = False
            column.label(text="Maps")
            for which, name in rows:
                column.prop_enum(self, which, name)
        layout.prop(self, "masks")

    @reports_refusals("There is not enough memory to write the heightmap; choose a smaller size.")
    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...files import export
        from ...scene.derived import maps
        from ...scene.terrain.image import BlenderFiles

        obj = active_terrain(context)
        terrain = maps.terrain_with(obj, self._maps())
        masks = arrays_of(obj) if self.masks else {}
        result = export.export(
            self._path(),
            terrain,
            BlenderFiles(),
            self._layout(),
            self._maps(),
            masks,
            export.Origin(inputs.of(obj, images_of(obj)), inputs.georeference_of(obj)),
        )
        for sentence in result.notes:
            report(self, {"INFO"}, sentence)
        if result.clipped_cells:
            report(
                self,
                {"WARNING"},
                Sentence("{count} points lay outside the height range and were cut off").format(
                    count=result.clipped_cells
                ),
            )
        low, high = result.height_range
        names = ", ".join(path.name for path in result.paths[:4]) + (
            " …" if len(result.paths) > 4 else ""
        )
        report(
            self,
            {"INFO"},
            Sentence("{names}: from {low:.6g} m to {high:.6g} m").format(
                names=names, low=low, high=high
            ),
        )
        return {"FINISHED"}

    def _path(self) -> Path:
        if not self.filepath:
            raise InputError("No file is chosen for the heightmap; give one as filepath.")
        path = Path(bpy.path.abspath(self.filepath))
        return path if path.suffix else path.with_suffix(self.file_format)

    def _maps(self) -> list[str]:
        return [
            name for which, names in MAPS.items() for name in names if name in getattr(self, which)
        ]

    def _layout(self) -> Any:
        from ...files.export import Layout

        side = {"UNREAL": self.unreal_size, "UNITY": self.unity_size}.get(self.engine, "NEAREST")
        if side != "NEAREST":
            size = (int(side), int(side))
        else:
            size = tuple(self.size) if all(self.size) else None
        return Layout(
            engine="" if self.engine == "NONE" else self.engine.lower(),
            size=size,
            tiles=tuple(self.tiles),
            height_range=None if self.own_range else (self.low, self.high),
            flip=self.flip,
        )


def draw_export(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the entry in File ▸ Export."""
    self.layout.operator(
        EROSION_OT_heightmap_export.bl_idname, text="Heightmap (.exr, .tif, .png, .r16, .raw)"
    )


def register() -> None:
    """Add the entry to File ▸ Export."""
    bpy.types.TOPBAR_MT_file_export.append(draw_export)


def unregister() -> None:
    """Remove the entry."""
    bpy.types.TOPBAR_MT_file_export.remove(draw_export)


CLASSES = (EROSION_OT_heightmap_export,)
