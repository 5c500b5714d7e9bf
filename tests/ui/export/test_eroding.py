# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command erosion erode INPUT OUT.blend`."""

import json
import os
import re
from pathlib import Path

import bpy
import numpy as np
import pytest

from erosion_addon import InputError, Recipe, Terrain, erode, ui
from erosion_addon.cli.commands import main
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.mesh import make_grid_object, vertex_heights
from erosion_addon.ui.export import eroding
from tests.terrains import fractal

pytestmark = pytest.mark.worker

HEIGHTS = fractal(24, 24, relief=40.0)
FEW = ["--recipe", "arcane", "--set", "droplet.drops_per_cell=0.5", "--seed", "3"]
PROGRESS = {"fraction", "text", "seconds", "seconds_left"}


@pytest.fixture
def blend(tmp_path):
    """A saved file with two terrains."""
    collection = bpy.context.scene.collection
    make_grid_object("Terrain", HEIGHTS, (10.0, 10.0), collection)
    make_grid_object("Small", HEIGHTS[:12, :12], (10.0, 10.0), collection)
    path = tmp_path / "scene one.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def heights(path, name):
    bpy.ops.wm.open_mainfile(filepath=str(path))
    mesh = bpy.data.objects[name].data
    return np.array([vertex.co.z for vertex in mesh.vertices])


def test_the_terrain_of_a_file_is_eroded_as_its_heights_would_be(blend, tmp_path, capfd):
    before = blend.read_bytes()
    out = tmp_path / "out.blend"
    report = tmp_path / "r.json"
    assert ui.command_line(["erode", str(blend), str(out), *FEW, "--report", str(report)]) == 0
    assert capfd.readouterr().out.splitlines()[-2:] == [str(out), str(report)]
    assert blend.read_bytes() == before
    recipe = Recipe.load("arcane").with_values({"droplet.drops_per_cell": 0.5})
    expected = erode(Terrain(HEIGHTS.astype(np.float32), 10.0), recipe, seed=3).elevation.astype(
        np.float32
    )
    np.testing.assert_allclose(
        np.sort(heights(out, "Terrain")), np.sort(expected.ravel()), atol=1e-5
    )
    assert json.loads(report.read_text())["seed"] == 3
    assert bpy.data.objects["Terrain"].erosion.recipe_name == "arcane"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "out.blend",
        "r.json",
        "scene one.blend",
    ]


def test_the_settings_of_the_file_hold_unless_others_are_given(blend, tmp_path):
    first = tmp_path / "first.blend"
    second = tmp_path / "second.blend"
    assert (
        ui.command_line(["erode", str(blend), str(first), *FEW, "--object", "Small", "--quiet"])
        == 0
    )
    assert ui.command_line(["erode", str(first), str(second), "--object", "Small", "--quiet"]) == 0
    settings = bpy.data.objects["Small"].erosion
    assert settings.seed == 3 and settings.steps[0].droplet.drops_per_cell == 0.5
    # from the terrain before erosion
    np.testing.assert_array_equal(heights(first, "Small"), heights(second, "Small"))
    np.testing.assert_array_equal(
        np.sort(heights(second, "Terrain")), np.sort(HEIGHTS.astype(np.float32).ravel())
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--object", "Moon"], "There is no mesh 'Moon'"),
        (["--recipe", "no such"], "There is no recipe"),
        (["--maps", "maps"], "--maps is for an OUTPUT that is a heightmap"),
        (["--continue"], "--continue is for an OUTPUT that is a heightmap"),
        (["--cell-size", "2"], "--cell-size is for heightmaps"),
        (["--set", "droplet.capacity=-1"], "capacity"),
    ],
)
def test_what_cannot_be_done_is_told_and_writes_nothing(blend, tmp_path, capfd, words, sentence):
    assert ui.command_line(["erode", str(blend), str(tmp_path / "out.blend"), *words]) == 2
    assert sentence in capfd.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["scene one.blend"]


def test_the_file_itself_is_never_replaced(blend, capfd):
    before = blend.read_bytes()
    assert ui.command_line(["erode", str(blend), str(blend), *FEW]) == 2
    assert "it is an input" in capfd.readouterr().err and blend.read_bytes() == before


