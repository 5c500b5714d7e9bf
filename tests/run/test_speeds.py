# SPDX-License-Identifier: GPL-3.0-or-later
"""Measured speeds: used by the next estimate; a damaged file does no harm."""

import itertools
import json

import pytest

from erosion_addon import Recipe, Terrain, erode, resume, simulate
from erosion_addon.run.estimate import in_words, seconds_needed
from erosion_addon.run.speeds import learned, load, save
from tests.terrains import fractal

RECIPE = Recipe.from_dict({"name": "two", "step": [{"kind": "droplet"}, {"kind": "talus"}]})


def report(kind="droplet", estimated=2.0, seconds=18.0, **more):
    return {"steps": [{"kind": kind, "seconds": seconds, "estimated_seconds": estimated, **more}]}


def test_an_estimate_of_2_s_for_what_took_18_s_says_18_s_the_next_time():
    given = RECIPE, (512, 512), (10.0, 10.0)
    alone = seconds_needed(
        Recipe.from_dict({"name": "one", "step": [{"kind": "droplet"}]}), *given[1:]
    )
    speeds = learned({}, report())
    assert speeds == {"droplet": pytest.approx(9.0)}
    assert seconds_needed(*given, speeds=speeds) - seconds_needed(*given) == pytest.approx(
        8 * alone
    )
    assert in_words(*given, speeds={"droplet": 60.0}) != in_words(*given)


def test_one_run_on_a_busy_machine_is_evened_out_by_the_next():
    speeds = learned(learned({"droplet": 1.0}, report(seconds=8.0)), report(seconds=2.0))
    assert 1.0 < speeds["droplet"] < 2.0
    for _ in range(10):
        speeds = learned(speeds, report(seconds=2.0))
    assert speeds["droplet"] == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize(
    "told_nothing",
    [
        report(seconds=0.01),
        report(reused=True),
        report(estimated=0.0),
        report(seconds=1e9),
        report(seconds=float("nan")),
        {"steps": [{"kind": "droplet", "seconds": 3.0}]},
        {"steps": []},
    ],
)
def test_what_tells_nothing_about_the_machine_changes_nothing(told_nothing):
    assert learned({"droplet": 2.0}, told_nothing) == {"droplet": 2.0}


def test_a_run_tells_what_was_expected_of_its_whole_steps_only(monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    land = Terrain(fractal(64, 64, 200.0), 10.0)
    steps = erode(land, RECIPE).report["steps"]
    assert [step["estimated_seconds"] > 0 for step in steps] == [True, True]
    half_way = next(itertools.islice(simulate(land, RECIPE), 5, None))
    assert "estimated_seconds" not in half_way.terrain.report["steps"][0]
    *_, last = resume(half_way.checkpoint)
    assert ["estimated_seconds" in step for step in last.terrain.report["steps"]] == [False, True]


def test_speeds_are_kept_and_come_back(tmp_path):
    path = tmp_path / "speeds.json"
    save(path, {"droplet": 1.5, "wind": 0.25})
    assert load(path) == {"droplet": 1.5, "wind": 0.25}
    assert [entry.name for entry in tmp_path.iterdir()] == ["speeds.json"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"{",
        b"[]",
        b"3",
        b"null",
        b'{"droplet": "fast"}',
        b'{"droplet": NaN}',
        b'{"droplet": 1e999}',
        b'{"droplet": -1}',
        b'{"droplet": 0}',
        b'{"droplet": true}',
        b'{"droplet": [1]}',
        b'{"flying": 2}',
        b"[" * 3000,
        b'{"droplet": 1.0, "x": "' + b"x" * 10**6 + b'"}',
        b'{"droplet": 1' + b"0" * 400 + b"}",
    ],
    ids=range(17),
)
def test_a_file_of_garbage_says_nothing(tmp_path, content):
    path = tmp_path / "speeds.json"
    path.write_bytes(content)
    assert load(path) == {}


def test_of_a_file_that_is_half_garbage_the_rest_counts(tmp_path):
    path = tmp_path / "speeds.json"
    path.write_text(json.dumps({"droplet": 2, "wind": None, "water": 1e9}))
    assert load(path) == {"droplet": 2.0}


def test_a_file_that_is_not_there_or_cannot_be_written_does_no_harm(tmp_path):
    assert load(tmp_path / "none" / "speeds.json") == {}
    save(tmp_path / "none" / "speeds.json", {"droplet": 1.0})
    (tmp_path / "folder").mkdir()
    assert load(tmp_path / "folder") == {}
    save(tmp_path / "folder", {"droplet": 1.0})
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


def test_compilation_counts_where_it_is_still_to_come():
    words = in_words(RECIPE, (512, 512), (10.0, 10.0), 1, compiles=True)
    assert "s more to compile, and" in words and "compile" not in in_words(
        RECIPE, (512, 512), (10.0, 10.0), 1
    )
