# SPDX-License-Identifier: GPL-3.0-or-later
"""River-cut mountains: land that rises while rivers cut it, by the process uplift.

The whole history runs on coarse cells, the same ones at every resolution, so they decide where
rivers are. Finer cells get a few time steps each. The land reaches beyond the terrain on all sides,
down to an even border, so the terrain's own border cuts valleys and crests like the edge of a map.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.kernels.elementary import exp, sincos, tan
from ..base.memory import require
from ..drainage.flow_graph import FlowGraph
from ..grid.sampling import sample_grid, smooth_step
from ..processes.shared.state import State
from ..processes.uplift.parameters import HILLSLOPES, UpliftParameters
from ..processes.uplift.step import UpliftStep
from . import noise
from .canvas import MARGIN, Canvas
from .domain_warp import interpolated
from .landscapes import stretched
from .parameters import MountainsParameters


def coast_share(canvas: Canvas, coast: float) -> Array:
    """Land's share of its height (rows, cols), 0-1: 0 along the border and beyond a coast with
    bays.
    """
    y = np.linspace(-1, 1, canvas.rows)[:, None]
    x = np.linspace(-1, 1, canvas.cols)[None, :]
    radius = np.sqrt(y * y + x * x)
    bays = 0.6 * canvas.cut(noise.bend(canvas, 3))
    share: Array = smooth_step((1 - 1.1 * radius + bays) / coast) * smooth_step((1 - radius) / 0.2)
    return share


def island_share(canvas: Canvas, coast: float, elevation: Array) -> Array:
    """`coast_share`, scaled to keep the peak height of the elevation."""
    share = coast_share(canvas, coast)
    left = float((elevation * share).max())
    return share * (float(elevation.max()) / left) if left > 0 else share


COARSEST = 128
"""Coarsest cells along the longer side."""

ROUNDS, STEPS = 8, 10
"""Parts of the history, after each of which the uplift is corrected for the relief, and their time
steps.
"""

YEARS = 2e7
"""Years until crests are sharp. With an erodibility of 1 mm/year and a concavity of 0.5, rivers cut
back through land of any size in a twentieth of them.
"""

WORN_ROUNDS, WORN_YEARS = 4, 5e6
"""Parts of the history after the uplift, and the years of all of them in the oldest land."""

FINE_STEPS, FINE_YEARS = 5, 3e5
"""Time steps on each finer size of cells, and the years of the first; each next one has half of
them.
"""

RISE, FASTEST = 2.5e-4, 4.0
"""First guess of the uplift in mm/year for each meter of relief, and the most that it is multiplied
by: with all slopes at their limit, land cannot become higher.
"""

SLOWER = 0.7
"""Share by which everything is slower where hard beds do not erode at all."""

STEEPEST = 34.0
"""Slope limit in degrees."""

ROUNDED = 8.0
"""Hillslope length of the oldest land, relative to young land."""

UNEVEN = 0.6
"""Most that the uplift differs from its mean, as a share."""

VARIED, HARDEST = 0.6, 0.9
"""Standard deviation of the hardness of the roughest rock, and its upper bound."""

BEND, WAVE = 1.0, 16.0
"""Standard deviation and wavelength, in coarse cells, of the bends that rivers get on finer ones.
In cells they run in eight directions.
"""

EDGE = 0.08
"""Passage between two beds, as a share of a pair."""

BYTES_PER_CELL = 220
"""Peak memory for each cell of the terrain and of the land around it; measured."""

_BEDS = 220
"""Random stream of the beds."""


@dataclass(frozen=True)
class _Land:
    """Land on the cells of a canvas and its margin, each (period).

    heights: m. uplift: relative. hardness: of the rock without beds, 0-1. across: distance from the
    middle to the left of the strike, bent by the warp, m. coast: factor of the uplift, 0 in the
    sea; None without a sea.
    """

    canvas: Canvas
    heights: Array
    uplift: Array
    hardness: Array
    across: Array
    coast: Array | None


def mountains(canvas: Canvas, parameters: MountainsParameters) -> Array:
    """Land that rose while rivers cut it, with tilted beds of rock. All of it drains to the border
    or the sea.
    """
    asked = f"A terrain of {canvas.rows} × {canvas.cols} cells, with the land around it,"
    require(math.prod(canvas.period) * BYTES_PER_CELL, asked)
    levels = _levels(canvas)
    land, rate = _history(_start(levels[0], parameters), parameters)
    for number, level in enumerate(levels[1:]):
        years = FINE_YEARS / (1 << number) * _grown(parameters)
        land = _cut(
            _refined(land, level, parameters, number == 0), parameters, years, rate, FINE_STEPS
        )
    return stretched(canvas.cut(land.heights), parameters.relief)


def _levels(canvas: Canvas) -> list[Canvas]:
    """Canvases of the same ground, from the coarsest cells to the terrain's, each of half the size
    of the one before or more.
    """
    sides = [
        (cells - 1) * space
        for cells, space in zip((canvas.rows, canvas.cols), canvas.spacing, strict=True)
    ]
    levels: list[Canvas] = []
    most = COARSEST
    while not levels or most < max(canvas.rows, canvas.cols) - 1:
        rows, cols = (max(2, round(side / max(sides) * most)) for side in sides)
        levels.append(
            replace(
                canvas, rows=rows + 1, cols=cols + 1, spacing=(sides[0] / rows, sides[1] / cols)
            )
        )
        most *= 2
    return [*levels, canvas]


def _grown(parameters: MountainsParameters) -> float:
    """Share of the years of uplift that are over: all at half of the age."""
    return min(4 * parameters.age * parameters.age, 1.0)


def _worn(parameters: MountainsParameters) -> float:
    """Share of the years after the uplift that are over."""
    return max(2 * parameters.age - 1.0, 0.0)


def _start(canvas: Canvas, parameters: MountainsParameters) -> _Land:
    """Hills before the uplift, and the rock in them."""
    massifs = _massifs(canvas, parameters.massifs)
    heights = (
        parameters.roughness
        * parameters.relief
        * (2.0 * massifs + noise.octaves(canvas, 4.0, 5, 0.6, 20))
    )
    rock = np.clip(0.5 + VARIED * noise.octaves(canvas, 8.0, 4, 0.8, 24), 0.0, HARDEST)
    # The hardness of beds does not depend on that of the rock.
    hardness = parameters.roughness * (1.0 - parameters.hardness) * rock
    coast = _coast(canvas, parameters)
    uplift = 1.0 + UNEVEN * massifs
    across = _across(canvas, parameters.strike)
    return _Land(canvas, heights - heights.min(), uplift, hardness, across, coast)


def _massifs(canvas: Canvas, waves: float) -> Array:
    """Noise from -1 to 1. waves: about how many lie along the longer side."""
    bell = exp(-np.square(noise.frequency(canvas, 2.5 * waves) / waves - 1.0) / 0.09)
    massifs = noise.field(canvas, noise.white(canvas, 22, 2.5 * waves) * bell)
    return np.asarray(massifs / max(float(np.abs(massifs).max()), 1e-30))


def _across(canvas: Canvas, strike: float) -> Array:
    """Distance to the left of a line along the strike through the middle, (period) m."""
    sine, cosine = sincos(math.radians(strike))
    y, x = (
        (np.arange(cells) - (cells - 1) / 2) * space
        for cells, space in zip(canvas.period, canvas.spacing, strict=True)
    )
    straight: Array = cosine * y[:, None] - sine * x
    if not canvas.warp:
        return straight
    far = canvas.warp * MARGIN * canvas.longer_side
    bent: Array = straight + far * (cosine * noise.bend(canvas, 1) - sine * noise.bend(canvas, 2))
    return bent


def _coast(canvas: Canvas, parameters: MountainsParameters) -> Array | None:
    if not parameters.island:
        return None
    return np.pad(
        coast_share(canvas, parameters.island), [(margin, margin) for margin in canvas.margin]
    )


def _history(land: _Land, parameters: MountainsParameters) -> tuple[_Land, float]:
    """The land at its age, and the uplift then, relative to `RISE`."""
    rate = 1.0
    for _ in range(ROUNDS):
        land, ratio = _scaled(
            _cut(land, parameters, YEARS * _grown(parameters) / ROUNDS, rate, STEPS),
            parameters.relief,
        )
        rate = min(rate * ratio, FASTEST)
    rate *= 1.0 - _worn(parameters)
    for _ in range(WORN_ROUNDS if _worn(parameters) else 0):
        land, _ = _scaled(
            _cut(land, parameters, WORN_YEARS * _worn(parameters) / WORN_ROUNDS, rate, STEPS),
            parameters.relief,
        )
    return land, rate


def _scaled(land: _Land, relief: float) -> tuple[_Land, float]:
    """The land brought to the relief by at most twice or half of its height, and that factor."""
    height = float(np.ptp(land.canvas.cut(land.heights)))
    ratio = min(max(relief / height, 0.5), 2.0) if height > 0 else 1.0
    return replace(land, heights=land.heights * ratio), ratio


def _cut(
    land: _Land, settings: MountainsParameters, years: float, rate: float, steps: int
) -> _Land:
    """The land after years of uplift and rivers, without pits. rate: of the uplift, relative to
    `RISE`.
    """
    canvas = land.canvas
    heights = land.heights
    uplift = land.uplift
    outlets = None
    soft = (1.0 - land.hardness) * (1.0 - settings.hardness * _beds(land, settings))
    masks = {"hardness": (1.0 - soft).astype(np.float32)}
    if land.coast is not None:
        outlets = land.coast <= 0
        heights = np.where(outlets, 0.0, np.maximum(heights, 0.0))
        uplift = uplift * land.coast
        masks["outlet"] = outlets.astype(np.float32)
    masks["uplift"] = uplift.astype(np.float32)
    speed = 1.0 - SLOWER * settings.hardness
    parameters = UpliftParameters(
        years=years / speed,
        uplift=speed * rate * RISE * settings.relief,
        erodibility=1.0,
        breach=1.0,
        slope_limit=STEEPEST,
        hillslope_length=(1.0 + (ROUNDED - 1.0) * _worn(settings))
        * canvas.longer_side
        / HILLSLOPES,
        coarse_to_fine=False,
    )
    layers: dict[str, Array] = {"sediment": np.zeros(canvas.period)}
    state = State(heights, layers, masks, canvas.spacing, "open", canvas.threads)
    running = UpliftStep(state, parameters, canvas.seed, steps)
    while running.advance() < 1.0:
        pass
    graph = FlowGraph(canvas.period, canvas.spacing, "open", outlets, canvas.threads)
    flat = graph.padded(running.elevation())
    graph.route(flat)
    return replace(land, heights=graph.inside(graph.filled(flat)))


def _beds(land: _Land, parameters: MountainsParameters) -> Any:
    """Share of hard rock at the surface, 0-1. In each pair of beds the upper one is hard; they are
    unevenly thick.
    """
    if not parameters.hardness:
        return 0.0
    fall = tan(math.radians(parameters.dip))
    pair = (
        land.canvas.longer_side * fall + parameters.relief
    ) / parameters.beds  # measured upright
    number, place = np.divmod((land.heights + fall * land.across) / (pair or 1.0), 1.0)
    soft = 0.5 + 0.2 * noise.random_numbers(land.canvas.seed, _BEDS, number, 0)
    return smooth_step((place - soft) / EDGE) * smooth_step((1.0 - place) / EDGE)


def _refined(land: _Land, finer: Canvas, parameters: MountainsParameters, bent: bool) -> _Land:
    """The land on finer cells. bent: whether its rivers get bends."""
    coarser = land.canvas
    row, col = (
        np.clip((np.arange(cells) - inside) * space / wide + margin, 0.0, last - 1.0)
        for cells, inside, space, wide, margin, last in zip(
            finer.period,
            finer.margin,
            finer.spacing,
            coarser.spacing,
            coarser.margin,
            coarser.period,
            strict=True,
        )
    )
    down, right = np.zeros((2, *finer.period))
    if bent:
        moves = (noise.band(coarser, COARSEST / WAVE, 26 + axis) for axis in (0, 1))
        down, right = (BEND * sample_grid(move, row, col) for move in moves)
    heights = interpolated(land.heights, row[:, None] + down, col + right)
    uplift, hardness, across = (
        sample_grid(field, row, col) for field in (land.uplift, land.hardness, land.across)
    )
    return _Land(finer, heights, uplift, hardness, across, _coast(finer, parameters))
