# SPDX-License-Identifier: GPL-3.0-or-later
"""Protected ground and building plots: kept by every process, with no wall beside them."""

import itertools

import numpy as np
import pytest

from erosion_addon import Checkpoint, Recipe, Terrain, erode, resume, simulate
from tests.terrains import fractal

KINDS = {
    "droplet": {},
    "droplet, coarse": {"kind": "droplet", "feature_size": 25.0},
    "rill": {"form": "capacity"},
    "water": {"duration": 0.2, "rain": 100.0},
    "wind": {"particles_per_cell": 1.0},
    "boundary layer": {"kind": "wind", "flight": "boundary layer", "particles_per_cell": 1.0},
    "dunes": {"years": 100.0, "abrasion": 0.1},
    "talus": {"rock_angle": 25.0, "reach": 200.0},
    "weather": {"duration": 2e5},
    "uplift": {"years": 2000.0},
}
"""All processes, both winds, and drops on cells of their own."""

SIDE = 32
CELL = 10.0
INSIDE = (slice(12, 20), slice(12, 20))


def square():
    mask = np.zeros((SIDE, SIDE), np.float32)
    mask[INSIDE] = 1.0
    return mask


def around(width=1):
    """The cells beside the square."""
    mask = np.zeros((SIDE, SIDE), bool)
    mask[12 - width : 20 + width, 12 - width : 20 + width] = True
    mask[INSIDE] = False
    return mask


def recipe(name, **values):
    return Recipe.from_dict(
        {"name": name, "step": [{"kind": name, **KINDS.get(name, {}), **values}]}
    )


def run(name, terrain, mask=None, edges="open", **values):
    after = erode(
        terrain, recipe(name, **values), seed=3, edges=edges, masks=mask and {mask: square()}
    )
    mass = after.report["mass"]
    assert abs(mass["error"]) <= 1e-9 * mass["moved"]
    return after


def hills(sand=2.0):
    return Terrain(
        fractal(SIDE, SIDE, relief=150.0), CELL, {"sediment": np.full((SIDE, SIDE), sand)}
    )


@pytest.mark.slow
@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
@pytest.mark.parametrize("name", KINDS)
def test_a_plot_keeps_its_bytes(name, edges):
    before = hills()
    after = run(name, before, "plot", edges)
    for layer in ("elevation", "sediment"):
        assert (
            after[layer][INSIDE].tobytes()
            == before[layer].astype(after[layer].dtype)[INSIDE].tobytes()
        )
    assert np.abs(after.elevation - before.elevation)[around()].max() > 0.01


def sand_around(height=20.0):
    """A rock plain under sand of a given thickness, with the bare square at the bottom of a pit
    with upright walls.
    """
    sand = np.where(square() > 0, 0.0, height)
    return Terrain(sand.copy(), CELL, {"sediment": sand})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "values", "angle", "piled"),
    [
        ("talus", {"sediment_angle": 30.0}, 30.0, 1.15),  # 33° at the four corners, 30° elsewhere
        # creep has no angle, and levels it further
        ("weather", {"production": 0.0, "duration": 4e5}, 30.0, 1.0),
        # the wind piles up what slides
        ("wind", {"repose_angle": 34.0, "particles_per_cell": 20.0}, 34.0, 1.25),
        ("boundary layer", {"repose_angle": 34.0, "particles_per_cell": 20.0}, 34.0, 1.25),
    ],
)
def test_sand_beside_a_plot_stands_no_steeper_than_on_other_ground(name, values, angle, piled):
    """Its first cells stand at most tan(angle) times their distance over the plot, that of its
    corners being diagonal; where nothing may slide there it is the whole wall of 20 m.
    """
    after = run(name, sand_around(), "plot", "closed", **values)
    beside = after.elevation[around()]
    stands = np.tan(np.radians(angle)) * CELL * 2**0.5
    print(name, beside.max(), stands)
    assert beside.max() <= piled * stands
    assert after.report["mass"]["exported"] > 0 and not after.elevation[INSIDE].any()


@pytest.mark.parametrize("name", ["droplet", "droplet, coarse", "rill", "water"])
def test_what_runs_down_leaves_no_wall_before_a_plot(name):
    """A slope, a plain at its foot and the square at the bend: the fan before it is no higher than
    without it.
    """
    row = np.arange(SIDE)[:, None] * CELL
    slope = np.maximum(0.4 * (row - 200.0), 0.0) + 0.02 * row + fractal(SIDE, SIDE, 4.0, seed=2)
    terrain = Terrain(slope, CELL, {"sediment": np.full((SIDE, SIDE), 3.0)})
    free, kept = (run(name, terrain, mask) for mask in (None, "plot"))
    rise = [(after.elevation - slope)[around()].max() for after in (free, kept)]
    print(name, rise)
    assert rise[1] <= 1.1 * max(rise[0], 1.0)


@pytest.mark.parametrize("name", ["wind", "boundary layer"])
def test_sand_comes_by_wind_to_a_place_that_is_never_dug_and_leaves_it(name):
    land = 50.0 + fractal(SIDE, SIDE, relief=30.0)
    for sand in (np.where(square() > 0, 0.0, 3.0), 3.0 * square()):
        after = run(name, Terrain(land, CELL, {"sediment": sand}), "protect", "wrap")
        change = (after["sediment"] - sand)[INSIDE]
        print(name, change.min(), change.max(), change.mean())
        # it comes; it leaves
        assert change.max() > 0.1 if sand[INSIDE].max() == 0 else change.min() < -1.0
        np.testing.assert_allclose(
            (after.elevation - after["sediment"] - (land - sand))[INSIDE], 0.0, atol=1e-5
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_soil_of_a_place_that_is_never_dug_stays_and_sand_on_it_moves(name):
    soil = np.full((SIDE, SIDE), 2.0)
    before = Terrain(
        hills().elevation, CELL, {"sediment": np.full((SIDE, SIDE), 1.0), "soil": soil}
    )
    after = run(name, before, "protect")
    loose = after["sediment"].astype(float) + after["soil"]
    assert loose[INSIDE].min() >= 2.0 - 1e-5
    ground = after.elevation - loose
    np.testing.assert_allclose(ground[INSIDE], (before.elevation - 3.0)[INSIDE], atol=1e-4)
    assert np.ptp(loose[INSIDE]) > 1e-3 and loose[INSIDE].min() < 3.0
    assert loose.min() < 1.99


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_run_beside_a_plot_stopped_half_way_goes_on_to_the_same_bytes(name, monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    given = {"seed": 4, "masks": {"plot": square(), "protect": square()[::-1, ::-1].T}}
    whole = erode(hills(), recipe(name), **given)
    found = simulate(hills(), recipe(name), **given)
    *_, last = itertools.islice(found, 2)
    checkpoint = last.checkpoint
    *_, end = resume(Checkpoint(checkpoint.values, checkpoint.arrays), threads=2)
    assert end.terrain.report["sha256"] == whole.report["sha256"]
