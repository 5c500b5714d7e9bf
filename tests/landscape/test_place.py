# SPDX-License-Identifier: GPL-3.0-or-later
"""Georeference of a landscape: kept from a GeoTIFF, or from tiles of one, to the files of an
export.
"""

import dataclasses
import json

import numpy as np
import pytest

from erosion_addon.cli.commands import main
from erosion_addon.files.headers.image_header import file_header, read_header
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.rasters.raster import open_raster
from erosion_addon.files.rasters.tiff_writer import Tags, write_tiff
from erosion_addon.landscape.storage.folder import Landscape, Window
from erosion_addon.landscape.storage.manifest import NAME
from tests.geotiff import CELL, alps, place, same
from tests.heightmaps import read_heightmap
from tests.terrains import fractal

SHAPE = (129, 200)
HEIGHTS = fractal(*SHAPE, relief=900.0).astype(np.float32)
FILES = OpenImageIOFiles()


def made(tmp_path, source, *options):
    words = [
        "landscape",
        "make",
        str(tmp_path / "land"),
        str(source),
        "--tile",
        "64",
        "--quiet",
        *options,
    ]
    assert main(words) == 0
    return Landscape(tmp_path / "land")


def exported(tmp_path):
    """(x, y from the top) → file, of 65 points a side."""
    assert (
        main(
            [
                "landscape",
                "export",
                str(tmp_path / "land"),
                str(tmp_path / "out.tif"),
                "--side",
                "65",
            ]
        )
        == 0
    )
    return {
        tuple(int(part[1:]) for part in path.stem.split("_")[1:]): path
        for path in tmp_path.glob("out_*.tif")
    }


@pytest.mark.slow
@pytest.mark.parametrize("matrix", [False, True])
@pytest.mark.parametrize("at_points", [False, True])
def test_every_file_of_an_export_lies_where_its_heights_lay_in_the_geotiff(
    tmp_path, matrix, at_points
):
    there = alps(at_points, matrix, SHAPE)
    write_tiff(tmp_path / "dem.tif", HEIGHTS, Tags(None, there))
    land = made(tmp_path, tmp_path / "dem.tif")
    assert same(land.manifest.georeference, there) and land.manifest.spacing == (CELL, CELL)
    talus = tmp_path / "talus.toml"
    talus.write_text(
        'name = "talus"\n[[step]]\nkind = "talus"\nrock_angle = 90.0\n', encoding="utf-8"
    )
    assert main(["landscape", "erode", str(land.folder), "--recipe", str(talus), "--quiet"]) == 0
    found = exported(tmp_path)
    assert found.keys() == {(x, y) for x in range(4) for y in range(2)}
    for (x, y), path in found.items():
        georeference = read_header(path).georeference
        assert georeference.tags[34735][-1] == 32632
        for row, col in ((0, 0), (64, 7)):
            whole = place(there, y * 64 + row, x * 64 + col, at_points)
            assert place(georeference, row, col, at_points) == pytest.approx(whole, abs=1e-6)
        top = HEIGHTS[::-1][y * 64]
        np.testing.assert_array_equal(read_heightmap(path, FILES)[-1, :8], top[x * 64 : x * 64 + 8])


def test_tiles_of_a_geotiff_give_the_landscape_the_place_of_the_first(tmp_path):
    whole = alps(shape=(128, 192))
    for y in range(2):
        for x in range(3):
            part = HEIGHTS[:128, :192][::-1][y * 64 : y * 64 + 64, x * 64 : x * 64 + 64][::-1]
            there = whole.part((y * 64, x * 64), (1, 1), part.shape)
            write_tiff(tmp_path / f"dem_{x}_{y}.tif", part, Tags(None, there))
    assert same(made(tmp_path, tmp_path / "dem_{x}_{y}.tif").manifest.georeference, whole)


def test_a_landscape_without_a_place_or_of_an_older_manifest_has_none(tmp_path):
    write_tiff(tmp_path / "dem.tif", HEIGHTS, Tags((5.0, 5.0)))
    land = made(tmp_path, tmp_path / "dem.tif")
    assert land.manifest.place == "" and land.manifest.georeference is None
    table = json.loads((land.folder / NAME).read_text(encoding="utf-8"))
    del table["place"]
    (land.folder / NAME).write_text(json.dumps(table), encoding="utf-8")
    assert Landscape(land.folder).manifest == land.manifest
    assert all(read_header(path).georeference is None for path in exported(tmp_path).values())


def test_a_landscape_of_heights_in_feet_is_exported_in_feet(tmp_path):
    foot = 0.3048
    there = dataclasses.replace(alps(shape=SHAPE), unit=foot)
    write_tiff(tmp_path / "dem.tif", HEIGHTS, Tags(None, there, is_elevation=True))
    land = made(tmp_path, tmp_path / "dem.tif")
    assert np.allclose(land.read("start/elevation", Window(0, 129, 0, 200)), HEIGHTS, atol=1e-3)
    assert land.manifest.georeference.unit == foot
    path = exported(tmp_path)[0, 1]
    numbers = open_raster(path, file_header(path)).read(0, 65, 0, 65)[0]
    assert read_header(path).unit == foot and np.allclose(
        numbers * foot, HEIGHTS[:65, :65], atol=1e-3
    )
