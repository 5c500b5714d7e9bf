# SPDX-License-Identifier: GPL-3.0-or-later
"""Georeference: GeoTIFF tags are kept, and moved where the points move."""

import json

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.cli.commands import main
from erosion_addon.files.export import Layout, Origin, export
from erosion_addon.files.headers.georeference import Georeference
from erosion_addon.files.headers.image_header import read_header
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.rasters.tiff_writer import Tags, write_tiff
from erosion_addon.files.side_file import known_meters
from erosion_addon.terrain.terrain import Terrain
from tests.geotiff import CELL, NORTH, SHAPE, WEST, alps, place, same

FILES = OpenImageIOFiles()


def write(path, georeference):
    rows, cols = georeference.shape
    heights = 1000 + np.add.outer(np.arange(rows) * 9.0, 30 * np.sin(np.arange(cols)))
    write_tiff(path, heights, Tags(None, georeference))
    return heights


@pytest.mark.parametrize("matrix", [False, True])
@pytest.mark.parametrize("command", ["erode", "convert"])
def test_an_eroded_geotiff_lies_where_it_lay(tmp_path, command, matrix):
    write(tmp_path / "in.tif", alps(matrix=matrix))
    (tmp_path / "talus.toml").write_text(
        'name = "talus"\n[[step]]\nkind = "talus"\n', encoding="utf-8"
    )
    words = ["--recipe", str(tmp_path / "talus.toml")] if command == "erode" else []
    assert (
        main([command, str(tmp_path / "in.tif"), str(tmp_path / "out.tif"), *words, "--quiet"]) == 0
    )
    assert same(read_header(tmp_path / "out.tif").georeference, alps(matrix=matrix))


def test_other_programs_find_the_coordinate_reference_system_in_it(tmp_path):
    write(tmp_path / "a.tif", alps())
    with pytest.importorskip("PIL.Image").open(tmp_path / "a.tif") as image:
        tags = dict(image.tag_v2)
    assert tags[34735][-4:] == (3072, 0, 1, 32632)
    assert tags[34737] == "WGS 84 / UTM zone 32N|"
    assert tags[33550] == (30.0, 30.0, 0.0) and tags[33922][3:5] == (WEST, NORTH)


@pytest.mark.parametrize("matrix", [False, True])
@pytest.mark.parametrize("at_points", [False, True])
def test_corners_of_a_finer_grid_lie_where_those_of_the_terrain_do(tmp_path, at_points, matrix):
    terrain = Terrain(write(tmp_path / "in.tif", alps(at_points, matrix)), CELL)
    made = tmp_path / "fine.tif"
    export(
        made,
        terrain,
        FILES,
        Layout(size=(61, 81)),
        origin=Origin(georeference=alps(at_points, matrix)),
    )
    fine = read_header(made).georeference
    assert fine.shape == (61, 81)
    for new, old in (((0, 0), (0, 0)), ((60, 80), (30, 40)), ((20, 30), (10, 15))):
        assert place(fine, *new, at_points) == pytest.approx(
            place(alps(at_points, matrix), *old, at_points), abs=1e-6
        )


def test_tiles_lie_side_by_side_and_share_the_points_on_their_border(tmp_path):
    terrain = Terrain(write(tmp_path / "in.tif", alps()), CELL)
    done = export(
        tmp_path / "t.tif", terrain, FILES, Layout(tiles=(2, 2)), origin=Origin(georeference=alps())
    )
    assert len(done.paths) == 5  # and the side file
    found = {
        tuple(np.round(place(read_header(path).georeference, 0, 0))): FILES.read(path)[-1, 0]
        for path in done.paths
        if path.suffix == ".tif"
    }
    wanted = {
        tuple(np.round(place(alps(), row, col))): terrain.elevation[30 - row, col]
        for row in (0, 15)
        for col in (0, 20)
    }
    assert found == pytest.approx(wanted)


def test_a_mirrored_export_claims_no_place(tmp_path):
    terrain = Terrain(write(tmp_path / "in.tif", alps()), CELL)
    export(
        tmp_path / "m.tif", terrain, FILES, Layout(flip=True), origin=Origin(georeference=alps())
    )
    assert read_header(tmp_path / "m.tif").georeference is None


