# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse to fine: coarse cells cut the large valleys, fine ones continue, mass balances."""

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.drainage.land_statistics import statistics
from erosion_addon.processes.shared.parameters import COARSEST
from erosion_addon.processes.shared.state import State
from erosion_addon.processes.uplift.parameters import UpliftParameters
from erosion_addon.processes.uplift.step import UpliftStep
from erosion_addon.run.simulation import simulate
from erosion_addon.run.step_state import set_step_arrays, step_arrays
from tests.processes.states import assert_goes_on
from tests.terrains import fractal

SIDE = 2 * COARSEST
SIZE = 4000.0


def land(side=SIDE, **fields):
    return Terrain(fractal(side, side, 850.0, seed=3, steepness=1.8), SIZE / side, fields)


def recipe(coarse_to_fine=True, **values):
    step = {"kind": "uplift", "coarse_to_fine": coarse_to_fine, **values}
    return Recipe.from_dict({"name": "rivers", "step": [step]})


@pytest.mark.slow
@pytest.mark.parametrize("values", [{}, {"uplift": 0.5}, {"sea": True, "sea_level": 200.0}])
@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
def test_no_mass_is_lost_from_one_grid_to_the_other(values, edges):
    after = erode(
        land(sediment=np.full((SIDE, SIDE), 2.0)), recipe(**values), edges=edges, threads=2
    )
    mass = after.report["mass"]
    assert abs(mass["error"]) <= 1e-12 * mass["before"]
    assert (after["sediment"] >= 0.0).all()


@pytest.mark.slow
@pytest.mark.parametrize("uplift", [0.0, 0.5])
def test_the_land_is_such_as_fine_cells_alone_make(uplift):
    """Heights within 5 % of the relief on the mean; valleys that drain, and slopes, as on one
    grid.
    """
    whole, fine = (erode(land(), recipe(way, uplift=uplift)) for way in (True, False))
    assert abs(whole.elevation.mean() - fine.elevation.mean()) < 0.05 * 850.0
    assert np.corrcoef(whole.elevation.ravel(), fine.elevation.ravel())[0, 1] > 0.95
    figures = statistics(whole.elevation, whole.spacing)
    assert figures["free_drainage"] > 0.95
    assert figures["slope_p90"] == pytest.approx(
        statistics(fine.elevation, fine.spacing)["slope_p90"], abs=1.0
    )


@pytest.mark.slow
def test_what_rises_is_what_the_mask_and_the_years_say():
    mask = np.ones((SIDE, SIDE))
    mask[:, : SIDE // 2] = 0.0
    raised = erode(land(), recipe(uplift=0.1, years=100_000.0), masks={"uplift": mask})["uplift"]
    assert not raised[:, : SIDE // 2].any()
    np.testing.assert_allclose(raised[1:-1, SIDE // 2 : -1], 10.0, rtol=1e-12)


@pytest.mark.slow
def test_cells_of_no_strength_and_plots_keep_every_bit():
    keep = np.zeros((SIDE, SIDE), bool)
    keep[100:140, 90:171] = True
    for kind, mask in (("strength", ~keep), ("plot", keep)):
        after = erode(land(), recipe(uplift=0.5), masks={kind: mask.astype(np.float32)})
        np.testing.assert_array_equal(after.elevation[keep], land().elevation[keep])
        assert (after.elevation[~keep] != land().elevation[~keep]).mean() > 0.9


@pytest.mark.slow
def test_ground_under_the_sea_stays():
    terrain = land()
    after = erode(terrain, recipe(sea=True, sea_level=200.0))
    sunk = terrain.elevation < 200.0
    np.testing.assert_array_equal(after.elevation[sunk], terrain.elevation[sunk])


@pytest.mark.slow
@pytest.mark.parametrize("chunks", [1, 30, 200])
def test_a_stopped_run_goes_on_to_the_same_bytes_on_any_number_of_threads(chunks, monkeypatch):
    """A checkpoint from coarser cells is taken where they have handed over."""
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    assert_goes_on(land(), recipe(), chunks)


@pytest.mark.slow
def test_progress_never_goes_back(monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    shares = [progress.fraction for progress in simulate(land(), recipe())]
    assert shares == sorted(shares) and shares[-1] == 1.0 and shares[0] < 0.1


def test_a_run_that_is_ended_on_coarser_cells_has_a_report_that_adds_up(monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    first = next(iter(simulate(land(), recipe(uplift=0.5))))
    assert first.fraction < 0.1
    mass = first.terrain.report["mass"]
    assert abs(mass["error"]) <= 1e-12 * mass["before"]


@pytest.mark.slow
def test_small_land_has_no_coarser_cells():
    small = land(96)
    whole, fine = (erode(small, recipe(way)) for way in (True, False))
    assert whole.elevation.tobytes() == fine.elevation.tobytes()


def test_a_step_put_back_beyond_the_coarser_cells_shows_the_ground_that_it_had():
    terrain = land(sediment=np.zeros((SIDE, SIDE)))

    def begun():
        state = State(
            terrain.elevation, {"sediment": terrain["sediment"]}, {}, terrain.spacing, "open"
        )
        return UpliftStep(state, UpliftParameters(coarse_to_fine=True), 1)

    stopped = begun()
    put_back = begun()
    stopped.rest()
    set_step_arrays(put_back, step_arrays(stopped))
    np.testing.assert_array_equal(put_back.elevation(), stopped.elevation())
    assert put_back.volumes() == stopped.volumes() and put_back.counts(1.0) == stopped.counts(1.0)
