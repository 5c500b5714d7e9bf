# SPDX-License-Identifier: GPL-3.0-or-later
"""Rivers, lakes and sea of a terrain as objects: ribbons along channels, sheets in pits and at the
coast.

They are computed from the heights of any terrain, and rebuilt after every run. All kinds share
their settings, so rivers end at the visible lakes and sea.
"""

import json
from dataclasses import replace

import bpy
import numpy as np

from ...base.errors import InputError
from ...drainage import ribbon
from ...drainage.parameters import RiverParameters
from ...drainage.rivers import sizes
from ...drainage.sea import sunk
from ...terrain.fields import WATERS
from ...terrain.terrain import Terrain
from ...worker.messages import Request
from ...worker.requests import water_in, water_request, waters_in
from ..companions import companions, material_inputs, river_curves
from ..companions.visible_water import SETTINGS, settings_in, settings_of
from ..masks import masks
from ..masks.settings import DEFAULTS, TerrainSettings
from ..materials import water_material
from ..original.transaction import all_or_nothing
from ..terrain import attributes, grid
from ..terrain.active import KIND
from ..terrain.attribute_values import Values
from ..terrain.lattice import Array, Lattice
from ..terrain.mesh import Geometry, positions, shown_positions, split
from ..worker import computing
from . import water_surface

HEADWATERS = "erosion_headwaters"
"""Custom property of rivers, lakes and sea: vertex group or attribute of the terrain where rivers
begin, if any.
"""

KINDS = {"rivers": "Rivers", "lakes": "Lakes", "sea": "Sea"}


def add(
    terrain: bpy.types.Object,
    kind: str,
    parameters: RiverParameters,
    headwaters: str | None = None,
    as_curves: bool | None = None,
    settings: TerrainSettings = DEFAULTS,
) -> bpy.types.Object:
    """Add rivers, lakes or a sea to the terrain, or rebuild them.

    kind: one of `KINDS`. headwaters: vertex group or attribute, over 0.5 where rivers begin; "": by
    drainage area; None: unchanged. as_curves: rivers as `river_curves` in place of a mesh; None:
    unchanged. The other kinds adopt the settings. InputError if the terrain has none, or can have
    none.
    """
    parameters = beside_sea(terrain, kind, parameters)
    headwaters = headwaters_in(terrain) if headwaters is None else headwaters
    _check(terrain, kind, parameters, headwaters, settings)
    waters = companions.find(terrain, kind)
    if as_curves is not None and any((water.type == "CURVES") != as_curves for water in waters):
        companions.remove(terrain, kind)
        waters = []
    if not waters:
        name = f"{terrain.name} {KINDS[kind]}"
        data = river_curves.new(name) if as_curves else bpy.data.meshes.new(name)
        waters = [companions.add(terrain, kind, name, data)]
        waters[0].data.materials.append(water_material.water_material(max(terrain.dimensions[:2])))
        waters[0].visible_shadow = False  # light reaches the bed
    objects = _companions(terrain)
    for companion in objects:
        companion[SETTINGS] = json.dumps(parameters.to_dict())
        companion[HEADWATERS] = headwaters
    with computing.ahead(requests_of_add(terrain, kind, parameters, settings=settings)):
        companions.put_in_place(terrain)
        for companion in objects:
            if not companions.is_edited(companion):
                update(terrain, companion, settings)
    material_inputs.update(terrain)
    return waters[0]


def beside_sea(
    terrain: bpy.types.Object, kind: str, parameters: RiverParameters
) -> RiverParameters:
    """Settings of rivers or lakes of a terrain with a sea: they end at its level unless they set
    their own.
    """
    seas = companions.find(terrain, "sea")
    if kind == "sea":
        return replace(parameters, sea=True)
    if seas and not parameters.sea:
        return replace(parameters, sea=True, sea_level=settings_of(seas[0]).sea_level)
    return parameters


