# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `rivers`."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from erosion_addon.cli.commands import main
from erosion_addon.files.rasters.tiff_writer import Tags, write_tiff
from tests.cli.commandline import IMAGES, listing
from tests.geotiff import alps
from tests.terrains import fractal

LAND = fractal(48, 60, 200.0, seed=3)
CORNERS = {
    "lower left": (11.159995520430714, 47.06431334605465),
    "lower right": (11.183288282826917, 47.06387147731483),
    "upper left": (11.160508072681807, 47.07699241551954),
}
SET = ["--cell-size", "10", "--set", "source_area=0.004", "lake_area=500"]


def test_all_kinds_of_files_tell_of_the_same_rivers_and_lakes(folder, capsys):
    np.save("land.npy", LAND)
    assert (
        main(["rivers", "land.npy", "r.geojson", "--also", "r.obj", "r.csv", "r.json", *SET]) == 0
    )
    features = json.loads((folder / "r.geojson").read_text(encoding="utf-8"))["features"]
    reaches = [one for one in features if one["geometry"]["type"] == "LineString"]
    lakes = [one for one in features if one["geometry"]["type"] == "Polygon"]
    for reach in reaches:
        heights = [point[2] for point in reach["geometry"]["coordinates"]]
        assert heights == sorted(heights, reverse=True) and reach["properties"]["width"] > 0
    splines = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    assert len(splines["lakes"]) == len(lakes) > 0
    assert len(splines["rivers"]) == max(one["properties"]["river"] for one in reaches)
    for river in splines["rivers"]:
        product = np.prod([river[name] for name in ("width", "depth", "speed")], axis=0)
        np.testing.assert_allclose(product, river["discharge"], rtol=0.05, atol=1e-3)
        assert (
            river["stream_order"] == sorted(river["stream_order"])
            and river["flow"] == river["speed"]
        )
    with (folder / "r.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len({row["reach"] for row in rows}) == len(reaches)
    mesh = (folder / "r.obj").read_text(encoding="utf-8").splitlines()
    count = sum(line.startswith("v ") for line in mesh)
    used = {int(word) for line in mesh if line.startswith("f ") for word in line.split()[1:]}
    assert used <= set(range(1, count + 1)) and "o lakes" in mesh
    told = capsys.readouterr()
    assert "r.geojson" in told.out and "Rivers: " in told.err


def test_geojson_of_a_placed_terrain_has_longitude_and_latitude(folder, capsys):
    """Corners by PROJ 9.4, of UTM 664015, 5214575 and 59 columns and 47 rows on; the map between is
    nearly linear.
    """
    corner, east, north = (
        np.array(CORNERS[name]) for name in ("lower left", "lower right", "upper left")
    )
    write_tiff(folder / "land.tif", LAND, Tags(None, alps(shape=LAND.shape)))
    assert main(["rivers", "land.tif", "r.geojson", "--also", "r.csv", *SET[2:]]) == 0
    features = json.loads((folder / "r.geojson").read_text(encoding="utf-8"))["features"]
    with (folder / "r.csv").open(encoding="utf-8") as stream:
        points = [
            (row["reach"], float(row["x"]), float(row["y"]), float(row["z"]))
            for row in csv.DictReader(stream)
        ]
    reaches = [one for one in features if one["geometry"]["type"] == "LineString"]
    for reach in reaches:
        places = np.array(reach["geometry"]["coordinates"])
        meters = np.array(
            [row[1:] for row in points if row[0] == str(reach["properties"]["reach"])]
        )
        assert np.allclose(places[:, 2], meters[:, 2], atol=1e-3)
        share = meters[:, :2] / (59 * 30.0, 47 * 30.0)
        expected = corner + share[:, :1] * (east - corner) + share[:, 1:] * (north - corner)
        assert np.abs(places[:, :2] - expected).max() < 1e-5
    lakes = [
        one["geometry"]["coordinates"][0]
        for one in features
        if one["geometry"]["type"] == "Polygon"
    ]
    assert lakes and all(11 < x < 12 and 47 < y < 48 for lake in lakes for x, y in lake)
    assert "in meters" not in capsys.readouterr().err


def test_geojson_of_a_terrain_without_a_place_is_in_meters_and_says_so(folder, capsys):
    np.save("land.npy", LAND)
    assert main(["rivers", "land.npy", "r.geojson", *SET]) == 0
    assert (
        "no place on Earth that is known here, so the coordinates are in meters"
        in capsys.readouterr().err
    )


def test_masks_of_water_are_written(folder):
    np.save("land.npy", LAND)
    words = ["--mask", "river=river.npy", "lake=lake.png", "bank=bank.exr", "--quiet"]
    assert main(["rivers", "land.npy", "r.json", *SET, *words]) == 0
    river = np.load("river.npy")
    assert river.shape == LAND.shape and 0 < river.mean() < 0.3 and river.max() == 1
    assert {"bank.exr", "lake.png", "r.json"} <= {path.name for path in folder.iterdir()}


def test_beds_are_carved_into_heights_that_fit_the_other_files(folder, capsys):
    np.save("land.npy", LAND)
    words = ["--set", "incision=2", "--carve", "carved.npy", "--mask", "river=river.npy"]
    assert main(["rivers", "land.npy", "r.json", *SET, *words]) == 0
    assert "carved.npy" in capsys.readouterr().out
    cut = LAND - np.load("carved.npy")
    assert (cut >= 0).all() and (cut > 1.9).mean() > 0.01 and (cut > 0).mean() < 0.25
    assert (
        main(["rivers", "carved.npy", "again.json", *SET, "--mask", "river=again.npy", "--quiet"])
        == 0
    )
    assert Path("again.json").read_bytes() == Path("r.json").read_bytes()
    assert Path("again.npy").read_bytes() == Path("river.npy").read_bytes()


def test_the_sea_is_in_every_file_with_its_level_and_its_masks(folder):
    np.save("land.npy", LAND)
    words = [
        "--set",
        "sea=true",
        "sea_level=70",
        "--mask",
        "sea=sea.npy",
        "shore=shore.npy",
        "--quiet",
    ]
    assert main(["rivers", "land.npy", "r.geojson", "--also", "r.obj", "r.json", *SET, *words]) == 0
    features = json.loads((folder / "r.geojson").read_text(encoding="utf-8"))["features"]
    (coast,) = [one for one in features if one["properties"]["kind"] == "coast"]
    assert coast["geometry"]["type"] == "MultiLineString" and coast["properties"]["level"] == 70
    assert all(line[0] == line[-1] for line in coast["geometry"]["coordinates"])
    assert json.loads((folder / "r.json").read_text(encoding="utf-8"))["sea"] == {"level": 70}
    lines = (folder / "r.obj").read_text(encoding="utf-8").split("o sea\n")[1].splitlines()
    assert {line.split()[2] for line in lines if line.startswith("v ")} == {"70"}
    np.testing.assert_array_equal(np.load("sea.npy") == 1, LAND < 70)
    assert np.load("shore.npy").max() > 0.5


def test_lakes_of_a_rain_hold_a_part_of_it_and_the_summary_says_how_much(folder, capsys):
    np.save("land.npy", LAND)
    held = []
    for rain in ("50", "500"):
        words = [
            "--set",
            "limited_water=true",
            f"rain={rain}",
            "lake_area=0.001",
            "lake_depth=0.000001",
        ]
        assert main(["rivers", "land.npy", "r.json", "--cell-size", "10", *words]) == 0
        held.append(
            sum(
                one["volume"]
                for one in json.loads((folder / "r.json").read_text(encoding="utf-8"))["lakes"]
            )
        )
        fallen = float(rain) * 1e-3 * LAND.size * 100.0
        assert f"They hold {held[-1]:.4g} of {fallen:.4g} m³ of rain." in capsys.readouterr().err
        assert 0 < held[-1] < fallen
    assert held[0] < held[1]


def test_rain_in_cubic_meters_fills_lakes_as_the_same_water_in_millimeters(folder, capsys):
    np.save("land.npy", LAND)
    lakes = []
    for words in (["rain=50"], [f"rain_volume={0.05 * LAND.size * 100.0}"]):
        given = ["--cell-size", "10", "--set", "limited_water=true", "lake_area=100", *words]
        assert main(["rivers", "land.npy", "r.json", *given]) == 0
        lakes.append(json.loads((folder / "r.json").read_text(encoding="utf-8"))["lakes"])
        assert f"of {0.05 * LAND.size * 100.0:.4g} m³ of rain" in capsys.readouterr().err
    assert len(lakes[0]) == len(lakes[1]) > 0
    for one, other in zip(*lakes, strict=True):
        assert one["volume"] == pytest.approx(other["volume"], rel=1e-9)


def test_headwaters_say_where_rivers_begin(folder):
    heads = np.zeros(LAND.shape)
    heads[20, 30] = 1
    np.save("land.npy", LAND)
    np.save("heads.npy", heads)
    assert main(["rivers", "land.npy", "r.json", *SET, "--headwaters", "heads.npy", "--quiet"]) == 0
    (river,) = json.loads((folder / "r.json").read_text(encoding="utf-8"))["rivers"]
    assert river["points"][0][:2] == [300.0, 200.0]


def test_rivers_and_analyses_end_at_the_outlets_of_an_image(folder):
    mask = np.zeros(LAND.shape)
    mask[20, 30] = 1
    np.save("land.npy", LAND)
    np.save("gates.npy", mask)
    words = ["--cell-size", "10", "--edges", "closed", "--outlets", "gates.npy", "--quiet"]
    assert main(["rivers", "land.npy", "r.json", *words]) == 0
    rivers = json.loads((folder / "r.json").read_text(encoding="utf-8"))["rivers"]
    assert [300.0, 200.0] in [river["points"][-1][:2] for river in rivers]
    assert main(["analyze", "land.npy", "--maps", "maps", *words]) == 0
    assert IMAGES.read(folder / "maps/drainage_area.exr")[20, 30] == LAND.size * 100.0


def test_headwaters_that_are_nowhere_are_named(folder, capsys):
    np.save("land.npy", LAND)
    np.save("heads.npy", np.full(LAND.shape, 0.4))
    assert main(["rivers", "land.npy", "r.json", "--headwaters", "heads.npy"]) == 0
    assert (
        "No river; lakes: " in (said := "".join(capsys.readouterr()))
        and "heads.npy is nowhere over 0.5." in said
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["land.npy", "r.shp"], "must end in .geojson or .obj or .csv or .json"),
        (["flat.npy", "r.json"], "level, so no water runs"),
        (
            ["land.npy", "r.json", "--mask", "ice=a.png"],
            "no mask 'ice' of water; choose one of river, bank, lake, sea, shore",
        ),
        (["land.npy", "r.json", "--set", "sea=true", "sea_level=500"], "below the sea"),
        (["land.npy", "r.json", "--set", "depth=1"], "depth is not a parameter here"),
        (["land.npy", "land.npy"], "must end in"),
        (
            ["land.npy", "r.json", "--set", "bank=40"],
            "--set bank is for carved beds; name a heightmap for them",
        ),
        (["land.npy", "r.json", "--carve", "land.npy"], "land.npy"),
        (
            ["land.npy", "r.json", "--carve", "c.npy", "--set", "source_area=9"],
            "no river with that much drainage area to be carved",
        ),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_written(folder, capsys, words, sentence):
    np.save("land.npy", LAND)
    np.save("flat.npy", np.zeros((9, 9)))
    before = listing(folder)
    assert main(["rivers", *words]) == 2
    assert sentence in capsys.readouterr().err and listing(folder) == before
