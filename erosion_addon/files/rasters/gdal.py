# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of the files that only GDAL reads."""

from pathlib import Path
from typing import Any

import numpy as np

from ...base.errors import InputError
from ..headers.gdal_header import open_with_gdal
from ..headers.image_format import ImageHeader

Array = np.ndarray[Any, Any]


def gdal_numbers(
    path: Path, header: ImageHeader, top: int, bottom: int, left: int, right: int
) -> tuple[Array, Array | None]:
    """Numbers (rows, cols) of a window in the order of the file, and which of them are data, None
    for all.
    """
    import rasterio

    there = rasterio.windows.Window(left, top, right - left, bottom - top)
    with open_with_gdal(path) as dataset:
        try:
            numbers = dataset.read(1, window=there)
            valid = dataset.read_masks(1, window=there) > 0 if header.mask_band else None
        except rasterio.errors.RasterioError as error:
            raise InputError(
                f"{path} cannot be read by GDAL: {str(error).splitlines()[0]:.200}."
            ) from None
    return numbers, valid