def test_a_run_whose_file_cannot_be_written_is_kept_in_another(blend, tmp_path, monkeypatch, capfd):
    whole = eroding._save

    def full(path):
        if path.name.startswith(".erosion-"):
            raise InputError(f"{path} cannot be written: No space left on device.")
        whole(path)

    monkeypatch.setattr(eroding, "_save", full)
    assert ui.command_line(["erode", str(blend), str(tmp_path / "out.blend"), *FEW, "--quiet"]) == 2
    said = capfd.readouterr().err
    kept = re.search(r"What was computed is kept in (.*)\.\n", said)[1]
    assert "No space left" in said and not (tmp_path / "out.blend").exists()
    bpy.ops.wm.open_mainfile(filepath=kept)
    assert any("wear" in mesh.attributes for mesh in bpy.data.meshes)


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_a_private_file_that_is_replaced_is_never_seen_by_others(blend, tmp_path, monkeypatch):
    out = tmp_path / "out.blend"
    before = os.umask(0o022)
    out.write_bytes(b"old")
    out.chmod(0o600)
    seen = []
    move = Path.replace

    def replace(path, target):
        if target == out:
            seen.append(path.stat().st_mode & 0o777)
        return move(path, target)

    monkeypatch.setattr(Path, "replace", replace)
    assert ui.command_line(["erode", str(blend), str(out), *FEW, "--quiet"]) == 0
    assert seen == [0o600] and out.stat().st_mode & 0o777 == 0o600 and out.read_bytes() != b"old"
    assert os.umask(before) == 0o022
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.blend", "scene one.blend"]


def test_without_blender_a_file_of_its_is_refused(blend, capsys):
    assert main(["erode", str(blend), "out.blend"]) == 2
    assert "needs Blender" in capsys.readouterr().err


@pytest.fixture
def heightmap(tmp_path):
    """A saved heightmap, and a mask of half its size."""
    np.save(tmp_path / "land.npy", HEIGHTS.astype(np.float32))
    np.save(tmp_path / "hard.npy", np.linspace(0.0, 0.9, 144).reshape(12, 12).astype(np.float32))
    return tmp_path / "land.npy"


def test_a_heightmap_becomes_a_file_whose_terrain_is_that_of_the_heightmap_eroded(
    heightmap, tmp_path, capfd
):
    words = [
        *FEW,
        "--cell-size",
        "10",
        "--mask",
        f"hardness={tmp_path / 'hard.npy'}",
        "--sand",
        "2",
        "--threads",
        "1",
    ]
    assert (
        ui.command_line(["erode", str(heightmap), str(tmp_path / "eroded.npy"), *words, "--quiet"])
        == 0
    )
    assert ui.command_line(["erode", str(heightmap), str(tmp_path / "land.blend"), *words]) == 0
    assert capfd.readouterr().out.splitlines()[-1] == str(tmp_path / "land.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "land.blend"))
    land = bpy.data.objects["land"]
    lattice = grid.find_lattice(land)
    assert lattice.spacing == (10.0, 10.0)
    eroded = lattice.to_grid(vertex_heights(land.data)).reshape(24, 24)
    np.testing.assert_array_equal(eroded, np.load(tmp_path / "eroded.npy").astype(np.float32))
    bpy.context.view_layer.objects.active = land
    assert bpy.ops.erosion.restore() == {"FINISHED"}
    np.testing.assert_array_equal(
        np.sort(vertex_heights(land.data)), np.sort(HEIGHTS.astype(np.float32).ravel())
    )


def test_a_heightmap_can_come_with_its_look(heightmap, tmp_path):
    color = bpy.data.images.new("color", 8, 8)
    color.filepath_raw = str(tmp_path / "color.png")
    color.file_format = "PNG"
    color.save()
    words = [
        *FEW,
        "--cell-size",
        "10",
        "--surface-color",
        str(tmp_path / "color.png"),
        "--look",
        "--quiet",
    ]
    assert ui.command_line(["erode", str(heightmap), str(tmp_path / "land.blend"), *words]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "land.blend"))
    scene = bpy.context.scene
    land = bpy.data.objects["land"]
    assert scene.camera is not None and scene.world is not None and land.active_material is not None
    assert any(obj.type == "LIGHT" for obj in scene.objects)
    assert (
        land.erosion.surface_color.image.name == "color.png"
        and "surface_color" in land.data.attributes
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--object", "Moon"], "--object chooses a terrain of a .blend file"),
        (["--region", "0", "0", "5", "5"], "--region is for an OUTPUT that is a heightmap"),
        (["--mask", "moon=hard.npy"], "There is no mask 'moon'"),
        (["--recipe", "no such"], "There is no recipe"),
    ],
)
def test_a_heightmap_that_cannot_be_eroded_so_is_told(heightmap, tmp_path, capfd, words, sentence):
    assert ui.command_line(["erode", str(heightmap), str(tmp_path / "land.blend"), *words]) == 2
    assert sentence in capfd.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hard.npy", "land.npy"]


def test_a_heightmap_has_no_look(heightmap, tmp_path, capsys):
    assert main(["erode", str(heightmap), str(tmp_path / "out.npy"), "--look"]) == 2
    assert "--look" in capsys.readouterr().err and not (tmp_path / "out.npy").exists()


def test_progress_has_the_form_of_all_commands(blend, tmp_path, capfd):
    words = ["erode", str(blend), str(tmp_path / "out.blend"), *FEW]
    assert ui.command_line([*words, "--progress", "json"]) == 0
    events = [
        json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")
    ]
    shown = [event for event in events if event["event"] == "progress"]
    assert shown and all(event.keys() == {*PROGRESS, "event", "time"} for event in shown)
    assert events[-1]["event"] == "end" and events[-1]["code"] == 0
