# SPDX-License-Identifier: GPL-3.0-or-later
"""A run while its object, mesh or scene changes."""

import os
import signal
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from erosion_addon import InputError, Recipe
from erosion_addon.run.checkpoint import Checkpoint
from erosion_addon.scene.original import original as source
from erosion_addon.scene.original import transaction
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain.mesh import make_grid_object, vertex_heights, write_heights
from erosion_addon.scene.worker import worker_process as process
from tests.scene.conftest import everything
from tests.scene.jobs import wait_for
from tests.terrains import fractal

LONG = {"droplet.drops_per_cell": 1000.0}
"""Minutes of work, so that a run is certainly under way when something happens to it."""


@pytest.fixture
def obj():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    made = make_grid_object(
        "Terrain", fractal(48, 64, relief=200.0), (10.0, 10.0), bpy.context.scene.collection
    )
    bpy.context.view_layer.objects.active = made
    yield made
    job.clear()
    process.stop()


def start(obj, **values):
    return job.start(obj, Recipe.load("arcane").with_values(values), {})


def to_the_end(run):
    wait_for(run, lambda: run.ended or run.state in ("waiting", "held"))


def under_way(run):
    wait_for(run, lambda: run.fraction > 0)


def worker_process():
    return process.ready()._process


def test_cancel_leaves_every_byte_and_no_process(obj):
    before = everything(obj.data)
    run = start(obj, **LONG)
    under_way(run)
    process = worker_process()
    run.cancel()
    assert everything(obj.data) == before
    assert process.poll() is not None
    assert run.state == "cancelled"


def test_cancel_works_before_the_worker_has_started(obj):
    before = everything(obj.data)
    run = start(obj)
    run.cancel()
    assert everything(obj.data) == before


def test_finish_keeps_what_is_there(obj):
    before = vertex_heights(obj.data)
    run = start(obj, **LONG)
    under_way(run)
    run.finish()
    to_the_end(run)
    assert run.state == "done"
    assert 0 < run.report["finished"] < 1
    assert not np.array_equal(vertex_heights(obj.data), before)
    assert abs(run.report["mass"]["error"]) <= 1e-9 * run.report["mass"]["moved"]


