# SPDX-License-Identifier: GPL-3.0-or-later
"""Holes in elevation models: found by the no-data value, filled from their surroundings,
reported.
"""

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.grid import fill_holes
from erosion_addon.grid.fill_holes import filled, filled_windows
from tests.geotiff import geotiff
from tests.heightmaps import read_heightmap, write_heightmap
from tests.terrains import fractal, plane

FILES = OpenImageIOFiles()


def with_holes(number, dtype=np.float32):
    """Hills of whole meters, the top row first, 7 of whose cells hold `number`."""
    hills = np.round(fractal(20, 30, 200.0) + 100.0)
    hills[3:5, 10:13] = hills[19, 0] = number
    return hills.astype(dtype)


# Where they are


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize(
    ("number", "text"),
    [
        (-9999.0, "-9999"),
        (-9999.0, "-9999.0 "),
        (-3.4028234663852886e38, "-3.4028234663852886e+38"),
        (-3.4028234663852886e38, "-3.40282347e+38"),
        (np.nan, "nan"),
        (np.nan, "NaN"),
        (0.0, "0"),
    ],
)
def test_a_float_geotiff_is_filled_where_it_has_no_data_and_says_so(
    tmp_path, order, big, number, text
):
    pixels = with_holes(number)
    notes = []
    geotiff(tmp_path / "dem.tif", pixels, text, order, big)
    heights = read_heightmap(tmp_path / "dem.tif", FILES, note=notes.append)[::-1]
    missing = np.isnan(pixels) if np.isnan(number) else pixels == np.float32(number)
    assert missing.sum() == 7 and np.array_equal(heights[~missing], pixels[~missing])
    assert heights[missing].min() >= 100 and heights[missing].max() <= 300
    assert len(notes) == 1 and "in 7 of 600 cells; they were filled" in notes[0]


@pytest.mark.parametrize(("text", "number"), [("-32768", -32768), ("-9999", -9999), (None, -32768)])
def test_whole_meters_have_holes_too(tmp_path, text, number):
    pixels = with_holes(number, np.int16)
    notes = []
    geotiff(tmp_path / "dem.tif", pixels, text)
    heights = read_heightmap(tmp_path / "dem.tif", FILES, note=notes.append)[::-1]
    assert heights.min() >= 100 and np.array_equal(
        heights[pixels != number], pixels[pixels != number]
    )
    assert f"no data ({number}) in 7 of 600" in notes[0]


def test_shades_of_gray_have_holes_too(tmp_path):
    pixels = with_holes(65535, np.uint16)
    notes = []
    geotiff(tmp_path / "dem.tif", pixels, "65535")
    heights = read_heightmap(tmp_path / "dem.tif", FILES, (0.0, 65535.0), note=notes.append)
    assert heights.max() <= 300.5 and len(notes) == 1


@pytest.mark.parametrize("text", [None, "-9999", "", "none", "-9999," * 9])
def test_a_number_that_the_file_does_not_name_is_a_height_and_is_asked_about(tmp_path, text):
    pixels = with_holes(-7777.0)
    notes = []
    geotiff(tmp_path / "dem.tif", pixels, text)
    assert np.array_equal(
        read_heightmap(tmp_path / "dem.tif", FILES, note=notes.append)[::-1], pixels
    )
    assert (
        len(notes) == 1 and "holds -7777 in 7 of 600 cells, far from all other heights" in notes[0]
    )


def test_what_is_mostly_hole_is_refused_with_the_count(tmp_path):
    pixels = np.full((10, 10), -9999.0, np.float32)
    pixels[:4] = 3.0
    geotiff(tmp_path / "dem.tif", pixels, "-9999")
    with pytest.raises(InputError, match=r"no data \(-9999\) in 60 of 100 cells.*crop the file"):
        read_heightmap(tmp_path / "dem.tif", FILES)


def test_what_is_written_names_no_number(tmp_path):
    write_heightmap(tmp_path / "a.tif", np.full((4, 4), -9999.0), FILES)
    assert (read_heightmap(tmp_path / "a.tif", FILES) == -9999.0).all()


# What fills them


def test_a_filled_hole_is_never_above_or_below_what_was_measured():
    heights = fractal(33, 50, 100.0)
    missing = np.random.default_rng(0).random(heights.shape) < 0.5
    after = filled(np.where(missing, 1e30, heights), missing)
    assert np.array_equal(after[~missing], heights[~missing])
    assert heights[~missing].min() <= after.min() and after.max() <= heights[~missing].max()


def test_a_hole_in_a_slope_goes_on_with_it():
    slope = plane(64, 64, 0.0, 1.0)
    missing = np.zeros(slope.shape, bool)
    missing[20:44, 30:38] = True
    error = np.abs(filled(slope, missing) - slope)
    # a hole 8 wide, filled with one height, would be 4.5 wrong, and as much at its rim
    assert error.max() <= 2.0
    assert error[20:44, [30, 37]].max() <= 1.0


def test_one_measured_cell_fills_all():
    missing = np.ones((5, 9), bool)
    missing[2, 7] = False
    assert (filled(np.full((5, 9), 3.0), missing) == 3.0).all()


# Lands larger than memory


@pytest.mark.parametrize("coarsest", [1 << 20, 1000, 4])
@pytest.mark.parametrize("shape", [(97, 131), (256, 200)])
def test_windows_are_filled_as_the_whole_is(monkeypatch, shape, coarsest):
    """Of a land that is kept whole, in blocks of a few cells, and of 64 × 64."""
    monkeypatch.setattr(fill_holes, "_COARSEST", coarsest)
    monkeypatch.setattr(fill_holes, "_BAND", 2000)
    heights = fractal(*shape, 100.0)
    heights[20:80, 5:40] = heights[-10:, -30:] = heights[:3, :3] = np.nan
    whole = filled(heights, np.isnan(heights))
    read = filled_windows(
        lambda top, bottom, left, right: heights[top:bottom, left:right].copy(), shape
    )
    for top in range(0, shape[0], 37):
        for left in range(0, shape[1], 29):
            bottom = min(top + 37, shape[0])
            right = min(left + 29, shape[1])
            assert np.array_equal(read(top, bottom, left, right), whole[top:bottom, left:right])
