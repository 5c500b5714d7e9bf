# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels of image files: interface, and backend for use without Blender.

Both backends, `OpenImageIOFiles` here and `BlenderFiles` in the scene, return the same numbers for
the same file.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..base.errors import InputError
from ..base.memory import require_to_unpack
from .headers.image_format import single
from .headers.image_header import FileHeader, ImageHeader, damage_in, file_header, file_size
from .headers.tiff_header import TiffImage
from .rasters.colors import coded_heights
from .rasters.raster import Cells, Raster, part_of
from .rasters.tiff_pixels import TiffPixels
from .reading.meaning import WHITE

_COLORS = 16
"""Bytes of a cell while its colors are decoded."""


class ImageFiles(Protocol):
    """Reads and writes pixels as float32, (rows, cols) or of colors (rows, cols, 3), row 0 at the
    bottom (smallest y).

    Numbers are the file's, in any color space.
    """

    def cell_bytes(self, channels: int) -> int:
        """Peak memory of a pixel while a file is read."""

    def pixels(self, path: Path, image: FileHeader) -> np.ndarray[Any, Any]:
        """All channels, (rows, cols, channels): unsigned integers as 0–1, signed ones as −1–1 (v /
        largest value), floats unchanged. image: header of the file.
        """

    def read(self, path: Path) -> np.ndarray[Any, Any]:
        """Gray pixels of a PNG, TIFF or EXR file; InputError if there are none."""
        return gray(self.pixels(path, file_header(path)), path)

    def read_color(self, path: Path) -> np.ndarray[Any, Any]:
        """Red, green and blue, which are equal in a gray file; InputError if there are none."""
        return color(self.pixels(path, file_header(path)))

    def write(self, path: Path, pixels: np.ndarray[Any, Any], kind: str) -> None:
        """Write gray or color pixels as a 16-bit PNG (`kind` "uint16", pixels 0–1) or a float EXR
        ("float").

        OSError if that fails. A full disk may go unnoticed: check the file afterwards.
        """


class OpenImageIOFiles(ImageFiles):
    """Image files through OpenImageIO's wheel."""

    def cell_bytes(self, channels: int) -> int:
        """Peak memory of a pixel while a file is read."""
        return 4 * channels + 4

    def pixels(self, path: Path, image: FileHeader) -> np.ndarray[Any, Any]:
        """All channels of a PNG, TIFF or EXR file; InputError if it cannot be read."""
        header = image.header
        size = header.cells * 4 * (header.channels + 3)
        what = f"Reading {path} ({header.rows} × {header.cols})"
        require_to_unpack(size, header.cells, file_size(path), what)
        if (pixels := tiff_pixels(path, image, path)) is not None:
            return pixels
        oiio = _openimageio()
        configuration = oiio.ImageSpec()
        # Otherwise the color of a PNG is multiplied by its alpha.
        configuration.attribute("oiio:UnassociatedAlpha", 1)
        with _utf8_name(path) as name:
            reader = oiio.ImageInput.open(name, configuration)
            if reader is None:
                raise damaged(path, _error(oiio))
            try:
                pixels = reader.read_image(0, 0, 0, reader.spec().nchannels, "float")
                error = _error(reader)
            finally:
                reader.close()
        # Some versions return zeros for missing strips and only leave an error behind.
        if pixels is None or error:
            raise damaged(path, error)
        if pixels.shape[:2] != (header.rows, header.cols):
            raise damaged(path, "its header is invalid")
        return upright(np.asarray(pixels[::-1]), header)

    def write(self, path: Path, pixels: np.ndarray[Any, Any], kind: str) -> None:
        """Write (rows, cols) or (rows, cols, 3) pixels in the format of the suffix; OSError if that
        fails.
        """
        oiio = _openimageio()
        names = ["Y"] if pixels.ndim == 2 else ["R", "G", "B"]
        spec = oiio.ImageSpec(pixels.shape[1], pixels.shape[0], len(names), kind)
        spec.channelnames = names
        # else the time of writing: no two files would be the same
        spec.attribute("DateTime", "1970:01:01 00:00:00")
        rows = np.ascontiguousarray(pixels[::-1].reshape(*pixels.shape[:2], len(names)), np.float32)
        with _utf8_name(path) as name:
            image = oiio.ImageOutput.create(name)
            if image is None:
                raise OSError(_first_line(_error(oiio)))
            is_written = image.open(name, spec) and image.write_image(rows)
            error = _error(image)
            if not image.close() or not is_written or error:
                raise OSError(_first_line(error or _error(image)))


