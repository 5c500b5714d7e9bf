# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of a heightmap's reading, in the dialog and the file browser."""

import inspect
import math
from typing import TYPE_CHECKING, Any

import bpy

from ..base.parameter_properties import length, shade_height, switch

if TYPE_CHECKING:
    from ...files.reading.record import Reading, Record
    from ...scene.terrain.image_heights import Source

UNITS = {"m": "Meters", "ft": "Feet", "us-ft": "US Survey Feet"}


def _choice(name: str, description: str, items: list[tuple[str, str, str]]) -> Any:
    auto = ("auto", "Auto", "From the file, or guessed from its numbers")
    return bpy.props.EnumProperty(
        name=name, description=description, items=[auto, *items], options={"SKIP_SAVE"}
    )


class ReadingOptions:
    """Properties of operators that read heightmaps, for all that a file leaves open."""

    if TYPE_CHECKING:
        properties: bpy.types.OperatorProperties

    known_meters: bpy.props.BoolProperty(
        name="Use File Metadata",
        description=(
            "Use the cell size and height range of a GeoTIFF or side file (.json), if "
            "available, instead of the values below"
        ),
        default=True,
    )
    measure: bpy.props.EnumProperty(
        name="Size by",
        description="Size to enter: of one cell, or of the whole heightmap",
        items=[
            ("CELL", "Cell Size", "Meters from one pixel to the next"),
            ("WIDTH", "Width", "Meters from the left edge to the right one"),
        ],
    )
    cell_size: length(
        "Cell Size",
        "Meters from one pixel to the next: higher values make wider, gentler land",
        default=10.0,
        min=1e-6,
        max=1e6,
        soft_min=0.1,
        soft_max=100.0,
        step=10,
    )
    width: length(
        "Width",
        "Meters from left edge to right edge: higher values make wider, gentler land",
        default=2000.0,
        min=1e-3,
        max=1e9,
        soft_min=10.0,
        soft_max=100_000.0,
        step=1000,
    )
    low: shade_height("Black", "Height of black in meters, for images without meters")
    high: shade_height(
        "White", "Height of white in meters, for images without meters: higher is steeper", 1000.0
    )
    numbers: _choice(
        "Numbers",
        "Meaning of the numbers in the file",
        [
            ("heights", "Heights", "Heights in a unit"),
            ("shades", "Shades of Gray", "Shades from Black to White"),
        ],
    )
    unit: _choice(
        "Unit",
        "Unit of the heights in the file",
        [(unit, label, f"Heights in {label}") for unit, label in UNITS.items()],
    )
    no_data: bpy.props.EnumProperty(
        name="No Data",
        description="Numbers of cells without data",
        items=[
            ("auto", "Auto", "The file's number, and usual ones far from all heights"),
            ("number", "Number", "A given number"),
            ("none", "None", "Every number is a height"),
        ],
        options={"SKIP_SAVE"},
    )
    no_data_number: bpy.props.FloatProperty(
        name="Number",
        description="Number of cells without data",
        default=-9999.0,
        precision=3,
        options={"SKIP_SAVE"},
    )
    holes: bpy.props.EnumProperty(
        name="Cells Without Data",
        description="Heights of cells without data",
        items=[
            ("fill", "Filled", "Filled from the heights around them"),
            ("sea", "Sea", "Sea at a level"),
        ],
        options={"SKIP_SAVE"},
    )
    sea_level: length(
        "Sea Level",
        "Height of cells without data",
        soft_min=-100.0,
        soft_max=100.0,
        options={"SKIP_SAVE"},
    )
    byte_order: _choice(
        "Byte Order",
        "Order of the bytes of a number in a raw file",
        [
            ("little", "Little Endian", "Lowest byte first, as most programs write it"),
            ("big", "Big Endian", "Highest byte first, as on older Macs"),
        ],
    )
    depth: _choice(
        "Depth",
        "Kind of the numbers in a raw file",
        [
            ("u8", "8 Bits", "Shades of gray of 8 bits"),
            ("u16", "16 Bits", "Shades of gray of 16 bits"),
            ("i16", "16 Bits Signed", "Heights in whole meters"),
            ("f32", "32-Bit Floats", "Heights in meters"),
        ],
    )
    flip: bpy.props.BoolProperty(
        name="Flip Rows",
        description="Reverse the order of the rows, north to south",
        options={"SKIP_SAVE"},
    )
    every: bpy.props.IntProperty(
        name="Every n-th Cell",
        description=(
            "Read each n-th cell along both sides: higher values need less memory and show less "
            "detail"
        ),
        default=1,
        min=1,
        max=1024,
        soft_max=16,
        options={"SKIP_SAVE"},
    )
    window: bpy.props.BoolProperty(
        name="Window", description="Read a part of the file", options={"SKIP_SAVE"}
    )
    window_first: bpy.props.IntVectorProperty(
        name="First Column and Row",
        description="Lower left cell of the window, from 0",
        size=2,
        min=0,
        max=1 << 20,
        options={"SKIP_SAVE"},
    )
    window_size: bpy.props.IntVectorProperty(
        name="Columns and Rows",
        description="Cells of the window: higher values take more of the file and need more memory",
        size=2,
        default=(2048, 2048),
        min=3,
        max=1 << 20,
        options={"SKIP_SAVE"},
    )
    raw_size: bpy.props.IntVectorProperty(
        name="Raw Size",
        size=2,
        min=0,
        max=1 << 17,
        options={"SKIP_SAVE"},
        description="Rows and columns of a raw file. Auto: a square",
    )
    raw_size_auto: switch("raw_size", "Auto", (1024, 1024))["raw_size_auto"]

    def options_for(self, source: "Source") -> "tuple[Reading, bool]":
        """Options of reading, and whether the file sets the cell size.

        The file takes precedence over sizes and heights of the dialog. Black and White apply to
        shades of gray, and to floats once set.
        """
        from ...scene.terrain import image_heights

        return self.options_of(image_heights.look(source, self.reading(None, None)))

    def options_of(self, record: "Record") -> "tuple[Reading, bool]":
        """`options_for` a source with this record."""
        measured = self.known_meters and record.spacing is not None
        by_hand = self.numbers == "shades" or any(
            self.properties.is_property_set(name) for name in ("low", "high")
        )
        in_meters = self.known_meters and record.height_range is not None
        use_range = not in_meters and (by_hand or record.meaning == "shades")
        if self.measure == "CELL":
            size = self.cell_size
        else:
            size = self.width / (record.shape[1] - 1) / self.every
        height_range = (self.low, self.high) if use_range else None
        spacing = None if measured else (size, size)
        return self.reading(height_range, spacing), measured

    def copy_to(self, button: Any) -> Any:
        """Set the same options on the button of another operator, and return it."""
        for name in inspect.get_annotations(ReadingOptions):
            if not name.endswith("_auto"):
                setattr(button, name, getattr(self, name))
        return button

    def reading(
        self, height_range: tuple[float, float] | None, spacing: tuple[float, float] | None
    ) -> "Reading":
        """Options of the reader. height_range: m of black and white. spacing: (row, col) m. None:
        the file's.
        """
        from ...files.reading.record import Reading

        size = tuple(self.raw_size) if all(self.raw_size) else None
        window = (*self.window_first, *self.window_size) if self.window else None
        return Reading(
            height_range=height_range,
            numbers=self.numbers,
            unit=self.unit,
            no_data={"auto": None, "number": self.no_data_number, "none": math.nan}[self.no_data],
            holes=self.holes,
            sea_level=self.sea_level,
            byte_order=self.byte_order,
            depth=self.depth,
            flip=self.flip,
            size=size,
            spacing=spacing,
            every=self.every,
            window=window,
        )
