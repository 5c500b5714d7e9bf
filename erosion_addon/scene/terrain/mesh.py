# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh access: positions, fingerprints, atomic writes of heights and of new geometry, new grids."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

import bpy
import numpy as np

from ...base.errors import InputError, Sentence
from ...base.memory import require
from ...terrain.irregular import Structure
from . import attribute_values
from .attribute_values import Values
from .lattice import Array

OWN_HEIGHTS = "erosion_live"
"""Vertex attribute with the real local z, while other heights are displayed."""

NO_FACES = np.empty((0, 4), np.int32)
"""Faces of a mesh that has none."""


def positions(mesh: bpy.types.Mesh, room: Array | None = None) -> Array:
    """Local positions of the vertices (vertices, 3) float32, with the real heights if others are
    displayed.

    room: as for `shown_positions`.
    """
    buffer = shown_positions(mesh, room)
    attribute = mesh.attributes.get(OWN_HEIGHTS)
    if attribute is not None and (attribute.data_type, attribute.domain) == ("FLOAT", "POINT"):
        heights = np.empty(len(buffer), np.float32)
        attribute.data.foreach_get("value", heights)
        buffer[:, 2] = heights
    return buffer


def shown_positions(mesh: bpy.types.Mesh, room: Array | None = None) -> Array:
    """Local positions of the vertices (vertices, 3) float32 as displayed.

    room: bytes (uint8), 12 for each vertex or more, to read into, so that no array is allocated.
    """
    attribute = mesh.attributes.get("position")
    if attribute is None:  # so it is in Edit Mode, and without vertices
        raise InputError("{name} has no vertices to read; leave Edit Mode or add a grid.").format(
            name=mesh.name
        )
    # The mesh holds float32; any other type is 80 times slower.
    shape = len(mesh.vertices), 3
    if room is None:
        buffer = np.empty(shape, np.float32)
    else:
        buffer = room[: 12 * shape[0]].view(np.float32).reshape(shape)
    attribute.data.foreach_get("vector", buffer.ravel())
    return buffer


def structure(mesh: bpy.types.Mesh) -> Structure:
    """Edges and faces of a mesh, to explain why it is not a grid."""
    edges = np.empty(2 * len(mesh.edges), np.int32)
    mesh.edges.foreach_get("vertices", edges)
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    sizes = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", sizes)
    hidden = np.empty(len(mesh.vertices), bool)
    mesh.vertices.foreach_get("hide", hidden)
    return Structure(
        edges.reshape(-1, 2), corners, int(sizes.max(initial=0)), int(np.count_nonzero(hidden))
    )


def vertex_heights(mesh: bpy.types.Mesh) -> Array:
    """Local z of the vertices (vertices,) float32."""
    return positions(mesh)[:, 2].copy()


def may_be_grid(mesh: bpy.types.Mesh) -> bool:
    """Whether a mesh has the vertex, edge and face counts of a grid of quads; a cheap test."""
    vertices = len(mesh.vertices)
    edges = len(mesh.edges)
    faces = len(mesh.polygons)
    sides = 2 * vertices - edges  # rows + cols; their product is the number of vertices
    root = sides * sides - 4 * vertices
    return faces == vertices - sides + 1 and root >= 0 and math.isqrt(root) ** 2 == root


def fingerprint(mesh: bpy.types.Mesh, place: Array | None = None) -> str:
    """Hash of positions, topology and the presence of shape keys, to detect edits.

    place: positions, if known already.
    """
    return Topology.of(mesh).fingerprint(positions(mesh) if place is None else place)


def counts(mesh: bpy.types.Mesh) -> bytes:
    """Counts of its elements, and whether there are shape keys, as text."""
    elements = (len(mesh.vertices), len(mesh.edges), len(mesh.loops), len(mesh.polygons))
    return repr((elements, mesh.shape_keys is not None)).encode()


@dataclass(frozen=True, eq=False)
class Topology:
    """Parts of a mesh in a fingerprint, beside positions. counts: see `counts`. corners: vertices
    of the faces.
    """

    counts: bytes
    corners: Array

    @classmethod
    def of(cls, mesh: bpy.types.Mesh) -> Self:
        """Topology of a mesh."""
        corners = np.empty(len(mesh.loops), np.int32)
        if len(corners):
            mesh.attributes[".corner_vert"].data.foreach_get("value", corners)
        return cls(counts(mesh), corners)

    def equals(self, topology: Self) -> bool:
        """Whether both are the same to the bit."""
        return self.counts == topology.counts and np.array_equal(self.corners, topology.corners)

    def fingerprint(self, place: Array) -> str:
        """Hash with positions (vertices, 3) float32. Needs no Blender, so it may run in a
        thread.
        """
        digest = hashlib.blake2b(self.counts, digest_size=16)
        digest.update(place.data)
        digest.update(self.corners.data)
        return digest.hexdigest()


