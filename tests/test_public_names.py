# SPDX-License-Identifier: GPL-3.0-or-later
"""Public names, which scripts, farms and node trees rely on: more may be added, none of these may
change.
"""

import signal
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from erosion_addon import FIELDS, Recipe, Terrain, erode, simulate
from erosion_addon.cli.arguments import parser
from erosion_addon.cli.commands import main
from erosion_addon.files.formats import SUFFIXES
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.terrain.color_attributes import COLORS
from erosion_addon.terrain.masks import MASK_KINDS

MANIFEST = tomllib.loads(
    (Path(__file__).resolve().parents[1] / "blender_manifest.toml").read_text(encoding="utf-8")
)

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="no such signal can be raised")

FIELD_NAMES = [
    "elevation",
    "bedrock",
    "sediment",
    "soil",
    "suspended",
    "water_depth",
    "velocity",
    "flow",
    "moisture",
    "wear",
    "deposition",
    "grass",
    "wind_path",
    "sky_light",
    "sun_light",
    "drainage_area",
    "stream_order",
    "lake_depth",
    "slope",
    "curvature",
    "snow",
]


def test_the_extension_keeps_its_identity():
    assert MANIFEST["id"] == "terrain_erosion" and MANIFEST["name"] == "Terrain Erosion"
    assert (
        MANIFEST["license"] == ["SPDX:GPL-3.0-or-later"]
        and MANIFEST["blender_version_min"] == "4.5.0"
    )
    assert set(MANIFEST["permissions"]) == {"files"}


@pytest.mark.parametrize(
    "line",
    [
        "erode a.npy b.npy --recipe alpine --seed 1 --cell-size 10 --height-range 0 900 --edges "
        "wrap --maps maps --report r.json --threads 2 --quiet --progress json --frames 9 "
        "--frames-folder frames",
        (
            "erode a.npy b.npy --set droplet.inertia=0.5 talus.passes=3 --mask strength=s.png "
            "hardness=h.png"
        ),
        "make fractal a.exr --size 64x64 --seed 2 --cell-size 5 --set relief=100",
        "recipes",
        "recipes alpine",
        "fields",
        "analyze a.npy --report r.json",
        "rivers a.npy rivers.geojson",
        "rivers a.npy rivers.obj",
        "rivers a.npy rivers.csv",
        "rivers a.npy rivers.json",
        "variants a.npy folder",
        "landscape make fractal folder --size 64x64",
        "landscape erode folder --cluster local",
        "landscape check folder",
        "landscape export folder a.exr",
        "landscape preview folder a.png",
    ],
)
def test_command_lines_keep_their_words(line):
    assert parser("erosion").parse_args(line.split()).command == line.split()[0]


@pytest.mark.parametrize(
    ("words", "signal_sent", "code"),
    [
        ([], None, 0),
        (["--region", "1", "2"], None, 2),
        (["--checkpoint", "run.npz", "--time-limit", "0"], None, 75),
        ([], signal.SIGINT, 130),
        pytest.param([], getattr(signal, "SIGTERM", None), 143, marks=POSIX),
        pytest.param(
            ["--checkpoint", "run.npz"], getattr(signal, "SIGTERM", None), 143, marks=POSIX
        ),
    ],
)
def test_exit_codes_keep_their_meaning(tmp_path, monkeypatch, keyboard, words, signal_sent, code):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    np.save("dem.npy", np.eye(32))
    if signal_sent:
        show = "erosion_addon.cli.terminal.progress.ProgressLine.show"
        monkeypatch.setattr(show, lambda *_, **__: signal.raise_signal(signal_sent))
    few = ["--set", "droplet.drops_per_cell=40"]
    assert main(["erode", "dem.npy", "out.npy", *few, *words]) == code
    assert Path("out.npy").exists() == (code == 0)
    assert Path("run.npz").exists() == (code in (75, 143) and "run.npz" in words)


def test_file_formats_are_told_by_these_suffixes():
    assert {".npy", ".exr", ".tif", ".tiff", ".png", ".r16", ".r32", ".raw"} <= set(SUFFIXES)


def test_fields_and_color_attributes_keep_their_names():
    assert set(FIELD_NAMES) <= set(FIELDS)
    assert FIELDS["velocity"].components == 2
    assert {"moisture_color", "sediment_color", "surface_color", "maps_color"} <= {*COLORS, *FIELDS}


def test_masks_and_processes_keep_their_names():
    assert {"strength", "hardness", "rain", "sediment", "uplift"} <= set(MASK_KINDS)
    assert {"droplet", "rill", "water", "wind", "talus", "uplift", "dunes"} <= set(PROCESSES)


def test_recipes_keep_their_keys():
    text = (
        'name = "Mine"\ndescription = "A test"\nseed = 3\nedges = "wrap"\n'
        '[[step]]\nkind = "talus"\nrock_angle = 50'
    )
    recipe = Recipe.from_dict(tomllib.loads(text))
    assert (recipe.name, recipe.description, recipe.seed, recipe.edges) == (
        "Mine",
        "A test",
        3,
        "wrap",
    )
    assert recipe.steps[0].kind == "talus" and recipe.steps[0].parameters.rock_angle == 50.0


def test_scripts_get_a_result_a_report_and_progress_by_these_names():
    terrain = Terrain(np.eye(5), cell_size=10.0)
    recipe = Recipe.load("arcane")
    result = erode(terrain, recipe, seed=1)
    assert result.elevation.shape == result["wear"].shape == (5, 5)
    report = result.report
    assert {
        "recipe",
        "seed",
        "version",
        "grid",
        "edges",
        "steps",
        "mass",
        "sha256",
        "seconds",
    } <= set(report)
    assert {"rows", "cols", "cell_size"} <= set(report["grid"])
    assert {"before", "added", "exported", "after", "moved", "error"} <= set(report["mass"])
    assert {"kind", "seconds", "drops", "drops_per_second", "mean_path", "paths_cut"} <= set(
        report["steps"][0]
    )
    for progress in simulate(terrain, recipe, seed=1):
        assert 0.0 <= progress.fraction <= 1.0 and progress.message is not None
        assert progress.terrain.elevation.shape == (5, 5) and progress.step is not None
