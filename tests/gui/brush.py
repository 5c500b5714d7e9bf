# SPDX-License-Identifier: GPL-3.0-or-later
"""The erosion brush in a real window: strokes of every kind with the mouse, Esc, undo, keys."""

import math
import time
from pathlib import Path

from desk import TERRAIN
from window import is_alive

SETTINGS = "bpy.context.scene.erosion_brush"
STROKES = f"sum(len(item.strokes) for item in {TERRAIN}.erosion.steps)"
KINDS = ("rain", "rills", "talus", "raise", "smooth", "sand", "wind")
CHOOSE = """
with bpy.context.temp_override(window=window(), area=viewport(), region=region('WINDOW')):
    bpy.ops.wm.tool_set_by_id(name='erosion.brush')
"""


SAME = """
with bpy.data.libraries.load({path!r}) as (there, wanted):
    wanted.objects = ['Terrain']
again = wanted.objects[0]
same = bool((heights(again.name) == heights()).all())
bpy.data.objects.remove(again)
same
"""


UNTOUCHED = """
import bpy, hashlib, numpy
mesh = bpy.data.objects['Terrain'].data
place = numpy.empty(3 * len(mesh.vertices), numpy.float32)
mesh.attributes['position'].data.foreach_get('vector', place)
assert hashlib.sha256(place[2::3].tobytes()).hexdigest() == '{own}', 'half a stroke was saved'
assert 'erosion_live' not in mesh.attributes
"""


SHRINK = f"""
{TERRAIN}.scale = {TERRAIN}.scale * 0.00125
with bpy.context.temp_override(window=window(), area=viewport(), region=region('WINDOW')):
    bpy.ops.view3d.view_selected()
"""


MASK = f"""
terrain = {TERRAIN}
free = (np.arange(128 * 160) % 160) < 80
group = terrain.vertex_groups.new(name="Free")
group.add(np.flatnonzero(free).tolist(), 1.0, "REPLACE")
terrain.erosion.strength.source, terrain.erosion.strength.layer = "VERTEX_GROUP", "Free"
"""


BENT = f"""
dabs = np.array(json.loads({TERRAIN}.erosion.steps[0].strokes[0].data)["dabs"])[:, :2]
chord = dabs[-1] - dabs[0]
off = np.abs((dabs - dabs[0]) @ np.array([-chord[1], chord[0]])) / np.hypot(*chord)
[float(off.max()), float(np.hypot(*np.ptp(dabs, axis=0)))]
"""


COUNT_UPDATES = """
updates = []
painters = import_module(EXTENSION + '.erosion_addon.scene.brush.painter')
if not hasattr(painters.Painter, 'silent'):
    painters.Painter.silent = painters.Painter.show
    painters.Painter.show = lambda painter: (updates.append(time.monotonic()), painter.silent())[1]
"""


def _middle(window):
    left, bottom, width, height = window.ask("rectangle('WINDOW')")
    return left + width // 2, bottom + height // 2


def _paint(window):
    """A stroke over the middle of the terrain, from left to right."""
    x, y = _middle(window)
    window.drag(x - 60, y, 120, 8)


def _circle(window, steps):
    """A stroke along three quarters of a circle around the middle of the viewport."""
    x, y = _middle(window)
    path = [
        (x + 70 * math.cos(angle), y + 70 * math.sin(angle))
        for angle in (1.5 * math.pi * n / steps for n in range(steps))
    ]
    window.move(*path[0])
    window.send("LEFTMOUSE", ["PRESS"])
    for place in path:
        window.hover(*place)
    window.send("LEFTMOUSE", ["RELEASE"])
    window.settle()


def _begin_stroke(window):
    """Press the button and move, until the stroke is seen on the mesh; returns the fingerprint
    before.
    """
    before = window.ask("fingerprint()")
    x, y = _middle(window)
    window.move(x, y)
    window.send("LEFTMOUSE", ["PRESS"])
    for step in range(8):
        window.move(x + 8 * step, y)
    window.wait("the stroke on the mesh", f"fingerprint() != {before!r}")
    return before