def _check(
    terrain: bpy.types.Object,
    kind: str,
    parameters: RiverParameters,
    headwaters: str,
    settings: TerrainSettings,
) -> None:
    """Raise InputError if the terrain has nothing of that kind."""
    name = terrain.name
    level = parameters.sea_level
    ground, lattice = grid.read_terrain(terrain)
    if kind == "sea":
        land = ground.elevation
        if not sunk(land, level).any():
            raise InputError(
                "No part of {name} is below {level:g} m; raise the sea. The ground is {land:g} to "
                "{highest:g} m high."
            ).format(name=name, level=level, land=land.min(), highest=land.max())
        if not _runs(terrain):
            return  # otherwise rivers and lakes need some dry land
    attributes.check_names(terrain.data, WATERS)
    request = _request(terrain, lattice, ground, parameters, headwaters, settings)
    water = water_in(computing.compute(request))
    if kind == "rivers" and not len(water.place):
        if headwaters:
            raise InputError(
                "{headwaters} of {name} is nowhere over 0.5, where its rivers would begin."
            ).format(headwaters=headwaters, name=name)
        raise InputError(
            "{name} has no river with that much drainage area; choose a smaller Source Area."
        ).format(name=name)
    if kind == "lakes" and not len(water.level):
        if parameters.limited_water:
            raise InputError(
                "{name} has no lake of that size with {rain} of rain; raise Rain, or lower Lake "
                "Area or Lake Depth."
            ).format(name=name, rain=parameters.rain_text)
        raise InputError(
            "{name} has no lake of that size: its water runs off. Lower Lake Area or Lake Depth."
        ).format(name=name)


def headwaters_in(terrain: bpy.types.Object) -> str:
    """Vertex group or attribute where the terrain's rivers begin; "" for their drainage area."""
    text = next((companion.get(HEADWATERS) for companion in _companions(terrain)), "")
    return text if isinstance(text, str) else ""


def are_curves(terrain: bpy.types.Object) -> bool:
    """Whether the terrain's rivers are curves."""
    return any(water.type == "CURVES" for water in companions.find(terrain, "rivers"))


def requests_of_add(
    terrain: bpy.types.Object,
    kind: str,
    parameters: RiverParameters,
    headwaters: str | None = None,
    settings: TerrainSettings = DEFAULTS,
) -> list[Request]:
    """Requests of `add`; a sea alone needs none. InputError as there."""
    if kind == "sea" and not _runs(terrain):
        return []
    attributes.check_names(terrain.data, WATERS)
    return [request_of(terrain, beside_sea(terrain, kind, parameters), settings, headwaters)]


def request_of(
    terrain: bpy.types.Object,
    parameters: RiverParameters,
    settings: TerrainSettings,
    headwaters: str | None = None,
) -> Request:
    """Request for the terrain's rivers and lakes; InputError if a mask is missing. headwaters: see
    `add`.
    """
    ground, lattice = grid.read_terrain(terrain)
    headwaters = headwaters_in(terrain) if headwaters is None else headwaters
    return _request(terrain, lattice, ground, parameters, headwaters, settings)


def requests_of_update(
    terrain: bpy.types.Object, lattice: Lattice, heights: Array, settings: TerrainSettings
) -> list[Request]:
    """Requests of `update` for future local heights (vertices,)."""
    parameters = settings_in(terrain)
    if parameters is None or not _runs(terrain):
        return []
    ground = grid.terrain_of(lattice, heights)
    return [_request(terrain, lattice, ground, parameters, headwaters_in(terrain), settings)]


