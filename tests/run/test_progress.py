# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress: speed and remaining time by a clock under test control, and messages of the worker."""

import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode, simulate
from erosion_addon.run import progress as progress_module
from erosion_addon.run.progress import Gauge
from erosion_addon.worker import throttle as throttle_module
from erosion_addon.worker.client import Runner
from erosion_addon.worker.throttle import Throttle
from tests.terrains import fractal


@pytest.fixture
def clock(monkeypatch):
    """Clock set by the test, in seconds since 1970."""
    now = SimpleNamespace(seconds=1000.0)
    for module in (progress_module, throttle_module):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: now.seconds))
    return now


def at(number, done, estimates=(1.0, 3.0), work=(0.0, "")):
    return SimpleNamespace(number=number, done=done, estimates=list(estimates), work=work)


def test_time_left_weighs_steps_by_their_cost_and_learns_how_fast_the_machine_is(clock):
    gauge = Gauge()
    assert gauge.seconds_left(at(0, 0.0)) is None
    clock.seconds += 5.0  # half of a second's work takes five: ten times as long as estimated
    assert gauge.seconds_left(at(0, 0.5)) == pytest.approx(5.0 + 30.0)
    clock.seconds += 5.0
    assert gauge.seconds_left(at(0, 1.0)) == pytest.approx(30.0)
    clock.seconds += 4.0  # the second step is quicker: a fifth in four seconds
    assert gauge.seconds_left(at(1, 0.2)) == pytest.approx(16.0)


def test_steps_that_an_earlier_run_has_done_do_not_count_as_fast(clock):
    gauge = Gauge()
    gauge.seconds_left(at(0, 1.0))
    clock.seconds += 4.0
    assert gauge.seconds_left(at(1, 0.25)) == pytest.approx(12.0)


