# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of the command line: a sentence, before anything is written."""

import os
from pathlib import Path

import numpy as np
import pytest

from erosion_addon.cli.commands import main
from erosion_addon.files.image_files import OpenImageIOFiles
from tests.cli.commandline import FEW, listing, png

BAD_FILES = {
    "empty.npy": b"",
    "garbage.npy": b"not an array",
    "garbage.exr": b"\x76\x2f\x31\x01garbage",
    "garbage.tif": b"II*\0\xff\xff\xff\xff",
    "dem.txt": b"1 2 3",
    "odd.r16": b"\0" * 34,
    "gray.png": png(8, 8, (b"\0" + b"\1\0" * 8) * 8),
    "huge.png": png(160_000, 179_000),
    "broken.toml": b"name = ",
    "latin.toml": b'name = "\xff"',
    "typo.toml": b'name = "x"\n[[step]]\nkind = "droplet"\ncapacty = 3\n',
    "type.toml": b'name = "x"\n[[step]]\nkind = "droplet"\ncapacity = "much"\n',
    "nan.toml": b'name = "x"\n[[step]]\nkind = "droplet"\ncapacity = nan\n',
    "kind.toml": b'name = "x"\n[[step]]\nkind = "lava"\n',
    "deep.toml": b"a = " + b"[" * 20_000,
    "off.toml": b'name = "x"\n[[step]]\nkind = "droplet"\nenabled = false\n',
}


@pytest.fixture
def bad_files(folder):
    for name, content in BAD_FILES.items():
        (folder / name).write_bytes(content)
    (folder / "large.toml").touch()
    os.truncate(folder / "large.toml", 10_000_000)  # which takes no room on the disk
    elevation = np.load("dem.npy")
    elevation[3, 4] = 2e9
    np.save("far.npy", elevation)
    np.save("inf.npy", np.full((8, 8), np.inf))
    np.save("line.npy", np.zeros(9))
    np.save("thin.npy", np.zeros((1, 9)))
    np.save("tiny.npy", np.zeros((2, 2)))
    np.save("whole.npy", np.zeros((8, 8), np.int32))
    np.save("pickled.npy", np.array([[{}] * 3] * 3), allow_pickle=True)
    np.save("minus.npy", np.full((24, 32), -0.5))
    np.save("two.npy", np.full((24, 32), 2.0))
    np.save("zero.npy", np.zeros((24, 32)))
    (folder / "folder.npy").mkdir()
    (folder / "file").write_bytes(b"")
    return folder


