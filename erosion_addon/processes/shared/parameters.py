# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters that several processes have, and the time and memory that they take."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.arrays import Array, longer_side
from ...base.errors import InputError
from ...base.parameters import parameter
from ...terrain.masks import GRASS_PROTECTION
from ...terrain.terrain import SMALLEST_SIDE
from .process import Cost, Part, Spacing

COARSEST = 128
"""Fewest cells along the longer side of a coarser grid, enough for large valleys."""

COARSE_DROPS, FINE_DROPS = 0.5, 0.15
"""Shares of the drops per cell on coarse and on fine cells.

Early drops change the land most, so fewer in all do as much: on a fractal of 1024² the change of
height had 0.85 to 1.0 times the deviation that it has on fine cells alone.
"""

COARSE_DROP_BYTES = 24
"""Working memory of coarser cells per cell of the terrain."""

SPREAD = 0.375
"""Share of the excess slope removed per pass; 1/2 is the stability limit."""

PORTIONS = 32
"""Portions of the drops of a whole step, each followed by slides and creep."""

ROUND = 8
"""Passes after a portion of the drops."""

SECONDS = 4e-9
"""Seconds per pass and cell."""

UNDER_GRASS = {
    "grass_protection": (GRASS_PROTECTION, "Paint the mask Protection where less may wear.")
}

DROPS_SUMMARIZED = ("drops", "drops_per_second", "mean_path", "paths_cut")
"""Counts that `drops_in_words` needs."""


def feature_size() -> Any:
    """Parameter: width of the finest channels in meters."""
    return parameter(
        0.0,
        "Width of the finest channels: "
        "higher values make them broader, and alike at every resolution. Auto: by Detail.",
        low=0,
        high=1e6,
        unit="m",
        soft_high=100,
        zero="Auto",
        usual=10.0,
    )


def detail() -> Any:
    """Parameter: width of the finest channels relative to the terrain."""
    return parameter(
        0,
        "Maximum number of channels side by side along the longer side, at every resolution: "
        "higher values make them finer. Auto: cells.",
        low=0,
        high=65536,
        soft_high=2048,
        zero="Auto",
        usual=512,
    )


def coarse_to_fine() -> Any:
    """Parameter: coarser cells first."""
    return parameter(
        False,
        "Large valleys first, on coarser cells, then smaller ones on finer cells: nearly three "
        "times as fast on large terrains; valleys shift a little.",
        group="Resolution",
    )


def maximum_path() -> Any:
    """Parameter: longest path of a drop."""
    return parameter(
        4.0,
        (
            "Longest path of a drop, as a multiple of the terrain's longer side: lower values cut "
            "rivers short."
        ),
        low=0.01,
        high=100,
        unit="sides",
        soft_high=10,
        step=0.01,
        group="Drops",
    )


def slope_limit() -> Any:
    """Parameter: steepest flanks beside channels."""
    return parameter(
        90.0,
        (
            "Steepest slope beside the channels of drops: lower values make gentler flanks "
            "without needles, 90 keeps walls."
        ),
        low=1,
        high=90,
        unit="°",
        group="Hillslopes",
        soft_low=20,
    )


def creep() -> Any:
    """Parameter: distance of creep during the rain."""
    return parameter(
        0.0,
        "Distance of creep while the drops fall: higher values round crests and fill hollows.",
        low=0,
        high=10_000,
        unit="m",
        zero="None",
        usual=10.0,
        soft_high=50,
        group="Hillslopes",
        width_power=1,
    )


def size_of(parameters: Any, shape: tuple[int, int], spacing: tuple[float, float]) -> float:
    """Width of a step's finest channels in meters; 0 for the width of a cell."""
    if parameters.feature_size > 0 or parameters.detail == 0:
        return float(parameters.feature_size)
    return float(longer_side(shape, spacing) / parameters.detail)


