# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain analysis: fields of drainage and shape, and statistics."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import Sentence
from ..base.threads import Tally, granted
from ..terrain.terrain import Terrain
from .land import Land
from .land_statistics import measured
from .parameters import AnalysisParameters
from .sea import prepared_outlets, require_land

SQUARE_KILOMETER = 1e6

BROOKS = 1000
"""Automatic source area of channels, as a fraction of the land: one over this number."""

WAY = 4
"""Cells downstream over which flow directions are averaged; one cell would give eight directions
only.
"""


@dataclass(frozen=True)
class Analysis:
    """Result of an analysis.

    fields: `fields.ANALYZED` by name. figures: see `statistics`. notes: remarks in sentences. land:
    the land analyzed; None if another process analyzed it.
    """

    fields: dict[str, Array]
    figures: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    land: Land | None = None


def analyze(
    terrain: Terrain,
    parameters: AnalysisParameters | None = None,
    edges: str = "open",
    threads: int = 0,
    tally: Tally | None = None,
    outlets: Array | None = None,
) -> Analysis:
    """Analyze a terrain; the same bytes on any number of threads.

    edges: see `base.arrays.EDGES`. tally: progress. outlets: mask of outlets, (rows, cols), where
    water leaves from 0.5 on. Raises InputError if the sea leaves no land, and for an invalid mask.
    """
    parameters = parameters or AnalysisParameters()
    tally = tally or Tally()
    tally.total = 5.0
    level = parameters.sea_level if parameters.sea else None
    outlets = prepared_outlets(outlets, terrain.shape)
    land = Land(terrain.elevation, terrain.spacing, edges, level, granted(threads), outlets)
    require_land(land.sea, parameters.sea_level)
    tally.add(2.0)
    graph = land.graph
    slope, curvature, _ = land.surface
    least = smallest_channel(parameters.channel_area, terrain.cell_area * terrain.elevation.size)
    orders = graph.stream_order(land.areas, least)
    fields = {
        "drainage_area": graph.inside(land.areas).astype(np.float32),
        "stream_order": graph.inside(orders).astype(np.float32),
        "lake_depth": (graph.inside(land.levels) - graph.inside(land.heights)).astype(np.float32),
        "slope": slope,
        "curvature": curvature,
        "flow_direction": land.directions(WAY),
    }
    tally.add(1.0)
    figures = measured(land)
    tally.add(2.0)
    return Analysis(fields, figures, _notes(terrain, land), land)


def smallest_channel(channel_area: float, land: float) -> float:
    """Drainage area of the smallest channel in m². channel_area: km², see `AnalysisParameters`.
    land: m² in all.
    """
    return channel_area * SQUARE_KILOMETER or land / BROOKS


def _notes(terrain: Terrain, land: Land) -> list[str]:
    notes: list[str] = []
    if terrain.relief == 0:
        notes.append(Sentence("The terrain is flat, so its water has no direction."))
    if not land.graph.outlets.any():
        notes.append(Sentence("No edge is open, so all water gathers at the lowest point."))
    return notes
