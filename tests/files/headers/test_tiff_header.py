# SPDX-License-Identifier: GPL-3.0-or-later
"""What a TIFF says about its numbers, and where its pixels lie."""

import math

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.headers.image_header import read_header
from tests.geotiff import array, tiff_of

HEIGHTS = np.arange(35, dtype="f4").reshape(5, 7)
NORTH_UP = (30.0, 0.0, 0.0, 6e5, 0.0, -30.0, 0.0, 52e5, *[0.0] * 7, 1.0)


def keys(*entries):
    return array("<u2", 1, 1, 0, len(entries), *(number for entry in entries for number in entry))


def header_of(tmp_path, tags, pixels=HEIGHTS):
    path = tmp_path / "a.tif"
    path.write_bytes(tiff_of(pixels, tags))
    return read_header(path)


def placed(matrix, *entries):
    return {34264: array("<f8", *matrix), 34735: keys(*entries)}


def scaled(step, x, y, *entries):
    return {
        33550: array("<f8", step, step, 0),
        33922: array("<f8", 0, 0, 0, x, y, 0),
        34735: keys(*entries),
    }


UTM = ((1024, 0, 1, 1), (1025, 0, 1, 1), (3072, 0, 1, 32632))


@pytest.mark.parametrize(
    "number,name",
    [
        (34887, "LERC"),
        (50001, "WebP"),
        (50002, "JPEG XL"),
        (7, "JPEG"),
        (34712, "JPEG 2000"),
        (64999, "method 64999"),
    ],
)
def test_a_packing_that_is_not_read_is_refused_by_its_name_with_the_way_out(tmp_path, number, name):
    with pytest.raises(
        InputError, match=f"compressed with {name}, which is not supported.*COMPRESS=DEFLATE"
    ):
        header_of(tmp_path, {259: array("<u2", number)})


@pytest.mark.parametrize(
    "number,name", [(8, "Deflate"), (5, "LZW"), (50000, "ZSTD"), (32773, "PackBits")]
)
def test_a_packing_that_is_read_has_a_name(tmp_path, number, name):
    assert header_of(tmp_path, {259: array("<u2", number)}).packing == name


@pytest.mark.parametrize(
    "key,unit",
    [
        ((4099, 0, 1, 9001), 1.0),
        ((4099, 0, 1, 9002), 0.3048),
        ((4099, 0, 1, 9003), 1200 / 3937),
        ((4096, 0, 1, 5703), 1.0),  # NAVD88 height
        ((4096, 0, 1, 6360), 1200 / 3937),  # NAVD88 height (ftUS)
        ((4096, 0, 1, 8228), 0.3048),  # NAVD88 height (ft)
        ((4096, 0, 1, 32767), None),  # a system of the user's own
        ((4099, 0, 1, 12345), None),
    ],
)
def test_keys_of_the_vertical_axis_say_the_unit_of_heights(tmp_path, key, unit):
    assert header_of(tmp_path, scaled(30.0, 6e5, 52e5, *UTM, key)).unit == unit
    assert header_of(tmp_path, scaled(30.0, 6e5, 52e5, *UTM)).unit is None


@pytest.mark.parametrize(
    "words,unit",
    [("m", 1.0), ("us-ft", 1200 / 3937), ("US survey foot", 1200 / 3937), ("ft", 0.3048)],
)
def test_metadata_of_gdal_say_scale_offset_and_unit_of_the_first_band(tmp_path, words, unit):
    text = f"""<GDALMetadata>
  <Item name="SCALE" sample="1" role="scale">7</Item>
  <Item name="OFFSET" sample="0" role="offset">-100</Item>
  <Item name="SCALE" sample="0" role="scale">0.1</Item>
  <Item name="UNITTYPE" sample="0" role="unittype">{words}</Item>
</GDALMetadata>"""
    header = header_of(tmp_path, {42112: np.frombuffer(text.encode() + b"\0", "u1")})
    assert (header.scale, header.offset, header.unit) == (0.1, -100.0, unit)


@pytest.mark.parametrize("words", ["nan", "inf", "0", "x", ""])
def test_a_scale_that_makes_no_sense_is_left_alone(tmp_path, words):
    text = f'<GDALMetadata><Item name="SCALE" sample="0" role="scale">{words}</Item></GDALMetadata>'
    assert header_of(tmp_path, {42112: np.frombuffer(text.encode() + b"\0", "u1")}).scale == 1.0


