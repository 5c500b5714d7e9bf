# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked light of a terrain in its scene: suns, shadow casters, and the resulting attributes of the
mesh.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...bake.parameters import SUNS, Lighting, LightParameters, Sun
from ...bake.sphere_fit import fit_spheres, surface_points
from ...base.errors import InputError, Sentence
from ...terrain.fields import FIELDS
from ...worker.messages import Request
from ...worker.requests import light_request
from ..masks.settings import TerrainSettings
from ..terrain import attributes, grid
from ..terrain.active import KIND
from ..terrain.lattice import Array, Lattice, axis_scales
from ..terrain.mesh import positions, vertex_heights
from ..worker import computing

SETTINGS = "erosion_light"
"""Custom property of a mesh: settings of its baked light, as JSON."""

STRENGTHS = "erosion_suns"
"""Custom property of a mesh for its material: strengths of the baked suns."""

DIRECTIONS = "erosion_sun_directions"
"""Custom property of a mesh: directions of the baked suns, x, y and z of each in the terrain's
axes.
"""

LUMINANCE = (0.2126, 0.7152, 0.0722)  # Rec. 709, linear


class Frame(NamedTuple):
    """Coordinate frame of a terrain in meters: x along columns, y along rows, z up, from the center
    of cell [0, 0].

    axes: (3, 3), unit vectors in world space, as columns. origin: (3,), in world space.
    """

    axes: Array
    origin: Array

    def place(self, world: Array) -> Array:
        """Points (..., 3) from world space to the terrain's meters."""
        return self.direction(world - self.origin)

    def direction(self, world: Array) -> Array:
        """Directions (..., 3) from world space to the terrain's axes."""
        return world @ np.linalg.inv(self.axes).T


def frame_of(obj: bpy.types.Object) -> Frame:
    """Frame of a terrain object with its location, rotation and scale."""
    matrix = np.array(obj.matrix_world, np.float64)
    place = positions(obj.data)
    corner = np.array([place[:, 0].min(), place[:, 1].min(), 0.0])
    return Frame(
        matrix[:3, :3] / axis_scales(obj.name, matrix), matrix[:3, :3] @ corner + matrix[:3, 3]
    )


def suns_of(depsgraph: bpy.types.Depsgraph, frame: Frame) -> list[Sun]:
    """Visible sun lights of the scene by name, up to the number of fields."""
    suns = [
        (np.array(sun.matrix_world)[:3, 2], sun.data.angle / 2) for sun in _sun_lights(depsgraph)
    ]
    return [Sun(tuple(frame.direction(toward).tolist()), angle) for toward, angle in suns]


def strengths_of(depsgraph: bpy.types.Depsgraph | None) -> list[float]:
    """Strength of each of these suns in Blender's unit; 0 for missing ones."""
    lights = _sun_lights(depsgraph) if depsgraph is not None else []
    shining = [sun.data.energy * float(np.dot(sun.data.color, LUMINANCE)) for sun in lights]
    return [*shining, *[0.0] * len(SUNS)][: len(SUNS)]


