# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics of drainage: how well a terrain drains, and how its rivers and slopes compare with real land."""

import math
from typing import Any

import numpy as np

from ..base.arrays import Array
from .flow_graph import FlowGraph

FINEST = 30.0
"""Meters: rivers and slopes are measured on cells of this size at least, as those of elevation models are."""

DEEP = 0.01
"""Depth of a pit that counts, as a share of the relief."""

CHANNEL = 50
"""Cells that drain through the smallest channel."""

BINS = 20


def statistics(elevation: Array, spacing: tuple[float, float], edges: str = "open") -> dict[str, Any]:
    """Figures of a terrain, (rows, cols) m, by name; None where there is too little to measure.

    relief: m. pits: share of the land below the level at which it would overflow. free_drainage: share of the land
    whose water reaches an outlet past no pit deeper than 1 % of the relief. concavity: θ of S ~ A^-θ, with its R² over
    means of bins of A. hack: h of L ~ A^h, with R². area_exponent: τ of P(A > a) ~ a^-τ. hypsometric_integral: mean
    height as a share of the relief. slope_p50, p90, p99: degrees. flat: share of the land under 3°. needles: cells of a
    million that are higher than their eight neighbors by a quarter of a cell. Rivers and slopes are those of cells of
    30 m at least.
    """
    relief = float(np.ptp(elevation))
    graph, flat = _routed(elevation, spacing, edges)
    deepest, depth = _pits(graph, flat)
    coarse, cells = _averaged(elevation, spacing)
    if coarse is not elevation:
        graph, flat = _routed(coarse, cells, edges)
    slope = np.degrees(np.arctan(np.hypot(*np.gradient(coarse, *cells))))
    found: dict[str, Any] = {
        "cell_size": math.sqrt(spacing[0] * spacing[1]),
        "measured_at": math.sqrt(cells[0] * cells[1]),
        "relief": relief,
        "pits": float((depth > 0).mean()),
        "free_drainage": float((deepest <= DEEP * relief).mean()),
        **_rivers(graph, flat),
        "hypsometric_integral": float((elevation.mean() - elevation.min()) / relief) if relief else None,
        **{f"slope_p{percent}": float(np.percentile(slope, percent)) for percent in (50, 90, 99)},
        "flat": float((slope < 3.0).mean()),
        "needles": _needles(elevation, spacing),
    }
    return found


def _routed(elevation: Array, spacing: tuple[float, float], edges: str) -> tuple[FlowGraph, Array]:
    """The graph of a terrain, and its heights flat."""
    rows, cols = elevation.shape
    graph = FlowGraph((rows, cols), spacing, edges)
    flat = graph.padded(elevation)
    graph.route(flat)
    return graph, flat


def _pits(graph: FlowGraph, flat: Array) -> tuple[Array, Array]:
    """Deepest pit on each cell's way, and depth of the pit on it: (rows, cols) m."""
    from .kernels import streams  # numba takes a second to import, so only where it runs

    levels, deepest = graph.filled(flat), np.zeros(flat.size)
    streams.deepest_pits(graph.network, graph.order, flat, levels, deepest)
    return graph.inside(deepest), graph.inside(levels - flat)


def _averaged(elevation: Array, spacing: tuple[float, float]) -> tuple[Array, tuple[float, float]]:
    """Means over blocks of cells that are as wide as the finest that is measured, and the spacing of the blocks."""
    along, across = (max(1, round(FINEST / side)) for side in spacing)
    rows, cols = elevation.shape[0] // along, elevation.shape[1] // across
    if along == across == 1 or min(rows, cols) < 32:  # or too small a land for such cells
        return elevation, spacing
    blocks = elevation[: rows * along, : cols * across].reshape(rows, along, cols, across)
    return blocks.mean(axis=(1, 3)), (spacing[0] * along, spacing[1] * across)


def _rivers(graph: FlowGraph, flat: Array) -> dict[str, float | None]:
    """How slope and length of channels follow from the area that drains through them."""
    from .kernels import streams

    areas, lengths = graph.inside(graph.drainage_area()).ravel(), np.zeros(flat.size)
    streams.longest_ways(graph.network, graph.order, lengths)
    heights, receivers = graph.inside(flat).ravel(), graph.receivers().ravel()
    falls = np.maximum(heights - heights[receivers], 0.0)
    distances = np.append(graph.network.distances, np.inf)
    slopes = falls / distances[np.minimum(graph.inside(graph.network.toward).ravel(), 8)]
    channels = (areas >= CHANNEL * graph.spacing[0] * graph.spacing[1]) & ~graph.outlets.ravel()
    found: dict[str, float | None] = dict.fromkeys(
        ("concavity", "concavity_r2", "hack", "hack_r2", "area_exponent", "area_exponent_r2")
    )
    if channels.sum() < 100:
        return found
    area = np.log10(areas[channels])
    ends = np.linspace(area.min(), area.max(), BINS + 1)
    place = np.clip(np.digitize(area, ends) - 1, 0, BINS - 1)
    counts = np.bincount(place, minlength=BINS)
    middles = 0.5 * (ends[1:] + ends[:-1])
    beyond = np.cumsum(counts[::-1])[::-1] / counts.sum()  # of channels, the share with more than a bin's least
    measured = {
        "concavity": (middles, np.bincount(place, slopes[channels], BINS), counts, -1.0),
        "hack": (middles, np.bincount(place, graph.inside(lengths).ravel()[channels], BINS), counts, 1.0),
        "area_exponent": (ends[:-1], beyond * counts, counts, -1.0),
    }
    for name, (at, sums, weights, sign) in measured.items():
        full = (weights >= 10) & (sums > 0)
        if full.sum() < 5:
            continue
        value = np.log10(sums[full] / weights[full])
        power, start = np.polyfit(at[full], value, 1)
        rest = value - (power * at[full] + start)
        found[name] = float(sign * power)
        found[f"{name}_r2"] = float(1.0 - rest.var() / value.var()) if value.var() else None
    return found


def _needles(elevation: Array, spacing: tuple[float, float]) -> float:
    """Cells of a million that stand out from all their neighbors."""
    around = np.pad(elevation, 1, mode="edge")
    rows, cols = elevation.shape
    parts = [around[r : r + rows, c : c + cols] for r in range(3) for c in range(3) if (r, c) != (1, 1)]
    above = elevation - np.max(parts, axis=0)
    return float((above > 0.25 * math.sqrt(spacing[0] * spacing[1])).mean() * 1e6)
