# SPDX-License-Identifier: GPL-3.0-or-later
"""Composed views: above the ground, clear of the corners, with sky; the same view for the same
land.
"""

import math

import numpy as np
import pytest

from erosion_addon.scene.stage import studio, views
from erosion_addon.scene.terrain.mesh import make_grid_object
from tests.terrains import fractal

CELL = 10.0
LANDS = {
    "mountains": fractal(96, 96, relief=200.0),
    "dunes": 8.0 * np.sin(np.arange(128) / 4.0)[:, None] + np.zeros((128, 96)),
    "plain": np.zeros((64, 64)),
    "tiny": np.arange(9.0).reshape(3, 3),
    "valley": np.abs(np.arange(80) - 40.0)[None, :] * 4.0 + np.zeros((80, 80)),
}


def seen_along(land, view, up):
    """Whether a ray at an angle (radians) above the view's center hits the land."""
    rows, cols = land.shape
    for away in np.arange(1.0, 3 * max(rows, cols)):
        x = view.eye[0] - math.sin(view.heading) * away * CELL
        y = view.eye[1] + math.cos(view.heading) * away * CELL
        row = round(y / CELL + (rows - 1) / 2)
        col = round(x / CELL + (cols - 1) / 2)
        if not (0 <= row < rows and 0 <= col < cols):
            return False
        if view.eye[2] + math.tan(view.pitch + up) * away * CELL <= land[row, col]:
            return True
    return False


@pytest.mark.parametrize("name", LANDS)
def test_the_eye_is_above_the_ground_and_off_the_edges(name):
    land = LANDS[name]
    view = views.composed(land, (CELL, CELL))
    half = [(length - 1) * CELL / 2 for length in land.shape]
    assert abs(view.eye[0]) < 0.9 * half[1] and abs(view.eye[1]) < 0.9 * half[0]
    row, col = (
        round(at / CELL + (n - 1) / 2) for at, n in zip(view.eye[1::-1], land.shape, strict=True)
    )
    near = land[max(row - 1, 0) : row + 2, max(col - 1, 0) : col + 2]
    assert view.eye[2] > near.max() + 0.0039 * CELL * (min(land.shape) - 1)


@pytest.mark.parametrize("name", ["mountains", "dunes", "valley"])
def test_land_lies_below_and_sky_above(name):
    view = views.composed(LANDS[name], (CELL, CELL))
    high = math.atan(views.ASPECT * 0.5 * views.SENSOR / view.lens)
    assert seen_along(LANDS[name], view, -0.6 * high) and not seen_along(
        LANDS[name], view, 0.9 * high
    )


def test_gentle_land_is_seen_through_a_longer_lens_with_more_ground_and_less_sky():
    dunes, mountains = (
        views.composed(LANDS[name], (CELL, CELL)) for name in ("dunes", "mountains")
    )
    assert dunes.lens > mountains.lens + 5
    assert dunes.pitch < mountains.pitch


def test_low_dunes_on_a_plain_are_seen_from_above_their_crests_as_forms_on_the_ground():
    """Six dunes of 16 m on a plain of 3.8 km: the eye is five dunes high, and a third of the
    columns show a dune.
    """
    rows, cols = np.mgrid[:128, :128] * 30.0
    dunes = sum(
        np.maximum(16.0 - np.hypot(rows - row, cols - col) / 9.0, 0.0)
        for row, col in (
            (900, 800),
            (900, 2000),
            (1900, 1300),
            (2000, 2700),
            (3000, 900),
            (3100, 2300),
        )
    )
    view = views.composed(dunes, (30.0, 30.0))
    assert view.eye[2] > 5 * 16.0
    away = np.arange(80.0, 1500.0, 15.0)
    turned = view.heading + np.linspace(-0.28, 0.28, 9)[:, None]
    x = view.eye[0] - np.sin(turned) * away
    y = view.eye[1] + np.cos(turned) * away
    ground = dunes[
        np.clip(np.rint(y / 30 + 63.5).astype(int), 0, 127),
        np.clip(np.rint(x / 30 + 63.5).astype(int), 0, 127),
    ]
    assert (ground.max(axis=1) > 5.0).mean() >= 1 / 3


def test_a_sea_of_sand_is_seen_from_a_crest_as_one_who_stands_there_sees_it():
    """Ridges of 60 m, 400 m apart: the eye is 15 m above a crest, behind a long lens, and sees
    three more of them. Bare rock of the same form, and dunes around lakes, are seen from above.
    """
    land = 30.0 * (1 - np.cos(2 * math.pi * np.arange(192) / 20.0))[:, None] + np.zeros((192, 192))
    everywhere = np.ones(land.shape, bool)
    wet = land < 5.0
    view = views.composed(land, (20.0, 20.0), sand=everywhere)
    assert view.lens >= 70.0 and 0.0 < view.eye[2] - 60.0 <= 15.0
    rows = np.rint(
        (view.eye[1] + math.cos(view.heading) * np.arange(20.0, 3800.0, 20.0)) / 20.0 + 95.5
    ).astype(int)
    ahead = land[rows[(rows >= 0) & (rows < 192)], 0]
    crests = (ahead[1:-1] > 59.0) & (ahead[1:-1] >= ahead[:-2]) & (ahead[1:-1] > ahead[2:])
    assert crests.sum() >= 3
    for high in (
        views.composed(land, (20.0, 20.0)),
        views.composed(land, (20.0, 20.0), water=wet, sand=everywhere),
    ):
        assert high.eye[2] > 60.0 + 100.0


