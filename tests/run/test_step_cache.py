# SPDX-License-Identifier: GPL-3.0-or-later
"""Cache of step results: runs with the same first steps continue from them, to the same bytes."""

import itertools

import numpy as np
import pytest

from erosion_addon import InputError, Recipe, Results, Terrain, erode, resume, simulate
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.processes.shared.state import Volumes
from erosion_addon.run.report import in_words
from erosion_addon.run.step_cache import Result, keys_of
from tests.processes.test_laws import SHORT
from tests.terrains import fractal

PAIRS = list(zip(SHORT, [*list(SHORT)[1:], *list(SHORT)[:1]], strict=True))
"""Each process once before and once after another one."""

STEPS = [
    {"kind": "droplet", "drops_per_cell": 0.5},
    {"kind": "talus", "reach": 20.0},
    {"kind": "droplet", "inertia": 0.3},
]


def recipe(*steps, **others):
    return Recipe.from_dict({"name": "stack", "step": list(steps), **others})


@pytest.fixture
def hills():
    return Terrain(fractal(24, 30, relief=120.0), (8.0, 10.0), {"sediment": np.full((24, 30), 1.0)})


@pytest.fixture
def started(monkeypatch):
    """Kinds of the steps that run, in order."""
    kinds = []
    for kind, process in PROCESSES.items():

        def step(state, parameters, key, kind=kind, made=process.step):
            kinds.append(kind)
            return made(state, parameters, key)

        step.bytes_per_cell = process.step.bytes_per_cell
        step.lone = process.step.lone
        monkeypatch.setitem(PROCESSES, kind, process._replace(maker=lambda made=step: made))
    return kinds


def run(terrain, steps, results, **others):
    *_, last = simulate(terrain, recipe(*steps), results=results, **others)
    return last.terrain


def without_times(report):
    """Report without timings and without the note on reused steps."""
    steps = [
        {
            name: value
            for name, value in step.items()
            if name not in ("seconds", "estimated_seconds", "reused")
            and not name.endswith("_per_second")
        }
        for step in report["steps"]
    ]
    return {**report, "steps": steps, "seconds": 0, "peak_memory_bytes": 0}


def test_when_the_third_step_changes_the_first_two_are_not_run_again(hills, started):
    results = Results()
    run(hills, STEPS, results, seed=3)
    assert started == ["droplet", "talus", "droplet"]
    started.clear()
    changed = [*STEPS[:2], {**STEPS[2], "capacity": 3.0}]
    report = run(hills, changed, results, seed=3).report
    assert started == ["droplet"]
    assert [step.get("reused", False) for step in report["steps"]] == [True, True, False]
    assert without_times(report) == without_times(erode(hills, recipe(*changed), seed=3).report)


def test_the_same_run_again_runs_nothing_and_says_what_the_first_said(hills, started):
    results = Results()
    first = run(hills, STEPS, results).report
    started.clear()
    again = run(hills, STEPS, results).report
    assert started == [] and without_times(again) == without_times(first)
    assert again["finished"] == 1.0 and all(step["reused"] for step in again["steps"])
    # What a step took when it ran stays with it.
    assert [step["seconds"] for step in again["steps"]] == [
        step["seconds"] for step in first["steps"]
    ]
    assert "3 of 3 steps reused from an earlier run" in in_words(again)
    assert not any("run before" in line for line in in_words(first))


@pytest.mark.slow
@pytest.mark.parametrize(("first", "last"), PAIRS)
def test_what_is_reused_gives_the_same_bytes(hills, first, last):
    """Whatever the processes; and no step writes to what it started from, which a later run starts
    from again.
    """
    steps = [{"kind": first, **SHORT[first]}, {"kind": last, **SHORT[last]}]
    results = Results()
    whole = run(hills, steps, results, seed=6).report
    alone = erode(hills, recipe(steps[0]), seed=6).report
    assert run(hills, steps[:1], results, seed=6).report["sha256"] == alone["sha256"]
    keys = keys_of(hills, {}, [6, "open", None], recipe(*steps).steps)
    assert results.longest(keys)[0] == 2
    del results._kept[keys[1]]
    again = run(hills, steps, results, seed=6).report
    assert [step.get("reused", False) for step in again["steps"]] == [True, False]
    assert without_times(again) == without_times(whole)
    assert again["sha256"] == erode(hills, recipe(*steps), seed=6).report["sha256"]