def the_brush_paints_rain_and_undo_takes_it_back(window):
    window.ask("new_terrain(128, 160, 1.0)")
    window.ask(CHOOSE)
    window.ask(f"{SETTINGS}.use_pixels, {SETTINGS}.radius = False, 150.0")
    window.ask(f"{SETTINGS}.kind = 'rain'")
    window.move(*_middle(window))
    window.picture("circle")
    before = window.ask("fingerprint()")
    _paint(window)
    window.wait("the stroke", f"{STROKES} == 1")
    window.picture("rain")
    assert window.ask("fingerprint()") != before, "the stroke changed nothing"
    window.key("Z", ctrl=True)
    window.wait("the undo", f"{STROKES} == 0")
    assert window.ask("fingerprint()") == before, "undo did not bring the terrain back"


def escape_takes_a_stroke_back(window):
    window.ask(f"{SETTINGS}.kind = 'raise'")
    before = _begin_stroke(window)
    window.key("ESC")
    window.send("LEFTMOUSE", ["RELEASE"])
    window.wait("the ground as it was", f"fingerprint() == {before!r}")
    assert window.ask(STROKES) == 0


def undo_in_a_stroke_is_not_heard(window):
    before = _begin_stroke(window)
    window.key("Z", ctrl=True)
    window.send("LEFTMOUSE", ["RELEASE"])
    window.wait("the stroke", f"{STROKES} == 1")
    window.key("Z", ctrl=True)
    window.wait("the undo", f"{STROKES} == 0")
    assert window.ask("fingerprint()") == before


def a_file_that_a_script_opens_in_a_stroke_stays_as_it_is(window):
    path = str(Path(window.folder.name) / "before.blend")
    window.ask(f"bpy.ops.wm.save_as_mainfile(filepath={path!r}, copy=True)")
    before = _begin_stroke(window)
    window.ask(f"bpy.ops.wm.open_mainfile(filepath={path!r}, load_ui=False)")
    window.send("LEFTMOUSE", ["RELEASE"])
    window.settle()
    assert window.ask("fingerprint()") == before and window.ask(STROKES) == 0
    window.ask(CHOOSE)


def strokes_of_every_kind_are_made_again_without_a_window(window):
    window.ask(f"{SETTINGS}.angle = 15.0 * 3.14159 / 180")
    for number, kind in enumerate(KINDS, 1):
        before = window.ask("fingerprint()")
        window.ask(f"{SETTINGS}.kind = {kind!r}")
        _paint(window)
        window.wait(f"the stroke of {kind}", f"{STROKES} == {number}")
        assert window.ask("fingerprint()") != before, f"{kind} changed nothing"
    window.picture("every_kind")
    painted, again = (
        str(Path(window.folder.name) / name) for name in ("painted.blend", "again.blend")
    )
    window.ask(f"{TERRAIN}.erosion.steps[1].enabled = False")  # strokes alone
    window.ask(f"bpy.ops.wm.save_as_mainfile(filepath={painted!r}, copy=True)")
    window.command("erosion", "erode", painted, again)
    assert window.ask(SAME.format(path=again)), (
        "strokes made again differ from those that were painted"
    )
    for number in range(len(KINDS) - 1, -1, -1):
        window.key("Z", ctrl=True)
        window.wait("the undo", f"{STROKES} == {number}")


