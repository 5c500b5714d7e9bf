# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights or shades, unit, no data: what a file leaves open is said, with the option that settles
it.
"""

from dataclasses import replace

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.heightmap import read_heights, without_steps
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.reading.record import Reading
from tests.geotiff import alps, geotiff, tiff_of
from tests.heightmaps import inspect
from tests.land_files import FILES, LAND, SPAN
from tests.terrains import fractal

IMAGES = OpenImageIOFiles()
SHAPE = (20, 30)
HILLS = np.round(fractal(*SHAPE, 900.0) + 100.0)
"""Whole meters from 100 to 1000."""


def read(path, **options):
    return read_heights(path, IMAGES, Reading(**options))


def doubts(record):
    return {doubt.option: doubt.sentence for doubt in record.doubts}


def refusal(path, **options):
    with pytest.raises(InputError) as caught:
        read(path, **options)
    message = str(caught.value)
    assert str(path) in message and message.endswith(".") and "\n" not in message
    return message


@pytest.fixture
def tiff(tmp_path):
    def write(pixels, no_data=None, place=None):
        path = tmp_path / "land.tif"
        if place is None:
            geotiff(path, pixels, no_data)
        else:
            path.write_bytes(tiff_of(pixels, place.tags))
        return path

    return write


# Every file of the same land


@pytest.mark.parametrize("name", FILES)
def test_what_is_found_before_reading_is_what_reading_finds(tmp_path, name):
    path = FILES[name].write(tmp_path)
    record = read_heights(path, IMAGES, FILES[name].options)[1]
    before = inspect(path, FILES[name].options, IMAGES)
    same = {"missing": None, "step": None, "georeference": None}
    assert replace(before, **same) == replace(record, **same)
    assert abs(before.lowest - LAND.min()) < 1 and abs(before.highest - LAND.max()) < 1


@pytest.mark.parametrize(
    ("name", "option", "words"),
    [
        (
            "whole meters beside a range",
            "numbers",
            "signed whole numbers; they were read as meters",
        ),
        (
            "whole numbers with a place",
            "numbers",
            "whole numbers and a location on Earth; they were read as meters",
        ),
        ("0 to 1", "numbers", "numbers from 0 to 1; they were read as shades from 900 m to 1600 m"),
        (
            "r16 of a Mac",
            "byte_order",
            "smooth land only in big-endian byte order, so it was read that way",
        ),
        ("r32 of a Mac", "byte_order", "smooth land only in big-endian byte order"),
        ("floats in r16", "depth", "the right size only as 32-bit floats"),
        (
            "no data without a tag",
            "no_data",
            "holds -9999 in 100 of 5184 cells, far from all other heights",
        ),
        ("no data of GRASS", "no_data", "holds -3.40282e+38 in 100 of 5184 cells"),
        ("no data with a tag", "holes", "no data (-9999) in 100 of 5184 cells; they were filled"),
        ("gaps", "holes", "100 of 5184 cells that are not numbers; they were filled"),
        ("npy with gaps", "holes", "100 of 5184 cells that are not numbers; they were filled"),
        ("png with alpha", "holes", "no data in 100 of 5184 cells; they were filled"),
        ("terrain-rgb", "numbers", "stores heights as colors"),
    ],
)
def test_what_a_file_leaves_open_is_said(tmp_path, name, option, words):
    sentences = doubts(read_heights(FILES[name].write(tmp_path), IMAGES, FILES[name].options)[1])
    assert list(sentences) == [option] and words in sentences[option]


@pytest.mark.parametrize(
    "name",
    [
        "npy",
        "exr",
        "tiff",
        "png",
        "whole meters",
        "tenths",
        "feet",
        "from south to north",
        "r16",
        "pfm",
    ],
)
def test_a_plain_file_leaves_nothing_open(tmp_path, name):
    assert read_heights(FILES[name].write(tmp_path), IMAGES, FILES[name].options)[1].doubts == ()


# Heights or shades


def test_whole_numbers_higher_than_any_mountain_are_shades_wherever_they_lie(tiff):
    """A relief in gray with a place: 65535 is no height in meters."""
    path = tiff((HILLS * 60).astype(np.uint16), place=alps(shape=SHAPE))
    assert "shades of gray, not meters" in refusal(path)
    heights, record = read(path, height_range=SPAN)
    assert record.meaning == "shades" and SPAN[0] <= heights.min() < heights.max() <= SPAN[1]


def test_what_numbers_are_may_be_said(tiff):
    path = tiff(HILLS.astype(np.int16), place=alps(shape=SHAPE))
    assert read(path)[0].max() == HILLS.max()
    shades = read(path, numbers="shades", height_range=(0.0, 32767.0))[0]
    assert shades.max() == HILLS.max()
    gray = tiff(HILLS.astype(np.uint16))
    assert (
        "give the height range" in refusal(gray)
        and read(gray, numbers="heights")[0].max() == HILLS.max()
    )


def test_shades_of_floats_go_from_0_to_1(tiff):
    path = tiff(HILLS.astype(np.float32))
    assert "holds floats from 100 to 1000; shades go from 0 to 1" in refusal(
        path, numbers="shades", height_range=SPAN
    )


@pytest.mark.parametrize(
    ("spacing", "asked"), [((50.0, 50.0), True), (None, True), ((0.1, 0.1), False)]
)
def test_floats_from_0_to_1_on_land_of_kilometers_are_asked_about(tiff, spacing, asked):
    path = tiff(((HILLS - 100) / 900).astype(np.float32))
    heights, record = read(path, spacing=spacing)
    assert heights.max() == 1.0 and ("height_range" in doubts(record)) == asked
    assert "height_range" not in doubts(read(path, spacing=spacing, numbers="heights")[1])


def test_a_flat_land_at_sea_level_is_no_shade(tiff):
    assert (read(tiff(np.zeros(SHAPE, np.float32)), height_range=SPAN)[0] == 0.0).all()


# Unit


def test_the_unit_of_coordinates_is_that_of_heights_unless_said_otherwise(tmp_path):
    """State plane of Long Island, EPSG:2263, in US feet."""
    keys = np.array([1, 1, 0, 3, 1024, 0, 1, 1, 3072, 0, 1, 2263, 3076, 0, 1, 9003], "<u2")
    tags = {
        33550: np.array([100.0, 100, 0]),
        33922: np.array([0, 0, 0, 9e5, 2e5, 0.0]),
        34735: keys,
    }
    path = tmp_path / "land.tif"
    path.write_bytes(tiff_of(HILLS.astype(np.float32), tags))
    heights, record = read(path)
    assert heights.max() == pytest.approx(HILLS.max() * 1200 / 3937)
    assert "coordinates in US feet and heights without a unit" in doubts(record)["unit"]
    heights, record = read(path, unit="m")
    assert heights.max() == HILLS.max() and not record.doubts


def test_shades_have_no_unit(tmp_path):
    file = FILES["png"]
    assert "have no unit" in refusal(file.write(tmp_path), height_range=SPAN, unit="ft")


# No data


@pytest.mark.parametrize(
    "number", [-9999.0, -32768.0, -32767.0, -99999.0, 1e20, 9.96921e36, -3.4028235e38, 1.70141e38]
)
@pytest.mark.parametrize("cells", [1, 40])
def test_a_number_of_other_programs_for_no_data_is_filled(tiff, number, cells):
    pixels = HILLS.astype(np.float32)
    pixels.flat[95 : 95 + cells] = number
    heights, record = read(tiff(pixels))
    assert record.holes == cells and 100 <= heights.min() < heights.max() <= 1000
    assert "no_data" in doubts(record)


def test_two_numbers_for_no_data_are_found(tiff):
    pixels = HILLS.astype(np.float32)
    pixels[0] = -9999.0
    pixels[-1] = -32768.0
    assert read(tiff(pixels))[1].no_data == (-32768.0, -9999.0)


def test_the_sea_floor_may_lie_at_any_depth(tiff):
    """As deep as the Mariana Trench, through which -9999 is passed on the way."""
    depths = np.linspace(-10900.0, -200.0, 600).reshape(SHAPE).round().astype(np.float32)
    depths[3, 4] = -9999.0
    heights, record = read(tiff(depths))
    assert record.holes == 0 and heights.min() == -10900.0


def test_every_number_is_a_height_where_that_is_said(tiff):
    pixels = HILLS.astype(np.float32)
    pixels[3:6, 4:9] = -9999.0
    heights, record = read(tiff(pixels), no_data=np.nan)
    assert heights.min() == -9999.0 and not record.doubts


@pytest.mark.parametrize("number", [-3047.6952, 0.0, -12345.0, 20000.0])
def test_an_unusual_number_far_from_all_heights_is_asked_about(tiff, number):
    """-9999 in feet made meters, the 0 of a GIS around mountains, and any other."""
    pixels = HILLS.astype(np.float32) / 10 + 1000
    pixels[3, 4:9] = number
    heights, record = read(tiff(pixels))
    assert (heights == np.float32(number)).sum() == 5
    assert f"holds {number:g} in 5 of 600 cells" in doubts(record)["no_data"]
    pixels[3, 5:9] = pixels[4, 5:9]
    assert not read(tiff(pixels))[1].doubts, "a single cell may be a shaft"


def test_a_number_that_is_nowhere_is_said(tiff):
    assert (
        "holds 5, the number for no data"
        in doubts(read(tiff(HILLS.astype("f4")), no_data=5.0)[1])["no_data"]
    )


def test_the_sea_lies_at_a_level(tiff):
    """An island of a quarter of the cells: too few to fill the others from, and a sea is what is
    there.
    """
    pixels = np.full(SHAPE, -9999.0, np.float32)
    pixels[5:15, 8:23] = HILLS[5:15, 8:23]
    path = tiff(pixels, "-9999")
    assert "in 450 of 600 cells, too many to fill" in refusal(path)
    heights, record = read(path, holes="sea", sea_level=-2.5)
    assert (heights == -2.5).sum() == 450 and heights.max() == pixels.max()
    assert (
        record.missing.sum() == record.holes == 450
        and "are sea at -2.5 m" in doubts(record)["holes"]
    )


# Raw files


def write_raw(path, values, dtype):
    values.astype(dtype).tofile(path)
    return path


def test_numbers_with_a_sign_are_found_where_the_land_crosses_the_sea(tmp_path):
    depths = np.round(fractal(64, 64, 400.0)) - 200.0
    heights, record = read(write_raw(tmp_path / "a.r16", depths[::-1], "<i2"))
    assert (
        np.array_equal(heights, depths)
        and "only as signed 16-bit numbers" in doubts(record)["depth"]
    )


def test_8_bits_in_16_are_not_swapped(tmp_path):
    """Their low bytes are zero: with bytes swapped, they are as smooth, and 256 times lower."""
    shades = np.round(fractal(64, 64, 255.0)) * 256
    heights, record = read(
        write_raw(tmp_path / "a.r16", shades[::-1], "<u2"), height_range=(0.0, 65535.0)
    )
    assert np.array_equal(heights, shades) and not record.doubts


@pytest.mark.parametrize("side", [63, 64])
def test_8_bits_are_found_by_size_or_by_their_smooth_land(tmp_path, side):
    """64 × 64 bytes may be 32 × 32 floats too."""
    shades = np.round(fractal(side, side, 255.0))
    heights, record = read(
        write_raw(tmp_path / "a.raw", shades[::-1], "u1"), height_range=(0.0, 255.0)
    )
    assert np.array_equal(heights, shades) and "only as 8-bit shades" in doubts(record)["depth"]


@pytest.mark.parametrize("order", ["little", "big"])
def test_order_and_depth_may_be_said(tmp_path, order):
    path = write_raw(tmp_path / "a.r16", np.arange(25), "<u2")
    heights, record = read(path, height_range=(0.0, 65535.0), byte_order=order, depth="u16")
    assert (
        heights[-1, 1] == (1 if order == "little" else 256)
        and record.byte_order == order
        and not record.doubts
    )
    assert "not a square of 32-bit" in refusal(path, depth="f32")


def test_options_of_raw_files_are_refused_for_others(tmp_path):
    path = FILES["tiff"].write(tmp_path)
    for options in ({"byte_order": "big"}, {"depth": "f32"}):
        assert "contains its byte order and depth" in refusal(path, **options)


# Orientation, part


def test_a_file_with_a_place_is_not_flipped(tmp_path):
    assert "sets the order of its rows" in refusal(
        FILES["from south to north"].write(tmp_path), flip=True
    )


@pytest.mark.parametrize("window", [(-1, 0, 9, 9), (0, 70, 9, 9), (64, 0, 9, 9), (0, 0, 0, 9)])
def test_a_window_beyond_the_file_is_refused(tmp_path, window):
    assert "which has 72 columns and 72 rows" in refusal(
        FILES["npy"].write(tmp_path), window=window
    )


def test_what_is_left_of_a_window_has_to_be_a_terrain(tmp_path):
    assert "at least 3 × 3" in refusal(FILES["npy"].write(tmp_path), window=(0, 0, 9, 9), every=5)
    assert "at least 3 × 3" in refusal(FILES["npy"].write(tmp_path), every=60)


# Steps


def test_the_kind_of_numbers_says_the_step(tmp_path):
    for name, step in (
        ("whole meters", 1.0),
        ("half floats", 1.0),
        ("tenths", 0.1),
        ("npy", None),
        ("r16", None),
    ):
        heights, record = read_heights(FILES[name].write(tmp_path), IMAGES, FILES[name].options)
        assert record.step == (step and pytest.approx(step)), name
        smooth = without_steps(heights, record)
        assert np.abs(smooth - heights).max() <= (step or 0.0) / 2 * (1 + 1e-9)
        assert np.square(smooth - LAND).sum() <= np.square(heights - LAND).sum()
