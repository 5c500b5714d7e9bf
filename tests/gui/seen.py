# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs and previews shown on the terrain while they work, in a real window."""

import time

LONG = 1000.0  # drops a cell: minutes on the grids below, or some seconds
SHORT = 40.0
LOOKED = 5.0  # seconds in which looks and turns of the main loop are counted
IDLE = "not running()"
MARK = "'erosion_live' in attributes()"
SCENE = "bpy.data.objects['Terrain'].erosion"


def _start(window, rows=192, columns=256, drops_per_cell=LONG):
    window.ask(f"new_terrain({rows}, {columns}, {drops_per_cell})")
    before = window.ask("fingerprint()")
    window.press("erosion.run")
    window.wait("progress", "eroding()")
    return before


def the_run_is_seen_and_escape_brings_every_byte_back(window):
    window.ask(f"new_terrain(192, 256, {LONG})")
    window.open_tab("Erosion")
    before = _start(window, 288, 384)  # it must not end by itself on a loaded machine
    window.wait("the run on the mesh", MARK)
    window.picture("early")
    first = window.ask("fingerprint()")
    window.wait("the next look", f"fingerprint() != {first!r}")
    looks = 0
    since = time.monotonic()
    while time.monotonic() - since < LOOKED:
        now = window.ask("fingerprint()")
        looks = looks + (now != first)
        first = now
        time.sleep(0.1)
    window.picture("later")
    window.over_viewport()
    window.escape()
    window.wait("the end of the run", IDLE)
    assert window.ask("fingerprint()") == before, "Esc changed the mesh"
    window.picture("after_escape")
    return f"{looks / LOOKED:.1f} looks a second"


def water_is_seen_as_long_as_it_runs(window):
    window.ask("new_terrain(96, 128, 1.0)")
    before = window.ask("fingerprint()")
    window.ask(
        "with bpy.context.temp_override(window=window()): bpy.ops.erosion.recipe_load(name='river "
        "valley')"
    )
    window.ask(
        f"for step in {SCENE}.steps: step.enabled, step.water.duration = step.kind == 'water', "
        "1000.0"
    )
    window.press("erosion.run")
    window.wait("water", "water() is not None")
    time.sleep(2.0)  # until it is drawn
    window.picture("water")
    window.over_viewport()
    window.escape()
    window.wait("the end of the run", IDLE)
    window.wait("the water to go", "water() is None")
    assert window.ask("fingerprint()") == before


def a_large_run_is_seen_and_the_window_stays_awake(window):
    """(With software OpenGL drawing takes seconds, which the time from one look to the next grows
    with.)
    """
    stalls = {}
    for shown in (False, True):
        window.ask(f"new_terrain(1024, 1024, {LONG})")
        window.ask(f"{SCENE}.show_progress = {shown}")
        window.press("erosion.run")
        window.wait("progress", "eroding()")
        time.sleep(1.0)
        window.ask("clock.restart()")
        start = window.ask("(job().fraction, __import__('time').monotonic())")
        time.sleep(LOOKED)
        end = window.ask("(job().fraction, __import__('time').monotonic())")
        stalls[shown] = window.ask("clock.longest"), (end[0] - start[0]) / (end[1] - start[1])
        if shown:
            window.wait("the run on the mesh", MARK)
        else:
            assert not window.ask(MARK), "it was seen"
        window.picture("large_seen" if shown else "large_unseen")
        window.over_viewport()
        window.escape()
        window.wait("the end of the run", IDLE)
    (unseen, speed), (seen, seen_speed) = stalls[False], stalls[True]
    return (
        f"longest turn {seen:.2f} s (unseen {unseen:.2f} s), throughput {seen_speed / speed:.2f} "
        "of unseen"
    )


def undo_after_a_seen_run_gives_the_terrain_although_the_user_worked_meanwhile(window):
    before = _start(window, drops_per_cell=SHORT)
    window.wait("the run on the mesh", MARK)
    window.ask("with bpy.context.temp_override(window=window()): bpy.ops.object.empty_add()")
    window.ask(
        "with bpy.context.temp_override(window=window()): bpy.ops.ed.undo_push(message='Add')"
    )
    window.wait("the end of the run", IDLE)
    assert "wear" in window.ask("attributes()") and not window.ask(MARK)
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("the undo", f"fingerprint() == {before!r}")
    window.key("Z", ctrl=True)
    window.wait("the undo of the empty", "len(bpy.data.objects) == 1")
    assert window.ask("fingerprint()") == before


