# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain material: one per palette and file; the user's materials stay."""

import bpy
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.scene.materials import material
from erosion_addon.scene.materials.node_trees import nodes
from erosion_addon.scene.materials.palette import Palette
from erosion_addon.scene.materials.terrain.sockets import SHORE, SOCKETS
from erosion_addon.terrain.fields import FIELDS


def group_node(made):
    return made.node_tree.nodes[nodes.SURFACE]


def shown(obj):
    return [slot.material for slot in obj.material_slots]


def face_slots(obj):
    return {face.material_index for face in obj.data.polygons}


def test_built_twice_it_is_one(empty_scene):
    first = material.terrain_material()
    group = material.terrain_group()
    assert material.terrain_material() == first and material.terrain_group() == group
    assert [made.name for made in bpy.data.materials] == ["Terrain Erosion Temperate"]
    assert [made.name for made in bpy.data.node_groups] == ["Terrain"]


def test_a_group_of_the_users_called_terrain_is_left_alone(empty_scene):
    users = bpy.data.node_groups.new("Terrain", "ShaderNodeTree")
    users.nodes.new("NodeFrame")
    material.terrain_material()
    assert [node.type for node in users.nodes] == ["FRAME"]
    assert group_node(material.terrain_material()).node_tree != users


def test_every_socket_of_the_group_says_what_it_is_and_every_input_lies_in_a_panel(empty_scene):
    sockets = [
        item for item in material.terrain_group().interface.items_tree if item.item_type == "SOCKET"
    ]
    assert {socket.name for socket in sockets} == {socket.name for socket in SOCKETS}
    assert all(len(socket.description) > 3 for socket in sockets)
    assert all(socket.parent.name for socket in sockets if socket.in_out == "INPUT")


def test_fields_come_from_attributes_of_their_names_and_leave_eevee_room(empty_scene):
    inputs = group_node(material.terrain_material()).inputs
    read = {socket.links[0].from_node for socket in inputs if socket.is_linked}
    of_mesh = {node.attribute_name for node in read if node.attribute_type == "GEOMETRY"}
    lights = {"sky_light", "sun_light", "sun_light_2", "sun_light_3"}
    assert {
        "moisture",
        "sediment",
        "wear",
        "grass",
        SHORE,
        "surface_color",
        "glow",
    } | lights <= of_mesh
    # EEVEE takes 14, one for the share of the relief
    assert of_mesh <= {*FIELDS, "glow", SHORE} and len(of_mesh) <= 13


def test_a_single_noise_gives_its_color(empty_scene):
    """A second one makes the first picture without a graphics card wait five times as long, a third
    one forty times.
    """
    noises = [node for node in material.terrain_group().nodes if node.type == "TEX_NOISE"]
    assert len(noises) <= 5 and sum(node.outputs["Color"].is_linked for node in noises) == 1


def test_cells_have_no_octaves_that_a_compiler_would_keep(empty_scene):
    """Detail as a number of the material, even 0, makes the first picture without a graphics card
    wait five times as long; a comparison of a value with itself is 0 for certain.
    """
    cells = [node for node in material.terrain_group().nodes if node.type == "TEX_VORONOI"]
    zeros = [node.inputs["Detail"].links[0].from_node for node in cells]
    assert zeros and {zero.operation for zero in zeros} == {"LESS_THAN"}
    for zero in zeros:
        one, other = (zero.inputs[at].links[0].from_socket for at in (0, 1))
        assert one == other


def test_every_control_is_used_and_every_link_is_valid(empty_scene):
    group = material.terrain_group()
    source = next(node for node in group.nodes if node.type == "GROUP_INPUT")
    assert [socket.name for socket in source.outputs if socket.name and not socket.is_linked] == []
    assert all(link.is_valid for link in group.links)


