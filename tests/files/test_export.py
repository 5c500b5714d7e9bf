# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmaps for game engines, read back by other programs' readers."""

import math
from pathlib import Path

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.export import Layout, export
from erosion_addon.files.game_engines import ENGINES, unity_values, unreal_values
from erosion_addon.files.headers.image_header import read_header
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.side_file import entries
from erosion_addon.grid.resample import resized
from erosion_addon.terrain.terrain import Terrain
from tests.terrains import fractal

FILES = OpenImageIOFiles()


@pytest.fixture
def hills():
    """41 × 57 points, 5 m apart across and 4 m along; from -100 m to 700 m."""
    heights = fractal(41, 57, 800.0, seed=4) - 100.0
    rng = np.random.default_rng(0)
    fields = {
        "wear": rng.random((41, 57)) * 9,
        "moisture": rng.random((41, 57)),
        "velocity": rng.random((41, 57, 2)),
    }
    return Terrain(heights, (4.0, 5.0), fields)


def numbers(path, size, dtype="<u2"):
    """Integers or floats of a file, top row first, by an independent reader."""
    if path.suffix in (".png", ".tif"):
        with pytest.importorskip("PIL.Image").open(path) as image:
            pixels = np.asarray(image)
        assert pixels.shape == size
        return pixels
    return np.fromfile(path, dtype).reshape(size)


def side_of(path):
    return next(
        entry
        for entry in entries(path.with_suffix(".json"))
        if path.suffix == Path(entry["files"][0]).suffix
    )


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("suffix", [".png", ".r16", ".raw"])
def test_16_bits_hold_every_height_to_half_a_step(tmp_path, hills, suffix):
    path = tmp_path / f"Höhen{suffix}"
    done = export(path, hills, FILES)
    assert names(tmp_path) == ["Höhen.json", path.name] and done.paths[0] == path
    low, high = done.height_range
    assert (low, high) == (hills.elevation.min(), hills.elevation.max()) and done.clipped_cells == 0
    gray = numbers(path, (41, 57)).astype(float)
    assert gray.min() == 0 and gray.max() == 65535
    meters = low + gray / 65535 * (high - low)
    assert np.abs(meters[::-1] - hills.elevation).max() <= (high - low) / 65535 / 2 * (1 + 1e-9)


@pytest.mark.parametrize(
    ("suffix", "dtype"), [(".tif", "f4"), (".r32", "<f4"), (".exr", "f4"), (".npy", "f4")]
)
def test_float_files_hold_meters(tmp_path, hills, suffix, dtype):
    path = tmp_path / f"hills{suffix}"
    done = export(path, hills, FILES, maps=["wear"])
    if suffix == ".exr":
        read = FILES.read
    elif suffix == ".npy":
        read = np.load
    else:
        read = lambda name: numbers(name, (41, 57), dtype)[::-1]  # noqa: E731
    assert np.array_equal(read(path), hills.elevation.astype("f4"))
    assert np.array_equal(read(tmp_path / f"hills_wear{suffix}"), hills["wear"])
    side = side_of(path)
    assert side["bpp"] == 32 and side["values"] == "meters" and "unreal" not in side
    assert side["maps"]["wear"] == {
        "files": [f"hills_wear{suffix}"],
        "unit": "m",
        "range": side["maps"]["wear"]["range"],
    }
    assert (
        side["height_range"]
        == [hills.elevation.min(), hills.elevation.max()]
        == list(done.height_range)
    )


def test_what_lies_beyond_a_given_range_is_cut_off_and_counted(tmp_path, hills):
    done = export(tmp_path / "a.png", hills, FILES, Layout(height_range=(0.0, 500.0)))
    outside = int(((hills.elevation < 0) | (hills.elevation > 500)).sum())
    assert (
        done.clipped_cells == outside > 0
        and side_of(tmp_path / "a.png")["clipped_cells"] == outside
    )
    gray = numbers(tmp_path / "a.png", (41, 57))[::-1]
    assert (gray[hills.elevation <= 0] == 0).all() and (gray[hills.elevation >= 500] == 65535).all()


