# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of detail: triangulated meshes of a terrain and its water within an error in meters.

Their vertices are a subset of the terrain's, with all attributes. They are companions named
TERRAIN_LOD1 and so on, as game engines expect, and hidden, as they would overlap the terrain.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import bpy
import numpy as np

from ...bake.lod import Level, check_errors, water_height
from ...base.arrays import mean_cell_size
from ...worker.messages import Request
from ...worker.requests import levels_in, levels_request
from ..companions import companions
from ..companions.visible_water import least_depth, shown_from
from ..terrain import attribute_values, grid
from ..terrain.attribute_values import Values
from ..terrain.lattice import Array, Lattice
from ..terrain.mesh import NO_FACES, Geometry, positions, vertex_heights
from ..water import water_surface
from ..worker import computing

KIND = "lod"

ERROR = "erosion_error"
"""Custom property of a level: error in meters."""

OF_WATER = "erosion_of_water"
"""Custom property of a level: whether it shows the water."""

ERROR_IN_CELLS = 0.1
"""Default error of the finest level, in cells."""


def add(
    terrain: bpy.types.Object, count: int = 3, error: float = 0.0, factor: float = 4.0
) -> list[bpy.types.Object]:
    """Add levels of detail to the terrain, and to its water surface if any; existing ones are
    rebuilt.

    error: of the finest level in meters; 0: a tenth of a cell. factor: ratio of the errors of
    consecutive levels. Returns the levels. InputError for an error that is too small.
    """
    requests = requests_of_add(terrain, count, error, factor)
    with computing.ahead(requests):  # computes first: an error then leaves nothing behind
        companions.put_in_place(terrain)
        surfaces = [terrain, *companions.find(terrain, "water")[:1]]
        for of_water, surface in enumerate(surfaces):
            _make_objects(terrain, surface, bool(of_water), requests[0].values["errors"])
        _update_all(terrain)
    return levels_of(terrain)


def levels_of(terrain: bpy.types.Object) -> list[bpy.types.Object]:
    """Levels of the terrain, then of its water, each from fine to coarse."""
    return sorted(
        companions.find(terrain, KIND), key=lambda level: (_is_of_water(level), _error(level))
    )


def update(terrain: bpy.types.Object, level: bpy.types.Object) -> None:
    """Rebuild all levels of a terrain when called for the first one outside Edit Mode."""
    if level == next(item for item in levels_of(terrain) if not item.data.is_editmode):
        _update_all(terrain)


def _make_objects(
    terrain: bpy.types.Object, surface: bpy.types.Object, of_water: bool, errors: Sequence[float]
) -> None:
    """One object per error with the surface's materials; existing ones are kept, surplus ones are
    removed.
    """
    existing = [level for level in levels_of(terrain) if _is_of_water(level) == of_water]
    for spare in existing[len(errors) :]:
        mesh = spare.data
        bpy.data.objects.remove(spare)
        bpy.data.meshes.remove(mesh)
    for number, error in enumerate(errors):
        if number < len(existing):
            level = existing[number]
        else:
            name = f"{surface.name}_LOD{number + 1}"
            level = companions.add(terrain, KIND, name, bpy.data.meshes.new(name))
            level.hide_render = True
            with suppress(RuntimeError):  # the view layer may not show the terrain's collection
                level.hide_set(True)
        level[ERROR] = error
        level[OF_WATER] = of_water
        while len(level.data.materials) < len(surface.data.materials):
            level.data.materials.append(surface.data.materials[len(level.data.materials)])


def _update_all(terrain: bpy.types.Object) -> None:
    place = positions(terrain.data)
    lattice = grid.find_lattice(terrain)
    dry, wet = _dry_and_wet(terrain)
    geometries = [
        *_of_ground(terrain, lattice, place, dry),
        *_of_water(terrain, lattice, place, wet),
    ]
    active_uv = terrain.data.uv_layers.active.name if terrain.data.uv_layers.active else ""
    for level, geometry in zip([*dry, *wet], geometries, strict=True):  # once all are computed
        if geometry:
            geometry.put_into(level.data)
            if active_uv in level.data.uv_layers:
                level.data.uv_layers.active = level.data.uv_layers[active_uv]


