# SPDX-License-Identifier: GPL-3.0-or-later
"""Variants in a real window: the dialog, the pictures in the panel, and the choice."""

import time

from desk import TERRAIN

SETTINGS = f"{TERRAIN}.erosion"
IDLE = "not running()"
SHOWN = "session().variants.result"


def _ask_for_them(window):
    window.press("erosion.variants")
    time.sleep(1.0)  # the dialog unfolds, and nothing tells when it is there
    window.picture("dialog")
    window.key("RET")


def variants_are_made_and_shown(window):
    # so that all buttons fit into the window
    window.ask("bpy.context.preferences.view.ui_scale = 0.75")
    window.ask("close_panels('EROSION_PT_steps', 'EROSION_PT_masks')")
    window.ask("open_panels('EROSION_PT_variants')")
    window.ask("new_terrain(128, 160, 1.0)")
    window.open_tab("Erosion")
    before = window.ask("fingerprint()")
    _ask_for_them(window)
    window.wait("the pictures", f"{SHOWN} is not None and not running()")
    time.sleep(1.0)
    window.picture("variants")
    assert window.ask("fingerprint()") == before, "variants changed the mesh"
    return str(window.ask(f"{SHOWN}.seeds"))


def a_press_on_a_picture_takes_its_seed(window):
    before = window.ask(f"{SETTINGS}.seed")
    window.press("erosion.variant_choose")
    taken = window.ask(f"{SETTINGS}.seed")
    window.picture("taken")
    if taken == before:  # the first picture is that of the seed which is there
        right, y = window.mouse
        window.click(right + 60, y)
        taken = window.ask(f"{SETTINGS}.seed")
    assert taken != before, "no picture could be pressed"
    window.over_viewport()
    window.key("Z", ctrl=True)
    window.wait("the undo", f"{SETTINGS}.seed == {before}")
    return f"{taken}, and Ctrl-Z gave {before} back"


def escape_keeps_the_pictures_that_are_there(window):
    window.ask(f"{SETTINGS}.steps[0].droplet.drops_per_cell = 1000.0")
    before = window.ask(f"str({SHOWN})")
    _ask_for_them(window)
    window.wait("the work", "running()")
    window.over_viewport()
    window.escape()
    window.wait("the end", IDLE)
    assert window.ask(f"str({SHOWN})") == before


SCENES = (
    variants_are_made_and_shown,
    a_press_on_a_picture_takes_its_seed,
    escape_keeps_the_pictures_that_are_there,
)
