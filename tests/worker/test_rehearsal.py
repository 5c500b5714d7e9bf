# SPDX-License-Identifier: GPL-3.0-or-later
"""Rehearsals in the worker: once for recipes that call the same kernels."""

import numpy as np

from erosion_addon import Recipe, Terrain
from erosion_addon.worker import worker


def test_a_rehearsal_is_left_out_only_where_nothing_but_numbers_has_changed(monkeypatch):
    rehearsed = []
    monkeypatch.setattr(worker, "rehearse", lambda recipe, *_: rehearsed.append(recipe))
    monkeypatch.setattr(worker, "_rehearsed", set())
    land = Terrain(np.zeros((4, 5)))

    def times(values, masks=(), fields=None):
        before = len(rehearsed)
        recipe = Recipe.from_dict({"name": "one", "step": [{"kind": "droplet", **values}]})
        worker._rehearse(recipe, Terrain(land.elevation, 1.0, fields), masks, lambda *_: None)
        return len(rehearsed) - before

    assert times({"capacity": 4.0}) == 1
    assert times({"capacity": 5.0}) == 0
    assert times({"start": "corner"}) == 1
    assert (
        times({"slope_limit": 90.0}) == 0
        and times({"slope_limit": 40.0}) == 1
        and times({"slope_limit": 35.0}) == 0
    )
    assert times({"creep": 3.0}) == 1 and times({"creep": 4.0}) == 0
    assert times({"capacity": 4.0}, masks=["strength"]) == 1
    assert times({"capacity": 4.0}, fields={"grass": np.ones((4, 5))}) == 1
