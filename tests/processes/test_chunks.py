# SPDX-License-Identifier: GPL-3.0-or-later
"""Between two signs of life of a run lies a bounded piece of work, whatever the terrain; and where
it is cut changes nothing.
"""

import itertools

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode, resume, simulate
from erosion_addon.processes.shared import state
from erosion_addon.processes.shared import tile_scheduler as tile_run
from erosion_addon.processes.wind import step as wind
from erosion_addon.run.checkpoint import Checkpoint
from tests.terrains import bowl, fractal

HILLS = fractal(150, 170, 60.0, seed=2)
LAND = Terrain(HILLS, 10.0, {"sediment": np.full(HILLS.shape, 3.0)})
FLIGHTS = ("particles", "boundary layer")
AT_ONCE = 1e-9
"""Seconds of a chunk: it ends with the first piece of work."""


def recipe(kind, **values):
    return Recipe.from_dict({"name": "one", "step": [{"kind": kind, **values}]})


def blowing(flight, **values):
    return recipe("wind", flight=flight, particles_per_cell=0.03, **values)


@pytest.mark.parametrize("flight", FLIGHTS)
def test_a_gust_that_blows_round_and_round_is_done_in_pieces(flight, monkeypatch):
    """Particles of 100 sides on edges that wrap: by gusts a piece would be of millions of steps."""
    monkeypatch.setattr(state, "CHUNK_SECONDS", AT_ONCE)
    monkeypatch.setattr(wind, "TURN_STEPS", 2**14)
    run = simulate(LAND, blowing(flight, maximum_path=100.0), edges="wrap", threads=2)
    before = 0
    most = 0
    for progress in itertools.islice(run, 100):
        steps = int(progress.simulation._running._totals.steps.sum())
        before, most = steps, max(most, steps - before)
    assert 0 < most <= 2**14
    assert progress.fraction < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("flight", FLIGHTS)
def test_wind_in_pieces_leaves_the_bytes_of_wind_in_one(flight, monkeypatch):
    monkeypatch.setattr(wind, "TURN_STEPS", 2**14)
    whole = erode(LAND, blowing(flight), edges="wrap", threads=1).report["sha256"]
    monkeypatch.setattr(state, "CHUNK_SECONDS", AT_ONCE)
    assert erode(LAND, blowing(flight), edges="wrap", threads=4).report["sha256"] == whole


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["droplet", "rill"])
def test_drops_in_pieces_leave_the_bytes_of_drops_in_turns(kind, monkeypatch):
    """With so little patience that a tile is worked in several goes; all rain falls on one."""
    monkeypatch.setattr("erosion_addon.processes.shared.particle_step.PATIENCE", 500)
    monkeypatch.setattr(f"erosion_addon.processes.{kind}.step.PATIENCE", 500)
    rain = np.zeros(HILLS.shape)
    rain[40:44, 40:44] = 1.0
    whole = erode(LAND, recipe(kind), masks={"rain": rain}, threads=1).report["sha256"]
    monkeypatch.setattr(state, "CHUNK_SECONDS", AT_ONCE)
    monkeypatch.setattr(tile_run, "LARGEST_BATCH", 1)
    for threads in (1, 3):
        assert (
            erode(LAND, recipe(kind), masks={"rain": rain}, threads=threads).report["sha256"]
            == whole
        )


@pytest.mark.parametrize("kind", ["droplet", "rill"])
def test_a_chunk_of_drops_is_a_part_of_a_turn(kind, monkeypatch):
    """All drops of a turn start on one cell: so many there would be one piece of work."""
    monkeypatch.setattr(state, "CHUNK_SECONDS", AT_ONCE)
    monkeypatch.setattr(f"erosion_addon.processes.{kind}.step.PATIENCE", 1000)
    rain = np.zeros(HILLS.shape)
    ground = bowl(150, 170, 400.0)
    rain[70, 30] = 1.0
    given = {"rain": rain}, {"drops_per_cell": 20.0}
    pieces = []
    before = 0
    for progress in itertools.islice(
        simulate(Terrain(ground, 10.0), recipe(kind, **given[1]), masks=given[0]), 40
    ):
        steps = int(progress.simulation._running._totals.steps.sum())
        pieces.append(steps - before)
        before = steps
    longest_path = 4 * 170
    assert 0 < max(pieces) <= 1000 + 2 * longest_path


@pytest.mark.slow
@pytest.mark.parametrize("flight", FLIGHTS)
def test_a_gust_stopped_half_way_goes_on_to_the_same_bytes(flight, tmp_path, monkeypatch):
    monkeypatch.setattr(wind, "TURN_STEPS", 2**14)
    given = {**blowing(flight, supply=1.0).to_dict(), "edges": "wrap"}
    given["step"][0] |= {"shelter": 1.0}
    winds = Recipe.from_dict(given)
    expected = erode(LAND, winds, seed=9).report["sha256"]
    monkeypatch.setattr(state, "CHUNK_SECONDS", AT_ONCE)
    in_the_air = 0
    run = simulate(LAND, winds, seed=9)
    for number, progress in zip(range(60), run, strict=False):
        if number % 20 != 7:
            continue
        progress.checkpoint.save(tmp_path / "run.npz")
        in_the_air += progress.simulation._running._run.under_way
        *_, last = resume(Checkpoint.load(tmp_path / "run.npz"))
        assert last.terrain.report["sha256"] == expected
    assert in_the_air > 50
    *_, last = run  # looking does no harm
    assert last.terrain.report["sha256"] == expected


@pytest.mark.parametrize("flight", FLIGHTS)
@pytest.mark.parametrize("masked", [False, True])
def test_mass_is_there_while_grains_are_in_the_air(flight, masked, monkeypatch):
    monkeypatch.setattr(wind, "TURN_STEPS", 2**14)
    monkeypatch.setattr(state, "CHUNK_SECONDS", AT_ONCE)
    masks = {"strength": np.linspace(0, 1, HILLS.size).reshape(HILLS.shape)} if masked else {}
    in_the_air = 0
    for progress in itertools.islice(simulate(LAND, blowing(flight, supply=0.5), masks=masks), 30):
        mass = progress.terrain.report["mass"]
        assert abs(mass["error"]) <= 1e-9 * max(mass["moved"], 1.0)
        in_the_air += progress.simulation._running._run.under_way
    assert in_the_air > 50


@pytest.mark.parametrize("flight", FLIGHTS)
def test_finish_brings_grains_down_that_would_fly_for_ever_and_leaves_no_heaps(flight, monkeypatch):
    monkeypatch.setattr(wind, "TURN_STEPS", 2**14)
    monkeypatch.setattr(state, "CHUNK_SECONDS", AT_ONCE)
    run = simulate(LAND, blowing(flight, maximum_path=100.0), edges="wrap")
    for progress in run:
        step = progress.simulation._running
        if step._run.under_way > 50 and step._totals.lifted.sum() > 1.0:
            break
    steps = step._totals.steps.sum()
    carried = progress.terrain.elevation
    progress.drain()
    assert step._run.under_way == 0
    assert step._totals.steps.sum() - steps <= 64 * step._batch + 2**14
    after = progress.terrain
    assert abs(after.report["mass"]["error"]) <= 1e-9 * after.report["mass"]["moved"]
    # Laid down where each grain was, all at once, it would stand out more than what they lay down
    # on their way.
    changes = (heights - LAND.elevation for heights in (carried, after.elevation))
    heap, spread = (np.abs(np.diff(change, 2, axis=1)).max() for change in changes)
    assert spread <= heap
