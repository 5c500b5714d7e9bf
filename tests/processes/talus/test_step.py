# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus step in meters: balance, angles, masks, layers, checkpoints, and the same look at another
resolution.
"""

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.processes.talus import PROCESS
from erosion_addon.processes.talus.parameters import TalusParameters
from erosion_addon.processes.talus.step import TalusStep
from tests.processes.states import state, to_end
from tests.terrains import fractal

EDGES = ("open", "closed", "wrap")


def finished(start, **parameters):
    return to_end(TalusStep(start, TalusParameters(**parameters), 0))


def peaks(rows=24, cols=30, relief=400.0):
    return fractal(rows, cols, relief, steepness=1.5)


def slope(elevation, spacing=10.0):
    """Mean slope in m/m."""
    return float(np.mean(np.hypot(*np.gradient(elevation, spacing))))


def test_cliffs_become_rock_at_its_angle_over_screes_at_theirs():
    step = finished(state(peaks()), sediment_angle=30, rock_angle=55)
    layers = step.layers()
    deep = layers["sediment"] > 5.0
    falls = np.abs(np.diff(layers["elevation"], axis=1)) / 10.0
    assert falls.max() <= np.tan(np.radians(55)) * 1.001
    assert falls[deep[:, 1:] & deep[:, :-1]].max() <= np.tan(np.radians(30)) * 1.001
    assert deep.mean() > 0.02 and step.counts(1.0)["at_rest"]


def test_where_nothing_is_too_steep_every_bit_stays():
    start = state(
        fractal(20, 20, 20.0),
        sediment=fractal(20, 20, 0.7, seed=1),
        soil=fractal(20, 20, 0.3, seed=2),
    )
    step = finished(start)
    assert step.counts(1.0) == {"passes": 1, "at_rest": True} and step.volumes() == (0.0, 0.0, 0.0)
    assert np.array_equal(step.layers()["elevation"], start.elevation)


def test_soil_slides_with_the_sediment_and_only_sediment_comes():
    before = {"sediment": np.full((24, 30), 1.0), "soil": np.full((24, 30), 2.0)}
    layers = finished(state(peaks(), **before)).layers()
    assert (
        (layers["soil"] <= 2.0).all()
        and layers["soil"].min() < 1.0
        and layers["sediment"].max() > 5.0
    )


def test_strength_zero_and_protect_keep_cells_and_hardness_keeps_rock():
    height = peaks()
    left = np.zeros(height.shape)
    left[:, :15] = 1.0
    free = finished(state(height)).layers()["elevation"]
    strong = finished(state(height, masks={"strength": 1 - left})).layers()["elevation"]
    assert np.array_equal(strong[:, :15], height[:, :15]) and not np.array_equal(strong, height)
    protected = finished(state(height, masks={"protect": left})).layers()["elevation"]
    assert (protected[:, :15] >= height[:, :15]).all() and not np.array_equal(
        protected[:, 15:], height[:, 15:]
    )
    assert (protected[:, :15] > height[:, :15]).any()
    hard = finished(state(height, masks={"hardness": left})).layers()["elevation"]
    assert (hard[:, :15] >= height[:, :15]).all() and (free[:, :15] < height[:, :15]).any()


def test_a_longer_reach_lets_more_come_to_rest():
    short, long = (finished(state(peaks()), reach=reach) for reach in (20.0, 60.0))
    assert short.counts(1.0)["passes"] == 64 and short.volumes().moved < long.volumes().moved
    assert finished(state(peaks()), reach=0.0).volumes() == (0.0, 0.0, 0.0)


def test_angles_out_of_range_are_refused_with_the_range():
    with pytest.raises(InputError, match="rock_angle must be from 1 to 90"):
        TalusParameters(rock_angle=91.0)


def hill(side):
    """2 km of a hill with gullies, the same for any number of cells."""
    place = (np.arange(side) + 0.5) / side * 2 * np.pi
    z, x = np.meshgrid(place, place, indexing="ij")
    height = (
        300 * np.sin(z) * np.sin(x)
        + 120 * np.sin(3 * z + 1) * np.cos(4 * x)
        + 60 * np.cos(7 * z) * np.sin(6 * x + 2)
    )
    return height - height.min()


@pytest.mark.parametrize("reach", [200.0, 60.0])
def test_the_same_terrain_looks_the_same_with_more_cells(reach):
    """The row "resolution" of the verification, at a quarter of its sides: within 20 % of the
    finest.
    """
    figures = []
    for side in (32, 64, 128):
        height = hill(side)
        spacing = 2000.0 / side
        step = finished(state(height, spacing, "wrap"), rock_angle=40.0, reach=reach)
        after = step.layers()["elevation"]
        volume = np.maximum(height - after, 0).sum() * spacing**2
        figures.append([volume, np.ptp(after), slope(after, spacing)])
    print(np.array(figures) / figures[-1])
    assert np.abs(np.array(figures) / figures[-1] - 1).max() <= 0.2


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["strength", "hardness", "protect"])
def test_open_edges_do_not_run_away_where_masks_hold_the_ground(kind):
    """What stands inside must not let its edge break into the ring without end."""
    elevation = fractal(64, 60, relief=900.0)
    mask = np.random.default_rng(3).random(elevation.shape)
    after = finished(state(elevation, edges="open", masks={kind: mask}), reach=300.0).layers()[
        "elevation"
    ]
    assert after.min() > elevation.min() - 900.0 and after.max() <= elevation.max() + 1e-9


@pytest.mark.parametrize("edges", EDGES)
def test_a_step_has_a_last_pass_however_high_its_cliffs_and_says_whether_all_is_at_rest(edges):
    """A cliff of 100 km on cells of a meter; nothing slides further than the terrain is long."""
    cliff = np.where(np.arange(24) < 12, 1e5, 0.0) * np.ones((16, 1))
    step = finished(state(cliff, 1.0, edges), reach=1e6)
    counts = step.counts(1.0)
    assert counts["passes"] <= 16 * 24**2 and counts["at_rest"] == (not step._active.any())
    assert in_words_of(counts) == (not counts["at_rest"])


def in_words_of(counts):
    """Whether the report says that material was still sliding."""
    return "not at rest" in PROCESS.summary(counts)[0]


@pytest.mark.parametrize("spacing", [10.0, (10.0, 13.0)])
def test_a_heap_is_a_round_cone_of_its_angle(spacing):
    """Radii in sixteen directions within 2 % of their mean."""
    down, across = spacing if isinstance(spacing, tuple) else (spacing, spacing)
    y, x = (np.mgrid[:97, :97] - 48.0) * np.array([down, across])[:, None, None]
    away = np.hypot(y, x)
    sand = np.where(away < 60.0, 900.0, 0.0)
    heap = finished(state(sand, spacing, "open", sediment=sand), sediment_angle=33.0).layers()[
        "elevation"
    ]
    flank = (heap > 0.2 * heap.max()) & (heap < 0.7 * heap.max())
    foot = away[flank] + heap[flank] / np.tan(np.radians(33.0))
    sector = np.round(np.arctan2(y, x)[flank] / (np.pi / 8)).astype(int) % 16
    radii = np.array([foot[sector == number].mean() for number in range(16)])
    assert np.abs(radii / radii.mean() - 1).max() < 0.02
    assert heap.max() == pytest.approx(radii.mean() * np.tan(np.radians(33.0)), rel=0.02)
