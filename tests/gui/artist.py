# SPDX-License-Identifier: GPL-3.0-or-later
"""A first hour with the extension in a real window: from Add ▸ Mesh ▸ Terrain to files and the
finished look.

The scenes before and after those of desk.py, in one Blender.
"""

import json
import time
from pathlib import Path

import desk

OBJECT = "bpy.context.object"
SETTINGS = f"{OBJECT}.erosion"
IDLE = "not running()"
LONG = 1000.0  # drops a cell: minutes on these small terrains, or a second
SHORT = 2.0
# pixels from the middle of the popover: the first may lie between two pictures
ASIDE = (0, 40, -40, 80, -80)
SMALL = (
    "bpy.context.window_manager.operator_properties_last('erosion.terrain_add').resolution = 192"
)
IN_VIEWPORT = (
    "with bpy.context.temp_override(window=window(), area=viewport(), region=region('WINDOW')): "
)
BROWSER = "next((area for area in window().screen.areas if area.type == 'FILE_BROWSER'), None)"
PIXELS = """
image = bpy.data.images.load({path!r})
image.colorspace_settings.name = 'Non-Color'
pixels = np.array(image.pixels[:], dtype=np.float32).reshape(-1, 4)[:, 0]
bpy.data.images.remove(image)
"""


def a_terrain_is_added_by_the_menu(window):
    window.ask("for old in list(bpy.data.objects): bpy.data.objects.remove(old)")
    window.ask(desk.FOLDED)
    window.ask(SMALL)
    window.over_viewport()
    window.send("A", shift=True)
    time.sleep(0.5)  # the menu unfolds, and nothing tells when it is there
    for letter in "terr":
        window.send(letter.upper(), ["PRESS"], unicode=letter)
    time.sleep(0.5)
    window.picture("add_menu")
    window.key("RET")
    window.wait("the terrain", f"{OBJECT} is not None")
    window.open_tab("Erosion")
    window.find_button("erosion.run")
    window.picture("added")
    assert window.ask(f"len({OBJECT}.data.vertices)") == 192 * 192
    window.ask(f"{OBJECT}.name = {OBJECT}.data.name = 'Terrain'")
    window.ask(IN_VIEWPORT + "bpy.ops.ed.undo_push(message='Rename')")


def a_recipe_is_chosen_by_its_picture(window):
    before = window.ask(f"{SETTINGS}.recipe_name")
    for aside in ASIDE:
        window.press("erosion.recipe_choose")
        time.sleep(2.0)  # Blender loads the pictures aside, and nothing tells when they are there
        window.picture("pictures")
        x, y = window.mouse
        window.click(x + aside, y + aside)
        if window.ask(f"{SETTINGS}.recipe_name") != before:
            break
        window.key("ESC")
    chosen = window.ask(f"{SETTINGS}.recipe_name")
    assert chosen != before, "no picture could be clicked"
    window.picture("chosen")
    window.find_button("erosion.run")  # one click has closed the popover
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("the undo", f"{SETTINGS}.recipe_name == {before!r}")
    return f"{chosen}, and Ctrl-Z gave {before} back"


def escape_leaves_the_mesh_as_it_was(window):
    before = _start(window)
    early = window.ask("job().fraction")
    window.wait("more progress", f"job().fraction > {early} + 0.002")
    window.picture("the_bar_moves")
    window.over_viewport()
    pressed = time.monotonic()
    window.escape()
    window.wait("the end of the run", IDLE)
    seconds = window.ask("clock.idle_since") - pressed
    assert window.ask("outcome()[0]") == "cancelled"
    assert window.ask("fingerprint()") == before, "Esc changed the mesh"
    window.picture("after_escape")
    return f"idle {seconds:.2f} s after Esc"


def the_search_finds_erosion(window):
    window.over_viewport()
    window.key("F3")
    time.sleep(0.5)  # the search opens, and nothing tells when it is there
    for letter in "erosion":
        window.send(letter.upper(), ["PRESS"], unicode=letter)
    time.sleep(0.5)
    window.picture("found")
    for letter in " run":
        window.send("SPACE" if letter == " " else letter.upper(), ["PRESS"], unicode=letter)
    time.sleep(0.5)
    before = window.ask("id(clock.last_job)")
    window.key("RET")
    window.wait("the run", f"id(clock.last_job) != {before}")
    window.key("ESC")
    window.wait("the end of the run", IDLE)


def finish_keeps_what_is_there_as_one_undo_step(window):
    window.ask(f"{SETTINGS}.show_progress = False")  # drawn so slowly that buttons are hard to find
    before = _start(window)
    window.wait("some erosion", "job().fraction > 0.002")
    window.press("erosion.finish")
    window.wait("the end of the run", IDLE)
    assert window.ask("fingerprint()") != before, "erosion.finish kept nothing"
    assert window.ask(f"__import__('json').loads({SETTINGS}.report)['finished']") < 1.0, (
        "the run went on to its end"
    )
    assert "wear" in window.ask("attributes()")
    window.picture("after_finish")
    _undo(window, before)


def a_run_to_the_end_is_one_undo_step(window):
    before = _let_it_rain(window, SHORT)
    window.ask("clock.restart()")
    desk.erode(window)
    longest = window.ask("clock.longest")
    assert {"wear", "deposition", "erosion_source"} <= set(window.ask("attributes()"))
    window.picture("after_run")
    _undo(window, before)
    return f"main loop's longest turn {longest:.2f} s; Ctrl-Z gave the exact input back"