def update(
    terrain: bpy.types.Object, companion: bpy.types.Object, settings: TerrainSettings
) -> None:
    """Rebuild the mesh or curves of rivers, lakes or a sea; they are empty if there are none.
    Rivers and lakes write `WATERS` too.

    InputError if the mask of headwaters or of outlets is missing, or if the worker fails, and
    MemoryError; nothing is then changed.
    """
    kind = companion[KIND]
    parameters = settings_in(terrain) or RiverParameters()
    ground, lattice = grid.read_terrain(terrain)
    if kind == "sea":
        request = None
    else:
        request = _request(terrain, lattice, ground, parameters, headwaters_in(terrain), settings)
    try:
        shape = _shape(terrain, companion, parameters, ground, request)
    except computing.NoAnswerError:
        raise
    except InputError:
        shape = None  # e.g. level ground, which is no fault of the run that leveled it
    with all_or_nothing(terrain.data, shown_positions(terrain.data)):
        if request:
            if shape is None:
                waters = dict.fromkeys(WATERS, np.zeros(ground.elevation.shape, np.float32))
            else:
                waters = waters_in(computing.compute(request))
            attributes.write_fields(terrain.data, lattice, waters)
        if shape is None:
            _empty(companion)
        elif isinstance(shape, ribbon.Sheet):
            _fill(companion.data, shape, positions(terrain.data), lattice)
        else:
            river_curves.fill(companion, shape, positions(terrain.data), lattice)


def _empty(companion: bpy.types.Object) -> None:
    if companion.type == "MESH":
        companion.data.clear_geometry()
        companion.data.update()
    else:
        river_curves.clear(companion.data)


def _shape(
    terrain: bpy.types.Object,
    companion: bpy.types.Object,
    parameters: RiverParameters,
    ground: Terrain,
    request: Request | None,
) -> ribbon.Sheet | ribbon.Centerlines:
    """Surface or centerlines of a companion; InputError if no water can flow. request: for rivers
    and lakes; None for a sea.
    """
    if request is None:
        sea = sunk(ground.elevation, parameters.sea_level).astype(np.int32)
        return ribbon.sheets(
            sea, np.array([parameters.sea_level]), ground.elevation, ground.spacing
        )
    water = water_in(computing.compute(request))
    if companion[KIND] == "lakes":
        return ribbon.sheets(water.lakes, water.level, ground.elevation, ground.spacing)
    lakes = bool(companions.find(terrain, "lakes"))
    across = split(terrain.data)
    shape = ribbon.ribbons if companion.type == "MESH" else ribbon.centerlines
    return shape(water, sizes(water, parameters), ground.elevation, ground.spacing, lakes, across)


def _companions(terrain: bpy.types.Object) -> list[bpy.types.Object]:
    return [companion for kind in KINDS for companion in companions.find(terrain, kind)]


def _runs(terrain: bpy.types.Object) -> bool:
    """Whether the terrain shows rivers or lakes."""
    return any(companions.find(terrain, kind) for kind in ("rivers", "lakes"))


def _request(
    terrain: bpy.types.Object,
    lattice: Lattice,
    ground: Terrain,
    parameters: RiverParameters,
    headwaters: str,
    settings: TerrainSettings,
) -> Request:
    """Request for rivers and lakes, with the terrain's edges and outlets; InputError if a mask is
    missing.

    headwaters: name of their mask, "" for none.
    """
    heads = masks.read_named(terrain, lattice, headwaters, "headwater") if headwaters else None
    outlets = masks.read_outlets(terrain, lattice, settings.outlet)
    return water_request(ground, parameters, settings.edges, heads, outlets)


def _fill(mesh: bpy.types.Mesh, sheet: ribbon.Sheet, place: Array, lattice: Lattice) -> None:
    """Replace the geometry of the mesh by the sheet; materials stay. place: (vertices, 3) of the
    terrain.
    """
    low, units = lattice.frame(place)
    local = np.empty_like(sheet.place)
    local[:, :2] = low + sheet.place[:, :2] * units
    local[:, 2] = sheet.place[:, 2] / lattice.scale_z
    layers = {name: Values.of_vertices(values) for name, values in sheet.layers.items()}
    layers |= Values.of_slot(water_surface.common_slot(mesh), len(sheet.faces))
    Geometry.of(local, sheet.faces, lattice.scale_z > 0, layers).put_into(mesh)
