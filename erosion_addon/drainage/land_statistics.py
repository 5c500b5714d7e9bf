# SPDX-License-Identifier: GPL-3.0-or-later
"""Statistics of drainage, rivers and slopes, for comparison with real land."""

from typing import Any, NamedTuple

import numpy as np

from ..base.arrays import Array, mean_cell_size
from ..base.kernels.elementary import power
from ..base.threads import in_bands, processors
from .land import Land

DEEP = 0.01
"""Smallest depth of a pit that counts, as a share of the relief."""

CHANNEL = 50
"""Drainage area of the smallest channel in cells."""

FEWEST = 100
"""Fewest channel cells for statistics of channels."""

BINS = 20

REACH = 20
"""Cells downstream over which channel directions are averaged."""

FLAT = 0.052407779283041
"""Slope of 3°."""

NEEDLE = 0.25
"""Smallest height of a needle above its neighbors, as a share of the cell size."""

FIGURES = (
    ("relief", "Relief", "{:,.1f} m"),
    ("pits", "Land in pits", "{:.1%}"),
    ("free_drainage", "Land that drains freely", "{:.1%}"),
    ("concavity", "Concavity of channels", "{:.2f} (R² {r2:.2f})"),
    ("hack", "Hack's exponent", "{:.2f} (R² {r2:.2f})"),
    ("area_exponent", "Exponent of drainage areas", "{:.2f} (R² {r2:.2f})"),
    ("hypsometric_integral", "Hypsometric integral", "{:.2f}"),
    ("slope_p50", "Slope, median", "{:.1f}°"),
    ("slope_p90", "Slope, 90th percentile", "{:.1f}°"),
    ("slope_p99", "Slope, 99th percentile", "{:.1f}°"),
    ("flat", "Land under 3°", "{:.1%}"),
    ("needles", "Needles per million cells", "{:.0f}"),
    ("slopes_along_grid", "Slopes along the grid, more than elsewhere", "{:+.1%}"),
    ("channels_along_grid", "Channels along the grid, more than elsewhere", "{:+.1%}"),
)
"""Name, label and format of each displayed figure."""


def lines(figures: dict[str, Any]) -> list[tuple[str, str]]:
    """Label and text of each figure."""
    return [(label, _text(figures, name, pattern)) for name, label, pattern in FIGURES]


def _text(figures: dict[str, Any], name: str, pattern: str) -> str:
    if figures.get(name) is None:
        return "too little land to measure"
    return pattern.format(figures[name], r2=figures.get(f"{name}_r2") or 0.0)


def statistics(
    elevation: Array, spacing: tuple[float, float], edges: str = "open"
) -> dict[str, Any]:
    """Statistics of a terrain, (rows, cols) m, see `measured`."""
    return measured(Land(elevation, spacing, edges, threads=processors()))


def measured(land: Land) -> dict[str, Any]:
    """Statistics of land by name; None if there is too little data.

    relief: m. pits: share of the land below its spill level. free_drainage: share of the land whose
    flow path to an outlet passes no pit deeper than 1 % of the relief. concavity: θ of S ~ A^-θ,
    with its R² over bin means in A, weighted by their cells. hack: h of L ~ A^h, with R², as for
    concavity. area_exponent: τ of P(A > a) ~ a^-τ. hypsometric_integral: mean height as a share of
    the relief. slope_p50, p90, p99: degrees. flat: share of the land under 3°. needles: cells per
    million that are higher than their eight neighbors by a quarter of a cell. slopes_along_grid,
    channels_along_grid: relative excess along the grid's axes or diagonals, the larger of the two:
    0 for isotropic land, 0.05 for 5 % too many.

    Rivers and slopes are measured on cells of at least 30 m. Cells below the sea are excluded.
    """
    heights = land.above_sea(land.elevation)
    relief = float(np.ptp(heights)) if heights.size else 0.0
    deepest, depth = (land.above_sea(values) for values in _pits(land))
    coarse = land.averaged
    slope = coarse.above_sea(coarse.surface[0])
    percentiles = (
        np.degrees(np.arctan(np.percentile(slope, (50, 90, 99)))) if slope.size else [None] * 3
    )
    figures: dict[str, Any] = {
        "cell_size": mean_cell_size(land.spacing),
        "measured_at": mean_cell_size(coarse.spacing),
        "relief": relief,
        "pits": float((depth > 0).mean()),
        "free_drainage": float((deepest <= DEEP * relief).mean()),
        **_rivers(coarse),
        "hypsometric_integral": float((heights.mean() - heights.min()) / relief)
        if relief
        else None,
        **{
            f"slope_p{percent}": None if value is None else float(value)
            for percent, value in zip((50, 90, 99), percentiles, strict=True)
        },
        "flat": float((slope < FLAT).mean()) if slope.size else None,
        "needles": _needles(land) / heights.size * 1e6,
        "slopes_along_grid": favored(coarse.surface[2]),
    }
    return figures


def _pits(land: Land) -> tuple[Array, Array]:
    """Depth of the deepest pit on each cell's flow path, and of the pit at the cell: (rows, cols)
    m.
    """
    from .kernels import streams

    graph = land.graph
    deepest = np.zeros(land.heights.size)
    streams.deepest_pits(graph.network, graph.order, land.heights, land.levels, deepest)
    return graph.inside(deepest), graph.inside(land.levels) - graph.inside(land.heights)