OK = ("erode", "dem.npy", "out.npy")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        # usage
        ((), "required: COMMAND"),
        (("melt",), "invalid choice: 'melt'"),
        (("erode",), "required: INPUT, OUTPUT"),
        (("erode", "dem.npy"), "required: OUTPUT"),
        ((*OK, "more.npy"), "Unrecognized arguments: more.npy"),
        ((*OK, "--sead", "1"), "Unrecognized arguments: --sead 1"),
        ((*OK, "--rec", "arcane"), "Unrecognized arguments"),
        ((*OK, "--seed"), "--seed: expected one argument"),
        ((*OK, "--seed", "x"), "--seed: 'x' is not a whole number"),
        ((*OK, "--seed", "1.5"), "--seed: '1.5' is not a whole number"),
        ((*OK, "--seed", "-1"), "seed must be a whole number from 0 to"),
        ((*OK, "--seed", "9" * 5000), "is not a whole number"),
        ((*OK, "--threads", "0"), "at least 1, not"),
        ((*OK, "--threads", "all"), "'all' is not a whole number"),
        ((*OK, "--cell-size", "1,5"), "'1,5' is not a number such as 0.5"),
        ((*OK, "--cell-size", "0"), "cell size must be"),
        ((*OK, "--cell-size", "-3"), "cell size must be"),
        ((*OK, "--cell-size", "nan"), "'nan' is not a number"),
        ((*OK, "--cell-size", "inf"), "'inf' is not a number"),
        ((*OK, "--edges", "steep"), "edges must be one of open, closed, wrap, not 'steep'"),
        ((*OK, "--height-range", "1"), "expected 2 arguments"),
        ((*OK, "--height-range", "9", "3"), "from a lower to a higher"),
        ((*OK, "--height-range", "nan", "3"), "'nan' is not a number"),
        ((*OK, "--size", "8"), "is not two whole numbers"),
        ((*OK, "--size", "-8x8"), "--size"),
        ((*OK, "--size", "8x8"), "dem.npy is 24 × 32, not 8 × 8"),
        # settings
        ((*OK, "--set", "droplet.capacity"), "is not NAME=VALUE"),
        (
            ("erode", "--set", "droplet.capacity=1", "dem.npy", "out.npy"),
            "put the files before the options",
        ),
        ((*OK, "--set", "capacity=1"), "is not a parameter of a step"),
        ((*OK, "--set", "lava.capacity=1"), "the steps are 1.droplet"),
        ((*OK, "--set", "droplet.capacty=1"), "capacty is not a parameter here; choose one of"),
        ((*OK, "--set", "droplet.capacity=lots"), "capacity must be from 0 to 1000, not 'lots'"),
        ((*OK, "--set", "droplet.capacity=-1"), "capacity must be from 0 to 1000, not -1"),
        ((*OK, "--set", "droplet.capacity=nan"), "capacity must be"),
        ((*OK, "--set", "droplet.capacity=true"), "capacity must be"),
        ((*OK, "--set", "droplet.capacity=1\nb=2"), "capacity must be"),
        ((*OK, "--set", "droplet.capacity=2026-01-01"), "capacity must be"),
        ((*OK, "--set", "droplet.capacity=" + "[" * 20000), "capacity must be"),
        ((*OK, "--set", "droplet.slope=cosine"), "slope must be one of tangent, sine"),
        ((*OK, "--set", "droplet.springs=[[0.5, 0.5]]"), "springs must be a list of"),
        ((*OK, "--set", "droplet.springs={x=1}"), "springs must be a list of"),
        ((*OK, "--set", "droplet.springs=[[2, 0.5, 1]]"), "outside the terrain"),
        # recipes
        ((*OK, "--recipe", "nowhere"), "no recipe 'nowhere'; choose one of"),
        ((*OK, "--recipe", "../presets/arcane"), "no recipe"),
        ((*OK, "--recipe", "missing.toml"), "recipe missing.toml cannot be read"),
        ((*OK, "--recipe", "broken.toml"), "broken.toml is not valid TOML"),
        ((*OK, "--recipe", "latin.toml"), "latin.toml is not UTF-8 text"),
        ((*OK, "--recipe", "large.toml"), "large.toml is larger than 1024 KB"),
        ((*OK, "--recipe", "typo.toml"), "typo.toml: step 1 (droplet): capacty is not a parameter"),
        (
            (*OK, "--recipe", "type.toml"),
            "type.toml: step 1 (droplet): capacity must be from 0 to 1000",
        ),
        (
            (*OK, "--recipe", "nan.toml"),
            "nan.toml: step 1 (droplet): capacity must be from 0 to 1000, not nan",
        ),
        ((*OK, "--recipe", "kind.toml"), "kind must be one of droplet"),
        ((*OK, "--recipe", "deep.toml"), "deep.toml is"),
        ((*OK, "--recipe", "off.toml"), "steps of the recipe x are switched off"),
        (("recipes", "nowhere"), "no recipe 'nowhere'; choose one of"),
        (("recipes", "broken.toml"), "broken.toml is not valid TOML"),
        # input
        (("erode", "missing.npy", "out.npy"), "missing.npy"),
        (("erode", "a\0b.npy", "out.npy"), "b.npy"),
        (("erode", "\udcff.npy", "out.npy"), ".npy"),
        (("erode", "folder.npy", "out.npy"), "folder.npy"),
        (("erode", "empty.npy", "out.npy"), "empty.npy"),
        (("erode", "garbage.npy", "out.npy"), "garbage.npy is not a .npy file"),
        (("erode", "garbage.exr", "out.npy"), "garbage.exr"),
        (("erode", "garbage.tif", "out.npy"), "garbage.tif"),
        (("erode", "dem.txt", "out.npy"), "dem.txt is not a kind of file that holds heights"),
        (("erode", "dem", "out.npy"), "dem is not a kind of file"),
        (
            ("erode", "odd.r16", "out.npy", "--height-range", "0", "1"),
            "is not a square of 16/32-bit",
        ),
        (("erode", "gray.png", "out.npy"), "give the height range"),
        (("erode", "huge.png", "out.npy", "--height-range", "0", "1"), "huge.png"),
        (("erode", "far.npy", "out.npy"), "the first at row 3, column 4"),
        (("erode", "inf.npy", "out.npy"), "not numbers"),
        (("erode", "line.npy", "out.npy"), "1 dimensions"),
        (("erode", "thin.npy", "out.npy"), "1 × 9"),
        (("erode", "tiny.npy", "out.npy"), "2 × 2"),
        (("erode", "whole.npy", "out.npy"), "int32"),
        (("erode", "pickled.npy", "out.npy"), "object"),
        # masks
        ((*OK, "--mask", "strength"), "is not NAME=VALUE"),
        (
            (*OK, "--mask", "fog=zero.npy"),
            "no mask 'fog'; choose one of strength, hardness, rain, sediment",
        ),
        ((*OK, "--mask", "rain=missing.npy"), "missing.npy"),
        ((*OK, "--mask", "strength=two.npy"), "strength mask (where erosion may act"),
        ((*OK, "--mask", "sediment=minus.npy"), "at row 0, column 0 it is -0.5"),
        ((*OK, "--mask", "rain=zero.npy"), "rain mask is zero everywhere"),
        # outputs
        (("erode", "dem.npy", "out"), "its name must end in .npy or"),
        (("erode", "dem.npy", "out.jpg"), "its name must end in .npy or"),
        (("erode", "dem.npy", "folder.npy"), "folder.npy cannot be written: it is a folder"),
        (("erode", "dem.npy", "nowhere/out.npy"), "nowhere/out.npy cannot be written: the folder"),
        (("erode", "dem.npy", "file/out.npy"), "cannot be written"),
        (("erode", "dem.npy", "x" * 300 + ".npy"), "is too long for a name"),
        (("erode", "dem.npy", "a\0b.npy"), "is not a usable name"),
        ((*OK, "--report", "r.txt"), "r.txt cannot be written: its name must end in .json"),
        ((*OK, "--report", "nowhere/r.json"), "nowhere/r.json cannot be written: the folder"),
        ((*OK, "--maps", "file"), "file cannot be a folder: it is a file"),
        ((*OK, "--maps", "nowhere/maps"), "nowhere/maps cannot be written: the folder"),
        (("erode", "dem.npy", "./wear.exr", "--maps", "."), "wear.exr would be written twice"),
        (("erode", "dem.npy", "m.npy", "--maps", "m.npy"), "m.npy would be written twice"),
        # start terrains
        (("make", "fractal", "out.npy"), "required: --size"),
        (
            ("make", "volcano", "out.npy", "--size", "8x8"),
            "no start terrain 'volcano'; choose one of voronoi",
        ),
        (
            ("make", "fractal", "out.npy", "--size", "8"),
            "is not two whole numbers such as 512x1024",
        ),
        (("make", "fractal", "out.npy", "--size", "2x8"), "from 3 to 65536"),
        (("make", "fractal", "out.npy", "--size", "999999999x999999999"), "from 3 to 65536"),
        (("make", "fractal", "out.npy", "--size", "8x8", "--seed", "-1"), "seed must be"),
        (("make", "fractal", "out.npy", "--size", "8x8", "--cell-size", "0"), "cell size"),
        (
            ("make", "fractal", "out.npy", "--size", "8x8", "--set", "roughness=2"),
            "roughness must be from 0 to 1",
        ),
        (
            ("make", "fractal", "out.npy", "--size", "8x8", "--set", "height=2"),
            "height is not a parameter here",
        ),
        (("make", "fractal", "out.jpg", "--size", "8x8"), "its name must end in"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_and_nothing_is_written(
    bad_files, capsys, words, sentence
):
    before = listing(bad_files)
    assert main(list(words)) == 2
    out, err = capsys.readouterr()
    lines = [
        line for line in err.splitlines() if not line.startswith(("Droplets, step", "gray.png has"))
    ]
    assert len(lines) == 1 and lines[0].endswith(".") and len(lines[0]) < 1000, err
    assert sentence.replace("/", os.sep) in lines[0].replace("/", os.sep)
    assert out == ""
    assert listing(bad_files) == before


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="every folder can be written to here"
)
def test_a_read_only_folder_is_refused_before_the_work(folder, capsys):
    (folder / "locked").mkdir(mode=0o500)
    assert main(["erode", "dem.npy", "locked/out.npy"]) == 2
    assert "locked/out.npy cannot be written: Permission denied." in capsys.readouterr().err


