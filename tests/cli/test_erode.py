# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `erode`: options, masks and recipes."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.base.threads import processors
from erosion_addon.cli.commands import main
from tests.cli.commandline import DROPLET_MAPS, FEW, IMAGES, listing, png, run
from tests.terrains import fractal


@pytest.mark.worker
def test_the_command_of_the_manual_does_the_same_twice_and_keeps_the_mass(folder):
    for number in "12":
        words = [
            "erode",
            "dem.npy",
            f"out{number}.npy",
            "--recipe",
            "arcane",
            "--seed",
            "1",
            "--edges",
            "closed",
        ]
        done = run(*words, "--maps", f"maps{number}", "--report", f"r{number}.json")
        assert done.returncode == 0, done.stderr
    reports = [json.loads((folder / f"r{number}.json").read_text()) for number in "12"]
    assert reports[0]["sha256"] == reports[1]["sha256"]
    assert (folder / "out1.npy").read_bytes() == (folder / "out2.npy").read_bytes()
    assert set(reports[0]["sha256"]) == DROPLET_MAPS
    for name in DROPLET_MAPS:
        first, second = (IMAGES.read(Path(f"maps{number}/{name}.exr")) for number in "12")
        assert first.tobytes() == second.tobytes()
    mass = reports[0]["mass"]
    assert mass["moved"] > 0 and abs(mass["error"]) <= 1e-9 * mass["moved"]


def test_it_drives_the_same_simulation_as_python(folder):
    assert (
        main(
            [
                "erode",
                "dem.npy",
                "out.npy",
                "--seed",
                "3",
                "--cell-size",
                "10",
                "--edges",
                "wrap",
                *FEW,
            ]
        )
        == 0
    )
    recipe = Recipe.load("arcane").with_values({"droplet.drops_per_cell": 0.5})
    expected = erode(Terrain(np.load("dem.npy"), 10.0), recipe, seed=3, edges="wrap")
    assert np.load("out.npy").tobytes() == expected.elevation.tobytes()


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
def test_the_report_has_the_keys_of_the_contract_and_its_mass_adds_up(folder, edges):
    assert main(["erode", "dem.npy", "out.npy", "--edges", edges, "--report", "r.json", *FEW]) == 0
    report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    assert set(report) - {"finished", "notes", "threads", "order", "files"} == {
        "recipe",
        "seed",
        "version",
        "grid",
        "edges",
        "steps",
        "mass",
        "sha256",
        "peak_memory_bytes",
        "seconds",
    }
    assert report["grid"] == {"rows": 24, "cols": 32, "cell_size": 1.0}
    assert (report["recipe"], report["seed"], report["edges"]) == ("arcane", 0, edges)
    assert set(report["steps"][0]) == {
        "kind",
        "name",
        "seconds",
        "estimated_seconds",
        "drops",
        "drops_per_second",
        "mean_path",
        "paths_cut",
        "random_directions",
    }
    assert report["steps"][0]["drops"] == 24 * 32 // 2
    mass = report["mass"]
    assert set(mass) == {"before", "added", "exported", "after", "moved", "error"}
    assert abs(mass["error"]) <= 1e-9 * mass["moved"]
    assert mass["before"] + mass["added"] - mass["exported"] == pytest.approx(
        mass["after"], rel=1e-12
    )
    assert (mass["exported"] > 0) == (edges == "open")
    elevation = np.load("out.npy").astype("<f8")
    assert report["sha256"]["elevation"] == hashlib.sha256(elevation.tobytes()).hexdigest()


def test_input_may_be_output(folder):
    before = np.load("dem.npy")
    assert main(["erode", "dem.npy", "dem.npy", *FEW]) == 0
    assert not np.array_equal(np.load("dem.npy"), before)
    assert list(listing(folder)) == ["dem.npy"]


def test_masks_come_from_files_and_are_resampled_with_a_note(folder, capsys):
    strength = np.zeros((24, 32), np.float32)
    np.save("strength.npy", strength)
    assert main(["erode", "dem.npy", "out.npy", "--mask", "strength=strength.npy", *FEW]) == 0
    assert np.array_equal(np.load("out.npy"), np.load("dem.npy"))
    # White of an integer image is 1: all hard.
    (folder / "hard.png").write_bytes(png(12, 16, (b"\0" + b"\xff\xff" * 16) * 12))
    words = ["--mask", "hardness=hard.png", "rain=strength2.npy", *FEW]
    np.save("strength2.npy", strength + 7)
    capsys.readouterr()
    assert main(["erode", "dem.npy", "out.npy", *words]) == 0
    assert np.array_equal(np.load("out.npy"), np.load("dem.npy"))
    assert "The hardness mask was resampled from 12 × 16 to 24 × 32." in capsys.readouterr().err


