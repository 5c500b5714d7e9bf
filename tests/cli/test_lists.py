# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that make a terrain or print what there is: make, recipes, fields, --help."""

import re

import numpy as np
import pytest

from erosion_addon.cli import main
from erosion_addon.model import FIELDS, Recipe
from erosion_addon.model.sources import make
from tests.cli.commandline import run


def test_make_writes_the_terrain_of_its_seed(folder, capsys):
    words = ["make", "pyramid", "p.npy", "--size", "20x30", "--cell-size", "5", "--seed", "2", "--set", "steps=3"]
    assert main(words) == 0
    assert np.array_equal(np.load("p.npy"), make("pyramid", 20, 30, 5.0, 2, {"steps": 3}).elevation)
    assert capsys.readouterr().out == "p.npy\n"


def test_recipes_lists_and_prints_toml_that_loads_again(folder, capsys):
    assert main(["recipes"]) == 0
    assert re.search(r"^arcane +The original rain", capsys.readouterr().out, re.MULTILINE)
    assert main(["recipes", "arcane"]) == 0
    assert Recipe.parse(capsys.readouterr().out, "printed") == Recipe.load("arcane")


def test_a_printed_recipe_is_toml_in_any_encoding(folder):
    (folder / "own.toml").write_text('name = "Höhe 山 😀"\n[[step]]\nkind = "droplet"\n', encoding="utf-8")
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
