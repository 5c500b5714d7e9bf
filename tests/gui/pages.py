# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the manual's pages in a real window, as an artist's first minutes make them: `run.py
pages`.
"""

import time

IDLE = "not running()"
# seconds in which software OpenGL has compiled and drawn the material, which nothing tells
COMPILED = 150.0
IN_VIEWPORT = (
    "with bpy.context.temp_override(window=window(), area=viewport(), region=region('WINDOW')): "
)
EMPTY = "[bpy.data.objects.remove(one) for one in list(bpy.data.objects)]"


def a_first_terrain(window):
    window.ask(EMPTY)
    window.ask("bpy.context.preferences.view.show_splash = False")
    window.ask(
        IN_VIEWPORT + "bpy.ops.erosion.terrain_add('INVOKE_DEFAULT', size_x=4000.0, size_y=4000.0)"
    )
    window.open_tab("Erosion")
    window.picture("terrain")
    window.press("erosion.recipe_choose")
    time.sleep(4.0)  # until the previews are read and drawn
    window.picture("recipes_popover")
    window.key("ESC")
    window.press_run()
    window.wait("the end of the run", IDLE)
    window.picture("eroded")
    window.press("erosion.look_add")
    window.wait(
        "the light of the sky", f"'sky_light' in attributes(bpy.context.object.name) and {IDLE}"
    )
    window.ask("viewport().spaces.active.region_3d.view_perspective = 'CAMERA'")
    window.ask("viewport().spaces.active.overlay.show_overlays = False")
    window.ask("viewport().spaces.active.shading.type = 'RENDERED'")
    time.sleep(COMPILED)
    window.picture("panel")


SCENES = (a_first_terrain,)