def write_heights(mesh: bpy.types.Mesh, z_by_vertex: Array, before: Array | None = None) -> Array:
    """Set the local z of all vertices (vertices,) float32, see `write_positions`; returns the
    positions.
    """
    before = shown_positions(mesh) if before is None else before
    if z_by_vertex.shape != (len(before),):
        raise InputError(
            "{name} has {count} vertices and the result {size}; it was edited."
        ).format(name=mesh.name, count=len(before), size=z_by_vertex.size)
    after = np.column_stack([before[:, :2], np.asarray(z_by_vertex, np.float32)])
    write_positions(mesh, after, before)
    return after


def write_positions(
    mesh: bpy.types.Mesh, after: Array, displayed: Array | None = None, room: Array | None = None
) -> None:
    """Set the local positions of all vertices (vertices, 3) float32, and verify them.

    displayed: displayed positions, if available. room: as for `shown_positions`. Raises InputError
    for values that are not finite, or a mesh that does not accept them; the mesh is then unchanged.
    """
    if not np.isfinite(after).all():
        raise InputError(
            "The result has heights that are not finite; {name} stays as it was."
        ).format(name=mesh.name)
    before = shown_positions(mesh) if displayed is None else displayed
    mesh.attributes["position"].data.foreach_set(
        "vector", np.ascontiguousarray(after, np.float32).ravel()
    )
    # linked data accepts new values and loses them
    if mesh.library or not np.array_equal(shown_positions(mesh, room), after):
        mesh.attributes["position"].data.foreach_set("vector", before.ravel())
        raise InputError(
            "Blender rejected the new heights of {name}. The mesh is unchanged."
        ).format(name=mesh.name)
    mesh.update()


def split(mesh: bpy.types.Mesh) -> int:
    """Diagonal of a grid's faces, real or displayed: 1 if local x and y rise together along it,
    else -1.
    """
    if not mesh.polygons:
        return 1
    vertices = list(mesh.polygons[0].vertices)
    place = np.array([mesh.vertices[vertex].co[:2] for vertex in vertices])
    ways = place[2:3] - place[0] if len(vertices) == 4 else place - np.roll(place, 1, axis=0)
    across = ways[:, 0] * ways[:, 1]
    return 1 if across[np.abs(across).argmax()] > 0 else -1


class Edges(NamedTuple):
    """Edges of faces. vertices: (edges, 2). of_corners: (faces, corners), the edge from a corner to
    the next one.
    """

    vertices: Array
    of_corners: Array


