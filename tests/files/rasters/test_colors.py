# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights in the colors of PNG tiles."""

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.heightmap import read_heights
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.rasters.colors import coded_heights
from erosion_addon.files.reading.record import Reading
from tests.terrains import fractal

LAND = fractal(256, 256, 900.0, seed=7)


def terrain_rgb(heights):
    number = np.rint((heights + 10000) * 10).astype(int)
    return np.stack([number >> 16, number >> 8 & 255, number & 255], axis=-1).astype("u1")


def terrarium(heights):
    number = np.rint((heights + 32768) * 256).astype(int)
    return np.stack([number >> 16, number >> 8 & 255, number & 255], axis=-1).astype("u1")


@pytest.mark.parametrize(
    "name,code,step", [("terrain-rgb", terrain_rgb, 0.1), ("terrarium", terrarium, 1 / 256)]
)
@pytest.mark.parametrize("sea", [-500.0, 0.0, 2900.0, 7900.0])
def test_heights_come_back_to_half_a_step(name, code, step, sea):
    found = coded_heights(code(LAND + sea) / np.float32(255))
    assert found[0] == name and np.abs(found[1] - LAND - sea).max() <= step / 2 + 1e-9


@pytest.mark.parametrize("code", [terrain_rgb, terrarium])
def test_whole_meters_steep_land_and_a_transparent_channel_do_no_harm(code):
    heights = np.round(LAND * 4)
    colors = np.dstack([code(heights), np.full(LAND.shape, 255, "u1")])
    assert np.abs(coded_heights(colors / np.float32(255))[1] - heights).max() < 1e-9


def picture(seed, low, high):
    """Three smooth colors of their own."""
    return np.stack(
        [low + (high - low) * fractal(256, 256, 1.0, seed=seed + i) for i in range(3)], -1
    ).astype("u1")


@pytest.mark.parametrize(
    "colors",
    [
        picture(1, 0, 255),
        picture(4, 84, 163),  # reds of Terrarium
        picture(7, 60, 200),
        np.random.default_rng(3).integers(84, 164, (64, 64, 3)).astype("u1"),
        np.stack(
            np.broadcast_arrays(np.linspace(84, 163, 512)[:, None] + np.zeros(512), 90, 40), -1
        ).astype("u1"),
        np.full((64, 64, 3), (128, 90, 40), "u1"),
        np.repeat(picture(1, 0, 255)[..., :1], 3, axis=2),
        np.zeros((9, 9, 3), "u1"),
    ],
)
def test_pictures_are_not_taken_for_heights(colors):
    assert coded_heights(colors / np.float32(255)) is None


@pytest.mark.parametrize("code,name", [(terrain_rgb, "Terrain-RGB"), (terrarium, "Terrarium")])
@pytest.mark.parametrize("alpha", [False, True])
def test_a_png_of_heights_in_colors_is_read_and_said(tmp_path, code, name, alpha):
    image = pytest.importorskip("PIL.Image")
    colors = code(LAND[::-1])
    if alpha:
        colors = np.dstack([colors, np.full(LAND.shape, 255, "u1")])
        colors[-9:, :9, 3] = 0
    image.fromarray(colors).save(tmp_path / "a.png")
    elevation, record = read_heights(tmp_path / "a.png", OpenImageIOFiles())
    there = slice(9, None)
    assert np.abs(elevation - LAND)[there].max() < 0.06 and record.holes == (81 if alpha else 0)
    assert any(f"three bytes to a number ({name})" in doubt.sentence for doubt in record.doubts)
    with pytest.raises(InputError, match="color image"):
        read_heights(
            tmp_path / "a.png",
            OpenImageIOFiles(),
            Reading(numbers="shades", height_range=(0.0, 9.0)),
        )
