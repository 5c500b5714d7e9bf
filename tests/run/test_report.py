# SPDX-License-Identifier: GPL-3.0-or-later
"""Report: figures, hashes, sentences."""

import hashlib
import json
import math

import numpy as np
import pytest

from erosion_addon import VERSION, Recipe, Step, Terrain, erode
from erosion_addon.processes.droplet.parameters import DropletParameters
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.processes.shared.state import Volumes
from erosion_addon.run.report import hashes, in_words, is_step_report, mass_balance, volume
from tests.processes.test_laws import SHORT
from tests.terrains import fractal


@pytest.fixture(scope="module")
def eroded():
    recipe = Recipe(
        "two rains",
        (Step("droplet", DropletParameters()), Step("droplet", DropletParameters(capacity=5))),
    )
    return erode(Terrain(fractal(16, 18, 80.0), 10.0), recipe, seed=3, edges="open")


def test_the_report_has_what_the_contract_names(eroded):
    report = eroded.report
    contract = {
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
    assert contract <= set(report)
    assert (report["recipe"], report["seed"], report["edges"]) == ("two rains", 3, "open")
    assert report["version"] == VERSION and report["finished"] == 1
    assert report["grid"] == {"rows": 16, "cols": 18, "cell_size": 10.0}
    assert set(report["mass"]) == {"before", "added", "exported", "after", "moved", "error"}
    assert len(report["steps"]) == 2
    for step in report["steps"]:
        expected = {
            "kind",
            "seconds",
            "drops",
            "drops_per_second",
            "mean_path",
            "paths_cut",
            "random_directions",
        }
        assert (
            set(step) == {*expected, "estimated_seconds"}
            and step["kind"] == "droplet"
            and step["drops"] == 16 * 18
        )
    assert 10_000_000 < report["peak_memory_bytes"] < 10**11


def test_the_report_is_json(eroded):
    assert json.loads(json.dumps(eroded.report, allow_nan=False)) == eroded.report


def test_cells_that_are_not_square_are_reported():
    recipe = Recipe("rain", (Step("droplet", DropletParameters()),))
    grid = erode(Terrain(fractal(6, 7), (20.0, 5.0)), recipe).report["grid"]
    assert grid == {"rows": 6, "cols": 7, "cell_size": 10.0, "spacing": [20.0, 5.0]}


def test_hashes_are_those_of_the_little_endian_bytes(eroded):
    assert set(eroded.report["sha256"]) == {"elevation", *eroded.fields}
    for name, digest in eroded.report["sha256"].items():
        array = eroded[name]
        assert (
            hashlib.sha256(array.astype(array.dtype.newbyteorder("<")).tobytes()).hexdigest()
            == digest
        )


def test_a_hash_changes_with_any_bit():
    terrain = Terrain(fractal(5, 5))
    other = Terrain(terrain.elevation)
    assert hashes(other) == hashes(terrain)
    other.elevation[2, 2] = np.nextafter(other.elevation[2, 2], 1e9)
    assert hashes(other) != hashes(terrain)


def test_mass_is_in_cubic_meters_and_a_leak_shows():
    before = Terrain(np.full((4, 5), 10.0), (2.0, 3.0))
    after = Terrain(np.full((4, 5), 9.0), (2.0, 3.0))
    assert mass_balance(before, after, Volumes(200.0, 115.0)) == pytest.approx(
        {"before": 1200, "added": 0, "exported": 115, "after": 1080, "moved": 200, "error": 5}
    )


def test_the_error_is_not_drowned_by_height():
    before = Terrain(np.full((100, 100), 1e6))
    after = Terrain(before.elevation)
    after.elevation[0, 0] -= 1e-6
    assert mass_balance(before, after, Volumes(1e-6, 0.0))["error"] == pytest.approx(1e-6, rel=1e-3)


def test_the_report_in_words(eroded):
    lines = in_words(eroded.report)
    assert lines[0].startswith("two rains, seed 3, 16 × 18 cells, ")
    assert lines[1].startswith("288 drops, ") and lines[-1].endswith("carried out")
    early = in_words(eroded.report | {"finished": 0.25})
    assert "finished early, at 25%" in early


def test_random_directions_are_told_where_they_are_counted(eroded):
    """The source logs them beside the paths that it cut; light droplets count none."""
    step = {**eroded.report["steps"][0], "random_directions": 1234}
    told = in_words(eroded.report | {"steps": [step]})
    assert any(line.endswith("paths cut, 1,234 random directions") for line in told)
    del step["random_directions"]
    assert "random" not in " ".join(in_words(eroded.report | {"steps": [step]}))


@pytest.mark.parametrize(
    ("cubic_meters", "words"),
    [
        (0, "0 m³"),
        (0.12345, "0.123 m³"),
        (1234, "1,234 m³"),
        (1.5e6, "1.50 million m³"),
        (2.5e9, "2.50 km³"),
    ],
)
def test_volumes_in_words(cubic_meters, words):
    assert volume(cubic_meters) == words


@pytest.mark.parametrize("kind", PROCESSES)
def test_what_a_step_reports_is_taken_for_a_step_s_report_and_nothing_else_is(kind):
    """A checkpoint brings reports of steps from whoever made it, and `in_words` has to tell
    them.
    """
    recipe = Recipe.from_dict({"name": kind, "step": [{"kind": kind, **SHORT[kind]}]})
    report = erode(Terrain(fractal(24, 24, relief=50.0), 10.0), recipe).report
    step = report["steps"][0]
    assert (
        is_step_report(step) and is_step_report(json.loads(json.dumps(step))) and in_words(report)
    )
    for key in step:
        for wrong in ("x", None, [], math.nan, math.inf):
            if (key, wrong) != ("kind", "x"):
                assert not is_step_report({**step, key: wrong}), (key, wrong)
    told = [
        key
        for key in step
        if not is_step_report({name: step[name] for name in step if name != key})
    ]
    assert {"kind", "seconds"} < set(told)
    for wrong in (None, [], "x", {}, {"kind": kind}):
        assert not is_step_report(wrong)