def keys_change_radius_and_strength(window):
    window.move(*_middle(window))
    window.ask(f"{SETTINGS}.use_pixels = False")
    radius, strength = window.ask(f"({SETTINGS}.radius, {SETTINGS}.strength)")
    window.key("RIGHT_BRACKET")
    window.wait("a larger brush", f"{SETTINGS}.radius > {radius} * 1.2")
    window.key("LEFT_BRACKET")
    window.wait("the brush as before", f"abs({SETTINGS}.radius - {radius}) < 1e-3 * {radius}")
    x, y = _middle(window)
    window.key("F")
    window.move(x + 100, y)
    window.wait("a larger brush", f"{SETTINGS}.radius > {radius} * 1.2")
    window.key("ESC")
    window.wait("the brush as before", f"abs({SETTINGS}.radius - {radius}) < 1e-3 * {radius}")
    window.move(x, y)
    window.send("F", shift=True)
    window.move(x - 100, y)
    window.wait("a weaker brush", f"{SETTINGS}.strength < {strength}")
    window.click(x - 100, y)
    assert window.ask(f"{SETTINGS}.strength") < strength
    window.ask(f"{SETTINGS}.use_pixels = True")
    pixels = window.ask(f"{SETTINGS}.pixels")
    window.key("RIGHT_BRACKET")
    window.wait("a brush of more pixels", f"{SETTINGS}.pixels > {pixels} * 1.2")


def a_radius_in_pixels_fits_land_of_two_meters(window):
    window.ask("new_terrain(128, 160, 1.0)")
    window.ask(SHRINK)
    window.ask(CHOOSE)
    window.ask(f"{SETTINGS}.use_pixels, {SETTINGS}.pixels, {SETTINGS}.kind = True, 40, 'raise'")
    before = window.ask("fingerprint()")
    _paint(window)
    window.wait("the stroke", f"{STROKES} == 1")
    assert window.ask("fingerprint()") != before, "the stroke changed nothing"
    radius = window.ask(f"json.loads({TERRAIN}.erosion.steps[0].strokes[0].data)['radius']")
    assert 0.01 < radius < 1.0, f"the radius is {radius} m"
    window.picture("two_meters")


def a_curved_stroke_follows_the_mouse_and_holds_to_the_mask(window):
    window.ask("new_terrain(128, 160, 1.0)")
    window.ask(MASK)
    window.ask(CHOOSE)
    window.ask(f"{SETTINGS}.use_pixels, {SETTINGS}.radius, {SETTINGS}.kind = False, 60.0, 'raise'")
    window.ask("before = heights().copy()")
    _circle(window, 24)
    window.wait("the stroke", f"{STROKES} == 1")
    window.picture("curved")
    painted, beyond = window.ask(
        "moved = heights() != before; [int(moved[free].sum()), int(moved[~free].sum())]"
    )
    assert painted > 100 and not beyond, (
        f"{painted} vertices changed, and {beyond} that the mask keeps"
    )
    off, across = window.ask(BENT)
    assert off > 0.2 * across, f"the path leaves its chord by {off:.0f} m of {across:.0f}"
    window.key("Z", ctrl=True)
    window.wait("the undo", f"{STROKES} == 0")
    assert window.ask("bool((heights() == before).all())")
    return f"{painted} vertices, none beyond the mask"


def a_stroke_on_a_million_vertices_is_seen_while_it_is_painted(window):
    """Figures alone: how long a turn takes depends on what draws the window."""
    window.ask("new_terrain(1024, 1024, 1.0)")
    window.ask(CHOOSE)
    window.ask(f"{SETTINGS}.use_pixels, {SETTINGS}.radius = False, 400.0")
    window.ask(COUNT_UPDATES)
    window.ask(f"{SETTINGS}.kind = 'raise'")
    window.move(*_middle(window))
    window.ask("updates.clear(); clock.restart()")
    began = time.perf_counter()
    _circle(window, 20)
    seconds = time.perf_counter() - began
    count, histogram = window.ask("[len(updates), clock.histogram()]")
    window.wait("the stroke", f"{STROKES} == 1")
    window.picture("million")
    return f"{count / seconds:.1f} updates a second of {seconds:.1f} s; {histogram}"


