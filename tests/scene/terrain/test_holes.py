# SPDX-License-Identifier: GPL-3.0-or-later
"""Holes in elevation models read by Blender."""

import numpy as np
import pytest

from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.scene.terrain.image import BlenderFiles
from tests.geotiff import geotiff
from tests.heightmaps import read_heightmap
from tests.terrains import fractal


@pytest.mark.parametrize(
    ("dtype", "number"), [("f4", -9999), ("f4", np.finfo("f4").min), ("u2", 65535), ("i2", -9999)]
)
def test_blender_and_openimageio_fill_the_same_holes(tmp_path, dtype, number):
    pixels = np.round(fractal(20, 30, 200.0) + 100.0)
    pixels[3:5, 10:13] = number
    geotiff(tmp_path / "dem.tif", pixels.astype(dtype), f"{number:.17g}")
    both = []
    notes = []
    span = (0, 65535) if dtype == "u2" else None
    for files in (BlenderFiles(), OpenImageIOFiles()):
        both.append(read_heightmap(tmp_path / "dem.tif", files, span, note=notes.append))
    assert np.array_equal(*both) and 99.9 < both[0].min() < both[0].max() < 300.1
    assert notes[0] == notes[1] and "in 6 of 600 cells" in notes[0]
