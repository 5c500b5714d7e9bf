# SPDX-License-Identifier: GPL-3.0-or-later
"""Slope limit and creep beside channels cut by droplets."""

import numpy as np
import pytest

from erosion_addon import Checkpoint, Recipe, Terrain, erode, resume, simulate
from erosion_addon.drainage.land_statistics import statistics
from tests.terrains import fractal

CELL = 10.0
STILL = {"droplet": {"capacity": 0.0, "minimum_slope": 0.0}, "rill": {"transfer_rate": 0.0}}
"""Drops that dig nothing."""

DIGGING = {"droplet": {"drops_per_cell": 2.0}, "rill": {"form": "capacity", "drops_per_cell": 2.0}}


def recipe(kind, **values):
    return Recipe.from_dict({"name": kind, "step": [{"kind": kind, **values}]})


def steepness(heights):
    """Of each cell, in degrees."""
    return np.degrees(np.arctan(np.hypot(*np.gradient(heights, CELL))))


def about(side):
    """Distance of each cell from the middle, in meters."""
    return np.hypot(*(np.mgrid[:side, :side] - (side - 1) / 2)) * CELL


def mass_holds(after):
    mass = after.report["mass"]
    return abs(mass["error"]) <= 1e-9 * mass["moved"] and mass["added"] == 0


@pytest.mark.parametrize("loose", [0.0, 5.0])
@pytest.mark.parametrize("kind", STILL)
def test_a_hill_creeps_as_heat_spreads_whatever_it_is_made_of(kind, loose):
    """A bell of 40 m ends as one of √(40² + 30²) = 50 m with 40² / 50² of its height, the same in
    all directions.
    """
    hill = Terrain(
        50.0 * np.exp(-0.5 * (about(96) / 40.0) ** 2), CELL, {"sediment": np.full((96, 96), loose)}
    )
    after = erode(hill, recipe(kind, creep=30.0, **STILL[kind]), edges="wrap")
    np.testing.assert_allclose(
        after.elevation, 32.0 * np.exp(-0.5 * (about(96) / 50.0) ** 2), atol=0.35
    )
    np.testing.assert_allclose(after.elevation, after.elevation.T, atol=1e-9)
    assert mass_holds(after)


@pytest.mark.parametrize("kind", STILL)
def test_a_cliff_falls_back_to_a_slope_as_steep_as_may_be(kind):
    """A step of rock, 60 m high, ends as a slope of 36° with as much taken above as laid down
    below.
    """
    cliff = np.where(np.arange(64) < 32, 60.0, 0.0) + np.zeros((24, 1))
    after = erode(
        Terrain(cliff, CELL), recipe(kind, slope_limit=36.0, **STILL[kind]), edges="closed"
    )
    profile = after.elevation[12]
    assert steepness(after.elevation).max() == pytest.approx(36.0, abs=0.5)
    assert profile[32:].sum() == pytest.approx((60.0 - profile[:32]).sum(), rel=1e-6)
    assert after["sediment"][:, 32:40].max() > 5.0 and mass_holds(after)


def test_a_spring_on_a_plane_digs_no_wall():
    """Drops that all rise in one cell of a slope of 6° leave a wall of 55° around it, but no
    steeper one than the limit where there is one: 2° more between two cells that have not come to
    rest.
    """
    rows = np.arange(96)[::-1, None]
    plane = Terrain(rows + 0.3 * np.random.default_rng(0).random((96, 96)), CELL)
    spring = {"springs": [[0.5, 0.7, 1.0]], "spring_share": 1.0}
    free, held = (
        erode(plane, recipe("droplet", slope_limit=limit, **spring)) for limit in (90.0, 36.0)
    )
    assert steepness(free.elevation).max() > 50.0
    assert steepness(held.elevation).max() < 38.5
    assert held["flow"].max() > 0.5 * free["flow"].max()  # the brook still runs


