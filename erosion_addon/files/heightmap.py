# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmap files: .npy, .exr, .tif, .png, .r16, .r32 and .raw.

Row 0 of an array lies at the smallest y, and a .npy file keeps that order. Image and raw files start with their top
row, the largest y, as game engines exchange them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..base.errors import InputError
from ..base.memory import require
from ..grid.fill_holes import filled
from ..terrain.terrain import HIGHEST, SMALLEST_SIDE
from .formats import GRAY_SUFFIXES, IMAGE_SUFFIXES, RAW_SUFFIXES, SUFFIXES
from .headers.georeference import Georeference
from .headers.image_header import ImageHeader, file_size, read_header
from .image_files import ImageFiles, windows
from .tiff_writer import write_tiff

Array = np.ndarray[Any, Any]
Range = tuple[float, float]
Note = Callable[[str], object]
Windows = Callable[[int, int, int, int], Array]
"""Reader of windows: top, bottom, left, right → m."""

LARGE = 1 << 26
"""Cells from which a TIFF is read in windows; smaller ones are read as a whole."""

_WHITE = {"uint8": 2**8 - 1, "uint16": 2**16 - 1, "uint32": 2**32 - 1, "int16": 2**15 - 1, "int32": 2**31 - 1}
_NO_DATA = -(2**15)
"""No-data value of int16 elevation models such as SRTM, even if their header omits it."""
_LARGEST_HOLES = 0.5
"""Greatest share of cells without data; beyond it, filling would invent most of the terrain."""


@dataclass(frozen=True)
class Written:
    """Result of `encode_heightmap`: meters of black and white (None for float files), and clipped cells."""

    height_range: Range | None = None
    clipped_cells: int = 0


