# SPDX-License-Identifier: GPL-3.0-or-later
"""Update of everything derived from a terrain: water, rivers, foliage, levels of detail, images, light and analysis."""

import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress

import bpy
import numpy as np

from ...base.errors import InputError
from ...worker.messages import Request
from ..terrain.lattice import Array, Lattice


def requests(
    terrain: bpy.types.Object, lattice: Lattice, heights: Array, fields: Mapping[str, Array], lit: bool = True
) -> list[Request]:
    """Requests of `update` for future local heights (vertices,) and fields (rows, cols).

    lit: whether its light and analysis will still exist. Problems found here are reported by `update`.
    """
    from ..drainage import analysis
    from . import companions, light

    asked = []
    for part in (light, analysis) if lit else ():
        with suppress(Exception):
            asked += part.requests_of_update(terrain, lattice, heights)
    if any(companions.find(terrain, kind) for kind in ("rivers", "lakes")):
        from . import rivers

        with suppress(Exception):
            asked += rivers.requests_of_update(terrain, lattice, heights)
    if companions.find(terrain, "lod"):
        from . import lod

        depth = fields.get("water_depth")
        with suppress(Exception):
            wet = None if depth is None else np.asarray(depth, np.float32)
            asked += lod.requests_of_update(terrain, lattice, heights, wet)
    return asked


def update(terrain: bpy.types.Object) -> list[str]:
    """Update everything in place; returns messages about failed parts.

    The terrain is complete before this is called.
    """
    from ..drainage import analysis
    from . import companions, light, maps  # a terrain that has none of these needs none of them

    sentences: list[str] = []
    parts: dict[str, Callable[[bpy.types.Object], list[str] | None]] = {
        "light": light.update,
        "analysis": analysis.update,
        "surfaces": companions.update,
        "images": maps.update,
    }
    for what, bring_up_to_date in parts.items():
        try:
            sentences += bring_up_to_date(terrain) or []
        except InputError as error:
            sentences.append(f"Its {what} could not be brought up to date: {error}")
        except Exception:  # noqa: BLE001 - a fault of ours in one of them
            traceback.print_exc()
            sentences.append(f"Its {what} could not be brought up to date; the console says why.")
    return sentences
