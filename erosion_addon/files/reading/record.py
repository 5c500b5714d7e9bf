# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of reading a file, and the record of its contents and their interpretation."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import Sentence
from ..headers.georeference import Georeference

Array = np.ndarray[Any, Any]
Range = tuple[float, float]

UNITS = {"m": 1.0, "ft": 0.3048, "us-ft": 1200 / 3937}
"""Meters per unit of height: meter, international foot, survey foot."""

UNIT_NAMES = {"m": Sentence("meters"), "ft": Sentence("feet"), "us-ft": Sentence("US feet")}

NUMBERS = ("heights", "shades")
BYTE_ORDERS = ("little", "big")
DEPTHS = ("u8", "u16", "i16", "f32")


@dataclass(frozen=True)
class Reading:
    """Options of reading; None or "auto" stand for the file's value, or for the rules of
    `meaning.record_of`.

    height_range: m of black and white. numbers: one of NUMBERS. unit: one of UNITS. no_data: number
    of cells without data; nan: none but those that are no numbers. holes: "fill" from the heights
    around, or "sea" at sea_level (m). byte_order, depth: one of BYTE_ORDERS and DEPTHS, of a raw
    file. flip: reverses the order of rows. size: (rows, cols) of a raw file. spacing: (row, col) m
    between cells of the file. every: reads each n-th cell. window: (x, y, cols, rows) in cells of
    the file, from its lower left corner.
    """

    height_range: Range | None = None
    numbers: str = "auto"
    unit: str = "auto"
    no_data: float | None = None
    holes: str = "fill"
    sea_level: float = 0.0
    byte_order: str = "auto"
    depth: str = "auto"
    flip: bool = False
    size: tuple[int, int] | None = None
    spacing: tuple[float, float] | None = None
    every: int = 1
    window: tuple[int, int, int, int] | None = None


@dataclass(frozen=True)
class Doubt:
    """Ambiguity of a file and its interpretation. option: field of `Reading` that settles it."""

    sentence: Sentence
    option: str


@dataclass(frozen=True)
class Record:
    """Contents of a file and their interpretation.

    kind: of its numbers, such as "uint16". shape: (rows, cols) that are read; file_shape: of the
    file. meaning: one of NUMBERS. Height in m: (number · scale + offset) · unit, or from black to
    white in height_range. byte_order: of raw blocks. flipped: whether the file's first row lies at
    the smallest y. no_data: numbers of cells without data. holes: their count among the cells read.
    spacing: (row, col) m between the cells read, None if unknown. georeference: of these cells.
    lowest, highest: m, None where only the header was read. step: m between levels of height where
    they are few, else None. memory: bytes that reading needs. missing: cells without data, (rows,
    cols), None without any.
    """

    name: str
    kind: str
    shape: tuple[int, int]
    file_shape: tuple[int, int]
    meaning: str = "heights"
    height_range: Range | None = None
    unit: float = 1.0
    scale: float = 1.0
    offset: float = 0.0
    packing: str = ""
    byte_order: str = "little"
    flipped: bool = False
    no_data: tuple[float, ...] = ()
    holes: int = 0
    spacing: tuple[float, float] | None = None
    georeference: Georeference | None = None
    window: tuple[int, int, int, int] | None = None
    every: int = 1
    lowest: float | None = None
    highest: float | None = None
    step: float | None = None
    memory: int = 0
    doubts: tuple[Doubt, ...] = ()
    missing: Array | None = field(default=None, repr=False, compare=False)

    def in_words(self) -> str:
        """Size and heights in a sentence."""
        rows, cols = self.shape
        cells = f"{rows} × {cols} cells"
        if self.spacing:
            row, col = self.spacing
            cells += (
                f" of {col:.4g} m"
                if abs(row - col) < 1e-4 * col
                else f" of {col:.4g} × {row:.4g} m"
            )
        if self.lowest is None or self.highest is None:
            return f"{self.name}: {cells}."
        return f"{self.name}: {cells}, heights from {self.lowest:.6g} m to {self.highest:.6g} m."
