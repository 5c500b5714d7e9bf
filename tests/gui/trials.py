# SPDX-License-Identifier: GPL-3.0-or-later
"""Unusual ways of working in a real window: sculpting, saving between run and undo, dropped images,
a cube.
"""

import time
from pathlib import Path

import desk

IDLE = "not running()"
IN_VIEWPORT = (
    "with bpy.context.temp_override(window=window(), area=viewport(), region=region('WINDOW')): "
)
TERRAIN = "bpy.data.objects['Terrain']"
PICTURE = """
image = bpy.data.images.new('gray', 64, 48)
image.pixels.foreach_set(np.tile(np.linspace(0, 1, 64, dtype=np.float32).repeat(4), 48))
image.filepath_raw, image.file_format = {path!r}, 'PNG'
image.save()
bpy.data.images.remove(image)
"""


SELECT = f"""
mesh = {TERRAIN}.data
row, col = np.divmod(np.arange(96 * 128), 128)
chosen = (abs(row - 48) < 24) & (abs(col - 64) < 32)
attribute = mesh.attributes.get('.select_vert')
attribute = attribute or mesh.attributes.new('.select_vert', 'BOOLEAN', 'POINT')
attribute.data.foreach_set('value', chosen)
bpy.ops.ed.undo_push(message='Selection')
"""


def a_cube_becomes_a_grid(window):
    window.ask("for old in list(bpy.data.objects): bpy.data.objects.remove(old)")
    window.ask(desk.FOLDED)
    window.ask(IN_VIEWPORT + "bpy.ops.mesh.primitive_cube_add(size=1000.0)")
    window.open_tab("Erosion")
    window.picture("cube")
    window.press("erosion.grid_from_mesh")
    window.wait("the grid", "bpy.context.object.name == 'Cube Grid'")
    window.find_button("erosion.run")
    window.picture("cube_grid")


def a_terrain_is_sculpted_straightened_and_eroded(window):
    window.ask("new_terrain(96, 128, 1.0)")
    _erode(window)
    window.ask(IN_VIEWPORT + "bpy.ops.object.mode_set(mode='SCULPT')")
    before = window.ask("fingerprint()")
    desk.paint_across(window)
    window.wait("the stroke", f"fingerprint() != {before!r}")
    window.ask(IN_VIEWPORT + "bpy.ops.object.mode_set(mode='OBJECT')")
    window.picture("sculpted")
    sculpted = window.ask("fingerprint()")
    window.press("erosion.grid_straighten")
    window.wait("the straight grid", f"fingerprint() != {sculpted!r}")
    window.find_button("erosion.run")
    window.picture("straightened")
    window.ask("straight = heights().copy()")
    _erode(window)
    window.picture("eroded")
    assert window.ask("bool((heights() != straight).any())")
    window.ask(IN_VIEWPORT + "bpy.ops.erosion.restore()")
    assert window.ask("bool((heights() == straight).all())"), (
        "Restore gave something else than what was sculpted"
    )


def undo_and_redo_reach_past_a_saved_file(window):
    window.ask("new_terrain(96, 128, 1.0)")
    before = window.ask("fingerprint()")
    _erode(window)
    eroded = window.ask("fingerprint()")
    window.ask(
        f"bpy.ops.wm.save_as_mainfile(filepath={str(Path(window.folder.name) / 'saved.blend')!r})"
    )
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("the undo", f"fingerprint() == {before!r}")
    window.ask("bpy.ops.wm.save_mainfile()")
    window.send("Z", ctrl=True, shift=True)
    window.wait("the redo", f"fingerprint() == {eroded!r}")


def a_dropped_png_is_a_picture_or_a_heightmap(window):
    folder = Path(window.folder.name)
    window.ask(PICTURE.format(path=str(folder / "gray.png")))
    known = window.ask("len(bpy.data.objects)")
    window.over_viewport()
    drop = (
        f"bpy.ops.wm.drop_import_file('INVOKE_DEFAULT', directory={str(folder)!r}, "
        "files=[{'name': 'gray.png'}])"
    )
    window.ask(IN_VIEWPORT + drop)
    time.sleep(0.5)  # the choice unfolds, and nothing tells when it is there
    window.picture("choice")
    window.key("I")  # Import Heightmap
    time.sleep(0.5)
    window.picture("asked")
    window.key("RET")
    window.wait("the terrain", f"len(bpy.data.objects) == {known + 1}")
    assert window.ask("len(bpy.context.object.data.vertices)") == 48 * 64


def a_recipe_dragged_from_a_file_manager_becomes_the_terrains(window):
    window.ask("new_terrain(96, 128, 1.0)")
    path = Path(window.folder.name) / "Hollow Way.toml"
    path.write_text(
        'name = "Hollow Way"\nedges = "open"\n[[step]]\nkind = "rill"\n', encoding="utf-8"
    )
    window.over_viewport()
    window.drop_file(path)
    time.sleep(0.5)  # it unfolds, and nothing tells when it is there
    window.picture("dragged")
    window.key("RET")
    window.wait(
        "the recipe", "[step.kind for step in bpy.context.object.erosion.steps] == ['rill']"
    )


def _erode(window):
    before = window.ask("fingerprint()")
    window.ask(IN_VIEWPORT + "bpy.ops.erosion.run('INVOKE_DEFAULT')")
    window.wait("the end of the run", f"{IDLE} and fingerprint() != {before!r}")


def the_selection_is_eroded_by_run_on_region_and_nothing_beyond(window):
    window.ask("new_terrain(96, 128, 20.0)")
    window.ask(SELECT)
    window.ask("before = heights().copy()")
    window.open_tab("Erosion")
    window.press("erosion.run_region")
    window.wait("the region", f"{IDLE} and bool((heights() != before).any())")
    window.picture("region")
    within, beyond = window.ask(
        "moved = heights() != before; [float(moved[chosen].mean()), int(moved[~chosen].sum())]"
    )
    assert within > 0.5 and not beyond, (
        f"{within:.0%} of the selection changed, and {beyond} vertices beyond it"
    )
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("the undo", "bool((heights() == before).all())")
    return f"{within:.0%} of the selection, nothing beyond"


SCENES = (
    a_cube_becomes_a_grid,
    a_terrain_is_sculpted_straightened_and_eroded,
    undo_and_redo_reach_past_a_saved_file,
    the_selection_is_eroded_by_run_on_region_and_nothing_beyond,
    a_dropped_png_is_a_picture_or_a_heightmap,
)
