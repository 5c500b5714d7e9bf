# SPDX-License-Identifier: GPL-3.0-or-later
"""Displayed heights: temporary heights on a mesh, of a run, a preview, or the terrain before
erosion.

Meanwhile an attribute holds the real heights, and marks the mesh. All code reads the real ones
(`mesh.positions`), and they are restored before anything is decided, saved or undone. A marked mesh
that displays nothing, as from an undo step, a copy or an autosaved file, is healed.
"""

import contextlib
import threading
import time

import bmesh
import bpy
import numpy as np

from ...base.errors import InputError
from ..companions import companions
from ..original import original
from ..session import session
from ..terrain import attributes
from ..terrain.lattice import Array
from ..terrain.mesh import OWN_HEIGHTS, positions, shown_positions
from . import water_overlay

PATIENCE = 5.0
"""Longest wait of a render: the main thread may be drawing, or waiting for the render to stop."""

REACH = 1e-4
"""Tolerance in x and y for the terrain before erosion, as a share of its size: only heights can be
displayed.
"""


def show(mesh: bpy.types.Mesh, z_by_vertex: Array) -> bool:
    """Display local heights (vertices,) float32 on a mesh in Object Mode.

    Returns False, and changes nothing, if the user has edited the mesh in between, or it cannot be
    marked.
    """
    session.display.before.discard(mesh.session_uid)
    place = session.display.positions.get(mesh.session_uid)
    if place is None:
        place = shown_positions(mesh)
        if not attributes.keep_aside(mesh, OWN_HEIGHTS, place[:, 2]):
            return False
    elif not _is_as_shown(mesh, place):
        put_back()
        return False
    place[:, 2] = z_by_vertex
    mesh.attributes["position"].data.foreach_set("vector", place.ravel())
    mesh.update()
    session.display.positions[mesh.session_uid] = place
    return True


def show_before(terrain: bpy.types.Object) -> None:
    """Display the terrain before erosion, and nothing else on any terrain; its companions are
    hidden meanwhile.

    InputError if impossible.
    """
    mesh = terrain.data
    before = original.before_erosion(mesh)[0]
    place_now = positions(mesh)
    if (
        np.abs(before[:, :2] - place_now[:, :2]).max()
        > REACH * np.ptp(place_now[:, :2], axis=0).max()
    ):
        raise InputError(
            "{name} was tilted since its last run; Restore brings the terrain before it back."
        ).format(name=terrain.name)
    put_back()
    if not show(mesh, before[:, 2]):
        raise InputError(
            "{name} cannot show other heights; rename its attribute {attribute}."
        ).format(name=terrain.name, attribute=OWN_HEIGHTS)
    session.display.before.add(mesh.session_uid)
    companions.hide(terrain)


def is_before(mesh: bpy.types.Mesh) -> bool:
    """Whether the mesh displays the terrain before erosion."""
    return mesh.session_uid in session.display.before


def is_any_before() -> bool:
    """Whether any mesh displays the terrain before erosion."""
    return bool(session.display.before)


def is_shown(mesh: bpy.types.Mesh) -> bool:
    """Whether the mesh displays temporary heights."""
    return mesh.session_uid in session.display.positions


def put_back() -> None:
    """Restore the real heights of all meshes, to the bit.

    A mesh edited by the user meanwhile stays as edited; Restore brings its real heights back.
    """
    water_overlay.hide()
    if session.display.positions:
        for mesh in bpy.data.meshes:
            if (place := session.display.positions.get(mesh.session_uid)) is not None:
                _put_back(mesh, place)
    if session.display.before:
        companions.show_hidden()
    session.display.positions.clear()
    session.display.before.clear()


def put_back_for_render() -> None:
    """Restore the real heights for a render.

    Blender calls this in the render's thread, which must not write while the main thread draws. So
    it waits until the main thread has restored everything. A render by a script is in the main
    thread.
    """
    if threading.current_thread() is threading.main_thread():
        put_back()
    until = time.monotonic() + PATIENCE
    while is_any() and time.monotonic() < until:
        time.sleep(0.005)


def heal() -> None:
    """Restore the real heights of marked meshes that display nothing.

    A mesh may be copied at any time while it displays something, so this is called often.
    """
    for mesh in bpy.data.meshes:
        if (
            mesh.session_uid not in session.display.positions
            and mesh.library is None
            and _is_marked(mesh)
        ):
            _put_back(mesh, None)
    if not session.display.before:
        companions.show_hidden()


def is_any() -> bool:
    """Whether any mesh displays temporary heights."""
    return bool(session.display.positions)


def forget() -> None:
    """Reset after another file was opened."""
    water_overlay.hide()
    session.display.positions.clear()
    session.display.before.clear()


def _is_marked(mesh: bpy.types.Mesh) -> bool:
    mark = mesh.attributes.get(OWN_HEIGHTS)
    return mark is not None and (mark.data_type, mark.domain) == ("FLOAT", "POINT")


def _is_as_shown(mesh: bpy.types.Mesh, place: Array) -> bool:
    return (
        _is_marked(mesh)
        and len(mesh.vertices) == len(place)
        and np.array_equal(shown_positions(mesh), place)
    )


def _put_back(mesh: bpy.types.Mesh, place: Array | None) -> None:
    """place: positions as displayed; None if unknown."""
    if mesh.is_editmode:
        _put_back_in_edit_mode(mesh, place)
        return
    if not _is_marked(mesh):
        return
    heights = np.empty(len(mesh.vertices), np.float32)
    mesh.attributes[OWN_HEIGHTS].data.foreach_get("value", heights)
    if place is None or _is_as_shown(mesh, place):
        place_now = shown_positions(mesh) if place is None else place
        place_now[:, 2] = heights
        mesh.attributes["position"].data.foreach_set("vector", place_now.ravel())
    elif not original.has_source(mesh):
        with contextlib.suppress(InputError):  # the user has something else of that name
            original.keep_source(mesh, heights)
            if len(place) == len(heights):
                original.keep_place(mesh, place)
    attributes.drop_aside(mesh, OWN_HEIGHTS)
    mesh.update()


def _put_back_in_edit_mode(mesh: bpy.types.Mesh, place: Array | None) -> None:
    """Restore a mesh in Edit Mode vertex by vertex, the only access that Python has: seconds for a
    large one.
    """
    edited = bmesh.from_edit_mesh(mesh)
    layer = edited.verts.layers.float.get(OWN_HEIGHTS)
    if layer is None:
        return
    heights = np.fromiter((vertex.co.z for vertex in edited.verts), np.float32, len(edited.verts))
    if place is None or np.array_equal(heights, place[:, 2]):
        for vertex in edited.verts:
            vertex.co.z = vertex[layer]
    elif edited.verts.layers.float.get(original.NAME) is None:
        layer_of_original = edited.verts.layers.float.new(original.NAME)
        layer = edited.verts.layers.float[OWN_HEIGHTS]  # which a new one may have moved
        for vertex in edited.verts:
            vertex[layer_of_original] = vertex[layer]
    edited.verts.layers.float.remove(layer)
    bmesh.update_edit_mesh(mesh, destructive=False)