@pytest.mark.parametrize(
    ("engine", "size", "expected"),
    [
        ("unreal", None, 505),
        ("unreal", 1009, 1009),
        ("unity", None, 129),
        ("unity", 257, 257),
        ("", None, None),
    ],
)
def test_files_have_the_size_of_the_engine_and_the_land_keeps_its_meters(
    tmp_path, hills, engine, size, expected
):
    done = export(tmp_path / "a.r16", hills, FILES, Layout(engine, size and (size, size)))
    rows, cols = (expected, expected) if expected else (41, 57)
    assert (tmp_path / "a.r16").stat().st_size == 2 * rows * cols
    side = side_of(tmp_path / "a.r16")
    assert (side["width"], side["height"], side["bpp"]) == (cols, rows, 16)
    assert np.allclose(side["size"], (56 * 5, 40 * 4)) and side["units"] == "metres"
    assert np.allclose(side["cell_size"], (280 / (cols - 1), 160 / (rows - 1)))
    assert bool(done.notes) == bool(expected)


def test_the_nearest_size_is_the_one_that_stretches_least():
    unreal = ENGINES["unreal"]
    unity = ENGINES["unity"]
    assert [unreal.nearest(side) for side in (64, 512, 1024, 2048, 4096, 9000)] == [
        505,
        505,
        1009,
        2017,
        4033,
        8129,
    ]
    assert [unity.nearest(side) for side in (64, 512, 1000, 1024, 2048, 8192)] == [
        129,
        513,
        1025,
        1025,
        2049,
        4097,
    ]
    assert all(math.log2(size - 1) % 1 == 0 for size in unity.sizes)


def test_unreal_shows_the_meters_of_the_terrain():
    """Epic's guide: the Z scale is the centimeters of the range / 512, and 0 to 65535 are -256 to
    255.992 scales.
    """
    values = unreal_values((2.0, 3.0), (548.0, 1253.0))
    # centimeters from vertex to vertex; 100 is a meter
    assert values["scale"][:2] == [300.0, 200.0]
    # the guide counts 65536 steps, not 65535
    assert values["scale"][2] == pytest.approx(705 * 100 / 512, rel=2e-5)
    for gray, meters in ((0, 548.0), (65535, 1253.0)):
        assert (gray - 32768) / 128 * values["scale"][2] + values["location_z"] == pytest.approx(
            100 * meters
        )
    assert pytest.approx(255.992, abs=1e-3) == (65535 - 32768) / 128


def test_unity_shows_the_meters_of_the_terrain():
    """Unity's importer multiplies by 1 / 65536: white lies one shade below the height of the
    terrain.
    """
    values = unity_values((513, 513), (2.0, 3.0), (-20.0, 380.0), bottom_first=True)
    assert (values["terrain_width"], values["terrain_length"]) == (512 * 3.0, 512 * 2.0)
    assert values["position_y"] + 65535 / 65536 * values["terrain_height"] == pytest.approx(380.0)
    assert values["byte_order"] == "Windows" and values["flip_vertically"] is False


def test_unity_s_raw_files_start_at_the_smallest_y_and_all_others_at_the_largest(tmp_path):
    ramp = Terrain(np.repeat(np.arange(129.0)[:, None], 129, 1))
    firsts = {}
    for engine, suffix in [("unity", ".raw"), ("unity", ".png"), ("unreal", ".r16"), ("", ".raw")]:
        for flip in (False, True):
            path = tmp_path / f"{engine}{flip}{suffix}"
            export(path, ramp, FILES, Layout(engine, (129, 129), flip=flip))
            bottom_first = numbers(path, (129, 129))[0, 0] == 0
            firsts[engine, suffix, flip] = bottom_first
            side = side_of(path)
            assert side["row_order"] == ("bottom first" if bottom_first else "top first")
            assert (
                side["byte_order"] == "little endian"
                and side["unity"]["flip_vertically"] is not bottom_first
            )
    assert [key for key, bottom in firsts.items() if bottom] == [
        ("unity", ".raw", False),
        ("unity", ".png", True),
        ("unreal", ".r16", True),
        ("", ".raw", True),
    ]