def upright(pixels: np.ndarray[Any, Any], header: ImageHeader) -> np.ndarray[Any, Any]:
    """Pixels with the last stored row first, turned so that row 0 lies in the south and column 0 in
    the west.
    """
    return pixels[:: -1 if header.south_up else 1, :: -1 if header.mirrored else 1]


def tiff_pixels(
    source: Path | bytes, image: FileHeader, name: object
) -> np.ndarray[Any, Any] | None:
    """All channels of a TIFF, its path or its bytes, as of `ImageFiles.pixels`; None for an image
    of another kind.

    Neither OpenImageIO nor Blender reads all packings, and Blender answers some with zeros.
    """
    if not isinstance(image, TiffImage) or image.header.packing == "JPEG":
        return None
    with damage_in(str(name)):
        return upright(TiffPixels(source, image.directories).channels()[::-1], image.header)


def image_numbers(
    path: Path, image: FileHeader, image_files: ImageFiles | None, is_coded: bool
) -> Raster:
    """Numbers of an image that is read as a whole. is_coded: whether its colors may be heights."""
    header = image.header

    @lru_cache(maxsize=1)
    def pixels() -> np.ndarray[Any, Any]:
        assert image_files is not None
        return image_files.pixels(path, image)

    numbers = lru_cache(maxsize=1)(lambda: _numbers_of(pixels(), header, path))
    if image_files and header.kind == "uint8" and header.channels > 2 and is_coded:
        coded = coded_heights(pixels())
        if coded:
            cells = coded[1], pixels()[..., 3] > 0 if header.channels == 4 else None
            header = header._replace(coded=coded[0], kind="float64", channels=1, unit=1.0)
            return Raster(
                header,
                lambda top, bottom, left, right: part_of(cells, np.s_[top:bottom, left:right]),
                _COLORS,
            )

    def read(top: int, bottom: int, left: int, right: int) -> Cells:
        return part_of(numbers(), np.s_[top:bottom, left:right])

    return Raster(header, read, image_files.cell_bytes(header.channels) if image_files else 0)


def _numbers_of(pixels: np.ndarray[Any, Any], header: ImageHeader, path: object) -> Cells:
    """Raster of a file from pixels (rows, cols, channels), and which of them are data by the alpha
    channel.
    """
    numbers = gray(pixels, path)
    if header.kind in WHITE:
        # The fraction went through float32; rounding brings the exact integer back.
        white = WHITE[header.kind]
        exact: Any = np.float64 if white >= 1 << 24 else np.float32
        numbers = np.rint(numbers.astype(exact) * white)
    if header.channels not in (2, 4):
        return numbers, None
    return numbers, pixels[..., -1] > 0


def gray(pixels: np.ndarray[Any, Any], path: object) -> np.ndarray[Any, Any]:
    """Gray channel of (rows, cols, channels) pixels, float32; InputError if red, green and blue
    differ.
    """
    return np.ascontiguousarray(single(pixels, path), np.float32)


def color(pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """(rows, cols, 3) of (rows, cols, channels) pixels; the first channel three times if there are
    one or two.
    """
    return np.ascontiguousarray(
        pixels[..., :3] if pixels.shape[2] > 2 else pixels[..., [0, 0, 0]], np.float32
    )


def damaged(path: object, error: str) -> InputError:
    """Error for a file with a valid header and damaged pixels."""
    return InputError("{path} is damaged or cut off: {error}; save it again.").format(
        path=path, error=_first_line(error)
    )


@contextmanager
def _utf8_name(path: Path) -> Iterator[str]:
    """File name for OpenImageIO, which expects UTF-8 bytes whatever the system's encoding.

    For a name in another encoding, a temporary link.
    """
    try:
        name = os.fsencode(path).decode()
    except UnicodeDecodeError:
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder, "image").with_suffix(path.suffix)
            link.symlink_to(path.absolute())
            yield str(link)
    else:
        yield name


def _error(source: Any) -> str:
    """Pending error of OpenImageIO or an image, "" if none; invalid characters are replaced."""
    try:
        return str(source.geterror())
    except UnicodeDecodeError:
        return "its pixels cannot be read"


def _first_line(error: str) -> str:
    if error.strip():
        return error.strip().splitlines()[0].rstrip(".")[:200]
    return "its pixels cannot be read"


def _openimageio() -> Any:
    try:
        import OpenImageIO
    except ImportError:
        raise InputError(
            "Image files need the Python package OpenImageIO: run pip install OpenImageIO, or use "
            "a .npy file."
        ) from None
    return OpenImageIO
