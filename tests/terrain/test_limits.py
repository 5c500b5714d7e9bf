# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of a step: heights, slopes and depths, for all processes."""

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.base.errors import InputError
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.recipe.recipe import Step
from erosion_addon.run.region.resuming import resume
from erosion_addon.run.simulation import simulate
from erosion_addon.terrain.limits import NO_LIMITS, Limits
from tests.terrains import fractal

DIGGING = {
    "droplets": {"kind": "droplet"},
    "droplets on large cells": {"kind": "droplet", "feature_size": 45.0},
    "rills": {"kind": "rill", "form": "capacity"},
    "rills as published": {"kind": "rill"},
    "water": {"kind": "water", "duration": 0.5, "rain": 200.0, "rock_erosion": 3.0},
    "wind": {"kind": "wind", "particles_per_cell": 0.5},
    "boundary layer": {"kind": "wind", "particles_per_cell": 0.5, "flight": "boundary layer"},
    "dunes": {"kind": "dunes", "years": 20.0},
    "talus": {"kind": "talus", "sediment_angle": 10.0, "rock_angle": 20.0},
    "weathering": {"kind": "weather"},
}
SPACING = 15.0


def ground():
    """A rough slope of 40 × 36 cells with 3 m of loose sand."""
    heights = fractal(40, 36, relief=120.0)
    return Terrain(heights, SPACING, {"sediment": np.full(heights.shape, 3.0)})


def run(step, masks=None, **limits):
    before = ground()
    recipe = Recipe.from_dict({"name": "limited", "seed": 3, "step": [{**step, "limits": limits}]})
    return before, erode(before, recipe, masks=masks, threads=2)


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("name", DIGGING)
def test_no_ground_is_lowered_or_raised_beyond_the_limits_and_mass_is_conserved(name):
    _, free = run(DIGGING[name])
    change = free.elevation - ground().elevation
    depth = 0.4 * -float(change.min())
    height = 0.4 * float(change.max())
    before, after = run(DIGGING[name], max_erosion=depth, max_deposition=height)
    change = after.elevation - before.elevation
    assert change.min() >= -depth * (1 + 1e-6) and change.max() <= height * (1 + 1e-6)
    assert change.min() < -0.3 * depth
    mass = after.report["mass"]
    assert abs(mass["error"]) <= 1e-9 * mass["before"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in DIGGING if name != "droplets on large cells"])
def test_limits_out_of_reach_change_nothing(name):
    """Beside a mask of 1 everywhere, with which the kernels add up in the same order."""
    everywhere = {"strength": np.ones((40, 36), np.float32)}
    _, free = run(DIGGING[name], masks=everywhere)
    _, limited = run(DIGGING[name], masks=everywhere, max_erosion=90_000.0, max_deposition=90_000.0)
    # what is turned away is told by a difference, whose last digit is passed on
    if name == "droplets":
        moved = np.abs(free.elevation - ground().elevation).mean()
        assert np.abs(free.elevation - limited.elevation).mean() <= 0.1 * moved
    else:
        assert np.array_equal(free.elevation, limited.elevation)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in DIGGING if name != "droplets on large cells"])
def test_beyond_its_heights_a_step_leaves_every_bit(name):
    heights = ground().elevation
    low, high = np.quantile(heights, [0.3, 0.7])
    before, after = run(DIGGING[name], lowest=float(low), highest=float(high), height_softness=5.0)
    outside = (heights < low) | (heights > high)
    assert np.array_equal(after.elevation[outside], before.elevation[outside])
    assert not np.array_equal(after.elevation, before.elevation)


def test_on_a_plane_a_step_works_between_its_slopes_alone():
    """A plane of 30°: limits on both sides of that, with the closed form of the soft edge
    half-way.
    """
    plane = np.broadcast_to(np.arange(20.0)[:, None] * np.tan(np.radians(30.0)), (20, 24))
    for limits, share in (
        ({"flattest": 31.0}, 0.0),
        ({"steepest": 29.0}, 0.0),
        ({"flattest": 29.0, "steepest": 31.0}, 1.0),
        ({"flattest": 25.0, "slope_softness": 10.0}, 0.5),
        ({"steepest": 35.0, "slope_softness": 10.0}, 0.5),
    ):
        found = Limits(**limits).strength(plane, (1.0, 1.0), False)
        assert np.allclose(found, share, atol=1e-6), limits


def test_limits_of_height_set_in_softly():
    heights = np.array([[99.0, 100.0, 105.0, 110.0, 150.0, 195.0, 200.0, 201.0]])
    found = Limits(lowest=100.0, highest=200.0, height_softness=10.0).strength(
        heights, (1.0, 1.0), False
    )
    assert found.tolist() == [[0.0, 0.0, 0.5, 1.0, 1.0, 0.5, 0.0, 0.0]]


def test_a_tile_has_the_slope_across_its_seam():
    wave = np.broadcast_to(np.sin(np.arange(16) * np.pi / 8), (4, 16)) * 10
    limits = Limits(steepest=45.0)
    turned = np.roll(limits.strength(wave, (1.0, 1.0), True), 5, axis=1)
    assert np.array_equal(turned, limits.strength(np.roll(wave, 5, axis=1), (1.0, 1.0), True))


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (
            {"max_erosion": -1.0},
            "step 1 (droplet): limits: max_erosion must be from 0 to 100000, not -1.0.",
        ),
        ({"lowest": 5.0, "highest": 5.0}, "highest must be more than lowest"),
        ({"flattest": 50.0, "steepest": 40.0}, "steepest must be more than flattest"),
        ({"depth": 3.0}, "limits: depth is not a parameter here; choose one of lowest, highest"),
        (7, "limits must be a table [step.limits], not 7."),
    ],
)
def test_limits_that_make_no_sense_are_refused_with_step_and_key(limits, words):
    with pytest.raises(InputError) as refusal:
        Recipe.from_dict({"name": "bad", "step": [{"kind": "droplet", "limits": limits}]})
    assert words in str(refusal.value)


def test_limits_are_written_read_and_set_like_parameters():
    limited = Step(
        "talus", PROCESSES["talus"].parameters(), limits=Limits(highest=800.0, max_erosion=2.5)
    )
    recipe = Recipe("limited", (limited, Step("droplet", PROCESSES["droplet"].parameters())))
    assert Recipe.parse(recipe.to_toml(), "text") == recipe
    again = recipe.with_values({"droplet.limits.max_deposition": 4.0, "1.limits.max_erosion": 3.0})
    assert [step.limits for step in again.steps] == [
        Limits(highest=800.0, max_erosion=3.0),
        Limits(max_deposition=4.0),
    ]
    assert "limits" not in Recipe("free", recipe.steps[1:]).to_dict()["step"][0]
    assert recipe.steps[1].limits == NO_LIMITS


@pytest.mark.slow
@pytest.mark.parametrize("name", ["droplets on large cells", "water", "dunes", "talus"])
def test_a_run_with_limits_goes_on_from_a_checkpoint_to_the_same_bytes(name):
    step = {
        **DIGGING[name],
        "limits": {"max_erosion": 1.0, "max_deposition": 1.0, "steepest": 50.0},
    }
    recipe = Recipe.from_dict({"name": "stopped", "seed": 3, "step": [step, {"kind": "talus"}]})
    whole = erode(ground(), recipe, threads=1)
    stopped = next(iter(simulate(ground(), recipe, threads=2)))
    for progress in resume(stopped.checkpoint, threads=2):
        last = progress
    assert last.terrain.report["sha256"] == whole.report["sha256"]
