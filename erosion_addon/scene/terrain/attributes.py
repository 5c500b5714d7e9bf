# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of a terrain as attributes of a mesh's vertices, and some of them as colors.

The mesh remembers which attributes are ours. One that the user made under a field's name (a painted
`surface_color`, a `sediment` mask) is copied aside before it is overwritten, and comes back when
ours are removed.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import bpy
import numpy as np

from ...base.arrays import mean_cell_size
from ...base.errors import InputError
from ...terrain.color_attributes import COLORS
from ...terrain.fields import FIELDS
from . import attribute_values
from .attribute_values import MEMBERS, new_attribute
from .lattice import Array, Lattice

OURS = "erosion_attributes"
"""Custom property of a mesh: names of the attributes written by runs."""

ASIDE = "erosion_source_"
"""Name of a user's attribute that is set aside."""

_TYPES = {1: "FLOAT", 2: "FLOAT2", 3: "FLOAT_COLOR"}
"""Components of a field → type of its attribute."""


class Colors(NamedTuple):
    """Precomputed color attribute. vertices: indices of the colored vertices, of any shape; None
    for all. values: (..., 4) float32, in the shape of the vertices, or (rows, cols, 4).
    """

    vertices: Array | None
    values: Array


def ours(mesh: bpy.types.Mesh) -> list[str]:
    """Names of the attributes written by runs; ignores invalid content."""
    names = mesh.get(OURS)
    if isinstance(names, list):
        return [name for name in names if name in FIELDS or name in COLORS]
    return []


def attribute_names(fields: Iterable[str]) -> list[str]:
    """Names of the attributes for these fields; the elevation is the mesh itself."""
    names = [name for name in FIELDS if name in fields and name != "elevation"]
    return names + [
        name for name, color in COLORS.items() if not set(color.fields).isdisjoint(names)
    ]


def check_names(mesh: bpy.types.Mesh, fields: Iterable[str]) -> None:
    """Raise InputError if the user has another kind of attribute under a name to be written."""
    existing = ours(mesh)
    for name in attribute_names(fields):
        check_no_vertex_group(mesh, name)
        if name not in mesh.attributes or name in existing:
            continue
        if not _fits(mesh.attributes[name], name):
            raise InputError(
                "{mesh} has an attribute {name} of another kind than erosion writes; rename or "
                "remove it first."
            ).format(mesh=mesh.name, name=name)
        check_no_vertex_group(mesh, ASIDE + name)


def check_no_vertex_group(mesh: bpy.types.Mesh, name: str) -> None:
    """Raise InputError if a vertex group has the name: Blender then refuses or renames an
    attribute.
    """
    for user in bpy.data.objects:
        if user.data == mesh and name in user.vertex_groups:
            raise InputError(
                "{user} has a vertex group {name}, a name that erosion needs; rename the group."
            ).format(user=user.name, name=name)


def write_fields(
    mesh: bpy.types.Mesh,
    lattice: Lattice,
    fields: Mapping[str, Array],
    colors: Mapping[str, Colors] | None = None,
    room: Array | None = None,
) -> None:
    """Write fields, (rows, cols) or (rows, cols, components), as attributes, with their colors.

    colors: precomputed ones by name. room: as for `attribute_values.read`. Raises InputError before
    anything is written where a name is taken.
    """
    check_names(mesh, fields)
    existing = ours(mesh)
    names = attribute_names(fields)
    _set_ours(mesh, existing + [name for name in names if name not in existing])
    active = _active_names(mesh)
    cell_size = mean_cell_size(lattice.spacing)
    for name in names:
        if name not in existing and name in mesh.attributes:
            attribute_values.copy(mesh, name, mesh, ASIDE + name)
        if colors and name in colors:
            _write_colors(mesh, name, lattice, colors[name], room)
            continue
        grid = COLORS[name].colors(fields, cell_size) if name in COLORS else fields[name]
        _write(mesh, name, lattice.to_vertices(grid), _type(name))
    _set_active_names(mesh, active)


