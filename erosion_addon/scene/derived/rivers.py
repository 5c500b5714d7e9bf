# SPDX-License-Identifier: GPL-3.0-or-later
"""Rivers and lakes of a terrain as objects: ribbons along its channels, and a level sheet in each of its pits.

They are made from the heights alone, whether it was eroded or not, and made anew with every run. Both kinds have the
same settings, so that rivers end at the lakes that are shown.
"""

import json

import bpy
import numpy as np

from ...base.errors import InputError
from ...drainage import ribbon
from ...drainage import rivers as drainage
from ...terrain.terrain import Terrain
from ...worker.messages import Request
from ...worker.services import water_in, water_request
from ..materials import water_material
from ..terrain import attribute_values, grid
from ..terrain.lattice import Array, Lattice
from ..terrain.mesh import fill, positions
from ..worker import computing
from . import companions, water_surface

SETTINGS = "erosion_water"
"""Custom property of rivers and of lakes: what they were made with, as JSON."""

KINDS = {"rivers": "Rivers", "lakes": "Lakes"}


def add(terrain: bpy.types.Object, kind: str, parameters: drainage.RiverParameters) -> bpy.types.Object:
    """Give the terrain rivers or lakes, or make those that it has anew. kind: of `KINDS`.

    The other kind takes over the settings. InputError with a sentence where there are none, or could be none.
    """
    water, _ = _computed(terrain, parameters)
    if kind == "rivers" and not len(water.place):
        raise InputError(f"{terrain.name} has no river of that much land; choose a smaller Source Area.")
    if kind == "lakes" and not len(water.level):
        raise InputError(f"{terrain.name} has no lake of that size: its water runs off, or choose a smaller one.")
    found = companions.find(terrain, kind)
    if not found:
        name = f"{terrain.name} {KINDS[kind]}"
        found = [companions.add(terrain, kind, name, bpy.data.meshes.new(name))]
        found[0].data.materials.append(water_material.water_material())
        found[0].visible_shadow = False  # water lets the light through to its bed
    shown = _shown(terrain)
    for companion in shown:
        companion[SETTINGS] = json.dumps(parameters.to_dict())
    with computing.ahead(requests_of_add(terrain, parameters)):
        companions.put_in_place(terrain)
        for companion in shown:
            if not companion.data.is_editmode:
                update(terrain, companion)
    companions.tell_material(terrain)
    return found[0]


def settings_of(companion: bpy.types.Object) -> drainage.RiverParameters:
    """What rivers or lakes were made with; the defaults where a file holds something else."""
    try:
        return drainage.RiverParameters.from_dict(json.loads(companion[SETTINGS]))
    except (KeyError, TypeError, ValueError, RecursionError):
        return drainage.RiverParameters()


def settings_in(terrain: bpy.types.Object) -> drainage.RiverParameters | None:
    """What the terrain's rivers and lakes were made with; None where it has none."""
    shown = _shown(terrain)
    return settings_of(shown[0]) if shown else None


def requests_of_add(terrain: bpy.types.Object, parameters: drainage.RiverParameters) -> list[Request]:
    """What `add` will compute; InputError as there."""
    ground, _ = grid.read_terrain(terrain)
    return [water_request(ground, parameters, terrain.erosion.edges)]


def requests_of_update(terrain: bpy.types.Object, lattice: Lattice, heights: Array) -> list[Request]:
    """What `update` will compute once the terrain has such local heights (vertices,)."""
    parameters = settings_in(terrain)
    if parameters is None:
        return []
    return [water_request(grid.terrain_of(lattice, heights), parameters, terrain.erosion.edges)]


def update(terrain: bpy.types.Object, companion: bpy.types.Object) -> None:
    """Make the mesh of rivers or lakes anew; it is empty where the terrain has none."""
    mesh = companion.data
    parameters = settings_in(terrain) or drainage.RiverParameters()
    try:
        water, ground = _computed(terrain, parameters)
    except InputError:
        mesh.clear_geometry()  # as of ground that is level now, which is no fault of the run that made it so
        mesh.update()
        return
    if companion[companions.KIND] == "rivers":
        sizes = drainage.sizes(water, parameters)
        sheet = ribbon.ribbons(water, sizes, ground.elevation, ground.spacing, bool(companions.find(terrain, "lakes")))
    else:
        sheet = ribbon.sheets(water, ground.elevation, ground.spacing)
    _fill(mesh, sheet, positions(terrain.data), grid.find_lattice(terrain))


def _shown(terrain: bpy.types.Object) -> list[bpy.types.Object]:
    return [companion for kind in KINDS for companion in companions.find(terrain, kind)]


def _computed(terrain: bpy.types.Object, parameters: drainage.RiverParameters) -> tuple[drainage.Water, Terrain]:
    ground, _ = grid.read_terrain(terrain)
    request = water_request(ground, parameters, terrain.erosion.edges)
    return water_in(computing.compute(request)), ground


def _fill(mesh: bpy.types.Mesh, sheet: ribbon.Sheet, place: Array, lattice: Lattice) -> None:
    """Give the mesh that sheet in place of what it holds; materials stay. place: (vertices, 3) of the terrain."""
    slot = water_surface.common_slot(mesh)
    low, high = place[:, :2].min(axis=0).astype(np.float64), place[:, :2].max(axis=0).astype(np.float64)
    extent = np.array([(lattice.cols - 1) * lattice.spacing[1], (lattice.rows - 1) * lattice.spacing[0]])
    local = np.empty_like(sheet.place)
    local[:, :2] = low + sheet.place[:, :2] * ((high - low) / extent)
    local[:, 2] = sheet.place[:, 2] / lattice.scale_z
    fill(mesh, local, sheet.faces, lattice.scale_z > 0)
    if len(sheet.faces):
        for name, values in sheet.layers.items():
            attribute_values.add(mesh, name, values)
        if slot:
            mesh.polygons.foreach_set("material_index", np.full(len(sheet.faces), slot, np.int32))
        mesh.update()