@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="Linux has a folder that nobody can write to"
)
def test_an_unwritable_folder_is_refused_before_anything_is_read(folder, capsys):
    assert main(["erode", "missing.npy", "/proc/out.npy"]) == 2
    assert "/proc/out.npy cannot be written: " in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["erode", "maps/elevation.exr", "out.npy", "--maps", "maps"], "elevation.exr"),
        (
            [
                "erode",
                "dem.npy",
                "out.npy",
                "--maps",
                "maps",
                "--mask",
                "sediment=maps/sediment.exr",
            ],
            "sediment.exr",
        ),
        (
            [
                "erode",
                "dem.npy",
                "out.npy",
                "--maps",
                "maps",
                "--surface-color",
                "maps/surface_color.exr",
            ],
            "_color",
        ),
        (
            ["erode", "dem.npy", "maps/sediment.exr", "--mask", "sediment=maps/sediment.exr"],
            "sediment.exr",
        ),
        (["erode", "valley.png", "out.npy", "--report", "valley.json"], "valley.json"),
        (["erode", "dem.npy", "valley.exr", "--report", "valley.json"], "valley.json"),
        (
            ["make", "letters", "valley.png", "--size", "20x20", "--set", "image=valley.png"],
            "valley.png",
        ),
        (["resume", "run.npz", "out.npy", "--report", "valley.json"], "valley.json"),
        (["convert", "valley_x0_y0.png", "valley.png", "--tiles", "2x2"], "valley_x0_y0.png"),
    ],
)
def test_no_output_takes_the_place_of_an_input(folder, capsys, words, name):
    assert main(["erode", "dem.npy", "out.npy", "--maps", "maps", "--quiet", *FEW]) == 0
    OpenImageIOFiles().write(
        folder / "maps/surface_color.exr", np.full((24, 32, 3), 0.5, np.float32), "float"
    )
    for path in ("valley.png", "valley_x0_y0.png"):
        assert main(["convert", "dem.npy", path, "--quiet"]) == 0
    before = listing(folder)
    capsys.readouterr()
    assert main(words) == 2
    said = capsys.readouterr().err
    assert name in said and said.count("\n") == 1 and listing(folder) == before
