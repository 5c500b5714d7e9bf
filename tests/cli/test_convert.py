# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `convert`, and removal of terraces on input."""

import json
import os

import numpy as np
import pytest

from erosion_addon.cli.commands import main
from erosion_addon.files.side_file import known_meters
from erosion_addon.grid.resample import resized
from tests.cli.commandline import FEW, listing, png, run


def side(name):
    with open(name, encoding="utf-8") as stream:  # noqa: PTH123 - in the working folder
        return json.load(stream)


@pytest.mark.worker
def test_a_heightmap_becomes_one_for_unreal_with_a_side_file(folder):
    done = run("convert", "dem.npy", "land.r16", "--engine", "unreal", "--cell-size", "30")
    assert done.returncode == 0
    assert done.stdout.decode().split() == ["land.r16", "land.json"]
    heights = np.load("dem.npy").astype(float)
    about = side("land.json")
    assert (about["width"], about["height"], about["bpp"]) == (505, 505, 16)
    low, high = about["height_range"]
    assert (low, high) == (heights.min(), heights.max())
    gray = np.fromfile("land.r16", "<u2").reshape(505, 505)
    assert np.array_equal(
        gray[::-1], np.rint((resized(heights, (505, 505)) - low) / (high - low) * 65535)
    )
    # 24 rows and 32 columns, 30 m apart, on 505 points a side.
    assert about["unreal"]["scale"][:2] == pytest.approx([31 * 3000 / 504, 23 * 3000 / 504])
    said = done.stderr.decode()
    assert (
        "resampled from 24 × 32 to 505 × 505" in said
        and f"from {low:.10g} m to {high:.10g} m" in said
    )


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
@pytest.mark.parametrize("suffix", [".npy", ".exr", ".tif", ".png", ".r16", ".r32"])
def test_a_private_heightmap_and_its_side_file_stay_private_when_they_are_made_anew(folder, suffix):
    words = ["convert", "dem.npy", f"land{suffix}", "--quiet"]
    assert main(words) == 0
    files = [path for path in folder.iterdir() if path.stem == "land"]
    for path in files:
        path.chmod(0o600)
    assert main([*words, "--cell-size", "3"]) == 0
    assert {path: path.stat().st_mode & 0o777 for path in files} == dict.fromkeys(files, 0o600)


def test_tiles_are_named_and_listed(folder, capsys):
    assert (
        main(
            [
                "convert",
                "dem.npy",
                "out.raw",
                "--engine",
                "unity",
                "--size",
                "129x129",
                "--tiles",
                "1x2",
            ]
        )
        == 0
    )
    assert sorted(capsys.readouterr().out.split()) == ["out.json", "out_0_0.raw", "out_1_0.raw"]
    left, right = (np.fromfile(f"out_{x}_0.raw", "<u2").reshape(129, 129) for x in (0, 1))
    assert np.array_equal(left[:, -1], right[:, 0]) and not np.array_equal(left, right)


def test_what_is_known_of_a_file_goes_on_to_the_next(folder):
    words = ["--cell-size", "25", "--height-range", "-10", "90", "--quiet"]
    assert main(["convert", "dem.npy", "a.png", *words]) == 0
    assert main(["convert", "a.png", "b.exr", "--quiet"]) == 0
    assert side("b.json")["cell_size"] == [25, 25]
    assert main(["convert", "b.exr", "c.npy", "--quiet"]) == 0
    assert np.abs(np.load("c.npy") - np.load("dem.npy")).max() < 100 / 65535


