# SPDX-License-Identifier: GPL-3.0-or-later
"""Common contents of the headers of all image formats, and the error of damaged ones."""

from typing import NamedTuple

from .georeference import Georeference


class ImageHeader(NamedTuple):
    """Size and number format of an image; `names` are an EXR's channel names, else empty.

    no_data: the number that a GeoTIFF puts where nothing was measured. spacing: (row, col) meters between its pixels.
    georeference: where on Earth they lie.
    """

    rows: int
    cols: int
    channels: int
    kind: str
    names: tuple[str, ...] = ()
    no_data: float | None = None
    spacing: tuple[float, float] | None = None
    georeference: Georeference | None = None

    @property
    def cells(self) -> int:
        """Pixels of one channel."""
        return self.rows * self.cols


class CorruptError(Exception):
    """The bytes contradict the format; the message says how."""


def blocks(length: int, block: int) -> int:
    """Number of blocks of `size` pixels that cover a length."""
    if block <= 0:
        raise CorruptError("its blocks have no size")
    return -(-length // block)
