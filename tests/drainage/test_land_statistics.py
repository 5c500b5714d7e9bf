"""Drainage statistics on terrains with known answers."""

import numpy as np
import pytest

from erosion_addon.drainage.land import Land
from erosion_addon.drainage.land_statistics import curves, statistics
from tests.terrains import bowl, fractal, plane


def test_a_plane_drains_freely_and_is_as_steep_as_it_is():
    found = statistics(plane(64, 64, 30.0, 0.0), (30.0, 30.0))
    assert found["pits"] == 0 and found["free_drainage"] == 1 and found["needles"] == 0
    assert found["slope_p50"] == found["slope_p99"] == pytest.approx(45.0)
    assert found["hypsometric_integral"] == pytest.approx(0.5)


def test_a_bowl_is_a_pit():
    found = statistics(bowl(65, 65, 100.0), (30.0, 30.0))
    assert found["pits"] > 0.6 and found["free_drainage"] < 0.4


def test_a_shallow_pit_does_not_keep_land_from_draining():
    heights = plane(64, 64, 10.0, 0.0)
    heights[30, 30] -= 12.0  # 2 m below its lower neighbor, of 630 m of relief
    found = statistics(heights, (30.0, 30.0))
    assert found["pits"] == 1 / 64**2 and found["free_drainage"] == 1
    heights[30, 30] -= 20.0
    assert statistics(heights, (30.0, 30.0))["free_drainage"] < 1


def test_slopes_that_follow_area_have_their_concavity():
    """A valley whose floor is as steep as A^-0.5, and on each side of it strips of forty cells that
    drain into it.
    """
    floor = -np.cumsum(30.0 * 0.5 * np.arange(1, 400) ** -0.5)
    rows = np.abs(np.arange(-40, 41))[:, None]
    found = statistics(floor + 300.0 * rows, (30.0, 30.0), "closed")
    assert found["concavity"] == pytest.approx(0.5, abs=0.03) and found["concavity_r2"] > 0.98


def test_needles_are_counted():
    heights = np.zeros((100, 100))
    heights[10::20, 10::20] = 9.0
    assert statistics(heights + plane(100, 100, 0.0, 0.1), (10.0, 10.0))["needles"] == 25 * 100


def test_fine_cells_are_measured_as_those_of_elevation_models():
    fine = statistics(fractal(256, 256, 300.0), (10.0, 10.0))
    assert fine["measured_at"] == 30.0 and fine["cell_size"] == 10.0


def test_flat_and_small_land_has_no_rivers_to_measure():
    found = statistics(np.zeros((4, 4)), (1.0, 1.0))
    assert (
        found["concavity"] is None
        and found["free_drainage"] == 1
        and found["hypsometric_integral"] is None
    )


def test_slopes_of_a_cone_favor_no_direction_but_its_channels_show_the_eight_of_the_grid():
    row, col = np.mgrid[-150:151, -150:151]
    distance = np.hypot(row, col)
    # round, on a plain that faces nowhere
    cone = np.where(distance < 150, 3000.0 - 20.0 * distance, -1.0)
    found = statistics(cone, (30.0, 30.0))
    assert abs(found["slopes_along_grid"]) < 0.05
    assert found["channels_along_grid"] > 0.5


@pytest.mark.parametrize(("degrees", "expected"), [(0, 3.0), (45, 3.0), (22.5, -1.0)])
def test_a_plane_favors_its_own_direction(degrees, expected):
    row, col = np.mgrid[0:64, 0:64] * 30.0
    down = np.radians(degrees)
    assert (
        statistics(-(col * np.cos(down) + row * np.sin(down)), (30.0, 30.0))["slopes_along_grid"]
        == expected
    )


def test_the_plotted_curves_are_those_of_a_plane():
    found = curves(Land(plane(64, 64, 30.0, 0.0), (30.0, 30.0)))
    higher, height = found["hypsometry"]
    np.testing.assert_allclose(height, 1.0 - higher, atol=0.02)
    degrees, share = found["slopes"]
    # bars of 2° that hold all of it
    assert share[np.abs(degrees - 45.0) < 1.5].sum() == pytest.approx(0.5)
