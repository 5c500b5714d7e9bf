# SPDX-License-Identifier: GPL-3.0-or-later
"""Paused runs on a region: the bytes of an uninterrupted run, and damaged checkpoints refused."""

import io
import itertools

import numpy as np
import pytest

from erosion_addon import Checkpoint, InputError, Recipe, Terrain, resume, simulate_region
from erosion_addon.run.region.resuming import is_of
from erosion_addon.run.simulation import RunOptions
from tests.run.region.test_rerun import land, region
from tests.terrains import fractal

RIVERS = Recipe.from_dict(
    {
        "name": "rivers",
        "step": [
            {"kind": "uplift", "years": 50_000.0},
            {"kind": "droplet", "drops_per_cell": 2.0},
            {"kind": "talus"},
        ],
    }
)


@pytest.fixture
def smallest_chunks(monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)


def paused(count, edges="open"):
    *_, last = itertools.islice(
        simulate_region(land(), RIVERS, region(), seed=5, edges=edges), count
    )
    return last.checkpoint


def through_a_file(checkpoint):
    stream = io.BytesIO()
    checkpoint.write(stream)
    stream.seek(0)
    return Checkpoint.read(stream, "run.npz")


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(("edges", "count"), [("open", 2), ("wrap", 12)])
def test_a_resumed_run_on_a_region_has_the_bytes_of_an_uninterrupted_one(
    edges, count, smallest_chunks
):
    *_, last = simulate_region(land(), RIVERS, region(), seed=5, edges=edges)
    *_, again = resume(through_a_file(paused(count, edges)))
    report, expected = again.terrain.report, last.terrain.report
    assert report["sha256"] == expected["sha256"] and report["region"] == expected["region"]
    assert report["mass"] == pytest.approx(expected["mass"])


def test_a_checkpoint_belongs_to_its_region_and_terrain():
    checkpoint = through_a_file(paused(1))
    other = region()
    other[25:30, 66:70] = 1
    options = RunOptions(5, "open")
    assert is_of(checkpoint, land(), RIVERS, options, region())
    assert not is_of(checkpoint, land(), RIVERS, options, other)
    assert not is_of(checkpoint, land(), RIVERS, RunOptions(6, "open"), region())
    assert not is_of(checkpoint, land(), RIVERS, options)
    higher = Terrain(fractal(72, 90, relief=301.0), (8.0, 10.0), land().fields)
    assert not is_of(checkpoint, higher, RIVERS, options, region())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("region/share", np.full((72, 90), 2.0, np.float32)),
        ("region/share", np.zeros((72, 90), np.float32)),
        ("region/share", np.ones((72, 91), np.float32)),
        ("region/share", np.ones((72, 90), np.float32)),
        ("region/share", np.ones((72, 90), np.int32)),
        ("region/inflow", np.full((1, 1), 1.0, np.float32)),
        ("region/inflow", -1.0),
        ("region/inflow", np.nan),
        ("region/entering", np.full((72, 90), 1.0, np.float32)),
        ("region/entering", -1.0),
        ("region/outlet", np.full((72, 90), np.nan, np.float32)),
        ("region/outlet", np.zeros((72, 91), np.float32)),
        ("region/outlet", np.zeros((72, 90), np.int32)),
        ("start/elevation", np.nan),
        ("window/start/elevation", np.nan),
        ("window/state/elevation", None),
    ],
)
def test_arrays_that_make_no_sense_are_refused(name, wrong):
    checkpoint = paused(1)
    arrays = dict(checkpoint.arrays)
    if wrong is None:
        del arrays[name]
    elif isinstance(wrong, float):
        arrays[name] = np.full_like(arrays[name], wrong)
    else:
        arrays[name] = wrong
    with pytest.raises(InputError, match="checkpoint is damaged"):
        resume(Checkpoint(checkpoint.values, arrays))


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        {"region": None},
        {"region": {}},
        {"region": {"edges": "round", "notes": []}},
        {"region": {"edges": "open", "notes": 3, "rain_mean": 1.0}},
        {"region": {"edges": "open", "notes": [], "rain_mean": -1.0}},
        {"region": {"edges": "open", "notes": [1], "rain_mean": 1.0}},
        {"window": None},
        {"window": {}},
    ],
    ids=str,
)
def test_values_that_make_no_sense_are_refused(changes):
    checkpoint = paused(1)
    with pytest.raises(InputError, match="checkpoint is damaged"):
        resume(Checkpoint({**checkpoint.values, **changes}, checkpoint.arrays))