def test_a_parameter_is_scaled_by_a_mask_from_a_file(folder, capsys):
    np.save("area.npy", np.zeros((24, 32), np.float32))
    scaled = ["--set", "droplet.masks.erosion_rate=area_a"]
    assert main(["erode", "dem.npy", "out.npy", *scaled, *FEW]) == 2
    assert "the mask area_a that scales erosion_rate is missing" in capsys.readouterr().err
    assert main(["erode", "dem.npy", "out.npy", *scaled, "--mask", "area_a=area.npy", *FEW]) == 0
    assert np.array_equal(np.load("out.npy"), np.load("dem.npy"))
    assert (
        main(["erode", "dem.npy", "out.npy", "--set", "droplet.masks.capacity=area_a", *FEW]) == 2
    )
    assert "masks: no mask can scale capacity here, only erosion_rate" in capsys.readouterr().err


def test_a_start_layer_of_sediment_is_meters(folder):
    np.save("sediment.npy", np.full((24, 32), 2.5, np.float32))
    words = ["erode", "dem.npy", "out.npy", "--mask", "sediment=sediment.npy", "--maps", "maps"]
    assert main([*words, "--set", "droplet.drops_per_cell=0"]) == 0
    assert (IMAGES.read(Path("maps/sediment.exr")) == 2.5).all()


def test_set_takes_values_as_toml_and_bare_words(folder):
    sets = [
        "droplet.erosion_footprint=bilinear",
        'droplet.slope="sine"',
        "1.capacity=4",
        "droplet.gravity=1e1",
    ]
    springs = "droplet.springs=[[0.5, 0.5, 1]]"
    assert main(["erode", "dem.npy", "a.npy", "--set", *sets, "--set", springs, *FEW]) == 0
    values = {
        "droplet.erosion_footprint": "bilinear",
        "droplet.slope": "sine",
        "droplet.capacity": 4,
        "droplet.gravity": 10.0,
        "droplet.springs": [[0.5, 0.5, 1]],
        "droplet.drops_per_cell": 0.5,
    }
    expected = erode(Terrain(np.load("dem.npy")), Recipe.load("arcane").with_values(values))
    assert np.array_equal(np.load("a.npy"), expected.elevation)


def test_a_recipe_file_gives_seed_and_edges_that_options_replace(folder):
    (folder / "own é.toml").write_text(
        'name = "own"\nseed = 9\nedges = "closed"\n[[step]]\nkind = "droplet"\n'
    )
    assert main(["erode", "dem.npy", "a.npy", "--recipe", "own é.toml", "--report", "a.json"]) == 0
    words = [
        "--recipe",
        "own é.toml",
        "--seed",
        "4",
        "--edges",
        "open",
        "--report",
        "b.json",
        "--threads",
        "2",
    ]
    assert main(["erode", "dem.npy", "b.npy", *words]) == 0
    reports = [json.loads((folder / name).read_text()) for name in ("a.json", "b.json")]
    assert [(report["seed"], report["edges"]) for report in reports] == [(9, "closed"), (4, "open")]


@pytest.mark.parametrize("language", ["de_DE.UTF-8", "tr_TR.UTF-8"])
def test_comma_decimal_and_turkish_locales_change_nothing(folder, language):
    import locale

    usual = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, language)
    except locale.Error:
        pytest.skip(f"{language} is not installed")
    try:
        assert (
            main(["erode", "dem.npy", "OUTI.NPY", "--cell-size", "1.5", "--report", "r.json", *FEW])
            == 0
        )
        assert json.loads((folder / "r.json").read_text())["grid"]["cell_size"] == 1.5
    finally:
        locale.setlocale(locale.LC_ALL, usual)


def test_a_run_that_a_time_limit_ends_goes_on_to_the_same_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("in.npy", fractal(32, 40, relief=200.0))
    words = ["erode", "in.npy", "--set", "droplet.drops_per_cell=40", "--seed", "4", "--quiet"]
    assert main([*words[:2], "whole.npy", *words[2:]]) == 0
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    limit = ["--checkpoint", "run.npz", "--time-limit", "0"]
    assert main([*words[:2], "part.npy", *words[2:], *limit]) == 75
    assert not Path("part.npy").exists()
    # a limit again: one more chunk
    assert main(["resume", "run.npz", "part.npy", "--quiet", *limit]) == 75
    assert not Path("part.npy").exists()
    assert main(["resume", "run.npz", "part.npy", "--quiet"]) == 0
    assert Path("part.npy").read_bytes() == Path("whole.npy").read_bytes()


