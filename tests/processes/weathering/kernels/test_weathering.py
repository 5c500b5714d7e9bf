# SPDX-License-Identifier: GPL-3.0-or-later
"""Weathering kernel: closed forms of weathering and creep, law, symmetry, limits."""

import math

import numpy as np
import pytest

from erosion_addon.base.kernels.ghost_cells import CLOSED, OPEN, WRAP
from erosion_addon.processes.weathering.kernels import weathering as weather
from tests.terrains import fractal, plane

EDGES = {"open": OPEN, "closed": CLOSED, "wrap": WRAP}


def weathered(
    rock, loose, edges="closed", steps=10, masks=None, moisture=None, seams=(), **numbers
):
    """Rock, loose material and what has left after so many steps; masks (rows, cols, 3).

    seams: rows above which bands begin.
    """
    rows, cols = np.shape(rock)
    rock, loose = (np.pad(np.asarray(array, float), 1) for array in (rock, loose))
    if masks is not None:
        mode = {"mode": "wrap"} if edges == "wrap" else {"constant_values": 1.0}
        masks = np.ascontiguousarray(
            np.pad(masks.astype(np.float32), ((1, 1), (1, 1), (0, 0)), **mode)
        )
    given = {
        "production": 0.0,
        "depth": 0.5,
        "wetness": 0.0,
        "row_share": 0.0,
        "col_share": 0.0,
        "row_spacing": 1.0,
        "col_spacing": 1.0,
        **numbers,
    }
    constants = weather.Constants(**given, edges=EDGES[edges])
    bands = np.array([0, *seams, rows])
    maps = weather.make_maps(len(bands) - 1, rows, cols)
    work = weather.make_rows(cols)
    weather.weather(rock, loose, masks, moisture, constants, bands, maps, work, steps)
    return rock[1:-1, 1:-1], loose[1:-1, 1:-1], maps.exported[0]


def by_plain_python(rock, loose, edges, steps, share, production, depth):
    """The same cell by cell, for square cells of 1 m without masks."""
    rows, cols = rock.shape
    rock = rock.copy()
    loose = loose.copy()
    out = 0.0
    for _ in range(steps):
        old_rock = rock.copy()
        old_loose = loose.copy()

        def height(row, col, rock=old_rock, loose=old_loose):
            if 0 <= row < rows and 0 <= col < cols:
                return rock[row, col] + loose[row, col]
            last = min(max(row, 0), rows - 1), min(max(col, 0), cols - 1)
            if edges == "wrap":
                return height(row % rows, col % cols)
            if edges == "closed":
                return height(*last)
            ends = tuple(zip(last, (row, col), strict=True))
            inside, far = (tuple(end + step * (end - at) for end, at in ends) for step in (1, 2))
            steps = height(*last) - height(*inside), height(*inside) - height(*far)
            return height(*last) + (min(steps, key=abs) if steps[0] * steps[1] > 0 else 0.0)

        def wishes(row, col, height=height, old_loose=old_loose):
            around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
            falls = {to: height(row, col) - height(*to) for to in around}
            wishes = {to: share * fall for to, fall in falls.items() if fall > 0}
            total = sum(wishes.values())
            return {to: wish * min(1.0, old_loose[row, col] / total) for to, wish in wishes.items()}

        for row in range(rows):
            for col in range(cols):
                for (to_row, to_col), gone in wishes(row, col).items():
                    loose[row, col] -= gone
                    if edges == "wrap" or (0 <= to_row < rows and 0 <= to_col < cols):
                        loose[to_row % rows, to_col % cols] += gone
                    else:
                        out += gone
        for row in range(rows):
            for col in range(cols):
                slope = []
                for at, end, way in ((row, rows, (1, 0)), (col, cols, (0, 1))):
                    before, after = (
                        (1, 1)
                        if edges == "wrap" or 0 < at < end - 1
                        else (int(at == 0), int(at > 0))
                    )
                    back = height(row - before * way[0], col - before * way[1])
                    on = (row + after * way[0], col + after * way[1])
                    slope.append((height(*on) - back) / (before + after))
                amount = production * math.hypot(1, *slope)
                new = depth * math.log(1 + amount / depth * math.exp(-loose[row, col] / depth))
                rock[row, col] -= new
                loose[row, col] += new
    return rock, loose, out


@pytest.mark.parametrize("edges", EDGES)
def test_it_does_what_plain_python_does(edges):
    rock = fractal(7, 9, 4.0)
    loose = fractal(7, 9, 0.5, seed=2)
    ours = weathered(rock, loose, edges, 12, production=0.02, row_share=0.1, col_share=0.1)
    theirs = by_plain_python(rock, loose, edges, 12, 0.1, 0.02, 0.5)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
    assert (ours[2] > 0) == (edges == "open")


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("masked", [False, True])
def test_bands_of_rows_give_the_same_bits_as_all_rows_at_once(edges, masked):
    rock = fractal(11, 9, 9.0)
    loose = fractal(11, 9, 0.5, seed=1)
    masks = np.random.default_rng(4).integers(0, 9, (11, 9, 3)) / 8 if masked else None
    for numbers in ({"production": 0.01, "row_share": 0.1, "col_share": 0.1}, {"production": 0.01}):
        whole = weathered(rock, loose, edges, 20, masks, **numbers)
        for seams in ((5,), (1, 2, 3), (4, 5, 10), tuple(range(1, 11))):
            parts = weathered(rock, loose, edges, 20, masks, seams=seams, **numbers)
            assert all(
                np.array_equal(one, other) for one, other in zip(whole, parts, strict=True)
            ), (numbers, seams)