def a_setting_is_dragged_and_previewed(window):
    window.ask("new_terrain(384, 512, 2.0)")
    before = window.ask("fingerprint()")
    seed = window.ask(f"{SCENE}.seed")
    window.press("erosion.live_preview")
    window.wait("a preview", MARK)
    window.wait("its note", "preview().note.endswith(' s')")
    window.picture("preview")
    shown = window.ask("fingerprint()")
    x, y = window.find_button("erosion.seed")
    window.ask("clock.restart()")
    window.drag(x, y, 60, 12)
    window.wait("another preview", f"{SCENE}.seed != {seed} and fingerprint() != {shown!r}")
    window.wait("its note", "preview().note.endswith(' s')")
    longest = window.ask("clock.longest")
    note = window.ask("preview().note")
    window.picture("preview_of_another_seed")
    shown = window.ask("fingerprint()")
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("the undo", f"{SCENE}.seed == {seed}")
    window.wait("the preview of that", f"{MARK} and fingerprint() != {shown!r}")
    window.press("erosion.live_preview")
    window.wait("the terrain", f"fingerprint() == {before!r}")
    window.picture("preview_switched_off")
    return f"{note}, main loop's longest turn {longest:.2f} s"


def edit_mode_shows_the_terrain_and_not_the_preview(window):
    window.ask("new_terrain(96, 128, 2.0)")
    before = window.ask("heights().tobytes().hex()")
    window.press("erosion.live_preview")
    window.wait("a preview", MARK)
    window.over_viewport()
    window.key("TAB")
    window.wait("Edit Mode", "bpy.data.objects['Terrain'].mode == 'EDIT'")
    time.sleep(0.5)
    window.picture("edit_mode")
    window.ask("bpy.data.objects['Terrain'].erosion.live_preview = False")
    window.key("TAB")
    window.wait("Object Mode", "bpy.data.objects['Terrain'].mode == 'OBJECT'")
    assert window.ask("heights().tobytes().hex()") == before and not window.ask(MARK)


def two_objects_are_eroded_one_after_the_other(window):
    window.ask("new_terrain(288, 384, 1000.0)")
    window.ask(
        "for name in 'BC':\n"
        "    other = bpy.data.objects['Terrain'].copy()\n"
        "    other.data, other.name = other.data.copy(), name\n"
        "    other.location.x = 2700.0 * (1 if name == 'B' else -1)\n"
        "    bpy.context.scene.collection.objects.link(other)\n"
    )
    window.ask("bpy.data.objects['C'].erosion.steps[0].droplet.drops_per_cell = 4.0")
    window.ask("activate('Terrain')")
    window.press("erosion.run")
    window.wait("progress", "eroding()")
    for name in "BC":
        # Finding a button takes longer than a run where software draws three terrains.
        window.ask(f"activate({name!r})")
        window.ask(
            "with bpy.context.temp_override(window=window()): bpy.ops.erosion.run('INVOKE_DEFAULT')"
        )
    window.settle()
    window.picture("queue")
    assert window.ask("[one.name for one in queue().waiting()]") == ["B", "C"]
    window.ask("bpy.ops.erosion.queue_remove(name='B')")
    window.wait("one less", "[one.name for one in queue().waiting()] == ['C']")
    window.over_viewport()
    window.escape()  # cancels the first run alone
    # The run of C may be over before a loaded machine can look at it; its map stays.
    window.wait("the result of the next run", "'wear' in attributes('C')")
    window.wait("the end of all", f"{IDLE} and not queue().waiting()")
    assert "wear" not in window.ask("attributes()") + window.ask("attributes('B')")
    window.picture("after_queue")


SCENES = (
    the_run_is_seen_and_escape_brings_every_byte_back,
    undo_after_a_seen_run_gives_the_terrain_although_the_user_worked_meanwhile,
    a_setting_is_dragged_and_previewed,
    edit_mode_shows_the_terrain_and_not_the_preview,
    two_objects_are_eroded_one_after_the_other,
    water_is_seen_as_long_as_it_runs,
    a_large_run_is_seen_and_the_window_stays_awake,
)