@pytest.mark.parametrize(
    ("engine", "name"),
    [("", "land_x{x}_y{y}"), ("unreal", "land_x{x}_y{y}"), ("unity", "land_{x}_{y}")],
)
def test_tiles_share_their_borders_and_make_up_the_whole(tmp_path, hills, engine, name):
    layout = Layout(engine, (129, 129), (2, 3))
    done = export(tmp_path / "land.r16", hills, FILES, layout, maps=["moisture"])
    files = {name.format(x=x, y=y) for x in range(3) for y in range(2)}
    maps = {file.replace("land", "land_moisture", 1) for file in files}
    assert {path.stem for path in tmp_path.glob("*.r16")} == files | maps
    whole = resized(hills.elevation, (257, 385))
    low, high = done.height_range
    expected = np.rint((whole - low) / (high - low) * 65535)
    for x in range(3):
        for y in range(2):
            tile = numbers(tmp_path / f"{name.format(x=x, y=y)}.r16", (129, 129))
            # Unity counts from the bottom and its raw files start there; all others start at the
            # top.
            part = expected if engine == "unity" else expected[::-1]
            assert np.array_equal(tile, part[y * 128 : y * 128 + 129, x * 128 : x * 128 + 129])
    side = side_of(tmp_path / "land.r16")
    first = "bottom left" if engine == "unity" else "top left"
    assert side["tiles"] == {"rows": 2, "cols": 3, "first": first, "borders": "shared"}
    assert (side["width"], side["height"]) == (129, 129) and np.allclose(side["size"], (280, 160))
    assert set(side["files"]) == {f"{file}.r16" for file in files}
    assert set(side["maps"]["moisture"]["files"]) == {f"{file}.r16" for file in maps}


def test_tiles_of_a_terrain_s_own_size_are_as_near_to_it_as_shared_borders_allow(tmp_path, hills):
    done = export(tmp_path / "a.npy", hills, FILES, Layout(tiles=(2, 4)))
    # 41 and 57 points, without a new one
    assert np.load(tmp_path / "a_x3_y1.npy").shape == (21, 15)
    assert not done.notes
    assert np.array_equal(np.load(tmp_path / "a_x0_y1.npy"), hills.elevation[:21, :15].astype("f4"))
    again = export(tmp_path / "b.npy", hills, FILES, Layout(tiles=(3, 1)))
    assert np.load(tmp_path / "b_x0_y0.npy").shape == (14, 57) and "40 × 57" in again.notes[0]


def test_maps_are_resampled_alike_in_their_own_range(tmp_path, hills):
    export(tmp_path / "a.png", hills, FILES, Layout("unity"), maps=["wear", "moisture", "velocity"])
    about = side_of(tmp_path / "a.png")["maps"]
    assert set(about) == {"wear", "moisture", "velocity_x", "velocity_y"}
    assert about["moisture"]["range"] == [0.0, 1.0] and about["velocity_x"]["unit"] == "m/s"
    wear = resized(hills["wear"], (129, 129))
    low, high = about["wear"]["range"]
    read = low + numbers(tmp_path / "a_wear.png", (129, 129))[::-1] / 65535 * (high - low)
    assert np.abs(read - wear).max() < (high - low) / 65535
    assert (
        np.abs(
            numbers(tmp_path / "a_moisture.png", (129, 129))[::-1] / 65535
            - resized(hills["moisture"], (129, 129))
        ).max()
        < 1e-4
    )


