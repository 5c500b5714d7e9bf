# SPDX-License-Identifier: GPL-3.0-or-later
"""Weathering step in meters and years: balance, known rates, masks, layers, checkpoints,
resolution.
"""

import math

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.processes.weathering.parameters import FEWEST_STEPS, WeatherParameters
from erosion_addon.processes.weathering.step import WeatherStep
from tests.processes.states import state, to_end
from tests.terrains import fractal


def finished(start, **parameters):
    return to_end(WeatherStep(start, WeatherParameters(**parameters), 0))


def hills(rows=24, cols=30, relief=200.0):
    return fractal(rows, cols, relief, steepness=1.8)


def test_level_rock_has_the_measured_cover_after_a_million_years():
    """Heimsath et al. (1997): 0.077 mm a year where bare, 1/e of it under 0.43 m."""
    step = finished(state(np.zeros((5, 5))), duration=1e6, production=0.077, cover_depth=0.43)
    expected = 0.43 * math.log(1 + 77 / 0.43)
    assert step.layers()["sediment"] == pytest.approx(np.full((5, 5), expected), rel=1e-9)
    assert step.layers()["elevation"] == pytest.approx(np.zeros((5, 5)), abs=1e-12)


@pytest.mark.parametrize("spacing", [10.0, (10.0, 5.0)])
def test_a_wave_of_sand_creeps_away_as_fast_as_heat_would_flow(spacing):
    """exp(-D k² t) of a wave of 640 m; within 1 % by the scheme's error in time and space."""
    wave = 5 * np.cos(2 * np.pi * np.arange(64) / 64)[:, None] * np.ones((1, 6))
    start = state(100 + wave, spacing, "wrap", sediment=50 + wave)
    after = finished(start, duration=1e5, production=0.0, diffusivity=0.05).layers()["elevation"]
    left = math.exp(-0.05 * 1e5 * (2 * np.pi / 640) ** 2)
    assert after - 100 == pytest.approx(left * wave, abs=0.01 * left * 5)


@pytest.mark.parametrize("edges", ["open", "closed"])
@pytest.mark.parametrize("across", [False, True])
def test_cliffs_of_a_kilometer_at_an_edge_weather_as_those_inside(edges, across):
    """Walls of 1000 m on every other cell of 1 m, or a checkerboard of them: dug 430 and 560 m at
    an edge before, as half a wall counted as slope there, and 5 and 4 m now.
    """
    row, col = np.mgrid[:16, :16]
    height = 1000.0 * ((row + col) % 2 if across else col % 2)
    layers = finished(state(height, 1.0, edges)).layers()
    dug = height - (layers["elevation"] - layers["sediment"])
    print(dug.max(), dug[4:-4, 4:-4].max())
    assert 0.1 < dug.max() < 1.5 * dug[4:-4, 4:-4].max()


def test_crests_are_lowered_and_hollows_filled():
    start = state(hills(), edges="wrap")
    change = finished(start, duration=2e5).layers()["elevation"] - start.elevation
    around = sum(np.roll(start.elevation, shift, axis) for shift in (1, -1) for axis in (0, 1)) / 4
    assert np.corrcoef(change.ravel(), (around - start.elevation).ravel())[0, 1] > 0.6


def test_time_steps_follow_from_the_cells_and_are_reported():
    # 4 D t (1/10² + 1/10²) = 4 · 0.05 · 10⁵ / 50
    counts = finished(state(hills()), duration=1e5, diffusivity=0.05, production=0.0).counts(1.0)
    assert (
        counts["time_steps"] == 400 and counts["years_per_step"] == 250 and counts["years"] == 1e5
    )
    # 0.08 mm of a year in 20ths of 0.45 m
    assert finished(state(hills()), duration=1e5, diffusivity=0.0).counts(1.0)["time_steps"] == 356
    # 0.08 mm of a year in 20ths of 0.45 m
    assert finished(state(hills()), duration=1e5, diffusivity=0.0).counts(1.0)["time_steps"] == 356
    assert finished(state(hills()), duration=10.0).counts(1.0)["time_steps"] == FEWEST_STEPS
    assert finished(state(hills()), duration=0.0).volumes() == (0.0, 0.0, 0.0)


def test_masks_say_where_rock_weathers_and_what_may_come_down():
    height = hills()
    left = np.zeros(height.shape)
    left[:, :15] = 1.0
    strong = finished(state(height, masks={"strength": 1 - left})).layers()
    assert (
        np.array_equal(strong["elevation"][:, :15], height[:, :15])
        and not strong["sediment"][:, :15].any()
    )
    protected = finished(state(height, masks={"protect": left})).layers()
    assert (protected["elevation"][:, :15] >= height[:, :15]).all() and protected["sediment"][
        :, 14
    ].any()
    assert (protected["elevation"] - protected["sediment"] - height)[:, :15].min() >= -1e-9
    hard = finished(state(height, masks={"hardness": 0.9 * left})).layers()["sediment"]
    assert hard[:, :14].mean() < 0.5 * hard[:, 15:].mean()


def test_moisture_of_a_former_step_counts():
    dry, wet = (
        finished(state(np.zeros((4, 4)), moisture=np.full((4, 4), moisture, np.float32)))
        for moisture in (0.0, 1.0)
    )
    assert 0 < 1.5 * dry.volumes().moved < wet.volumes().moved


def test_soil_creeps_with_the_sediment():
    layers = finished(state(hills(), soil=np.full((24, 30), 2.0)), production=0.0).layers()
    assert (
        layers["soil"].min() < 2.0
        and layers["sediment"].max() > 0.0
        and (layers["soil"] <= 2.0).all()
    )


def test_a_duration_out_of_range_is_refused_with_the_range():
    with pytest.raises(InputError, match="duration must be from 0 to"):
        WeatherParameters(duration=-1.0)


def test_the_same_terrain_looks_the_same_with_more_cells():
    """The row "resolution" of the verification, at a quarter of its sides: within 20 % of the
    finest.
    """
    figures = []
    for side in (32, 64, 128):
        place = (np.arange(side) + 0.5) / side * 2 * np.pi
        height = 80 * np.sin(place)[:, None] * np.sin(2 * place)
        height += 20 * np.cos(7 * place)[:, None] * np.sin(6 * place + 2)
        spacing = 1000.0 / side
        step = finished(state(height, spacing, "wrap"), duration=2e5)
        after = step.layers()["elevation"]
        volume = np.maximum(height - after, 0).sum() * spacing**2
        figures.append([volume, np.ptp(after), np.mean(np.hypot(*np.gradient(after, spacing)))])
    print(np.array(figures) / figures[-1])
    assert np.abs(np.array(figures) / figures[-1] - 1).max() <= 0.2