def test_the_range_stands_for_both_files_and_what_is_cut_off_is_said(folder, capsys):
    heights = np.load("dem.npy")
    middle = float(np.median(heights))
    assert main(["convert", "dem.npy", "a.png", "--height-range", "0", str(middle)]) == 0
    assert f"{int((heights > middle).sum())} points lay outside" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["convert", "missing.npy", "a.png"], "missing.npy does not exist"),
        (["convert", "dem.npy", "a.jpg"], "must end in"),
        (["convert", "dem.npy", "a.png", "--engine", "doom"], "invalid choice: 'doom'"),
        (["convert", "dem.npy", "a.png", "--tiles", "0x0"], "tiles"),
        (["convert", "dem.npy", "a.png", "--smooth-steps"], "no steps to smooth away"),
        (["convert", "raw.r16", "a.png", "--height-range", "0", "1"], "give its size"),
        (["erode", "dem.npy", "a.png", "--smooth-steps"], "no steps to smooth away"),
        (["convert", "dem.npy", "missing/a.png"], "the folder"),
    ],
)
def test_what_cannot_be_converted_is_said_and_nothing_is_written(folder, capsys, words, sentence):
    np.zeros(7, "<u2").tofile("raw.r16")
    before = listing(folder)
    assert main(words) == 2
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1 and listing(folder) == before


def test_a_raw_file_that_is_not_square_is_read_with_its_size(folder):
    np.arange(35, dtype="<u2").tofile("raw.r16")
    words = [
        "convert",
        "raw.r16",
        "a.npy",
        "--input-size",
        "5x7",
        "--height-range",
        "0",
        "65535",
        "--quiet",
    ]
    assert main(words) == 0
    assert np.array_equal(np.load("a.npy")[::-1].ravel(), np.arange(35))


def test_the_terraces_of_8_bits_are_smoothed_away(folder, capsys):
    # A plane of half a step a pixel: terraces two pixels wide.
    levels = np.floor(np.add.outer(np.zeros(40), np.arange(80) * 0.5 + 0.25)).astype(np.uint8)
    pixels = b"".join(b"\0" + row.tobytes() for row in levels)
    (folder / "gray.png").write_bytes(png(40, 80, pixels, bits=8))
    words = ["gray.png", "out.npy", "--height-range", "0", "255"]
    assert main(["convert", *words, "--smooth-steps"]) == 0
    assert "steps of 1 m in gray.png were smoothed" in capsys.readouterr().err
    smooth = np.load("out.npy")
    assert np.abs(smooth - levels).max() <= 0.5
    assert np.abs(np.diff(smooth, axis=1)[:, 4:-4] - 0.5).max() < 0.05
    none = ["--set", "droplet.drops_per_cell=0"]
    assert main(["erode", *words, "--smooth-steps", *none]) == 0
    assert np.abs(np.load("out.npy") - smooth).max() < 1e-4
    capsys.readouterr()
    assert main(["erode", *words, *FEW]) == 0
    assert "gray.png has 8 bits" in (said := capsys.readouterr().err) and "--smooth-steps" in said


@pytest.mark.parametrize("suffix", [".png", ".r16", ".r32", ".tif", ".exr"])
def test_what_was_made_and_eroded_keeps_its_meters(folder, suffix):
    assert main(["make", "cone", f"a{suffix}", "--size", "24x32", "--cell-size", "30"]) == 0
    assert main(["erode", f"a{suffix}", f"b{suffix}", "--report", "r.json", *FEW, "--quiet"]) == 0
    assert json.loads((folder / "r.json").read_text())["grid"] == {
        "rows": 24,
        "cols": 32,
        "cell_size": 30.0,
    }
    assert main(["convert", f"b{suffix}", "c.npy", "--quiet"]) == 0
    heights = np.load("c.npy")
    about = side("b.json")
    assert about["height_range"] == pytest.approx([heights.min(), heights.max()], abs=1e-3)
    assert about["cell_size"] == [30, 30] and about["files"] == [f"b{suffix}"]


@pytest.mark.parametrize(
    "words",
    [
        ["erode", "dem.npy", "out.npy"],  # an array is for programs
        ["erode", "dem.npy", "out.png", "--report", "out.json"],
        ["erode", "dem.npy", "mine.png"],
    ],
)
def test_a_side_file_stands_in_nobody_s_way(folder, words):
    (folder / "mine.json").write_text('{"my": "settings"}')
    assert main([*words, *FEW, "--quiet"]) == 0
    assert (folder / "mine.json").read_text() == '{"my": "settings"}'
    out = folder / "out.json"
    assert "steps" in side("out.json") if "--report" in words else not out.exists()