def a_terrain_deleted_in_a_stroke_ends_it(window):
    """The last scene, as Blender's message takes the next click."""
    _begin_stroke(window)
    window.ask(f"bpy.data.objects.remove({TERRAIN})")
    window.send("LEFTMOUSE", ["RELEASE"])
    window.wait(
        "the end of the stroke", "not bpy.context.window_manager.windows[0].modal_operators"
    )
    assert window.ask("not bpy.data.objects"), "the stroke brought an object"
    window.picture("deleted")


def another_file_opened_in_a_stroke_is_as_it_was_saved(window):
    """With the windows of the file, which closes those of the stroke."""
    window.ask("new_terrain(128, 160, 1.0)")
    window.ask(CHOOSE)
    window.ask(f"{SETTINGS}.use_pixels, {SETTINGS}.radius, {SETTINGS}.kind = False, 150.0, 'raise'")
    path = str(Path(window.folder.name) / "before.blend")
    window.ask(f"bpy.ops.wm.save_as_mainfile(filepath={path!r}, copy=True)")
    before = _begin_stroke(window)
    workers = window.workers()
    assert len(workers) == 1
    window.ask(
        f"bpy.app.timers.register(lambda: bpy.ops.wm.open_mainfile(filepath={path!r}) and None)"
    )
    window.wait("the end of the worker", lambda: not is_alive(workers[0]))
    window.wait("the file", "'Terrain' in bpy.data.objects and not window().modal_operators")
    assert window.ask("fingerprint()") == before and window.ask(STROKES) == 0
    assert "erosion_live" not in window.ask("attributes()")


def quitting_in_a_stroke_takes_the_worker_along_and_saves_no_half_of_it(window):
    """With a second window, and while the status bar says what is compiled. The last scene."""
    window.ask("new_terrain(128, 160, 1.0)")
    window.ask(CHOOSE)
    window.ask(f"{SETTINGS}.use_pixels, {SETTINGS}.radius, {SETTINGS}.kind = False, 150.0, 'raise'")
    path, last = (Path(window.folder.name) / name for name in ("mine.blend", "quit.blend"))
    window.ask(f"bpy.ops.wm.save_as_mainfile(filepath={str(path)!r})")
    window.ask(
        "bpy.app.timers.register(lambda: bpy.ops.screen.userpref_show() and None, "
        "first_interval=0.0)"
    )
    window.wait("the window of the preferences", "len(bpy.context.window_manager.windows) == 2")
    saved = path.read_bytes()
    own = window.ask("hashlib.sha256(heights().tobytes()).hexdigest()")
    _begin_stroke(window)
    window.ask("bpy.context.window_manager.windows[0].modal_operators[0]._told = 'Compiling'")
    workers = window.workers()
    code, seconds = window.quit()
    assert code == 0, f"Blender ended with {code}; see {window.log}"
    time.sleep(1.0)
    assert len(workers) == 1 and not is_alive(workers[0]), "the worker outlived Blender"
    assert path.read_bytes() == saved, "the file was changed"
    window.without_window("--background", str(last), "--python-expr", UNTOUCHED.format(own=own))
    return f"quit in {seconds:.2f} s"


SCENES = (
    the_brush_paints_rain_and_undo_takes_it_back,
    escape_takes_a_stroke_back,
    undo_in_a_stroke_is_not_heard,
    a_file_that_a_script_opens_in_a_stroke_stays_as_it_is,
    strokes_of_every_kind_are_made_again_without_a_window,
    keys_change_radius_and_strength,
    a_radius_in_pixels_fits_land_of_two_meters,
    a_curved_stroke_follows_the_mouse_and_holds_to_the_mask,
    a_stroke_on_a_million_vertices_is_seen_while_it_is_painted,
    a_terrain_deleted_in_a_stroke_ends_it,
)

ENDS = (
    another_file_opened_in_a_stroke_is_as_it_was_saved,
    quitting_in_a_stroke_takes_the_worker_along_and_saves_no_half_of_it,
)
