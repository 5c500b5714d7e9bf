# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of detail: error bound at every grid point, no cracks, matching borders."""

import numpy as np
import pytest

from erosion_addon.bake import lod
from erosion_addon.bake.lod import levels, water_height, water_levels
from erosion_addon.base.errors import InputError
from tests.terrains import fractal

SIZES = [(3, 3), (3, 40), (33, 33), (50, 37), (64, 129)]


def surface_of(level, height):
    """Height of the triangles at every grid point, NaN where there is none, by a plain loop."""
    at = np.full(height.shape, np.nan)
    row, col = np.divmod(level.cells, height.shape[1])
    for a, b, c in level.triangles:
        below = min(row[a], row[b], row[c])
        above = max(row[a], row[b], row[c]) + 1
        r, q = np.mgrid[below:above, min(col[a], col[b], col[c]) : max(col[a], col[b], col[c]) + 1]
        area = (col[b] - col[a]) * (row[c] - row[a]) - (col[c] - col[a]) * (row[b] - row[a])
        assert area > 0, "counterclockwise, and no triangle without area"
        of_b = ((q - col[a]) * (row[c] - row[a]) - (col[c] - col[a]) * (r - row[a])) / area
        of_c = ((col[b] - col[a]) * (r - row[a]) - (q - col[a]) * (row[b] - row[a])) / area
        inside = (of_b >= -1e-12) & (of_c >= -1e-12) & (of_b + of_c <= 1 + 1e-12)
        z = height.ravel()[level.cells[[a, b, c]]]
        at[r[inside], q[inside]] = (z[0] + of_b * (z[1] - z[0]) + of_c * (z[2] - z[0]))[inside]
    return at


def edge_counts(level):
    """Number of triangles at each edge; no edge may occur twice in one direction."""
    directed = np.concatenate([level.triangles[:, [i, (i + 1) % 3]] for i in range(3)])
    assert len(np.unique(directed, axis=0)) == len(directed)
    return np.unique(np.sort(directed, axis=1), axis=0, return_counts=True)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("error", [0.01, 1.0, 8.0])
def test_triangles_are_within_the_error_at_every_point(shape, error):
    height = fractal(*shape, relief=50.0)
    (level,) = levels(height, [error], (10.0, 10.0))
    off = np.abs(surface_of(level, height) - height)
    assert off.max() <= error + 1e-9  # NaN, a point that nothing covers, fails too


@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("spacing", [(10.0, 10.0), (10.0, 3.7), (1.0, 8.0)])
def test_there_are_no_cracks_and_the_whole_rectangle_is_covered_once(shape, spacing):
    height = fractal(*shape, relief=50.0, seed=3)
    rows, cols = shape
    for level in levels(height, [0.5, 4.0], spacing):
        edges, counts = edge_counts(level)
        row, col = np.divmod(level.cells[edges], cols)
        border = ((row == 0) | (row == rows - 1)).all(axis=1) & (row[:, 0] == row[:, 1])
        border |= ((col == 0) | (col == cols - 1)).all(axis=1) & (col[:, 0] == col[:, 1])
        assert (counts == np.where(border, 1, 2)).all()
        row, col = np.divmod(level.cells[level.triangles], cols)
        areas = (col[:, 1] - col[:, 0]) * (row[:, 2] - row[:, 0]) - (col[:, 2] - col[:, 0]) * (
            row[:, 1] - row[:, 0]
        )
        assert areas.min() > 0 and areas.sum() == 2 * (rows - 1) * (cols - 1)


def test_triangles_are_delaunay_in_meters():
    """No vertex lies in the circle around a triangle (Garland and Heckbert keep this at every
    insertion).
    """
    height = fractal(30, 40, relief=50.0)
    (level,) = levels(height, [2.0], (10.0, 4.0))
    row, col = np.divmod(level.cells, 40)
    places = np.stack([col * 4.0, row * 10.0], -1)
    a, b, c = (places[level.triangles[:, i]] for i in range(3))
    matrix = 2 * np.stack([b - a, c - a], axis=1)
    right = np.stack([(b**2 - a**2).sum(1), (c**2 - a**2).sum(1)], axis=1)
    middles = np.linalg.solve(matrix, right[..., None])[..., 0]
    nearest = np.linalg.norm(places[None] - middles[:, None], axis=-1).min(axis=1)
    assert (nearest >= np.linalg.norm(a - middles, axis=1) * (1 - 1e-9)).all()


