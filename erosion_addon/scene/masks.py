# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks from the scene: vertex groups, attributes, images."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np

from ..model.errors import InputError
from ..model.masks import MASK_KINDS, resample
from . import attributes
from .lattice import Array, Lattice

_READERS = {
    "FLOAT": ("value", np.float32, 1),
    "INT": ("value", np.int32, 1),
    "INT8": ("value", np.int32, 1),
    "BOOLEAN": ("value", np.bool_, 1),
    "FLOAT_COLOR": ("color", np.float32, 4),
    "BYTE_COLOR": ("color", np.float32, 4),
}
"""Type of an attribute → property of its elements, dtype, and numbers in each."""

_LUMINANCE = (0.2126, 0.7152, 0.0722)  # Rec. 709, linear


def read_mask(
    obj: bpy.types.Object,
    lattice: Lattice,
    kind: str,
    source: str,
    name: str | bpy.types.Image | None,
    invert: bool = False,
) -> Array:
    """A mask on the cells of the lattice, (rows, cols) float32.

    kind: of `model.masks.MASK_KINDS`. source: "VERTEX_GROUP", "ATTRIBUTE" or "IMAGE". name: of the group or attribute,
    or the image. invert: 1 becomes 0; where more than 1 is allowed, the highest value becomes 0.
    Raises InputError, naming what is missing or does not fit; the range of the values is for the run to check.
    """
    if source == "IMAGE":
        mask = _image(kind, name, (lattice.rows, lattice.cols))
    elif source == "VERTEX_GROUP":
        mask = lattice.to_grid(_weights(obj, kind, str(name or "")))
    else:
        mask = lattice.to_grid(_attribute(obj, kind, str(name or "")))
    if not invert:
        return mask
    highest = 1.0 if MASK_KINDS[kind][0] == 1.0 else max(1.0, float(mask.max()))
    return np.float32(highest) - mask


def _image(kind: str, image: object, shape: tuple[int, int]) -> Array:
    from .image import image_heights

    if not isinstance(image, bpy.types.Image):
        raise InputError(f"No image is chosen for the {kind} mask; choose one, or set the mask to None.")
    values = image_heights(image)
    return values if values.shape == shape else resample(values, shape)


def _attribute(obj: bpy.types.Object, kind: str, name: str) -> Array:
    """(vertices,) float32 of an attribute; of a colour its luminance."""
    mesh = obj.data
    attribute = mesh.attributes.get(attributes.users_attribute(mesh, name))
    if attribute is None:
        raise InputError(f"{obj.name} has no attribute {name!r} for the {kind} mask; choose another one.")
    if attribute.domain != "POINT" or attribute.data_type not in _READERS:
        raise InputError(
            f"The attribute {name} for the {kind} mask is a {attribute.data_type.lower()} per "
            f"{attribute.domain.lower()}; convert it to a number or colour per point (Object Data > Attributes)."
        )
    member, dtype, count = _READERS[attribute.data_type]
    values = np.empty((len(mesh.vertices), count), dtype)
    attribute.data.foreach_get(member, values.ravel())
    if count == 1:
        return values[:, 0].astype(np.float32)
    return (values[:, :3] @ np.array(_LUMINANCE)).astype(np.float32)


def _weights(obj: bpy.types.Object, kind: str, name: str) -> Array:
    """(vertices,) float32 weights in a vertex group, 0 outside it.

    Blender has no array access to them: a loop takes a second for a million vertices. Geometry nodes can read a group
    like an attribute, so they copy it into one that can be read at once (6 ms), in a scene of its own.
    """
    mesh = obj.data
    if name not in obj.vertex_groups:
        raise InputError(f"{obj.name} has no vertex group {name!r} for the {kind} mask; choose another one.")
    if name in mesh.attributes:
        raise InputError(f"{obj.name} has an attribute and a vertex group {name}; rename one of them.")
    weights = np.empty(len(mesh.vertices), np.float32)
    copied = "terrain_erosion_weights"
    with _evaluated(mesh, name, copied) as evaluated:
        evaluated.attributes[copied].data.foreach_get("value", weights)
    return weights


@contextmanager
def _evaluated(mesh: bpy.types.Mesh, group: str, attribute: str) -> Iterator[bpy.types.Mesh]:
    """The mesh with a vertex group copied to an attribute, for the length of the context."""
    tree = bpy.data.node_groups.new(attribute, "GeometryNodeTree")
    obj = bpy.data.objects.new(attribute, mesh)
    scene = bpy.data.scenes.new(attribute)
    try:
        _build(tree, group, attribute)
        obj.modifiers.new(attribute, "NODES").node_group = tree
        scene.collection.objects.link(obj)
        layer = scene.view_layers[0]
        layer.update()
        yield obj.evaluated_get(layer.depsgraph).data
    finally:
        bpy.data.scenes.remove(scene)
        bpy.data.objects.remove(obj)
        bpy.data.node_groups.remove(tree)


def _build(tree: bpy.types.NodeTree, group: str, attribute: str) -> None:
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
    given, result = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    weights = tree.nodes.new("GeometryNodeInputNamedAttribute")
    store = tree.nodes.new("GeometryNodeStoreNamedAttribute")
    weights.data_type = store.data_type = "FLOAT"
    store.domain = "POINT"
    weights.inputs["Name"].default_value = group
    store.inputs["Name"].default_value = attribute
    tree.links.new(given.outputs["Geometry"], store.inputs["Geometry"])
    tree.links.new(weights.outputs["Attribute"], store.inputs["Value"])
    tree.links.new(store.outputs["Geometry"], result.inputs["Geometry"])
