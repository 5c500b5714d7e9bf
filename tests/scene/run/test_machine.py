# SPDX-License-Identifier: GPL-3.0-or-later
"""States of a task. A finished run waits while Blender renders or edits; no render sees half a
result.
"""

import threading

import bpy
import pytest

from erosion_addon.scene.run import displayed_heights as live
from erosion_addon.scene.run import job, machine, readiness
from erosion_addon.scene.run import run_queue as queue
from erosion_addon.scene.run.machine import ENDED, TRANSITIONS, State, TransitionError
from erosion_addon.worker.messages import Message
from tests.scene.run.test_displayed_heights import seen, until_shown
from tests.scene.run.test_job import everything, obj, start, to_the_end, under_way  # noqa: F401 - a fixture


@pytest.mark.parametrize("name", ["the render", "the bake", "Move"])
def test_a_result_waits_until_blender_is_done(obj, monkeypatch, name):  # noqa: F811
    before = everything(obj.data)
    run = start(obj)
    monkeypatch.setattr(readiness, "operation", lambda: name)
    to_the_end(run)
    assert (run.state, run.message, run.ready) == (
        "waiting",
        f"Done: waits for the end of {name}",
        False,
    )
    assert everything(obj.data) == before
    monkeypatch.setattr(readiness, "operation", lambda: None)
    for _ in range(600):  # the change may still be prepared in its thread
        run.listen(0.1)
        if run.ready:
            break
    assert run.ready and everything(obj.data) == before
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
    monkeypatch.setattr(readiness, "is_rendering", lambda: True)
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


def recorded(monkeypatch):
    """States that tasks enter from now on."""
    states = []
    enter = machine.Task.enter

    def record(task, state):
        enter(task, state)
        states.append(state)

    monkeypatch.setattr(machine.Task, "enter", record)
    return states


def test_every_state_is_reached_and_every_way_ends():
    reached = {State.STARTING}
    while (more := reached.union(*(TRANSITIONS[state] for state in reached))) != reached:
        reached = more
    assert reached == set(State) == set(TRANSITIONS)
    assert {State.DONE, State.RESCUED, State.FAILED, State.CANCELLED} == ENDED
    for state in set(State) - ENDED:
        assert State.CANCELLED in TRANSITIONS[state]


@pytest.mark.parametrize("state", State)
def test_a_transition_outside_of_the_table_is_refused(obj, state):  # noqa: F811
    run = start(obj)
    run._state = state
    for following in set(State) - TRANSITIONS[state] - {state}:
        with pytest.raises(TransitionError) as refused:
            run.enter(following)
        assert refused.value.args == (state, following) and run.state is state
    run._state = State.RUNNING
    run.cancel()


def test_a_run_goes_through_the_states_in_order(obj, monkeypatch):  # noqa: F811
    states = recorded(monkeypatch)
    run = start(obj)
    to_the_end(run)
    order = [state for state in State if state in states]
    assert list(dict.fromkeys(states)) == order and order[-2:] == [State.COMMITTING, State.DONE]


def test_what_the_worker_says_after_a_failure_changes_nothing(obj, monkeypatch):  # noqa: F811
    run = start(obj)
    under_way(run)
    refused = Message("refused", {"reason": "No."})
    progress = Message(
        "progress", {"fraction": 0.9, "message": "Later", "speed": "", "seconds_left": None}
    )
    monkeypatch.setattr(run._runner, "poll", lambda seconds: [refused, progress])
    run.listen()
    assert run.state is State.FAILED and run.message != "Later"
