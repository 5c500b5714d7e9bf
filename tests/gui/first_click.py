# SPDX-License-Identifier: GPL-3.0-or-later
"""The first click in a real window: the panel's first button in Blender's default scene brings a
terrain into view.
"""

import artist

BEGIN = """
bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=False)
bpy.context.preferences.view.show_splash = False
bpy.context.preferences.view.smooth_view = 0
"""
SHARE = """
def seen(path):
    image = bpy.data.images.load(path)
    pixels = np.array(image.pixels[:], dtype=np.float32).reshape(*reversed(image.size), 4)
    bpy.data.images.remove(image)
    area = viewport()
    return pixels[area.y:area.y + area.height, area.x:area.x + area.width, :3]
"""
ADDED = "'Peaks and Valleys' in bpy.data.objects"
TERRAIN = "bpy.data.objects['Peaks and Valleys']"
# of the viewport at the least: the sidebar covers a quarter, and two of four quad views look from
# the side
FILLS = 0.1


def begin(window, prepare=""):
    """Blender's default scene, and the tab open."""
    window.ask(
        "with bpy.context.temp_override(window=window()):\n    "
        f"{BEGIN.strip().replace(chr(10), chr(10) + '    ')}"
    )
    window.ask(prepare)
    window.buttons.clear()
    window.open_tab("Erosion")


def share(window, name):
    """Share of the viewport's pixels that the terrain takes: those that change where it is
    hidden.
    """
    window.ask(SHARE)
    window.drawn()
    with_terrain = window.picture(name)
    window.ask(f"{TERRAIN}.hide_viewport = True")
    window.drawn()
    without = window.picture(f"{name}_hidden")
    window.ask(f"{TERRAIN}.hide_viewport = False")
    return window.ask(
        f"float((np.abs(seen({str(with_terrain)!r}) - seen({str(without)!r})).max(2) > "
        "0.02).mean())"
    )


def click(window, name):
    """Press the button and see the terrain; returns its share of the viewport."""
    window.press("erosion.terrain_add")
    window.wait("the terrain", ADDED)
    found = share(window, name)
    assert found > FILLS, f"the terrain takes {found:.1%} of the viewport"
    return f"{found:.0%} of the viewport"


def the_first_button_beside_the_default_cube_shows_a_terrain(window):
    begin(window)
    found = click(window, "default_scene")
    assert window.ask(f"list({TERRAIN}.dimensions)")[:2] == [4000.0, 4000.0]
    return found


def the_terrain_is_in_view_in_other_workspaces(window):
    shares = {}
    # in the second, the first viewport looked through the camera
    for name in ("Modeling", "Animation"):
        window.ask(f"window().workspace = bpy.data.workspaces[{name!r}]")
        window.wait("the workspace", f"window().workspace.name == {name!r}")
        shares[name] = share(window, name.lower())
    window.ask("window().workspace = bpy.data.workspaces['Layout']")
    window.wait("the workspace", "window().workspace.name == 'Layout'")
    assert min(shares.values()) > FILLS, shares
    return ", ".join(f"{name} {found:.0%}" for name, found in shares.items())


def a_flat_grid_a_light_and_nothing_begin_alike(window):
    shares = []
    for name, prepare in (
        ("flat_grid", "bpy.ops.mesh.primitive_grid_add()"),
        ("light", "bpy.context.view_layer.objects.active = bpy.data.objects['Light']"),
        ("nothing", "[bpy.data.objects.remove(one) for one in list(bpy.data.objects)]"),
    ):
        begin(window, artist.IN_VIEWPORT + prepare)
        shares.append(click(window, name))
    return "; ".join(shares)


def the_terrain_is_seen_from_a_camera_view_a_local_view_and_a_quad_view(window):
    shares = []
    for name, prepare in (
        ("camera_view", "viewport().spaces.active.region_3d.view_perspective = 'CAMERA'"),
        ("local_view", "bpy.ops.view3d.localview()"),
        ("quad_view", "bpy.ops.screen.region_quadview()"),
    ):
        begin(window, artist.IN_VIEWPORT + prepare)
        shares.append(click(window, name))
    return "; ".join(shares)


SCENES = (
    the_first_button_beside_the_default_cube_shows_a_terrain,
    the_terrain_is_in_view_in_other_workspaces,
    a_flat_grid_a_light_and_nothing_begin_alike,
    the_terrain_is_seen_from_a_camera_view_a_local_view_and_a_quad_view,
)