@dataclass(frozen=True, eq=False)
class Geometry:
    """Vertices, faces and attributes, as Blender holds them.

    place: (3 vertices,) float32, local. corners: (faces corners,) int32, vertices of the faces.
    starts: (faces,) int32, first corner of each face. edges: flat; None where Blender computes
    them. layers: attributes by name.
    """

    place: Array
    corners: Array
    starts: Array
    edges: Edges | None
    layers: Mapping[str, Values]

    @classmethod
    def of(
        cls,
        place: Array,
        faces: Array,
        up: bool,
        layers: Mapping[str, Values],
        edges: Edges | None = None,
    ) -> Self:
        """Geometry of local positions (vertices, 3) and faces (faces, corners).

        up: whether faces counterclockwise from above point along local z. edges: edges of the faces
        if `up`; they save nine tenths of Blender's time to compute them.
        """
        return cls(
            np.ascontiguousarray(place, np.float32).ravel(),
            _flat(faces if up else faces[:, ::-1]),
            np.arange(len(faces), dtype=np.int32) * np.int32(faces.shape[1]),
            edges and Edges(*map(_flat, edges)),
            layers,
        )

    def put_into(self, mesh: bpy.types.Mesh) -> None:
        """Replace vertices, faces and attributes of a mesh; its materials and custom properties
        stay.

        No array is allocated on the way: lack of memory would leave the mesh half-written. The mesh
        is not replaced by a new one, as other objects, drivers and scripts may refer to it.
        """
        mesh.clear_geometry()
        mesh.vertices.add(len(self.place) // 3)
        mesh.edges.add(len(self.edges.vertices) // 2 if self.edges else 0)
        mesh.loops.add(len(self.corners))
        mesh.polygons.add(len(self.starts))
        written = [("position", "vector", self.place), (".corner_vert", "value", self.corners)]
        if self.edges:
            written += [
                (".edge_verts", "value", self.edges.vertices),
                (".corner_edge", "value", self.edges.of_corners),
            ]
        for name, member, numbers in written:
            if len(numbers):
                mesh.attributes[name].data.foreach_set(member, numbers)
        if len(self.starts):
            mesh.polygons.foreach_set("loop_start", self.starts)
        mesh.update(calc_edges=self.edges is None)
        for name, values in self.layers.items():
            attribute_values.add(mesh, name, values)
        mesh.update()


def _flat(numbers: Array) -> Array:
    return np.ascontiguousarray(numbers, np.int32).ravel()


def make_grid_object(
    name: str, elevation: Array, spacing: tuple[float, float], collection: bpy.types.Collection
) -> bpy.types.Object:
    """A new smooth-shaded grid object in `collection`, centered on its origin, row 0 at the
    smallest y.

    elevation: (rows, cols) m, becomes local z. spacing: (row, col) m. A UV map "UVMap" covers it
    once. InputError if memory does not suffice.
    """
    rows, cols = elevation.shape
    require(
        rows * cols * GRID_BYTES,
        Sentence("The mesh of {name} ({rows} × {cols})").format(name=name, rows=rows, cols=cols),
    )
    mesh = bpy.data.meshes.new(name)
    _add_topology(mesh, rows, cols)
    mesh.uv_layers.new(name="UVMap", do_init=False)
    _set(mesh, "UVMap", "vector", _of_corners(np.linspace(0, 1, cols), np.linspace(0, 1, rows)))
    place = np.empty((rows, cols, 3), np.float32)
    place[..., 0] = (np.arange(cols) - (cols - 1) / 2) * spacing[1]
    place[..., 1] = ((np.arange(rows) - (rows - 1) / 2) * spacing[0])[:, None]
    place[..., 2] = elevation
    _set(mesh, "position", "vector", place)
    mesh.update()
    obj = bpy.data.objects.new(name, mesh)
    collection.objects.link(obj)
    return obj


GRID_BYTES = 132
"""Peak memory of a cell in `make_grid_object`, beside its elevation; the mesh keeps 100."""


def _of_corners(x: Array, y: Array) -> Array:
    """Coordinates of the corners of a grid's faces, (rows - 1, cols - 1, 4, 2) float32. x: (cols,).
    y: (rows,).
    """
    places = np.empty((len(y) - 1, len(x) - 1, 4, 2), np.float32)
    for corner, (row, col) in enumerate(_CORNERS):
        places[:, :, corner, 0] = x[col : len(x) - 1 + col]
        places[:, :, corner, 1] = y[row : len(y) - 1 + row, None]
    return places


_CORNERS = ((0, 0), (0, 1), (1, 1), (1, 0))
"""Corners of a grid's face as (row, col) steps from its first vertex, counterclockwise from
above.
"""


def _add_topology(mesh: bpy.types.Mesh, rows: int, cols: int) -> None:
    """Add edges and faces of a grid to an empty mesh, an array at a time, as each is as large as
    the elevation.

    Edges are written too, ten times as fast as Blender computes them.
    """
    flat = rows * (cols - 1)
    steep = (rows - 1) * cols
    faces = (rows - 1) * (cols - 1)
    mesh.vertices.add(rows * cols)
    mesh.edges.add(flat + steep)
    mesh.loops.add(4 * faces)
    mesh.polygons.add(faces)
    vertex = np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)
    edges = np.empty((flat + steep, 2), np.int32)
    edges[:flat, 0] = vertex[:, :-1].ravel()
    edges[:flat, 1] = vertex[:, 1:].ravel()
    edges[flat:, 0] = vertex[:-1].ravel()
    edges[flat:, 1] = vertex[1:].ravel()
    _set(mesh, ".edge_verts", "value", edges)
    del edges
    corners = np.empty((rows - 1, cols - 1, 4), np.int32)
    for corner, (row, col) in enumerate(_CORNERS):
        corners[..., corner] = vertex[row : rows - 1 + row, col : cols - 1 + col]
    _set(mesh, ".corner_vert", "value", corners)
    del vertex
    along = np.arange(flat, dtype=np.int32).reshape(rows, cols - 1)
    up = flat + np.arange(steep, dtype=np.int32).reshape(rows - 1, cols)
    for corner, edge in enumerate((along[:-1], up[:, 1:], along[1:], up[:, :-1])):
        corners[..., corner] = edge
    _set(mesh, ".corner_edge", "value", corners)
    mesh.polygons.foreach_set("loop_start", np.arange(0, 4 * faces, 4, dtype=np.int32))


def _set(mesh: bpy.types.Mesh, name: str, member: str, numbers: Array) -> None:
    mesh.attributes[name].data.foreach_set(member, numbers.ravel())