def test_maps_of_a_region_know_the_outlets_of_the_whole_also_when_it_goes_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    land = fractal(32, 40, relief=200.0)
    outlets = np.zeros((32, 40))
    outlets[3, 36] = 1.0  # beyond the region
    np.save("in.npy", land)
    np.save("gates.npy", outlets)
    words = ["--cell-size", "10", "--edges", "closed", "--mask", "outlet=gates.npy", "--quiet"]
    words += ["--region", "40", "80", "200", "260", "--set", "droplet.drops_per_cell=40"]
    assert main(["erode", "in.npy", "whole.npy", *words, "--maps", "whole", "--analyze"]) == 0
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    assert (
        main(
            ["erode", "in.npy", "part.npy", *words, "--checkpoint", "run.npz", "--time-limit", "0"]
        )
        == 75
    )
    assert main(["resume", "run.npz", "part.npy", "--quiet", "--maps", "part", "--analyze"]) == 0
    area = IMAGES.read(tmp_path / "whole/drainage_area.exr")
    assert area[3, 36] > 0.1 * land.size * 100.0
    np.testing.assert_array_equal(IMAGES.read(tmp_path / "part/drainage_area.exr"), area)


@pytest.mark.parametrize(
    ("words", "used"), [([], processors()), (["--threads", "1"], 1), (["--threads", "3"], 3)]
)
def test_threads_are_the_machines_or_as_many_as_are_given(folder, words, used):
    assert main(["erode", "dem.npy", "out.npy", "--report", "r.json", "--quiet", *FEW, *words]) == 0
    report = json.loads(Path("r.json").read_text())
    recipe = Recipe.load("arcane").with_values({"droplet.drops_per_cell": 0.5})
    assert report["threads"] == used
    assert report["sha256"] == erode(Terrain(np.load("dem.npy")), recipe).report["sha256"]


DUNES = ("--recipe", "dune sea", "--cell-size", "10", "--set", "dunes.years=30")


def test_sand_that_a_recipe_needs_is_offered_before_the_run_and_added_with_one_word(folder, capsys):
    assert main(["erode", "dem.npy", "bare.npy", *DUNES]) == 0
    said = capsys.readouterr().err.splitlines()
    assert (
        said[0] == "Loose sand is missing here; the recipe is made for 30 m of it. --sand adds it."
    )
    assert any(line.startswith("The ground did not change.") for line in said[1:])
    assert np.load("bare.npy").tobytes() == np.load("dem.npy").tobytes()
    assert main(["erode", "dem.npy", "dunes.npy", *DUNES, "--sand"]) == 0
    assert "Loose sand" not in capsys.readouterr().err
    assert np.abs(np.load("dunes.npy") - np.load("dem.npy")).max() > 1.0


def test_sand_of_so_many_meters_is_a_sediment_mask_of_as_many(folder):
    np.save("sand.npy", np.full((24, 32), 4.0))
    assert main(["erode", "dem.npy", "one.npy", *DUNES, "--sand", "4"]) == 0
    assert main(["erode", "dem.npy", "two.npy", *DUNES, "--mask", "sediment=sand.npy"]) == 0
    assert np.load("one.npy").tobytes() == np.load("two.npy").tobytes()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--sand"], "arcane needs no sand; say how much you want: --sand METERS."),
        (["--sand", "0"], "a layer is more than 0 m thick, not 0"),
        (["--sand", "nan"], "'nan' is not a number"),
        (["--sand", "3", "--mask", "sediment=dem.npy"], "both place loose sand; give one of them"),
    ],
)
def test_sand_that_cannot_be_is_refused(folder, capsys, words, sentence):
    assert main(["erode", "dem.npy", "out.npy", *words]) == 2
    assert sentence in capsys.readouterr().err
    assert not Path("out.npy").exists()


def test_a_region_is_eroded_and_nothing_beyond_it(folder):
    words = [
        "erode",
        "dem.npy",
        "out.npy",
        "--cell-size",
        "10",
        "--region",
        "40",
        "30",
        "250",
        "200",
        "--quiet",
    ]
    assert main([*words, "--report", "r.json", *FEW]) == 0
    before = np.load("dem.npy")
    after = np.load("out.npy")
    changed = after != before
    assert changed[8:15, 10:20].any()
    changed[3:21, 4:26] = False
    assert not changed.any()
    assert json.loads((folder / "r.json").read_text(encoding="utf-8"))["region"]["cells"] <= 18 * 22
    np.save("where.npy", np.pad(np.ones((16, 20)), ((4, 4), (6, 6))))
    assert main(["erode", "dem.npy", "masked.npy", "--region-mask", "where.npy", *FEW]) == 0
    assert (np.load("masked.npy")[0] == before[0]).all()
    assert main([*words, "--region-mask", "where.npy", *FEW]) == 2