def test_a_tiff_tells_its_cells_as_a_geotiff_does(tmp_path, hills):
    export(tmp_path / "a.tif", hills, FILES)
    with pytest.importorskip("PIL.Image").open(tmp_path / "a.tif") as image:
        tags = dict(image.tag_v2)
    assert tags[33550] == (5.0, 4.0, 0.0)  # ModelPixelScale: meters across and along
    assert tags[33922] == (0.0, 40.0, 0.0, 0.0, 0.0, 0.0)  # the bottom left point lies at 0, 0
    assert tags[34735][4:8] == (1024, 0, 1, 1) and tags[34735][-1] == 9001  # projected, in meters
    assert read_header(tmp_path / "a.tif").spacing == (4.0, 5.0)


def test_a_side_file_of_something_else_is_not_overwritten(tmp_path, hills):
    (tmp_path / "a.json").write_text('{"my": "settings"}')
    with pytest.raises(InputError, match=r"a\.json exists and does not belong to a heightmap"):
        export(tmp_path / "a.png", hills, FILES)
    assert names(tmp_path) == ["a.json"]
    export(tmp_path / "b.png", hills, FILES)
    export(tmp_path / "b.png", hills, FILES, Layout("unity"))
    assert side_of(tmp_path / "b.png")["width"] == 129


@pytest.mark.parametrize(
    ("layout", "maps", "sentence"),
    [
        (Layout("cryengine"), [], "no engine 'cryengine'"),
        (Layout(tiles=(0, 3)), [], "tiles"),
        (Layout(tiles=(100, 100)), [], "tiles"),
        (Layout(size=(2, 9)), [], "too small"),
        (Layout(height_range=(9.0, 1.0)), [], "height range"),
        (Layout(size=(10**7, 10**7)), [], "memory"),
        (Layout(), ["flow"], "no field 'flow'; it has wear, moisture"),
    ],
)
def test_what_cannot_be_written_is_said_and_nothing_is_written(
    tmp_path, hills, layout, maps, sentence
):
    with pytest.raises(InputError, match=sentence):
        export(tmp_path / "a.png", hills, FILES, layout, maps)
    assert names(tmp_path) == []


def test_all_tiles_are_written_or_none(tmp_path, hills):
    (tmp_path / "a_wear_x1_y0.png").mkdir()
    (tmp_path / "a_x0_y0.png").write_text("mine")
    with pytest.raises(InputError, match="is a folder"):
        export(tmp_path / "a.png", hills, FILES, Layout(tiles=(1, 2)), maps=["wear"])
    assert names(tmp_path) == ["a_wear_x1_y0.png", "a_x0_y0.png"]
    assert (tmp_path / "a_x0_y0.png").read_text() == "mine"


def test_a_full_disk_leaves_what_was_there(tmp_path, hills, monkeypatch):
    export(tmp_path / "a.r16", hills, FILES)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("erosion_addon.base.atomic_files.os.fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        export(tmp_path / "a.r16", hills, FILES, Layout("unreal"))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_size_that_the_engine_may_not_take_is_said(tmp_path, hills):
    done = export(tmp_path / "a.raw", hills, FILES, Layout("unity", (100, 100)))
    assert "Unity may not import 100 × 100" in done.notes[0] and "129, 257" in done.notes[0]


def test_a_range_cuts_nothing_off_floats(tmp_path, hills):
    done = export(tmp_path / "a.npy", hills, FILES, Layout(height_range=(0.0, 10.0)))
    assert done.clipped_cells == 0 and done.height_range == (
        hills.elevation.min(),
        hills.elevation.max(),
    )
    assert np.array_equal(np.load(tmp_path / "a.npy"), hills.elevation.astype("f4"))


def test_tiles_that_unreal_cannot_read_are_said(tmp_path, hills):
    assert any(
        "as .r16" in note
        for note in export(
            tmp_path / "a.raw", hills, FILES, Layout("unreal", (505, 505), (1, 2))
        ).notes
    )


def test_a_flat_terrain_has_a_range_too(tmp_path):
    done = export(tmp_path / "a.png", Terrain(np.full((9, 9), 7.0)), FILES)
    assert done.height_range == (7.0, 8.0) and (numbers(tmp_path / "a.png", (9, 9)) == 0).all()
