# SPDX-License-Identifier: GPL-3.0-or-later
"""Float EXR files of our own, read back by OpenImageIO to the bit."""

import numpy as np
import pytest

from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.rasters.exr_writer import write_exr

IMAGES = OpenImageIOFiles()
NUMBERS = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(37, 53), (2, 2), (16, 300), (33, 17, 3)])
def test_pixels_come_back_to_the_bit(tmp_path, shape):
    pixels = NUMBERS.normal(0, 100, shape).astype(np.float32)
    write_exr(tmp_path / "a.exr", pixels)
    read = IMAGES.read if len(shape) == 2 else IMAGES.read_color
    assert read(tmp_path / "a.exr").tobytes() == pixels.tobytes()


def test_what_is_even_takes_little_room(tmp_path):
    write_exr(tmp_path / "a.exr", np.full((512, 512), 7.5, np.float32))
    assert (tmp_path / "a.exr").stat().st_size < 512 * 512 * 4 / 50
