# SPDX-License-Identifier: GPL-3.0-or-later
"""Start terrains: their forms, their seeds, and what they refuse."""

from itertools import pairwise

import numpy as np
import pytest

from erosion_addon.model import InputError
from erosion_addon.model.sources import SOURCES, make

NOISES = ("fractal", "ridged", "bumps", "faults")


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("shape", [(3, 3), (37, 64), (64, 37)])
def test_every_kind_fills_any_rectangle_with_metres(kind, shape):
    terrain = make(kind, *shape, cell_size=10.0, seed=1)
    assert terrain.shape == shape and terrain.spacing == (10.0, 10.0)
    assert terrain.elevation.min() == 0.0
    assert terrain.relief < 1000.0


@pytest.mark.parametrize("kind", SOURCES)
def test_the_same_seed_makes_the_same_bytes(kind):
    assert make(kind, 20, 30, seed=7).elevation.tobytes() == make(kind, 20, 30, seed=7).elevation.tobytes()


@pytest.mark.parametrize("kind", NOISES)
def test_another_seed_makes_another_terrain(kind):
    assert not np.array_equal(make(kind, 20, 30, seed=7).elevation, make(kind, 20, 30, seed=8).elevation)


@pytest.mark.parametrize("kind", NOISES)
def test_relief_is_reached_exactly(kind):
    assert make(kind, 50, 40, values={"relief": 123.0}).relief == pytest.approx(123.0, abs=1e-9)


@pytest.mark.parametrize("kind", ["fractal", "ridged", "bumps"])
def test_noise_tiles(kind):
    elevation = make(kind, 64, 96, seed=2).elevation
    for axis in (0, 1):
        seam = np.abs(elevation.take(0, axis) - elevation.take(-1, axis)).mean()
        inside = np.abs(np.diff(elevation, axis=axis)).mean()
        assert seam < 2 * inside


def test_the_spectrum_of_fractal_noise_falls_with_its_roughness():
    # Amplitude ~ frequency^(roughness - 2), so power ~ frequency^(2 roughness - 4); averaged over rings.
    for roughness in (0.0, 0.5):
        power = np.abs(np.fft.fft2(make("fractal", 256, 256, seed=3, values={"roughness": roughness}).elevation)) ** 2
        frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(256), np.fft.fftfreq(256)))
        rings = np.geomspace(4, 100, 12) / 256
        mean = [power[(frequency >= a) & (frequency < b)].mean() for a, b in pairwise(rings)]
        slope = np.polyfit(np.log(np.sqrt(rings[:-1] * rings[1:])), np.log(mean), 1)[0]
        assert slope == pytest.approx(2 * roughness - 4, abs=0.15)


def test_bumps_have_the_size_they_are_told():
    # Half of the power lies within a quarter of 8 waves a side.
    power = np.abs(np.fft.fft2(make("bumps", 128, 128, seed=3, values={"bumps": 8.0}).elevation)) ** 2
    waves = np.hypot(*np.meshgrid(np.fft.fftfreq(128, 1 / 128), np.fft.fftfreq(128, 1 / 128)))
    inside = power[(waves > 6) & (waves < 10)].sum()
    assert inside > 0.5 * power[waves > 0].sum()


def test_fractal_forms_keep_their_shape_where_cells_are_not_square():
    # The same 480 m x 640 m of ground, so slopes along x and y are alike although the steps in cells are not.
    elevation = make("fractal", 480, 160, cell_size=(1.0, 4.0), seed=1, values={"roughness": 0.0}).elevation
    along_y, along_x = np.gradient(elevation[::4], 4.0, 4.0)
    assert 0.5 < np.abs(along_y).mean() / np.abs(along_x).mean() < 2


@pytest.mark.parametrize(("direction", "row_fall", "col_fall"), [(0, 0, 1), (90, 1, 0), (180, 0, -1), (270, -1, 0)])
def test_a_plane_falls_where_it_is_told_to(direction, row_fall, col_fall):
    elevation = make("plane", 8, 9, cell_size=10.0, values={"slope": 0.3, "direction": direction}).elevation
    # 0.3 m/m x 10 m
    assert np.diff(elevation, axis=0) == pytest.approx(-3.0 * row_fall, abs=1e-9)
    assert np.diff(elevation, axis=1) == pytest.approx(-3.0 * col_fall, abs=1e-9)


def test_a_cone_has_its_height_and_its_foot():
    elevation = make("cone", 41, 61, cell_size=5.0, values={"height": 80.0, "width": 0.5}).elevation
    assert elevation[20, 30] == 80.0
    # The foot's radius is half of the half width, 0.5 x 100 m = 10 cells; a line from the tip falls 8 m a cell.
    assert elevation[20, 30:42] == pytest.approx([80.0 - 8.0 * step for step in range(11)] + [0.0])
    assert np.array_equal(elevation, elevation[::-1, ::-1])


def test_a_pyramid_has_as_many_steps_as_asked_for():
    elevation = make("pyramid", 81, 81, values={"height": 90.0, "steps": 9}).elevation
    assert np.unique(elevation) == pytest.approx(np.arange(0, 91, 10.0))
    assert np.array_equal(elevation, elevation.T)


def test_one_fault_lifts_one_side_of_a_straight_line():
    rows, cols = np.mgrid[0:40, 0:60]
    for seed in range(20):
        lifted = make("faults", 40, 60, seed=seed, values={"cuts": 1, "relief": 1.0}).elevation > 0
        if lifted.any():
            # Both sides of a straight cut are convex: the middle of two cells of a side lies on that side.
            for side in (lifted, ~lifted):
                points = np.stack([rows[side], cols[side]], axis=1)
                first, second = points[:: max(1, len(points) // 40)], points[:: max(1, len(points) // 37)]
                middle = first[:, None] + second[None]
                whole = middle[(middle % 2 == 0).all(axis=2)] // 2
                assert side[whole[:, 0], whole[:, 1]].all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("volcano", 8, 8), "no start terrain 'volcano'"),
        (("fractal", 2, 8), "from 3 to 65536"),
        (("fractal", 8, 65537), "from 3 to 65536"),
        (("fractal", 8, 8, float("nan")), "cell size"),
        (("fractal", 8, 8, 0.0), "cell size"),
        (("fractal", 8, 8, 1.0, -1), "seed must be"),
        (("fractal", 8, 8, 1.0, 0, {"height": 1.0}), "not a parameter here"),
        (("fractal", 8, 8, 1.0, 0, {"roughness": 2.0}), "roughness must be from 0 to 1"),
        (("fractal", 8, 8, 1.0, 0, {"relief": float("nan")}), "relief must be"),
        (("pyramid", 8, 8, 1.0, 0, {"steps": 2.5}), "steps must be a whole number"),
        (("plane", 60000, 3, 1e6, 0, {"slope": 100.0}), "beyond"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(arguments, words):
    with pytest.raises(InputError, match=words) as caught:
        make(*arguments)
    assert str(caught.value).endswith(".")


def test_a_terrain_that_does_not_fit_into_memory_is_refused_with_numbers(monkeypatch):
    monkeypatch.setattr("erosion_addon.model.memory.available_memory", lambda: 10**9)
    with pytest.raises(InputError, match=r"A terrain of 65536 × 65536 cells needs about 309\.2 GB .* 1\.0 GB are free"):
        make("plane", 65536, 65536)
