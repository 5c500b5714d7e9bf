# SPDX-License-Identifier: GPL-3.0-or-later
"""Attribute values of every type and domain: add, read, copy, remove."""

from typing import NamedTuple, Self

import bpy
import numpy as np

from ...base.errors import InputError
from .lattice import Array

MEMBERS = {
    "FLOAT": ("value", np.float32, 1),
    "FLOAT2": ("vector", np.float32, 2),
    "FLOAT_VECTOR": ("vector", np.float32, 3),
    "FLOAT4": ("vector", np.float32, 4),
    "FLOAT_COLOR": ("color", np.float32, 4),
    "BYTE_COLOR": ("color_srgb", np.float32, 4),
    "QUATERNION": ("value", np.float32, 4),
    "FLOAT4X4": ("value", np.float32, 16),
    "INT": ("value", np.int32, 1),
    "INT8": ("value", np.int32, 1),
    "INT16_2D": ("value", np.int32, 2),
    "INT32_2D": ("value", np.int32, 2),
    "BOOLEAN": ("value", np.bool_, 1),
}
"""Attribute type → property of its elements, dtype, numbers per element."""


class Values(NamedTuple):
    """Content of an attribute whose type is in `MEMBERS`. numbers: (elements numbers,), contiguous,
    of its dtype.
    """

    data_type: str
    domain: str
    numbers: Array

    @classmethod
    def of_vertices(cls, values: Array) -> Self:
        """Content of a vertex attribute: numbers (vertices,) or vectors (vertices, 3)."""
        data_type = "FLOAT" if values.ndim == 1 else "FLOAT_VECTOR"
        return cls(data_type, "POINT", np.ascontiguousarray(values, np.float32).ravel())

    @classmethod
    def of_slot(cls, slot: int, faces: int) -> dict[str, Self]:
        """Layer with the material slot of all faces, by its name; empty for the first slot, the
        default.
        """
        return (
            {"material_index": cls("INT", "FACE", np.full(faces, slot, np.int32))} if slot else {}
        )


def new_attribute(
    mesh: bpy.types.Mesh | bpy.types.Curves, name: str, data_type: str, domain: str = "POINT"
) -> None:
    """Add an attribute; InputError if Blender refuses."""
    attribute = mesh.attributes.new(name, data_type, domain)  # type: ignore[arg-type]
    if attribute is not None and attribute.name != name:  # e.g. the name of a vertex group
        mesh.attributes.remove(attribute)
        attribute = None
    if attribute is None:
        raise InputError("Blender could not add the attribute {name} to {mesh}.").format(
            name=name, mesh=mesh.name
        )


def add(mesh: bpy.types.Mesh, name: str, values: Values) -> None:
    """Add an attribute; InputError if Blender refuses. No array is allocated."""
    new_attribute(mesh, name, values.data_type, values.domain)
    mesh.attributes[name].data.foreach_set(MEMBERS[values.data_type][0], values.numbers)


def read(attribute: bpy.types.Attribute, room: Array | None = None) -> Array:
    """(elements, numbers) of an attribute whose type is in `MEMBERS`.

    room: bytes (uint8) to read into if there are enough, so that no array is allocated.
    """
    member, dtype, count = MEMBERS[attribute.data_type]
    size = len(attribute.data) * count
    taken = size * np.dtype(dtype).itemsize
    values: Array = (
        np.empty(size, dtype) if room is None or len(room) < taken else room[:taken].view(dtype)
    )
    attribute.data.foreach_get(member, values)
    return values.reshape(-1, count)


def copy(
    source: bpy.types.Mesh,
    name: str,
    target: bpy.types.Mesh,
    new_name: str,
    room: Array | None = None,
) -> None:
    """Copy the attribute `name` of `source` to `new_name` of `target`, which has the same topology.

    room: as for `read`.
    """
    data_type = source.attributes[name].data_type
    domain = source.attributes[name].domain
    existing = target.attributes.get(new_name)
    if existing is not None and (existing.data_type, existing.domain) != (data_type, domain):
        remove(target, new_name)
        existing = None
    if existing is None:
        new_attribute(target, new_name, data_type, domain)
    # Looked up only now: a new attribute may move the others in memory.
    ours = source.attributes[name].data
    theirs = target.attributes[new_name].data
    if data_type in MEMBERS:
        theirs.foreach_set(MEMBERS[data_type][0], read(source.attributes[name], room).ravel())
    else:  # texts
        for element, original in zip(theirs, ours, strict=True):
            element.value = original.value


def remove(mesh: bpy.types.Mesh, name: str) -> None:
    """Remove an attribute, if it exists."""
    if name in mesh.attributes:
        mesh.attributes.remove(mesh.attributes[name])
