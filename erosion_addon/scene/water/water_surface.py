# SPDX-License-Identifier: GPL-3.0-or-later
"""Water surface of a terrain: a mesh on the same lattice, where there is water.

At the shore it extends one cell further, below the ground, so its visible edge follows the ground
and not the cells.
"""

import bpy
import numpy as np

from ...base.errors import InputError
from ...grid.sampling import smooth_step
from ...grid.water_level import corners_of, water_level
from ..companions import companions, material_inputs
from ..companions.visible_water import THRESHOLD, least_depth, shown_from
from ..materials import water_material
from ..terrain import attributes, grid
from ..terrain.attribute_values import Values
from ..terrain.lattice import Array, Lattice
from ..terrain.mesh import Edges, Geometry, positions

KIND = "water"


def add(terrain: bpy.types.Object, threshold: float = 0.0) -> bpy.types.Object:
    """Add a water surface to the terrain, or update it.

    threshold: minimum depth of visible water in meters; 0: a hundredth of a cell. InputError
    without water.
    """
    if not attributes.holds(terrain.data, "water_depth"):
        raise InputError(
            "{name} has no water: erode it with a recipe that has a water step, such as river "
            "valley. Without one, the terrain's material draws the wettest ground as water."
        ).format(name=terrain.name)
    surfaces = companions.find(terrain, KIND)
    if not surfaces:
        if not has_water(terrain, threshold):
            least = shown_from(grid.find_lattice(terrain), threshold)
            raise InputError(
                "The water of {name} is nowhere deeper than {least:g} m; lower the threshold."
            ).format(name=terrain.name, least=least)
        name = f"{terrain.name} Water"
        surfaces = [companions.add(terrain, KIND, name, bpy.data.meshes.new(name))]
        surfaces[0].data.materials.append(water_material.water_material())
        surfaces[0].visible_shadow = False  # light reaches the bed
    companions.put_in_place(terrain)
    for surface in surfaces:
        surface[THRESHOLD] = threshold
        if not surface.data.is_editmode:
            update(terrain, surface)
    material_inputs.update(terrain)
    return surfaces[0]


def has_water(terrain: bpy.types.Object, threshold: float = 0.0) -> bool:
    """Whether the terrain has visible water."""
    if not attributes.holds(terrain.data, "water_depth"):
        return False
    lattice = grid.find_lattice(terrain)
    depth = attributes.read_fields(terrain.data, lattice, ["water_depth"])["water_depth"]
    return bool(depth.max() > shown_from(lattice, threshold))


def update(terrain: bpy.types.Object, surface: bpy.types.Object) -> None:
    """Rebuild the surface from the terrain's fields; it is empty without water."""
    if not attributes.holds(terrain.data, "water_depth"):
        surface.data.clear_geometry()
        surface.data.update()
        return
    lattice = grid.find_lattice(terrain)
    place = positions(terrain.data)
    slot = common_slot(surface.data)
    _geometry(terrain.data, lattice, place, least_depth(terrain, lattice), slot).put_into(
        surface.data
    )


def foam_of(speed: Array, depth: Array) -> Array:
    """Cover of foam, 0-1, of water of a speed in m/s and a depth in m.

    Foam begins at a Froude number (speed / √(g depth)) of 0.8 and is complete at 2; it also needs a
    speed of 0.5 m/s, and 3 m/s for all of it.
    """
    froude = speed / np.sqrt(9.81 * np.maximum(depth, 1e-3))
    return smooth_step(froude, 0.8, 2.0) * smooth_step(speed, 0.5, 3.0)


def fields_of(mesh: bpy.types.Mesh, lattice: Lattice) -> dict[str, Array]:
    """Fields of a terrain's mesh that its water surface carries, (rows, cols) or (rows, cols,
    2).
    """
    names = [name for name in ("water_depth", "velocity", "flow") if attributes.holds(mesh, name)]
    return attributes.read_fields(mesh, lattice, names)


def layers_of(above: Array, fields: dict[str, Array]) -> dict[str, Array]:
    """Attributes of a water surface.

    above: m, height above the ground: 0 exactly at the shore, negative below the ground. fields: at
    the same vertices, see `fields_of`.
    """
    if "velocity" in fields:
        speed = np.hypot(fields["velocity"][..., 0], fields["velocity"][..., 1])
    else:
        speed = 0 * above
    layers = {"water_depth": above, "speed": speed, "foam": foam_of(speed, fields["water_depth"])}
    return {**layers, "flow": fields["flow"]} if "flow" in fields else layers


def _geometry(
    terrain: bpy.types.Mesh, lattice: Lattice, place: Array, threshold: float, slot: int
) -> Geometry:
    """The surface's geometry and fields. place: (vertices, 3), the terrain's positions. slot:
    material of its faces.
    """
    fields = fields_of(terrain, lattice)
    ground = lattice.to_grid(place[:, 2]) * np.float32(lattice.scale_z)
    level, faces = water_level(ground, fields["water_depth"], float(np.float32(threshold)))
    used, corners, edges = cells(faces)
    where = lattice.to_grid(place)[used]
    where[:, 2] = level[used] / np.float32(lattice.scale_z)
    layers = layers_of(
        (level - ground)[used], {name: values[used] for name, values in fields.items()}
    )
    by_name = {name: Values.of_vertices(values) for name, values in layers.items()}
    return Geometry.of(where, corners, True, by_name | Values.of_slot(slot, len(corners)), edges)


def cells(faces: Array) -> tuple[Array, Array, Edges]:
    """Vertices of the selected faces (rows - 1, cols - 1) of a grid, (rows, cols) bool; these faces
    (faces, 4) by their numbers; and their edges.
    """
    used = corners_of(faces)
    along = np.zeros_like(used[:, 1:])
    up = np.zeros_like(used[1:])
    for part in (along[:-1], along[1:], up[:, :-1], up[:, 1:]):
        part |= faces
    vertex = _numbers(used)
    along_edge = _numbers(along)
    up_edge = _numbers(up) + np.count_nonzero(along)
    flat = np.count_nonzero(along)
    count = np.count_nonzero(faces)
    edges = np.empty((flat + np.count_nonzero(up), 2), np.int32)
    corners, corner_edges = (np.empty((count, 4), np.int32) for _ in range(2))
    _fill(edges[:flat], along, vertex[:, :-1], vertex[:, 1:])
    _fill(edges[flat:], up, vertex[:-1], vertex[1:])
    _fill(corners, faces, vertex[:-1, :-1], vertex[:-1, 1:], vertex[1:, 1:], vertex[1:, :-1])
    _fill(corner_edges, faces, along_edge[:-1], up_edge[:, 1:], along_edge[1:], up_edge[:, :-1])
    return used, corners, Edges(edges, corner_edges)


def _fill(target: Array, selection: Array, *parts: Array) -> None:
    """Fill the columns of `target` with the selected elements of each part."""
    for column, part in enumerate(parts):
        target[:, column] = part[selection]


def _numbers(selection: Array) -> Array:
    """Running numbers of the selected elements, in the shape of `selection`."""
    return (np.cumsum(selection, dtype=np.int32) - 1).reshape(selection.shape)


def common_slot(mesh: bpy.types.Mesh) -> int:
    """Material slot of all faces; 0 if they differ."""
    slots = np.zeros(len(mesh.polygons), np.int32)
    # Without the attribute all are 0; asking the faces themselves takes 60 ms per million.
    if "material_index" in mesh.attributes:
        mesh.attributes["material_index"].data.foreach_get("value", slots)
    return int(slots[0]) if len(slots) and (slots == slots[0]).all() else 0
