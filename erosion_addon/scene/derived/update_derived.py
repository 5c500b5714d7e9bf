# SPDX-License-Identifier: GPL-3.0-or-later
"""Update of everything derived from a terrain: water, rivers, foliage, levels of detail, images,
light and analysis.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial

import bpy
import numpy as np

from ...base.errors import InputError, Sentence, print_traceback
from ...terrain.fields import FIELDS, WATERS
from ...worker.messages import Request
from ..companions import companions, visible_water
from ..masks.settings import DEFAULTS, TerrainSettings
from ..terrain import attributes
from ..terrain.active import KIND
from ..terrain.lattice import Array, Lattice

BESIDE_WATER = ("foliage", "plants", "surroundings")
"""Companions that depend on visible water."""


def load() -> None:
    """Import the modules of `update`, which takes a while; for a thread."""
    from ..water import analysis  # noqa: F401
    from . import light  # noqa: F401

    _updaters(DEFAULTS)


def requests(
    terrain: bpy.types.Object,
    lattice: Lattice,
    heights: Array,
    fields: Mapping[str, Array],
    settings: TerrainSettings,
    lit: bool = True,
) -> list[Request]:
    """Requests of `update` for future local heights (vertices,) and fields (rows, cols).

    lit: whether its light and analysis will still exist. Problems found here are reported by
    `update`.
    """
    from ..water import analysis
    from . import light

    asked = []
    for part in (light, analysis) if lit else ():
        with suppress(Exception):
            asked += part.requests_of_update(terrain, lattice, heights, settings)
    if any(companions.find(terrain, kind) for kind in ("rivers", "lakes")):
        from ..water import rivers

        with suppress(Exception):
            asked += rivers.requests_of_update(terrain, lattice, heights, settings)
    if companions.find(terrain, "lod"):
        from . import lod

        depth = fields.get("water_depth")
        with suppress(Exception):
            wet = None if depth is None else np.asarray(depth, np.float32)
            asked += lod.requests_of_update(terrain, lattice, heights, wet)
    return asked


def update(
    terrain: bpy.types.Object, settings: TerrainSettings, place: Array | None = None
) -> list[str]:
    """Update everything in place; returns messages about failed parts.

    The terrain is complete before this is called. place: local positions of its vertices (vertices,
    3), if at hand.
    """
    from ..water import analysis
    from . import light, maps

    sentences: list[str] = []
    parts: dict[str, Callable[[bpy.types.Object], list[str] | None]] = {
        "light": partial(light.update, settings=settings),
        "analysis": partial(analysis.update, settings=settings),
        "surfaces": partial(update_companions, settings=settings, place=place),
        "images": maps.update,
    }
    for what, bring_up_to_date in parts.items():
        try:
            sentences += bring_up_to_date(terrain) or []
        except InputError as error:
            sentence = Sentence("Its {companion} could not be updated: {error}")
            sentences.append(sentence.format(companion=what, error=error))
        except MemoryError:
            sentence = Sentence("Its {companion} could not be updated: there is not enough memory.")
            sentences.append(sentence.format(companion=what))
        except Exception:  # noqa: BLE001 - a fault of ours in one of them
            print_traceback()
            sentence = Sentence("Its {companion} could not be updated; see the system console.")
            sentences.append(sentence.format(companion=what))
    return sentences


def update_companions(
    terrain: bpy.types.Object,
    settings: TerrainSettings,
    kinds: Collection[str] = tuple(companions.KINDS),
    place: Array | None = None,
) -> list[str]:
    """Update the companions of some kinds in place; objects, meshes and materials stay the same.

    Returns messages about failed updates, and about companions in Edit Mode, whose meshes cannot be
    written. place: as for `update`.
    """
    from ..companions import material_inputs

    companions.put_in_place(terrain)
    _forget_waters(terrain)
    refused: list[str] = []
    for kind, bring_up_to_date in _updaters(settings).items():
        for companion in companions.find(terrain, kind) if kind in kinds else ():
            if not companions.is_edited(companion):
                try:
                    bring_up_to_date(terrain, companion)
                except InputError as error:
                    sentence = Sentence("{name} still shows the previous terrain: {error}")
                    refused.append(sentence.format(name=companion.name, error=error))
                except MemoryError:
                    sentence = Sentence(
                        "{name} still shows the previous terrain: there is not enough memory."
                    )
                    refused.append(sentence.format(name=companion.name))
    material_inputs.update(terrain, place)
    edited = Sentence(
        "{name} is in Edit Mode and still shows the previous terrain; leave Edit Mode, and add it "
        "again."
    )
    return refused + [
        edited.format(name=companion.name)
        for companion in companions.find(terrain)
        if companions.is_edited(companion) and companion[KIND] in kinds
    ]


def remove_companions(terrain: bpy.types.Object, kind: str) -> int:
    """Remove the companions of a kind with their unused data, and update companions beside water;
    returns their number.
    """
    count = companions.remove(terrain, kind)
    update_companions(terrain, DEFAULTS, BESIDE_WATER if kind in visible_water.KINDS else ())
    return count


def _updaters(
    settings: TerrainSettings,
) -> dict[str, Callable[[bpy.types.Object, bpy.types.Object], None]]:
    """Kind → update function, in order of dependence."""
    # imported here, because few sessions need all of them
    from ..plants import foliage, plants
    from ..water import rivers, water_surface
    from . import lod, surroundings

    return {
        "water": water_surface.update,
        **dict.fromkeys(rivers.KINDS, partial(rivers.update, settings=settings)),
        "foliage": foliage.update,
        "plants": plants.update,
        "surroundings": surroundings.update,
        "lod": lod.update,
    }


def _forget_waters(terrain: bpy.types.Object) -> None:
    """Remove the fields of rivers and lakes from a terrain without such objects, and restore the
    user's attributes.
    """
    mesh = terrain.data
    ribbons = companions.find(terrain, "rivers") or companions.find(terrain, "lakes")
    if not set(WATERS).isdisjoint(attributes.ours(mesh)) and not ribbons:
        attributes.remove_fields(mesh, but=[name for name in FIELDS if name not in WATERS])
        mesh.update()
