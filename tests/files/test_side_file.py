# SPDX-License-Identifier: GPL-3.0-or-later
"""Cell size, range and place of heightmaps from side files and GeoTIFF tags."""

import struct

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.export import Layout, export
from erosion_addon.files.heightmap import read_heights
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.rasters.tiff_writer import Tags, write_tiff
from erosion_addon.files.side_file import Meters, is_side_file, known_meters
from erosion_addon.terrain.terrain import Terrain
from tests.terrains import fractal

FILES = OpenImageIOFiles()


@pytest.mark.parametrize("suffix", [".png", ".raw", ".r16", ".tif", ".r32", ".exr", ".npy"])
@pytest.mark.parametrize("engine", ["", "unity"])
def test_a_heightmap_comes_back_with_its_meters_from_its_side_file(tmp_path, suffix, engine):
    hills = Terrain(fractal(41, 57, 800.0, seed=4) - 100.0, (4.0, 5.0))
    path = tmp_path / f"hills{suffix}"
    export(path, hills, FILES, Layout(engine, (41, 57), flip=suffix == ".png"))
    known = known_meters(path)
    assert known.spacing == pytest.approx((4.0, 5.0))
    back, record = read_heights(path, FILES)
    assert record.spacing == known.spacing
    step = 800 / 65535 if suffix in (".png", ".raw", ".r16") else 1e-4
    assert np.abs(back - hills.elevation).max() <= step


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        "{}",
        '{"files": "a.png"}',
        '{"files": ["b.png"], "cell_size": [1, 1]}',
        "[" * 99999,
        '{"files": ["a.png"], "cell_size": [0, 1], "height_range": [5, 5], "width": "x"}',
        '{"files": ["a.png"], "cell_size": [1e999, 1], "height_range": [null, true], "width": 1}',
    ],
)
def test_a_side_file_that_tells_nothing_is_as_none(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    assert known_meters(tmp_path / "a.png") == Meters()


@pytest.mark.parametrize(
    ("changes", "spacing"),
    [
        ({}, (30.0, 25.0)),
        ({(3076, 0, 1, 9001): (3076, 0, 1, 9002)}, (30 * 0.3048, 25 * 0.3048)),  # feet
        ({(3076, 0, 1, 9001): (3076, 0, 1, 9999)}, None),  # a unit that nobody knows
    ],
)
def test_a_geotiff_tells_meters_in_any_unit_that_is_known(tmp_path, changes, spacing):
    path = tmp_path / "a.tif"
    write_tiff(path, np.zeros((5, 7)), Tags((30.0, 25.0)))
    data = path.read_bytes()
    for before, after in changes.items():
        assert data.count(struct.pack("<4H", *before)) == 1
        data = data.replace(struct.pack("<4H", *before), struct.pack("<4H", *after))
    path.write_bytes(data)
    assert known_meters(path).spacing == (pytest.approx(spacing) if spacing else None)


@pytest.mark.parametrize("latitude", [0.0, 60.0, -60.0])
def test_degrees_become_meters_where_they_are(tmp_path, latitude):
    """A second of arc, as in SRTM: 30.9 m along the meridian, and half of that across at 60°."""
    path = tmp_path / "srtm.tif"
    second = 1 / 3600
    write_tiff(path, np.zeros((5, 7)), Tags((second, second)))
    data = path.read_bytes().replace(
        struct.pack("<4H", 1024, 0, 1, 1), struct.pack("<4H", 1024, 0, 1, 2)
    )
    tie = struct.pack("<6d", 0, 4, 0, 0, 0, 0)
    assert data.count(tie) == 1
    path.write_bytes(data.replace(tie, struct.pack("<6d", 0, 4, 0, 7, latitude, 0)))
    across = 30.89 if latitude == 0 else 15.44
    assert known_meters(path).spacing == pytest.approx((30.89, across), abs=0.01)


def test_a_side_file_that_cannot_be_read_is_not_taken_for_another_one(tmp_path, monkeypatch):
    """Else new heights would stand beside the meters of the old ones."""
    path = tmp_path / "land.json"
    assert not is_side_file(path)
    path.write_text('{"width": 4, "height": 4, "bpp": 16}')
    assert is_side_file(path)

    def failing(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("erosion_addon.files.side_file.open_regular", failing)
    with pytest.raises(InputError, match=r"land\.json cannot be read, and may hold the scale"):
        is_side_file(path)
