# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain material: one in a file, never in the user's way, and what a person sees of it."""

import colorsys
import math

import bpy
import numpy as np
import pytest

from erosion_addon.model.fields import FIELDS
from erosion_addon.scene import attributes, grid, material

EEVEE = "BLENDER_EEVEE" if bpy.app.version >= (5, 0, 0) else "BLENDER_EEVEE_NEXT"
TILE = 16
"""Pixels."""


def group_node(made):
    return next(node for node in made.node_tree.nodes if node.type == "GROUP")


def face_slots(obj):
    return {face.material_index for face in obj.data.polygons}


def test_built_twice_it_is_one(empty_scene):
    first, group = material.terrain_material(), material.terrain_group()
    assert material.terrain_material() == first and material.terrain_group() == group
    assert [made.name for made in bpy.data.materials if made.name.startswith("Terrain")] == ["Terrain Erosion"]
    assert [made.name for made in bpy.data.node_groups] == ["Terrain"]


def test_a_group_of_the_users_called_terrain_is_left_alone(empty_scene):
    users = bpy.data.node_groups.new("Terrain", "ShaderNodeTree")
    users.nodes.new("NodeFrame")
    material.terrain_material()
    assert [node.type for node in users.nodes] == ["FRAME"]
    assert group_node(material.terrain_material()).node_tree != users


def test_every_input_of_the_group_says_what_it_is(empty_scene):
    sockets = [item for item in material.terrain_group().interface.items_tree if item.in_out == "INPUT"]
    assert [socket.name for socket in sockets] == [control.name for control in material.CONTROLS]
    assert all(len(socket.description) > 10 for socket in sockets)


def test_fields_come_from_attributes_of_their_names(empty_scene):
    inputs = group_node(material.terrain_material()).inputs
    read = {socket.links[0].from_node.attribute_name for socket in inputs if socket.is_linked}
    assert read == {"moisture", "sediment", "wear"} <= set(FIELDS)


def test_every_control_is_used_and_every_link_is_valid(empty_scene):
    group = material.terrain_group()
    source = next(node for node in group.nodes if node.type == "GROUP_INPUT")
    assert [socket.name for socket in source.outputs if socket.name and not socket.is_linked] == []
    assert all(link.is_valid for link in group.links)


def test_an_edited_group_stays_as_it_is(empty_scene):
    group = material.terrain_group()
    group.nodes.remove(group.nodes["shade"])
    count = len(group.nodes)
    material.terrain_material()
    assert len(group.nodes) == count


def test_a_group_of_an_older_version_is_renewed_and_keeps_what_hangs_on_it(empty_scene):
    made = material.terrain_material()
    group_node(made).inputs["Sediment Depth"].default_value = 3.0
    group = material.terrain_group()
    group.nodes.clear()
    group[material.MARK] = material.VERSION - 1
    material.terrain_material()
    assert len(group.nodes) == len(material.NODES) + 1
    assert group_node(made).inputs["Sediment Depth"].default_value == 3.0
    assert sum(socket.is_linked for socket in group_node(made).inputs) == 3


def test_it_is_found_again_in_a_saved_file(empty_scene, make_hills, tmp_path):
    material.assign(make_hills())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hills.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "hills.blend"))
    assert material.terrain_material() == bpy.data.objects["Hills"].active_material
    assert len(bpy.data.node_groups) == 1


def test_an_object_without_materials_shows_it(make_hills):
    hills = make_hills()
    assert material.assign(hills) and material.assign(hills)
    assert [slot.material for slot in hills.material_slots] == [material.terrain_material()]


def test_an_empty_slot_is_filled(make_hills):
    hills = make_hills()
    hills.data.materials.append(None)
    assert material.assign(hills)
    assert [slot.material for slot in hills.material_slots] == [material.terrain_material()]


def test_the_users_material_stays_on_its_faces(make_hills):
    hills, users = make_hills(), bpy.data.materials.new("Mine")
    hills.data.materials.append(users)
    assert not material.assign(hills)
    assert not material.assign(hills)
    assert [slot.material for slot in hills.material_slots] == [users, material.terrain_material()]
    assert face_slots(hills) == {0}


