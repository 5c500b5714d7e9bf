# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `variants`."""

import html
import json
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest

from erosion_addon import Terrain
from erosion_addon.bake.light import WATER, shaded_relief
from erosion_addon.cli import variants
from erosion_addon.cli.commands import main
from erosion_addon.cli.terminal.progress import watched
from erosion_addon.cli.variants import GAP
from tests.cli.commandline import IMAGES, listing
from tests.heightmaps import read_heightmap
from tests.terrains import fractal

FEW = ("--recipe", "arcane", "--set", "droplet.drops_per_cell=0.5", "--quiet")
NAMES = ["0_3.png", "0_5.png", "1_3.png", "1_5.png"]


def commands(folder):
    """The commands on the page, as words, in the order of its pictures."""
    page = (folder / "page" / "index.html").read_text(encoding="utf-8")
    assert re.findall('src="(.*?)"', page) == NAMES
    return [shlex.split(html.unescape(words)) for words in re.findall("<code>(.*?)</code>", page)]


def test_each_picture_is_what_the_command_below_it_makes(folder, capsys):
    """On a terrain no larger than the pictures the run in small is the run in full."""
    np.save("a 'dem'.npy", fractal(40, 48, relief=200.0))
    words = [
        "variants",
        "a 'dem'.npy",
        "page",
        *FEW,
        "--seeds",
        "3",
        "5",
        "--vary",
        "droplet.capacity=[2, 8.5]",
    ]
    assert main([*words, "--cell-size", "8", "--edges", "closed"]) == 0
    assert capsys.readouterr().out.split() == [str(Path("page", "index.html"))]
    assert sorted(path.name for path in Path("page").iterdir()) == [
        *NAMES,
        "index.html",
        "sheet.png",
    ]
    found = []
    for said, name in zip(commands(folder), NAMES, strict=True):
        assert said[:3] == ["python", "-m", "erosion_addon"]
        assert main([*said[3:], "--maps", "maps", "--quiet"]) == 0
        sediment = {"sediment": read_heightmap(Path("maps", "sediment.exr"), IMAGES)}
        made = Terrain(read_heightmap(Path("OUTPUT.exr"), IMAGES), 8.0, sediment)
        picture = IMAGES.read_color(Path("page", name))
        np.testing.assert_allclose(picture, shaded_relief(made), atol=1e-4)
        found.append(picture.tobytes())
    assert len(set(found)) == 4


def test_a_large_terrain_is_shown_in_small_with_its_proportions(folder):
    np.save("dem.npy", fractal(60, 120, relief=200.0))
    assert main(["variants", "dem.npy", "page", *FEW, "--seeds", "0", "--side", "40"]) == 0
    assert IMAGES.read_color(Path("page", "0_0.png")).shape == (20, 40, 3)


def test_several_parameters_make_a_row_for_each_combination_and_a_folder_in_full(folder):
    np.save("dem.npy", fractal(40, 48, relief=200.0))
    vary = ["--vary", "droplet.capacity=[2, 8]", "droplet.inertia=[0.1, 0.5]"]
    assert (
        main(
            [
                "variants",
                "dem.npy",
                "page",
                *FEW,
                *vary,
                "--seeds",
                "3",
                "5",
                "--side",
                "20",
                "--full",
            ]
        )
        == 0
    )
    table = json.loads(Path("page", "variants.json").read_text(encoding="utf-8"))
    assert [entry["folder"] for entry in table] == [
        f"{row}_{seed}" for row in range(4) for seed in (3, 5)
    ]
    assert len({entry["sha256"] for entry in table}) == 8
    chosen = table[5]  # capacity 8, inertia 0.1, seed 5
    words = [
        "--set",
        "droplet.drops_per_cell=0.5",
        *chosen["set"].split(),
        "--seed",
        str(chosen["seed"]),
    ]
    assert main(["erode", "dem.npy", "one.exr", "--quiet", "--report", "one.json", *words]) == 0
    assert (
        Path("one.exr").read_bytes() == Path("page", chosen["folder"], "elevation.exr").read_bytes()
    )
    report = json.loads(Path("page", chosen["folder"], "report.json").read_text(encoding="utf-8"))
    assert report["sha256"] == json.loads(Path("one.json").read_text(encoding="utf-8"))["sha256"]
    sheet = IMAGES.read_color(Path("page", "sheet.png"))
    assert sheet.shape == (4 * (17 + GAP) + GAP, 2 * (20 + GAP) + GAP, 3)
    first = IMAGES.read_color(Path("page", "0_3.png"))
    # at the upper left
    np.testing.assert_array_equal(sheet[-GAP - 17 : -GAP, GAP : GAP + 20], first)