def masks(**kinds):
    return {kind: np.full((24, 30), value, np.float32) for kind, value in kinds.items()}


def other_terrain(hills, elevation=0.0, **fields):
    return Terrain(hills.elevation + elevation, hills.spacing, {**hills.fields, **fields})


CHANGES = {
    "elevation": lambda hills: {"terrain": other_terrain(hills, 1e-9)},
    "a layer": lambda hills: {"terrain": other_terrain(hills, moisture=np.full(hills.shape, 0.5))},
    "spacing": lambda hills: {"terrain": Terrain(hills.elevation, (8.0, 10.001), hills.fields)},
    "seed": lambda hills: {"seed": 2},
    "edges": lambda hills: {"edges": "wrap"},
    "a mask": lambda hills: {"masks": masks(hardness=0.5)},
    "the kind of a mask": lambda hills: {"masks": masks(protect=0.25)},
    "the first step": lambda hills: {"steps": [{**STEPS[0], "gravity": 19.0}, *STEPS[1:]]},
    "the order": lambda hills: {"steps": [STEPS[1], STEPS[0], STEPS[2]]},
    "a first step switched off": lambda hills: {
        "steps": [{**STEPS[0], "enabled": False}, *STEPS[1:]]
    },
    "strata": lambda hills: {"strata": "red canyon"},
}


@pytest.mark.parametrize("what", CHANGES)
def test_nothing_is_reused_where_something_else_decides_the_bytes(hills, started, what):
    results = Results()
    usual = {
        "terrain": hills,
        "steps": STEPS,
        "seed": 1,
        "edges": "open",
        "masks": masks(strength=0.25),
    }

    def simulated(terrain, steps, strata=None, **others):
        given = {"strata": strata} if strata else {}
        *_, last = simulate(terrain, recipe(*steps, **given), results=results, **others)
        return last.terrain.report

    simulated(**usual)
    started.clear()
    report = simulated(**{**usual, **CHANGES[what](hills)})
    assert len(started) == len(report["steps"]) and not any(
        "reused" in step for step in report["steps"]
    )


def test_a_step_switched_off_counts_as_if_it_were_not_there(hills, started):
    results = Results()
    run(hills, STEPS[:2], results)
    started.clear()
    run(hills, [STEPS[0], {**STEPS[2], "enabled": False}, STEPS[1]], results)
    assert started == []