def suns_have_moved(obj: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Whether the suns, or the terrain, have moved since the light was baked; cheap."""
    settings = settings_of(obj.data)
    if settings is None or not settings.suns or DIRECTIONS not in obj.data:
        return False
    lights = (
        light for light in scene.objects if light.type == "LIGHT" and light.data.type == "SUN"
    )
    suns = sorted((light for light in lights if light.visible_get()), key=lambda light: light.name)[
        : len(SUNS)
    ]
    before = np.array(obj.data[DIRECTIONS])
    after = np.array(_directions(obj, suns))
    return before.shape != after.shape or not np.allclose(before, after, atol=1e-4)


def _directions(obj: bpy.types.Object, suns: list[bpy.types.Object]) -> list[float]:
    turn = obj.matrix_world.to_quaternion().inverted()
    return [
        number for sun in suns for number in turn @ sun.matrix_world.col[2].to_3d().normalized()
    ]


def _sun_lights(depsgraph: bpy.types.Depsgraph) -> list[bpy.types.Object]:
    lights = {
        item.object.name: item.object.evaluated_get(depsgraph)
        for item in depsgraph.object_instances
        if not item.is_instance and item.object.type == "LIGHT" and item.object.data.type == "SUN"
    }
    return [lights[name] for name in sorted(lights)][: len(SUNS)]


def casters_of(
    depsgraph: bpy.types.Depsgraph,
    terrain: bpy.types.Object,
    frame: Frame,
    collection: Any,
    count: int,
) -> Array:
    """Spheres (any, 4) in the terrain's meters for the visible objects of a collection, including
    instances.

    count: spheres for each. Raises InputError if the collection has no shadow casters.
    """
    if collection is None:
        return np.empty((0, 4))
    shapes: dict[tuple[str, int], Array] = {}
    spheres = [np.empty((0, 4))]
    for obj, matrix in _visible_objects(depsgraph, set(collection.all_objects) - {terrain}):
        # A mesh evaluates differently under other modifiers; curves are known by their object only.
        is_mesh = obj.type == "MESH"
        key = (obj.type, obj.data.as_pointer() if is_mesh else obj.original.session_uid)
        if key not in shapes:
            shapes[key] = _points_of(obj)
        spheres.append(_spheres(shapes[key], matrix, frame, count))
    casters = np.concatenate(spheres)
    if not len(casters):
        raise InputError(
            "The collection {name} has no visible object with a surface that casts a shadow; add "
            "objects to it, or choose none."
        ).format(name=collection.name)
    return casters


def _visible_objects(
    depsgraph: bpy.types.Depsgraph, members: set[bpy.types.Object]
) -> Iterator[tuple[Any, Array]]:
    """Evaluated visible objects, each with its world matrix (4, 4)."""
    for item in depsgraph.object_instances:
        shown_by = item.parent if item.is_instance else item.object
        if item.show_self and shown_by.original in members and KIND not in item.object.original:
            yield item.object, np.array(item.matrix_world, np.float64)


def _points_of(obj: bpy.types.Object) -> Array:
    """Surface points of an evaluated object (any, 3), in its own units; none if it has no
    surface.
    """
    try:
        mesh = obj.to_mesh()
    except RuntimeError:  # lights, empties, cameras
        return np.empty((0, 3))
    if mesh is None or not len(mesh.vertices):
        return np.empty((0, 3))
    mesh.calc_loop_triangles()
    triangles = np.empty((len(mesh.loop_triangles), 3), np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles.ravel())
    points = surface_points(positions(mesh), triangles)
    obj.to_mesh_clear()
    return points


def _spheres(points: Array, matrix: Array, frame: Frame, count: int) -> Array:
    """Spheres fitted to a shape along its own axes, in the frame's meters."""
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    if not len(points) or not (scale > 0).all():
        return np.empty((0, 4))
    spheres = fit_spheres(points * scale, count)
    spheres[:, :3] = frame.place((spheres[:, :3] / scale) @ matrix[:3, :3].T + matrix[:3, 3])
    return spheres


def bake_light(
    obj: bpy.types.Object,
    parameters: LightParameters,
    collection: bpy.types.Collection | None,
    edges: str,
) -> str:
    """Bake the light on a terrain into its attributes; returns a message.

    collection: shadow casters, or None. edges: of the terrain. Raises InputError if impossible; the
    mesh is then unchanged.
    """
    mesh = obj.data
    lattice = grid.find_lattice(obj)
    asked = request(obj, lattice, vertex_heights(mesh), parameters, collection, edges)
    _write(mesh, lattice, computing.compute(asked))
    mesh[SETTINGS] = json.dumps(parameters.to_dict())
    depsgraph = bpy.context.evaluated_depsgraph_get() if parameters.suns else None
    mesh[STRENGTHS] = strengths_of(depsgraph)
    mesh[DIRECTIONS] = _directions(obj, _sun_lights(depsgraph) if depsgraph else [])
    mesh.update()
    return Sentence(
        "Baked the light of the sky; suns: {suns}, spheres that cast shadows: {casters}"
    ).format(suns=len(asked.values["suns"]), casters=len(asked.arrays["casters"]))


def request(
    obj: bpy.types.Object,
    lattice: Lattice,
    heights: Array,
    parameters: LightParameters,
    collection: bpy.types.Collection | None,
    edges: str,
) -> Request:
    """Request to bake the light for future local heights (vertices,); else as `bake_light`."""
    attributes.check_names(obj.data, ("sky_light", *SUNS))
    light = lighting(obj, parameters, collection)
    terrain = grid.terrain_of(lattice, heights)
    return light_request(terrain, light.parameters, light.suns, light.casters, edges)


def lighting(
    obj: bpy.types.Object, parameters: LightParameters, collection: bpy.types.Collection | None
) -> Lighting:
    """Current light on a terrain in its scene; arguments and InputError as in `bake_light`."""
    frame = frame_of(obj)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    suns = suns_of(depsgraph, frame) if parameters.suns else []
    return Lighting(
        parameters, suns, casters_of(depsgraph, obj, frame, collection, parameters.spheres)
    )


def _write(mesh: bpy.types.Mesh, lattice: Lattice, fields: dict[str, Array]) -> None:
    """Write the fields; removed suns are set to full light, so materials need no change."""
    ones = np.ones((lattice.rows, lattice.cols), np.float32)
    gone = {name: ones for name in SUNS if name in attributes.ours(mesh) and name not in fields}
    attributes.write_fields(mesh, lattice, {**fields, **gone})


def settings_of(mesh: bpy.types.Mesh) -> LightParameters | None:
    """Settings of the baked light on the mesh; None if there is none, defaults if damaged."""
    if SETTINGS not in mesh or "sky_light" not in attributes.ours(mesh):
        return None
    try:
        return LightParameters.from_dict(json.loads(mesh[SETTINGS]))
    except (ValueError, TypeError, AttributeError, RecursionError, InputError):
        return LightParameters()


def remove(mesh: bpy.types.Mesh) -> None:
    """Remove the baked light from a mesh, and restore the user's attributes of the same names."""
    attributes.remove_fields(
        mesh, but=[name for name in FIELDS if name not in ("sky_light", *SUNS)]
    )
    for name in (SETTINGS, STRENGTHS, DIRECTIONS):
        mesh.pop(name, None)
    mesh.update()


def requests_of_bake(
    obj: bpy.types.Object,
    parameters: LightParameters,
    collection: bpy.types.Collection | None,
    edges: str,
) -> list[Request]:
    """Requests of `bake_light`; InputError as there."""
    lattice = grid.find_lattice(obj)
    return [request(obj, lattice, vertex_heights(obj.data), parameters, collection, edges)]


def requests_of_update(
    obj: bpy.types.Object, lattice: Lattice, heights: Array, settings: TerrainSettings
) -> list[Request]:
    """Requests of `update` for future local heights (vertices,); InputError as in `bake_light`."""
    parameters = settings_of(obj.data)
    if parameters is None:
        return []
    return [request(obj, lattice, heights, parameters, settings.casters, settings.edges)]


def update(obj: bpy.types.Object, settings: TerrainSettings) -> None:
    """Rebake the light of a terrain with the same settings; InputError as in `bake_light`."""
    parameters = settings_of(obj.data)
    if parameters is not None:
        bake_light(obj, parameters, settings.casters, settings.edges)
