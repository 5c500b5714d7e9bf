# SPDX-License-Identifier: GPL-3.0-or-later
"""Images through Blender: heights and colors, in and out.

Blender returns unchanged values only if the color space is Non-Color before the first access to the
pixels. Temporary images and scenes are removed again, also after an error.
"""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...base.arrays import linear
from ...base.errors import InputError, Sentence, reason_of
from ...base.memory import require, require_to_unpack
from ...files.headers.image_header import (
    FileHeader,
    ImageHeader,
    file_header,
    file_size,
    parse_header,
)
from ...files.image_files import ImageFiles, color, damaged, tiff_pixels, upright

_BYTES_PER_CELL = 112
"""Peak memory per cell, measured for 4096² pixels: Blender keeps several copies of four float
channels.
"""
_LONGEST_PATH = 1000
"""Longest path; Blender truncates longer ones and would touch another file."""
_EXR_NAMES = {"R", "G", "B", "Y", "V"}
"""Single-channel names that every Blender version reads."""


class BlenderFiles(ImageFiles):
    """Image files through `bpy.data.images`; see `files.image_files.ImageFiles`."""

    def cell_bytes(self, channels: int) -> int:
        """Peak memory of a pixel while a file is read, whatever its channels."""
        return _BYTES_PER_CELL

    def pixels(self, path: Path, image: FileHeader) -> np.ndarray[Any, Any]:
        """All channels of a PNG, TIFF or EXR file, row 0 at the bottom; InputError if it cannot be
        read.
        """
        _check(image.header, file_size(path), path)
        if (pixels := tiff_pixels(path, image, path)) is not None:
            return pixels
        try:
            loaded = bpy.data.images.load(_blender_path(path), check_existing=False)
        except RuntimeError as error:
            raise damaged(path, reason_of(error)) from error
        return _read_and_remove(loaded, image.header, path)

    def write(self, path: Path, pixels: np.ndarray[Any, Any], kind: str) -> None:
        """Write pixels as a 16-bit PNG ("uint16", 0–1) or float EXR, gray or colors; OSError where
        it fails.
        """
        name = _blender_path(path)
        require(pixels.size * _BYTES_PER_CELL, Sentence("Writing {path}").format(path=path))
        with _temporary_image(pixels) as image, _temporary_scene() as scene:
            settings = scene.render.image_settings
            if hasattr(settings, "media_type"):  # Blender 5.0 and later
                settings.media_type = "IMAGE"
            mode = "BW" if pixels.ndim == 2 else "RGB"
            if kind == "uint16":
                settings.file_format = "PNG"
                settings.color_mode = mode
                settings.color_depth = "16"
            else:
                settings.file_format = "OPEN_EXR"
                settings.color_depth = "32"
                settings.exr_codec = "ZIP"
            scene.view_settings.view_transform = "Raw"
            try:
                image.save_render(name, scene=scene)
            except RuntimeError as error:
                raise OSError(reason_of(error).splitlines()[0]) from error


def image_colors(image: bpy.types.Image) -> np.ndarray[Any, Any]:
    """Linear colors of an image in this .blend file as (rows, cols, 3) float32, row 0 at the
    bottom.

    The color space of integer images is applied, as in Blender itself.
    """
    pixels, whole_numbers = _image_pixels(image)
    colors = color(pixels)
    return linear(colors) if whole_numbers and not image.colorspace_settings.is_data else colors


def require_still(image: bpy.types.Image) -> None:
    """Raise InputError for tiles, movies, sequences and render results."""
    if image.source not in {"FILE", "GENERATED"}:
        kinds = {
            "TILED": Sentence("made of UDIM tiles"),
            "MOVIE": Sentence("a movie"),
            "SEQUENCE": Sentence("a sequence"),
        }
        kind = kinds.get(image.source) or Sentence("a render result")
        raise InputError("The image {name} is {kind}; choose a single still image.").format(
            name=image.name, kind=kind
        )


def packed_suffix(data: bytes, name: str) -> str:
    """Suffix of the bytes of a packed file; InputError if they are not read here."""
    for suffix, marks in _MARKS.items():
        if data.startswith(marks):
            return suffix
    raise InputError(
        "{name} is packed in an unsupported format; save it as PNG, TIFF or EXR."
    ).format(name=name)


_MARKS = {".png": (b"\x89PNG",), ".tif": (b"II", b"MM"), ".exr": (b"\x76\x2f\x31\x01",)}
"""First bytes of the kinds of images."""