def test_speed_is_that_of_the_last_second_in_the_steps_own_words(clock):
    gauge = Gauge()
    said = []
    for drops in (100_000, 100_001, 350_000, 350_001, 350_001 + 2_000_000):
        work = at(0, 0.1, work=(drops, "drops"))
        said.append(gauge.speed(work))
        gauge.seconds_left(work)
        clock.seconds += 0.5 if drops in (100_000, 350_000) else 2.0
    # Looked at when a second or more has passed: 250 000 drops in 2.5 s, then 2 000 001 in 2.5 s.
    assert said == ["", "", "100 k drops/s", "100 k drops/s", "800 k drops/s"]


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("droplet", "drops"),
        ("rill", "drops"),
        ("wind", "grains"),
        ("dunes", "hops"),
        ("water", "cell steps"),
        ("talus", "passes"),
        ("weather", "years"),
        ("snow", "passes"),
        ("uplift", "years"),
    ],
)
def test_every_process_has_a_word_for_its_work(kind, word, monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    recipe = Recipe.from_dict({"name": "one", "step": [{"kind": kind}]})
    sand = {"sediment": np.full((64, 64), 2.0)}
    under_way = simulate(Terrain(fractal(64, 64, relief=600.0), 10.0, sand), recipe)
    progress = next(progress for progress in under_way if progress.work[0] > 0)
    assert progress.done < 1 and progress.work[1] == word
    assert len(progress.estimates) == 1 and progress.estimates[0] > 0


@pytest.mark.parametrize("feature_size", [0.0, 25.0])
def test_what_is_looked_at_has_no_spikes_of_what_drops_carry(feature_size, monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    values = {"droplet.drops_per_cell": 10.0, "droplet.feature_size": feature_size}
    terrain = Terrain(fractal(256, 256, relief=1500.0), 10.0)
    progress = next(simulate(terrain, Recipe.load("arcane").with_values(values)))
    assert progress.done < 1
    raised, carried = (
        heights - terrain.elevation for heights in (progress.elevation, progress.terrain.elevation)
    )
    # Measured up to 65 m, where the relief is 1500 m; with what is carried 156 m on coarse cells,
    # else 3300 m.
    assert raised.max() < 300.0 and carried.max() > 2 * raised.max()
    assert abs(progress.elevation.mean() - progress.terrain.elevation.mean()) < 5.0


def test_a_throttled_action_takes_no_more_than_its_share(clock):
    throttle = Throttle(0.1, 0.5)
    spent = 0.0
    began = clock.seconds
    for cost in (0.01, 0.2, 1.0, 0.3) * 10:
        while not throttle.due:
            clock.seconds += 0.01
        clock.seconds += cost
        spent += cost
        throttle.record(cost)
    while not throttle.due:
        clock.seconds += 0.01
    assert 0.05 < spent / (clock.seconds - began) < 0.1


@pytest.fixture
def runner():
    made = Runner({})
    yield made
    made.kill()
    made._process.stdin.close()
    messages(made, "ended")
    made._process.stdout.close()


def messages(runner, until, seconds=300.0):
    heard = []
    for _ in range(int(seconds / 0.1)):
        for message in runner.poll(0.1):
            heard.append(message)
            if message.kind == until:
                return heard
    raise AssertionError(f"no {until} among {[message.kind for message in heard]}")


def drops(number):
    return Recipe.load("arcane").with_values({"droplet.drops_per_cell": number})


@pytest.mark.worker
@pytest.mark.skipif(sys.platform == "win32", reason="there the starting process sets the priority")
def test_the_worker_steps_back_behind_blender(runner):
    while not runner.libraries:
        runner.poll(0.1)
    worker = os.getpriority(os.PRIO_PROCESS, runner._process.pid)
    assert worker > os.getpriority(os.PRIO_PROCESS, 0) or worker == 19  # the least there is


@pytest.mark.worker
def test_heights_come_when_they_are_asked_for(runner):
    terrain = Terrain(fractal(48, 64, relief=200.0), 10.0)
    runner.run(terrain, drops(1000.0), {})
    messages(runner, "progress")
    changed = 0.0
    while changed < 0.1:  # the first time, no drop may have run yet
        runner.request_heights()
        heights = messages(runner, "heights")[-1].arrays["elevation"]
        assert (heights.shape, heights.dtype) == ((48, 64), np.float32)
        changed = np.abs(heights - terrain.elevation).max()


@pytest.mark.worker
def test_the_depth_of_the_water_comes_with_the_heights_of_a_water_step_alone(runner):
    terrain = Terrain(fractal(48, 64, relief=200.0), 10.0)
    water = Recipe.from_dict(
        {"name": "wet", "step": [{"kind": "water", "duration": 1000.0, "rain": 500.0}]}
    )
    runner.run(terrain, water, {})
    messages(runner, "progress")
    depth = np.zeros(())
    while not depth.any():
        runner.request_heights()
        depth = messages(runner, "heights")[-1].arrays["water_depth"]
    assert (depth.shape, depth.dtype) == ((48, 64), np.float32) and depth.min() >= 0
    runner.stop()
    runner.run(terrain, drops(1000.0), {})
    messages(runner, "progress")
    runner.request_heights()
    assert set(messages(runner, "heights")[-1].arrays) == {"elevation"}


@pytest.mark.worker
def test_of_a_stopped_run_nothing_more_is_heard_and_the_next_one_begins_at_once(runner):
    terrain = Terrain(fractal(48, 64, relief=200.0), 10.0)
    runner.run(terrain, drops(1000.0), {})
    messages(runner, "progress")
    runner.stop()
    runner.run(terrain, drops(1.0), {})
    heard = messages(runner, "result")
    assert [message.kind for message in heard if message.kind in ("result", "preview")] == [
        "result"
    ]
    expected = erode(terrain, drops(1.0))
    np.testing.assert_array_equal(heard[-1].arrays["elevation"], expected.elevation)


@pytest.mark.worker
def test_a_preview_brings_the_change_over_all_cells(runner):
    terrain = Terrain(fractal(48, 64, relief=200.0), 10.0)
    runner.preview(terrain, drops(1.0), {}, (96, 128))
    change = messages(runner, "preview")[-1].arrays["change"]
    assert change.shape == (96, 128)
    expected = erode(terrain, drops(1.0)).elevation - terrain.elevation
    middle = change.reshape(48, 2, 64, 2).mean(axis=(1, 3))
    assert np.corrcoef(middle.ravel(), expected.ravel())[0, 1] > 0.99