def _dry_and_wet(
    terrain: bpy.types.Object,
) -> tuple[list[bpy.types.Object], list[bpy.types.Object]]:
    """Levels of the ground, and levels of the water."""
    levels = levels_of(terrain)
    return [level for level in levels if not _is_of_water(level)], [
        level for level in levels if _is_of_water(level)
    ]


def _is_of_water(level: bpy.types.Object) -> bool:
    return companions.number(level, OF_WATER, 0.0) != 0


def _error(level: bpy.types.Object) -> float:
    return companions.number(level, ERROR, 1.0)


def _errors(levels: Sequence[bpy.types.Object]) -> list[float]:
    return [_error(level) for level in levels]


def _ground(lattice: Lattice, heights: Array) -> Array:
    """Local heights (vertices,) in meters (rows, cols)."""
    return lattice.to_grid(heights).astype(np.float64) * lattice.scale_z


def _request(lattice: Lattice, heights: Array, errors: Sequence[float]) -> Request:
    return levels_request(_ground(lattice, heights), errors, lattice.spacing)


def _water_request(
    lattice: Lattice, heights: Array, depth: Array, threshold: float, errors: Sequence[float]
) -> Request:
    """depth: (rows, cols) m. threshold: m, minimum depth of visible water."""
    ground = _ground(lattice, heights)
    wet = depth > threshold
    height = water_height(ground + depth, ground + depth - threshold, wet)
    above = np.maximum(height - ground, 0)
    return levels_request(height, errors, lattice.spacing, {"depth": above, "wet": wet})


def requests_of_update(
    terrain: bpy.types.Object,
    lattice: Lattice,
    heights: Array,
    depth: Array | None,
    threshold: float | None = None,
) -> list[Request]:
    """Requests of `update` for future local heights (vertices,) and water.

    depth: (rows, cols) m. threshold: m, minimum depth of visible water; None: the setting of its
    surface.
    """
    dry, wet = _dry_and_wet(terrain)
    asked = [_request(lattice, heights, _errors(dry))] if dry else []
    if wet and depth is not None:
        least = (
            least_depth(terrain, lattice) if threshold is None else shown_from(lattice, threshold)
        )
        asked.append(_water_request(lattice, heights, depth, least, _errors(wet)))
    return asked


def requests_of_add(
    terrain: bpy.types.Object, count: int, error: float, factor: float
) -> list[Request]:
    """Requests of `add`; InputError as there."""
    lattice = grid.find_lattice(terrain)
    heights = vertex_heights(terrain.data)
    errors = _errors_from(lattice, count, error, factor)
    asked = [_request(lattice, heights, errors)]
    depth = water_surface.fields_of(terrain.data, lattice).get("water_depth")
    if companions.find(terrain, "water") and depth is not None:
        asked.append(_water_request(lattice, heights, depth, least_depth(terrain, lattice), errors))
    return asked


def requests_of_water(terrain: bpy.types.Object, threshold: float) -> list[Request]:
    """Requests of `update` after another threshold of the water surface, see
    `water_surface.add`.
    """
    if not companions.find(terrain, KIND):
        return []
    lattice = grid.find_lattice(terrain)
    depth = water_surface.fields_of(terrain.data, lattice).get("water_depth")
    return requests_of_update(terrain, lattice, vertex_heights(terrain.data), depth, threshold)


def _errors_from(lattice: Lattice, count: int, error: float, factor: float) -> list[float]:
    """Errors of `add`, in rising order as in `levels_of`."""
    first = error or ERROR_IN_CELLS * mean_cell_size(lattice.spacing)
    errors = [first * factor**number for number in range(count)]
    check_errors(errors)
    return errors


def _of_ground(
    terrain: bpy.types.Object, lattice: Lattice, place: Array, levels: Sequence[bpy.types.Object]
) -> Iterator[Geometry | None]:
    """Geometry of each of these levels of the ground; None in Edit Mode."""
    if not levels:
        return
    request = _request(lattice, place[:, 2], _errors(levels))
    up = _faces_up(terrain.data)
    for level, mesh in zip(levels, levels_in(request, computing.compute(request)), strict=True):
        if level.data.is_editmode:
            yield None
            continue
        vertex = mesh.cells if lattice.vertex is None else lattice.vertex[mesh.cells]
        yield Geometry.of(
            place[vertex], mesh.triangles, up, _layers(terrain.data, lattice, vertex, mesh, up)
        )