def _image_pixels(image: bpy.types.Image) -> tuple[np.ndarray[Any, Any], bool]:
    """Pixels of an image in this .blend file as (rows, cols, channels), and whether its file holds
    whole numbers.

    Generated or painted images are read from memory, others from their packed or linked file.
    Raises InputError for tiles, movies, sequences, render results, missing files and color images.
    """
    require_still(image)
    name = f"The image {image.name}"
    if image.source == "GENERATED" or image.is_dirty:
        return image_pixels(image), not image.is_float
    if image.packed_file:
        data = image.packed_file.data
        packed = parse_header(io.BytesIO(data), len(data), name)
        header = packed.header
        _check(header, len(data), name)
        if (pixels := tiff_pixels(data, packed, name)) is not None:
            return pixels, header.kind.startswith("uint")
        return _read_and_remove(image.copy(), header, name), header.kind.startswith("uint")
    path = bpy.path.abspath(image.filepath, library=image.library)
    if not path:
        raise InputError("{name} has no pixels and no file; choose a file for it.").format(
            name=name
        )
    linked = file_header(path)
    return BlenderFiles().pixels(Path(path), linked), linked.header.kind.startswith("uint")


def image_pixels(image: bpy.types.Image) -> np.ndarray[Any, Any]:
    """Pixels of an image as they are in memory, (rows, cols, channels), row 0 at the bottom."""
    name = f"The image {image.name}"
    if image.source == "FILE" and image.is_float and not image.colorspace_settings.is_data:
        raise InputError(
            "{name} has unsaved changes in the color space {color_space}, which bends heights; "
            "save it and set its color space to Non-Color."
        ).format(name=name, color_space=image.colorspace_settings.name)
    cols, rows = image.size
    require(rows * cols * _BYTES_PER_CELL, f"{name} ({rows} × {cols})")
    return _all_pixels(image, name)


def _read_and_remove(
    image: bpy.types.Image, header: ImageHeader, name: object
) -> np.ndarray[Any, Any]:
    try:
        image.colorspace_settings.name = "Non-Color"
        cols, rows = image.size
        if (rows, cols) != (header.rows, header.cols):
            raise damaged(name, "")
        return upright(_all_pixels(image, name), header)
    except RuntimeError as error:
        raise damaged(name, str(error)) from error
    finally:
        bpy.data.images.remove(image)


def _all_pixels(image: bpy.types.Image, name: object) -> np.ndarray[Any, Any]:
    cols, rows = image.size
    if rows == 0 or cols == 0 or len(image.pixels) != rows * cols * image.channels:
        raise InputError("{name} has no pixels; reload it or choose another image.").format(
            name=name
        )
    pixels = np.empty(rows * cols * image.channels, np.float32)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(rows, cols, image.channels)


def _check(header: ImageHeader, size: int, name: object) -> None:
    """Raise InputError if Blender cannot read the image, or would misread it. size: of its file,
    bytes.
    """
    # Until 5.2, Blender leaves the pixels uninitialized where it does not know the name of a single
    # channel.
    if bpy.app.version < (5, 2, 0) and len(header.names) == 1 and header.names[0] not in _EXR_NAMES:
        raise InputError(
            "{name} has one channel named {channel}; name it Y, or use Blender 5.2 or later."
        ).format(name=name, channel=header.names[0])
    what = f"Reading {name} ({header.rows} × {header.cols})"
    require_to_unpack(header.cells * _BYTES_PER_CELL, header.cells, size, what)


def _blender_path(path: Path) -> bytes:
    """File system path. Blender encodes text as UTF-8, whatever encoding Python uses for file
    names.
    """
    name = os.path.abspath(path)  # noqa: PTH100 - Path would drop the second of two leading slashes
    if os.name != "nt" and name.startswith("//"):
        name = name[1:]  # two slashes stand for the folder of the .blend file
    encoded = os.fsencode(name)
    if len(encoded) > _LONGEST_PATH:
        raise InputError(
            "{path} is too long a path for Blender; use a folder nearer to the root."
        ).format(path=path)
    return encoded


@contextmanager
def _temporary_image(pixels: np.ndarray[Any, Any]) -> Iterator[bpy.types.Image]:
    rows, cols = pixels.shape[:2]
    image = bpy.data.images.new("erosion", cols, rows, alpha=False, float_buffer=True, is_data=True)
    try:
        channels = np.ones((rows, cols, image.channels), np.float32)
        channels[..., :3] = pixels.reshape(rows, cols, -1)
        image.pixels.foreach_set(channels.ravel())
        yield image
    finally:
        bpy.data.images.remove(image)


@contextmanager
def _temporary_scene() -> Iterator[bpy.types.Scene]:
    scene = bpy.data.scenes.new("erosion")
    try:
        yield scene
    finally:
        bpy.data.scenes.remove(scene)
