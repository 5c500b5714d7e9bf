# SPDX-License-Identifier: GPL-3.0-or-later
"""A finished run waits while Blender renders or edits; no render sees half a result."""

import threading

import bpy
import pytest

from erosion_addon.scene.run import busy, job
from erosion_addon.scene.run import displayed_heights as live
from erosion_addon.scene.run import run_queue as queue
from tests.scene.run.test_displayed_heights import seen, until_shown
from tests.scene.run.test_job import everything, obj, start, to_the_end, under_way  # noqa: F401 - a fixture


@pytest.mark.parametrize("name", ["the render", "the bake", "Move"])
def test_a_result_waits_until_blender_is_done(obj, monkeypatch, name):  # noqa: F811
    before = everything(obj.data)
    run = start(obj)
    monkeypatch.setattr(busy, "at", lambda: name)
    to_the_end(run)
    assert (run.state, run.message, run.ready) == (
        "waiting",
        f"Done: waits for the end of {name}",
        False,
    )
    assert everything(obj.data) == before
    monkeypatch.setattr(busy, "at", lambda: None)
    run.listen()
    assert run.ready
    to_the_end(run)
    assert run.state == "done" and "wear" in obj.data.attributes


def test_listening_writes_nothing(obj):  # noqa: F811
    before = everything(obj.data)
    run = start(obj)
    while not run.ready:
        run.listen(0.1)
    assert everything(obj.data) == before and not run.ended
    run.commit()
    assert run.state == "done"


def test_a_render_by_a_script_sees_the_terrain_itself(obj):  # noqa: F811
    before = seen(obj)
    run = start(obj, **{"droplet.drops_per_cell": 1000.0})
    run.viewer.shows = True
    until_shown(run, obj)
    assert (seen(obj) != before).any()
    live.put_back_for_render()
    assert seen(obj).tobytes() == before.tobytes()


def test_a_render_in_a_thread_of_its_own_waits_for_the_main_thread(obj, monkeypatch):  # noqa: F811
    before = seen(obj)
    run = start(obj, **{"droplet.drops_per_cell": 1000.0})
    run.viewer.shows = True
    until_shown(run, obj)
    shown = seen(obj)
    render = threading.Thread(target=live.put_back_for_render, daemon=True)
    render.start()
    render.join(0.2)
    assert render.is_alive() and seen(obj).tobytes() == shown.tobytes(), (
        "the thread itself writes nothing"
    )
    monkeypatch.setattr(busy, "renders", lambda: True)
    run.poll()
    render.join(live.PATIENCE)
    assert not render.is_alive() and seen(obj).tobytes() == before.tobytes()
    run.poll(0.1)
    assert not live.is_any(), "nothing is shown while it renders"


def test_an_undo_of_something_else_leaves_the_run_alone(obj):  # noqa: F811
    run = start(obj, **{"droplet.drops_per_cell": 1000.0})
    under_way(run)
    assert run.is_here()
    obj.location.x = 50.0
    assert run.is_here()
    obj.data.vertices[7].co.z += 1.0
    assert not run.is_here()
    obj.data.vertices[7].co.z -= 1.0
    bpy.data.objects.remove(obj)
    assert queue.find_object(run.object_uid) is None and not run.is_here()
    job.clear()
