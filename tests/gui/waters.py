# SPDX-License-Identifier: GPL-3.0-or-later
"""Rivers, lakes and sea in a real window: added, changed, looked at, updated by runs, removed."""

import time

IDLE = "not running()"
IN_VIEWPORT = (
    "with bpy.context.temp_override(window=window(), area=viewport(), region=region('WINDOW')): "
)
TERRAIN = "bpy.data.objects['Terrain']"
DATA = (
    "[len(getattr(bpy.data, kind)) for kind in ('objects', 'meshes', 'materials', 'node_groups')]"
)
FILE = f"[fingerprint(), {DATA}, sorted({TERRAIN}.keys())]"
CLOSE = """
space = viewport().spaces.active
space.shading.type = 'MATERIAL'
space.overlay.show_overlays = False
space.clip_start = 1.0
space.clip_end = 1.0e5
def look(to, distance, tilt, turn):
    from mathutils import Euler
    space.region_3d.view_location, space.region_3d.view_distance = to, distance
    space.region_3d.view_rotation = Euler((tilt, 0.0, turn)).to_quaternion()
"""
MIDDLE_OF_RIVER = """
river = bpy.data.objects['Terrain Rivers'].data
at = np.argmax([value.value for value in river.attributes['discharge'].data])
list(river.vertices[len(river.vertices) // 20 if at < len(river.vertices) // 20 else int(at)].co)
"""


def hills_with_pits_are_eroded(window):
    # so that all buttons fit into the window
    window.ask("bpy.context.preferences.view.ui_scale = 0.75")
    window.ask("close_panels('EROSION_PT_steps', 'EROSION_PT_masks')")
    window.ask("open_panels('EROSION_PT_look')")
    window.ask("new_terrain(128, 160, 1.0)")
    window.ask(
        f"from mathutils import Matrix; {TERRAIN}.data.transform(Matrix.Translation((0, 0, -75)))"
    )  # below a sea
    window.open_tab("Erosion")
    _run(window)


def escape_while_rivers_are_computed_leaves_the_file_as_it_was(window):
    before = window.ask(FILE)
    for worker in window.workers():  # the next one takes a second to start, in which Esc arrives
        window.ask(f"import os; os.kill({worker}, 9)")
    window.wait("the end of the worker", lambda: not window.workers())
    window.press_run("erosion.rivers_add")
    window.over_viewport()
    window.escape()
    window.wait("the end", IDLE)
    assert window.ask("outcome()[0]") == "cancelled"
    assert window.ask(FILE) == before


def rivers_lakes_and_sea_are_added_by_the_mouse(window):
    before = window.ask("fingerprint()")
    _add(window, "rivers")
    _add(window, "lakes")
    _add(window, "sea")
    window.picture("added")
    assert window.ask("fingerprint()") != before, "the terrain does not know its rivers"
    ground = window.ask("fingerprint(without=('river', 'bank', 'lake', 'erosion_shore'))")
    assert ground == before, "water changed the mesh of the terrain"


def another_sea_level_in_the_redo_panel_moves_the_sea_and_the_rivers(window):
    levels = "[{vertex.co.z for vertex in bpy.data.objects['Terrain Sea'].data.vertices}]"
    rivers = window.ask("fingerprint('Terrain Rivers')")
    sea = window.ask(levels)
    last = "bpy.context.window_manager.operators[-1]"
    assert window.ask(f"{last}.bl_idname") == "EROSION_OT_sea_add"
    window.ask(f"{last}.properties.sea_level += 20.0")
    window.ask(IN_VIEWPORT + "bpy.ops.ed.undo_redo()")  # as the redo panel does
    time.sleep(0.3)
    window.wait("the sea", lambda: window.ask(IDLE) and window.ask(levels) not in (sea, "[set()]"))
    assert window.ask("fingerprint('Terrain Rivers')") != rivers, (
        "rivers did not end in the sea that rose"
    )
    window.picture("sea_changed")


def they_are_looked_at(window):
    window.press("erosion.material_add")
    window.ask(CLOSE)
    window.ask("look((0, 0, 115), 1900.0, 0.85, 0.5)")
    window.drawn()
    window.picture("all")
    window.ask("look((0, 0, 115), 1700.0, 0.0, 0.0)")
    window.drawn()
    window.picture("from_above")
    place = window.ask(MIDDLE_OF_RIVER)
    for distance, tilt in ((400.0, 1.0), (120.0, 1.2), (120.0, 0.3)):
        window.ask(f"look({place}, {distance}, {tilt}, 0.5)")
        window.drawn()
        window.picture("close")
    window.ask("space.shading.type, space.overlay.show_overlays = 'SOLID', True")


def they_follow_the_next_run(window):
    known = "[fingerprint('Terrain ' + kind) for kind in ('Rivers', 'Sea')]"
    before = window.ask(known)
    there = window.ask(DATA)
    window.ask(f"{TERRAIN}.erosion.seed += 1")
    _run(window)
    assert all(new != old for new, old in zip(window.ask(known), before, strict=True)), (
        "water stood still"
    )
    assert window.ask(DATA) == there
    window.picture("after_the_next_run")


def beds_are_carved_for_the_rivers_and_undone(window):
    window.ask("ground = heights()")
    window.press("erosion.beds_carve")
    time.sleep(0.3)
    window.wait("the end of the work", IDLE)
    window.picture("beds")
    assert window.ask("bool((heights() <= ground).all() and (heights() < ground).any())"), (
        window.ask("outcome()")
    )
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("the ground before", "bool((heights() == ground).all())")


def they_are_removed_by_one_click_and_come_back_with_undo(window):
    given = window.ask("fingerprint('Terrain Sea')")
    _remove(window, "sea")
    window.wait("no sea", "'Terrain Sea' not in bpy.data.objects")
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("the sea", "'Terrain Sea' in bpy.data.objects")
    assert window.ask("fingerprint('Terrain Sea')") == given
    for kind in ("rivers", "lakes", "sea"):
        _remove(window, kind)
    assert window.ask("[one.name for one in bpy.data.objects]") == ["Terrain"]


def _add(window, kind):
    window.press(f"erosion.{kind}_add")
    time.sleep(0.3)
    window.wait("the end of the work", IDLE)
    assert window.ask(f"'Terrain {kind.title()}' in bpy.data.objects"), window.ask("outcome()")


def _remove(window, kind):
    """Press the cross right of the button that adds the kind, which is too narrow to be found
    blindly.
    """
    left, y = window.find_button(f"erosion.{kind}_add")
    for x in range(left, left + 200, 9):
        window.move(x, y)
        if "companion_remove" in (window.ask("hovered('UI')") or ""):
            return window.click(x, y)
    raise LookupError(f"no button removes the {kind}")


def _run(window):
    before = window.ask("terrain_heights().tolist()")
    window.press_run()
    window.wait("the end of the run", IDLE)
    assert (
        window.ask("outcome()[0]") == "done" and window.ask("terrain_heights().tolist()") != before
    )


SCENES = (
    hills_with_pits_are_eroded,
    escape_while_rivers_are_computed_leaves_the_file_as_it_was,
    rivers_lakes_and_sea_are_added_by_the_mouse,
    another_sea_level_in_the_redo_panel_moves_the_sea_and_the_rivers,
    they_are_looked_at,
    they_follow_the_next_run,
    beds_are_carved_for_the_rivers_and_undone,
    they_are_removed_by_one_click_and_come_back_with_undo,
)
