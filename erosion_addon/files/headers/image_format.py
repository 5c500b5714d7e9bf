# SPDX-License-Identifier: GPL-3.0-or-later
"""Common contents of the headers of all image formats, and the error of damaged ones."""

import math
from typing import Any, NamedTuple

import numpy as np

from ...base.errors import InputError, Sentence
from .georeference import Georeference


class ImageHeader(NamedTuple):
    """Size and number format of an image; `names` are an EXR's channel names, else empty.

    no_data: number where nothing was measured. spacing: (row, col) meters between pixels, in their
    middle. georeference: location on Earth of the pixels as they are read: the first row in the
    north, the first column in the west. Heights are scale × number + offset, in units of `unit`
    meters. length_unit: meters per unit of the coordinates. unit and length_unit are None where the
    file does not say. south_up, mirrored: whether stored rows run from south to north, stored
    columns from east to west. mask_band: whether a channel or a mask marks cells without data.
    coded: "terrain-rgb" or "terrarium" where colors are numbers. doubts: sentences about the size
    of cells where it leaves that open; remarks: about what no option changes. by_gdal: whether only
    GDAL reads it.
    """

    rows: int
    cols: int
    channels: int
    kind: str
    names: tuple[str, ...] = ()
    no_data: float | None = None
    spacing: tuple[float, float] | None = None
    georeference: Georeference | None = None
    scale: float = 1.0
    offset: float = 0.0
    unit: float | None = None
    length_unit: float | None = None
    packing: str = ""
    byte_order: str = "little"
    south_up: bool = False
    mirrored: bool = False
    mask_band: bool = False
    coded: str = ""
    doubts: tuple[Sentence, ...] = ()
    remarks: tuple[Sentence, ...] = ()
    by_gdal: bool = False

    @property
    def cells(self) -> int:
        """Pixels of one channel."""
        return self.rows * self.cols


class CorruptError(Exception):
    """Bytes that contradict the format."""


class UnknownPackingError(InputError):
    """Pixels are packed in a way that only GDAL reads."""


def blocks(length: int, block: int) -> int:
    """Number of blocks of `size` pixels that cover a length."""
    if block <= 0:
        raise CorruptError("its blocks have no size")
    return -(-length // block)


def number_in(text: str) -> float | None:
    """Number in a text, such as -9999 or nan; None if there is none."""
    try:
        return float(text)
    except ValueError:
        return None


def factor_in(text: str, default: float) -> float:
    """Finite number other than 0 in a text; the default for anything else."""
    number = number_in(text)
    return number if number and math.isfinite(number) else default


def single(pixels: np.ndarray[Any, Any], path: object) -> np.ndarray[Any, Any]:
    """First of the channels of (rows, cols, channels) pixels; InputError if red, green and blue
    differ.
    """
    first = pixels[..., 0]
    if pixels.shape[2] > 2:
        for channel in (1, 2):
            if not np.array_equal(first, pixels[..., channel], equal_nan=True):
                raise InputError("{path} is a color image; save the heights as grayscale.").format(
                    path=path
                )
    return first
