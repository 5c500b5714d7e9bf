# SPDX-License-Identifier: GPL-3.0-or-later
"""The same land in files of every kind and habit, to be read in the same way by everybody who reads
files.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import OpenImageIO

from erosion_addon.files.reading.record import UNITS, Reading
from tests.geotiff import alps, geotiff, tiff_of

ROWS = 72
COLS = 72
LAND = (
    1000 + 3.0 * np.arange(COLS) + 4.0 * np.arange(ROWS)[:, None] + 20 * np.sin(np.arange(COLS) / 5)
)
"""Row 0 in the south; from 984 m to 1505 m."""
TOP_FIRST = LAND[::-1]
SPAN = (900.0, 1600.0)
SHADES = np.rint((TOP_FIRST - SPAN[0]) / (SPAN[1] - SPAN[0]) * 65535)
HOLES = np.zeros((ROWS, COLS), bool)
HOLES[20:30, 40:50] = True
"""Top row first, like the pixels of an image."""


class LandFile(NamedTuple):
    """write: makes the file in a folder. options: what the file leaves open. words: the same on the
    command line. tolerance: meters by which heights may differ. holes: whether some cells hold no
    data.
    """

    write: Callable[[Path], Path]
    options: Reading = Reading()
    words: str = ""
    tolerance: float = 1e-3
    holes: bool = False


def _written(name: str, content: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    return write


def _array(values: np.ndarray) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        np.save(folder / "land.npy", values)
        return folder / "land.npy"

    return write


def _gdal(values: np.ndarray, no_data: str | None = None) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        geotiff(folder / "land.tif", values, no_data)
        return folder / "land.tif"

    return write


def _tiff(values: np.ndarray, tags: dict[int, np.ndarray] | None = None) -> Callable[[Path], Path]:
    return _written("land.tif", tiff_of(values, tags or {}))


def _picture(name: str, pixels: np.ndarray, kind: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / name
        pixels_ = pixels.reshape(ROWS, COLS, -1)
        spec = OpenImageIO.ImageSpec(COLS, ROWS, pixels_.shape[2], kind)
        spec.attribute("oiio:UnassociatedAlpha", 1)
        spec.channelnames = {1: ("Y",), 2: ("Y", "A"), 3: ("R", "G", "B")}[pixels_.shape[2]]
        image = OpenImageIO.ImageOutput.create(str(path))
        assert (
            image.open(str(path), spec)
            and image.write_image(np.ascontiguousarray(pixels_))
            and image.close()
        )
        return path

    return write


def _gdal_metadata(words: str) -> dict[int, np.ndarray]:
    text = f"<GDALMetadata>{words}</GDALMetadata>\0"
    return {42112: np.frombuffer(text.encode(), "u1")}


def _with_holes(values: np.ndarray, number: float) -> np.ndarray:
    return np.where(HOLES, number, values).astype(values.dtype)


FLOATS = TOP_FIRST.astype(np.float32)
METERS = np.rint(TOP_FIRST).astype(np.int16)
STEP = (SPAN[1] - SPAN[0]) / 65535
_SPAN = Reading(height_range=SPAN)
_SPAN_WORDS = "--height-range 900 1600"
_RGB = np.rint((TOP_FIRST + 10000) * 10).astype(int)
_HOLE = {"tolerance": 15.0, "holes": True}
_SCALED = _gdal_metadata('<Item name="SCALE" sample="0" role="scale">0.1</Item>')
_IN_FEET = _gdal_metadata('<Item name="UNITTYPE" sample="0" role="unittype">ft</Item>')

FILES = {
    "npy": LandFile(_array(LAND)),
    "npy of 32 bits in columns": LandFile(_array(np.asfortranarray(LAND, dtype=">f4"))),
    "npy with gaps": LandFile(_array(np.where(HOLES[::-1], np.nan, LAND)), **_HOLE),
    "exr": LandFile(_picture("land.exr", FLOATS, "float")),
    "half floats": LandFile(_picture("land.exr", FLOATS, "half"), tolerance=0.5),
    "png": LandFile(_picture("land.png", SHADES.astype("u2"), "uint16"), _SPAN, _SPAN_WORDS, STEP),
    "png with alpha": LandFile(
        _picture("land.png", np.dstack([SHADES, np.where(HOLES, 0, 65535)]).astype("u2"), "uint16"),
        *(_SPAN, _SPAN_WORDS),
        **_HOLE,
    ),
    "terrain-rgb": LandFile(
        _picture(
            "land.png", np.dstack([_RGB >> 16, _RGB >> 8 & 255, _RGB & 255]).astype("u1"), "uint8"
        ),
        tolerance=0.1,
    ),
    "tiff": LandFile(_gdal(FLOATS)),
    "whole meters": LandFile(_gdal(METERS), tolerance=0.5),
    "whole meters beside a range": LandFile(_gdal(METERS), _SPAN, _SPAN_WORDS, 0.5),
    "voids of SRTM": LandFile(_gdal(_with_holes(METERS, -32768)), **_HOLE),
    "no data with a tag": LandFile(_gdal(_with_holes(FLOATS, -9999), "-9999"), **_HOLE),
    "no data without a tag": LandFile(_gdal(_with_holes(FLOATS, -9999)), **_HOLE),
    "no data of GRASS": LandFile(_gdal(_with_holes(FLOATS, -3.4028235e38)), **_HOLE),
    "no data of its own": LandFile(
        _gdal(_with_holes(FLOATS, 1.0)), Reading(no_data=1.0), "--no-data 1", **_HOLE
    ),
    "gaps": LandFile(_gdal(_with_holes(FLOATS, np.nan)), **_HOLE),
    "whole numbers with a place": LandFile(
        _tiff(METERS.astype("u2"), alps(shape=(ROWS, COLS)).tags), tolerance=0.5
    ),
    "whole numbers without": LandFile(
        _gdal(METERS.astype("u2")), Reading(numbers="heights"), "--numbers heights", 0.5
    ),
    "from south to north": LandFile(
        _tiff(
            LAND.astype("f4"),
            {
                **alps(matrix=True).tags,
                34264: np.array([30.0, 0, 0, 6e5, 0, 30.0, 0, 52e5, *[0] * 7, 1]),
            },
        )
    ),
    "upside down": LandFile(_gdal(LAND.astype("f4")), Reading(flip=True), "--flip-rows"),
    "tenths": LandFile(_tiff(np.rint(TOP_FIRST * 10).astype("i2"), _SCALED), tolerance=0.05),
    "feet": LandFile(_tiff((TOP_FIRST / UNITS["ft"]).astype("f4"), _IN_FEET)),
    "feet that nobody names": LandFile(
        _gdal((TOP_FIRST / UNITS["ft"]).astype("f4")), Reading(unit="ft"), "--unit ft"
    ),
    "0 to 1": LandFile(
        _gdal(((TOP_FIRST - SPAN[0]) / (SPAN[1] - SPAN[0])).astype("f4")), _SPAN, _SPAN_WORDS
    ),
    "r16": LandFile(_written("land.r16", SHADES.astype("<u2").tobytes()), _SPAN, _SPAN_WORDS, STEP),
    "r16 of a Mac": LandFile(
        _written("land.r16", SHADES.astype(">u2").tobytes()), _SPAN, _SPAN_WORDS, STEP
    ),
    "raw with a sign": LandFile(
        _written("land.raw", METERS.astype("<i2").tobytes()),
        Reading(depth="i16"),
        "--depth i16",
        0.5,
    ),
    "r32 of a Mac": LandFile(_written("land.r32", FLOATS.astype(">f4").tobytes())),
    "floats in r16": LandFile(_written("land.r16", FLOATS.astype("<f4").tobytes())),
    "pfm": LandFile(
        _written("land.pfm", f"Pf\n{COLS} {ROWS}\n-1.0\n".encode() + LAND.astype("<f4").tobytes())
    ),
    "asc": LandFile(
        _written(
            "land.asc",
            f"ncols {COLS}\nnrows {ROWS}\nxllcorner 0\nyllcorner 0\ncellsize 30\n".encode()
            + "\n".join(" ".join(f"{height:.3f}" for height in row) for row in TOP_FIRST).encode(),
        )
    ),
}
"""Files by what is special about them."""
