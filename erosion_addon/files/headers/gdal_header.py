# SPDX-License-Identifier: GPL-3.0-or-later
"""Headers of the files that only GDAL reads, through the optional package rasterio."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...base.errors import InputError
from ..places.coordinate_text import USER_DEFINED, system_in
from ..places.placement import Placement, System
from ..places.units import length_of
from .image_format import ImageHeader
from .world_file import placed

GDAL_SUFFIXES = (".img", ".jp2", ".nc", ".vrt", ".dem", ".dt0", ".dt1", ".dt2", ".grd", ".hdf", ".rst", ".sdat")
"""Elevation data of other kinds."""


def open_with_gdal(path: Path) -> Any:
    """Dataset of rasterio; InputError if it cannot be opened, or rasterio is missing."""
    try:
        import rasterio
    except ImportError:
        raise InputError(
            f"{path} is of a kind that only GDAL reads; run pip install terrain-erosion[gis], "
            f"or convert it: gdal_translate {path.name} heights.tif."
        ) from None
    try:
        dataset = rasterio.open(path)
        if dataset.count == 0 and len(dataset.subdatasets) == 1:
            return rasterio.open(dataset.subdatasets[0])
    except (rasterio.errors.RasterioError, UnicodeError) as error:
        raise InputError(f"{path} cannot be read by GDAL: {str(error).splitlines()[0]:.200}.") from None
    if dataset.count == 0 and dataset.subdatasets:
        names = ", ".join(name.rsplit(":", 1)[-1] for name in dataset.subdatasets[:5])
        raise InputError(f"{path} holds several layers ({names}); save the heights alone, by gdal_translate.")
    return dataset


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
            raise InputError(f"{path} has {len(bands)} bands; save the heights alone in one.")
        kind = np.dtype(dataset.dtypes[0])
        if kind.kind not in "uif":
            raise InputError(f"{path} holds {kind}, which are not heights; save it with 16 or 32 bits.")
        system, unit = System(), None
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
