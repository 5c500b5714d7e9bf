# SPDX-License-Identifier: GPL-3.0-or-later
"""A run as a modal operator in a real window: undo steps, redo panel, history, quitting,
renders.
"""

import time
from pathlib import Path

OBJECT = "bpy.context.object"
SETTINGS = f"{OBJECT}.erosion"
IDLE = "not running()"
LONG = 1000.0  # drops a cell: minutes on the grids below, or a second
SHORT = 2.0
SMALL = "bpy.context.window_manager.operator_properties_last('erosion.terrain_add').resolution = 96"
IN_VIEWPORT = (
    "with bpy.context.temp_override(window=window(), area=viewport(), region=region('WINDOW')): "
)
HISTORY = "[one.bl_idname for one in bpy.context.window_manager.operators]"
ATTENDED = "[one.bl_idname for one in window().modal_operators] == ['EROSION_OT_run']"
UNATTENDED = (
    "not any(one and one.bl_idname.startswith('EROSION') for one in window().modal_operators)"
)
OTHER = """
other = bpy.data.objects['Terrain'].copy()
other.data, other.name, other.location.x = other.data.copy(), 'Other', 1500.0
other.erosion.steps[0].droplet.drops_per_cell = {drops}
bpy.context.scene.collection.objects.link(other)
"""
SLOW_RENDER = """
bpy.context.preferences.view.render_display_type = 'NONE'
scene = bpy.context.scene
scene.render.engine = 'BLENDER_WORKBENCH'
scene.render.resolution_x = scene.render.resolution_y = 32
camera = bpy.data.objects.new('Camera', bpy.data.cameras.new('Camera'))
scene.collection.objects.link(camera)
scene.camera = camera
rendered = []
go_on = __import__('threading').Event()
def slow(*_):
    rendered.append(bool((heights() == given).all()))
    go_on.wait(300.0)
bpy.app.handlers.render_pre.append(slow)
"""


def the_redo_panel_of_add_terrain_does_not_outlive_a_run(window):
    window.ask("for old in list(bpy.data.objects): bpy.data.objects.remove(old)")
    window.ask(SMALL)
    window.over_viewport()
    window.ask(IN_VIEWPORT + "bpy.ops.erosion.terrain_add('INVOKE_DEFAULT', True)")
    window.wait("the terrain", f"{OBJECT} is not None")
    window.ask(f"{OBJECT}.name = {OBJECT}.data.name = 'Terrain'")
    window.open_tab("Erosion")
    assert window.ask(HISTORY)[-1] == "EROSION_OT_terrain_add"
    window.picture("redo_panel_of_add_terrain")
    window.ask(
        f"{SETTINGS}.recipe_name = 'arcane'; {SETTINGS}.steps[0].droplet.drops_per_cell = {SHORT}"
    )
    window.ask(IN_VIEWPORT + "bpy.ops.ed.undo_push(message='Setting')")
    _run(window)
    eroded = window.ask("fingerprint()")
    window.picture("no_redo_panel_after_the_run")
    assert window.ask(HISTORY)[-1] == "EROSION_OT_run"
    # What that panel, F9 and Shift-R do: undo the last operator and repeat it. It must not stop the
    # window, nor forget.
    window.ask("clock.restart(); first = clock.last_job")
    window.ask(IN_VIEWPORT + "bpy.ops.ed.undo_redo(); redone = fingerprint()")
    assert window.ask("redone") == eroded, "the result is gone while it runs again"
    window.wait("another run", f"{IDLE} and clock.last_job is not first")
    assert window.ask("fingerprint()") == eroded, "the same settings gave another terrain"
    return f"main loop's longest turn {window.ask('clock.longest'):.2f} s"


def choosing_a_recipe_leaves_no_redo_panel(window):
    window.ask(IN_VIEWPORT + "bpy.ops.erosion.recipe_load('INVOKE_DEFAULT', True, name='alpine')")
    time.sleep(0.5)
    window.picture("recipe_chosen")
    assert window.ask(HISTORY)[-1] == "EROSION_OT_recipe_load"
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("the undo", f"{SETTINGS}.recipe_name == 'arcane'")