def _write_colors(
    mesh: bpy.types.Mesh, name: str, lattice: Lattice, colors: Colors, room: Array | None
) -> None:
    if colors.vertices is None:
        values = lattice.to_vertices(colors.values)
    else:
        values = attribute_values.read(mesh.attributes[name], room)
        values[colors.vertices] = colors.values
    _write(mesh, name, values, _type(name))


def read_fields(
    mesh: bpy.types.Mesh, lattice: Lattice, names: Iterable[str], before_erosion: bool = False
) -> dict[str, Array]:
    """Named fields of the mesh, (rows, cols) or (rows, cols, components) float32, without missing
    ones.

    before_erosion: only the user's, as before the runs. Raises InputError for an attribute that
    cannot be the field of its name.
    """
    names = list(names)
    check_names(mesh, names)
    fields = {}
    for name in names:
        if (values := read_values(mesh, name, before_erosion)) is not None:
            fields[name] = lattice.to_grid(values)
    return fields


def read_values(mesh: bpy.types.Mesh, name: str, before_erosion: bool = False) -> Array | None:
    """A field of the mesh by vertex, (vertices,) or (vertices, components) float32; None if
    missing.

    before_erosion: as in `read_fields`.
    """
    place = users_attribute(mesh, name) if before_erosion else name
    is_ours = place == name and name in ours(mesh)
    attribute = mesh.attributes.get(place)
    if attribute is None or not _fits(attribute, name) or (before_erosion and is_ours):
        return None
    values = attribute_values.read(attribute)
    components = FIELDS[name].components
    return values[:, :components] if components > 1 else values[:, 0]


def write_values(
    mesh: bpy.types.Mesh, name: str, values: Array, before_erosion: bool = False
) -> None:
    """Set a field of one component from (vertices,), as the user's. before_erosion: for the next
    run from the start, beside the field of the last run. InputError if its name is taken.
    """
    check_names(mesh, [name])
    active = _active_names(mesh)
    _write(
        mesh, ASIDE + name if before_erosion and name in ours(mesh) else name, values, _type(name)
    )
    _set_active_names(mesh, active)


def write_users(mesh: bpy.types.Mesh, name: str, values: Array) -> None:
    """Set an attribute of the user's (vertices,), which no run changes. InputError if another kind
    of attribute has its name.
    """
    existing = mesh.attributes.get(name)
    if existing is not None and (existing.domain, existing.data_type) != ("POINT", "FLOAT"):
        raise InputError(
            "{mesh} has an attribute {name} of another kind; rename or remove it first."
        ).format(mesh=mesh.name, name=name)
    active = _active_names(mesh)
    _write(mesh, name, values, "FLOAT")
    _set_active_names(mesh, active)
    mesh.update()


def holds(mesh: bpy.types.Mesh, name: str) -> bool:
    """Whether the mesh has a valid attribute for the field."""
    return name in mesh.attributes and _fits(mesh.attributes[name], name)


def remove_fields(mesh: bpy.types.Mesh, but: Iterable[str] = ()) -> None:
    """Remove our attributes except of some fields, and restore the replaced ones of the user."""
    active = _active_names(mesh)
    exceptions = attribute_names(but)
    existing = ours(mesh)
    for name in existing:
        if name in exceptions:
            continue
        if ASIDE + name in mesh.attributes:
            attribute_values.copy(mesh, ASIDE + name, mesh, name)
            attribute_values.remove(mesh, ASIDE + name)
        else:
            attribute_values.remove(mesh, name)
    _set_ours(mesh, [name for name in existing if name in exceptions])
    _set_active_names(mesh, active)


def hand_over_fields(mesh: bpy.types.Mesh, but: Iterable[str] = ()) -> None:
    """Make our attributes the user's, except of some fields; drop the replaced ones."""
    active = _active_names(mesh)
    exceptions = attribute_names(but)
    existing = ours(mesh)
    for name in existing:
        if name not in exceptions:
            attribute_values.remove(mesh, ASIDE + name)
    _set_ours(mesh, [name for name in existing if name in exceptions])
    _set_active_names(mesh, active)


