# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and images of the .blend file are read by the same reader: the same land comes of them."""

import bpy
import numpy as np
import pytest

from erosion_addon.base import memory
from erosion_addon.base.errors import InputError
from erosion_addon.files.heightmap import read_heights
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.reading.record import Reading, Record
from erosion_addon.scene.terrain import image_heights
from tests.geotiff import alps, tiff_of
from tests.heightmaps import write_heightmap
from tests.terrains import fractal

SHADES = Reading(height_range=(100.0, 900.0))


@pytest.fixture(autouse=True)
def clean_file():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    image_heights.forget()


@pytest.fixture(params=[".png", ".exr", ".tif", "int16.tif"])
def file(request, tmp_path):
    """A heightmap of each kind that Blender's images hold."""
    path = tmp_path / f"land{request.param}"
    land = fractal(20, 30, 500.0) + 1000.0
    if request.param == "int16.tif":
        path.write_bytes(tiff_of(land.round().astype("<i2"), alps(shape=land.shape).tags))
    else:
        write_heightmap(path, land.astype(np.float32), OpenImageIOFiles())
    return path


def loaded(path, is_packed=False):
    image = bpy.data.images.load(str(path))
    if is_packed:
        image.pack()
    return image


@pytest.mark.parametrize("is_packed", [False, True], ids=["linked", "packed"])
def test_an_image_gives_the_land_of_its_file(file, is_packed):
    before, of_file = read_heights(file, OpenImageIOFiles(), SHADES)
    image = loaded(file, is_packed)
    if is_packed:
        file.unlink()
    land, record = image_heights.read(image, SHADES)
    np.testing.assert_array_equal(land, before)
    assert (record.kind, record.meaning, record.unit) == (
        of_file.kind,
        of_file.meaning,
        of_file.unit,
    )
    assert record.name == f"The image {image.name}" or not is_packed


def test_a_picture_of_16_bits_has_the_heights_of_black_and_white(tmp_path):
    """Blender holds it as floats, which are no meters for that."""
    ramp = np.linspace(0.0, 1.0, 600).reshape(20, 30)
    write_heightmap(tmp_path / "a.png", ramp, OpenImageIOFiles(), (0.0, 1.0))
    image = loaded(tmp_path / "a.png")
    image.colorspace_settings.name = "Non-Color"
    land, record = image_heights.read(image, SHADES)
    assert record.meaning == "shades" and land.min() == 100.0 and land.max() == 900.0
    pixels = np.empty(600 * 4, np.float32)
    image.pixels.foreach_get(pixels)
    pixels[:4] = (0.25, 0.25, 0.25, 1.0)
    image.pixels.foreach_set(pixels)
    assert image.is_dirty
    painted, record = image_heights.read(image, SHADES)
    assert record.kind == "uint16" and painted[0, 0] == pytest.approx(100 + 0.25 * 800)
    np.testing.assert_allclose(painted[1:], land[1:], atol=1e-3)


def generated(values, is_float, alpha=1.0):
    rows, cols = values.shape
    image = bpy.data.images.new("made", cols, rows, alpha=True, float_buffer=is_float, is_data=True)
    pixels = np.ones((rows, cols, 4), np.float32)
    pixels[..., :3] = values[..., None]
    pixels[..., 3] = alpha
    image.pixels.foreach_set(pixels.ravel())
    return image


def test_generated_images_hold_shades_of_8_bits_or_heights_in_floats():
    values = np.linspace(0, 1, 12).reshape(3, 4)
    land, record = image_heights.read(generated(values, is_float=False), SHADES)
    assert record.meaning == "shades" and land.max() == 900.0
    land, record = image_heights.read(generated(1000 * values, is_float=True), SHADES)
    assert record.meaning == "heights" and land.max() == 1000.0


@pytest.mark.parametrize("is_float", [False, True])
def test_transparent_pixels_are_no_data_and_no_pit(is_float):
    values = np.full((6, 8), 0.5) + 0.3 * np.eye(6, 8)
    alpha = np.ones((6, 8))
    values[2, 3:5] = 0.0
    alpha[2, 3:5] = 0.0
    land, record = image_heights.read(generated(values, is_float), SHADES)
    # black is a height while nothing is transparent
    assert land.min() == pytest.approx(100.0, abs=1e-4)
    land, record = image_heights.read(generated(values, is_float, alpha), SHADES)
    assert record.holes == 2 and land.min() > 490.0


def test_masks_of_0_and_1_are_whole_and_those_in_the_alpha_channel_are_read(tmp_path):
    half = np.zeros((6, 8))
    half[:, 4:] = 1.0
    land = Record("Land", "float32", (6, 8), (6, 8))
    (tmp_path / "ones.tif").write_bytes(tiff_of(half.astype("u1")[::-1]))
    np.testing.assert_array_equal(image_heights.mask(loaded(tmp_path / "ones.tif"), land)[0], half)
    np.testing.assert_array_equal(
        image_heights.mask(loaded(tmp_path / "ones.tif", is_packed=True), land)[0], half
    )
    black = generated(np.zeros((6, 8)), is_float=False, alpha=half)
    np.testing.assert_array_equal(image_heights.mask(black, land)[0], half)
    gray = generated(half, is_float=False)
    np.testing.assert_array_equal(image_heights.mask(gray, land)[0], half)


def test_a_faint_mask_is_told_of(tmp_path):
    write_heightmap(tmp_path / "faint.exr", np.full((6, 8), 0.004, np.float32), OpenImageIOFiles())
    image = loaded(tmp_path / "faint.exr", is_packed=True)
    _, (doubt,) = image_heights.mask(image, Record("Land", "float32", (6, 8), (6, 8)))
    assert doubt.sentence.startswith("The image faint.exr is at most 0.004")


def test_what_is_too_large_is_refused_with_the_part_that_fits(tmp_path, monkeypatch):
    """30 × 40 cells need 140 bytes each for the mesh: with half of that free, each second cell
    fits.
    """
    write_heightmap(tmp_path / "a.npy", fractal(30, 40, 5.0), OpenImageIOFiles())
    path = tmp_path / "a.npy"
    record = image_heights.look(path, Reading())
    assert image_heights.needed(record) == 30 * 40 * 140
    monkeypatch.setattr(memory, "available_memory", lambda: 30 * 40 * 70)
    monkeypatch.setattr(image_heights, "available_memory", lambda: 30 * 40 * 70)
    with pytest.raises(InputError, match=r"read one cell in 2, or a window of 24 × 24 cells"):
        image_heights.read(path, Reading())
    every, side = image_heights.fitting(record, 30 * 40 * 70)
    assert image_heights.read(path, Reading(every=every))[0].shape == (15, 20)
    assert image_heights.read(path, Reading(window=(0, 0, side, side)))[0].shape == (24, 24)


def test_a_source_is_looked_at_once_until_it_changes(tmp_path, monkeypatch):
    """Dialogs ask at each redraw, while somebody drags a value."""
    path = tmp_path / "a.npy"
    opened = []
    write_heightmap(path, fractal(30, 40, 5.0), OpenImageIOFiles())
    monkeypatch.setattr(
        image_heights.heightmap, "sample", lambda *given: opened.append(given) or sample(*given)
    )
    for low in (0.0, 0.0, 1.0, 2.0):
        image_heights.look(path, Reading(height_range=(low, 9.0)))
    assert len(opened) == 1
    write_heightmap(path, fractal(20, 40, 5.0), OpenImageIOFiles())
    assert image_heights.look(path, Reading()).shape == (20, 40) and len(opened) == 2


def sample(numbers, record):
    rows, cols = record.shape
    return numbers.read(0, rows, 0, cols)