def test_progress_starts_after_the_reused_steps(hills, monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    results = Results()
    run(hills, STEPS[:2], results)
    seen = list(simulate(hills, recipe(*STEPS), results=results))
    assert seen[0].fraction == pytest.approx(2 / 3) and seen[0].message == "Talus, step 2 of 3"
    fractions = [progress.fraction for progress in seen]
    assert len(seen) > 5 and fractions == sorted(fractions) and fractions[-1] == 1.0


def test_a_run_that_stopped_leaves_the_steps_that_it_ended(hills, started, monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    results = Results()
    stopped = next(
        progress
        for progress in simulate(hills, recipe(*STEPS), results=results)
        if progress.fraction > 0.7
    )
    assert stopped.terrain.report["finished"] < 1
    checkpoint = stopped.checkpoint
    started.clear()
    report = run(hills, STEPS, results).report
    assert (
        started == ["droplet"] and report["sha256"] == erode(hills, recipe(*STEPS)).report["sha256"]
    )
    # A run that was paused keeps its steps when it goes on, too.
    another = Results()
    *_, end = resume(checkpoint, results=another)
    assert end.terrain.report["sha256"] == report["sha256"]
    started.clear()
    run(hills, STEPS, another)
    assert started == []


def test_a_run_from_results_can_be_paused_and_goes_on(hills, monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    results = Results()
    run(hills, STEPS[:2], results)
    *_, last = itertools.islice(simulate(hills, recipe(*STEPS), results=results), 3)
    *_, end = resume(last.checkpoint)
    report = end.terrain.report
    assert without_times(report) == without_times(erode(hills, recipe(*STEPS)).report)
    assert [step.get("reused", False) for step in report["steps"]] == [True, True, False]


def test_too_many_bytes_drop_what_was_not_used_for_longest(hills):
    def result():
        return Result(np.zeros(100), {"flow": np.zeros(50, np.float32)}, (), Volumes(0.0, 0.0))

    results = Results(limit=3000)  # 100 · 8 + 50 · 4 = 1000 bytes each
    for key in (b"a", b"b", b"c"):
        results.keep(key, result())
    # and so `a` has been used last
    assert results.nbytes == 3000 and results.longest([b"a"])[0] == 1
    results.keep(b"d", result())
    assert [results.longest([key])[0] for key in (b"a", b"b", b"c", b"d")] == [1, 0, 1, 1]
    results.keep(b"large", Result(np.zeros(1000), {}, (), Volumes(0.0, 0.0)))
    assert results.nbytes == 0
    none = Results(limit=0)
    assert run(hills, STEPS, none).report["sha256"] == erode(hills, recipe(*STEPS)).report["sha256"]
    assert none.nbytes == 0


def test_an_array_that_results_share_counts_once():
    shared = np.zeros(100)
    results = Results(limit=10_000)
    for key in (b"a", b"b"):
        results.keep(key, Result(np.zeros(10), {"sediment": shared}, (), Volumes(0.0, 0.0)))
    assert results.nbytes == 800 + 2 * 80


def test_by_default_an_eighth_of_the_free_memory_is_taken(monkeypatch):
    monkeypatch.setattr("erosion_addon.run.step_cache.available_memory", lambda: 8000)
    results = Results()
    results.keep(b"a", Result(np.zeros(100), {}, (), Volumes(0.0, 0.0)))
    assert results.nbytes == 800  # of 8800 / 8 = 1100
    results.keep(b"b", Result(np.zeros(100), {}, (), Volumes(0.0, 0.0)))
    assert results.nbytes == 800 and results.longest([b"a"])[0] == 0


@pytest.mark.parametrize("begin", ["anew", "from a checkpoint"])
def test_results_make_room_for_a_run_that_needs_their_memory(hills, monkeypatch, begin):
    results = Results()
    checkpoint = next(simulate(hills, recipe(*STEPS))).checkpoint
    run(hills, STEPS, results)
    held = results.nbytes
    fixed = 1_000_000

    def free():
        return fixed + held - results.nbytes

    for module in ("run.step_cache", "base.memory"):
        monkeypatch.setattr(f"erosion_addon.{module}.available_memory", free)
    monkeypatch.setattr("erosion_addon.run.estimate.BYTES_PER_CELL", fixed / 24 / 30 - 60)
    anew = begin == "anew"
    again = (
        simulate(hills, recipe(*STEPS), results=results)
        if anew
        else resume(checkpoint, results=results)
    )
    assert results.nbytes < held
    *_, last = again
    assert last.terrain.report["finished"] == 1.0


def test_a_step_that_fails_leaves_what_was_before_it(hills, started):
    results = Results()
    sea = {"kind": "water", "standing_water": "edges"}
    with pytest.raises(InputError, match="set the edges to open"):
        run(hills, [STEPS[1], sea], results, edges="closed")
    started.clear()
    run(hills, [STEPS[1]], results, edges="closed")
    assert started == []