def full(*more):
    return main(
        ["variants", "dem.npy", "page", *FEW, "--side", "20", "--full", "--seeds", "3", "5", *more]
    )


@pytest.mark.parametrize("until", [2, 3])
def test_finished_variants_stay_when_the_command_is_ended_and_are_not_made_again(
    folder, capsys, monkeypatch, until
):
    """Ctrl-C in the second of three, in small or in full; the same command then makes the last two,
    as in one go.
    """
    np.save("dem.npy", fractal(40, 48, relief=200.0))
    assert full("7") == 0
    undisturbed = {path.name: path.read_bytes() for path in Path("page").glob("*.*")}
    wholes = {path: path.read_bytes() for path in Path("page").glob("*/elevation.exr")}
    assert len(wholes) == 3
    shutil.rmtree("page")
    ends = iter([*[False] * until, True])

    def ended(*given):
        if next(ends):
            raise KeyboardInterrupt
        return watched(*given)

    monkeypatch.setattr(variants, "watched", ended)
    assert full("7") == 130
    assert "1 variant stays in page; the same command makes the others" in capsys.readouterr().err
    assert [path.name for path in Path("page").iterdir()] == ["0_3"]
    monkeypatch.setattr(variants, "watched", watched)
    before = Path("page/0_3/elevation.exr").stat().st_mtime_ns
    assert full("7") == 0
    assert Path("page/0_3/elevation.exr").stat().st_mtime_ns == before
    assert {path: path.read_bytes() for path in Path("page").glob("*/elevation.exr")} == wholes
    assert {path.name: path.read_bytes() for path in Path("page").glob("*.*")} == undisturbed


def test_more_seeds_leave_the_variants_that_are_there_and_another_terrain_does_not(folder):
    np.save("dem.npy", fractal(40, 48, relief=200.0))
    assert full() == 0
    first = {path: path.stat().st_mtime_ns for path in Path("page").glob("*/elevation.exr")}
    assert full("7") == 0
    assert {path: path.stat().st_mtime_ns for path in first} == first
    Path("page/0_5/elevation.exr").write_bytes(b"")
    assert full("7") == 0
    assert [path.stat().st_mtime_ns != first[path] for path in sorted(first)] == [False, True]
    np.save("dem.npy", fractal(40, 48, relief=100.0))
    before = Path("page/0_3/elevation.exr").read_bytes()
    assert full() == 0 and Path("page/0_3/elevation.exr").read_bytes() != before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--vary", "droplet.capacity=3"], "needs a list of values, such as droplet.capacity="),
        (["--vary", "droplet.capacity=[]"], "needs a list of values"),
        (["--vary", "droplet.capacity=[3, -1]"], "capacity"),
        (["--vary", "water.duration=[3]"], "is not a parameter"),
        (["--seeds", *map(str, range(501))], "501 variants are too many"),
        (["--side", "1"], "--side 1 is too small"),
    ],
)
def test_what_cannot_be_varied_is_refused_before_any_work(folder, capsys, words, sentence):
    before = listing(folder)
    assert main(["variants", "dem.npy", "page", *FEW, *words]) == 2
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1 and listing(folder) == before


def test_no_picture_replaces_what_is_read(folder):
    Path("page").mkdir()
    Path("dem.npy").rename("page/0_0.npy")
    IMAGES.write(
        Path("page", "0_0.png"), np.linspace(0, 1, 24 * 32).reshape(24, 32).astype("f"), "uint16"
    )
    before = listing(folder)
    assert main(["variants", "page/0_0.png", "page", *FEW, "--seeds", "0"]) == 2
    assert listing(folder) == before


def test_relief_is_bright_toward_the_north_west_and_water_is_blue():
    # rises to the north and to the west
    ramp = np.add.outer(np.linspace(0, 40, 20), np.linspace(40, 0, 20))
    toward, away = (
        shaded_relief(Terrain(heights, 5.0)).mean() for heights in (ramp[::-1, ::-1], ramp)
    )
    assert toward > 1.3 * away
    level = np.zeros((8, 8))
    depth = np.zeros((8, 8))
    depth[2:5, 2:5] = 1.0
    color = shaded_relief(Terrain(level, 1.0, {"water_depth": depth}))
    assert np.allclose(color[3, 3] / color[3, 3, 2], np.array(WATER) / WATER[2], atol=1e-5)
    assert color[0, 0, 0] > color[0, 0, 2]
