# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes out has what came in: unit of heights, cells without data, and place."""

import json

import numpy as np
import pytest

from erosion_addon.cli.commands import main
from erosion_addon.files.headers.georeference import Georeference
from erosion_addon.files.headers.image_header import file_header, read_header
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.rasters.raster import open_raster
from tests.geotiff import alps, array, same, tiff_of
from tests.heightmaps import read_heightmap
from tests.terrains import fractal

FOOT = 1200 / 3937
SHAPE = (40, 50)
LAND = fractal(*SHAPE, 300.0, seed=5) + 1000.0
HOLES = np.zeros(SHAPE, bool)
HOLES[:12, :9] = True
HOLES[20:23, 30:34] = True
PLACE = alps(shape=SHAPE)


@pytest.fixture
def recipe(folder):
    (folder / "talus.toml").write_text(
        'name = "talus"\n[[step]]\nkind = "talus"\n', encoding="utf-8"
    )
    return ["--recipe", "talus.toml"]


def written(folder, unit=1.0, holes=None, name="in.tif"):
    """The land in a unit, by vertical keys of the file, and with holes of -32000."""
    heights = LAND / unit
    tags = dict(PLACE.entries())
    if unit != 1.0:
        keys = tags[34735].tolist()
        tags[34735] = array("<u2", *keys[:3], keys[3] + 1, *keys[4:], 4099, 0, 1, 9003)
    if holes is not None:
        heights = np.where(holes, -32000.0, heights)
        tags[42113] = np.frombuffer(b"-32000\0", "u1")
    (folder / name).write_bytes(tiff_of(heights[::-1].astype("f4"), tags))


def numbers(path):
    header = read_header(path)
    return open_raster(path, file_header(path)).read(0, header.rows, 0, header.cols)[0]


@pytest.mark.parametrize("command", ["erode", "convert", "rivers"])
def test_feet_come_out_in_feet(folder, recipe, command):
    written(folder, FOOT)
    words = {
        "erode": ["in.tif", "out.tif", *recipe],
        "convert": ["in.tif", "out.tif"],
        "rivers": ["in.tif", "r.csv", "--carve", "out.tif", "--set", "source_area=0.05"],
    }
    assert main([command, *words[command], "--quiet"]) == 0
    header = read_header(folder / "out.tif")
    assert (
        header.unit == pytest.approx(FOOT, 1e-12)
        and header.georeference.placement == PLACE.placement
    )
    change = numbers(folder / "out.tif") * FOOT - LAND
    assert np.abs(np.median(change)) < 0.01 and np.abs(change).max() < 60.0
    again = read_heightmap(folder / "out.tif", OpenImageIOFiles())
    assert np.abs(again - LAND - change).max() < 1e-3


def test_meters_say_so(folder):
    np.save(folder / "in.npy", LAND)
    assert main(["convert", "in.npy", "out.tif", "--cell-size", "30", "--quiet"]) == 0
    assert read_header(folder / "out.tif").unit == 1.0


def test_maps_of_a_terrain_in_feet_stay_in_meters(folder, recipe):
    written(folder, FOOT)
    assert (
        main(["erode", "in.tif", "out.tif", *recipe, "--maps", "maps", "--tif-maps", "--quiet"])
        == 0
    )
    lost = LAND - numbers(folder / "out.tif") * FOOT
    wear, deposition = (numbers(folder / "maps" / f"{name}.tif") for name in ("wear", "deposition"))
    assert np.abs(wear - deposition - lost).max() < 1e-2
    assert (
        np.abs(numbers(folder / "maps" / "elevation.tif") - numbers(folder / "out.tif")).max()
        < 1e-3
    )


