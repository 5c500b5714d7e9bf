# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to the worker's services, and the contents of their answers. `services` answers them.

Requests and answers are values and named arrays, ready for pipes. Blender imports this at its
start, and the services only in the worker.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..bake.parameters import Lighting, LightParameters, Sun
from ..base.arrays import Array
from ..drainage.parameters import AnalysisParameters, BedParameters, CutParameters, RiverParameters
from ..recipe.recipe import Recipe
from ..terrain.fields import WATERS
from ..terrain.terrain import Terrain
from .messages import MASK_PREFIX, Request

if TYPE_CHECKING:
    from ..bake.lod import Level
    from ..drainage.analysis import Analysis
    from ..drainage.rivers import Water

FIGURES = "figures"
"""Name of the JSON bytes among the fields of an analysis."""


def start_request(
    kind: str,
    shape: tuple[int, int],
    spacing: tuple[float, float],
    seed: int,
    values: Mapping[str, Any],
) -> Request:
    """Request for `generators.registry.make`; see `start_in`."""
    return Request(
        "start",
        {"kind": kind, "shape": shape, "spacing": spacing, "seed": seed, "values": {**values}},
        {},
    )


def start_in(answer: Mapping[str, Array], spacing: tuple[float, float]) -> Terrain:
    """Start terrain in the answer to such a request."""
    fields = dict(answer)
    return Terrain(fields.pop("elevation"), spacing, fields)


def light_request(
    terrain: Terrain, parameters: LightParameters, suns: Sequence[Sun], casters: Array, edges: str
) -> Request:
    """Request for `light.bake`; the answer holds its fields by name."""
    values = {"spacing": terrain.spacing, "edges": edges, **_lighting_values(parameters, suns)}
    return Request("light", values, {"elevation": terrain.elevation, "casters": casters})


def _lighting_values(parameters: LightParameters, suns: Sequence[Sun]) -> dict[str, Any]:
    return {
        "parameters": parameters.to_dict(),
        "suns": [[*sun.direction, sun.radius] for sun in suns],
    }


def analysis_request(
    terrain: Terrain, parameters: AnalysisParameters, edges: str, outlets: Array | None = None
) -> Request:
    """Request for `analyze`; see `analysis_in`."""
    values = {"spacing": terrain.spacing, "parameters": parameters.to_dict(), "edges": edges}
    return Request("analysis", values, {"elevation": terrain.elevation} | _present(outlets=outlets))


def analysis_in(answer: Mapping[str, Array]) -> "Analysis":
    """Analysis in the answer to such a request."""
    from ..drainage.analysis import Analysis

    content = json.loads(answer[FIGURES].tobytes())
    return Analysis(
        {name: field for name, field in answer.items() if name != FIGURES},
        content["figures"],
        content["notes"],
    )


def water_request(
    terrain: Terrain,
    parameters: RiverParameters,
    edges: str,
    headwaters: Array | None = None,
    outlets: Array | None = None,
) -> Request:
    """Request for the rivers and lakes of a terrain; see `water_in`, `waters_in`. headwaters,
    outlets: masks.
    """
    values = {"spacing": terrain.spacing, "parameters": parameters.to_dict(), "edges": edges}
    arrays = {"elevation": terrain.elevation} | _present(headwaters=headwaters, outlets=outlets)
    return Request("water", values, arrays)


def _present(**arrays: Array | None) -> dict[str, Array]:
    return {name: array for name, array in arrays.items() if array is not None}


def water_in(answer: Mapping[str, Array]) -> "Water":
    """Rivers and lakes in the answer to such a request."""
    from ..drainage.rivers import Water

    return Water(**{name: answer[name] for name in Water.__dataclass_fields__})


def waters_in(answer: Mapping[str, Array]) -> dict[str, Array]:
    """Fields `WATERS` in the answer to such a request, (rows, cols) float32."""
    return {name: answer[name] for name in WATERS}


def carve_request(
    terrain: Terrain, lines: Sequence[tuple[str, Array]], parameters: BedParameters
) -> Request:
    """Request for the elevation of a terrain with rivers carved in, see `beds.carve`. lines: names
    and points.
    """
    values = {
        "spacing": terrain.spacing,
        "parameters": parameters.to_dict(),
        "names": [name for name, _ in lines],
    }
    arrays = {f"line {number}": line for number, (_, line) in enumerate(lines)}
    return Request("carve", values, {"elevation": terrain.elevation, **arrays})


def beds_request(water: Request, parameters: CutParameters) -> Request:
    """Request for the elevation of a terrain with the rivers of a `water_request` carved in, see
    `beds.carve_rivers`.
    """
    return replace(water, kind="beds", values=water.values | {"cut": parameters.to_dict()})


def variants_request(
    terrain: Terrain, recipes: Sequence[Recipe], masks: Mapping[str, Array]
) -> Request:
    """Request for pictures of the terrain after each recipe, seed included; see `pictures_in`."""
    return Request("variants", *_runs(terrain, recipes, masks))


def pictures_in(answer: Mapping[str, Array]) -> list[Array]:
    """Shaded reliefs in the answer to such a request: (rows, cols, 3) uint8, row 0 at the smallest
    y.
    """
    return [answer[f"picture {number}"] for number in range(len(answer))]


def animation_request(
    folder: Path,
    fields: Sequence[str],
    terrain: Terrain,
    recipes: Sequence[Recipe],
    masks: Mapping[str, Array],
    lights: Sequence[Lighting] = (),
    replace: bool = False,
) -> Request:
    """Request for `frames.animation.animate`; the answer holds the number of frames `made`."""
    values, arrays = _runs(terrain, recipes, masks)
    values |= {"folder": str(folder), "kept": [*fields], "replace": replace}
    values["lights"] = [_lighting_values(light.parameters, light.suns) for light in lights]
    arrays |= {f"casters {number}": light.casters for number, light in enumerate(lights)}
    return Request("animation", values, arrays)


def _runs(
    terrain: Terrain, recipes: Sequence[Recipe], masks: Mapping[str, Array]
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Values and arrays of a request for runs on a terrain."""
    values = {
        "spacing": terrain.spacing,
        "recipes": [recipe.to_dict() for recipe in recipes],
        "fields": [*terrain.fields],
    }
    arrays = {MASK_PREFIX + kind: mask for kind, mask in masks.items()}
    return values, {"elevation": terrain.elevation, **terrain.fields, **arrays}


def levels_request(
    height: Array,
    errors: Sequence[float],
    spacing: tuple[float, float],
    water: Mapping[str, Array] | None = None,
) -> Request:
    """Request for `lod.levels`, or `lod.water_levels` if `depth` and `wet` are given; see
    `levels_in`.
    """
    return Request(
        "levels", {"errors": [*errors], "spacing": spacing}, {"height": height, **(water or {})}
    )


def levels_in(request: Request, answer: Mapping[str, Array]) -> "list[Level]":
    """Levels in the answer to such a request, a `lod.Level` for each error."""
    from ..bake.lod import Level

    errors = request.values["errors"]
    return [
        Level(answer[f"cells {n}"], answer[f"triangles {n}"], error)
        for n, error in enumerate(errors)
    ]
