# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks in files, as painting programs and GIS programs write them."""

from pathlib import Path

import numpy as np
import OpenImageIO
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.heightmap import encode_heightmap, read_heights
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.mask_file import read_mask
from erosion_addon.files.rasters.tiff_writer import Tags
from erosion_addon.files.reading.record import Reading
from tests.geotiff import alps, geotiff

FILES = OpenImageIOFiles()
SHAPE = (12, 16)
HALF = np.arange(16) < 8
"""Columns of the left half."""


@pytest.fixture
def land(tmp_path):
    """Record of a land in the Alps."""
    return record(tmp_path)


def record(folder, **options):
    path = folder / "land.tif"
    encode_heightmap(
        path,
        np.random.default_rng(1).uniform(100.0, 900.0, SHAPE),
        FILES,
        tags=Tags(georeference=alps(shape=SHAPE)),
    )
    return read_heights(path, FILES, Reading(**options))[1]


def values(path, land):
    mask, doubts = read_mask(path, FILES, land)
    return mask, [doubt.sentence for doubt in doubts]


@pytest.mark.parametrize("kind", ["u1", "u2", "i2", "i4", "f4"])
def test_whole_numbers_up_to_1_are_0_and_1(tmp_path, land, kind):
    geotiff(tmp_path / "mask.tif", np.broadcast_to(HALF, SHAPE).astype(kind))
    mask, doubts = values(tmp_path / "mask.tif", land)
    assert np.array_equal(mask, np.broadcast_to(HALF, SHAPE)) and not doubts


@pytest.mark.parametrize(("kind", "white"), [("u1", 255), ("u2", 65535), ("i2", 32767)])
def test_white_is_1_otherwise(tmp_path, land, kind, white):
    geotiff(
        tmp_path / "mask.tif",
        np.broadcast_to(np.where(HALF, white, white // 3), SHAPE).astype(kind),
    )
    mask, _ = values(tmp_path / "mask.tif", land)
    assert set(mask.ravel()) == {1.0, (white // 3) / white}


@pytest.mark.parametrize(
    ("number", "tag"), [(-9999.0, "-9999"), (-9999.0, None), (np.nan, None), (-3.4e38, None)]
)
def test_a_mask_is_0_where_there_is_no_data(tmp_path, land, number, tag):
    geotiff(tmp_path / "mask.tif", np.where(HALF, 1.0, number) * np.ones(SHAPE, np.float32), tag)
    mask, _ = values(tmp_path / "mask.tif", land)
    assert np.array_equal(mask, np.broadcast_to(HALF, SHAPE))


def test_most_of_a_mask_may_be_without_data(tmp_path, land):
    pixels = np.full(SHAPE, -9999.0, np.float32)
    pixels[3, 4] = 1.0
    geotiff(tmp_path / "mask.tif", pixels, "-9999")
    assert values(tmp_path / "mask.tif", land)[0].sum() == 1.0


@pytest.mark.parametrize("color", [0, 255])
@pytest.mark.parametrize("suffix", [".png", ".tif"])
def test_an_image_of_one_color_is_a_mask_by_its_alpha(tmp_path, land, suffix, color):
    pixels = np.full((*SHAPE, 4), color, np.uint8)
    pixels[..., 3] = np.arange(16) * 17
    path = tmp_path / f"mask{suffix}"
    spec = OpenImageIO.ImageSpec(16, 12, 4, "uint8")
    spec.attribute("oiio:UnassociatedAlpha", 1)
    image = OpenImageIO.ImageOutput.create(str(path))
    assert image.open(str(path), spec) and image.write_image(pixels) and image.close()
    mask, _ = values(path, land)
    np.testing.assert_allclose(mask, np.broadcast_to(np.arange(16) / 15, SHAPE), atol=1e-6)


def test_a_mask_of_another_place_is_refused(tmp_path, land):
    for name, place in (
        ("beside", alps(shape=SHAPE).part((0, 20), (1, 1), SHAPE)),
        ("here", alps(shape=SHAPE)),
    ):
        encode_heightmap(
            tmp_path / f"{name}.tif", np.ones(SHAPE), FILES, tags=Tags(georeference=place)
        )
    assert values(tmp_path / "here.tif", land)[0].all()
    with pytest.raises(
        InputError, match=r"beside\.tif covers another area on Earth than .*land\.tif; crop it"
    ):
        values(tmp_path / "beside.tif", land)


def test_a_mask_of_another_resolution_covers_the_same_area(tmp_path, land):
    finer = alps(shape=SHAPE).part((-0.25, -0.25), (0.5, 0.5), (24, 32))
    encode_heightmap(tmp_path / "mask.tif", np.ones((24, 32)), FILES, tags=Tags(georeference=finer))
    assert values(tmp_path / "mask.tif", land)[0].shape == (24, 32)


def test_a_mask_of_the_size_of_the_file_is_cut_as_the_land_is(tmp_path):
    """Of cells from the fourth column and second row on, each second one."""
    np.arange(192.0, dtype="<f4").reshape(SHAPE)[::-1].tofile(tmp_path / "mask.r32")
    mask, _ = values(Path(tmp_path / "mask.r32"), record(tmp_path, window=(4, 2, 8, 6), every=2))
    assert np.array_equal(mask, np.arange(192.0).reshape(SHAPE)[2:8:2, 4:12:2])


def test_a_faint_mask_is_said(tmp_path, land):
    geotiff(tmp_path / "mask.tif", np.full(SHAPE, 2, np.uint8))
    mask, doubts = values(tmp_path / "mask.tif", land)
    assert mask.max() == 2 / 255 and "is at most 0.0078; 1 is the full effect" in doubts[0]
