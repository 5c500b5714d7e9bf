# SPDX-License-Identifier: GPL-3.0-or-later
"""Computations by the worker for the scene: on demand, or ready in advance."""

import numpy as np
import pytest

from erosion_addon.bake.parameters import LightParameters
from erosion_addon.base.errors import InputError
from erosion_addon.scene.session import session
from erosion_addon.scene.worker import computing
from erosion_addon.scene.worker import worker_process as process
from erosion_addon.terrain.terrain import Terrain
from erosion_addon.worker import requests


def asked(height=1.0):
    terrain = Terrain(np.full((5, 6), height), 1.0)
    return requests.light_request(
        terrain, LightParameters(azimuths=4), [], np.empty((0, 4)), "open"
    )


@pytest.fixture
def orders(monkeypatch):
    """The orders given to the worker: what was asked, and on how many threads."""
    given = []
    ready = process.ready

    def watched():
        runner = ready()
        compute = type(runner).compute
        runner.compute = lambda *order: given.append(order) or compute(runner, *order)
        return runner

    monkeypatch.setattr(process, "ready", watched)
    yield given
    process.stop()
    computing.forget()


def test_an_answer_that_is_there_ahead_is_not_asked_for_again(orders):
    with computing.ahead([asked()]):
        assert len(orders) == 1
        assert (computing.compute(asked())["sky_light"] == 1).all() and len(orders) == 1
        computing.compute(asked(height=2.0))
        assert len(orders) == 2
    computing.compute(asked())
    assert len(orders) == 3


def test_a_refusal_is_an_input_error(orders):
    with pytest.raises(InputError, match="Levels of detail need at least one error"):
        computing.compute(requests.levels_request(np.zeros((5, 6)), [0.0], (1.0, 1.0)))


def test_a_worker_that_dies_is_said_in_a_sentence_and_the_next_one_answers(orders, monkeypatch):
    runner = process.ready()
    monkeypatch.setattr(runner, "compute", lambda *order: runner._process.kill())
    monkeypatch.setattr(process, "ready", lambda: runner)
    with pytest.raises(InputError, match="process"):
        computing.compute(asked())
    monkeypatch.undo()
    assert (computing.compute(asked())["sky_light"] == 1).all()


def test_as_many_threads_compute_as_the_user_prefers(orders, monkeypatch):
    monkeypatch.setattr(session.worker, "threads", lambda: 3)
    computing.compute(asked())
    assert [threads for _, threads in orders] == [3]