def _set_ours(mesh: bpy.types.Mesh, names: list[str]) -> None:
    if names:
        mesh[OURS] = names
    else:
        mesh.pop(OURS, None)


def copy_fields(source: bpy.types.Mesh, target: bpy.types.Mesh, room: Array | None = None) -> None:
    """Copy our attributes and custom properties from `source`, a copy of `target`.

    room: bytes for the values of one attribute, so that no array is allocated.
    """
    active = _active_names(source)
    touched = {*ours(source), *ours(target)}
    names = [attribute.name for mesh in (source, target) for attribute in mesh.attributes]
    touched |= {name for name in names if name.startswith("erosion_")}
    for name in touched:
        if name in source.attributes:
            attribute_values.copy(source, name, target, name, room)
        else:
            attribute_values.remove(target, name)
    for key in {*source.keys(), *target.keys()}:
        if key.startswith("erosion_"):
            if key in source:
                target[key] = source[key]
            else:
                del target[key]
    _set_active_names(target, active)


def keep_aside(mesh: bpy.types.Mesh, name: str, values: Array) -> bool:
    """Add a FLOAT attribute (vertices,) that is no field; the active attributes stay. False if its
    name is taken.
    """
    if name in mesh.attributes:
        return False
    active = _active_names(mesh)
    attribute = mesh.attributes.new(name, "FLOAT", "POINT")
    if attribute is not None and attribute.name != name:  # a vertex group has the name
        mesh.attributes.remove(attribute)
    if name not in mesh.attributes:
        return False
    mesh.attributes[name].data.foreach_set("value", np.ascontiguousarray(values, np.float32))
    _set_active_names(mesh, active)
    return True


def drop_aside(mesh: bpy.types.Mesh, name: str) -> None:
    """Remove the attribute of `keep_aside`."""
    active = _active_names(mesh)
    attribute_values.remove(mesh, name)
    _set_active_names(mesh, active)


def users_attribute(mesh: bpy.types.Mesh, name: str) -> str:
    """Current name of the user's attribute `name`: set aside while ours has the name."""
    return ASIDE + name if name in ours(mesh) and ASIDE + name in mesh.attributes else name


def _type(name: str) -> str:
    return _TYPES[3 if name in COLORS else FIELDS[name].components]


def _fits(attribute: bpy.types.Attribute, name: str) -> bool:
    return attribute.domain == "POINT" and attribute.data_type == _type(name)


def _write(mesh: bpy.types.Mesh, name: str, values: Array, data_type: str) -> None:
    """Set the attribute `name` from (vertices,) or (vertices, components)."""
    existing = mesh.attributes.get(name)
    if existing is not None and (existing.domain, existing.data_type) != ("POINT", data_type):
        attribute_values.remove(mesh, name)  # ours, converted by the user
    if name not in mesh.attributes:
        new_attribute(mesh, name, data_type)
    if data_type == "FLOAT_COLOR" and values.shape[1] == 3:
        values = np.concatenate([values, np.ones((len(values), 1), np.float32)], axis=1)
    # Looked up again: the next new() may free the result of this one.
    mesh.attributes[name].data.foreach_set(
        MEMBERS[data_type][0], np.ascontiguousarray(values, np.float32).ravel()
    )


def _active_names(mesh: bpy.types.Mesh) -> tuple[str, str, str]:
    active = mesh.attributes.active
    colors = mesh.color_attributes
    return active.name if active else "", colors.active_color_name, colors.default_color_name


def _set_active_names(mesh: bpy.types.Mesh, names: tuple[str, str, str]) -> None:
    """Blender stores some of these as numbers, which shift when an attribute is added or
    removed.
    """
    active, active_color, default_color = names
    if active in mesh.attributes:
        mesh.attributes.active = mesh.attributes[active]
    colors = mesh.color_attributes
    colors.active_color_name = active_color if active_color in mesh.attributes else ""
    colors.default_color_name = default_color if default_color in mesh.attributes else ""
