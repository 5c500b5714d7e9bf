# SPDX-License-Identifier: GPL-3.0-or-later
"""A paused run stored in its mesh: split to Blender's limits, kept through saving, up to a maximum
size.
"""

import io
import itertools

import bpy
import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, simulate
from erosion_addon.run.checkpoint import Checkpoint
from erosion_addon.scene.original import original as source
from erosion_addon.scene.original import transaction
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain.mesh import vertex_heights
from erosion_addon.scene.worker import worker_process as process
from tests.scene.original.test_original import pretend_run
from tests.terrains import fractal


@pytest.fixture
def file():
    """Bytes of a checkpoint of a few kilobytes, as far as they describe the start of the run."""
    content = io.BytesIO()
    Checkpoint({"number": 0}, {"start/elevation": fractal(24, 24)}).write(content)
    return np.frombuffer(content.getvalue(), np.uint8)


@pytest.fixture(autouse=True)
def no_run():
    yield
    job.clear()
    process.stop()


def test_a_run_is_kept_in_pieces_and_comes_back_whole_from_a_saved_file(
    make_hills, file, tmp_path, monkeypatch
):
    monkeypatch.setattr(transaction, "PIECE", 1000)
    mesh = make_hills().data
    pretend_run(bpy.data.objects["Hills"])
    source.mark_result(mesh, file)
    held = mesh[transaction.KEY]
    assert (
        len(held) == -(-len(file) // 1000) > 3
        and max(len(piece) for piece in held.values()) == 1000
    )
    path = str(tmp_path / "paused.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    mesh = bpy.data.objects["Hills"].data
    assert source.is_paused(mesh)
    assert source.paused_run(mesh).tobytes() == file.tobytes()
    read = Checkpoint.read(io.BytesIO(source.paused_run(mesh).data), "The paused run")
    assert read.part("start")["elevation"].shape == (24, 24)
    source.restore(mesh)
    assert transaction.KEY not in mesh


def test_a_run_that_was_paused_with_the_first_release_is_read(make_hills, file):
    mesh = make_hills().data
    pretend_run(bpy.data.objects["Hills"])
    mesh[transaction.KEY] = file.tobytes()
    assert source.paused_run(mesh).tobytes() == file.tobytes()


GARBAGE = {
    "a number": 7,
    "a text": "PK",
    "bytes": b"\0" * 100,
    "a list": [1, 2],
    "nothing": {},
    "other names": {"a": b"x", "1": b"y"},
    "other values": {"0": 3, "1": {"0": b"x"}},
}


def assert_refused(obj):
    run = job.resume(obj)
    for _ in range(3000):
        run.poll(0.1)
        if run.ended:
            break
    assert run.state == "failed" and "run it again from the start" in run.sentence


@pytest.mark.parametrize("case", GARBAGE)
def test_something_else_in_its_place_is_refused_in_a_sentence(make_hills, case, everything_of):
    obj = make_hills()
    pretend_run(obj)
    obj.data[transaction.KEY] = GARBAGE[case]
    before = everything_of(obj.data)
    assert_refused(obj)
    assert everything_of(obj.data) == before


def test_the_checkpoint_of_another_terrain_is_refused(make_hills, file):
    obj = make_hills(rows=30, cols=20)
    pretend_run(obj)
    source.mark_result(obj.data, file)
    heights = vertex_heights(obj.data).tobytes()
    assert_refused(obj)
    assert vertex_heights(obj.data).tobytes() == heights


def test_the_drops_of_a_stranger_s_file_crash_no_worker(make_hills, monkeypatch):
    obj = make_hills(rows=100, cols=120)
    pretend_run(obj)
    with monkeypatch.context() as patched:
        patched.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
        *_, last = itertools.islice(
            simulate(Terrain(fractal(100, 120, 50.0)), Recipe.load("arcane")), 3
        )
    checkpoint = last.checkpoint
    content = io.BytesIO()
    assert len(checkpoint.arrays["step/_run/drops"])
    checkpoint.arrays["step/_run/drops"][:, 1] = -1e15
    checkpoint.write(content)
    source.mark_result(obj.data, np.frombuffer(content.getvalue(), np.uint8))
    run = job.resume(obj)
    for _ in range(3000):
        run.poll(0.1)
        if run.ended:
            break
    assert (
        run.state == "failed"
        and "damaged in _run/drops; run it again from the start" in run.sentence
    )
    assert process.ready().alive
