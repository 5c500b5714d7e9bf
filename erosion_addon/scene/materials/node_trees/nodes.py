# SPDX-License-Identifier: GPL-3.0-or-later
"""Node groups and materials built from tables of sockets and nodes.

Built trees are marked: building twice gives one, and a user's group of the same name is left alone.
The user's edits stay until a newer version of the table replaces them.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import bpy

from ....terrain.fields import FIELDS
from . import layout
from .table import EXISTS, OF_INSTANCE, OF_OBJECT, VECTOR_OF_OBJECT, Node, Socket, Table, Text

KIND = "terrain_erosion_kind"
"""Custom property of built node trees: name of the table."""

VERSION = "terrain_erosion_version"
"""Custom property of a built group: version of its table."""

SURFACE = "Surface"
"""Name of the group node in a material."""

_OUTPUTS = {EXISTS: "Alpha", OF_OBJECT: "Fac", VECTOR_OF_OBJECT: "Vector", OF_INSTANCE: "Color"}

_KINDS = {
    bool: "NodeSocketBool",
    int: "NodeSocketInt",
    float: "NodeSocketFloat",
    tuple: "NodeSocketColor",
}
"""Type of a default → socket type."""


def find(collection: Any, kind: str) -> Any:
    """Built material or node group of this kind in the file; None if there is none."""
    return next(
        (item for item in collection if item.get(KIND) == kind and item.library is None), None
    )


def node_group(
    kind: str, version: int, sockets: Sequence[Socket], nodes: Table, tree: str = "ShaderNodeTree"
) -> bpy.types.NodeTree:
    """Node group `kind`: the existing one, updated if older, or a new one.

    Existing materials get its new attributes.
    """
    group = find(bpy.data.node_groups, kind)
    if group is None:
        group = bpy.data.node_groups.new(kind, tree)
        group[KIND] = kind
    if group.get(VERSION, 0) < version:
        fill_group(group, sockets, nodes)
        group[VERSION] = version
    return group


def fill_group(group: bpy.types.NodeTree, sockets: Sequence[Socket], nodes: Table) -> None:
    """Replace the nodes of a group; existing sockets stay, with their links."""
    group.nodes.clear()
    _set_inputs(group, _declare(group.interface, sockets))
    build(group, nodes, "NodeGroupInput")


def material(
    kind: str, name: str, group: bpy.types.NodeTree, sockets: Sequence[Socket]
) -> tuple[bpy.types.Material, bool]:
    """(material `kind`, whether it is new): the existing one unchanged, or a new one called `name`.

    A new one consists of the node group, fed by the attributes of its sockets.
    """
    existing = find(bpy.data.materials, kind)
    if existing is not None:
        return existing, False
    result = bpy.data.materials.new(name)
    result[KIND] = kind
    if bpy.app.version < (5, 0, 0):
        result.use_nodes = True
    result.node_tree.nodes.clear()
    attributes, fed = _feeding(socket for socket in sockets if socket.attribute)
    surface = Node(SURFACE, "Group", fed, {"node_tree": group, "width": 240.0})
    out = Node("out", "OutputMaterial", {"Surface": SURFACE})
    build(result.node_tree, {"Fields of the Terrain": attributes, "": [surface, out]})
    return result, True


def set_modifier_input(modifier: bpy.types.NodesModifier, name: str, value: Any) -> None:
    """Set an input of a Geometry Nodes modifier by its name."""
    sockets = [
        item for item in modifier.node_group.interface.items_tree if item.item_type == "SOCKET"
    ]
    key = next(
        socket.identifier for socket in sockets if (socket.name, socket.in_out) == (name, "INPUT")
    )
    if hasattr(modifier, "properties"):  # from Blender 5.2 on
        getattr(modifier.properties.inputs, key).value = value
    else:
        modifier[key] = value


def _feeding(fields: Iterable[Socket]) -> tuple[list[Node], dict[str | int, str]]:
    """Attribute nodes for these inputs of a group, and their links by input name."""
    attributes: dict[str, Node] = {}
    links: dict[str | int, str] = {}
    for field in fields:
        node = _attribute(field)
        attributes[node.name] = node
        links[field.name] = f"{node.name}.{_OUTPUTS.get(field.channel, field.channel)}"
    return list(attributes.values()), links


def _attribute(socket: Socket) -> Node:
    """Attribute node of a socket."""
    name = socket.attribute
    collapsed = {"hide": True, "width": 200.0}
    if socket.channel in (OF_OBJECT, VECTOR_OF_OBJECT):
        return Node(
            name,
            "Attribute",
            settings={"attribute_type": "OBJECT", "attribute_name": name, **collapsed},
        )
    if socket.channel == OF_INSTANCE:
        return Node(
            name,
            "Attribute",
            settings={"attribute_type": "INSTANCER", "attribute_name": name, **collapsed},
        )
    if socket.channel != EXISTS:
        return Node(name, "Attribute", settings={"attribute_name": name, **collapsed})
    # A missing surface attribute reads as zeros. A data path on the object, here to the attribute's
    # first value, has alpha 0 if invalid, and uses none of EEVEE's 14 attributes.
    member = {1: "value", 2: "vector", 3: "color"}[FIELDS[name].components]
    path = f'attributes["{name}"].data[0].{member}'
    settings = {"attribute_type": "OBJECT", "attribute_name": path, **collapsed}
    return Node(f"has {name}", "Attribute", settings=settings)


def build(tree: bpy.types.NodeTree, table: Table, source: str = "") -> None:
    """Build the nodes of a table: add, set, link and lay out. source: type of the node called
    "in".
    """
    parts = table if isinstance(table, Mapping) else {"": table}
    built = {"in": tree.nodes.new(source)} if source else {}
    table = [node for part in parts.values() for node in part]
    # Blender updates the whole tree after each change: unchanged values are skipped, and nodes are
    # set while the tree is small.
    for node in table:
        built[node.name] = _new_node(tree, node)
    for node in table:
        for key, value in node.inputs.items():
            if _is_link(value):
                tree.links.new(_output_of(built, value), built[node.name].inputs[key])
    layout.arrange(tree, built, parts, sources_of(table))


def _new_node(tree: bpy.types.NodeTree, node: Node) -> bpy.types.Node:
    """A node of a table with its settings, not linked yet."""
    result = tree.nodes.new(node.type if "Node" in node.type else f"ShaderNode{node.type}")
    result.name = result.label = node.name
    for name, value in node.settings.items():
        if isinstance(value, list):
            for words in value:
                getattr(result, name).new(*words)
        else:
            *parts, last = name.split(".")
            _set(reduce(getattr, parts, result), last, value)
    for key, value in node.inputs.items():
        if not _is_link(value):
            socket = result.inputs[key]
            long = socket.type == "RGBA" and len(value) == 3
            _set(socket, "default_value", (*value, 1.0) if long else value)
    return result


def _set(item: Any, name: str, value: Any) -> None:
    """Set a property unless it has the value already."""
    old = getattr(item, name)
    if (tuple(old) if isinstance(value, tuple) else old) != value:
        setattr(item, name, value)


def _output_of(built: Mapping[str, Any], link: str) -> bpy.types.NodeSocket:
    """Output socket of a link "node.output"."""
    name, _, output = link.partition(".")
    outputs = built[name].outputs
    return outputs[output] if output else next(socket for socket in outputs if socket.enabled)


def sources_of(table: Iterable[Node]) -> dict[str, list[str]]:
    """Names of the nodes that each node reads."""
    return {
        node.name: [v.partition(".")[0] for v in node.inputs.values() if _is_link(v)]
        for node in table
    }


def _is_link(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, Text)


def _declare(interface: bpy.types.NodeTreeInterface, sockets: Sequence[Socket]) -> list[Socket]:
    """Add sockets and panels to a group; returns the new ones. Existing ones stay, with their
    links.
    """
    targets = {(socket.name, socket.output): socket for socket in sockets}
    items = {}
    for item in [item for item in interface.items_tree if item.item_type == "SOCKET"]:
        key = item.name, item.in_out == "OUTPUT"
        if key in targets and item.socket_type == _kind(targets[key]):
            items[key] = item
        else:
            interface.remove(item)
    panels = {item.name: item for item in interface.items_tree if item.item_type == "PANEL"}
    for (name, output), socket in targets.items():
        if socket.panel and socket.panel not in panels:
            panels[socket.panel] = interface.new_panel(socket.panel, default_closed=True)
        parent = panels.get(socket.panel)
        item = items.get((name, output))
        if item is None:
            in_out = "OUTPUT" if output else "INPUT"
            item = interface.new_socket(
                name, in_out=in_out, socket_type=_kind(socket), parent=parent
            )
            _set_default(item, socket)
        elif parent is not None and item.parent != parent:
            interface.move_to_parent(item, parent, len(parent.interface_items))
        item.description = socket.sentence
    return [socket for key, socket in targets.items() if key not in items]


def _set_inputs(group: bpy.types.NodeTree, sockets: Sequence[Socket]) -> None:
    """Set new inputs to their defaults in existing materials, where they would be 0."""
    inputs = [socket for socket in sockets if not socket.output]
    for material in (material for material in bpy.data.materials if material.node_tree):
        tree = material.node_tree
        for node in [node for node in tree.nodes if getattr(node, "node_tree", None) == group]:
            for socket in (socket for socket in inputs if socket.default is not None):
                node.inputs[socket.name].default_value = _value(socket)
            if KIND in material and material.library is None:
                _feed(tree, node, [socket for socket in inputs if socket.attribute])


def _feed(tree: bpy.types.NodeTree, surface: bpy.types.Node, fields: Sequence[Socket]) -> None:
    """Link new inputs of a group in a material to new attribute nodes on its left."""
    attributes, fed = _feeding(fields)
    built = {}
    for number, node in enumerate(attributes):
        built[node.name] = tree.nodes.get(node.name) or _new_node(tree, node)
        built[node.name].location = (
            surface.location.x - 240,
            surface.location.y + 40 * (number + 1),
        )
    for name, link in fed.items():
        tree.links.new(_output_of(built, link), surface.inputs[name])


def _value(socket: Socket) -> Any:
    return (*socket.default, 1.0) if _kind(socket) == "NodeSocketColor" else socket.default


def _kind(socket: Socket) -> str:
    return socket.kind or _KINDS[type(socket.default)]


def _set_default(item: Any, socket: Socket) -> None:
    if _kind(socket) in ("NodeSocketFloat", "NodeSocketInt", "NodeSocketVector"):
        item.subtype = socket.subtype
        number = int if _kind(socket) == "NodeSocketInt" else float
        item.min_value = number(socket.low)
        item.max_value = number(socket.high)
    if socket.default is not None:
        item.default_value = _value(socket)
