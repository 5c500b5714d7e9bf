# SPDX-License-Identifier: GPL-3.0-or-later
"""Cancel: at once by buttons and scripts, and by a second Esc where a first one would throw much
work away.
"""

from types import SimpleNamespace

import bpy
import pytest

from erosion_addon import Recipe
from erosion_addon.scene.run import job, machine, readiness
from erosion_addon.scene.session import session
from erosion_addon.ui import menu
from erosion_addon.ui.run import modal, progress, run_panel
from tests.scene.conftest import everything
from tests.ui.recipe.test_steps import Drawn

LONG = {"droplet.drops_per_cell": 1000.0}
"""Minutes of work."""


@pytest.fixture
def begin(terrain_object):
    """Starts a run; with `seconds` of work behind it."""

    def start(seconds=0.0):
        progress.answer()
        run = job.start(terrain_object, Recipe.load("arcane").with_values(LONG), {})
        run._since -= seconds
        return run

    return start


def esc():
    """What the key calls."""
    return bpy.ops.erosion.cancel(asks=True)


def status(layout):
    """Draw the status bar."""
    progress._draw_status(SimpleNamespace(layout=layout), None)


def menu_file(layout):
    """Draw the top of the menu File."""
    menu.draw_file(SimpleNamespace(layout=layout), None)


def shown(draw, *arguments):
    """Texts that a function draws."""
    layout = Drawn()
    draw(layout, *arguments)
    return " ".join(str(named.get("text", "")) for _, _, named in layout.seen["calls"])


def test_the_key_esc_is_the_one_that_asks():
    keymaps = bpy.context.window_manager.keyconfigs.addon.keymaps
    keys = [
        item
        for keymap in keymaps
        for item in keymap.keymap_items
        if item.idname == "erosion.cancel"
    ]
    assert [(key.type, key.properties.asks) for key in keys] == [("ESC", True)]


def test_esc_ends_a_short_run_at_once(terrain_object, begin):
    before = everything(terrain_object.data)
    run = begin(machine.LONG - 5.0)
    assert esc() == {"FINISHED"}
    assert run.state == "cancelled" and everything(terrain_object.data) == before


def test_esc_asks_before_it_ends_a_long_run(terrain_object, begin):
    before = everything(terrain_object.data)
    run = begin(machine.LONG + 5.0)
    assert "Esc again" not in shown(run_panel.draw_run, run, terrain_object)
    assert esc() == {"CANCELLED"}
    assert not run.ended and session.run.task is run
    assert "Press Esc again to cancel" in shown(run_panel.draw_run, run, terrain_object)
    assert "Press Esc again to cancel" in shown(status)
    assert esc() == {"FINISHED"}
    assert run.state == "cancelled" and everything(terrain_object.data) == before
    assert not progress.is_asking()  # a run of the queue that begins now is asked about anew


def test_a_second_esc_much_later_asks_again(begin):
    run = begin(machine.LONG + 5.0)
    esc()
    session.progress.asked_at -= progress.ASKING
    for _ in range(progress.ASKING_TURNS):
        progress.count_turn()
    assert esc() == {"CANCELLED"} and not run.ended
    assert esc() == {"FINISHED"} and run.state == "cancelled"


def test_the_question_lasts_some_turns_where_each_takes_seconds(begin):
    run = begin(machine.LONG + 5.0)
    esc()
    session.progress.asked_at -= progress.ASKING
    for _ in range(progress.ASKING_TURNS - 1):
        progress.count_turn()
    assert esc() == {"FINISHED"} and run.state == "cancelled"


def test_esc_asks_before_it_throws_a_result_away_that_waits(begin):
    run = begin()
    run.enter(machine.State.WAITING)
    assert esc() == {"CANCELLED"} and not run.ended


def test_the_button_and_scripts_do_not_ask(begin):
    run = begin(1000.0)
    assert bpy.ops.erosion.cancel() == {"FINISHED"}
    assert run.state == "cancelled"


def test_the_menu_file_and_the_status_bar_say_what_a_file_holds_during_a_run(begin):
    assert shown(menu_file) == ""
    begin()
    assert shown(menu_file).startswith(
        "Terrain is being eroded: saving keeps it as it was, and quitting cancels that."
    )
    assert "Saving keeps" in shown(status)
    bpy.ops.erosion.cancel()
    assert shown(menu_file) == ""


def test_an_undo_past_the_terrain_leaves_a_result_that_waits(terrain_object, monkeypatch):
    run = job.start(terrain_object, Recipe.load("arcane"), {})
    monkeypatch.setattr(readiness, "operation", lambda: "the render")
    while run.state != "waiting":
        run.poll(0.1)
    bpy.data.objects.remove(terrain_object)
    modal._history_moved()
    monkeypatch.undo()
    while not run.ended:
        run.poll(0.1)
    assert run.state == "rescued" and "wear" in bpy.data.objects["Terrain eroded"].data.attributes
