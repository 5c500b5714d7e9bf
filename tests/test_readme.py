# SPDX-License-Identifier: GPL-3.0-or-later
"""Code in the manual runs as written; lines for Blender are in tests/ui/test_readme.py."""

import itertools
import re
import runpy

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, simulate
from erosion_addon.cli.arguments import parser
from erosion_addon.cli.commands import main
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.terrain.strata import Strata
from tests.heightmaps import write_heightmap
from tests.readme import ROOT, all_blocks, blocks, commands, kind_of
from tests.terrains import fractal

HEIGHTS = fractal(24, 32, relief=200.0)
OURS = [words[3:] for words in commands() if words[:3] == ["python", "-m", "erosion_addon"]]
ERODING = [words for words in OURS if "--cluster" not in words]
LEAVES = {
    "make": ("landscape.json",),
    "erode": ("elevation",),
    "analyze": ("land.json",),
    "tasks": ("journal.jsonl",),
    "preview": ("land.png",),
    "export": (".r16",),
}
"""Ends of the names of what a command on a landscape leaves."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Folder with the input files that the manual's lines name."""
    monkeypatch.chdir(tmp_path)
    images = OpenImageIOFiles()
    for name in ("dem.tif", "valley.exr", "big.npy"):
        write_heightmap(name, HEIGHTS, images)
    for name in ("valley_y0_x0.png", "valley_y0_x1.png"):
        write_heightmap(name, np.tile(HEIGHTS, (3, 2)), images, (0.0, 2600.0))
    write_heightmap(
        "granite.png",
        np.linspace(0.0, 1.0, HEIGHTS.size).reshape(HEIGHTS.shape),
        images,
        (0.0, 1.0),
    )
    *_, last = itertools.islice(simulate(Terrain(HEIGHTS), Recipe.load("arcane")), 1)
    last.checkpoint.save("run.npz")
    return tmp_path


@pytest.fixture
def land(folder, request):
    """Landscape that the manual's lines name, where they do not make it."""
    words = request.getfixturevalue("words")
    if words[0] == "landscape" and words[1] != "make":
        assert (
            main(["landscape", "make", "land", "fractal", "--size", "64x64", "--tile", "64"]) == 0
        )
        if words[1] == "task":
            assert (
                main(["landscape", "tasks", "land"])
                == main(["landscape", "task", "land", "coarse"])
                == 0
            )
    return folder


def test_every_block_of_the_manual_is_of_a_kind_that_is_tried():
    assert len(all_blocks()) >= 9
    assert [text for text in all_blocks() if kind_of(text) is None] == []


@pytest.mark.slow
@pytest.mark.parametrize("words", ERODING, ids=" ".join)
def test_a_command_of_the_manual_runs(folder, land, words):
    before = set(folder.rglob("*"))
    assert main([*words, "--quiet"] if words[0] in ("erode", "resume", "convert") else words) == 0
    written = {path.name for path in set(folder.rglob("*")) - before}
    if words[0] == "analyze":
        named = {
            after
            for word, after in itertools.pairwise(words)
            if word in ("--report", "--maps", "--plot")
        }
        assert named and named <= written
    elif words[0] == "landscape":
        assert words[1] not in LEAVES or any(name.endswith(LEAVES[words[1]]) for name in written)
    elif words[0] not in ("recipes", "fields"):
        assert words[2] in written or "--tiles" in words


@pytest.mark.parametrize("words", [words for words in OURS if words not in ERODING], ids=" ".join)
def test_a_command_for_a_cluster_is_understood(words):
    assert parser("terrain-erosion").parse_args(words).cluster


@pytest.mark.parametrize(
    "words", [words for words in commands() if words[0] == "blender"], ids=" ".join
)
def test_a_command_for_blender_is_understood(words):
    assert (
        words[:3] == ["blender", "--command", "erosion"]
        and parser("erosion").parse_args(words[3:]).command
    )


def test_make_draws_every_example():
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    made = set(
        re.findall(r"^\t\$\(IN_VENV\) examples/(\w+\.py)(?: \$\(\w+\))?$", rules, re.MULTILINE)
    )
    there = {path.name for path in (ROOT / "examples").glob("*.py")}
    assert made == there - {"starts.py"}  # start terrains, which several of them import


@pytest.mark.parametrize(
    "words", [words for words in commands() if words[0] == "make"], ids=" ".join
)
def test_what_is_made_has_a_rule(words):
    assert f"\n{words[1]}:" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_commands_for_windows_name_files_that_are_there():
    named = [word for words in commands() for word in words if word.endswith(".py")]
    assert named and all((ROOT / name).is_file() for name in named)


@pytest.mark.parametrize("text", blocks("python"))
def test_a_script_of_the_manual_runs(tmp_path, text, capsys):
    script = tmp_path / "script.py"
    script.write_text(text, encoding="utf-8")
    names = runpy.run_path(str(script), {"elevation": HEIGHTS})
    assert names["result"].report["finished"] == 1 and "1.0 " in capsys.readouterr().out


def test_the_recipe_of_the_manual_is_one():
    parts = blocks("toml")
    whole = [text for text in parts if "[[step]]" in text]
    assert whole
    for text in whole:
        assert Recipe.parse(text, "the manual").description
    for text in set(parts) - set(whole):
        assert Recipe.parse(_put_into(whole[0], text), "the manual")


@pytest.mark.parametrize("text", blocks("strata"))
def test_strata_of_the_manual_are_some(tmp_path, text):
    file = tmp_path / "strata.toml"
    file.write_text(text, encoding="utf-8")
    assert Strata.load(file).layers


@pytest.mark.parametrize("text", blocks("source"))
def test_a_line_that_the_manual_quotes_stands_in_its_file(text):
    first, *quoted = text.splitlines()
    lines = iter((ROOT / first.removeprefix("# ")).read_text(encoding="utf-8").splitlines())
    for line in quoted:
        # `in` goes on from the line found before
        assert line.strip() in ("", "...") or line in lines, line


def _put_into(recipe, table):
    """A recipe with a table in it, before its steps."""
    if re.match(r"\[\[?(strata|needs|layer)", table) or "=" in table:
        return recipe.replace("[[step]]", table + "\n[[step]]", 1)
    return recipe


@pytest.mark.parametrize("text", blocks("tree"))
def test_the_folders_of_the_manual_are_there(text):
    for line in text.splitlines():
        for name in re.split(r"\s{2,}", line)[0].split():
            assert (ROOT / name).exists(), name
