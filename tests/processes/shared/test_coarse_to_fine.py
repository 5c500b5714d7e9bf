# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops on coarser cells first: nothing is lost where they hand over, and the land is such as fine
cells alone make.
"""

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.drainage.land_statistics import statistics
from erosion_addon.processes.shared import parameters as shared_parameters
from erosion_addon.run.simulation import simulate
from tests.processes.states import assert_goes_on
from tests.terrains import fractal

DROPS = {"droplet": {}, "rill": {"form": "capacity"}}


@pytest.fixture
def small(monkeypatch):
    """Coarser cells for small land too."""
    monkeypatch.setattr(shared_parameters, "COARSEST", 16)


def land(side=40, **fields):
    return Terrain(fractal(side, side, 850.0, seed=3, steepness=1.8), 4000.0 / side, fields)


def recipe(kind, coarse_to_fine=True, **values):
    step = {"kind": kind, "coarse_to_fine": coarse_to_fine, **DROPS[kind], **values}
    return Recipe.from_dict({"name": "drops", "step": [step]})


@pytest.mark.parametrize(
    "values", [{}, {"slope_limit": 30.0, "creep": 60.0}, {"detail": 33}], ids=str
)
@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
@pytest.mark.parametrize("kind", DROPS)
def test_no_mass_is_lost_from_one_grid_to_the_other(kind, edges, values, small):
    before = land(sediment=np.full((40, 40), 2.0))
    after = erode(before, recipe(kind, **values), edges=edges, threads=2)
    mass, (told,) = after.report["mass"], after.report["steps"]
    assert mass["moved"] > 0 and abs(mass["error"]) <= 1e-9 * mass["moved"]
    assert (after["sediment"] >= 0.0).all()
    assert 0 < told["coarse_drops"] < told["drops"]


@pytest.mark.parametrize("kind", DROPS)
def test_masks_and_depth_limits_hold_on_both_grids(kind, small):
    kept = np.zeros((40, 40), bool)
    kept[:, 25:] = True
    limits = {"limits": {"max_erosion": 3.0, "max_deposition": 2.0}}
    after = erode(land(), recipe(kind, **limits), masks={"strength": (~kept).astype(np.float32)})
    change = after.elevation - land().elevation
    assert (change[kept] == 0.0).all() and change.min() < -2.0
    assert change.min() >= -3.0 - 1e-9 and change.max() <= 2.0 + 1e-9


@pytest.mark.parametrize("chunks", [2, 12, 30])
@pytest.mark.parametrize("kind", DROPS)
def test_a_stopped_run_goes_on_to_the_same_bytes_on_any_number_of_threads(
    kind, chunks, small, monkeypatch
):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    given = recipe(kind, slope_limit=30.0, creep=60.0)
    shares = [progress.fraction for progress in simulate(land(), given, seed=4)]
    assert shares == sorted(shares) and shares[-1] == 1.0 and len(shares) > 30
    assert_goes_on(land(), given, chunks)


def test_colors_and_moisture_go_over_to_the_finer_cells(small):
    color = np.zeros((40, 40, 3), np.float32)
    color[:20] = 1.0
    after = erode(land(surface_color=color), recipe("droplet", drops_per_cell=3.0))
    mixed = (after["surface_color"] > 0.01) & (after["surface_color"] < 0.99)
    assert mixed.any() and after["moisture"].max() > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("kind", DROPS)
def test_the_land_is_such_as_fine_cells_alone_make(kind):
    """Bounds about twice as wide as the differences between seeds."""
    values = {"slope_limit": 38.0, "creep": 16.0}
    whole, fine = (erode(land(256), recipe(kind, way, **values)) for way in (True, False))
    change, alone = (each.elevation - land(256).elevation for each in (whole, fine))
    assert change.std() == pytest.approx(alone.std(), rel=0.2)
    assert np.corrcoef(change.ravel(), alone.ravel())[0, 1] > 0.7
    found, wanted = (statistics(each.elevation, each.spacing) for each in (whole, fine))
    assert found["free_drainage"] == pytest.approx(wanted["free_drainage"], abs=0.05)
    for name in ("slope_p50", "slope_p90", "slope_p99"):
        assert found[name] == pytest.approx(wanted[name], abs=4.0), name


def test_small_land_has_no_coarser_cells():
    one, other = (erode(land(), recipe("droplet", way)) for way in (True, False))
    assert one.elevation.tobytes() == other.elevation.tobytes()
