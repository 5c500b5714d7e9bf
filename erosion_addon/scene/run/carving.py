# SPDX-License-Identifier: GPL-3.0-or-later
"""Carving of river beds: along the user's curves, and of the terrain's own rivers.

Carving is an edit, like sculpting: the next run begins with the carved ground, and Restore brings
back the ground before.
"""

from collections.abc import Sequence

import bpy
import numpy as np

from ...base.errors import InputError
from ...drainage.parameters import BedParameters, CutParameters
from ...worker.messages import Request
from ...worker.requests import beds_request, carve_request
from ..companions import companions, visible_water
from ..derived import light, update_derived
from ..masks.settings import TerrainSettings
from ..original import original, transaction
from ..original.transaction import all_or_nothing
from ..terrain import attributes, grid
from ..terrain.lattice import Array, local_heights
from ..terrain.mesh import positions, vertex_heights, write_heights
from ..water import rivers
from ..water.curve_lines import lines_of
from ..worker import computing

WATER = "water_depth"
"""Field of the water that a run has left."""


def carve(terrain: bpy.types.Object, request: Request, settings: TerrainSettings) -> list[str]:
    """Carve rivers into the terrain. request: `of_curves` or `of_rivers`.

    Returns messages about parts that could not be updated. InputError for rivers that cannot be
    carved; the terrain is then unchanged.
    """
    mesh = terrain.data
    place = positions(terrain.data)
    after = _heights_after(terrain, request)
    with all_or_nothing(mesh, place):
        notes = original.set_aside(mesh)
        original.keep_source(mesh, place[:, 2])
        original.keep_place(mesh, write_heights(mesh, after, place))
        _keep_water_level(terrain, request)
        # a run begins with the carved ground, not with the one before
        mesh.pop(original.RESULT, None)
        transaction.keep(mesh, None)
    return notes + update_derived.update(terrain, settings)


def _keep_water_level(terrain: bpy.types.Object, request: Request) -> None:
    """Deepen the water of the last run where the request carves its bed."""
    if attributes.holds(terrain.data, WATER):
        lattice = grid.find_lattice(terrain)
        depth = attributes.read_fields(terrain.data, lattice, [WATER])[WATER]
        cut = request.arrays["elevation"] - computing.compute(request)["elevation"]
        attributes.write_fields(
            terrain.data, lattice, {WATER: np.where(depth > 0.0, depth + cut, depth)}
        )


def requests_of_carve(
    terrain: bpy.types.Object, request: Request, settings: TerrainSettings
) -> list[Request]:
    """Requests of `carve`, as far as known; InputError as there."""
    original.check_names(terrain.data)
    if not computing.is_known(request):
        return [request]
    heights = _heights_after(terrain, request)
    lattice = grid.find_lattice(terrain)
    return [request, *update_derived.requests(terrain, lattice, heights, {}, settings)]


def of_curves(
    terrain: bpy.types.Object, curves: Sequence[bpy.types.Object], parameters: BedParameters
) -> Request:
    """Request for the terrain with the splines of curves carved in, each from its first point.

    InputError for an unsuitable spline.
    """
    if not curves:
        raise InputError(
            "No river is drawn: select a Curve object beside the terrain, or name one."
        )
    ground, _ = grid.read_terrain(terrain)
    frame = light.frame_of(terrain)
    lines = []
    for curve in curves:
        splines = lines_of(curve)
        lines += [(curve.name, frame.place(line)[:, :2]) for line in splines or [np.empty((0, 3))]]
    return carve_request(ground, lines, parameters)


def of_rivers(
    terrain: bpy.types.Object, parameters: CutParameters, settings: TerrainSettings
) -> Request:
    """Request for the terrain with the beds of its own rivers carved in; InputError if it has
    none.
    """
    water = visible_water.settings_in(terrain)
    if water is None or not companions.find(terrain, "rivers"):
        raise InputError("{name} has no rivers; press Add Rivers first.").format(name=terrain.name)
    return beds_request(rivers.request_of(terrain, water, settings), parameters)


def _heights_after(terrain: bpy.types.Object, request: Request) -> Array:
    """Local heights (vertices,) after the request; unchanged cells keep their bits."""
    before = request.arrays["elevation"]
    after = computing.compute(request)["elevation"]
    return local_heights(grid.find_lattice(terrain), vertex_heights(terrain.data), before, after)
