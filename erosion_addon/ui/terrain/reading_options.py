# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of a heightmap's reading, and the picture of what they make of it, in the dialog and the
file browser.
"""

import inspect
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import bpy

from ...base.memory import available_memory, size_in_words
from ..base.panel import draw_lines
from ..base.parameter_properties import draw_value, switch
from ..base.translations import phrase

if TYPE_CHECKING:
    from ...files.reading.record import Reading, Record
    from ...scene.terrain.image_heights import Source

LETTERS = 64
"""Letters of a line of the dialog."""


def draw_text(layout: Any, sentences: list[str], icon: str) -> None:
    """Draw sentences in lines as wide as the dialog, or as the side of a file browser."""
    in_browser = isinstance(bpy.context.space_data, bpy.types.SpaceFileBrowser)
    draw_lines(layout, sentences, icon, 0 if in_browser else LETTERS)


OPTIONS = {
    "byte_order": "Byte Order",
    "depth": "Depth",
    "flip": "Flip Rows",
    "height_range": "White",
    "holes": "Cells Without Data",
    "no_data": "No Data",
    "numbers": "Numbers",
    "size": "Raw Size",
    "spacing": "Cell Size",
    "unit": "Unit",
}
"""Option of `Reading` → its label in the dialog."""

UNITS = {"m": "Meters", "ft": "Feet", "us-ft": "US Survey Feet"}


def _choice(name: str, description: str, items: list[tuple[str, str, str]]) -> Any:
    auto = ("auto", "Auto", "As the file says, or as its numbers suggest")
    return bpy.props.EnumProperty(
        name=name, description=description, items=[auto, *items], options={"SKIP_SAVE"}
    )


class ReadingOptions:
    """Properties of operators that read heightmaps: they settle what a file leaves open."""

    if TYPE_CHECKING:
        properties: bpy.types.OperatorProperties

    known_meters: bpy.props.BoolProperty(
        name="Use File Metadata",
        description=(
            "Use the cell size and height range of a GeoTIFF or side file (.json), if there is "
            "one, instead of those below"
        ),
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
        description="Meters from left edge to right edge: higher values make wider, gentler land",
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
        description="Height of white in meters, for images without meters: higher is steeper",
        default=1000.0,
        soft_min=-1000.0,
        soft_max=9000.0,
        step=100,
        precision=5,
        unit="LENGTH",
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
        description="Numbers that stand for cells without data",
        items=[
            ("auto", "Auto", "The file's, and usual ones that are far from all heights"),
            ("number", "Number", "A number of your own"),
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
    sea_level: bpy.props.FloatProperty(
        name="Sea Level",
        description="Height of cells without data",
        soft_min=-100.0,
        soft_max=100.0,
        precision=5,
        unit="LENGTH",
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
        description="Rows and columns of a raw file. Auto: those of a square",
    )
    raw_size_auto: switch("raw_size", "Auto", (1024, 1024))["raw_size_auto"]

    def options_for(self, source: "Source") -> "tuple[Reading, bool]":
        """Options of reading, and whether the file says how far apart its cells are.

        What the file says counts before sizes and heights of the dialog. Black and White count for
        shades of gray, and for floats once somebody has set them.
        """
        from ...scene.terrain import image_heights

        record = image_heights.look(source, self.reading(None, None))
        measured = self.known_meters and record.spacing is not None
        by_hand = self.numbers == "shades" or any(
            self.properties.is_property_set(name) for name in ("low", "high")
        )
        in_meters = self.known_meters and record.height_range is not None
        use_range = not in_meters and (by_hand or record.meaning == "shades")
        size = (
            self.cell_size
            if self.measure == "CELL"
            else self.width / (record.shape[1] - 1) / self.every
        )
        options = self.reading(
            (self.low, self.high) if use_range else None, None if measured else (size, size)
        )
        return options, measured

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
        # here, as few sessions of Blender import a heightmap
        from ...files.reading.record import Reading

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
            size=(self.raw_size[0], self.raw_size[1]) if all(self.raw_size) else None,
            spacing=spacing,
            every=self.every,
            window=(*self.window_first, *self.window_size) if self.window else None,
        )


def draw_record(layout: Any, record: "Record", memory: int) -> None:
    """Draw the contents of a file and their use. memory: bytes of the whole import."""
    box = layout.box()
    draw_text(box, list(_facts(record, memory)), "INFO")
    for doubt in record.doubts:
        settled = (
            phrase("Change it by {option}.", option=phrase(OPTIONS[doubt.option]))
            if doubt.option
            else ""
        )
        draw_text(box, [doubt.sentence, settled], "QUESTION")


def _facts(record: "Record", memory: int) -> Iterator[str]:
    rows, cols = record.shape
    cells = phrase("{cols} × {rows} cells", cols=f"{cols:,}", rows=f"{rows:,}")
    if record.spacing:
        row, col = record.spacing
        width = (cols - 1) * col / 1000
        length = (rows - 1) * row / 1000
        size = f"{width:.4g} × {length:.4g} km"
        sides = " × ".join(dict.fromkeys(f"{side:.4g}" for side in (col, row)))
        yield f"{size}, {cells}, " + phrase("{cells} m apart", cells=sides)
    else:
        yield cells
    if record.lowest is not None and record.highest is not None:
        yield phrase(
            "Heights from {low} m to {high} m",
            low=f"{record.lowest:,.6g}",
            high=f"{record.highest:,.6g}",
        )
    elif record.height_range:
        low, high = record.height_range
        yield phrase("Black is {low} m, white {high} m", low=f"{low:,.6g}", high=f"{high:,.6g}")
    yield ", ".join(_kind(record))
    if record.georeference and (place := record.georeference.placement):
        code = place.system.code
        system = f"EPSG:{code}" if code else phrase("an unnamed system")
        middle = place.at(*(side / 2 for side in record.georeference.shape))
        x, y = (f"{coordinate:,.8g}" for coordinate in middle)
        yield phrase("On Earth: {system}, middle at {x}, {y}", system=system, x=x, y=y)
    free = available_memory()
    words = phrase("{needed} of memory", needed=size_in_words(memory))
    yield (
        words if free is None else f"{words}, " + phrase("{free} is free", free=size_in_words(free))
    )


def _kind(record: "Record") -> Iterator[str]:
    """Kind of the numbers, what they were taken for, packing and cells without data."""
    if record.meaning == "shades":
        yield phrase("{kind}, taken for shades of gray", kind=record.kind)
    else:
        from ...files.reading.record import UNITS

        unit = next(
            (
                unit
                for unit, meters in UNITS.items()
                if math.isclose(record.unit, meters, rel_tol=1e-9)
            ),
            "m",
        )
        yield phrase("{kind}, taken for heights in {unit}", kind=record.kind, unit=unit)
    if record.packing:
        yield phrase("packed by {packing}", packing=record.packing)
    if record.holes:
        yield phrase("some cells without data")


def has_terraces(record: "Record") -> bool:
    """Whether there are as few levels of height as 8 bits hold. The panel offers to remove the
    steps of others, which takes a minute for a large elevation model.
    """
    if record.step is None or record.lowest is None or record.highest is None:
        return False
    return record.highest - record.lowest <= _LEVELS * record.step


_LEVELS = 256


class Applies:
    """Whether options apply to a file, and why not: sentences for the gray ones, "" for the
    others.
    """

    def __init__(self, record: "Record | None", is_raw: bool, measured: bool) -> None:
        self._record = record
        self._is_raw = is_raw
        self._measured = measured

    @property
    def size(self) -> str:
        """For the cell size."""
        return "The file says how far apart its cells are." if self._measured else ""

    @property
    def shades(self) -> str:
        """For Black and White, which make shades of floats from 0 to 1."""
        record = self._record
        if record is None or record.meaning == "shades":
            return ""
        is_share = (
            record.lowest is not None
            and record.lowest >= -1e-3
            and (record.highest or 0.0) <= 1.001
        )
        if is_share and record.kind.startswith("float") and record.georeference is None:
            return ""
        return "The file holds heights, so Black and White do not count."

    @property
    def unit(self) -> str:
        """For the unit."""
        if self._record is not None and self._record.meaning == "shades":
            return "Shades of gray have no unit."
        return ""

    @property
    def holes(self) -> str:
        """For the heights of cells without data."""
        return "" if self._record is None or self._record.holes else "All cells have data."

    @property
    def flip(self) -> str:
        """For the order of rows."""
        if self._record is not None and self._record.georeference:
            return "Its place on Earth says where its rows lie."
        return ""

    @property
    def raw(self) -> str:
        """For the form of raw files."""
        return "" if self._is_raw else "The file says its size, byte order and depth itself."

    @property
    def terraces(self) -> str:
        """For their removal."""
        if self._record is None or self._record.lowest is None or has_terraces(self._record):
            return ""
        return "The file has more levels of height than 8 bits hold."


def draw_gray(layout: Any, reason: str) -> Any:
    """Column for options that do not apply for a reason, which stands above them; "" for those that
    do.
    """
    if reason:
        draw_text(layout, [reason], "BLANK1")
    column = layout.column()
    column.active = column.enabled = not reason
    return column


def draw_options(layout: Any, owner: ReadingOptions, applies: Applies) -> None:
    """Draw the options, in panels that open."""
    header, body = layout.panel("erosion_reading_numbers", default_closed=True)
    header.label(text="Numbers")
    if body:
        body.prop(owner, "numbers")
        draw_gray(body, applies.unit).prop(owner, "unit")
        body.prop(owner, "no_data")
        if owner.no_data == "number":
            body.prop(owner, "no_data_number")
        column = draw_gray(body, applies.holes)
        column.prop(owner, "holes")
        if owner.holes == "sea":
            column.prop(owner, "sea_level")
        draw_gray(body, applies.flip).prop(owner, "flip")
    header, body = layout.panel("erosion_reading_part", default_closed=True)
    header.label(text="Part of the File")
    if body:
        draw_part(body, owner)
    header, body = layout.panel("erosion_reading_raw", default_closed=bool(applies.raw))
    header.label(text="Raw File")
    if body:
        column = draw_gray(body, applies.raw)
        draw_value(column, owner, "raw_size")
        column.prop(owner, "byte_order")
        column.prop(owner, "depth")


def draw_part(layout: Any, owner: ReadingOptions) -> None:
    """Draw the choice of a part of a file."""
    layout.prop(owner, "every")
    layout.prop(owner, "window")
    if owner.window:
        layout.prop(owner, "window_first")
        layout.prop(owner, "window_size")
