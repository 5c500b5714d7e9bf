# SPDX-License-Identifier: GPL-3.0-or-later
"""Landscapes in tiles as terrains: the whole as a preview, a window there and back."""

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from erosion_addon.landscape.analyze import analyze
from erosion_addon.landscape.erode import Alone
from erosion_addon.landscape.storage.folder import Landscape, Window
from erosion_addon.landscape.window import put_back, take
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.lattice import local_heights
from erosion_addon.scene.terrain.mesh import vertex_heights, write_heights
from erosion_addon.ui.terrain.landscapes import WINDOW
from tests.landscape.conftest import fractal
from tests.network_paths import IN_NETWORK


@pytest.fixture
def tiles(tmp_path):
    return fractal(tmp_path / "land", 64, (128, 192))


def load(landscape, **given):
    path = str(landscape.folder / "landscape.json")
    assert bpy.ops.erosion.landscape_import(filepath=path, **given) == {"FINISHED"}
    return bpy.context.object


def test_the_whole_is_shown_on_the_level_that_fits(tiles):
    heights = tiles.read("start/elevation", tiles.whole)
    terrain, _ = grid.read_terrain(load(tiles, longest=100))
    assert terrain.elevation.shape == (64, 96) and terrain.spacing == pytest.approx((40.0, 40.0))
    np.testing.assert_allclose(
        terrain.elevation, heights.reshape(64, 2, 96, 2).mean(axis=(1, 3)), atol=1e-3
    )
    assert not bpy.ops.erosion.landscape_put_back.poll()


def test_a_window_goes_back_and_its_border_and_the_land_around_it_stay(tiles):
    analyze(tiles.folder, Alone())
    before = tiles.read("start/elevation", tiles.whole)
    files = {
        path: path.read_bytes() for path in (tiles.folder / "start" / "elevation").glob("*.npy")
    }
    obj = load(tiles, part="WINDOW", first=(20, 30), size=(60, 70))
    terrain, lattice = grid.read_terrain(obj)
    np.testing.assert_array_equal(terrain.elevation, before[20:80, 30:100])
    dug = local_heights(
        lattice, vertex_heights(obj.data), terrain.elevation, terrain.elevation - 50.0
    )
    write_heights(obj.data, dug)
    assert bpy.ops.erosion.landscape_put_back() == {"FINISHED"}
    done = Landscape(tiles.folder)
    change = done.read("start/elevation", done.whole) - before
    inside = change[20:80, 30:100]
    assert np.abs(inside[10:-10, 10:-10] + 50.0).max() < 1e-3
    assert not inside[[0, -1]].any() and not inside[:, [0, -1]].any()
    change[20:80, 30:100] = 0
    assert not change.any() and done.faults() == {} and not done.has("slope")
    unchanged = [path for path, data in files.items() if path.read_bytes() == data]
    assert {path.stem for path in unchanged} == {"x2_y0", "x2_y1"}
    assert bpy.ops.erosion.landscape_put_back() == {"FINISHED"}  # again, as it is what it was


def test_a_landscape_that_has_changed_since_is_left_alone(tiles):
    obj = load(tiles, part="WINDOW", first=(0, 0), size=(64, 64))
    terrain, state = take(tiles, Window(32, 96, 32, 96))
    put_back(tiles.folder, Window(32, 96, 32, 96), state, terrain.elevation + 5.0)
    before = (tiles.folder / "landscape.json").read_bytes()
    with pytest.raises(RuntimeError, match="has changed since the window was loaded"):
        bpy.ops.erosion.landscape_put_back()
    others = [
        json.dumps({"folder": folder, "window": [0, 64, 0, 64], "state": state})
        for folder in IN_NETWORK
    ]
    for text in ("", "[]", *others):
        obj[WINDOW] = text
        with pytest.raises(RuntimeError, match="lacks the position of its window"):
            bpy.ops.erosion.landscape_put_back()
    assert (tiles.folder / "landscape.json").read_bytes() == before


def test_a_window_whose_tile_is_open_in_another_program_is_written_back_once_it_is_closed(
    tiles, monkeypatch
):
    obj = load(tiles, part="WINDOW", first=(0, 0), size=(64, 64))
    replace = Path.replace

    def held(path, target):
        if "changes" in path.parts and "changes" not in target.parts:
            raise PermissionError(13, "Permission denied")
        return replace(path, target)

    with (
        monkeypatch.context() as patch,
        pytest.raises(RuntimeError, match="when the landscape is opened next"),
    ):
        patch.setattr(Path, "replace", held)
        bpy.ops.erosion.landscape_put_back()
    assert not Landscape(tiles.folder).faults()
    write_heights(obj.data, vertex_heights(obj.data) + np.float32(3.0))
    assert bpy.ops.erosion.landscape_put_back() == {"FINISHED"}, (
        "the window is one of the landscape still"
    )


def test_windows_beyond_the_landscape_are_refused(tiles):
    with pytest.raises(RuntimeError, match="at least 32 cells a side"):
        load(tiles, part="WINDOW", first=(100, 0), size=(64, 64))
    with pytest.raises(RuntimeError, match="goes beyond the landscape"):
        load(tiles, part="WINDOW", first=(500, 0), size=(64, 64))


def test_edges_of_the_landscape_move_with_the_window(tiles):
    terrain, state = take(tiles, Window(0, 64, 0, 192))
    put_back(tiles.folder, Window(0, 64, 0, 192), state, terrain.elevation - 10.0)
    change = Landscape(tiles.folder).read("start/elevation", Window(0, 128, 0, 192)) - np.pad(
        terrain.elevation, ((0, 64), (0, 0))
    )
    np.testing.assert_allclose(change[0], -10.0, atol=1e-3)
    assert not change[63].any()