def test_the_ground_in_front_of_mountains_is_no_single_flank():
    """Of the columns of the picture at least half see further than a quarter of the land."""
    land = LANDS["mountains"]
    view = views.composed(land, (CELL, CELL))
    side = (len(land) - 1) * CELL
    far = 0
    for turned in view.heading + np.linspace(-0.4, 0.4, 9):
        away = np.arange(CELL, side, CELL)
        x = view.eye[0] - np.sin(turned) * away
        y = view.eye[1] + np.cos(turned) * away
        cells = [np.rint(at / CELL + 47.5).astype(int) for at in (y, x)]
        inside = np.logical_and.reduce([(at >= 0) & (at < 96) for at in cells])
        up = np.where(
            inside, (land[tuple(np.clip(at, 0, 95) for at in cells)] - view.eye[2]) / away, -9.0
        )
        far += away[inside & (up >= np.maximum.accumulate(up))].max() > 0.25 * side
    assert far >= 5


def test_it_looks_along_the_river():
    """Down a valley, or up, but not at its walls."""
    land = LANDS["valley"] + np.arange(80.0)[:, None]
    flow = np.zeros(land.shape)
    flow[:, 39:42] = 1000.0
    heading = views.composed(land, (CELL, CELL), flow).heading
    assert abs(math.sin(heading)) < 0.6


def test_the_same_land_is_seen_the_same_way_whatever_its_size_and_a_turn_is_kept_to():
    land = LANDS["mountains"]
    view, again, large = (
        views.composed(land * scale, (CELL * scale,) * 2) for scale in (1.0, 1.0, 1000.0)
    )
    assert view == again
    assert np.allclose(np.array(large.eye) / 1000.0, view.eye) and (
        large.heading,
        large.pitch,
    ) == pytest.approx((view.heading, view.pitch))
    for turn in (0.0, 2.0, -2.0):
        found = views.composed(land, (CELL, CELL), turn=turn).heading
        assert abs(math.remainder(found - turn, 2 * math.pi)) <= math.radians(40)


def test_a_turned_and_moved_terrain_has_its_camera_in_the_same_place_on_it(empty_scene):
    places = []
    for placed in ({}, {"location": (500.0, -300.0, 70.0), "rotation_euler": (0.0, 0.0, 1.2)}):
        obj = make_grid_object("Land", LANDS["mountains"], (CELL, CELL), empty_scene.collection)
        for name, value in placed.items():
            setattr(obj, name, value)
        empty_scene.view_layers[0].update()
        camera = studio.add_camera(empty_scene)
        studio.compose(camera, obj)
        empty_scene.view_layers[0].update()
        places.append(obj.matrix_world.inverted() @ camera.matrix_world)
    assert np.allclose(places[0], places[1], atol=1e-2)


def test_a_sea_is_seen_along_its_shore_not_from_far_inland():
    """Dunes everywhere but for a sea in the west, and pools of one cell in between, which are no
    shores.
    """
    cells = 288
    shore = 72
    across = np.arange(cells)
    dunes = 15.0 + 10.0 * np.sin(across / 10.0)[:, None] * np.sin(across / 14.0)[None, :]
    dunes *= 1.0 + 0.2 * np.maximum(across - shore, 0) / shore
    land = np.where(across < shore, 0.0, dunes)
    water = np.broadcast_to(across < shore, land.shape).copy()
    water[::4, shore::4] = True
    view = views.composed(land, (CELL, CELL), None, None, water)
    away = view.eye[0] - (shore - (cells - 1) / 2) * CELL
    assert abs(away) < 0.3 * cells * CELL


def test_snow_does_not_fill_the_ground_in_front():
    """Of mountains in snow down to their feet on one side, the picture shows the other side, or
    rock in front.
    """
    land = LANDS["mountains"]
    rows, cols = land.shape
    y, x = ((np.arange(n) - (n - 1) / 2) * CELL for n in land.shape)
    plain = views.composed(land, (CELL, CELL))
    before = ahead(plain, x[None, :], y[:, None], 0.35 * cols * CELL)
    snow = np.zeros((rows, cols), bool)
    snow[before.any(axis=1)] = True
    view = views.composed(land, (CELL, CELL), None, None, None, snow)
    assert (
        snow[before].mean() > 0.9
        and snow[ahead(view, x[None, :], y[:, None], 0.35 * cols * CELL)].mean() < 0.6
    )
    everywhere = views.composed(land, (CELL, CELL), None, None, None, np.ones_like(snow))
    assert everywhere == plain


def ahead(view, x, y, distance):
    """Cells that lie before the camera up to a distance."""
    right = x - view.eye[0]
    up = y - view.eye[1]
    forward = -right * math.sin(view.heading) + up * math.cos(view.heading)
    aside = right * math.cos(view.heading) + up * math.sin(view.heading)
    return (
        (forward > 0)
        & (np.abs(aside) < forward * 0.5 * views.SENSOR / view.lens)
        & (forward < distance)
    )