def test_when_asked_to_replace_all_faces_turn_over_and_the_slots_stay(make_hills):
    hills, users = make_hills(), bpy.data.materials.new("Mine")
    hills.data.materials.append(users)
    assert material.assign(hills, replace=True)
    assert [slot.material for slot in hills.material_slots] == [users, material.terrain_material()]
    assert face_slots(hills) == {1}


TILES = {
    "dry": {},
    "moist": {"moisture": 0.6},
    "river": {"moisture": 0.95},
    "gravel": {"sediment": 60.0},
    "wall": {"tilt": 60},
    "wet wall": {"tilt": 60, "moisture": 0.8},
}


@pytest.fixture(scope="module", params=[EEVEE, "CYCLES"])
def seen(request, tmp_path_factory):
    """Mean (red, green, blue) of each tile, seen from above under a white sky."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    for place, look in enumerate(TILES.values()):
        add_tile(scene, place, **look)
    add_camera_and_sky(scene)
    scene.render.engine = request.param
    scene.eevee.taa_render_samples = 2
    scene.cycles.samples, scene.cycles.use_denoising = 4, False
    scene.render.resolution_x, scene.render.resolution_y = TILE * len(TILES), TILE
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.filepath = str(tmp_path_factory.mktemp("render") / "tiles.exr")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.empty(4 * TILE * TILE * len(TILES), np.float32)
    image.pixels.foreach_get(pixels)
    strips = np.split(pixels.reshape(TILE, -1, 4)[..., :3], len(TILES), axis=1)
    return dict(zip(TILES, (strip[3:-3, 3:-3].mean(axis=(0, 1)) for strip in strips), strict=True))


def add_tile(scene, place, tilt=0, **fields):
    """A tile of 100 m as seen from above, tilted by so many degrees."""
    elevation = np.repeat(np.arange(3.0), 3).reshape(3, 3) * 50.0 * math.tan(math.radians(tilt))
    tile = grid.make_grid_object("Tile", elevation, (50.0, 50.0), scene.collection)
    tile.location.x = 100.0 * place
    bpy.context.view_layer.update()
    layers = {name: np.full((3, 3), value, np.float32) for name, value in fields.items()}
    attributes.write_fields(tile.data, grid.find_lattice(tile), layers)
    material.assign(tile)


def add_camera_and_sky(scene):
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", 100.0 * len(TILES)
    camera.location, camera.data.clip_end = (50.0 * (len(TILES) - 1), 0.0, 1000.0), 2000.0
    scene.collection.objects.link(camera)
    scene.camera, scene.world = camera, bpy.data.worlds.new("Sky")
    if bpy.app.version < (5, 0, 0):
        scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (1.0, 1.0, 1.0, 1.0)


def hue(color):
    """0 red, 1/3 green, 2/3 blue."""
    return colorsys.rgb_to_hsv(*color)[0]


def brightness(color):
    return float(color.mean())


def test_moist_ground_is_greener_than_dry(seen):
    # Straw has a hue of about 0.13 (yellow), grass of 0.25 and more.
    assert hue(seen["moist"]) > hue(seen["dry"]) + 0.05
    assert seen["moist"][1] > seen["moist"][0]


def test_a_river_is_bluer_than_all_ground(seen):
    blueness = {name: color[2] / color.sum() for name, color in seen.items()}
    assert max(blueness, key=blueness.get) == "river"


def test_gravel_is_lighter_than_the_grass_it_covers(seen):
    assert brightness(seen["gravel"]) > 1.5 * brightness(seen["dry"])


def test_a_wall_is_grey_rock_and_not_grass(seen):
    # Saturation: rock below 0.4, straw above.
    saturation = {name: colorsys.rgb_to_hsv(*color)[1] for name, color in seen.items()}
    assert saturation["wall"] < 0.4 < saturation["dry"]


def test_wet_rock_is_darker_than_dry_rock(seen):
    assert brightness(seen["wet wall"]) < 0.85 * brightness(seen["wall"])


def test_nothing_is_the_magenta_of_a_broken_shader(seen):
    for name, (red, green, blue) in seen.items():
        assert min(red, green, blue) > 0.005, name
        assert not (red > 2 * green and blue > 2 * green), name