def test_cells_of_web_mercator_are_as_wide_as_on_the_ground(tmp_path):
    """Half as wide at 60° north, where y is 8,399,738 m."""
    web = ((1024, 0, 1, 1), (3072, 0, 1, 3857))
    assert header_of(
        tmp_path, scaled(60.0, 8e5, 8_399_738.0 + 150.0, *web)
    ).spacing == pytest.approx((30.0, 30.0), 1e-6)


def test_degrees_count_in_the_middle_of_the_file(tmp_path):
    """A degree from column to column and row to row, from 60 down to 55 degrees north; the middle
    is at 57.5.
    """
    degrees = ((1024, 0, 1, 2), (2048, 0, 1, 4326))
    along, across = header_of(tmp_path, scaled(1.0, 7.0, 60.0, *degrees)).spacing
    assert across / along == pytest.approx(math.cos(math.radians(57.5)), 1e-12)


@pytest.mark.parametrize("south_up", [False, True])
@pytest.mark.parametrize("mirrored", [False, True])
def test_signs_of_the_matrix_say_where_the_first_row_and_column_lie(tmp_path, south_up, mirrored):
    matrix = list(NORTH_UP)
    matrix[0] *= -1 if mirrored else 1
    matrix[5] *= -1 if south_up else 1
    header = header_of(tmp_path, placed(matrix, *UTM))
    assert (header.south_up, header.mirrored, header.spacing) == (south_up, mirrored, (30.0, 30.0))
    upright = header.georeference.placement
    assert upright.right == (30.0, 0.0) and upright.down == (0.0, -30.0)
    assert upright.corner == (6e5 - (210 if mirrored else 0), 52e5 + (150 if south_up else 0))


def test_a_negative_scale_of_columns_runs_from_east_to_west(tmp_path):
    """GDAL writes the step from column to column with its sign, and without that from row to
    row.
    """
    tags = scaled(30.0, 6e5, 52e5, *UTM)
    tags[33550] = np.array([-30.0, 30.0, 0.0])
    header = header_of(tmp_path, tags)
    assert (header.south_up, header.mirrored, header.spacing) == (False, True, (30.0, 30.0))
    upright = header.georeference.placement
    assert (upright.right, upright.down, upright.corner) == (
        (30.0, 0.0),
        (0.0, -30.0),
        (6e5 - 210, 52e5),
    )


@pytest.mark.parametrize(
    "corner,turned",
    [(1, (False, False)), (2, (False, True)), (3, (True, True)), (4, (True, False))],
)
def test_orientation_says_where_the_first_row_and_column_lie(tmp_path, corner, turned):
    header = header_of(tmp_path, {274: array("<u2", corner)})
    assert (header.south_up, header.mirrored) == turned


def test_orientation_with_rows_for_columns_is_refused(tmp_path):
    with pytest.raises(InputError, match="rows and columns exchanged"):
        header_of(tmp_path, {274: array("<u2", 6)})


@pytest.mark.parametrize(
    "matrix,entries,words",
    [
        ((25, 10, 0, 0, 10, -25, 0, 0), UTM, "turned by 21.8°"),
        ((30, 10, 0, 0, 0, -30, 0, 0), UTM, "sheared"),
        (
            (30, 0, 0, 0, 0, -30, 0, 0),
            ((1024, 0, 1, 1), (3076, 0, 1, 9999)),
            "unit of its coordinates is unknown",
        ),
        (
            (30, 0, 0, 0, 0, -30, 0, 0),
            (),
            "no coordinate reference system; its coordinates count as meters",
        ),
        (
            (1e-4, 0, 0, 7, 0, -1e-4, 0, 47),
            (),
            "no coordinate reference system; its coordinates count as degrees",
        ),
        ((30, 0, 0, 0, 0, -30, 0, 0), (*UTM, (4096, 0, 1, 5715)), "depths"),  # MSL depth
    ],
)
def test_what_a_placement_leaves_open_is_a_sentence(tmp_path, matrix, entries, words):
    header = header_of(tmp_path, placed([*matrix, *[0.0] * 7, 1.0], *entries))
    (doubt,) = header.doubts + header.remarks
    assert words in doubt and doubt.endswith(".")


def test_a_transparent_channel_marks_cells_without_data(tmp_path):
    pixels = np.zeros((5, 7, 2), "u2")
    assert header_of(tmp_path, {338: array("<u2", 2)}, pixels).mask_band
    assert not header_of(tmp_path, {338: array("<u2", 0)}, pixels).mask_band
