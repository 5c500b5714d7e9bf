# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that make a terrain or list things: `make`, `recipes`, `fields`, `--help`."""

import re

import numpy as np
import pytest

from erosion_addon import FIELDS, Recipe
from erosion_addon.base.parameters import specifications
from erosion_addon.cli.commands import main
from erosion_addon.generators.registry import SOURCES, make
from tests.cli.commandline import IMAGES, listing, run


def test_make_writes_the_terrain_of_its_seed(folder, capsys):
    words = [
        "make",
        "pyramid",
        "p.npy",
        "--size",
        "20x30",
        "--cell-size",
        "5",
        "--seed",
        "2",
        "--set",
        "steps=3",
    ]
    assert main(words) == 0
    assert np.array_equal(np.load("p.npy"), make("pyramid", 20, 30, 5.0, 2, {"steps": 3}).elevation)
    assert capsys.readouterr().out == "p.npy\n"


def test_make_writes_the_layers_of_the_terrain_as_maps(folder):
    words = [
        "make",
        "pyramid_in_sand",
        "p.npy",
        "--size",
        "20x30",
        "--set",
        "sand=30",
        "waves=0",
        "--maps",
        "maps",
    ]
    assert main(words) == 0
    # Without a cell size 4 km, where the pyramid has four times its 200 m.
    terrain = make(
        "pyramid_in_sand", 20, 30, 4000 / 29, values={"height": 800, "sand": 30, "waves": 0}
    )
    assert {path.name for path in (folder / "maps").iterdir()} == {
        "elevation.exr",
        "sediment.exr",
        "normal.exr",
    }
    assert np.array_equal(IMAGES.read(folder / "maps/sediment.exr"), terrain["sediment"])
    # What it wrote is what `erode` takes as the layer to start from.
    words = [
        "erode",
        "p.npy",
        "out.npy",
        "--mask",
        "sediment=maps/sediment.exr",
        "--maps",
        "after",
        "--quiet",
    ]
    assert main([*words, "--set", "droplet.drops_per_cell=0"]) == 0
    assert np.array_equal(IMAGES.read(folder / "after/sediment.exr"), terrain["sediment"])


def test_make_takes_a_picture_and_refuses_what_is_none(folder, capsys):
    picture = np.tri(8, 8, dtype=np.float32)
    IMAGES.write(folder / "shape.png", picture, "uint16")
    words = [
        "make",
        "letters",
        "l.npy",
        "--size",
        "24x24",
        "--set",
        "image=shape.png",
        "height=12",
        "width=1",
    ]
    assert main(words) == 0
    # the top left corner
    assert np.unique(np.load("l.npy")).tolist() == [0, 12] and np.load("l.npy")[23, 1] == 12
    before = listing(folder)
    (folder / "shape.png").write_bytes(b"no picture")
    assert main([*words[:2], "m.npy", *words[3:]]) == 2
    assert re.fullmatch(r"shape\.png .*\.\n", capsys.readouterr().err.splitlines(keepends=True)[-1])
    assert listing(folder).keys() == before.keys()


def test_help_lists_every_parameter_of_every_start_terrain(capsys):
    main(["make", "--help"])
    out = capsys.readouterr().out
    for kind, source in SOURCES.items():
        part = out.partition(f"\n{kind}: ")[2]
        assert all(f"\n  {name} " in part for name in specifications(source.parameters))


def test_recipes_lists_and_prints_toml_that_loads_again(folder, capsys):
    assert main(["recipes"]) == 0
    assert re.search(r"^arcane +The original rain", capsys.readouterr().out, re.MULTILINE)
    assert main(["recipes", "arcane"]) == 0
    assert Recipe.parse(capsys.readouterr().out, "printed") == Recipe.load("arcane")


@pytest.mark.worker
def test_a_printed_recipe_is_toml_in_any_encoding(folder):
    (folder / "own.toml").write_text(
        'name = "Höhe 山 😀"\n[[step]]\nkind = "droplet"\n', encoding="utf-8"
    )
    for encoding in ("ascii", "cp1252", "utf-8"):
        done = run("recipes", "own.toml", PYTHONIOENCODING=encoding)
        assert done.returncode == 0, done.stderr
        assert Recipe.parse(done.stdout.decode("utf-8"), "printed").name == "Höhe 山 😀"


def test_fields_lists_the_table(folder, capsys):
    assert main(["fields"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()] == ["name", *FIELDS]


@pytest.mark.parametrize("words", [["--help"], ["erode", "--help"], ["make", "--help"]])
def test_help_is_no_failure(words, capsys):
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert out.startswith("usage: terrain-erosion") and err == ""


def test_help_lists_every_parameter_of_every_process(capsys):
    main(["erode", "--help"])
    out = capsys.readouterr().out
    assert all(name in out for name in Recipe.load("arcane").steps[0].parameters.to_dict())
