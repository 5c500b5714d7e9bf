# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimates: an upper bound of memory, and time of the right order."""

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, simulate
from erosion_addon.base.data_files import shipped
from erosion_addon.base.errors import InputError
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.processes.shared.state import State
from erosion_addon.processes.wind.parameters import WindParameters
from erosion_addon.processes.wind.step import WindStep
from erosion_addon.run import estimate
from erosion_addon.run.estimate import bytes_needed, in_words, seconds_needed, share_of_time
from tests.terrains import fractal


def recipe(kind, **values):
    return Recipe.from_dict({"name": "one", "step": [{"kind": kind, **values}]})


def test_strokes_take_longer_with_more_dabs_and_on_finer_cells():
    def seconds(dabs, cell):
        stroke = {"kind": "rain", "radius": 200.0, "dabs": [[500.0, 500.0, 1.0]] * dabs}
        return seconds_needed(recipe("brush", strokes=[stroke]), (256, 256), (cell, cell), 1)

    assert seconds(20, 8.0) > 8 * seconds(2, 8.0)
    assert seconds(20, 4.0) > 2 * seconds(20, 8.0)


# whose dabs have sizes in meters
@pytest.mark.parametrize("kind", [kind for kind in PROCESSES if kind != "brush"])
def test_every_process_has_an_estimate_that_grows_with_the_cells(kind):
    small, large = (
        seconds_needed(recipe(kind), (side, side), (20.0, 20.0), 1) for side in (128, 256)
    )
    # wind crosses the terrain, so a particle of twice the cells takes twice as long
    assert 4 <= large / small <= 8.01


@pytest.mark.parametrize(
    "kind, amount",
    [
        ("droplet", "drops_per_cell"),
        ("rill", "drops_per_cell"),
        ("water", "duration"),
        ("wind", "particles_per_cell"),
    ],
)
def test_twice_the_work_is_twice_the_time(kind, amount):
    once, twice = (
        seconds_needed(recipe(kind, **{amount: value}), (64, 64), (10.0, 10.0), 1)
        for value in (1.0, 2.0)
    )
    assert twice == pytest.approx(2 * once)


def test_drops_on_coarse_cells_are_as_many_as_those_cells():
    shape = (256, 256)
    spacing = (5.0, 5.0)
    fine, coarse = (
        seconds_needed(recipe("droplet", feature_size=size), shape, spacing, 1)
        for size in (0.0, 20.0)
    )  # cells of 20 m are a sixteenth of those of 5 m
    assert fine / coarse == pytest.approx(16)


def test_steps_that_are_switched_off_take_no_time():
    off = Recipe.from_dict(
        {"name": "one", "step": [{"kind": "wind", "enabled": False}, {"kind": "droplet"}]}
    )
    assert seconds_needed(off, (64, 64), (10.0, 10.0), 1) == seconds_needed(
        recipe("droplet"), (64, 64), (10.0, 10.0), 1
    )


@pytest.mark.parametrize("name", shipped())
def test_the_words_are_a_sentence_for_every_recipe(name):
    words = in_words(Recipe.load(name), (512, 512), (10.0, 10.0), 1)
    assert words.startswith("About ") and words.endswith(" MB of memory")


def test_flow_maps_of_wind_count_as_much_as_they_take():
    cells = 64 * 64
    terrain = Terrain(fractal(64, 64))
    needed = {maps: bytes_needed(recipe("wind", flow_maps=maps), cells) for maps in (False, True)}
    state = State(
        terrain.elevation, {"sediment": np.zeros(terrain.shape)}, {}, terrain.spacing, "open"
    )
    step = WindStep(state, WindParameters(flow_maps=True), 1)
    maps = [step.layers()[name] for name in ("sand_flow", "wind_flow")]
    assert needed[True] - needed[False] == step._flows.nbytes + sum(array.nbytes for array in maps)


def test_a_run_that_needs_more_memory_than_is_free_is_refused_with_numbers(monkeypatch):
    needed = bytes_needed(recipe("droplet"), 64 * 64)
    monkeypatch.setattr("erosion_addon.base.memory.available_memory", lambda: needed - 1)
    with pytest.raises(InputError, match="64 × 64 cells needs about"):
        next(simulate(Terrain(fractal(64, 64)), recipe("droplet")))
    monkeypatch.setattr("erosion_addon.base.memory.available_memory", lambda: needed)
    next(simulate(Terrain(fractal(64, 64)), recipe("droplet")))


def test_threads_help_by_the_work_they_share_on_land_that_has_enough_for_each(monkeypatch):
    """Amdahl's law: a fifth of uplift is one thread's. On 128² no second thread is used."""
    monkeypatch.setattr(estimate, "processors", lambda: 16)
    assert share_of_time("uplift", 512**2, 1) == 1.0
    assert share_of_time("uplift", 512**2, 16) == pytest.approx(0.2 + 0.8 / 16)
    assert share_of_time("uplift", 128**2, 16) == 1.0
    assert share_of_time("uplift", 256**2, 16) == pytest.approx(0.2 + 0.8 / 4)
    assert share_of_time("snow", 512**2, 2) > 0.5