def test_a_paused_run_goes_on_to_the_bytes_of_an_uninterrupted_one(obj, tmp_path):
    values = {"droplet.drops_per_cell": 150.0}
    to_the_end(start(obj, **values))
    job.clear()
    expected = everything(obj.data)
    process.stop()  # so that nothing of the first run is reused
    run = start(obj, **values)
    under_way(run)
    run.pause()
    to_the_end(run)
    job.clear()
    assert run.state == "done" and 0 < run.report["finished"] < 1
    path = str(tmp_path / "paused.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    reopened = bpy.data.objects["Terrain"]
    run = job.resume(reopened)
    to_the_end(run)
    assert (run.state, run.sentence) == ("done", "Terrain is eroded.")
    assert run.report["finished"] == 1
    assert everything(reopened.data) == expected
    job.clear()
    with pytest.raises(InputError, match="run it again"):
        job.resume(reopened)


def test_a_run_that_release_0_1_0_paused_goes_on_and_restores():
    """The file holds the object alone. High dunes in the boundary layer move since, so the end is
    another.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    path = Path(__file__).parents[2] / "run" / "release_0_1_0" / "barchan_field.blend"
    with bpy.data.libraries.load(str(path)) as (_, wanted):
        wanted.objects = ["Dunes"]
    dunes = bpy.data.objects["Dunes"]
    bpy.context.scene.collection.objects.link(dunes)
    before = np.empty(len(dunes.data.vertices), np.float32)
    dunes.data.attributes["erosion_source"].data.foreach_get("value", before)
    try:
        run = job.resume(dunes)
        to_the_end(run)
        assert (run.state, run.sentence) == ("done", "Dunes is eroded.")
        assert run.report["finished"] == 1
        mass = run.report["mass"]
        assert mass["moved"] > 0 and abs(mass["error"]) <= 1e-9 * mass["moved"]
        source.restore(dunes.data)
        assert vertex_heights(dunes.data).tobytes() == before.tobytes()
    finally:
        job.clear()
        process.stop()


def test_a_paused_run_that_is_too_large_to_keep_leaves_its_result_and_says_so(obj, monkeypatch):
    monkeypatch.setattr(transaction, "LARGEST", 1000)
    run = start(obj, **LONG)
    under_way(run)
    run.pause()
    to_the_end(run)
    assert run.state == "done" and 0 < run.report["finished"] < 1
    assert "the run cannot be resumed, because it takes 0.0 GiB" in run.sentence
    assert not source.is_paused(obj.data) and source.is_untouched_result(obj.data)


def test_the_run_that_crowds_a_kept_terrain_out_says_so(obj):
    """Each edit of a result makes another terrain to restore; the first one and the last eight are
    kept.
    """
    kept = [vertex_heights(obj.data)]
    for _ in range(source.MOST_ASIDE + 2):
        run = start(obj, **{"droplet.drops_per_cell": 0.1})
        to_the_end(run)
        told = run.sentence
        job.clear()
        kept.append(vertex_heights(obj.data))
        kept[-1][:700] += np.float32(20.0)  # what an artist sculpts
        if len(kept) <= source.MOST_ASIDE + 2:
            assert told == "Terrain is eroded."
            write_heights(obj.data, kept[-1])
    assert told == (
        "Terrain is eroded. Restore brings back the first terrain of Terrain and the last 8; one "
        "between them is gone."
    )
    found = []
    while source.has_source(obj.data):
        source.restore(obj.data)
        found.append(vertex_heights(obj.data).tobytes())
    assert found == [one.tobytes() for one in (*kept[-2:1:-1], kept[0])]


def test_the_checkpoint_is_compressed_in_the_worker(obj, monkeypatch):
    run = start(obj, **LONG)
    under_way(run)
    monkeypatch.setattr(
        Checkpoint, "write", lambda *_: pytest.fail("compressed in Blender's own process")
    )
    monkeypatch.setattr(
        Checkpoint, "read", lambda *_: pytest.fail("unpacked in Blender's own process")
    )
    run.pause()
    to_the_end(run)
    job.clear()
    assert source.is_paused(obj.data)
    run = job.resume(obj)
    under_way(run)


def test_a_killed_worker_leaves_the_terrain_and_says_so(obj):
    before = everything(obj.data)
    run = start(obj, **LONG)
    under_way(run)
    os.kill(worker_process().pid, signal.SIGKILL)
    to_the_end(run)
    assert run.state == "failed"
    assert "SIGKILL" in run.sentence and run.sentence.endswith("unchanged.")
    assert everything(obj.data) == before


def test_after_a_killed_worker_the_next_run_works(obj):
    run = start(obj, **LONG)
    os.kill(worker_process().pid, signal.SIGKILL)
    to_the_end(run)
    job.clear()
    run = start(obj)
    to_the_end(run)
    assert run.state == "done"


def test_renaming_and_moving_the_object_changes_nothing(obj):
    run = start(obj)
    obj.name = "Elsewhere"
    obj.location.x = 50
    to_the_end(run)
    assert run.state == "done"
    assert "wear" in obj.data.attributes


def test_the_result_of_a_deleted_object_goes_to_a_new_one(obj):
    obj.location = (5.0, 6.0, 7.0)
    obj.rotation_euler = (0.1, 0.2, 0.3)
    obj.scale = (0.5, 0.5, 0.5)
    bpy.context.view_layer.update()
    matrix = obj.matrix_world @ Matrix.Scale(2.0, 4)
    size = obj.dimensions.xy.copy()
    run = start(obj)
    bpy.data.objects.remove(obj)
    to_the_end(run)
    assert run.state == "rescued"
    assert "deleted" in run.sentence
    rescued = bpy.data.objects["Terrain eroded"]
    assert "wear" in rescued.data.attributes
    assert (len(rescued.data.vertices)) == 48 * 64
    np.testing.assert_allclose(rescued.matrix_world, matrix, atol=1e-6)
    # in its mesh, not in its scale
    np.testing.assert_allclose(rescued.dimensions.xy, size, rtol=1e-6)


def test_an_edited_mesh_keeps_its_edits(obj):
    run = start(obj)
    edited = vertex_heights(obj.data)
    edited[7] += 1
    write_heights(obj.data, edited)
    to_the_end(run)
    assert run.state == "rescued"
    assert vertex_heights(obj.data).tobytes() == edited.tobytes()
    assert "Terrain eroded" in bpy.data.objects


@pytest.mark.parametrize("value", [1.0, -0.0])
def test_a_mesh_edited_once_the_result_is_ready_keeps_its_edits(obj, value):
    start_from = vertex_heights(obj.data)
    start_from[7] = 0.0
    write_heights(obj.data, start_from)
    run = start(obj)
    while not run.ready:
        run.listen(0.1)
    edited = start_from.copy()
    edited[7] = value
    write_heights(obj.data, edited)
    run.commit()
    assert run.state == "rescued"
    assert vertex_heights(obj.data).tobytes() == edited.tobytes()


def test_a_change_that_no_thread_could_make_is_made_when_it_is_written(obj, monkeypatch):
    whole = job.commit.change_to
    monkeypatch.setattr(job.commit, "change_to", lambda *_: (_ for _ in ()).throw(MemoryError))
    run = start(obj)
    while not run.ready:
        run.listen(0.1)
    monkeypatch.setattr(job.commit, "change_to", whole)
    run.commit()
    assert (run.state, run.report["finished"]) == ("done", 1)
    assert source.is_untouched_result(obj.data)


def test_a_swapped_mesh_is_not_written(obj):
    run = start(obj)
    other = obj.data.copy()
    obj.data = other
    before = everything(other)
    to_the_end(run)
    assert run.state == "rescued"
    assert everything(other) == before


def test_the_result_waits_for_object_mode(obj):
    run = start(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    to_the_end(run)
    assert run.state == "waiting"
    assert "Edit" in run.message
    bpy.ops.object.mode_set(mode="OBJECT")
    to_the_end(run)
    assert run.state == "done"


def test_a_second_start_is_refused(obj):
    start(obj, **LONG)
    with pytest.raises(InputError, match="Terrain is being eroded"):
        start(obj)


@pytest.mark.parametrize(
    "broken", ["write_positions", "write_fields", "keep_source", "mark_result", "set_aside"]
)
def test_a_commit_that_breaks_off_leaves_the_input(obj, broken, monkeypatch):
    to_the_end(first := start(obj))
    assert first.state == "done"
    job.clear()
    edited = vertex_heights(obj.data)
    edited[5] += 1.0  # so that the source of the first run is set aside
    write_heights(obj.data, edited)
    before = everything(obj.data)
    module = {"write_positions": job.commit, "write_fields": job.commit.attributes}.get(
        broken, job.original
    )
    whole = getattr(module, broken)
    calls = []

    def breaks_once(*arguments):
        calls.append(broken)
        if len(calls) == 1:
            raise MemoryError
        return whole(*arguments)

    monkeypatch.setattr(module, broken, breaks_once)
    run = start(obj, **{"droplet.drops_per_cell": 0.5})
    to_the_end(run)
    assert run.state == "rescued" and "not enough memory" in run.sentence
    assert calls
    assert everything(obj.data) == before


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="reads /proc")
def test_the_worker_never_loads_blender(obj):
    run = start(obj, **LONG)
    under_way(run)
    libraries = Path(f"/proc/{worker_process().pid}/maps").read_text()
    assert "llvmlite" in libraries
    assert "/bpy/" not in libraries
