# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground under the brush: the heights of a terrain's mesh as a grid, kept from one stroke to
the next.
"""

from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ...base.arrays import LOOSE, loose_of
from ..original import original
from ..run import start_state
from ..session import session
from ..terrain import attributes
from ..terrain.grid import snapshot
from ..terrain.lattice import Array, Lattice
from ..terrain.mesh import counts, positions
from .aim import Frame, frame_of


@dataclass(eq=False, repr=False)
class Ground:
    """A terrain as its mesh holds it, with its state before erosion.

    mesh_uid, matrix, counts: identify the mesh, with its positions. digest: its fingerprint. place:
    (vertices, 3) float32 local. frame: of its grid. levels: heights (m) between which all of it
    lies. cells: (rows, cols) int32, vertex of each. original: local heights that the mesh stores
    for Restore, None before its first result. sediment: mask that it was read with. elevation:
    (rows, cols) float32 m; loose_layers likewise, by name. heights: for Restore. initial: fields
    when it was read.
    start, start_loose: elevation and loose material before erosion (rows, cols) m. fields: results
    (rows, cols) float32. masks: those that the worker has; arrays of it by kind. sent: the worker
    process that has it all. spare: positions before the last stroke, to write those of the next
    into. room: bytes to read into, see `attribute_values.read`.
    """

    mesh_uid: int
    matrix: tuple[float, ...]
    counts: bytes
    digest: str
    place: Array
    lattice: Lattice
    frame: Frame
    levels: tuple[float, float]
    cells: Array
    original: Array | None
    sediment: Array | None
    heights: start_state.Heights
    elevation: Array
    loose_layers: dict[str, Array]
    start: Array
    start_loose: Array
    fields: dict[str, Array]
    initial: dict[str, Array]
    masks: dict[str, Array] = field(default_factory=dict)
    sent: Any = None
    spare: Array | None = None
    room: Array | None = None


def forget() -> None:
    """Read the mesh again, and send it to the worker again, at the next stroke."""
    session.brush.ground = None


def of(obj: bpy.types.Object, sediment: Array | None = None) -> Ground:
    """The ground of an object; InputError if it is not a terrain. sediment: of a mask, for a
    terrain never eroded.
    """
    ground = session.brush.ground
    if ground is not None and _is_same(ground.sediment, sediment) and _is_of(ground, obj):
        return ground
    session.brush.ground = _read(obj, sediment)
    return session.brush.ground


def _is_of(ground: Ground, obj: bpy.types.Object) -> bool:
    mesh = obj.data
    same = (ground.mesh_uid, ground.matrix, ground.counts) == (
        mesh.session_uid,
        _matrix(obj),
        counts(mesh),
    )
    # Apply and its undo move nothing, but Restore brings back something else.
    is_kept = same and _is_same(ground.original, _original(mesh))
    return is_kept and np.array_equal(positions(mesh, ground.room), ground.place)


def _is_same(first: Array | None, second: Array | None) -> bool:
    if first is None or second is None:
        return first is second
    return first is second or np.array_equal(first, second)


def _original(mesh: bpy.types.Mesh) -> Array | None:
    return original.source_heights(mesh) if original.has_source(mesh) else None


def _matrix(obj: bpy.types.Object) -> tuple[float, ...]:
    return tuple(value for row in obj.matrix_world for value in row)


def _read(obj: bpy.types.Object, sediment: Array | None) -> Ground:
    base = snapshot(obj)
    mesh = obj.data
    lattice = base.lattice
    heights = start_state.heights(mesh, base, continue_from_result=True)
    state = start_state.terrain(mesh, lattice, heights.start, True, {})
    before = state
    if not heights.is_new:
        before = start_state.terrain(mesh, lattice, heights.original, False, {})
    is_result = "sediment" in attributes.ours(mesh) and not heights.is_new
    layers = dict(state.fields)
    if sediment is not None and not is_result:
        layers["sediment"] = sediment
    layers.setdefault("sediment", np.zeros(state.shape, np.float32))
    fields_before = dict(before.fields)
    if sediment is not None:
        fields_before["sediment"] = sediment
    fields_before.setdefault("sediment", np.zeros(state.shape, np.float32))
    names = ("wear", "deposition", "bedrock", "moisture", "water_depth")
    fields = attributes.read_fields(
        mesh, lattice, [name for name in names if name in attributes.ours(mesh)]
    )
    loose = {name: np.asarray(layers[name], np.float32) for name in LOOSE if name in layers}
    for name in ("wear", "deposition"):
        fields.setdefault(name, np.zeros(state.shape, np.float32))
    fields.setdefault("bedrock", (state.elevation - loose_of(loose)).astype(np.float32))
    return Ground(
        mesh.session_uid,
        _matrix(obj),
        counts(mesh),
        base.fingerprint,
        base.place,
        lattice,
        frame_of(obj, lattice, base.place),
        (float(state.elevation.min()), float(state.elevation.max())),
        lattice.to_grid(np.arange(len(base.place), dtype=np.int32)),
        _original(mesh),
        sediment,
        heights,
        state.elevation.astype(np.float32),
        loose,
        before.elevation,
        loose_of(fields_before),
        fields,
        {**layers, "elevation": state.elevation},
    )


def latest(obj: bpy.types.Object) -> Ground:
    """The ground as last read, for the position of the mouse; InputError if it is not a terrain."""
    ground = session.brush.ground
    if ground is None or ground.mesh_uid != obj.data.session_uid or ground.matrix != _matrix(obj):
        ground = of(obj)
    return ground
