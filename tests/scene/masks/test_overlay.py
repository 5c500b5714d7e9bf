# SPDX-License-Identifier: GPL-3.0-or-later
"""Mask overlay: the mask values, on the surface, in a monotonic color ramp."""

import bpy
import numpy as np
import pytest

from erosion_addon.scene.masks import overlay as mask_overlay
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.mesh import positions


@pytest.fixture(autouse=True)
def nothing_shown():
    yield
    mask_overlay.hide()


def drawn(obj, share):
    return mask_overlay.surface(grid.find_lattice(obj), positions(obj.data), share)


def test_every_vertex_of_a_small_terrain_is_drawn_where_it_is(make_hills):
    obj = make_hills(20, 30)
    points, colors, faces = drawn(obj, np.zeros((20, 30), np.float32))
    assert np.array_equal(points, positions(obj.data))
    assert colors.shape == (600, 4) and faces.shape == (2 * 19 * 29, 3)
    assert (points.dtype, colors.dtype, faces.dtype) == (np.float32, np.float32, np.int32)


def test_the_order_of_the_vertices_does_not_matter(make_points):
    row, col = np.mgrid[:5, :4]
    places = np.stack([col.ravel(), row.ravel(), (row * col).ravel()], -1)
    obj = make_points(places[np.random.default_rng(1).permutation(20)])
    assert np.array_equal(drawn(obj, np.zeros((5, 4), np.float32))[0], places)


def test_the_triangles_cover_the_terrain_once(make_hills):
    points, _, faces = drawn(make_hills(7, 9, spacing=(3.0, 2.0)), np.zeros((7, 9), np.float32))
    a, b, c = (points[faces[:, corner], :2].astype(float) for corner in range(3))
    areas = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    assert (areas > 0).all() and areas.sum() == pytest.approx(6 * 3.0 * 8 * 2.0)


def test_a_large_terrain_is_drawn_coarser_but_with_the_masks_own_values_and_above_the_ground(
    make_hills,
):
    rows = 1500
    cols = 40
    obj = make_hills(rows, cols)
    share = np.random.default_rng(2).random((rows, cols)).astype(np.float32)
    points, colors, _ = drawn(obj, share)
    assert len(points) == mask_overlay.FINEST * cols
    place = positions(obj.data).reshape(rows, cols, 3)
    row = np.searchsorted(place[:, 0, 1], points[::cols, 1])
    assert row[0] == 0 and row[-1] == rows - 1 and (np.diff(row) > 0).all()
    assert np.array_equal(place[row, 0, 1], points[::cols, 1])
    assert np.array_equal(colors[:, 3], mask_overlay.colors_of(share[row])[..., 3].ravel())
    # also rows that are not drawn lie below one of those beside them
    above = np.searchsorted(row, np.arange(rows))
    height = points[:, 2].reshape(-1, cols)
    assert (np.maximum(height[above], height[np.maximum(above - 1, 0)]) >= place[..., 2]).all()


def test_a_terrain_whose_z_axis_points_down_is_covered_from_above(make_hills):
    obj = make_hills(1500, 6)
    obj.scale.z = -1.0
    bpy.context.view_layer.update()
    points, _, _ = drawn(obj, np.zeros((1500, 6), np.float32))
    place = positions(obj.data).reshape(1500, 6, 3)
    row = np.searchsorted(place[:, 0, 1], points[::6, 1])
    assert (points[:, 2].reshape(-1, 6) <= place[row][..., 2]).all()


def test_the_colors_are_those_that_weight_paint_paints():
    colors = mask_overlay.colors_of(np.float32([0, 0.25, 0.5, 0.75, 1]))
    # Blue, cyan, green, yellow, red, each (0.5 + value / 2) as bright: BKE_defvert_weight_to_rgb of
    # Blender.
    expected = [(0, 0, 0.5), (0, 0.625, 0.625), (0, 0.75, 0), (0.875, 0.875, 0), (1, 0, 0)]
    assert colors[:, :3] == pytest.approx(np.array(expected), abs=1e-6)
    assert (colors[:, 3] == np.float32(mask_overlay.OPACITY)).all()


def test_the_colors_of_the_preferences_count_where_they_are_used():
    view = bpy.context.preferences.view
    before = view.use_weight_color_range
    try:
        view.use_weight_color_range = True
        ends = [tuple(view.weight_color_range.evaluate(share)[:3]) for share in (0.0, 1.0)]
        assert mask_overlay.colors_of(np.float32([0, 1]))[:, :3] == pytest.approx(np.array(ends))
    finally:
        view.use_weight_color_range = before


def test_values_beyond_the_ramp_are_drawn_as_its_ends():
    ends = mask_overlay.colors_of(np.float32([0, 1]))
    assert np.array_equal(mask_overlay.colors_of(np.float32([-3, 7])), ends)


@pytest.mark.parametrize("steepness", [0.5, 2.0, 20.0])
def test_slopes_towards_the_light_are_brighter_and_colors_are_told_apart_on_those_away_from_it(
    make_hills, steepness
):
    obj = make_hills(21, 21)
    place = positions(obj.data)
    row, col = np.mgrid[:21, :21]
    place[:, 2] = -np.hypot(row - 10, col - 10).ravel() * 2 * steepness  # a cone, of cells of 2 m
    _, colors, _ = mask_overlay.surface(
        grid.find_lattice(obj), place, np.ones((21, 21), np.float32)
    )
    brightness = colors[:, 0].reshape(21, 21)  # of the red that stands for 1
    assert brightness[15, 5] > 1.1 * brightness[5, 15]  # row 0 is the south, column 0 the west
    assert brightness.min() >= 0.6 and brightness.max() <= 1.0


def test_showing_and_hiding_leaves_no_handlers(make_hills):
    obj = make_hills(8, 8)
    for _ in range(2):
        share = np.ones((8, 8), np.float32)
        mask_overlay.show(
            obj, grid.find_lattice(obj), positions(obj.data), share, "Rain", (0.0, 2.5)
        )
    assert session.masks.overlay.legend == ("0", "2.5") and len(session.masks.handles) == 2
    mask_overlay.hide()
    assert session.masks.overlay is None and not session.masks.handles
