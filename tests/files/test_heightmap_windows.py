# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmaps larger than memory, read in windows: the numbers are those of the whole."""

from dataclasses import replace

import numpy as np
import OpenImageIO
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.heightmap import heightmap_windows, read_heights
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.reading.record import Reading
from tests.heightmaps import read_heightmap, write_heightmap
from tests.land_files import FILES
from tests.terrains import fractal

HEIGHTS = fractal(300, 410, 900.0, seed=4)
SPAN = (-100.0, 1100.0)
WINDOWS = ((0, 300, 0, 410), (0, 64, 0, 64), (37, 290, 255, 410), (299, 300, 0, 1))


def tiff(path, kind, tiles):
    """A TIFF in strips or tiles, by somebody else's writer."""
    rows, cols = HEIGHTS.shape
    spec = OpenImageIO.ImageSpec(cols, rows, 1, kind)
    if tiles:
        spec.tile_width = spec.tile_height = 64
    numbers = HEIGHTS[::-1, :, None]
    if kind == "int16":
        numbers = np.rint(numbers).astype(np.int16)
    elif kind != "float":
        numbers = np.rint(numbers / 1000 * (255 if kind == "uint8" else 65535)).astype(kind)
    else:
        numbers = numbers.astype(np.float32)
    image = OpenImageIO.ImageOutput.create(str(path))
    assert image.open(str(path), spec) and image.write_image(np.ascontiguousarray(numbers))
    image.close()


@pytest.mark.parametrize("tiles", [False, True])
@pytest.mark.parametrize("kind", ["float", "uint8", "uint16", "int16"])
def test_windows_of_a_tiff_are_those_of_the_whole(tmp_path, kind, tiles):
    path = tmp_path / "dem ä.tif"
    tiff(path, kind, tiles)
    span = None if kind in ("float", "int16") else SPAN
    whole = read_heightmap(path, OpenImageIOFiles(), span)
    record, read = heightmap_windows(path, OpenImageIOFiles(), Reading(height_range=span))
    assert record.shape == HEIGHTS.shape
    for top, bottom, left, right in WINDOWS:
        np.testing.assert_array_equal(read(top, bottom, left, right), whole[top:bottom, left:right])


@pytest.mark.parametrize("suffix", [".npy", ".r16", ".r32", ".raw"])
def test_windows_of_arrays_and_raw_files_are_those_of_the_whole(tmp_path, suffix):
    path = tmp_path / f"land{suffix}"
    write_heightmap(path, HEIGHTS, OpenImageIOFiles(), SPAN)
    size = None if suffix == ".npy" else HEIGHTS.shape
    whole = read_heightmap(path, OpenImageIOFiles(), SPAN, size)
    record, read = heightmap_windows(
        path, OpenImageIOFiles(), Reading(height_range=SPAN, size=size)
    )
    assert record.shape == HEIGHTS.shape
    for top, bottom, left, right in WINDOWS:
        np.testing.assert_array_equal(read(top, bottom, left, right), whole[top:bottom, left:right])


def test_gray_levels_need_their_meters_and_damaged_files_a_sentence(tmp_path):
    path = tmp_path / "dem.tif"
    tiff(path, "uint16", True)
    with pytest.raises(InputError, match="give the height range"):
        heightmap_windows(path, OpenImageIOFiles())
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + bytes(len(data) - len(data) // 2))
    with pytest.raises(InputError, match=r"dem\.tif"):
        heightmap_windows(path, OpenImageIOFiles(), Reading(height_range=SPAN))


@pytest.mark.parametrize("name", FILES)
def test_windows_are_those_of_the_whole_for_every_kind_of_file(tmp_path, name):
    file = FILES[name]
    path = file.write(tmp_path)
    whole, record = read_heights(path, OpenImageIOFiles(), file.options)
    other, read = heightmap_windows(path, OpenImageIOFiles(), file.options)
    assert replace(other, step=None, georeference=None) == replace(
        record, step=None, georeference=None
    )
    for top, bottom, left, right in (
        (0, 72, 0, 72),
        (3, 40, 5, 71),
        (60, 72, 0, 9),
        (41, 42, 30, 60),
    ):
        np.testing.assert_array_equal(read(top, bottom, left, right), whole[top:bottom, left:right])


@pytest.mark.parametrize(
    "name",
    ["npy", "r16 of a Mac", "tiff", "png", "from south to north", "no data with a tag", "asc"],
)
def test_a_part_and_each_third_cell_are_those_of_the_whole(tmp_path, name):
    file = FILES[name]
    path = file.write(tmp_path)
    whole, record = read_heights(
        path, OpenImageIOFiles(), replace(file.options, holes="sea", sea_level=5.0)
    )
    part = replace(file.options, holes="sea", sea_level=5.0, window=(4, 10, 50, 41), every=3)
    heights, thin = read_heights(path, OpenImageIOFiles(), part)
    np.testing.assert_array_equal(heights, whole[10:51:3, 4:54:3])
    if record.spacing:
        assert thin.spacing == (3 * record.spacing[0], 3 * record.spacing[1])
    if record.georeference:
        # The middle of the top left cell: row 49 from the south, which is row 22 from the north.
        before = record.georeference.placement
        after = thin.georeference.placement
        assert after.at(0.5, 0.5) == pytest.approx(before.at(22.5, 4.5))