def only_the_changed_step_is_run_again(window):
    window.ask(
        f"{SETTINGS}.strength.source = 'NONE'; bpy.ops.erosion.restore(); given = heights().copy()"
    )
    for kind in ("talus", "droplet"):
        window.ask(
            f"{SETTINGS}.active_step = len({SETTINGS}.steps) - 1; "
            f"bpy.ops.erosion.step_add(kind={kind!r})"
        )
    desk.erode(window)
    first = window.ask("fingerprint()")
    window.ask(f"{SETTINGS}.steps[2].droplet.drops_per_cell = {SHORT}")
    window.press("erosion.run")
    window.wait("the end of the second run", f"{IDLE} and fingerprint() != {first!r}")
    reused = [
        step.get("reused", False) for step in json.loads(window.ask(f"{SETTINGS}.report"))["steps"]
    ]
    assert reused == [True, True, False], f"reused were {reused}"
    window.picture("third_step_changed")


def restore_brings_the_terrain_back_and_apply_forgets_it(window):
    eroded = window.ask("fingerprint()")
    window.press("erosion.restore")
    assert window.ask("bool((heights() == given).all())"), "Restore gave other heights"
    assert "wear" not in window.ask("attributes()")
    window.picture("restored")
    _undo(window, eroded)
    window.ask("result = heights().copy()")
    window.press("erosion.apply")
    assert "erosion_source" not in window.ask("attributes()")
    assert window.ask("bool((heights() == result).all())"), "Apply moved vertices"
    window.picture("applied")


def heightmap_and_maps_are_files_with_the_terrains_own_numbers(window):
    folder = Path(window.folder.name)
    _save_by_browser(window, "erosion.heightmap_export", folder, "valley.exr")
    window.wait("the heightmap", (folder / "valley.json").is_file)
    window.ask(PIXELS.format(path=str(folder / "valley.exr")))
    assert window.ask("bool((pixels == heights()).all())"), "the heightmap has other heights"
    _save_by_browser(window, "erosion.maps_export", folder, "")
    window.wait("the maps", (folder / "wear.exr").is_file)
    for name in ("wear", "deposition", "moisture"):
        window.ask(PIXELS.format(path=str(folder / f"{name}.exr")))
        window.ask(
            f"values = np.empty(len(pixels), dtype=np.float32); "
            f"{OBJECT}.data.attributes[{name!r}].data.foreach_get('value', values)"
        )
        assert window.ask("bool((pixels == values).all() and values.max() > 0)"), (
            f"{name}.exr has other numbers"
        )
    return ", ".join(
        sorted(path.name for path in folder.glob("*.*") if path.suffix in (".exr", ".json"))
    )


def the_look_is_finished_in_one_click(window):
    window.press("erosion.look_add")
    window.wait("the light of the sky", "'sky_light' in attributes()")
    assert window.ask("materials()") == ["Terrain Erosion Temperate"]
    window.picture("look_finished")


def _start(window):
    """Begin a long run; returns the fingerprint of the terrain before."""
    before = _let_it_rain(window, LONG)
    window.press("erosion.run")
    window.wait("progress", "eroding()")
    assert window.workers(), "no worker process, though the run makes progress"
    return before


def _let_it_rain(window, drops_per_cell):
    """Change the drops of all steps, which is an undo step; returns the fingerprint of the
    terrain.
    """
    window.ask(f"for step in {SETTINGS}.steps: step.droplet.drops_per_cell = {drops_per_cell}")
    window.ask(IN_VIEWPORT + "bpy.ops.ed.undo_push(message='Setting')")
    return window.ask("fingerprint()")


def _undo(window, before):
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("the undo", f"fingerprint() == {before!r}")


def _save_by_browser(window, operator, folder, name):
    """Save through Blender's file browser; name "" where a folder is asked for."""
    window.ask(IN_VIEWPORT + f"bpy.ops.{operator}('INVOKE_DEFAULT')")
    window.wait(
        "the file browser", f"{BROWSER} is not None and {BROWSER}.spaces.active.params is not None"
    )
    window.ask(
        f"chosen = {BROWSER}.spaces.active.params; chosen.directory = {str(folder).encode()!r}"
    )
    if name:
        window.ask(f"chosen.filename = {name!r}")
    time.sleep(1.0)  # the list is read aside, and nothing tells when it is there
    window.picture(operator.rpartition(".")[2])
    window.ask(
        f"with bpy.context.temp_override(window=window(), area={BROWSER}): bpy.ops.file.execute()"
    )
    window.wait("the viewport", f"{BROWSER} is None")


SCENES = (
    a_terrain_is_added_by_the_menu,
    a_recipe_is_chosen_by_its_picture,
    escape_leaves_the_mesh_as_it_was,
    the_search_finds_erosion,
    finish_keeps_what_is_there_as_one_undo_step,
    a_run_to_the_end_is_one_undo_step,
    *desk.SCENES,
    only_the_changed_step_is_run_again,
    restore_brings_the_terrain_back_and_apply_forgets_it,
    heightmap_and_maps_are_files_with_the_terrains_own_numbers,
    the_look_is_finished_in_one_click,
)