def halved(shape: tuple[int, ...]) -> tuple[int, int] | None:
    """Rows and columns of cells twice as wide; None if they would be too few for large valleys."""
    rows, cols = ((cells + 1) // 2 for cells in shape)
    return (
        (rows, cols) if max(rows, cols) >= COARSEST and min(rows, cols) >= SMALLEST_SIDE else None
    )


LEAST_DRY = 2.0**-24
"""Lower bound of 1 - moisture: rounding of float32."""


def wet_odds(moisture: Array) -> Array:
    """Ratio of wet to dry soil."""
    return np.asarray(moisture / np.maximum(1.0 - moisture, LEAST_DRY))


def moisture_at(odds: Array) -> Array:
    """Moisture of a ratio, see `wet_odds`."""
    return np.asarray(odds / (1.0 + odds))


def channels_on_part(parameters: Any, part: Part) -> Any:
    """Parameters of drops on a window: channels and paths of the same length in meters."""
    values = {
        "maximum_path": min(parameters.maximum_path * part.sides, 100.0),
        "coarse_to_fine": False,
    }
    if parameters.detail:
        values["detail"] = max(1, round(parameters.detail / part.sides))
    return replace(parameters, **values)


def creep_passes(
    length: float, shape: tuple[int, ...], spacing: tuple[float, float], portions: int = PORTIONS
) -> tuple[int, float]:
    """Passes of creep after each of the portions of the drops, and their spread. Creep reaches √(2
    D t), at most the length of the terrain.
    """
    rows, cols = (side * side for side in spacing)
    length = min(length, longer_side(shape, spacing))
    spread = 0.5 * length * length / portions / (rows * cols / (rows + cols))
    passes = math.ceil(spread / SPREAD)
    return passes, spread / max(passes, 1)


def seconds_of_slides(
    parameters: Any, shape: tuple[int, int], spacing: tuple[float, float], edges: str
) -> float:
    """Estimated duration for parameters with `passes`, see `process.Process.seconds`."""
    return float(parameters.passes(shape, spacing) * SECONDS * shape[0] * shape[1])


def seconds_of_hillslopes(
    parameters: Any, shape: tuple[int, ...], spacing: tuple[float, float]
) -> float:
    """Estimated duration for parameters with `slope_limit` and `creep`."""
    passes = PORTIONS * (
        (ROUND if parameters.slope_limit < 90 else 0)
        + creep_passes(parameters.creep, shape, spacing)[0]
    )
    return passes * SECONDS * shape[0] * shape[1]


def hillslope_bytes(parameters: Any) -> int:
    """Working memory of `Hillslopes` per cell, see `process.Process.bytes_of_options`."""
    return 4 * 8 + 12 if parameters.slope_limit < 90 or parameters.creep > 0 else 0


def bytes_of_drops(parameters: Any) -> int:
    """Memory per cell of parameters, see `process.Process.bytes_of_options`."""
    hillslopes = hillslope_bytes(parameters)
    return hillslopes + (COARSE_DROP_BYTES + hillslopes // 4 if parameters.coarse_to_fine else 0)


def drops_in_words(counts: Mapping[str, Any]) -> list[str]:
    """Number of drops and their mean path, in words."""
    paths = f"mean path {counts['mean_path']:.0f} cells, {counts['paths_cut']:,} paths cut"
    if "random_directions" in counts:
        paths += f", {counts['random_directions']:,} random directions"
    return [f"{counts['drops']:,} drops, {counts['drops_per_second']:,.0f} a second", paths]


def seconds_of_drops(per_step: float) -> Cost:
    """Estimated duration for drops. per_step: seconds per drop."""

    def seconds(parameters: Any, shape: tuple[int, int], spacing: Spacing, edges: str) -> float:
        size = size_of(parameters, shape, spacing)
        height = max(size, spacing[0])
        width = max(size, spacing[1])
        rows = round(shape[0] * spacing[0] / height)
        cols = round(shape[1] * spacing[1] / width)
        drops: float = parameters.drops_per_cell * rows * cols
        hillslopes = seconds_of_hillslopes(parameters, (rows, cols), (height, width))
        # a quarter of the cells, and half of the way
        if parameters.coarse_to_fine and halved((rows, cols)):
            return drops * per_step * (FINE_DROPS + COARSE_DROPS / 8) + hillslopes * (
                FINE_DROPS + 1 / 4
            )
        return drops * per_step + hillslopes

    return seconds


def require_on_terrain(springs: Iterable[tuple[float, ...]]) -> None:
    """Raise InputError for a spring beside the terrain.

    springs: rows of x, y (0-1 from the left and bottom edge), rate.
    """
    for x, y, _ in springs:
        if x > 1 or y > 1:
            raise InputError(
                "springs: one lies at ({x:g}, {y:g}), outside the terrain; x and y go from 0 to 1."
            ).format(x=x, y=y)


def spring_cells(shape: tuple[int, ...], springs: Iterable[tuple[float, ...]]) -> list[int]:
    """Flat index of each spring's cell on a grid of `shape`. springs: as for
    `require_on_terrain`.
    """
    rows, cols = shape
    return [round(y * (rows - 1)) * cols + round(x * (cols - 1)) for x, y, _ in springs]
