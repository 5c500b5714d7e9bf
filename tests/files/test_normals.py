# SPDX-License-Identifier: GPL-3.0-or-later
"""Normal map against closed forms."""

import numpy as np
import pytest

from erosion_addon import InputError
from erosion_addon.files.maps import GREENS, normals
from tests.terrains import fractal, plane


def decoded(elevation, spacing, **options):
    return 2.0 * normals(elevation, spacing, **options).astype(np.float64) - 1.0


@pytest.mark.parametrize("spacing", [(10.0, 10.0), (5.0, 20.0), (3.0, 1.0)])
def test_a_tilted_plane_faces_one_way_to_its_edges(spacing):
    """h = 0.3 x - 0.7 y in meters, on cells of any shape: n = (-0.3, 0.7, 1) / √1.58."""
    y, x = np.mgrid[:8, :11] * np.array(spacing)[:, None, None]
    expected = np.array([-0.3, 0.7, 1.0]) / np.sqrt(1 + 0.3**2 + 0.7**2)
    assert decoded(0.3 * x - 0.7 * y, spacing) == pytest.approx(
        np.broadcast_to(expected, (8, 11, 3)), abs=2e-7
    )


@pytest.mark.parametrize("spacing", [(4.0, 4.0), (2.0, 6.0)])
def test_a_cone_faces_outward_alike_on_all_sides(spacing):
    """h = -0.5 r: n = (0.5 x / r, 0.5 y / r, 1) / √1.25. Central differences are off by (d / r)² /
    8 of a slope or so: 60 cells from the tip by less than a thousandth.
    """
    y, x = (np.mgrid[-90:91, -90:91] + 0.0) * np.array(spacing)[:, None, None]
    r = np.hypot(x, y)
    far = r > 60 * max(spacing)
    expected = np.stack(
        [0.5 * x[far] / r[far], 0.5 * y[far] / r[far], np.ones(far.sum())], -1
    ) / np.sqrt(1.25)
    assert np.abs(decoded(-0.5 * r, spacing)[far] - expected).max() < 1e-3


def test_turning_green_around_is_the_only_difference():
    opengl, directx = (normals(fractal(20, 30, 50.0), (2.0, 3.0), green=green) for green in GREENS)
    assert np.array_equal(opengl[..., [0, 2]], directx[..., [0, 2]])
    assert np.abs(opengl[..., 1] + directx[..., 1] - 1).max() < 1e-6 and opengl[..., 1].std() > 0.1


def test_ground_that_rises_to_larger_y_is_dark_in_green_for_opengl():
    """It faces to smaller y, which is down in an image of top row last; for DirectX down is
    bright.
    """
    rising = plane(5, 5, fall_along_row=-1.0)
    assert (
        normals(rising, (1.0, 1.0))[2, 2, 1] < 0.2
        and normals(rising, (1.0, 1.0), green="directx")[2, 2, 1] > 0.8
    )


def test_edges_that_wrap_see_the_other_side():
    heights = fractal(12, 16, 5.0)
    shifted = normals(np.roll(heights, (5, 3), (0, 1)), (1.0, 2.0), wrap=True)
    assert np.array_equal(
        np.roll(shifted, (-5, -3), (0, 1)), normals(heights, (1.0, 2.0), wrap=True)
    )


def test_another_green_is_refused():
    with pytest.raises(InputError, match="no normals 'blue'; choose one of opengl, directx"):
        normals(np.zeros((3, 3)), (1.0, 1.0), green="blue")
