# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawing of a heightmap's contents and options of reading, in the dialog and the file browser."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import bpy

from ...base.errors import Sentence
from ...base.memory import available_memory, size_in_words
from ..base.panel import draw_lines
from ..base.parameter_properties import draw_value
from ..base.translations import phrase
from .reading_options import ReadingOptions

if TYPE_CHECKING:
    from ...files.reading.record import Record

LETTERS = 64
"""Maximum letters of a line in the dialog."""

_LEVELS = 256
"""Levels of height in 8 bits."""


def draw_text(layout: bpy.types.UILayout, sentences: list[str], icon: str) -> None:
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


def draw_record(layout: bpy.types.UILayout, record: "Record", memory: int) -> None:
    """Draw the contents of a file and their use. memory: bytes of the whole import."""
    box = layout.box()
    draw_text(box, list(_facts(record, memory)), "INFO")
    for doubt in record.doubts:
        if doubt.option:
            settled = phrase("Change it by {option}.", option=phrase(OPTIONS[doubt.option]))
        else:
            settled = ""
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
    """Kind and meaning of the numbers, packing, and cells without data."""
    if record.meaning == "shades":
        yield phrase("{kind}, read as shades of gray", kind=record.kind)
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
        yield phrase("{kind}, read as heights in {unit}", kind=record.kind, unit=unit)
    if record.packing:
        yield phrase("compressed with {packing}", packing=record.packing)
    if record.holes:
        yield phrase("some cells without data")


def has_terraces(record: "Record") -> bool:
    """Whether there are no more levels of height than 8 bits hold. Other steps are removed from the
    panel, as that takes a minute for a large elevation model.
    """
    if record.step is None or record.lowest is None or record.highest is None:
        return False
    return record.highest - record.lowest <= _LEVELS * record.step


class Applies:
    """Reasons why options do not apply to a file; "" for options that do."""

    def __init__(self, record: "Record | None", is_raw: bool, measured: bool) -> None:
        self._record = record
        self._is_raw = is_raw
        self._measured = measured

    @property
    def size(self) -> str:
        """For the cell size."""
        return Sentence("The file contains its cell size.") if self._measured else ""

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
        return Sentence("The file holds heights, so Black and White have no effect.")

    @property
    def unit(self) -> str:
        """For the unit."""
        if self._record is not None and self._record.meaning == "shades":
            return Sentence("Shades of gray have no unit.")
        return ""

    @property
    def holes(self) -> str:
        """For the heights of cells without data."""
        return (
            "" if self._record is None or self._record.holes else Sentence("All cells have data.")
        )

    @property
    def flip(self) -> str:
        """For the order of rows."""
        if self._record is not None and self._record.georeference:
            return Sentence("Its georeference sets the order of its rows.")
        return ""

    @property
    def raw(self) -> str:
        """For the form of raw files."""
        return "" if self._is_raw else Sentence("The file contains its size, byte order and depth.")

    @property
    def terraces(self) -> str:
        """For their removal."""
        if self._record is None or self._record.lowest is None or has_terraces(self._record):
            return ""
        return Sentence("The file has more levels of height than 8 bits hold.")


def draw_gray(layout: bpy.types.UILayout, reason: str) -> bpy.types.UILayout:
    """Column for options; with a reason above them, they are grayed out."""
    if reason:
        draw_text(layout, [reason], "BLANK1")
    column = layout.column()
    column.active = column.enabled = not reason
    return column


def draw_options(layout: bpy.types.UILayout, owner: ReadingOptions, applies: Applies) -> None:
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


def draw_part(layout: bpy.types.UILayout, owner: ReadingOptions) -> None:
    """Draw the choice of a part of a file."""
    layout.prop(owner, "every")
    layout.prop(owner, "window")
    if owner.window:
        layout.prop(owner, "window_first")
        layout.prop(owner, "window_size")
