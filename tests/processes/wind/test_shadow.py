# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind shadow: position, plain Python, and the same bytes on any number of threads."""

import math
import threading

import numpy as np
import pytest

from erosion_addon.processes.wind import shadow as wind_shadow
from erosion_addon.processes.wind.kernels import shadow as kernels
from erosion_addon.processes.wind.shadow import WindShadow
from tests.terrains import fractal

WINDS = [
    (0.6, 1.3),
    (-0.6, 1.3),
    (0.6, -1.3),
    (-0.6, -1.3),
    (1.3, 0.6),
    (1.3, -0.6),
    (-1.3, 0.6),
    (-1.3, -0.6),
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, 1.0),
    (0.0, -1.0),
    (1.0, 1.0),
    (1.0, -1.0),
    (-1.0, 1.0),
    (-1.0, -1.0),
]


def shadow(surface, wind, drop, wrap, threads=1, before=math.nan):
    ground = np.stack([surface, 0 * surface], -1)
    shade = np.full(surface.shape, before)
    WindShadow(surface.shape, threads).cast(ground, shade, wind, drop, wrap)
    return shade


def by_plain_python(surface, wind, drop, wrap):
    """Line by line along rows or columns; twice around where edges wrap."""
    if abs(wind[1]) >= abs(wind[0]):
        return rows_by_plain_python(surface.T, *wind[::-1], drop, wrap).T
    return rows_by_plain_python(surface, *wind, drop, wrap)


def rows_by_plain_python(surface, along, beside, drop, wrap):
    rows, cols = surface.shape
    order = range(rows) if along > 0 else range(rows - 1, -1, -1)
    shift = -beside / abs(along)
    part = shift - math.floor(shift)
    shade = np.full(surface.shape, -math.inf)
    for number in range(1, 2 * rows if wrap else rows):
        row = order[number % rows]
        before = order[(number - 1) % rows]
        top = np.maximum(surface[before], shade[before])
        low, high = (np.arange(cols) + math.floor(shift) + more for more in (0, 1))
        low, high = (at % cols if wrap else np.clip(at, 0, cols - 1) for at in (low, high))
        shade[row] = top[low] + part * (top[high] - top[low]) - drop
    return shade


def test_where_no_thread_starts_the_shadow_is_the_same_and_nothing_waits(monkeypatch):
    """As where a limit of the user's is reached; threads meet after each line of strips."""
    surface = fractal(96, 96, 3.0)
    expected = shadow(surface, (0.6, 1.3), 0.01, True)

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(wind_shadow, "NARROWEST", 8)
    monkeypatch.setattr(wind_shadow, "CELLS", 1)
    assert np.array_equal(shadow(surface, (0.6, 1.3), 0.01, True, threads=4), expected)


@pytest.mark.parametrize("direction", [0, 90, 180, 270])
def test_a_tower_casts_a_shadow_downwind_of_its_height(direction):
    surface = np.zeros((31, 31))
    surface[15, 15] = 1.0
    angle = math.radians(direction)
    row = round(math.sin(angle))
    col = round(math.cos(angle))
    shade = shadow(surface, (float(row), float(col)), 0.125, wrap=False)
    lee = {tuple(place) for place in np.argwhere(shade > 0)}
    assert lee == {(15 + row * step, 15 + col * step) for step in range(1, 8)}
    assert shade[15 + 3 * row, 15 + 3 * col] == 1 - 3 * 0.125


def test_a_slanting_shadow_lies_along_the_wind_and_wraps():
    surface = np.zeros((16, 16))
    surface[14, 14] = 1.0
    shade = shadow(surface, (1.0, 1.0), 0.1, wrap=True)
    assert shade[0, 0] == pytest.approx(0.8) and shade[2, 2] == pytest.approx(0.6)
    shade = shadow(surface, (1.0, 1.0), 0.1, wrap=False)
    assert shade[15, 15] == pytest.approx(0.9) and shade[0, 0] == -math.inf


@pytest.mark.slow
@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("shape", [(3, 3), (3, 9), (9, 3), (40, 27), (290, 5)])
def test_it_does_what_plain_python_does(shape, wrap):
    """To the last bit, whatever the array holds before; with shadows that end soon, and with some
    that go around.
    """
    surface = fractal(*shape, seed=1)
    for wind in WINDS:
        for drop in (3.0, 0.3, 1e-3):
            expected = by_plain_python(surface, wind, drop, wrap)
            assert np.array_equal(shadow(surface, wind, drop, wrap), expected), (wind, drop)
            assert np.array_equal(shadow(surface, wind, drop, wrap, before=expected), expected), (
                wind,
                drop,
            )


def all_strips_to_their_ends(patched):
    """Strips that reach into a neighbor's cells do not wait for it."""

    def cast(*given):
        if given[-1]:
            CAST(*given)
            CAST(*given[:-1], False)

    patched.setattr(kernels, "cast", cast)


CAST = kernels.cast


@pytest.mark.slow
@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("wrong", [None, all_strips_to_their_ends])
def test_the_same_bytes_on_any_number_of_threads(wrong, wrap, monkeypatch):
    """On threads, and with the strips swept one after another from either side, which a wrong
    scheme would betray.
    """
    monkeypatch.setattr(wind_shadow, "CELLS", 1)
    monkeypatch.setattr(wind_shadow, "NARROWEST", 3)
    surface = fractal(48, 37, seed=1)
    alone = [shadow(surface, wind, 0.1, wrap) for wind in WINDS]
    if wrong is not None:
        wrong(monkeypatch)
    else:
        for threads in (2, 4, 8):
            assert [shadow(surface, wind, 0.1, wrap, threads).tobytes() for wind in WINDS] == list(
                map(np.ndarray.tobytes, alone)
            )
    seen = []
    for way in (1, -1):
        monkeypatch.setattr(
            wind_shadow,
            "in_parts",
            lambda do, count, threads, way=way: [do(strip) for strip in range(count)[::way]],
        )
        seen += [
            np.array_equal(shadow(surface, wind, 0.1, wrap, 8), one)
            for wind, one in zip(WINDS, alone, strict=True)
        ]
    assert all(seen) == (wrong is None)


def test_a_small_terrain_is_left_to_one_thread_and_a_long_one_too():
    for shape, size in (((512, 512), 1), ((1024, 1024), 4), ((4096, 4096), 8), ((70, 2**20), 1)):
        assert WindShadow(shape, 8).strips == size
