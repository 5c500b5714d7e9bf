# SPDX-License-Identifier: GPL-3.0-or-later
"""Node trees from tables: built once, found again, renewed with their links; the user's edits
stay.
"""

import bpy
import pytest

from erosion_addon.scene.materials import aovs, material, water_material
from erosion_addon.scene.materials.node_trees import layout, nodes
from erosion_addon.scene.materials.node_trees.table import Node, Socket, math_node

SOCKETS = (
    Socket("Result", 0.0, "What comes out", output=True),
    Socket("Amount", 0.25, "How much of it", "FACTOR", panel="Main"),
    Socket("Color", (0.1, 0.2, 0.3), "Of what color", panel="Main"),
    Socket("Count", 3, "How many of them", high=9.0, panel="More"),
    Socket("Depth", 0.0, "Depth in meters", high=1e3, attribute="water_depth"),
)
NODES = (
    math_node("twice", "MULTIPLY", "in.Amount", 2.0),
    Node("out", "NodeGroupOutput", {"Result": "twice"}),
)


def inputs_of(group):
    return [
        item
        for item in group.interface.items_tree
        if item.item_type == "SOCKET" and item.in_out == "INPUT"
    ]


def test_sockets_have_what_the_table_says(empty_scene):
    group = nodes.node_group("Test", 1, SOCKETS, NODES)
    made = {item.name: item for item in inputs_of(group)}
    assert set(made) == {"Depth", "Amount", "Color", "Count"}
    assert made["Amount"].default_value == 0.25 and made["Amount"].subtype == "FACTOR"
    assert tuple(made["Color"].default_value) == pytest.approx((0.1, 0.2, 0.3, 1.0))
    assert made["Count"].default_value == 3 and made["Count"].max_value == 9
    assert made["Amount"].parent.name == "Main" and made["Count"].parent.name == "More"
    assert made["Depth"].description == "Depth in meters"


def test_links_and_numbers_are_set(empty_scene):
    group = nodes.node_group("Test", 1, SOCKETS, NODES)
    twice = group.nodes["twice"]
    assert twice.operation == "MULTIPLY" and twice.inputs[1].default_value == 2.0
    assert twice.inputs[0].links[0].from_socket.name == "Amount"
    assert all(link.is_valid for link in group.links)


def test_nodes_stand_right_of_what_they_read(empty_scene):
    group = nodes.node_group("Test", 1, SOCKETS, NODES)
    places = [
        node.location.x
        for node in (group.nodes["Group Input"], group.nodes["twice"], group.nodes["out"])
    ]
    assert places == sorted(set(places))


def test_built_twice_it_is_one_and_the_users_of_that_name_is_left_alone(empty_scene):
    users = bpy.data.node_groups.new("Test", "ShaderNodeTree")
    first = nodes.node_group("Test", 1, SOCKETS, NODES)
    assert nodes.node_group("Test", 1, SOCKETS, NODES) == first != users
    assert not users.nodes and len(bpy.data.node_groups) == 2


def test_an_edited_group_stays_until_a_newer_version(empty_scene):
    group = nodes.node_group("Test", 1, SOCKETS, NODES)
    group.nodes.remove(group.nodes["twice"])
    assert "twice" not in nodes.node_group("Test", 1, SOCKETS, NODES).nodes
    assert "twice" in nodes.node_group("Test", 2, SOCKETS, NODES).nodes


def test_a_newer_version_keeps_the_values_of_what_uses_it_and_drops_old_sockets(empty_scene):
    group = nodes.node_group("Test", 1, SOCKETS, NODES)
    made, _ = nodes.material("Test", "Test", group, SOCKETS)
    made.node_tree.nodes[nodes.SURFACE].inputs["Amount"].default_value = 0.75
    newer = (*SOCKETS[:3], Socket("Width", 1.0, "Another one", panel="Main"), SOCKETS[4])
    nodes.node_group("Test", 2, newer, NODES)
    inputs = made.node_tree.nodes[nodes.SURFACE].inputs
    assert set(inputs.keys()) == {"Amount", "Color", "Width", "Depth"}
    assert inputs["Amount"].default_value == 0.75 and inputs["Depth"].is_linked
    assert inputs["Width"].default_value == 1.0


