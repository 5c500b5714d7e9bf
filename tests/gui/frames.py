# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of a run in a real window: kept, played, and scrubbed with How Far."""

import time
from pathlib import Path

from desk import TERRAIN

FRAMES = f"{TERRAIN}.erosion.frames"
COUNT = 4
SHOWN = """
mesh = bpy.data.objects['Terrain'].evaluated_get(bpy.context.evaluated_depsgraph_get()).data
place = np.empty((len(mesh.vertices), 3), dtype=np.float32)
mesh.attributes['position'].data.foreach_get('vector', place.reshape(-1))
"""
ANIMATE = """
with bpy.context.temp_override(window=window(), area=viewport(), region=region('WINDOW')):
    bpy.ops.erosion.run('INVOKE_DEFAULT', animation=True)
"""
IS_SHOWN = SHOWN + "bool((place[:, 2] == {heights}).all())"


def _press_box(window):
    """Press the box in the panel's head, above the number of frames and further left than buttons
    are looked for.
    """
    _, above = window.find_button("frames.count")
    left = window.ask("rectangle('UI')")[0]
    for y in range(above, above + 60, 6):
        for x in range(left + 6, left + 90, 8):
            window.move(x, y)
            if "frames.keep" in (window.ask("hovered('UI')") or ""):
                window.click(x, y)
                return
    raise LookupError("no box keeps frames")


def a_run_keeps_its_frames(window):
    folder = Path(window.folder.name) / "frames"
    # so that all buttons fit into the window
    window.ask("bpy.context.preferences.view.ui_scale = 0.75")
    window.ask("close_panels('EROSION_PT_steps', 'EROSION_PT_masks')")
    window.ask("open_panels('EROSION_PT_frames')")
    window.ask("new_terrain(96, 128, 4.0)")
    window.open_tab("Erosion")
    window.ask("start = heights()")
    window.ask(f"{FRAMES}.folder = {str(folder)!r}; {FRAMES}.count = {COUNT}")
    _press_box(window)
    window.wait("frames", f"{FRAMES}.keep")
    window.picture("panel")
    window.press("erosion.run")
    window.wait("the end of the run", "'wear' in attributes() and not running()")
    window.ask("result = heights()")
    there = sorted(file.name for file in folder.glob("elevation_*.exr"))
    assert there == [f"elevation_{number:04d}.exr" for number in range(COUNT + 1)], there


def how_far_takes_the_state_under_the_slider(window):
    after = window.ask("fingerprint()")
    x, y = window.find_button("frames.how_far")
    window.drag(x, y, -60, 6)
    window.wait("an earlier state", f"fingerprint() != {after!r} and not running()")
    share = window.ask(f"{FRAMES}.how_far")
    assert share in (0.0, 25.0, 50.0, 75.0), share
    window.picture("how_far")
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("the result again", "bool((heights() == result).all())")
    return f"{share:.0f} %, and Ctrl-Z gave the result back"


def frames_are_played_with_the_scene(window):
    window.ask("bpy.context.scene.frame_set(bpy.context.scene.frame_start)")
    window.press("erosion.playback_add")
    window.wait("the start on the screen", IS_SHOWN.format(heights="start"))
    window.over_viewport()
    seen = []
    for number in range(1, COUNT + 1):
        window.key("RIGHT_ARROW")
        window.wait(
            "the next frame",
            f"bpy.context.scene.frame_current == bpy.context.scene.frame_start + {number}",
        )
        seen.append(window.ask(SHOWN + "float(place[:, 2].sum())"))
    assert len(set(seen)) == COUNT, f"frames are alike: {seen}"
    assert window.ask(IS_SHOWN.format(heights="result")), "the last frame is not the result"
    assert window.ask("bool((heights() == result).all())"), "playback changed the mesh"
    window.picture("last_frame")


def an_animation_asks_before_it_replaces_frames(window):
    folder = Path(window.folder.name) / "animation"
    window.ask("new_terrain(48, 64, 1.0)")
    window.ask(
        f"{FRAMES}.folder = {str(folder)!r}; bpy.context.scene.frame_start = "
        "bpy.context.scene.frame_end = 1"
    )
    window.over_viewport()
    window.ask(ANIMATE)
    window.wait(
        "the frame", lambda: (folder / "frames.json").exists() and window.ask("not running()")
    )
    kept = (folder / "elevation_0000.exr").read_bytes()
    window.ask(f"{TERRAIN}.erosion.seed += 1")
    window.ask(ANIMATE)
    time.sleep(1.0)  # the dialog unfolds, and nothing tells when it is there
    window.picture("asked")
    window.key("ESC")
    time.sleep(1.0)
    assert window.ask("not running()") and (folder / "elevation_0000.exr").read_bytes() == kept
    window.ask(ANIMATE)
    time.sleep(1.0)
    window.key("RET")
    window.wait("another frame", lambda: (folder / "elevation_0000.exr").read_bytes() != kept)
    window.wait("the end of the animation", "not running()")


SCENES = (
    a_run_keeps_its_frames,
    how_far_takes_the_state_under_the_slider,
    frames_are_played_with_the_scene,
    an_animation_asks_before_it_replaces_frames,
)