def read_heightmap(
    path: str | Path,
    image_files: ImageFiles,
    height_range: Range | None = None,
    size: tuple[int, int] | None = None,
    note: Note | None = None,
) -> Array:
    """Elevation in meters, (rows, cols) float64, from a file by its suffix.

    height_range: meters of black (0) and white; needed by files of unsigned integers, ignored by files of floats,
    whose numbers are meters. Signed integers without a range are whole meters, as in elevation models.
    size: (rows, cols) of a raw file that is not square. note: gets a sentence about holes that were filled: cells with
    the number that a TIFF names for no data.
    Raises InputError, before anything is allocated where the file or its header shows the fault.
    """
    path = Path(path)
    span = _checked_range(height_range)
    suffix = path.suffix.lower()
    try:
        if suffix == ".npy":
            elevation = _read_npy(path)
        elif suffix in IMAGE_SUFFIXES:
            elevation = _read_image(path, image_files, span, note)
        elif suffix in RAW_SUFFIXES:
            elevation = _read_raw(path, span, size)
        else:
            raise InputError(f"{path} is not a kind of file that holds heights; use one of {', '.join(SUFFIXES)}.")
        if size is not None and elevation.shape != tuple(size):
            raise InputError(f"{path} is {_size(elevation.shape)}, not {_size(size)}.")
        _check_values(elevation, str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    except MemoryError:
        raise InputError(f"There is not enough memory to read {path}; use a smaller terrain.") from None
    return elevation


def heightmap_windows(
    path: Path, height_range: Range | None = None, size: tuple[int, int] | None = None
) -> tuple[tuple[int, int], Windows] | None:
    """(rows, cols) of a file that may be larger than memory, and a reader of its windows, see `read_heightmap`.

    The reader takes top, bottom, left and right, row 0 at the smallest y, and returns float64 m. None for files that
    are read as a whole: other kinds, and images of less than 64 million cells. Cells without data are no numbers.
    """
    suffix, span = path.suffix.lower(), _checked_range(height_range)
    if suffix in (".tif", ".tiff") and (header := read_header(path)).cells >= LARGE:
        if header.kind.startswith("uint"):
            _need_range(span, path)
        return (header.rows, header.cols), _image_windows(path, header, span)
    kind = {".npy": "", ".r32": "<f4", ".r16": "<u2", ".raw": "<u2"}.get(suffix)
    if kind is None:
        return None
    try:
        if suffix == ".npy":
            values = np.load(path, mmap_mode="r", allow_pickle=False)
            if values.ndim != 2 or values.dtype not in ("<f4", "<f8"):
                return None
        else:
            count = file_size(path) // np.dtype(kind).itemsize
            rows, cols = size or (math.isqrt(count), math.isqrt(count))
            if rows * cols * np.dtype(kind).itemsize != file_size(path):
                return None
            values = np.memmap(path, kind, "r", shape=(rows, cols))[::-1]
    except (OSError, ValueError, EOFError):
        return None  # read as a whole it says what is wrong
    if kind == "<u2":
        _need_range(span, path)

    def read(top: int, bottom: int, left: int, right: int) -> Array:
        part = _meters(values[top:bottom, left:right])
        return _scaled(part, "uint16", span) if kind == "<u2" and span else part

    return (values.shape[0], values.shape[1]), read


def _image_windows(path: Path, header: ImageHeader, span: Range | None) -> Windows:
    numbers = windows(path)
    no_data = _NO_DATA if header.kind == "int16" and header.no_data is None else header.no_data

    def read(top: int, bottom: int, left: int, right: int) -> Array:
        values = _meters(numbers(top, bottom, left, right))
        if not header.kind.startswith("float"):
            values = np.rint(values * _WHITE[header.kind])
        with np.errstate(over="ignore"):  # the least double is less than any float
            holes = values == (np.nan if no_data is None else np.float32(no_data))
        if span and not header.kind.startswith("float"):
            values = _scaled(values, header.kind, span)
        values[holes] = np.nan
        return values

    return read


def encode_heightmap(
    path: Path,
    elevation: Array,
    image_files: ImageFiles,
    height_range: Range | None = None,
    dtype: Any = np.float32,
    spacing: tuple[float, float] | None = None,
    georeference: Georeference | None = None,
) -> Written:
    """Write (rows, cols) values by the suffix of the path, where an incomplete file does no harm, see `Outputs.write`.

    .npy has the given dtype (float32 or float64); .exr, .tif and .r32 are float32; .png, .r16 and .raw are 16-bit,
    with black and white at height_range or, without one, at the lowest and highest value. Values beyond a given range
    are cut off and counted. spacing: (row, col) meters; georeference: the location on Earth; both are kept in TIFFs.
    Raises InputError if the file cannot be written.
    """
    suffix = path.suffix.lower()
    span = _checked_range(height_range)
    values = np.asarray(elevation)
    if values.ndim != 2 or values.size == 0 or not np.isfinite(values).all():
        raise InputError(f"{path} cannot be written: its values must be a rectangle of finite numbers.")
    result = Written()
    try:
        if suffix in GRAY_SUFFIXES:
            span = span or own_range(values)
            result = Written(span, int(np.count_nonzero((values < span[0]) | (values > span[1]))))
            fraction = (values.astype(np.float64) - span[0]) / (span[1] - span[0])
            values = np.rint(np.clip(fraction, 0.0, 1.0) * _WHITE["uint16"]).astype("<u2")
        elif np.abs(values).max() > np.finfo(np.float32).max and not (suffix == ".npy" and dtype == np.float64):
            raise InputError(f"{path} cannot be written: values beyond ±3.4e38 do not fit float32; write a .npy file.")
        _write(path, values, image_files, dtype, spacing, georeference)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error
    except MemoryError:
        raise InputError(f"There is not enough memory to write {path}.") from None
    return result


def _read_npy(path: Path) -> Array:
    length = file_size(path)
    with path.open("rb") as stream:
        try:
            shape, fortran, dtype = _npy_header(stream)
        # The header is a Python literal: a damaged one raises whatever the tokenizer and the parser come up with.
        except Exception as error:
            raise InputError(f"{path} is not a .npy file of version 1 or 2, or damaged; save it again.") from error
        if dtype.kind != "f" or dtype.itemsize not in (4, 8):
            raise InputError(f"{path} holds {dtype}; save it as float32 or float64.")
        if len(shape) != 2:
            raise InputError(f"{path} has {len(shape)} dimensions; a terrain has 2, rows and columns.")
        _check_size(shape, path)
        cells = shape[0] * shape[1]
        if stream.tell() + cells * dtype.itemsize > length:
            raise InputError(f"{path} is cut off: it claims {_size(shape)} cells; save it again.")
        require(cells * (dtype.itemsize + 9), f"Reading {path} ({_size(shape)})")
        values = np.fromfile(stream, dtype, cells)
    return _meters(values.reshape(shape, order="F" if fortran else "C"))


def _npy_header(stream: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    npy: Any = np.lib.format
    read = npy.read_array_header_1_0 if npy.read_magic(stream) == (1, 0) else npy.read_array_header_2_0
    header: tuple[tuple[int, ...], bool, np.dtype[Any]] = read(stream)
    return header


def _read_raw(path: Path, span: Range | None, size: tuple[int, int] | None) -> Array:
    length = file_size(path)
    # Two and four bytes a cell cannot both make a square, nor both fit one given size.
    widths = {".r16": (2,), ".r32": (4,), ".raw": (2, 4)}[path.suffix.lower()]
    for width in widths:
        side = math.isqrt(length // width)
        rows, cols = size or (side, side)
        if rows > 0 and cols > 0 and rows * cols * width == length:
            break
    else:
        bits = " or ".join(f"{8 * width}-bit" for width in widths)
        wanted = f"{_size(size)} cells" if size else "a square"
        hint = "give another size" if size else "give its size (rows and columns)"
        raise InputError(f"{path} has {length} bytes, which is not {wanted} of {bits} numbers; {hint}.")
    _check_size((rows, cols), path)
    if width == 2:
        _need_range(span, path)
    require(rows * cols * (width + 9), f"Reading {path} ({rows} × {cols})")
    values = np.fromfile(path, "<u2" if width == 2 else "<f4", rows * cols).reshape(rows, cols)[::-1]
    return _scaled(_meters(values), "uint16", span) if width == 2 and span else _meters(values)


def _read_image(path: Path, image_files: ImageFiles, span: Range | None, note: Note | None) -> Array:
    header = read_header(path)
    _check_size((header.rows, header.cols), path)
    if header.kind.startswith("uint"):
        _need_range(span, path)
    require(header.cells * 17, f"Reading {path} ({header.rows} × {header.cols})")
    pixels = image_files.read(path)
    values = _meters(pixels)
    if header.kind.startswith("float"):
        return _without_holes(values, pixels, header.no_data, path, note)
    # The fraction went through float32; rounding brings the exact integer back.
    values = np.rint(values * _WHITE[header.kind])
    no_data = _NO_DATA if header.kind == "int16" and header.no_data is None else header.no_data
    values = _without_holes(values, values, no_data, path, note)
    return _scaled(values, header.kind, span) if span else values


def _without_holes(values: Array, numbers: Array, no_data: float | None, path: Path, note: Note | None) -> Array:
    """`values` with the cells whose `numbers` mean no data filled; InputError if too few are left."""
    if no_data is None:
        return values
    with np.errstate(over="ignore"):  # the least double is less than any float
        missing = np.isnan(numbers) if math.isnan(no_data) else numbers == numbers.dtype.type(no_data)
    count = int(np.count_nonzero(missing))
    if count == 0:
        return values
    holes = f"{path} has no data ({no_data:g}) in {count} of {values.size} cells"
    if count > _LARGEST_HOLES * values.size:
        raise InputError(f"{holes}, too many to fill from the others; crop the file to the part that has data.")
    if note is not None:
        note(f"{holes}; they were filled from the heights around them.")
    return filled(values, missing)


def _meters(values: Array) -> Array:
    with np.errstate(invalid="ignore"):  # a signalling NaN; NaN is refused later, with its place
        return np.ascontiguousarray(values, np.float64)


def _scaled(values: Array, kind: str, span: Range) -> Array:
    """Meters from integers: 0 maps to the first of `span`, white to the second."""
    return span[0] + values / _WHITE[kind] * (span[1] - span[0])


def _need_range(span: Range | None, path: Path) -> None:
    if span is None:
        raise InputError(f"{path} holds shades of gray, not meters; give the height range (meters of black and white).")


def _checked_range(span: Range | None) -> Range | None:
    if span is None:
        return None
    low, high = (float(limit) for limit in span)
    if not (-HIGHEST <= low < high <= HIGHEST):
        raise InputError(f"The height range {low:g} to {high:g} m must go from a lower to a higher elevation.")
    return low, high


def own_range(values: Array) -> Range:
    """Lowest and highest value; a meter apart if they are equal."""
    low, high = float(values.min()), float(values.max())
    return low, high if high > low else low + 1.0


def _check_size(shape: tuple[int, ...], path: Path) -> None:
    if min(shape) < SMALLEST_SIDE:
        raise InputError(f"{path} is {_size(shape)}; a terrain needs at least {SMALLEST_SIDE} × {SMALLEST_SIDE} cells.")


def _check_values(elevation: Array, name: str) -> None:
    bad = ~(np.abs(elevation) <= HIGHEST)  # NaN fails the comparison
    if count := np.count_nonzero(bad):
        row, col = np.argwhere(bad)[0]
        raise InputError(
            f"{name} has {count} cells that are not numbers or beyond ±{HIGHEST:g} m, "
            f"the first at row {row}, column {col}; fill them first."
        )


def _size(shape: tuple[int, ...]) -> str:
    return " × ".join(str(side) for side in shape)


def _write(
    path: Path,
    values: Array,
    image_files: ImageFiles,
    dtype: Any,
    spacing: tuple[float, float] | None,
    georeference: Georeference | None,
) -> None:
    """Write values (integers for 16-bit files) in the format of the suffix."""
    suffix = path.suffix
    if suffix == ".npy":
        with path.open("wb") as stream:
            np.save(stream, np.ascontiguousarray(values, dtype), allow_pickle=False)
    elif suffix in RAW_SUFFIXES:
        with path.open("wb") as stream:
            stream.write(np.ascontiguousarray(values[::-1], "<f4" if suffix == ".r32" else "<u2").data)
    elif suffix in (".tif", ".tiff"):
        write_tiff(path, values, spacing, georeference)
    else:
        if suffix == ".png":
            image_files.write(path, (values / np.float32(_WHITE["uint16"])).astype(np.float32), "uint16")
        else:
            image_files.write(path, values.astype(np.float32), "float")
        # Blender does not notice when the disk is full while it writes a PNG.
        try:
            read_header(path)
        except InputError:
            raise OSError("the file is incomplete; the disk may be full") from None