def test_a_newer_version_feeds_the_older_materials_with_its_new_fields(empty_scene):
    group = nodes.node_group("Test", 1, SOCKETS, NODES)
    made, _ = nodes.material("Test", "Test", group, SOCKETS)
    newer = (*SOCKETS, Socket("Moisture", 0.0, "Wetness of the ground", attribute="moisture"))
    nodes.node_group("Test", 2, newer, NODES)
    [link] = made.node_tree.nodes[nodes.SURFACE].inputs["Moisture"].links
    assert link.from_node.attribute_name == "moisture"


def boxes(tree):
    """(left, right, low, high) of all nodes but frames."""
    shown = [node for node in tree.nodes if node.type != "FRAME"]
    return [
        (n.location.x, n.location.x + n.width, n.location.y - layout.height(n), n.location.y)
        for n in shown
    ]


def test_no_node_lies_on_another_and_the_fields_are_collapsed_in_a_frame(empty_scene):
    made = material.terrain_material()
    aovs.add(bpy.context.view_layer, [made])
    for tree in (
        made.node_tree,
        material.terrain_group(),
        water_material.water_material().node_tree,
    ):
        placed = boxes(tree)
        for number, (left, right, low, high) in enumerate(placed):
            for other in placed[:number]:
                assert right <= other[0] or other[1] <= left or high <= other[2] or other[3] <= low
    fields = [node for node in made.node_tree.nodes if node.type == "ATTRIBUTE"]
    assert all(node.hide and node.parent for node in fields)
    assert max(node.location.y for node in fields) - min(node.location.y for node in fields) <= 800


def test_the_parts_of_the_terrain_group_are_framed_and_titled(empty_scene):
    group = material.terrain_group()
    assert [node.label for node in group.nodes if node.type == "FRAME"] == list(material.NODES)
    assert all(node.parent for node in group.nodes if node.type not in ("FRAME", "GROUP_INPUT"))


def test_geometry_groups_are_made_from_the_same_tables(empty_scene):
    sockets = (
        Socket("Geometry", None, "What comes out", kind="NodeSocketGeometry", output=True),
        Socket("Geometry", None, "What goes in", kind="NodeSocketGeometry"),
    )
    table = (
        Node(
            "up", "GeometryNodeSetPosition", {"Geometry": "in.Geometry", "Offset": (0.0, 0.0, 1.0)}
        ),
        Node("out", "NodeGroupOutput", {"Geometry": "up.Geometry"}),
    )
    group = nodes.node_group("Up", 1, sockets, table, "GeometryNodeTree")
    assert tuple(group.nodes["up"].inputs["Offset"].default_value) == (0.0, 0.0, 1.0)
    assert group.nodes["out"].inputs["Geometry"].links[0].from_node == group.nodes["up"]


def test_a_material_reads_attributes_their_presence_and_properties_of_the_object(empty_scene):
    sockets = (
        Socket("Depth", 0.0, "Depth in meters", attribute="water_depth"),
        Socket(
            "Has Depth", 0.0, "Whether there is one", attribute="water_depth", channel=nodes.EXISTS
        ),
        Socket("Wanted", 0.0, "Whether it is wanted", attribute="wanted", channel=nodes.OF_OBJECT),
        Socket("Shader", None, "The surface", kind="NodeSocketShader", output=True),
    )
    group = nodes.node_group("Test", 1, sockets, (Node("out", "NodeGroupOutput"),))
    made, is_new = nodes.material("Test", "Test", group, sockets)
    assert is_new and nodes.material("Test", "Test", group, sockets) == (made, False)
    inputs = made.node_tree.nodes[nodes.SURFACE].inputs
    read = {name: inputs[name].links[0] for name in ("Depth", "Has Depth", "Wanted")}
    assert [link.from_node.attribute_type for link in read.values()] == [
        "GEOMETRY",
        "OBJECT",
        "OBJECT",
    ]
    assert read["Has Depth"].from_node.attribute_name == 'attributes["water_depth"].data[0].value'
    assert read["Has Depth"].from_socket.name == "Alpha"
