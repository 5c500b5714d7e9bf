# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that stops, is saved, and goes on: to the same bytes as one that never stopped."""

import itertools

import numpy as np
import pytest

from erosion_addon.model import Checkpoint, InputError, Recipe, Terrain, erode, resume, simulate
from tests.terrains import fractal

RECIPE = Recipe.from_dict(
    {"name": "two", "step": [{"kind": "droplet", "drops_per_cell": 2.0}, {"kind": "droplet", "inertia": 0.3}]}
)
TERRAIN = Terrain(fractal(40, 50, relief=300.0), 10.0, {"surface_color": np.full((40, 50, 3), 0.5)})
MASKS = {"hardness": np.full((40, 50), 0.3), "sediment": np.full((40, 50), 1.0)}


@pytest.fixture(scope="module")
def uninterrupted():
    return erode(TERRAIN, RECIPE, seed=5, edges="wrap", masks=MASKS)


@pytest.mark.parametrize("chunks", [1, 2, 3, 5, 8])
def test_a_resumed_run_ends_in_the_same_bytes(tmp_path, uninterrupted, chunks, monkeypatch):
    monkeypatch.setattr("erosion_addon.model.state.CHUNK_SECONDS", 1e-9)  # many small chunks
    *_, last = itertools.islice(simulate(TERRAIN, RECIPE, seed=5, edges="wrap", masks=MASKS), chunks)
    assert last.fraction < 1
    path = tmp_path / "run.npz"
    last.checkpoint.save(path)
    *_, end = resume(Checkpoint.load(path))
    result = end.terrain
    assert result.report["sha256"] == uninterrupted.report["sha256"]
    timing = {"seconds", "drops_per_second"}
    for one, other in zip(result.report["steps"], uninterrupted.report["steps"], strict=True):
        assert {k: v for k, v in one.items() if k not in timing} == {k: v for k, v in other.items() if k not in timing}
    assert result.report["mass"] == uninterrupted.report["mass"]


def test_a_run_can_stop_between_two_steps(tmp_path, uninterrupted):
    for progress in simulate(TERRAIN, RECIPE, seed=5, edges="wrap", masks=MASKS):
        if progress.fraction == 0.5:
            progress.checkpoint.save(tmp_path / "run.npz")
    *_, end = resume(Checkpoint.load(tmp_path / "run.npz"))
    assert end.terrain.report["sha256"] == uninterrupted.report["sha256"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nothing", b"\x93NUMPY"])
def test_a_file_that_is_no_checkpoint_is_refused(tmp_path, content):
    path = tmp_path / "run.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"run\.npz"):
        Checkpoint.load(path)


def test_a_checkpoint_of_another_recipe_is_refused(tmp_path):
    checkpoint = next(iter(simulate(TERRAIN, RECIPE.with_values({"1.drops_per_cell": 50.0})))).checkpoint
    arrays = {name: array for name, array in checkpoint.arrays.items() if name != "step/_ground"}
    with pytest.raises(InputError, match="does not fit"):
        resume(Checkpoint(checkpoint.values, arrays))
