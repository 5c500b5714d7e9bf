# SPDX-License-Identifier: GPL-3.0-or-later
"""Natural start terrains: noise of several kinds, faults and sand."""

import math

import numpy as np

from ..base.arrays import Array, ordered_sum
from ..base.kernels.elementary import exp, power, sincos, tan
from . import noise
from .canvas import Canvas
from .domain_warp import interpolated, warped
from .parameters import (
    CALM,
    SAND_GAIN,
    SAND_OCTAVES,
    SPURS,
    BlocksParameters,
    BumpsParameters,
    FaultsParameters,
    FractalParameters,
    RidgedParameters,
    SandParameters,
    VoronoiParameters,
)

_CUTS = 200
"""Random stream of the fault lines; the streams of noise have lower numbers."""

_FRONTS = 210
"""Random stream of the places of tilted blocks."""

_MIDDLE = 1000
"""Random number of the block in the middle; there are fewer on either side."""

_FAULT = 60.0
"""Dip of the normal faults in front of tilted blocks, in degrees (Anderson 1951)."""

_WANDER, _UNEVEN = 0.12, 0.25
"""Deviation of their crests, along the strike and from block to block, in distances between
blocks.
"""

_DYING, _HILLS = 0.12, 0.08
"""Standard deviations of their height along the strike, and of the noise on them, in reliefs."""


def ridged(canvas: Canvas, parameters: RidgedParameters) -> Array:
    """Ridged multifractal: Σ gain^k w (1 - |n|)^2, where w, the ridge height of the previous
    octave, calms the valleys
    (Musgrave 1994). Each octave is displaced along the slope of the previous ones, which stretches
    ridges into ribs (de
    Carpentier 2012).
    """
    total = np.zeros(canvas.period)
    weight = np.ones(canvas.period)
    share = 1.0
    fall = np.zeros((2, *canvas.period))
    rows, cols = canvas.period
    cells = np.arange(float(rows))[:, None], np.arange(float(cols))
    for octave in range(parameters.octaves):
        # Half a form is a ridge: |n| has twice the frequency of n.
        waves = parameters.ridges * 2**octave / 2
        noises = noise.octaves(canvas, waves, 2, 0.4, octave) / 2.7
        if octave:
            far = SPURS * canvas.longer_side / parameters.ridges
            pushed = zip(cells, fall, canvas.spacing, strict=True)
            noises = interpolated(
                noises, *(at + offset * far / space for at, offset, space in pushed)
            )
        crest = weight * np.square(1.0 - np.minimum(np.abs(noises), 1.0))
        total += share * crest
        for axis, space in enumerate(canvas.spacing):
            rise = np.roll(noises, -1, axis) - np.roll(noises, 1, axis)
            rise *= canvas.longer_side / (4 * waves * space)
            fall[axis] -= share * weight * rise * noises
        share *= parameters.gain
        weight = 1.0 - CALM * (1.0 - np.minimum(2.0 * crest, 1.0))
    return stretched(warped(canvas, total), parameters.relief)


def fractal(canvas: Canvas, parameters: FractalParameters) -> Array:
    """Spectral synthesis (Saupe 1988): amplitude falls with frequency^-(H + 1), where H = 1 -
    roughness.
    """
    frequency = noise.frequency(canvas)
    frequency[0, 0] = 1.0  # of the constant part, of which there is none
    heights = noise.field(
        canvas, noise.white(canvas, 0) * power(frequency, parameters.roughness - 2.0)
    )
    return stretched(warped(canvas, heights), parameters.relief)


def voronoi(canvas: Canvas, parameters: VoronoiParameters) -> Array:
    """Distance to the second nearest point minus that to the nearest, at two scales, with noise
    (Olsen 2004).
    """
    cells = np.zeros(canvas.period)
    for octave, share in enumerate((1.0, 0.35)):
        nearest, second = noise.distances(canvas, parameters.peaks * 2**octave, 50 + 2 * octave)
        cells += share * (second - nearest)
    rough = noise.octaves(canvas, parameters.peaks / 2, 7, 0.5, 0)
    cells -= ordered_sum(cells) / cells.size
    total = (1 - parameters.noise) * cells / math.sqrt(
        ordered_sum(cells * cells) / cells.size
    ) + parameters.noise * rough
    return stretched(warped(canvas, total), parameters.relief)


