# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometric start terrains: a plane, and solids with hard edges on flat ground."""

import math
from pathlib import Path

import numpy as np

from ..base.arrays import Array
from ..base.kernels.elementary import sincos
from ..files.image_files import OpenImageIOFiles
from . import noise
from .canvas import Canvas
from .domain_warp import meters
from .parameters import (
    BoxParameters,
    ConeParameters,
    LettersParameters,
    PlaneParameters,
    PyramidInSandParameters,
    PyramidParameters,
)

LETTERS = (
    ".##..###...##.",
    "#..#.#..#.#..#",
    "#..#.###..#...",
    "####.#..#.#...",
    "#..#.#..#.#..#",
    "#..#.###...##.",
)
"""Default image."""


def plane(canvas: Canvas, parameters: PlaneParameters) -> Array:
    """Sloping plane; its lowest corner is at 0."""
    y, x = meters(canvas)
    sine, cosine = sincos(math.radians(parameters.direction))
    heights = -parameters.slope * (x * cosine + y * sine)
    return np.asarray(heights - heights.min())


def cone(canvas: Canvas, parameters: ConeParameters) -> Array:
    """Cone: the height falls linearly from the middle to the foot."""
    y, x = meters(canvas)
    away: Array = np.sqrt(y * y + x * x)
    return parameters.height * np.maximum(1.0 - away / (parameters.width * canvas.half_width), 0.0)


def pyramid(canvas: Canvas, parameters: PyramidParameters) -> Array:
    """Stepped pyramid: steps of equal height and depth."""
    inside = 1.0 - _square(*meters(canvas)) / (parameters.width * canvas.half_width)
    steps: Array = np.ceil(np.clip(inside, 0.0, 1.0) * parameters.steps)
    return parameters.height / parameters.steps * steps


def box(canvas: Canvas, parameters: BoxParameters) -> Array:
    """Box: full height within the walls, 0 outside."""
    y, x = meters(canvas)
    inside = _square(y, x) <= parameters.width * canvas.half_width
    return np.where(inside, parameters.height, 0.0)


def letters(canvas: Canvas, parameters: LettersParameters) -> Array:
    """Relief from an image: height is proportional to brightness, and 0 outside the image."""
    pixels = _pixels(parameters.image, canvas)
    y, x = meters(canvas)
    rows, cols = pixels.shape
    # The whole picture shows, in its own proportions.
    sides = (canvas.rows - 1) * canvas.spacing[0], (canvas.cols - 1) * canvas.spacing[1]
    pixel = parameters.width * min(sides[0] / rows, sides[1] / cols)
    row, col = np.broadcast_arrays(y / pixel + rows / 2, x / pixel + cols / 2)
    inside = (row >= 0) & (row <= rows) & (col >= 0) & (col <= cols)
    raised = np.zeros((canvas.rows, canvas.cols))
    image = (
        np.minimum(place[inside].astype(np.intp), side - 1)
        for place, side in ((row, rows), (col, cols))
    )
    raised[inside] = pixels[tuple(image)]
    highest = float(np.abs(pixels).max())
    return raised * (parameters.height / highest) if highest > 0 else raised


def _pixels(image: str, canvas: Canvas) -> Array:
    """Brightness (rows, cols), row 0 at the bottom."""
    if image:
        return (canvas.image_files or OpenImageIOFiles()).read(Path(image)).astype(np.float64)
    return np.array([[float(letter == "#") for letter in line] for line in reversed(LETTERS)])


def pyramid_in_sand(canvas: Canvas, parameters: PyramidInSandParameters) -> Array:
    """Upper surface of the rock and the sand."""
    rock = pyramid(canvas, parameters)  # type: ignore[arg-type]
    return np.maximum(rock, _sand(canvas, parameters))


def sand_around(canvas: Canvas, parameters: PyramidInSandParameters) -> Array:
    """Thickness of the sand on the rock."""
    rock = pyramid(canvas, parameters)  # type: ignore[arg-type]
    return np.asarray(np.maximum(_sand(canvas, parameters) - rock, 0.0))


def _sand(canvas: Canvas, parameters: PyramidInSandParameters) -> Array:
    waves = canvas.cut(noise.band(canvas, 12.0, 0))
    lowest = float(waves.min())
    highest = float(waves.max())
    part = (waves - lowest) / (highest - lowest) - 0.5 if highest > lowest else 0 * waves
    sand: Array = np.maximum(parameters.sand + part * parameters.waves, 0.0)
    return sand


def _square(y: Array, x: Array) -> Array:
    """Distance from the middle in the maximum norm: contours are squares."""
    return np.maximum(np.abs(y), np.abs(x))
