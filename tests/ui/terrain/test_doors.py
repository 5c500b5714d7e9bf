# SPDX-License-Identifier: GPL-3.0-or-later
"""All doors make the same land of the same file: command line, windows, import, images linked and
packed.
"""

import bpy
import numpy as np
import pytest

from erosion_addon.cli.commands import main
from erosion_addon.files.heightmap import heightmap_windows, read_heights
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.reading.record import Reading
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.image import BlenderFiles
from tests.geotiff import alps, tiff_of
from tests.heightmaps import write_heightmap
from tests.terrains import fractal

LAND = fractal(24, 36, 582.0) + 1000.0
NORTH_FIRST = LAND[::-1]
PLACE = alps(shape=LAND.shape).tags


def hole(values):
    holed = values.copy()
    holed[5:8, 4:9] = -9999
    return holed


TIFFS = {
    "int16": (NORTH_FIRST.round().astype("<i2"), PLACE),
    "float32": (NORTH_FIRST.astype("<f4"), PLACE),
    "hole": (hole(NORTH_FIRST).astype("<f4"), PLACE),
    "not a number": (np.where(hole(NORTH_FIRST) < 0, np.nan, NORTH_FIRST).astype("<f4"), PLACE),
    "shades": (np.linspace(0, 65535, LAND.size).reshape(LAND.shape).astype("<u2"), {}),
    "bytes": (np.linspace(0, 255, LAND.size).reshape(LAND.shape).astype("u1"), {}),
}
SPAN = (100.0, 900.0)


def of_command_line(path, tmp_path):
    span = ["--height-range", *map(str, SPAN)]
    assert (
        main(
            ["convert", str(path), str(tmp_path / "out.npy"), *span, "--quiet"], OpenImageIOFiles()
        )
        == 0
    )
    return np.load(tmp_path / "out.npy")


def of_windows(path, tmp_path):
    record, read = heightmap_windows(path, OpenImageIOFiles(), Reading(height_range=SPAN))
    rows, cols = record.shape
    upper = read(rows // 2, rows, 0, cols)
    lower = read(0, rows // 2, 0, cols)
    return np.concatenate([lower, upper])


def of_import(path, tmp_path):
    bpy.ops.erosion.heightmap_import(
        filepath=str(path), low=SPAN[0], high=SPAN[1], smooth_steps=False
    )
    return grid.read_terrain(bpy.context.object)[0].elevation


def of_image(path, tmp_path):
    return _of_image(bpy.data.images.load(str(path)))


def of_packed_image(path, tmp_path):
    image = bpy.data.images.load(str(path))
    image.pack()
    return _of_image(image)


def _of_image(image):
    bpy.ops.erosion.heightmap_import(
        image=image.name, low=SPAN[0], high=SPAN[1], smooth_steps=False
    )
    return grid.read_terrain(bpy.context.object)[0].elevation


DOORS = (of_command_line, of_windows, of_import, of_image, of_packed_image)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__[3:])
@pytest.mark.parametrize("name", [*TIFFS, "gray.png", "float.exr"])
def test_all_doors_give_the_same_land(name, door, tmp_path):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    path = tmp_path / (f"{name}.tif" if name in TIFFS else name)
    if name in TIFFS:
        pixels, tags = TIFFS[name]
        path.write_bytes(tiff_of(pixels, tags))
    else:
        write_heightmap(path, LAND, BlenderFiles(), *([SPAN] if name == "gray.png" else []))
    made = door(path, tmp_path)
    expected = read_heights(path, OpenImageIOFiles(), Reading(height_range=SPAN))[0]
    assert np.abs(made - expected).max() < 1e-4  # of float32, which meshes hold