def test_a_plane_takes_two_triangles_and_a_larger_error_no_more_triangles():
    row, col = np.mgrid[:20, :30]
    assert len(levels(3.0 * row - 2.0 * col, [1e-4], (1.0, 1.0))[0].triangles) == 2
    counts = [
        len(level.triangles)
        for level in levels(fractal(64, 64, relief=50.0), [0.1, 1.0, 5.0, 1e6], (1.0, 1.0))
    ]
    assert counts == sorted(counts, reverse=True) and counts[0] > 10 * counts[2]


def test_vertices_of_a_level_are_vertices_of_all_finer_ones():
    fine, middle, coarse = levels(fractal(50, 60, relief=50.0), [0.5, 2.0, 10.0], (10.0, 10.0))
    assert set(coarse.cells) < set(middle.cells) < set(fine.cells)
    assert [level.error for level in (fine, middle, coarse)] == [0.5, 2.0, 10.0]


def test_levels_of_neighboring_tiles_fit_along_the_border_that_they_share():
    both = fractal(50, 81, relief=50.0, seed=4)
    left, right = (levels(tile, [0.5, 8.0], (10.0, 10.0)) for tile in (both[:, :41], both[:, 40:]))
    borders = [set(level.cells[level.cells % 41 == 40] // 41) for level in left]
    borders += [set(level.cells[level.cells % 41 == 0] // 41) for level in right]
    assert all(border == borders[0] for border in borders) and 2 < len(borders[0]) < 50


def test_a_lake_is_covered_and_its_depth_followed_by_few_triangles_that_end_below_the_land():
    row, col = np.mgrid[:60, :80]
    # low ground beyond
    land = np.minimum(0.02 * ((row - 30) ** 2 + (col - 40) ** 2), 12.0 + 0.1 * row - 0.3 * col)
    wet = land < np.where(col < 50, 5.0, -np.inf)
    height = water_height(np.full(land.shape, 5.0), land, wet)
    depth = np.maximum(height - land, 0)
    assert (height[wet] == 5).all() and (height <= np.maximum(land, 5.0)).all()
    for level in water_levels(height, depth, wet, [0.2, 2.0], (10.0, 10.0)):
        at = surface_of(level, height)
        covered = ~np.isnan(at)
        assert covered[wet].all() and not covered[:, -5:].all()
        assert np.abs(at - 5.0)[wet].max() <= level.error + 1e-9
        assert (at - land)[covered & ~wet].max() <= level.error + 1e-9
        assert np.abs(surface_of(level, depth) - depth)[wet].max() <= level.error + 1e-9
        assert set(edge_counts(level)[1]) == {1, 2}
        assert len(level.triangles) < 0.3 * 2 * wet.sum()


def test_the_level_goes_on_from_the_nearest_water():
    wet = np.zeros((8, 9), bool)
    wet[0, 0] = wet[7, 8] = True
    level = np.where(np.arange(9) < 4, 3.0, 7.0) * np.ones((8, 1))
    height = water_height(level, np.full((8, 9), 100.0), wet)
    assert (
        (height[:4, :4] == 3).all()
        and (height[4:, 8] == 7).all()
        and set(np.unique(height)) <= {3, 5, 7}
    )
    assert (water_height(level, np.full((8, 9), 1.0), wet)[~wet] == 1).all()


def test_nothing_wet_makes_no_triangles():
    (level,) = water_levels(
        np.zeros((9, 9)), np.zeros((9, 9)), np.zeros((9, 9), bool), [1.0], (1.0, 1.0)
    )
    assert len(level.triangles) == len(level.cells) == 0


def test_a_small_start_grows_to_the_same_triangles(monkeypatch):
    height = fractal(40, 40, relief=50.0)
    (usual,) = levels(height, [0.2], (1.0, 1.0))
    monkeypatch.setattr(lod, "ROOM", 8)
    (grown,) = levels(height, [0.2], (1.0, 1.0))
    assert len(grown.triangles) == pytest.approx(len(usual.triangles), rel=0.05)
    assert np.abs(surface_of(grown, height) - height).max() <= 0.2 + 1e-9


@pytest.mark.parametrize("errors", [[], [0.0], [-1.0], [1.0, float("nan")], [float("inf")]])
def test_errors_that_are_none_are_refused(errors):
    with pytest.raises(InputError, match="Levels of detail need at least one error"):
        levels(np.zeros((5, 5)), errors, (1.0, 1.0))