@pytest.mark.parametrize("name", ["hills.png", "hills.r16", "hills.tif"])
def test_eroding_takes_from_a_heightmap_what_is_known_of_it(folder, name):
    """What convert has written tells meters and order of rows; words go before it."""
    words = ["--engine", "unity", "--size", "24x32", "--cell-size", "30", "--quiet"]
    assert main(["convert", "dem.npy", name, *words]) == 0
    none = ["--set", "droplet.drops_per_cell=0", "--report", "r.json", "--quiet"]
    for given, cell_size in (([], 30), (["--cell-size", "4"], 4)):
        assert main(["erode", name, "out.npy", *given, *none]) == 0
        assert json.loads((folder / "r.json").read_text())["grid"]["cell_size"] == cell_size
        before = np.load("dem.npy")
        assert np.abs(np.load("out.npy") - before).max() <= np.ptp(before) / 65535


def test_an_eroded_tiff_tells_its_cell_size(folder):
    assert main(["erode", "dem.npy", "out.tif", "--cell-size", "30", *FEW, "--quiet"]) == 0
    assert known_meters(folder / "out.tif").spacing == (30.0, 30.0)


def test_a_cell_size_of_0_is_refused(folder, capsys):
    assert main(["convert", "dem.npy", "a.png", "--cell-size", "0"]) == 2
    assert "cell size must be" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["erode", "dem.npy", "land.png", *FEW],
        ["make", "cone", "land.png", "--size", "16x16", "--cell-size", "1"],
    ],
)
def test_a_heightmap_that_takes_the_place_of_another_takes_its_side_file_too(folder, words):
    assert (
        main(["convert", "dem.npy", "land.png", "--cell-size", "7", "--height-range", "0", "1000"])
        == 0
    )
    assert main(words) == 0
    about = side("land.json")
    assert (
        about["cell_size"] == [1, 1] and about["height_range"][1] < 1000 and "others" not in about
    )


def test_heightmaps_of_one_name_keep_their_meters(folder):
    """A float, one for Unreal with its own size, and a picture: each is read as it was written."""
    heights = np.load("dem.npy")
    for name, words in (
        ("v.exr", ["--cell-size", "7"]),
        ("v.raw", ["--cell-size", "7", "--engine", "unreal", "--height-range", "-100", "900"]),
        ("v.png", ["--cell-size", "3"]),
    ):
        assert main(["convert", "dem.npy", name, *words, "--quiet"]) == 0
    about = side("v.json")
    # as Unreal asks it
    assert about["files"] == ["v.raw"] and (about["width"], about["height"]) == (505, 505)
    assert known_meters(folder / "v.raw").height_range == (-100, 900)
    assert known_meters(folder / "v.exr").spacing == (7, 7) and known_meters(
        folder / "v.png"
    ).spacing == (3, 3)
    assert main(["convert", "v.png", "back.npy", "--quiet"]) == 0
    assert np.abs(np.load("back.npy") - heights).max() <= np.ptp(heights) / 65535
    (folder / "v.exr").unlink()
    assert main(["convert", "dem.npy", "v.png", "--quiet"]) == 0
    # once, and none for what is gone
    assert [entry["files"] for entry in side("v.json")["others"]] == [["v.png"]]


def test_a_side_file_of_former_releases_is_read_and_kept(folder):
    assert main(["convert", "dem.npy", "v.png", "--cell-size", "5", "--quiet"]) == 0
    before = side("v.json")
    assert "others" not in before  # it is laid out as it always was
    assert main(["convert", "dem.npy", "v.tif", "--cell-size", "9", "--quiet"]) == 0
    assert side("v.json")["others"] == [before] and known_meters(folder / "v.png").spacing == (5, 5)