def a_run_counts_as_work_that_is_not_saved(window):
    path = str(Path(window.folder.name) / "saved.blend")
    window.ask(f"new_terrain(192, 256, {LONG})")
    window.ask("bpy.data.objects['Terrain'].location.x = 50.0")
    window.ask(IN_VIEWPORT + "bpy.ops.ed.undo_push(message='Move')")
    save = f"bpy.ops.wm.save_as_mainfile(filepath={path!r})"
    window.ask(save)
    assert not window.ask("bpy.data.is_dirty")
    steps = window.ask("bpy.context.preferences.edit.undo_steps")
    window.press("erosion.run")
    window.wait("progress", "eroding()")
    window.wait("the operator", ATTENDED)  # it steps aside now and then
    assert window.ask("bpy.data.is_dirty"), "quitting would not ask"
    window.ask(save)
    window.wait("the mark again", "bpy.data.is_dirty")
    assert window.ask("bpy.context.preferences.edit.undo_steps") == steps
    window.over_viewport()
    window.key("Q", ctrl=True)
    time.sleep(1.0)
    window.picture("quitting_asks")
    assert window.process.poll() is None and window.ask("running()")
    window.key("ESC")  # closes the question
    time.sleep(0.5)
    assert window.ask("running()"), "Esc for the question cancelled the run"
    # Neither the mark nor a run that goes on is a step of its own, and an undo of something else
    # leaves the run alone.
    window.key("Z", ctrl=True)
    window.wait("the undo", "bpy.data.objects['Terrain'].location.x == 0.0")
    time.sleep(0.5)
    assert window.ask("running()"), "an undo of something else ended the run"
    before = window.ask("terrain_heights().tolist()")
    window.escape()
    window.wait("the end of the run", IDLE)
    window.wait("no operator", UNATTENDED)
    assert window.ask("heights().tolist()") == before and "wear" not in window.ask("attributes()")


def esc_asks_before_it_ends_a_long_run(window):
    window.ask(f"new_terrain(96, 128, {LONG})")
    window.open_tab("Erosion")
    before = window.ask("fingerprint()")
    window.press("erosion.run")
    window.wait("progress", "eroding()")
    window.ask("job()._since -= 60.0")  # a minute of work
    window.over_viewport()
    window.key("ESC")
    asked = "running() and session().progress.asked_at > 0.0"
    assert window.ask(asked), "a single Esc ended a minute of work"
    window.picture("esc_asks")
    window.wait("the end of the question", "not asking()")
    window.escape()
    window.wait("the end of the run", IDLE)
    window.wait("no operator", UNATTENDED)
    assert window.ask("outcome()[0]") == "cancelled" and window.ask("fingerprint()") == before


def an_undo_past_the_terrain_ends_its_run(window):
    window.ask(f"new_terrain(192, 256, {LONG})")
    window.ask("for old in list(bpy.data.objects): old.name = 'Terrain'")
    window.press("erosion.run")
    window.wait("progress", "eroding()")
    window.ask("bpy.data.objects['Terrain'].data.vertices[0].co.z += 50.0")
    window.ask(IN_VIEWPORT + "bpy.ops.ed.undo_push(message='Edit')")
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.key("Z", ctrl=True)
    window.wait("the end of the run", IDLE)
    window.wait("no operator", UNATTENDED)
    assert window.ask("outcome()[0]") in ("cancelled", "rescued")


def twenty_undos_and_redos_of_runs(window):
    window.ask(f"new_terrain(64, 80, {SHORT})")
    seen = [window.ask("fingerprint()")]
    for seed in range(5):
        window.ask(f"{SETTINGS}.seed = {1000 + seed}")
        window.ask(IN_VIEWPORT + "bpy.ops.ed.undo_push(message='Seed')")
        _run(window)
        seen.append(window.ask("fingerprint()"))
    assert len(set(seen)) == 6
    window.over_viewport()
    for before in reversed(seen[:-1]):
        window.key("Z", ctrl=True)  # the run
        window.wait("the undo of a run", f"fingerprint() == {before!r}")
        window.key("Z", ctrl=True)  # the seed
    for after in seen[1:]:
        window.ask(IN_VIEWPORT + "bpy.ops.ed.redo(); bpy.ops.ed.redo()")
        assert window.ask("fingerprint()") == after
    for before in reversed(seen[:-1]):
        window.key("Z", ctrl=True)
        window.wait("the undo of a run", f"fingerprint() == {before!r}")
        window.key("Z", ctrl=True)
    assert window.ask(UNATTENDED)