@pytest.mark.parametrize("command", ["erode", "convert", "rivers"])
@pytest.mark.parametrize(
    "more,kept", [([], True), (["--holes", "12.5"], False), (["--holes", "fill"], False)]
)
def test_cells_without_data_stay_so_unless_the_user_says_what_they_are(
    folder, recipe, command, more, kept, capsys
):
    written(folder, holes=HOLES)
    words = {
        "erode": ["in.tif", "out.tif", *recipe],
        "convert": ["in.tif", "out.tif"],
        "rivers": ["in.tif", "r.csv", "--carve", "out.tif", "--set", "source_area=0.05"],
    }
    assert main([command, *words[command], *more]) == 0
    header = read_header(folder / "out.tif")
    heights = numbers(folder / "out.tif")
    if kept:
        assert header.no_data == -9999.0 and np.array_equal(heights == -9999.0, HOLES)
    else:
        assert header.no_data is None and heights.min() > 0.0
    assert ("stay so in out.tif" in capsys.readouterr().err) == kept


def test_maps_have_no_data_where_the_heights_have_none(folder, recipe):
    written(folder, holes=HOLES)
    assert (
        main(["erode", "in.tif", "out.tif", *recipe, "--maps", "maps", "--tif-maps", "--quiet"])
        == 0
    )
    assert np.array_equal(numbers(folder / "maps" / "wear.tif") == -9999.0, HOLES)


def test_tiles_and_other_sizes_keep_their_holes(folder):
    written(folder, holes=HOLES)
    assert main(["convert", "in.tif", "t.tif", "--tiles", "1x2", "--size", "40x26", "--quiet"]) == 0
    left, right = (numbers(folder / f"t_x{x}_y0.tif") == -9999.0 for x in (0, 1))
    whole = np.concatenate([left, right[:, 1:]], axis=1)
    assert (
        whole.shape == (40, 51)
        and np.count_nonzero(whole != HOLES[:, np.minimum(np.arange(51), 49)]) < 30
    )
    assert np.array_equal(left[:, -1], right[:, 0])


def test_a_sea_floor_below_the_usual_number_gets_another_one(folder):
    deep = np.where(HOLES, -32000.0, LAND - 12000.0)
    tags = {**dict(PLACE.entries()), 42113: np.frombuffer(b"-32000\0", "u1")}
    (folder / "in.tif").write_bytes(tiff_of(deep[::-1].astype("f4"), tags))
    assert main(["convert", "in.tif", "out.tif", "--quiet"]) == 0
    lowest = float(np.finfo(np.float32).min)
    assert read_header(folder / "out.tif").no_data == lowest
    assert np.array_equal(numbers(folder / "out.tif") == np.float32(lowest), HOLES)


def test_rows_from_the_south_come_out_from_the_north_in_the_same_place(folder):
    (x, y), (step, _), _ = PLACE.placement.corner, PLACE.placement.right, PLACE.placement.down
    keys = {tag: values for tag, values in PLACE.entries() if tag > 34264}
    matrix = array("<f8", step, 0, 0, x, 0, step, 0, y - 40 * step, *[0.0] * 7, 1.0)
    (folder / "in.tif").write_bytes(tiff_of(LAND.astype("f4"), {**keys, 34264: matrix}))
    assert main(["convert", "in.tif", "out.tif", "--quiet"]) == 0
    assert np.allclose(numbers(folder / "out.tif"), LAND, atol=1e-3)
    assert read_header(folder / "out.tif").georeference.placement == PLACE.placement


@pytest.mark.parametrize("unit", ['"x"', "0", "-1", "1e999", "null", "2.5"])
def test_a_unit_that_makes_no_sense_in_a_blend_file_is_no_place(unit):
    text = PLACE.to_text()
    assert same(Georeference.from_text(text), PLACE)
    content = text[:-1] + f', "unit": {unit}}}'
    assert Georeference.from_text(content) is None


def test_a_place_in_feet_comes_back_from_a_blend_file():
    text = json.dumps({**json.loads(PLACE.to_text()), "unit": FOOT})
    assert Georeference.from_text(Georeference.from_text(text).to_text()).unit == FOOT
