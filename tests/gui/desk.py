# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks in a real window: painted with the brush, shown, and applied."""

import time

SHOWN = "session().masks.overlay"
TERRAIN = "bpy.data.objects['Terrain']"
WEIGHTS = (
    f"[next((one.weight for one in vertex.groups), -1.0) for vertex in {TERRAIN}.data.vertices]"
)
FOLDED = """
panel = bpy.types.EROSION_PT_steps
bpy.utils.unregister_class(panel)
panel.bl_options = {'DEFAULT_CLOSED'}
bpy.utils.register_class(panel)
open_panels('EROSION_PT_masks')
"""
BRUSH = """
settings = bpy.context.scene.tool_settings
unified = getattr(settings.weight_paint, 'unified_paint_settings', None)
unified = unified or settings.unified_paint_settings
unified.size = settings.weight_paint.brush.size = 120
"""


def paint_across(window):
    """One stroke of the brush over the middle of the viewport, from left to right."""
    left, bottom, width, height = window.ask("rectangle('WINDOW')")
    window.drag(left + width // 4, bottom + height // 2, width // 3, 17)


def press_eye(window):
    """Press the eye of the first mask: it stands left of the brush, among buttons too narrow to be
    found blindly.
    """
    right, y = window.find_button("erosion.mask_paint")
    for x in range(right, right - 100, -9):
        window.move(x, y)
        if "mask_show" in (window.ask("hovered('UI')") or ""):
            window.click(x, y)
            return
    raise LookupError("no button shows the mask")


def erode(window):
    """Press Run and wait for the result."""
    window.press("erosion.run")
    window.wait("the end of the run", "'wear' in attributes() and not running()")


def a_mask_is_painted_with_the_brush(window):
    window.ask("new_terrain(192, 256, 1.0)")
    window.ask(FOLDED)
    window.open_tab("Erosion")
    window.press("erosion.mask_paint")
    window.wait("Weight Paint", f"{TERRAIN}.mode == 'WEIGHT_PAINT'")
    assert set(window.ask(WEIGHTS)) == {1.0}, "a new strength mask must let erosion act everywhere"
    window.ask(BRUSH)
    paint_across(window)
    window.picture("painted")
    painted = sum(weight < 0.5 for weight in window.ask(WEIGHTS))
    assert painted > 500, f"the stroke reached {painted} vertices"
    window.press("erosion.mask_paint")
    window.wait("Object Mode", f"{TERRAIN}.mode == 'OBJECT'")
    return f"{painted} vertices painted"


def a_mask_is_shown_on_the_terrain_and_read_only_when_it_changes(window):
    before = window.ask("fingerprint()")
    press_eye(window)
    window.wait("the mask on the terrain", f"{SHOWN} is not None")
    window.picture("mask_shown")
    window.ask(f"first = {SHOWN}")
    time.sleep(2.0)
    assert window.ask(f"{SHOWN} is first"), "the mask was read again though nothing changed"
    assert window.ask("fingerprint()") == before, "showing a mask changed the mesh"
    window.ask(f"{TERRAIN}.erosion.strength.invert = True")
    window.wait("the inverted mask", f"{SHOWN} is not first")
    window.picture("mask_inverted")
    window.ask(f"{TERRAIN}.erosion.strength.invert = False")


def what_was_painted_out_keeps_every_bit(window):
    window.ask("given = heights().copy()")
    erode(window)
    window.wait("the mask on the eroded terrain", f"{SHOWN} is not None")
    window.picture("eroded_by_mask")
    changed = window.ask("(heights() != given).tolist()")
    kept = [
        not moved
        for moved, weight in zip(changed, window.ask(WEIGHTS), strict=True)
        if weight == 0.0
    ]
    assert any(changed) and kept and all(kept), "erosion acted where the mask is 0"
    return f"{sum(changed)} vertices eroded, {len(kept)} kept"


def only_the_selection_with_a_soft_border_is_eroded(window):
    window.ask("bpy.ops.erosion.restore(); given = heights().copy()")
    window.ask(f"""
inside = np.hypot(*(np.indices((192, 256)) - np.array([96, 128])[:, None, None])) < 60
{TERRAIN}.data.attributes['.select_vert'].data.foreach_set('value', inside.ravel())
strength = {TERRAIN}.erosion.strength
strength.source, strength.border = 'SELECTION', 300.0
""")
    window.wait("the soft border", f"{SHOWN} is not None and {SHOWN} is not first")
    time.sleep(1.0)
    window.picture("soft_border")
    erode(window)
    time.sleep(1.0)
    window.picture("eroded_selection")
    assert not window.ask("bool((heights() != given)[~inside.ravel()].any())"), (
        "what is not selected changed"
    )
    assert window.ask("bool((heights() != given)[inside.ravel()].any())"), "nothing was eroded"
    press_eye(window)
    assert window.ask(f"{SHOWN} is None")


SCENES = (
    a_mask_is_painted_with_the_brush,
    a_mask_is_shown_on_the_terrain_and_read_only_when_it_changes,
    what_was_painted_out_keeps_every_bit,
    only_the_selection_with_a_soft_border_is_eroded,
)