def test_level_rock_grows_its_cover_as_the_logarithm_of_time():
    """∂L/∂t = P exp(-L / d) from bare rock: L = d · log(1 + P t / d), whatever the number of
    steps.
    """
    for steps in (1, 10, 1000):
        rock, loose, _ = weathered(
            np.zeros((3, 3)), np.zeros((3, 3)), steps=steps, production=4.0 / steps
        )
        assert loose == pytest.approx(np.full((3, 3), 0.5 * math.log(1 + 4.0 / 0.5)), rel=1e-12)
        assert rock == pytest.approx(-loose, rel=1e-12)


def test_a_steep_face_weathers_by_its_own_area_and_not_by_its_shadow():
    rock = plane(5, 5, 3.0, 4.0)
    _, loose, _ = weathered(rock, np.zeros((5, 5)), "open", 1, production=1e-6)
    assert loose == pytest.approx(np.full((5, 5), 1e-6 * math.sqrt(26)), rel=1e-5)


def test_wet_rock_weathers_faster_and_dry_rock_slower():
    moisture = np.tile(np.float32([0.0, 0.5, 1.0]), (3, 1))
    bare = np.zeros((3, 3))
    _, loose, _ = weathered(bare, bare, steps=1, production=1e-6, wetness=0.5, moisture=moisture)
    assert loose[1] == pytest.approx([0.5e-6, 1e-6, 1.5e-6], rel=1e-5)


def test_a_wave_of_sand_creeps_away_at_the_rate_of_its_length():
    """Each step takes the discrete wave down to 1 - 4 s sin²(k/2) of itself, where s is the share
    of a face.
    """
    wave = np.cos(2 * np.pi * np.arange(16) / 16)
    for axis in (0, 1):
        shape = (16, 5) if axis == 0 else (5, 16)
        loose = 50.0 + np.broadcast_to(wave[:, None] if axis == 0 else wave, shape)
        rock, after, _ = weathered(np.zeros(shape), loose, "wrap", 40, row_share=0.1, col_share=0.1)
        expected = 50 + (loose - 50) * (1 - 0.4 * math.sin(math.pi / 16) ** 2) ** 40
        np.testing.assert_allclose(after, expected, rtol=0, atol=1e-12)
        assert not rock.any()


def test_a_level_surface_and_bare_rock_do_not_creep():
    rock = fractal(8, 8, 5.0)
    _, loose, _ = weathered(rock, 9.0 - rock, row_share=0.1, col_share=0.1)
    np.testing.assert_allclose(loose, 9.0 - rock, rtol=0, atol=1e-12)
    assert not weathered(rock, np.zeros((8, 8)), row_share=0.1, col_share=0.1)[1].any()


@pytest.mark.parametrize("edges", EDGES)
def test_no_mass_is_lost_and_never_more_creeps_than_there_is(edges):
    rock = fractal(20, 23, 90.0, steepness=1.0)
    loose = fractal(20, 23, 0.3, seed=1)
    new_rock, new_loose, exported = weathered(
        rock, loose, edges, 100, production=0.01, row_share=0.2, col_share=0.05
    )
    change = (new_rock - rock).sum() + (new_loose - loose).sum()
    assert abs(change + exported) <= 1e-9 * (rock - new_rock).sum()
    assert new_loose.min() >= 0 and (new_rock < rock).all() and (exported > 0) == (edges == "open")


@pytest.mark.parametrize("height", [3.0, 10.0])
def test_open_edges_of_a_checkerboard_are_dug_no_deeper_than_closed_ones(height):
    """Before, an edge below bare rock lost all that it had, the more the deeper: 8 to 12 times as
    deep.
    """
    rock = np.indices((20, 22)).sum(axis=0) % 2 * height
    dug = []
    for edges in ("open", "closed"):
        after = weathered(
            rock, np.zeros_like(rock), edges, 200, production=0.01, row_share=0.1, col_share=0.1
        )
        dug.append((rock - after[0] - after[1]).max())
    assert dug[0] <= 1.2 * dug[1]


@pytest.mark.parametrize("edges", EDGES)
def test_a_turned_or_mirrored_terrain_gives_the_same_bits_turned_or_mirrored(edges):
    rock = fractal(13, 13, 9.0)
    loose = fractal(13, 13, 0.5, seed=1)
    masks = np.random.default_rng(0).random((13, 13, 3))
    numbers = {"production": 0.01, "row_share": 0.1, "col_share": 0.1}
    for mask in (None, masks):
        after = weathered(rock, loose, edges, 20, mask, **numbers)
        for turn in (np.flipud, np.fliplr, lambda a: a.swapaxes(0, 1), np.rot90):
            turned = weathered(
                turn(rock), turn(loose), edges, 20, None if mask is None else turn(mask), **numbers
            )
            assert np.array_equal(turned[0], turn(after[0])) and np.array_equal(
                turned[1], turn(after[1])
            )