@pytest.mark.slow
@pytest.mark.parametrize("kind", DIGGING)
def test_drops_leave_slopes_and_needles_of_real_mountains(kind):
    """Of real mountains a tenth of the slopes is steeper than 30-37°, and 0 to 39 cells of a
    million are needles. Drops that nothing holds leave slopes of 54° (99th percentile) and 4100
    needles, mean of four runs; these 36° and 30.
    """
    land = Terrain(fractal(128, 128, relief=250.0, seed=3), CELL)
    after = erode(land, recipe(kind, slope_limit=36.0, creep=3 * CELL, **DIGGING[kind]), seed=2)
    figures = statistics(after.elevation, (CELL, CELL))
    assert 23.0 < figures["slope_p90"] < 37.0 and figures["slope_p99"] < 38.0
    assert figures["needles"] <= 61.1  # one cell of this land
    assert mass_holds(after)


@pytest.mark.slow
@pytest.mark.parametrize("edges", ["open", "wrap"])
@pytest.mark.parametrize("kind", DIGGING)
def test_threads_and_stops_change_no_byte(kind, edges, monkeypatch):
    land = Terrain(fractal(80, 96, relief=300.0), CELL, {"sediment": np.full((80, 96), 1.0)})
    given = recipe(kind, slope_limit=34.0, creep=8.0, **DIGGING[kind])
    whole = erode(land, given, seed=4, edges=edges, threads=1)
    assert mass_holds(whole) and (whole.report["mass"]["exported"] > 0) == (edges == "open")
    assert (
        erode(land, given, seed=4, edges=edges, threads=3).report["sha256"]
        == whole.report["sha256"]
    )
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    under_way = list(simulate(land, given, seed=4, edges=edges))
    for progress in (under_way[len(under_way) // 2], under_way[-3]):
        *_, end = resume(Checkpoint(progress.checkpoint.values, progress.checkpoint.arrays))
        assert end.terrain.report["sha256"] == whole.report["sha256"]


@pytest.mark.parametrize("kind", DIGGING)
def test_what_masks_keep_neither_creeps_nor_breaks(kind):
    land = Terrain(fractal(48, 48, relief=300.0), CELL)
    half = np.zeros((48, 48), np.float32)
    half[:, :24] = 1.0
    given = recipe(kind, slope_limit=34.0, creep=8.0, **DIGGING[kind])
    hard = erode(land, given, masks={"hardness": half})
    assert hard["wear"][:, :24].max() < 1e-4 < hard["wear"][:, 24:].mean()
    calm = erode(land, given, masks={"strength": 1.0 - half})
    assert (calm.elevation[:, :24] == land.elevation[:, :24]).all()
    plot = erode(land, given, masks={"plot": half})
    np.testing.assert_allclose(plot.elevation[:, :24], land.elevation[:, :24], atol=1e-9)
    assert all(mass_holds(after) for after in (hard, calm, plot))


def test_limits_of_depth_hold_for_what_gives_way_too():
    land = Terrain(fractal(48, 48, relief=300.0), CELL)
    step = {
        "kind": "droplet",
        "slope_limit": 30.0,
        "creep": 8.0,
        "limits": {"max_erosion": 2.0, "max_deposition": 1.0},
    }
    after = erode(land, Recipe.from_dict({"name": "limited", "step": [step]}))
    change = after.elevation - land.elevation
    assert -2.0 - 1e-5 <= change.min() < -1.0 and 0.5 < change.max() <= 1.0 + 1e-5


def test_creep_of_a_run_that_is_ended_early_goes_as_far_as_its_drops(monkeypatch):
    """After a share of the drops, a bell of 40 m ends as one of √(40² + share · 30²) m."""
    hill = Terrain(50.0 * np.exp(-0.5 * (about(96) / 40.0) ** 2), CELL)
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    whole = {"drops_per_cell": 4.0, "creep": 30.0, **STILL["droplet"]}
    early = next(
        step
        for step in simulate(hill, recipe("droplet", **whole), edges="wrap")
        if step.done >= 0.4
    )
    early.drain()
    height = 50.0 * 40.0**2 / (40.0**2 + early.done * 30.0**2)
    assert early.terrain.elevation.max() == pytest.approx(height, rel=0.02)
