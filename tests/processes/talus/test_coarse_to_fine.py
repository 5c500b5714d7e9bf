# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse to fine: slides reach as far as on one grid, mass balances, masks hold, and a stopped run
goes on.
"""

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.processes.shared import parameters as shared_parameters
from erosion_addon.processes.talus import PROCESS
from erosion_addon.processes.talus.parameters import TalusParameters
from erosion_addon.run.simulation import simulate
from tests.processes.states import assert_goes_on
from tests.terrains import fractal

SIDE = 128
SIZE = 1000.0


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Two coarser grids for small land."""
    monkeypatch.setattr(shared_parameters, "COARSEST", 32)


def land(**fields):
    return Terrain(fractal(SIDE, SIDE, 500.0, seed=3, steepness=1.8), SIZE / SIDE, fields)


def recipe(coarse_to_fine=True, **values):
    step = {
        "kind": "talus",
        "coarse_to_fine": coarse_to_fine,
        "rock_angle": 45.0,
        "reach": 150.0,
        **values,
    }
    return Recipe.from_dict({"name": "slides", "step": [step]})


def steepest(elevation, spacing=SIZE / SIDE):
    """Slopes between neighbors along rows and columns in degrees, steepest first."""
    falls = [np.abs(np.diff(elevation, axis=axis)).ravel() / spacing for axis in (0, 1)]
    return np.degrees(np.arctan(np.sort(np.concatenate(falls))[::-1]))


@pytest.mark.slow
@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
@pytest.mark.parametrize("mask", [None, "strength", "hardness", "protect"])
def test_no_mass_is_lost_from_one_grid_to_the_other(edges, mask):
    masks = (
        {mask: np.random.default_rng(1).random((SIDE, SIDE)).astype(np.float32)} if mask else None
    )
    after = erode(
        land(sediment=fractal(SIDE, SIDE, 6.0, seed=4)),
        recipe(),
        edges=edges,
        masks=masks,
        threads=2,
    )
    mass = after.report["mass"]
    assert abs(mass["error"]) <= 1e-12 * mass["before"]
    assert mass["moved"] > 1e5 and (mass["exported"] > 0.0) == (edges == "open")
    assert (after["sediment"] >= 0.0).all()


@pytest.mark.slow
def test_the_land_is_such_as_fine_cells_alone_make():
    """Heights differ by an eighth of their change: walls stand a cell further back. Slopes hold as
    on one grid.
    """
    coarse, fine = (erode(land(), recipe(way)) for way in (True, False))
    change = fine.elevation - land().elevation
    assert (coarse.elevation - fine.elevation).std() < 0.15 * change.std()
    assert np.corrcoef(coarse["sediment"].ravel(), fine["sediment"].ravel())[0, 1] > 0.95
    many = SIDE * SIDE // 100
    assert steepest(coarse.elevation)[many] == pytest.approx(
        steepest(fine.elevation)[many], abs=1.0
    )


@pytest.mark.slow
def test_grass_holds_coarse_cells_as_it_holds_fine_ones():
    """Once, and not twice: with much grass slides leave what they do on one grid."""
    elevation = fractal(64, 64, 500.0, seed=3, steepness=1.8)
    grass = {"grass": np.full((64, 64), 0.6, np.float32)}
    coarse, fine, bare = (
        erode(Terrain(elevation, SIZE / 64, fields), recipe(way, reach=200.0))
        for way, fields in ((True, grass), (False, grass), (True, {}))
    )
    change = fine.elevation - elevation
    assert (coarse.elevation - fine.elevation).std() < 0.15 * change.std()
    assert coarse.report["mass"]["moved"] < 0.95 * bare.report["mass"]["moved"]


def test_land_at_rest_is_looked_at_once_on_each_of_three_grids():
    (told,) = erode(Terrain(fractal(SIDE, SIDE, 20.0), SIZE / SIDE), recipe(reach=200.0)).report[
        "steps"
    ]
    assert told["passes"] == 3 and told["at_rest"]


def test_a_heap_wider_than_many_cells_comes_to_its_angle_and_stays_round():
    """Only its top is rounded, by the fall over about one of the coarsest cells, which are 31 m
    wide.
    """
    y, x = np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2
    away = np.hypot(y, x) * SIZE / SIDE
    sand = np.where(away < 150.0, 250.0, 0.0)
    terrain = Terrain(sand, SIZE / SIDE, {"sediment": sand})
    heap = erode(terrain, recipe(sediment_angle=33.0, reach=600.0)).elevation
    flank = (heap > 0.2 * heap.max()) & (heap < 0.7 * heap.max())
    foot = away[flank] + heap[flank] / np.tan(np.radians(33.0))
    sector = np.round(np.arctan2(y, x)[flank] / (np.pi / 8)).astype(int) % 16
    radii = np.array([foot[sector == number].mean() for number in range(16)])
    assert np.abs(radii / radii.mean() - 1).max() < 0.02
    fall = np.tan(np.radians(33.0))
    assert -1.2 * fall * 31.25 < heap.max() - radii.mean() * fall < 1.0
    assert steepest(heap)[0] < 33.5


@pytest.mark.slow
def test_cells_of_no_strength_plots_and_hard_rock_keep_every_bit():
    keep = np.zeros((SIDE, SIDE), bool)
    keep[40:70, 30:81] = True
    for kind, mask in (("strength", ~keep), ("plot", keep)):
        after = erode(land(), recipe(), masks={kind: mask.astype(np.float32)}).elevation
        np.testing.assert_array_equal(after[keep], land().elevation[keep])
        assert (after[~keep] != land().elevation[~keep]).mean() > 0.5
    hard = erode(land(), recipe(), masks={"hardness": keep.astype(np.float32)})
    lowered = land().elevation - (hard.elevation - hard["sediment"])
    assert lowered[keep].max() < 1e-4  # the sediment is float32


@pytest.mark.slow
@pytest.mark.parametrize("chunks", [1, 40, 300, 900])
def test_a_stopped_run_goes_on_to_the_same_bytes_on_any_number_of_threads(chunks, monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    assert_goes_on(land(), recipe(), chunks)


def test_progress_never_goes_back_and_a_run_that_is_ended_early_adds_up(monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    shares = []
    for progress in simulate(land(), recipe()):
        shares.append(progress.fraction)
        if len(shares) in (1, 60, 700):
            mass = progress.terrain.report["mass"]
            assert abs(mass["error"]) <= 1e-12 * mass["before"]
    assert shares == sorted(shares) and shares[-1] == 1.0 and shares[0] < 0.1 and len(shares) > 700


def test_short_slides_and_small_land_have_no_coarser_cells():
    for values, terrain in (
        ({"reach": 30.0}, land()),
        ({}, Terrain(land().elevation[:20, :20], 10.0)),
    ):
        coarse, fine = (erode(terrain, recipe(way, **values)) for way in (True, False))
        assert coarse.elevation.tobytes() == fine.elevation.tobytes()


def test_it_is_told_as_faster_where_slides_reach_far():
    coarse, fine = (TalusParameters(reach=150.0, coarse_to_fine=way) for way in (True, False))
    for side, faster in ((1024, 20.0), (64, 1.0)):
        given = (side, side), (4000.0 / side, 4000.0 / side), "open"
        assert PROCESS.seconds(fine, *given) >= faster * PROCESS.seconds(coarse, *given)
