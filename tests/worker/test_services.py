# SPDX-License-Identifier: GPL-3.0-or-later
"""Light and levels of detail computed by the worker."""

import time

import numpy as np
import pytest

from erosion_addon.bake import lod
from erosion_addon.bake.light import Sun, bake
from erosion_addon.bake.parameters import LightParameters
from erosion_addon.base.errors import InputError
from erosion_addon.terrain.terrain import Terrain
from erosion_addon.worker import requests, services
from erosion_addon.worker.client import Runner
from erosion_addon.worker.messages import Request
from tests.terrains import fractal

pytestmark = pytest.mark.worker

LAND = Terrain(fractal(30, 40, 120.0), (10.0, 12.0))
SUNS = [Sun((1.0, 0.3, 0.5), 0.01), Sun((-0.2, 1.0, 0.8), 0.1)]
CASTERS = np.array([[100.0, 80.0, 150.0, 20.0]])
QUICK = LightParameters(azimuths=4)
LIGHT = requests.light_request(LAND, QUICK, SUNS, CASTERS, "open")


@pytest.fixture(scope="module")
def runner():
    """A worker, which ends with the tests."""
    started = Runner({})
    yield started
    started.kill()


def said_to(runner, request, threads=0):
    """Messages of the worker on a request, up to its answer."""
    runner.compute(request, threads)
    said = []
    end = time.monotonic() + 300
    while not said or said[-1].kind not in ("computed", "refused", "failed", "ended"):
        assert time.monotonic() < end, "waited in vain"
        said += runner.poll(0.1)
    return said


@pytest.mark.parametrize("threads", [1, 3])
def test_the_worker_bakes_the_same_light_on_any_number_of_threads(runner, threads):
    *_, answer = said_to(runner, LIGHT, threads)
    expected = bake(LAND, QUICK, SUNS, CASTERS, "open", threads=2)
    assert sorted(answer.arrays) == sorted(expected) == ["sky_light", "sun_light", "sun_light_2"]
    assert all(answer.arrays[name].tobytes() == field.tobytes() for name, field in expected.items())


def test_the_worker_makes_the_same_levels(runner):
    errors = [2.0, 8.0]
    request = requests.levels_request(LAND.elevation, errors, LAND.spacing)
    *_, answer = said_to(runner, request)
    expected = lod.levels(LAND.elevation, errors, LAND.spacing)
    for made, level in zip(requests.levels_in(request, answer.arrays), expected, strict=True):
        assert made.error == level.error
        assert np.array_equal(made.cells, level.cells) and np.array_equal(
            made.triangles, level.triangles
        )


def test_the_worker_makes_the_same_levels_of_water(runner):
    depth = np.maximum(30.0 - LAND.elevation, 0)
    height = lod.water_height(LAND.elevation + depth, LAND.elevation, depth > 0.1)
    wet = depth > 0.1
    request = requests.levels_request(height, [1.0], LAND.spacing, {"depth": depth, "wet": wet})
    *_, answer = said_to(runner, request)
    (made,), (level,) = (
        requests.levels_in(request, answer.arrays),
        lod.water_levels(height, depth, wet, [1.0], LAND.spacing),
    )
    assert np.array_equal(made.cells, level.cells) and np.array_equal(
        made.triangles, level.triangles
    )


@pytest.mark.parametrize(
    "request_", [LIGHT, requests.levels_request(LAND.elevation, [1.0], LAND.spacing)]
)
def test_it_tells_how_far_it_is(runner, request_):
    shares = [
        message.values["fraction"]
        for message in said_to(runner, request_)
        if message.kind == "progress"
    ]
    assert shares == sorted(shares) and len(shares) > 1 and shares[-1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (requests.light_request(LAND, QUICK, SUNS * 2, CASTERS, "open"), "There are 4 suns"),
        (
            requests.light_request(LAND, QUICK, SUNS, -CASTERS, "open"),
            "A sphere that casts a shadow",
        ),
        (
            requests.levels_request(LAND.elevation, [0.0], LAND.spacing),
            "Levels of detail need at least one error",
        ),
        (
            requests.levels_request(LAND.elevation * np.nan, [1.0], LAND.spacing),
            "heights that are finite",
        ),
    ],
)
def test_what_cannot_be_computed_is_refused_in_a_sentence_and_the_worker_lives_on(
    runner, request_, sentence
):
    *_, answer = said_to(runner, request_)
    assert answer.kind == "refused" and sentence in answer.values["reason"]
    assert said_to(runner, LIGHT)[-1].kind == "computed"


def test_a_service_that_is_none_is_a_fault_and_ends_nothing(runner):
    assert said_to(runner, Request("coffee", {}, {}))[-1].kind == "failed"
    assert said_to(runner, LIGHT)[-1].kind == "computed"


def test_requests_are_the_same_where_their_answers_are():
    again = requests.light_request(
        Terrain(LAND.elevation, LAND.spacing), QUICK, SUNS, CASTERS.copy(), "open"
    )
    assert LIGHT.asks_the_same_as(again)
    for other in (
        requests.light_request(LAND, LightParameters(azimuths=8), SUNS, CASTERS, "open"),
        requests.light_request(LAND, QUICK, SUNS[:1], CASTERS, "open"),
        requests.light_request(LAND, QUICK, SUNS, CASTERS + 1, "open"),
        requests.light_request(LAND, QUICK, SUNS, CASTERS, "wrap"),
        requests.light_request(
            Terrain(LAND.elevation + 1e-9, LAND.spacing), QUICK, SUNS, CASTERS, "open"
        ),
        requests.levels_request(LAND.elevation, [1.0], LAND.spacing),
    ):
        assert not LIGHT.asks_the_same_as(other)


def test_input_errors_of_a_service_are_raised_where_it_is_called():
    with pytest.raises(InputError, match="There are 4 suns"):
        services.compute(requests.light_request(LAND, QUICK, SUNS * 2, CASTERS, "open"), 1)