def test_a_terrain_of_another_size_is_not_put_where_the_file_was(tmp_path):
    terrain = Terrain(np.zeros((20, 20)), CELL)
    export(tmp_path / "a.tif", terrain, FILES, origin=Origin(georeference=alps()))
    assert read_header(tmp_path / "a.tif").georeference is None
    assert read_header(tmp_path / "a.tif").spacing == (CELL, CELL)


def test_meters_alone_are_no_place(tmp_path):
    """Exports of terrains that lie nowhere tell their cells: with another cell size these must not
    stay.
    """
    write_tiff(tmp_path / "a.tif", np.zeros((5, 7)), Tags((30.0, 25.0)))
    assert known_meters(tmp_path / "a.tif").georeference is None


def test_a_side_file_leaves_the_place_to_the_tiff(tmp_path):
    write(tmp_path / "a.tif", alps())
    (tmp_path / "a.json").write_text(
        json.dumps({"files": ["a.tif"], "cell_size": [12.0, 12.0]}), encoding="utf-8"
    )
    known = known_meters(tmp_path / "a.tif")
    assert known.spacing == (12.0, 12.0) and same(known.georeference, alps())


def test_it_comes_back_from_a_blend_file_as_it_was():
    assert same(Georeference.from_text(alps().to_text()), alps())


def nonsense(**changes):
    content = json.loads(alps().to_text())
    for key, value in changes.items():
        if key == "shape":
            content["shape"] = value
        elif value is None:
            del content["tags"][key[1:]]
        else:
            content["tags"][key[1:]] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "7",
        "[" * 99999,
        '{"shape": [5, 5]}',
        nonsense(shape=[5]),
        nonsense(t1=[1]),  # not a tag of a place
        nonsense(t34735=None),
        nonsense(t34735=[1, 1, 0, 1, 1024, 0, 1, 1]),  # no coordinate reference system
        nonsense(t34735=[1, 1, 0, 9, 3072, 0, 1, 32632]),  # nine keys, and one is there
        nonsense(t34735=[1, 1, 0, 1, 3072, 34736, 1, 0]),  # leads nowhere
        nonsense(t34735=[1, 1, 0, 2, 1026, 34737, 99, 0, 3072, 0, 1, 32632]),  # beyond the text
        nonsense(t34735=[70000, 1, 0, 1, 3072, 0, 1, 32632]),
        nonsense(t33550=[0.0, 30.0, 0.0]),
        nonsense(t33550=[1e400, 30.0, 0.0]),
        nonsense(t33550="x"),
        nonsense(t33922=[0.0] * 5),
        nonsense(t33922=None),
        nonsense(t33922=[0.0] * 6000),
    ],
)
def test_what_makes_no_sense_in_a_blend_file_is_no_place(text):
    assert Georeference.from_text(text) is None


@pytest.mark.parametrize("georeference", [None, alps()])
def test_what_32_bit_offsets_do_not_reach_becomes_a_bigtiff(tmp_path, monkeypatch, georeference):
    heights = np.random.default_rng(3).random(SHAPE).astype("f4")
    write_tiff(tmp_path / "small.tif", heights, Tags((30.0, 30.0), georeference))
    monkeypatch.setattr("erosion_addon.files.rasters.tiff_writer.CLASSIC", heights.nbytes - 1)
    write_tiff(tmp_path / "big.tif", heights, Tags((30.0, 30.0), georeference))
    for name, magic in (("small.tif", b"II*\0"), ("big.tif", b"II+\0")):
        assert (tmp_path / name).read_bytes()[:4] == magic
        assert np.array_equal(FILES.read(tmp_path / name), heights)
        header = read_header(tmp_path / name)
        assert header.spacing == (30.0, 30.0) and (header.rows, header.cols) == SHAPE
        assert (
            header.georeference is None
            if georeference is None
            else same(header.georeference, georeference)
        )


def test_a_bigtiff_that_is_cut_off_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("erosion_addon.files.rasters.tiff_writer.CLASSIC", 0)
    write_tiff(tmp_path / "big.tif", np.zeros(SHAPE), Tags())
    (tmp_path / "big.tif").write_bytes((tmp_path / "big.tif").read_bytes()[:-8])
    with pytest.raises(InputError, match="cut off"):
        read_header(tmp_path / "big.tif")