def faults(canvas: Canvas, parameters: FaultsParameters) -> Array:
    """Random lines, each of which raises all cells on one side. Lines end at the edges. To tile,
    half of the terrain blends into the cells beyond the opposite edge.
    """
    rows, cols = (side + side // 2 if canvas.tileable else side for side in canvas.period)
    y = (np.arange(rows) - (rows - 1) / 2) * canvas.spacing[0]
    height = rows * canvas.spacing[0]
    width = cols * canvas.spacing[1]
    farthest = math.sqrt(height * height + width * width) / 2
    angles, places = (
        noise.random_numbers(canvas.seed, _CUTS + part, np.arange(parameters.cuts), 0)
        for part in (0, 1)
    )
    lifts = np.zeros((rows, cols + 1), np.int32)
    for sine, cosine, place in zip(*sincos(math.pi * angles), farthest * places, strict=True):
        crossing = (place - y * sine) / cosine / canvas.spacing[1] + (cols - 1) / 2
        column = np.ceil(np.clip(crossing, 0, cols)).astype(np.intp)
        # A change where the line crosses each row: one running sum along the rows adds all cuts up.
        lifts[np.arange(rows), column] += 1 if cosine > 0 else -1
    total = np.cumsum(lifts[:, :-1], axis=1, dtype=np.float64)
    if canvas.tileable:
        total = _closed(_closed(total, canvas.period[0]).T, canvas.period[1]).T
    if parameters.softness > 0:
        blur = exp(-2 * np.square(math.pi * noise.frequency(canvas) * parameters.softness / 2))
        total = noise.field(canvas, noise.spectrum(total) * blur)
    return stretched(warped(canvas, total), parameters.relief)


def _closed(field: Array, period: int) -> Array:
    """The first `period` rows, the foremost of them blended into the rows after the last."""
    beyond = field.shape[0] - period
    share = (np.arange(beyond) / beyond)[:, None]
    closed = field[:period].copy()
    closed[:beyond] = closed[:beyond] * share + field[period:] * (1 - share)
    return closed


def sand(canvas: Canvas, parameters: SandParameters) -> Array:
    """Sum of octaves of noise; all of it is loose sediment."""
    total = noise.octaves(canvas, parameters.waves, SAND_OCTAVES, SAND_GAIN, 0)
    return stretched(warped(canvas, total), parameters.relief)


def bumps(canvas: Canvas, parameters: BumpsParameters) -> Array:
    """Noise of one wavelength."""
    return stretched(warped(canvas, noise.band(canvas, parameters.bumps, 0)), parameters.relief)


def blocks(canvas: Canvas, parameters: BlocksParameters) -> Array:
    """Upper surface of blocks that rotated on normal faults (Stewart 1980), with crests that wander
    and die out.
    """
    rows, cols = canvas.period
    y = ((np.arange(rows) - (rows - 1) / 2) * canvas.spacing[0])[:, None]
    x = (np.arange(cols) - (cols - 1) / 2) * canvas.spacing[1]
    sine, cosine = sincos(math.radians(parameters.strike))
    apart = canvas.longer_side / parameters.blocks
    across = (
        cosine * y
        - sine * x
        + _WANDER * apart * noise.octaves(canvas, 0.5 * parameters.blocks, 2, 0.5, 10)
    )
    crest = parameters.relief * np.maximum(
        1.0 + _DYING * noise.octaves(canvas, 0.5 * parameters.blocks, 1, 1.0, 12), 0.0
    )
    back = tan(math.radians(parameters.dip))
    front = tan(math.radians(_FAULT))
    total = np.zeros(canvas.period)
    farthest = math.ceil(float(np.abs(across).max()) / apart) + 1
    numbers = np.arange(-farthest, farthest)
    uneven = noise.random_numbers(canvas.seed, _FRONTS, numbers + _MIDDLE, 0)
    for place in (numbers + 0.5 + _UNEVEN * uneven) * apart:
        beyond = across - place
        np.maximum(total, crest - np.where(beyond > 0, back, -front) * beyond, out=total)
    rough = noise.octaves(canvas, 2 * parameters.blocks, 6, 0.5, 14)
    return stretched(
        warped(canvas, total + parameters.roughness * _HILLS * parameters.relief * rough),
        parameters.relief,
    )


def stretched(height: Array, relief: float) -> Array:
    """`height` scaled to the range 0 to `relief`."""
    height = height - height.min()
    highest = float(height.max())
    return height / highest * relief if highest > 1e-12 else 0.0 * height
