# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmap files: .npy, .exr, .tif, .png, .r16, .r32 and .raw.

Row 0 of an array lies at the smallest y, and a .npy file keeps that order. Image and raw files
start with their top row, the largest y, as game engines exchange them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..base import memory
from ..base.errors import InputError, Sentence, unreadable, unwritable
from ..grid.dequantize import smooth_steps, step_of
from ..grid.fill_holes import filled_windows
from ..terrain.terrain import HIGHEST
from .formats import GRAY_SUFFIXES, RAW_SUFFIXES, READ_SUFFIXES
from .headers.image_header import file_header, file_size, read_header
from .image_files import ImageFiles, image_numbers
from .rasters.colors import CODES
from .rasters.raster import Cells, Raster, open_raster
from .rasters.tiff_writer import Tags, write_tiff
from .reading import meaning
from .reading.numbers import array_numbers, raw_numbers, thinned, upturned
from .reading.parts import check_options, cut
from .reading.raw_files import form_of
from .reading.record import Array, Doubt, Range, Reading, Record
from .reading.survey import Survey, bands, survey_of
from .side_file import Meters, side_file

Note = Callable[[str], object]
Windows = Callable[[int, int, int, int], Array]
"""Reader of windows: top, bottom, left, right → m."""

_NO_DATA = -(2**15)
"""No-data value of int16 elevation models such as SRTM, even if their header omits it."""
_BYTES_OF_HOLES = 12
"""Memory of a cell that filling takes beside reading; measured for 3000² cells."""
_SAMPLE = 1 << 20
"""Cells of a sample."""
_BAND = 1 << 22
"""Cells of a window in which a large file is looked through."""


@dataclass(frozen=True)
class Written:
    """Result of `encode_heightmap`: meters of black and white (None for float files), and clipped
    cells.
    """

    height_range: Range | None = None
    clipped_cells: int = 0


def read_heights(
    path: str | Path, image_files: ImageFiles, options: Reading | None = None
) -> tuple[Array, Record]:
    """Elevation in meters, (rows, cols) float64, from a file by its suffix, and the record of how
    it was read.

    Raises InputError, before anything is allocated where the file or its header shows the fault.
    """
    path = Path(path)
    options = options or Reading()
    try:
        numbers, record = opened(path, image_files, options)
        return heights_in(numbers, record, options)
    except OSError as error:
        raise unreadable(path, error) from error
    except MemoryError:
        raise InputError(
            "There is not enough memory to read {path}; use a smaller terrain."
        ).format(path=path) from None


def heights_in(numbers: Raster, record: Record, options: Reading) -> tuple[Array, Record]:
    """Elevation in meters, (rows, cols) float64, of opened numbers, and the whole record;
    InputError for no terrain.
    """
    _require_memory(record)
    elevation, record = _all_heights(numbers, record, options)
    if record.holes:
        record = replace(record, missing=np.isnan(elevation))
        if options.holes == "sea":
            elevation[record.missing] = options.sea_level
        else:
            _require_memory(record, _BYTES_OF_HOLES)
            elevation = _filled(elevation)
    _check_values(elevation, record.name)
    if record.kind in ("float32", "float64"):  # the kind says the step of others
        record = replace(record, step=step_of(elevation))
    return elevation, record


def without_steps(elevation: Array, record: Record) -> Array:
    """Elevation without the terraces in the record, if any."""
    step = meaning.steps_of(elevation, record)
    return elevation if step is None else smooth_steps(elevation, step)


def _filled(elevation: Array) -> Array:
    """Elevation with its holes filled, band by band: all at once needs memory for six copies."""
    rows, cols = elevation.shape
    read = filled_windows(
        lambda top, bottom, left, right: elevation[top:bottom, left:right], (rows, cols)
    )
    filled = np.empty_like(elevation)
    for part in bands(elevation.shape):
        bottom = min(part.stop, rows)
        filled[part] = read(part.start, bottom, 0, cols)
    return filled


def _all_heights(numbers: Raster, record: Record, options: Reading) -> tuple[Array, Record]:
    """Heights, NaN for cells without data, and the record."""
    stored, valid = numbers.read(0, record.shape[0], 0, record.shape[1])
    survey = _survey(numbers, options, lambda: [(stored, valid)])
    record = meaning.record_of(record, numbers.header, survey, options)
    _require_range(record)
    return meaning.heights_of(stored, None if survey.is_bare else valid, record), record


