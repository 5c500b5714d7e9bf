# SPDX-License-Identifier: GPL-3.0-or-later
"""Headers of the files that only GDAL reads, through the optional package rasterio."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ...base.data_files import is_there
from ...base.errors import InputError, unreadable
from ...base.regular_files import is_in_network, open_regular
from ..places.coordinate_text import USER_DEFINED, system_in
from ..places.placement import Placement, System
from ..places.units import length_of
from .image_format import ImageHeader
from .world_file import placed

_DRIVERS = {
    ".tif": ("GTiff",),
    ".tiff": ("GTiff",),
    ".img": ("HFA",),
    ".jp2": ("JP2OpenJPEG",),
    ".nc": ("netCDF", "HDF5", "HDF5Image"),
    ".vrt": ("VRT",),
    ".dem": ("USGSDEM",),
    ".dt0": ("DTED",),
    ".dt1": ("DTED",),
    ".dt2": ("DTED",),
    ".grd": ("GSAG", "GSBG", "GS7BG", "NWT_GRD", "netCDF"),
    ".hdf": ("HDF4", "HDF4Image", "HDF5", "HDF5Image"),
    ".rst": ("RST",),
    ".sdat": ("SAGA",),
}
"""GDAL's drivers by suffix. By content alone a stranger's file would be one that asks a server for
its pixels.
"""

GDAL_SUFFIXES = tuple(suffix for suffix, drivers in _DRIVERS.items() if drivers != ("GTiff",))
"""Elevation data of other kinds."""

_SOURCES = {*_DRIVERS, ".asc", ".hgt", ".bil", ".bip", ".flt", ".png", ".jpg"}
"""Suffixes of the sources allowed in a virtual raster."""

_LARGEST_VIRTUAL = 16 << 20
"""Bytes of a virtual raster."""

_DEEPEST = 8
"""Virtual rasters of virtual rasters."""


def open_with_gdal(path: Path) -> Any:
    """Dataset of rasterio; InputError if it cannot be opened, or rasterio is missing."""
    try:
        import rasterio
    except ImportError:
        raise InputError(
            "{path} is of a kind that only GDAL reads; run pip install terrain-erosion[gis], or "
            "convert it: gdal_translate {name} heights.tif."
        ).format(path=path, name=path.name) from None
    suffix = path.suffix.lower()
    if suffix == ".vrt":
        _require_local(path)
    try:
        drivers = _DRIVERS.get(suffix, ("GTiff",))
        dataset = _opened(path, drivers)
        if dataset.count == 0 and len(dataset.subdatasets) == 1:
            return _opened(dataset.subdatasets[0], drivers)
    except (rasterio.errors.RasterioError, UnicodeError) as error:
        raise InputError("{path} cannot be read by GDAL: {error:.200}.").format(
            path=path, error=str(error).splitlines()[0]
        ) from None
    if dataset.count == 0 and dataset.subdatasets:
        names = ", ".join(name.rsplit(":", 1)[-1] for name in dataset.subdatasets[:5])
        raise InputError(
            "{path} holds several layers ({names}); save the heights alone, by gdal_translate."
        ).format(path=path, names=names)
    return dataset


def _opened(name: Path | str, drivers: tuple[str, ...]) -> Any:
    """Dataset by the first driver that knows it; RasterioError if none does."""
    import rasterio

    for driver in drivers[:-1]:
        with suppress(rasterio.errors.RasterioError):
            return rasterio.open(name, driver=driver)
    return rasterio.open(name, driver=drivers[-1])


def _require_local(path: Path, depth: int = 0) -> None:
    """InputError for a virtual raster whose sources are not all files of this machine with
    heights.
    """
    try:
        with open_regular(path) as stream:
            text = stream.read(_LARGEST_VIRTUAL + 1)
        elements = list(ElementTree.fromstring(text[:_LARGEST_VIRTUAL]).iter())
    except OSError as error:
        raise unreadable(path, error) from None
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            "{path} is not a GDAL virtual raster, or is damaged; save it again."
        ).format(path=path) from None
    for element in elements:
        words = [element.text or "", *element.attrib.values()]
        if any("/vsi" in word or "://" in word for word in words):
            raise InputError(
                "{path} refers to a server or an archive; only files on this machine are allowed."
            ).format(path=path)
        if not element.tag.lower().endswith(("sourcefilename", "sourcedataset")):
            continue
        # GDAL takes one that is not relative to the file from the current folder
        source = path.parent / words[0]
        paths = [source, Path(words[0])]
        if (
            is_in_network(words[0])
            or source.suffix.lower() not in _SOURCES
            or not any(map(is_there, paths))
        ):
            raise InputError(
                "{path} refers to {word:.80}, which is not a file of heights on this machine."
            ).format(path=path, word=repr(words[0]))
        for inner in paths:
            if inner.suffix.lower() == ".vrt" and is_there(inner):
                if depth == _DEEPEST:
                    raise InputError("{path} is nested too deeply; save it as one file.").format(
                        path=path
                    )
                _require_local(inner, depth + 1)
            elif is_there(inner):
                _require_binary(inner)


def _require_binary(path: Path) -> None:
    """Raise InputError for a source that is a text file with further names, whatever its suffix."""
    with open_regular(path) as stream:
        head = stream.read(4096)
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"<", b"{") or b"<gdal" in head.lower():
            raise InputError(
                "The content of {path} does not match its suffix; save it again."
            ).format(path=path)


def has_gdal() -> bool:
    """Whether rasterio is installed."""
    try:
        import rasterio  # noqa: F401
    except ImportError:
        return False
    return True


def gdal_header(path: Path) -> ImageHeader:
    """Header of a file by GDAL; InputError if it cannot be read, or holds no heights."""
    with open_with_gdal(path) as dataset:
        bands = [band for band in dataset.indexes if dataset.colorinterp[band - 1].name != "alpha"]
        if len(bands) != 1:
            raise InputError("{path} has {count} bands; save the heights alone in one.").format(
                path=path, count=len(bands)
            )
        kind = np.dtype(dataset.dtypes[0])
        if kind.kind not in "uif":
            raise InputError(
                "{path} holds {kind}, which are not heights; save it with 16 or 32 bits."
            ).format(path=path, kind=kind)
        system = System()
        unit = None
        if dataset.crs:
            system, unit = system_in(dataset.crs.to_wkt())
            code = dataset.crs.to_epsg() or 0
            system = replace(system, code=code if code < USER_DEFINED else 0)
        a, b, x, c, d, y, *_ = dataset.transform
        flags = {flag.name for flag in dataset.mask_flag_enums[0]}
        header = ImageHeader(
            dataset.height,
            dataset.width,
            1,
            str(kind),
            no_data=None if dataset.nodata is None else float(dataset.nodata),
            scale=float(dataset.scales[0]),
            offset=float(dataset.offsets[0]),
            unit=length_of(dataset.units[0] or "") or unit,
            packing=dataset.compression.name if dataset.compression else "",
            mask_band=bool(flags & {"per_dataset", "alpha"}),
            by_gdal=True,
        )
        if dataset.crs is None and dataset.transform.is_identity:
            return header
        return placed(header, Placement((x, y), (a, c), (b, d), system))
