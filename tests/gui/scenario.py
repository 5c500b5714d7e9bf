# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person does in a real window, and what must come of it; run.py starts it where there is a
Blender.

    scenario.py BLENDER FOLDER AT_ONCE [SESSION ...]      exit code 0: every scene went as it should

A scene is a function of the window; the scenes of a session share one Blender. AT_ONCE sessions are
played at a time, each on a screen of its own. Pictures go to FOLDER/SESSION.
"""

import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import artist
import attended
import brush
import choices
import first_click
import frames
import heightmaps
import pages
import recipes
import seen
import trials
import waters
from window import Screen, Window, is_alive

LONG = 1000.0  # drops a cell: minutes on the grids below, or a few seconds
SHORT = 20.0
IDLE = "not running()"
LOOK_BUTTONS = (
    "erosion.look_add",
    "erosion.material_add",
    "erosion.aovs_add",
    "erosion.water_add",
    "erosion.foliage_add",
    "erosion.light_bake",
    "erosion.maps_export",
    "erosion.images_send",
    "erosion.lod_add",
)


def start(window, rows=192, columns=256, drops_per_cell=LONG):
    """A fresh terrain and a run on it that has begun to erode; returns the fingerprint of the
    terrain before.
    """
    window.ask(f"new_terrain({rows}, {columns}, {drops_per_cell})")
    before = window.ask("fingerprint()")
    window.press("erosion.run")
    window.wait("progress", "eroding()")
    assert window.workers(), "no worker process, though the run makes progress"
    return before


def stopped(window):
    """Wait until neither job nor worker is left; returns the seconds."""
    return window.wait("the end of the run", lambda: window.ask(IDLE) and not window.workers())


def verdict(window, picture):
    """Wait for the end of the run; what the extension says came of it, and what is in the scene."""
    window.wait("the end of the run", IDLE)
    state, sentence = window.ask("outcome()")
    window.picture(picture)
    assert sentence.endswith("."), f"the run ended as {state} without a sentence"
    return (
        f"{state}, {sentence!r}, objects: "
        f"{window.ask('[one.name for one in bpy.context.scene.objects]')}"
    )


def the_tab_opens(window):
    window.ask(f"new_terrain(192, 256, {LONG})")
    window.open_tab("Erosion")
    window.find_button("erosion.run")
    window.picture("tab")


def progress_moves_and_escape_leaves_the_mesh_as_it_was(window):
    before = start(window)
    window.picture("progress_early")
    early = window.ask("job().fraction")
    window.wait("more progress", f"job().fraction > {early} + 0.002")
    window.picture("progress_later")
    window.over_viewport()
    pressed = time.monotonic()
    window.escape()
    window.wait("the end of the run", IDLE)
    seconds = window.ask("clock.idle_since") - pressed
    assert window.ask("outcome()[0]") == "cancelled"
    assert not window.workers(), "Esc left a worker process"
    assert window.ask("fingerprint()") == before, "Esc changed the mesh"
    window.picture("after_escape")
    return f"idle {seconds:.2f} s after Esc"


def a_file_opened_during_a_run_stops_the_worker_and_stays_as_it_is(window):
    path = str(Path(window.folder.name) / "other.blend")
    window.ask(f"new_terrain(64, 80, {LONG}, name='Other')")
    other = window.ask("fingerprint('Other')")
    window.ask(f"bpy.ops.wm.save_as_mainfile(filepath={path!r}, copy=True)")
    start(window)
    opened = time.perf_counter()
    window.ask(f"bpy.ops.wm.open_mainfile(filepath={path!r}, load_ui=False)")
    stopped(window)
    seconds = time.perf_counter() - opened
    time.sleep(1.0)  # anything late would come now
    assert window.ask("fingerprint('Other')") == other, "the opened file was changed"
    return f"worker gone {seconds:.2f} s after"


def an_object_deleted_during_a_run_stays_deleted(window):
    start(window, drops_per_cell=SHORT)
    window.over_viewport()
    window.key("DEL")
    assert window.ask("'Terrain' not in bpy.context.scene.objects"), "Delete did nothing"
    return verdict(window, "after_delete")


def an_object_renamed_during_a_run_is_eroded(window):
    start(window, drops_per_cell=SHORT)
    window.ask("bpy.data.objects['Terrain'].name = 'Renamed'")
    window.wait("the end of the run", IDLE)
    assert "wear" in window.ask("attributes('Renamed')")


def edit_mode_during_a_run_loses_nothing(window):
    start(window, drops_per_cell=SHORT)
    window.ask("given = heights()")
    window.over_viewport()
    window.key("TAB")
    window.wait("Edit Mode", "bpy.data.objects['Terrain'].mode == 'EDIT'")
    window.wait("the result", f"{IDLE} or job().state == 'waiting'")
    time.sleep(1.0)  # a late write would be lost now
    window.picture("edit_mode")
    window.key("TAB")
    window.wait("Object Mode", "bpy.data.objects['Terrain'].mode == 'OBJECT'")
    said = verdict(window, "after_edit_mode")
    changed = window.ask("bool((heights() != given).any())")
    assert changed == ("wear" in window.ask("attributes()")), "half a result was written"
    return said


def quitting_during_a_run_with_two_windows_takes_the_worker_along(window):
    start(window)
    # Of the windows that are open at the end this one goes first.
    window.ask(
        "bpy.app.timers.register(lambda: bpy.ops.screen.userpref_show() and None, "
        "first_interval=0.0)"
    )
    window.wait("the window of the preferences", "len(bpy.context.window_manager.windows) == 2")
    workers = window.workers()
    code, seconds = window.quit()
    assert code == 0, f"Blender ended with {code}; see {window.log}"
    time.sleep(5.0)  # of the minutes that its run takes
    assert not [pid for pid in workers if is_alive(pid)], "the worker outlived Blender"
    return f"quit in {seconds:.2f} s"


def autosave_comes_during_a_seen_run_the_window_stays_awake_and_the_file_opens_with_the_terrain(
    window,
):
    saves = Path(window.folder.name) / "autosave"
    saves.mkdir()
    before = start(window, 384, 512)
    own = window.ask("terrain_heights().tobytes().hex()")
    window.wait("the run on the mesh", seen.MARK)
    window.ask(f"bpy.context.preferences.filepaths.temporary_directory = {str(saves)!r}")
    window.ask("bpy.context.preferences.filepaths.use_auto_save_temporary_files = True")
    window.wait("the operator", attended.ATTENDED)  # it steps aside now and then
    window.ask("clock.restart()")
    # minutes; this starts Blender's timer
    window.ask("bpy.context.preferences.filepaths.auto_save_time = 1")
    saved = window.wait("the autosave", lambda: any(saves.rglob("*.blend")))
    longest, fraction = window.ask("(clock.longest, job().fraction)")  # of a run that goes on
    window.ask("bpy.context.preferences.filepaths.use_auto_save_temporary_files = False")
    window.picture("at_autosave")
    window.wait("the operator again", attended.ATTENDED)
    window.escape()
    stopped(window)
    assert window.ask("fingerprint()") == before, "Esc changed the mesh"
    path = str(next(saves.rglob("*.blend")))
    window.ask(f"bpy.ops.wm.open_mainfile(filepath={path!r}, load_ui=False)")
    assert not window.ask(seen.MARK), "the autosaved file bears the mark of a run still"
    assert window.ask("heights().tobytes().hex()") == own, (
        "the autosaved file opened with half a run"
    )
    assert window.ask("fingerprint()") == before, (
        f"it opened with other attributes: {window.ask('attributes()')}"
    )
    # as if it waited for the worker
    assert longest < saved / 4, f"the main loop stood still for {longest:.2f} s"
    return (
        f"autosave after {saved:.1f} s, main loop's longest turn {longest:.2f} s, run at "
        f"{fraction:.0%}"
    )


def the_panels_of_the_look_are_drawn(window):
    # so that all of them fit into the window
    window.ask("bpy.context.preferences.view.ui_scale = 0.75")
    window.ask("close_panels('EROSION_PT_steps', 'EROSION_PT_masks')")
    window.ask("open_panels('EROSION_PT_surface_color', 'EROSION_PT_maps', 'EROSION_PT_look')")
    the_tab_opens(window)
    for button in reversed(LOOK_BUTTONS):  # those above are seen on the way to the last
        window.find_button(button)


def the_look_is_finished_in_one_click_and_follows_the_next_run(window):
    start(window, 96, 128, 4 * SHORT)
    window.wait("the end of the run", IDLE)
    window.press("erosion.look_add")
    window.wait("the light of the sky", "'sky_light' in attributes()")
    assert window.ask("materials()") == ["Terrain Erosion Temperate"]
    for button in ("erosion.foliage_add", "erosion.images_send", "erosion.lod_add"):
        window.press(button)
    made = (
        "[len(bpy.data.objects), len(bpy.data.images), len(bpy.data.materials), "
        "len(bpy.data.node_groups)]"
    )
    window.wait("levels of detail", "'Terrain_LOD3' in bpy.data.objects")
    before = window.ask("fingerprint()")
    there = window.ask(made)
    window.picture("after_look")
    window.ask("bpy.data.objects['Terrain'].erosion.seed = 777")
    window.press_run()
    window.wait("the end of the run", IDLE)
    assert window.ask("fingerprint()") != before and window.ask(made) == there
    window.ask("viewport().spaces.active.shading.type = 'MATERIAL'")
    window.drawn()
    window.picture("material_preview")
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("the undo", f"fingerprint() == {before!r}")


SESSIONS = {  # name: real X events, scenes; the longest first
    "first": (False, first_click.SCENES),
    "artist": (False, artist.SCENES),
    "live": (False, seen.SCENES),
    "look": (
        False,
        (
            the_panels_of_the_look_are_drawn,
            the_look_is_finished_in_one_click_and_follows_the_next_run,
        ),
    ),
    "waters": (False, waters.SCENES),
    "attended": (False, attended.SCENES),
    "heightmaps": (False, heightmaps.SCENES),
    "faults": (
        False,
        (
            the_tab_opens,
            an_object_deleted_during_a_run_stays_deleted,
            an_object_renamed_during_a_run_is_eroded,
            edit_mode_during_a_run_loses_nothing,
            a_file_opened_during_a_run_stops_the_worker_and_stays_as_it_is,
            quitting_during_a_run_with_two_windows_takes_the_worker_along,
        ),
    ),
    "trials": (False, trials.SCENES),
    "autosave": (
        False,
        (
            the_tab_opens,
            autosave_comes_during_a_seen_run_the_window_stays_awake_and_the_file_opens_with_the_terrain,
        ),
    ),
    "recipes": (False, recipes.SCENES),
    "choices": (False, choices.SCENES),
    "brush": (False, brush.SCENES),
    "ends": (False, brush.ENDS),
    "frames": (False, frames.SCENES),
    "mouse": (
        True,
        (
            the_tab_opens,
            progress_moves_and_escape_leaves_the_mesh_as_it_was,
            trials.a_recipe_dragged_from_a_file_manager_becomes_the_terrains,
        ),
    ),
}

ALL = {**SESSIONS, "pages": (False, pages.SCENES)}
"""With those that only make pictures."""


def play(session, blender, screen, folder):
    """Play the scenes of one session in one Blender; returns how many failed."""
    real_events, scenes = ALL[session]
    failed = 0
    print(f"{session}: {'real' if real_events else 'simulated'} events", flush=True)
    with Window(blender, screen, folder / session, real_events) as window:
        for scene in scenes:
            name = scene.__name__.replace("_", " ")
            started = time.perf_counter()
            try:
                said = scene(window)
                print(
                    (
                        f"  ok      {session}: {name} ({time.perf_counter() - started:.0f} s) "
                        f"{said or ''}"
                    ),
                    flush=True,
                )
            except Exception:  # noqa: BLE001 -- a failed scene, whatever it is; the others go on
                failed += 1
                print(f"  FAILED  {session}: {name}: {traceback.format_exc()}", flush=True)
                if window.process.poll() is not None:
                    break
                window.picture("failed")
        if window.process.poll() is None:
            window.quit()
        code = window.process.returncode
        words = window.log.read_text()
        if code or "Traceback" in words:
            failed += 1
            print(
                f"  FAILED  {session}: Blender ended with {code}; its own words:\n{words}",
                flush=True,
            )
    return failed


def main(blender, folder, at_once, *sessions):
    def play_alone(session):
        with Screen() as screen:
            return play(session, blender, screen, Path(folder))

    with ThreadPoolExecutor(int(at_once)) as places:
        failed = sum(places.map(play_alone, sessions or SESSIONS))
    print(f"{failed} failed" if failed else "all went as it should")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
