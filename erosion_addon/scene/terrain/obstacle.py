# SPDX-License-Identifier: GPL-3.0-or-later
"""Eligibility of an object for erosion by a quick check: obstacle and remedy."""

from typing import NamedTuple

import bpy

from ...base.errors import Sentence
from ...terrain.terrain import SMALLEST_SIDE
from ..materials.node_trees import nodes

HARMLESS = {
    "COLLISION",
    "DATA_TRANSFER",
    "EDGE_SPLIT",
    "LINEART",
    "NORMAL_EDIT",
    "PARTICLE_SYSTEM",
    "SURFACE",
    "TRIANGULATE",
    "UV_PROJECT",
    "UV_WARP",
    "VERTEX_WEIGHT_EDIT",
    "VERTEX_WEIGHT_MIX",
    "VERTEX_WEIGHT_PROXIMITY",
    "WEIGHTED_NORMAL",
}
"""Modifiers that leave the shape of a mesh."""

SHADING = {
    "GeometryNodeCaptureAttribute",
    "GeometryNodeRemoveAttribute",
    "GeometryNodeSetGeometryName",
    "GeometryNodeSetMaterial",
    "GeometryNodeSetMaterialIndex",
    "GeometryNodeSetMeshNormal",
    "GeometryNodeSetShadeSmooth",
    "GeometryNodeStoreNamedAttribute",
    "GeometryNodeSwitch",
    "NodeGroupInput",
    "NodeReroute",
}
"""Geometry nodes that leave the shape of their geometry."""


class Advice(NamedTuple):
    """Sentence for the artist; remedy: name of the button that fixes it, or ""."""

    sentence: str
    remedy: str = ""


def why_not(obj: bpy.types.Object | None) -> str | None:
    """Reason why the object cannot be eroded in place; None if a quick check finds none."""
    reason = obstacle(obj)
    return None if reason is None else reason.sentence


def obstacle(obj: bpy.types.Object | None) -> Advice | None:
    """`why_not` with its remedy."""
    if obj is None:
        return Advice(Sentence("Select a grid mesh."))
    if obj.type != "MESH":
        return Advice(Sentence("{name} is not a mesh; select a grid mesh.").format(name=obj.name))
    mesh = obj.data
    if obj.mode == "EDIT" or mesh.is_editmode:
        return Advice(Sentence("Leave Edit Mode first."), "object_mode")
    if obj.mode != "OBJECT":
        return Advice(Sentence("Switch to Object Mode first."), "object_mode")
    if obj.library or mesh.library:
        return Advice(
            Sentence(
                "{name} is linked from another file; use Object > Relations > Make Local first."
            ).format(name=obj.name),
            "make_local",
        )
    if obj.override_library or mesh.override_library:
        return Advice(
            Sentence(
                "{name} is a library override; use Object > Relations > Make Local first."
            ).format(name=obj.name),
            "make_local",
        )
    if mesh.shape_keys:
        return Advice(
            Sentence(
                "{name} has shape keys, which would hide the new heights; apply or remove them "
                "first."
            ).format(name=obj.name),
            "apply_shape_keys",
        )
    if any(modifier.type == "MULTIRES" for modifier in obj.modifiers):
        return Advice(
            Sentence("{name} has a Multiresolution modifier; apply it first.").format(
                name=obj.name
            ),
            "apply_modifiers",
        )
    users = mesh.users - mesh.use_fake_user
    if users > 1:
        return Advice(
            Sentence(
                "The mesh of {name} is shared by {users} objects; make it single-user (Object > "
                "Relations > Make Single User > Object & Data) first."
            ).format(name=obj.name, users=users),
            "make_single_user",
        )
    if few := too_few(obj):
        return Advice(few, "apply_modifiers" if shapers(obj) else "add_terrain")
    return None


def too_few(obj: bpy.types.Object) -> str | None:
    """Message for a mesh with too few vertices; None if it has enough."""
    count = len(obj.data.vertices)
    if count >= SMALLEST_SIDE**2:
        return None
    sentence = Sentence(
        "{name} has {count} vertices; a terrain needs at least {smallest} × {smallest}"
    ).format(name=obj.name, count=count, smallest=SMALLEST_SIDE)
    names = shapers(obj)
    if names:
        return Sentence(
            "{sentence}, and only the mesh below its modifiers counts: apply {names} first."
        ).format(sentence=sentence, names=names)
    return Sentence("{sentence}.").format(sentence=sentence)


def shapers(obj: bpy.types.Object) -> str:
    """Names of the modifiers that change the visible shape, separated by commas; not our own, as
    playback of frames.
    """
    return ", ".join(
        modifier.name for modifier in obj.modifiers if modifier.show_viewport and _shapes(modifier)
    )


def _shapes(modifier: bpy.types.Modifier) -> bool:
    if modifier.type in HARMLESS:
        return False
    group = getattr(modifier, "node_group", None)
    if modifier.type != "NODES":
        return True
    return group is not None and nodes.KIND not in group and not _only_shades(group)


def _only_shades(group: bpy.types.NodeTree) -> bool:
    """Whether a node group leaves positions alone, as Smooth by Angle does."""
    return all(node.mute or _hands_on(node) for node in group.nodes)


def _hands_on(node: bpy.types.Node) -> bool:
    if not any(socket.type == "GEOMETRY" for socket in node.outputs):
        return True
    if node.bl_idname == "GeometryNodeGroup":
        return node.node_tree is None or _only_shades(node.node_tree)
    if node.bl_idname == "GeometryNodeStoreNamedAttribute":
        name = node.inputs["Name"]
        return not name.is_linked and name.default_value != "position"
    return node.bl_idname in SHADING
