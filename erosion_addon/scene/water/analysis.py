# SPDX-License-Identifier: GPL-3.0-or-later
"""Analysis of a terrain in its scene: fields as attributes of the mesh, figures in a custom
property.
"""

import json
from typing import TYPE_CHECKING, Any

import bpy

from ...base.errors import InputError
from ...drainage.parameters import AnalysisParameters
from ...terrain.fields import ANALYZED, FIELDS
from ...worker.messages import Request
from ...worker.requests import analysis_in, analysis_request
from ..masks import masks
from ..masks.settings import TerrainSettings
from ..terrain import attributes, grid
from ..terrain.lattice import Array, Lattice
from ..terrain.mesh import vertex_heights
from ..worker import computing

if TYPE_CHECKING:
    from ...drainage.analysis import Analysis

ANALYSIS = "erosion_analysis"
"""Custom property of a mesh: settings, figures and notes of its analysis, as JSON."""


def analyze(
    obj: bpy.types.Object, parameters: AnalysisParameters, settings: TerrainSettings
) -> "Analysis":
    """Analyze a terrain and write the results into its attributes.

    Raises InputError if impossible; the mesh is then unchanged.
    """
    mesh = obj.data
    lattice = grid.find_lattice(obj)
    result = analysis_in(
        computing.compute(request(obj, lattice, vertex_heights(mesh), parameters, settings))
    )
    attributes.write_fields(mesh, lattice, result.fields)
    record = {"parameters": parameters.to_dict(), "figures": result.figures, "notes": result.notes}
    mesh[ANALYSIS] = json.dumps(record)
    mesh.update()
    return result


def request(
    obj: bpy.types.Object,
    lattice: Lattice,
    heights: Array,
    parameters: AnalysisParameters,
    settings: TerrainSettings,
) -> Request:
    """Request to analyze future local heights (vertices,); InputError as in `analyze`."""
    attributes.check_names(obj.data, ANALYZED)
    outlets = masks.read_outlets(obj, lattice, settings.outlet)
    return analysis_request(grid.terrain_of(lattice, heights), parameters, settings.edges, outlets)


def requests_of_analysis(
    obj: bpy.types.Object, parameters: AnalysisParameters, settings: TerrainSettings
) -> list[Request]:
    """Requests of `analyze`; InputError as there."""
    return [request(obj, grid.find_lattice(obj), vertex_heights(obj.data), parameters, settings)]


def kept_text(mesh: bpy.types.Mesh) -> str:
    """Stored analysis of a mesh as text; empty if there is none."""
    text = mesh.get(ANALYSIS)
    if isinstance(text, str) and not set(ANALYZED).isdisjoint(attributes.ours(mesh)):
        return text
    return ""


def kept(text: str) -> dict[str, Any]:
    """Settings, figures and notes of a stored analysis; empty for damaged parts."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        record = None
    kinds = {"parameters": dict, "figures": dict, "notes": list}
    record = record if isinstance(record, dict) else {}
    return {
        name: record[name] if isinstance(record.get(name), kind) else kind()
        for name, kind in kinds.items()
    }


def settings_of(mesh: bpy.types.Mesh) -> AnalysisParameters | None:
    """Settings of the mesh's analysis; None if there is none, defaults if damaged."""
    if not (text := kept_text(mesh)):
        return None
    try:
        return AnalysisParameters.from_dict(kept(text)["parameters"])
    except (TypeError, InputError):
        return AnalysisParameters()


def requests_of_update(
    obj: bpy.types.Object, lattice: Lattice, heights: Array, settings: TerrainSettings
) -> list[Request]:
    """Requests of `update` for future local heights (vertices,); InputError as in `analyze`."""
    parameters = settings_of(obj.data)
    if parameters is None:
        return []
    return [request(obj, lattice, heights, parameters, settings)]


def update(obj: bpy.types.Object, settings: TerrainSettings) -> None:
    """Repeat the analysis of a terrain with the same settings; InputError as in `analyze`."""
    parameters = settings_of(obj.data)
    if parameters is not None:
        analyze(obj, parameters, settings)


def remove(mesh: bpy.types.Mesh) -> None:
    """Remove the analysis from a mesh, and restore the user's attributes of the same names."""
    attributes.remove_fields(mesh, but=[name for name in FIELDS if name not in ANALYZED])
    mesh.pop(ANALYSIS, None)
    mesh.update()
