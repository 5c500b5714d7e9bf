# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps beside the tiles of an export: equal to those of the land in one piece, across all
borders.
"""

import json

import numpy as np
import pytest

from erosion_addon.cli.commands import main
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.maps import normals
from erosion_addon.landscape import make as makers
from erosion_addon.landscape.storage.folder import Landscape
from erosion_addon.landscape.storage.manifest import Manifest
from erosion_addon.terrain.ground_cover import COVERS, WHITE, ground_cover
from tests.landscape.conftest import fractal

FILES = OpenImageIOFiles()
SHAPE = (129, 180)
SIDE = 65


@pytest.fixture(scope="module")
def land(tmp_path_factory):
    """A landscape in tiles of 64 cells, which the borders of its files do not follow, with rubble
    and soil.
    """
    folder = tmp_path_factory.mktemp("land")
    heights = fractal(folder / "fractal", 64, SHAPE)
    elevation = heights.read("start/elevation", heights.whole)
    draw = np.random.default_rng(4)
    layers = {
        "elevation": elevation,
        "sediment": draw.random(SHAPE),
        "soil": 0.4 * draw.random(SHAPE),
    }

    def start(window):
        return {name: values[window.within(heights.whole)] for name, values in layers.items()}

    return makers.make(folder / "covered", Manifest(*SHAPE, 64, (20.0, 25.0), "covered"), start)


def exported(land, folder, *options):
    """Map → its values (rows, cols, …) joined from the files of an export, row 0 at the smallest
    y.
    """
    words = [
        "landscape",
        "export",
        str(land.folder),
        str(folder / "out.r16"),
        "--side",
        str(SIDE),
        "--quiet",
    ]
    assert main([*words, *options], FILES) == 0
    side = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    rows = side["tiles"]["rows"]
    cols = side["tiles"]["cols"]
    joined = {}
    for name, told in side["maps"].items():
        read = FILES.read_color if name == "normal" else FILES.read
        tiles = [read(folder / file) for file in told["files"]]
        whole = np.zeros((rows * (SIDE - 1) + 1, cols * (SIDE - 1) + 1, *tiles[0].shape[2:]))
        for number, tile in enumerate(tiles):
            y = rows - 1 - number // cols
            x = number % cols
            whole[y * (SIDE - 1) :, x * (SIDE - 1) :][:SIDE, :SIDE] = tile
        joined[name] = whole
    return joined


def test_shares_of_the_ground_are_those_of_the_land_in_one_piece(land, tmp_path):
    found = exported(land, tmp_path, "--weights")
    fields = {name: land.read(f"start/{name}", land.whole) for name in ("sediment", "soil")}
    expected = ground_cover(fields, SHAPE)
    assert list(found) == [f"weight_{cover}" for cover in COVERS]
    steps = {name: np.rint(values * WHITE).astype(int) for name, values in found.items()}
    for cover in COVERS:
        np.testing.assert_array_equal(
            steps[f"weight_{cover}"][: SHAPE[0], : SHAPE[1]], expected[cover]
        )
    assert (sum(steps.values()) == WHITE).all()  # beyond the far edges too


@pytest.mark.parametrize("green", ["opengl", "directx"])
def test_normals_know_nothing_of_the_borders_of_files(land, tmp_path, green):
    found = exported(land, tmp_path, "--normals", green)["normal"]
    expected = normals(land.read("start/elevation", land.whole), (20.0, 25.0), green=green)
    assert list(tmp_path.glob("out_normal_x*_y*.png"))
    np.testing.assert_array_equal(
        np.rint(found[: SHAPE[0], : SHAPE[1]] * WHITE), np.rint(expected * WHITE)
    )


def test_maps_have_no_name_in_a_pattern_without_one(land, tmp_path, capsys):
    words = [
        "landscape",
        "export",
        str(land.folder),
        str(tmp_path / "out.r16"),
        "--weights",
        "--names",
        "{x}-{y}",
    ]
    assert (
        main(words, FILES) == 2
        and "put {name} into the pattern '{x}-{y}'" in capsys.readouterr().err
    )
    assert not list(tmp_path.iterdir()) and Landscape(land.folder).faults() == {}