def _of_water(
    terrain: bpy.types.Object, lattice: Lattice, place: Array, levels: Sequence[bpy.types.Object]
) -> Iterator[Geometry | None]:
    """The same for levels of the water surface, empty without water."""
    if not levels:
        return
    fields = water_surface.fields_of(terrain.data, lattice)
    if "water_depth" not in fields:
        empty = Geometry.of(np.empty((0, 3)), NO_FACES, True, {})
        yield from (None if level.data.is_editmode else empty for level in levels)
        return
    threshold = least_depth(terrain, lattice)
    request = _water_request(
        lattice, place[:, 2], fields["water_depth"], threshold, _errors(levels)
    )
    height = request.arrays["height"]
    layers = water_surface.layers_of(request.arrays["depth"], fields)
    for level, mesh in zip(levels, levels_in(request, computing.compute(request)), strict=True):
        if level.data.is_editmode:
            yield None
            continue
        where = lattice.to_grid(place).reshape(-1, 3)[mesh.cells]
        where[:, 2] = height.ravel()[mesh.cells] / lattice.scale_z
        corner_values = {
            name: Values.of_vertices(values.ravel()[mesh.cells]) for name, values in layers.items()
        }
        yield Geometry.of(where, mesh.triangles, lattice.scale_z > 0, corner_values)


def _faces_up(mesh: bpy.types.Mesh) -> bool:
    return not mesh.polygons or mesh.polygons[0].normal.z >= 0


def _layers(
    source: bpy.types.Mesh, lattice: Lattice, vertex: Array, mesh: Level, up: bool
) -> dict[str, Values]:
    """Attributes of vertices, exact, and of faces and corners (with UV maps), from nearby ones.

    vertex: (vertices,) of `source`. up: see `Geometry.of`. A corner takes the values of one corner
    of its vertex, so UV seams inside the terrain are lost; a triangle takes those of the face at
    its center.
    """
    corner_of, face_of = _corners_and_faces(source, lattice)
    corners = (mesh.triangles if up else mesh.triangles[:, ::-1]).ravel()
    row, col = np.divmod(mesh.cells[mesh.triangles], lattice.cols)
    middle = (row.sum(1) // 3) * lattice.cols + col.sum(1) // 3
    elements = {"POINT": vertex, "CORNER": corner_of[vertex][corners], "FACE": face_of[middle]}
    layers = {}
    for attribute in source.attributes:
        name = attribute.name
        domain = attribute.domain
        data_type = attribute.data_type
        if name == "position" or name.startswith((".", "erosion_")) or domain not in elements:
            continue
        if data_type not in attribute_values.MEMBERS or (elements[domain] < 0).any():
            continue
        layers[name] = Values(
            data_type, domain, attribute_values.read(attribute)[elements[domain]].ravel()
        )
    return layers


def _corners_and_faces(mesh: bpy.types.Mesh, lattice: Lattice) -> tuple[Array, Array]:
    """A corner of each vertex (vertices,), and the face to the upper right of each cell (cells,);
    -1 for none.
    """
    vertex = np.empty(len(mesh.loops), np.int32)
    corner_of = np.full(len(mesh.vertices), -1)
    face_of = np.full(lattice.rows * lattice.cols, -1)
    if len(vertex):
        mesh.attributes[".corner_vert"].data.foreach_get("value", vertex)
        corner_of[vertex[::-1]] = np.arange(len(vertex))[::-1]
        starts = np.empty(len(mesh.polygons), np.int32)
        mesh.polygons.foreach_get("loop_start", starts)
        cell = lattice.to_vertices(np.arange(len(face_of)).reshape(lattice.rows, lattice.cols))[
            vertex
        ]
        # Faces are in the order of their corners: one pass gives the lowest row and column of each.
        lowest = (np.minimum.reduceat(part, starts) for part in np.divmod(cell, lattice.cols))
        row, col = lowest
        face_of[row * lattice.cols + col] = np.arange(len(starts))
    return corner_of, face_of
