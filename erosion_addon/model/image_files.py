# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels of grey image files: the interface, and the backend for use without Blender.

There are two backends with the same two methods: `OpenImageIOFiles` here and `BlenderFiles` in the scene. They give
the same numbers for the same file.
"""

from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .errors import InputError
from .image_header import read_header
from .memory import require


class ImageFiles(Protocol):
    """Reads and writes the pixels of grey images as (rows, cols) float32 with row 0 at the bottom (smallest y)."""

    def read(self, path: Path) -> np.ndarray[Any, Any]:
        """Pixels: unsigned integers as 0–1, signed ones as −1–1 (v / largest value), floats as they are."""

    def write(self, path: Path, pixels: np.ndarray[Any, Any], kind: str) -> None:
        """Write pixels as a 16-bit PNG (`kind` "uint16", pixels 0–1) or a float EXR ("float").

        An OSError says that the file could not be written. A full disk may go unnoticed: check the file afterwards.
        """


class OpenImageIOFiles:
    """Image files through OpenImageIO's wheel."""

    def read(self, path: Path) -> np.ndarray[Any, Any]:
        """Grey pixels of a PNG, TIFF or EXR file; InputError in a sentence where there are none."""
        header = read_header(path)
        require(header.cells * 4 * (header.channels + 3), f"Reading {path} ({header.rows} × {header.cols})")
        oiio = _openimageio()
        configuration = oiio.ImageSpec()
        # Otherwise the colour of a PNG is multiplied by its alpha.
        configuration.attribute("oiio:UnassociatedAlpha", 1)
        image = oiio.ImageInput.open(str(path), configuration)
        if image is None:
            raise damaged(path, _error(oiio))
        try:
            pixels = image.read_image(0, 0, 0, image.spec().nchannels, "float")
            error = _error(image)
        finally:
            image.close()
        # Some versions return zeros for missing strips and only leave an error behind.
        if pixels is None or error:
            raise damaged(path, error)
        if pixels.shape[:2] != (header.rows, header.cols):
            raise damaged(path, "its header makes no sense")
        return grey(pixels[::-1], path)

    def write(self, path: Path, pixels: np.ndarray[Any, Any], kind: str) -> None:
        """Write (rows, cols) pixels, row 0 at the bottom, in the format of the suffix; OSError where it fails."""
        oiio = _openimageio()
        spec = oiio.ImageSpec(pixels.shape[1], pixels.shape[0], 1, kind)
        spec.channelnames = ["Y"]
        spec.attribute("DateTime", "1970:01:01 00:00:00")  # else the time of writing: no two files would be the same
        image = oiio.ImageOutput.create(str(path))
        if image is None:
            raise OSError(_first_line(_error(oiio)))
        rows = np.ascontiguousarray(pixels[::-1, :, np.newaxis], np.float32)
        done = image.open(str(path), spec) and image.write_image(rows)
        error = _error(image)
        if not image.close() or not done or error:
            raise OSError(_first_line(error or _error(image)))


def grey(pixels: np.ndarray[Any, Any], path: object) -> np.ndarray[Any, Any]:
    """The one grey channel of (rows, cols, channels) pixels; InputError where red, green and blue differ."""
    first = pixels[..., 0]
    if pixels.shape[2] > 2:
        for other in (1, 2):
            if not np.array_equal(first, pixels[..., other], equal_nan=True):
                raise InputError(f"{path} is a colour image; save the heights as greyscale.")
    return np.ascontiguousarray(first, np.float32)


def damaged(path: object, error: str) -> InputError:
    """The refusal of a file whose header is fine and whose pixels are not."""
    return InputError(f"{path} is damaged or cut off: {_first_line(error)}; save it again.")


def _error(source: Any) -> str:
    """The pending error of OpenImageIO or one of its images, "" if none; quoting a damaged file it may be no text."""
    try:
        return str(source.geterror())
    except UnicodeDecodeError:
        return "its pixels cannot be read"


def _first_line(error: str) -> str:
    return error.strip().splitlines()[0].rstrip(".")[:200] if error.strip() else "its pixels cannot be read"


def _openimageio() -> Any:
    try:
        import OpenImageIO
    except ImportError:
        raise InputError(
            "Image files need the Python package OpenImageIO: run pip install OpenImageIO, or use a .npy file."
        ) from None
    return OpenImageIO