def runs_of_a_queue_are_undo_steps_of_their_own(window):
    window.ask(f"new_terrain(96, 128, {LONG})")
    window.ask(OTHER.format(drops=SHORT))
    window.ask(IN_VIEWPORT + "bpy.ops.ed.undo_push(message='Other')")
    window.press("erosion.run")
    window.wait("progress", "eroding()")
    window.ask("activate('Other')")
    window.settle()
    window.press("erosion.run")
    window.wait("the queue", "len(queue().waiting()) == 1")
    window.ask("bpy.ops.erosion.finish()")
    window.wait("the end of both runs", f"{IDLE} and 'wear' in attributes('Other')")
    assert window.ask(HISTORY)[-2:] == ["EROSION_OT_run"] * 2
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("one undo", "'wear' not in attributes('Other') and 'wear' in attributes()")
    window.key("Z", ctrl=True)
    window.wait("another", "'wear' not in attributes()")


def a_render_shows_the_terrain_and_the_result_waits_for_its_end(window):
    window.ask(f"new_terrain(192, 256, {LONG})")
    window.ask("given = heights().copy()")
    window.ask(SLOW_RENDER)
    window.press("erosion.run")
    window.wait("the run on the mesh", "bool((heights() != given).any())")
    window.picture("half_eroded")
    window.ask(IN_VIEWPORT + "bpy.ops.render.render('INVOKE_DEFAULT')")
    window.wait("the render", "len(rendered) == 1")
    assert window.ask("rendered") == [True], "the render saw a half-eroded terrain"
    window.ask("bpy.ops.erosion.finish()")
    window.wait("the result", "job().state == 'waiting'")
    window.picture("result_waits")
    assert window.ask("job().message") == "Done: waits for the end of the render"
    assert window.ask("bool((heights() == given).all())")
    window.ask("go_on.set()")
    window.wait("the end of the run", IDLE)
    window.ask("bpy.app.handlers.render_pre.remove(slow)")
    assert "wear" in window.ask("attributes()") and window.ask(HISTORY)[-1] == "EROSION_OT_run"


def switched_off_during_a_run_nothing_is_left(window):
    window.ask(f"new_terrain(192, 256, {LONG})")
    before = window.ask("fingerprint()")
    window.press("erosion.run")
    window.wait("progress", "eroding()")
    workers = window.workers()
    window.ask("bpy.ops.preferences.addon_disable(module=EXTENSION)")
    window.wait("the end of the worker", lambda: not set(workers) & set(window.workers()))
    assert window.ask("fingerprint()") == before and window.ask(UNATTENDED)
    window.ask("bpy.ops.preferences.addon_enable(module=EXTENSION)")
    window.ask(f"new_terrain(64, 80, {SHORT})")
    window.open_tab("Erosion")
    _run(window)
    assert "wear" in window.ask("attributes()")


def _run(window):
    """Press Run, and wait until the terrain is another."""
    before = window.ask("fingerprint()")
    window.press("erosion.run")
    window.wait("the end of the run", f"{IDLE} and fingerprint() != {before!r}")
    window.wait("no operator", UNATTENDED)
    time.sleep(0.5)  # the redo panel is drawn, or not


SCENES = (
    the_redo_panel_of_add_terrain_does_not_outlive_a_run,
    choosing_a_recipe_leaves_no_redo_panel,
    a_run_counts_as_work_that_is_not_saved,
    esc_asks_before_it_ends_a_long_run,
    an_undo_past_the_terrain_ends_its_run,
    twenty_undos_and_redos_of_runs,
    runs_of_a_queue_are_undo_steps_of_their_own,
    a_render_shows_the_terrain_and_the_result_waits_for_its_end,
    switched_off_during_a_run_nothing_is_left,
)