def test_a_group_of_an_older_version_is_renewed_and_keeps_what_hangs_on_it(empty_scene):
    made = material.terrain_material()
    group_node(made).inputs["Sediment Depth"].default_value = 3.0
    linked = sum(socket.is_linked for socket in group_node(made).inputs)
    group = material.terrain_group()
    group.nodes.clear()
    group[nodes.VERSION] = material.VERSION - 1
    material.terrain_material()
    made_of = [node for part in material.NODES.values() for node in part]
    assert len([node for node in group.nodes if node.type != "FRAME"]) == len(made_of) + 1
    assert group_node(made).inputs["Sediment Depth"].default_value == 3.0
    assert sum(socket.is_linked for socket in group_node(made).inputs) == linked > 10


def test_a_palette_sets_the_controls_once_and_what_the_user_changes_stays(empty_scene):
    made = material.terrain_material("canyon")
    inputs = group_node(made).inputs
    palette = Palette.load("canyon")
    for name, value in palette.values.items():
        found = inputs[name].default_value
        assert (tuple(found) if isinstance(value, tuple) else found) == pytest.approx(value), name
    inputs["Strata"].default_value = 0.1
    assert material.terrain_material("canyon") == made
    assert inputs["Strata"].default_value == pytest.approx(0.1)


def test_two_terrains_have_each_their_palette_and_share_one_group(make_hills):
    hills = make_hills()
    dunes = make_hills()
    material.assign(hills, "alpine")
    material.assign(dunes, "dunes")
    assert [shown(obj)[0].name for obj in (hills, dunes)] == [
        "Terrain Erosion Alpine",
        "Terrain Erosion Dunes",
    ]
    assert len({group_node(shown(obj)[0]).node_tree for obj in (hills, dunes)}) == 1


def test_another_palette_takes_the_place_of_the_first(make_hills):
    hills = make_hills()
    users = bpy.data.materials.new("Mine")
    material.assign(hills, "alpine")
    hills.data.materials.append(users)
    material.assign(hills, "dunes")
    assert shown(hills) == [material.terrain_material("dunes"), users]


def test_a_copy_that_the_user_made_for_a_terrain_stays(make_hills):
    hills = make_hills()
    material.assign(hills, "alpine")
    copy = hills.material_slots[0].material = shown(hills)[0].copy()
    material.assign(hills, "alpine")
    assert shown(hills) == [copy]


def test_a_palette_of_the_users_is_another_material_than_the_shipped_one_of_its_name(
    empty_scene, tmp_path
):
    file = tmp_path / "alpine.toml"
    file.write_text("snow = 0.25\n")
    mine = material.terrain_material(str(file))
    shipped = material.terrain_material("alpine")
    assert mine != shipped and group_node(mine).inputs["Snow"].default_value == 0.25


def test_an_unknown_palette_changes_nothing(make_hills):
    hills = make_hills()
    with pytest.raises(InputError, match="There is no palette 'neon'"):
        material.assign(hills, "neon")
    assert not shown(hills) and not bpy.data.materials


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
    hills = make_hills()
    users = bpy.data.materials.new("Mine")
    hills.data.materials.append(users)
    assert not material.assign(hills)
    assert not material.assign(hills)
    assert [slot.material for slot in hills.material_slots] == [users, material.terrain_material()]
    assert face_slots(hills) == {0}


def test_when_asked_to_replace_all_faces_turn_over_and_the_slots_stay(make_hills):
    hills = make_hills()
    users = bpy.data.materials.new("Mine")
    hills.data.materials.append(users)
    assert material.assign(hills, replace=True)
    assert [slot.material for slot in hills.material_slots] == [users, material.terrain_material()]
    assert face_slots(hills) == {1}


def test_lengths_of_a_new_material_shrink_with_small_land(make_hills):
    """On a grid of 2 m patches of 150 m are a single color."""
    hills = make_hills()
    hills.scale *= 2.0 / max(hills.dimensions[:2])
    bpy.context.view_layer.update()
    material.assign(hills, "alpine")
    inputs = group_node(hills.active_material).inputs
    values = Palette.load("alpine").values
    assert inputs["Detail Size"].default_value == pytest.approx(
        0.002 * values.get("Detail Size", 150.0)
    )
    assert inputs["Rock Slope"].default_value == pytest.approx(values["Rock Slope"])
