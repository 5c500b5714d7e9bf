# SPDX-License-Identifier: GPL-3.0-or-later
"""Set Up Look: the material of a terrain, with suitable water, light, plants and passes."""

from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial

import bpy

from ...bake.parameters import LightParameters
from ...base.errors import InputError
from ...worker.messages import Request
from ..companions import companions
from ..derived import light, lod, surroundings, update_derived
from ..masks.settings import DEFAULTS, TerrainSettings
from ..materials import aovs, material
from ..plants import foliage, plants
from ..terrain import attribute_values, attributes, grid
from ..water import water_surface
from . import studio

PARTS = ("smooth", "light", "water", "foliage", "passes", "surroundings", "stage", "plants")
"""Optional parts beside the material."""


def finish(
    terrain: bpy.types.Object,
    palette: str,
    parts: Collection[str],
    view_layer: bpy.types.ViewLayer | None = None,
    daylight: str = "",
    settings: TerrainSettings = DEFAULTS,
) -> list[str]:
    """Assign the terrain's material, unless it has others, and add suitable PARTS; existing ones
    are updated.

    daylight: see `studio.complete`. Returns messages about failed parts. Raises InputError if the
    object is not a terrain or the palette is unknown; then nothing changes.
    """
    grid.find_lattice(terrain)
    used = [slot.material for slot in terrain.material_slots if slot.material]
    if not used or any(map(material.is_ours, used)):
        material.assign(terrain, palette)
    if "smooth" in parts and _is_flat(terrain.data):
        terrain.data.shade_smooth()
    making: dict[str, Callable[[bpy.types.Object], object]] = {
        "light": partial(_light, settings=settings)
    }
    if water_surface.has_water(terrain):
        making["water"] = water_surface.add
    if attributes.holds(terrain.data, "moisture"):
        making["foliage"] = foliage.add
    # Surrounding land could hide the terrain from the scene's own camera.
    if "stage" in parts and not studio.has_camera(bpy.context.scene):
        making["surroundings"] = surroundings.add
    sentences: list[str] = []
    for part in (part for part in making if part in parts):
        try:
            making[part](terrain)
        except InputError as error:
            sentences.append(error.sentence)
    sentences += update_derived.update_companions(
        terrain, settings, set(companions.KINDS) - making.keys() - {plants.KIND}
    )
    if "passes" in parts and view_layer is not None:
        aovs.add(view_layer, material.terrain_materials())
    if "stage" in parts:
        _soften(terrain)
        _follow_crests(terrain)
        studio.complete(bpy.context.scene, terrain, daylight)
    # last, as their density depends on the camera
    plants.renew(terrain, add_missing="plants" in parts)
    return sentences


def requests(
    terrain: bpy.types.Object, parts: Collection[str], settings: TerrainSettings = DEFAULTS
) -> list[Request]:
    """Requests of `finish`, which reports problems itself."""
    asked = []
    for part, requests_of in (
        ("light", partial(_light_requests, settings=settings)),
        ("water", lambda obj: lod.requests_of_water(obj, 0.0)),
    ):
        if part in parts:
            with suppress(InputError):
                asked += requests_of(terrain)
    return asked


def _light_requests(terrain: bpy.types.Object, settings: TerrainSettings) -> list[Request]:
    parameters = light.settings_of(terrain.data) or LightParameters(suns=False)
    return light.requests_of_bake(terrain, parameters, settings.casters, settings.edges)


def _light(terrain: bpy.types.Object, settings: TerrainSettings) -> None:
    parameters = light.settings_of(terrain.data) or LightParameters(suns=False)
    light.bake_light(terrain, parameters, settings.casters, settings.edges)


def _is_flat(mesh: bpy.types.Mesh) -> bool:
    """Whether all faces are shaded flat, like Blender's grids."""
    sharp = mesh.attributes.get("sharp_face")
    return sharp is not None and bool(attribute_values.read(sharp).all())


def _soften(terrain: bpy.types.Object) -> None:
    """Offset shadow rays, unless the user has set an offset: at grazing sun, edges of cells cast
    stepped shadows.
    """
    if terrain.shadow_terminator_normal_offset == 0.0:
        scale = max(map(abs, terrain.scale)) or 1.0
        terrain.shadow_terminator_normal_offset = (
            0.6 * max(grid.find_lattice(terrain).spacing) / scale
        )


def _follow_crests(terrain: bpy.types.Object) -> None:
    """Split each cell along its crest in renders; Blender's fixed diagonals give crests teeth."""
    if all(modifier.type != "TRIANGULATE" for modifier in terrain.modifiers):
        split = terrain.modifiers.new("Crests", "TRIANGULATE")
        split.quad_method = "SHORTEST_DIAGONAL"
        split.show_viewport = False