def sample(numbers: Raster, record: Record) -> Cells:
    """Cells all over opened numbers, about a million."""
    rows, cols = record.shape
    every = int(np.ceil(np.sqrt(max(rows * cols / _SAMPLE, 1.0))))
    return thinned(numbers.read, (0, 0), every)(0, -(-rows // every), 0, -(-cols // every))


def looked_at(
    numbers: Raster, record: Record, options: Reading, samples: Iterable[Cells]
) -> Record:
    """Record of opened numbers by samples of them."""
    survey = _survey(numbers, options, lambda: samples)
    return meaning.record_of(record, numbers.header, survey, options)


def heightmap_windows(
    path: Path, image_files: ImageFiles, options: Reading | None = None
) -> tuple[Record, Windows]:
    """Record of a file that may be larger than memory, and a reader of its windows, as
    `read_heights` returns it.

    The reader takes top, bottom, left and right, row 0 at the smallest y, and returns float64 m.
    The file is looked through once; PNG and EXR are read as a whole.
    """
    options = options or Reading()
    numbers, record = opened(path, image_files, options)
    return windows_in(numbers, record, options)


def windows_in(numbers: Raster, record: Record, options: Reading) -> tuple[Record, Windows]:
    """Record and reader of windows of opened numbers, see `heightmap_windows`."""
    survey = survey_in_bands(numbers, record, options)
    record = meaning.record_of(record, numbers.header, survey, options)
    _require_range(record)

    def measured(top: int, bottom: int, left: int, right: int) -> Array:
        stored, valid = numbers.read(top, bottom, left, right)
        return meaning.heights_of(stored, None if survey.is_bare else valid, record)

    def with_sea(top: int, bottom: int, left: int, right: int) -> Array:
        part = measured(top, bottom, left, right)
        part[np.isnan(part)] = options.sea_level
        return part

    if not record.holes:
        return record, measured
    return record, with_sea if options.holes == "sea" else filled_windows(measured, record.shape)


def opened(path: Path, image_files: ImageFiles | None, options: Reading) -> tuple[Raster, Record]:
    """Raster of a file, row 0 at the smallest y, cut and thinned by the options, and the record of
    its header.

    image_files: None where the header is enough. InputError for a file that holds no heights.
    """
    side = side_file(path)
    suffix = path.suffix.lower()
    options = replace(options, height_range=_checked_range(options.height_range))
    doubts: list[Doubt] = []
    if suffix == ".npy":
        numbers = array_numbers(path, file_size(path))
    elif suffix in RAW_SUFFIXES:
        form, doubts = form_of(
            [path], file_size(path), replace(options, size=options.size or side.size)
        )
        numbers = raw_numbers(path, form)
    elif suffix in READ_SUFFIXES:
        image = file_header(path)
        numbers = open_raster(path, image) or image_numbers(
            path, image, image_files, options.numbers != "shades"
        )
    else:
        raise InputError(
            "{path} is not a kind of file that holds heights; use one of {suffixes}."
        ).format(path=path, suffixes=", ".join(READ_SUFFIXES))
    if code := numbers.header.coded:
        sentence = Sentence(
            "{path} stores heights as colors, three bytes to a number ({encoding})."
        ).format(path=path, encoding=CODES[code])
        doubts.append(Doubt(sentence, "numbers"))
    return described(numbers, str(path), side, options, doubts)


def described(
    numbers: Raster, name: str, side: Meters, options: Reading, doubts: Iterable[Doubt] = ()
) -> tuple[Raster, Record]:
    """Raster, cut and thinned by the options, and its record by header and side file. name: of the
    file.
    """
    header = numbers.header
    suffix = Path(name).suffix.lower()
    if side.height_range and header.kind.startswith("float") and header.unit is None:
        header = header._replace(unit=1.0)  # beside a side file they are meters
    sentences = [(doubt, "spacing") for doubt in header.doubts] + [
        (remark, "") for remark in header.remarks
    ]
    of_header = [
        Doubt(Sentence("{name}: {sentence}").format(name=name, sentence=sentence), option)
        for sentence, option in sentences
    ]
    record = Record(
        name,
        header.kind,
        (header.rows, header.cols),
        (header.rows, header.cols),
        height_range=side.height_range if header.kind.startswith("uint") else None,
        packing=header.packing,
        byte_order=header.byte_order,
        flipped=(suffix == ".npy") ^ header.south_up ^ side.bottom_first ^ options.flip,
        spacing=options.spacing or side.spacing or header.spacing,
        georeference=None if side.bottom_first else header.georeference,
        doubts=(*doubts, *of_header),
    )
    check_options(record, options)
    if side.bottom_first != options.flip:
        read = upturned(numbers.read, header.rows)
    else:
        read = numbers.read
    return cut(numbers._replace(header=header, read=read), record, options)


def resolved_form(paths: list[Path], options: Reading) -> tuple[Reading, tuple[Doubt, ...]]:
    """Options with the byte order and depth of raw files of one land, and doubts about them."""
    length = file_size(paths[0])
    size = options.size or side_file(paths[0]).size
    same = [path for path in paths if file_size(path) == length]
    form, doubts = form_of(same, length, replace(options, size=size))
    return replace(options, byte_order=form.order, depth=form.depth), tuple(doubts)


def survey_in_bands(numbers: Raster, record: Record, options: Reading) -> Survey:
    """Survey of a whole file, which may be larger than memory."""
    rows, cols = record.shape
    band = max(_BAND // cols, 1)
    return _survey(
        numbers,
        options,
        lambda: (numbers.read(top, min(top + band, rows), 0, cols) for top in range(0, rows, band)),
    )


def _survey(numbers: Raster, options: Reading, parts: Callable[[], Iterable[Cells]]) -> Survey:
    """Survey of parts of a file."""
    no_data = numbers.header.no_data if options.no_data is None else options.no_data
    if no_data is None and numbers.header.kind == "int16":
        no_data = _NO_DATA
    return survey_of(parts, no_data)


def _require_memory(record: Record, more: int = 0) -> None:
    """Raise InputError if reading needs more memory than is free, with a part that fits. more:
    bytes of a cell beside it.
    """
    rows, cols = record.shape
    size = record.memory + rows * cols * more
    share = max(memory.available_memory() or size, 1) / size
    side = int(np.sqrt(share * rows * cols))
    every = record.every * int(np.ceil(np.sqrt(1 / share)))
    memory.require(
        size,
        Sentence("Reading {name} ({rows} × {cols})").format(name=record.name, rows=rows, cols=cols),
        Sentence(
            "read one in {every} rows and columns (every), a window of {side} × {side} cells, or "
            "make a landscape in tiles"
        ).format(every=every, side=side),
    )


def _require_range(record: Record) -> None:
    if record.meaning == "shades" and record.height_range is None:
        raise InputError(
            "{name} holds shades of gray, not meters; give the height range (meters of black and "
            "white)."
        ).format(name=record.name)


def encode_heightmap(
    path: Path,
    elevation: Array,
    image_files: ImageFiles,
    height_range: Range | None = None,
    dtype: Any = np.float32,
    tags: Tags | None = None,
) -> Written:
    """Write (rows, cols) values by the suffix of the path, where an incomplete file does no harm,
    see `Outputs.write`.

    .npy has the given dtype (float32 or float64); .exr, .tif and .r32 are float32; .png, .r16 and
    .raw are 16-bit, with black and white at height_range or, without one, at the lowest and highest
    value. Values beyond a given range are cut off and counted. Raises InputError if the file cannot
    be written. tags: of a TIFF.
    """
    suffix = path.suffix.lower()
    span = _checked_range(height_range)
    values = np.asarray(elevation)
    if values.ndim != 2 or values.size == 0 or not np.isfinite(values).all():
        raise InputError(
            "{path} cannot be written: its values must be a rectangle of finite numbers."
        ).format(path=path)
    result = Written()
    try:
        if suffix in GRAY_SUFFIXES:
            span = span or own_range(values)
            result = Written(span, int(np.count_nonzero((values < span[0]) | (values > span[1]))))
            fraction = (values.astype(np.float64) - span[0]) / (span[1] - span[0])
            values = np.rint(np.clip(fraction, 0.0, 1.0) * meaning.WHITE["uint16"]).astype("<u2")
        elif np.abs(values).max() > np.finfo(np.float32).max and not (
            suffix == ".npy" and dtype == np.float64
        ):
            raise InputError(
                "{path} cannot be written: values beyond ±3.4e38 do not fit float32; write a .npy "
                "file."
            ).format(path=path)
        if suffix in (".tif", ".tiff"):
            write_tiff(path, values, tags or Tags())
        else:
            _write(path, values, image_files, dtype)
    except OSError as error:
        raise unwritable(path, error) from error
    except MemoryError:
        raise InputError("There is not enough memory to write {path}.").format(path=path) from None
    return result


def _checked_range(span: Range | None) -> Range | None:
    if span is None:
        return None
    low, high = (float(limit) for limit in span)
    if not (-HIGHEST <= low < high <= HIGHEST):
        raise InputError(
            "The height range {low:g} to {high:g} m must go from a lower to a higher elevation."
        ).format(low=low, high=high)
    return low, high


def own_range(values: Array) -> Range:
    """Lowest and highest value; a meter apart if they are equal."""
    low = float(values.min())
    high = float(values.max())
    return low, high if high > low else low + 1.0


def _check_values(elevation: Array, name: str) -> None:
    if elevation.min() >= -HIGHEST and elevation.max() <= HIGHEST:  # neither holds for NaN
        return
    bad = ~(np.abs(elevation) <= HIGHEST)  # NaN fails the comparison
    row, col = np.argwhere(bad)[0]
    raise InputError(
        "{name} has {count} cells that are not numbers or beyond ±{highest:g} m, the first at "
        "row {row}, column {col}; fill them first."
    ).format(name=name, count=np.count_nonzero(bad), highest=HIGHEST, row=row, col=col)


def _write(path: Path, values: Array, image_files: ImageFiles, dtype: Any) -> None:
    """Write values (integers for 16-bit files) in the format of the suffix, other than TIFF."""
    suffix = path.suffix
    if suffix == ".npy":
        with path.open("wb") as stream:
            np.save(stream, np.ascontiguousarray(values, dtype), allow_pickle=False)
    elif suffix in RAW_SUFFIXES:
        with path.open("wb") as stream:
            stream.write(
                np.ascontiguousarray(values[::-1], "<f4" if suffix == ".r32" else "<u2").data
            )
    else:
        if suffix == ".png":
            image_files.write(
                path, (values / np.float32(meaning.WHITE["uint16"])).astype(np.float32), "uint16"
            )
        else:
            image_files.write(path, values.astype(np.float32), "float")
        # Blender does not notice when the disk is full while it writes a PNG.
        try:
            read_header(path)
        except InputError:
            raise OSError("the file is incomplete; the disk may be full") from None