class _Channels(NamedTuple):
    """Channels binned by drainage area, each (bins,): log10 of the area in m² at the middle and
    lower end of a bin, number of cells, and their mean slope and length.
    """

    middles: Array
    ends: Array
    counts: Array
    slopes: Array
    lengths: Array


def _channel_cells(land: Land) -> Array:
    """Indices of channel cells, without outlets."""
    least = CHANNEL * land.spacing[0] * land.spacing[1]
    return np.flatnonzero((land.areas >= least) & (land.graph.network.toward < 8))


def _channels(land: Land, cells: Array) -> _Channels:
    from .kernels import streams

    network = land.graph.network
    heights = land.heights
    lengths = np.zeros(land.heights.size)
    streams.longest_ways(network, land.graph.order, lengths)
    toward = network.toward[cells]
    below = cells + network.offsets[toward]
    if network.home.size:
        below = network.home[below]
    slopes = np.maximum(heights[cells] - heights[below], 0.0) / network.distances[toward]
    area = np.log10(land.areas[cells])
    ends = np.linspace(area.min(), area.max(), BINS + 1)
    place = np.clip(np.digitize(area, ends) - 1, 0, BINS - 1)
    counts = np.bincount(place, minlength=BINS)
    some = np.maximum(counts, 1)
    return _Channels(
        0.5 * (ends[1:] + ends[:-1]),
        ends[:-1],
        counts,
        np.bincount(place, slopes, BINS) / some,
        np.bincount(place, lengths[cells], BINS) / some,
    )


def _rivers(land: Land) -> dict[str, float | None]:
    """Scaling of channel slope and length with drainage area, and anisotropy of channels."""
    from .kernels import streams

    figures: dict[str, float | None] = dict.fromkeys(
        (
            "concavity",
            "concavity_r2",
            "hack",
            "hack_r2",
            "area_exponent",
            "area_exponent_r2",
            "channels_along_grid",
        )
    )
    cells = _channel_cells(land)
    if cells.size < FEWEST:
        return figures
    channels = _channels(land, cells)
    # the share with more than a bin's least
    beyond = np.cumsum(channels.counts[::-1])[::-1] / cells.size
    # Means weigh as much as they have cells: a bin of one river's last reach says less than one of
    # many brooks. Concavities of parts of an elevation model then differ half to nine tenths as
    # much.
    equal = np.ones(BINS)
    fits = {
        "concavity": (channels.middles, channels.slopes, channels.counts, -1.0),
        "hack": (channels.middles, channels.lengths, channels.counts, 1.0),
        "area_exponent": (channels.ends, beyond, equal, -1.0),
    }
    for name, (at, values, counts, sign) in fits.items():
        full = (channels.counts >= 10) & (values > 0)
        if full.sum() < 5:
            continue
        value = np.log10(values[full])
        weights = counts[full]
        steepness, start = np.polyfit(at[full], value, 1, w=np.sqrt(weights))
        rest = value - (steepness * at[full] + start)
        spread = value - np.average(value, weights=weights)
        total = float((weights * spread * spread).sum())
        figures[name] = float(sign * steepness)
        figures[f"{name}_r2"] = (
            1.0 - float((weights * rest * rest).sum()) / total if total else None
        )
    ways = np.empty(4)
    streams.aspects(land.graph.network, cells, *land.spacing, REACH, ways)
    figures["channels_along_grid"] = favored(ways)
    return figures


def curves(land: Land) -> dict[str, tuple[Array, Array]]:
    """x and y of each plot by name; none if there is too little data.

    slope_area: m², m/m, of channels. hypsometry: share of the land that lies higher, height as a
    share of the relief. slopes: degrees, share of the land per degree.
    """
    coarse = land.averaged
    by_name = {}
    cells = _channel_cells(coarse)
    if cells.size >= FEWEST:
        channels = _channels(coarse, cells)
        full = (channels.counts >= 10) & (channels.slopes > 0)
        by_name["slope_area"] = power(10.0, channels.middles[full]), channels.slopes[full]
    heights = land.above_sea(land.elevation)
    higher = np.linspace(0.0, 1.0, 101)
    if np.ptp(heights):
        by_name["hypsometry"] = (
            higher,
            (np.quantile(heights, 1.0 - higher) - heights.min()) / np.ptp(heights),
        )
    slopes = np.degrees(np.arctan(coarse.above_sea(coarse.surface[0])))
    counts, ends = np.histogram(slopes, 45, (0.0, 90.0))
    if slopes.size:
        by_name["slopes"] = 0.5 * (ends[1:] + ends[:-1]), counts / slopes.size / np.diff(ends)
    return by_name


def favored(amounts: Array) -> float | None:
    """Relative excess along the grid's axes or diagonals over isotropy.

    amounts: (4,) by the sectors of `kernels.surface`; axes and diagonals each cover a quarter of
    the circle.
    """
    total = amounts[:3].sum()
    return float(4.0 * amounts[:2].max() / total - 1.0) if total else None


def _needles(land: Land) -> int:
    """Number of cells that stand out from all their neighbors."""
    from .kernels import surface

    rows = len(land.elevation)
    counts = np.empty(rows, np.int64)
    above = NEEDLE * mean_cell_size(land.spacing)
    in_bands(
        lambda first, last: surface.needles(land.elevation, above, first, last, counts),
        rows,
        land.threads,
    )
    return int(counts.sum())
