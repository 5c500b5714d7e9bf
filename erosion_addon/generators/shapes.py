# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometric start terrains: a plane, and solids with hard edges on flat ground."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.parameters import Parameters, parameter
from ..files.image_files import OpenImageIOFiles
from ..kernels.elementary import sincos
from . import noise
from .canvas import Canvas, island, warp
from .domain_warp import meters

LETTERS = (
    ".##..###...##.",
    "#..#.#..#.#..#",
    "#..#.###..#...",
    "####.#..#.#...",
    "#..#.#..#.#..#",
    "#..#.###...##.",
)
"""Default image."""


def height() -> Any:
    """Parameter: height of the shape."""
    return parameter(200.0, "Height of the top above the ground.", low=0, high=1e6, unit="m", soft_high=2000)


def width(default: float) -> Any:
    """Parameter: width of the shape."""
    return parameter(default, "Width of the foot, as a share of the shorter side.", low=0.01, high=2)


class PlaneParameters(Parameters):
    """A plane with a slope."""

    slope: float = parameter(0.1, "How steeply the plane falls.", low=0, high=100, unit="m/m", soft_high=2)
    direction: float = parameter(270.0, "Where it falls to: 0 along x, 90 along y.", low=-360, high=360, unit="°")
    warp: float = warp()
    island: float = island()


def plane(canvas: Canvas, given: PlaneParameters) -> Array:
    """Sloping plane; its lowest corner is at 0."""
    y, x = meters(canvas)
    sine, cosine = sincos(math.radians(given.direction))
    made = -given.slope * (x * cosine + y * sine)
    return np.asarray(made - made.min())


class ConeParameters(Parameters):
    """A round cone on flat ground, as a young volcano."""

    height: float = height()
    width: float = width(0.8)
    warp: float = warp()
    island: float = island()


def cone(canvas: Canvas, given: ConeParameters) -> Array:
    """Cone: the height falls linearly from the middle to the foot."""
    y, x = meters(canvas)
    away: Array = np.sqrt(y * y + x * x)
    return given.height * np.maximum(1.0 - away / (given.width * canvas.half_width), 0.0)


class PyramidParameters(Parameters):
    """A square pyramid of steps on flat ground."""

    height: float = height()
    width: float = width(0.8)
    steps: int = parameter(8, "How many steps lead to the top.", low=1, high=1000, soft_high=50)
    warp: float = warp()
    island: float = island()


def pyramid(canvas: Canvas, given: PyramidParameters) -> Array:
    """Stepped pyramid: steps of equal height and depth."""
    inside = 1.0 - _square(*meters(canvas)) / (given.width * canvas.half_width)
    steps: Array = np.ceil(np.clip(inside, 0.0, 1.0) * given.steps)
    return given.height / given.steps * steps


class BoxParameters(Parameters):
    """A box with upright walls on flat ground: a table mountain to begin with."""

    height: float = height()
    width: float = width(0.5)
    turn: float = parameter(0.0, "How far the box is turned to the left.", low=-360, high=360, unit="°")
    warp: float = warp()
    island: float = island()


def box(canvas: Canvas, given: BoxParameters) -> Array:
    """Box: full height within the walls, 0 outside."""
    y, x = meters(canvas)
    across, along = sincos(math.radians(given.turn))
    inside = _square(y * along - x * across, x * along + y * across) <= given.width * canvas.half_width
    return np.where(inside, given.height, 0.0)


class LettersParameters(Parameters):
    """Letters or any other shape from a picture, standing out of flat ground as high as they are bright."""

    image: str = parameter("", "Image file of the shape, gray: white is high. The letters ABC where there is none.")
    invert: bool = parameter(False, "Black stands out instead of white, as letters on paper.")
    height: float = height()
    width: float = parameter(0.8, "Width of the picture, as a share of the terrain's.", low=0.01, high=2)
    warp: float = warp()
    island: float = island()


def letters(canvas: Canvas, given: LettersParameters) -> Array:
    """Relief from an image: height is proportional to brightness, and 0 outside the image."""
    pixels = _pixels(given.image, canvas)
    if given.invert:
        pixels = pixels.max() - pixels
    y, x = meters(canvas)
    rows, cols = pixels.shape
    # The whole picture shows, in its own proportions.
    sides = (canvas.rows - 1) * canvas.spacing[0], (canvas.cols - 1) * canvas.spacing[1]
    pixel = given.width * min(sides[0] / rows, sides[1] / cols)
    row, col = np.broadcast_arrays(y / pixel + rows / 2, x / pixel + cols / 2)
    inside = (row >= 0) & (row <= rows) & (col >= 0) & (col <= cols)
    made = np.zeros((canvas.rows, canvas.cols))
    found = (np.minimum(place[inside].astype(np.intp), side - 1) for place, side in ((row, rows), (col, cols)))
    made[inside] = pixels[tuple(found)]
    highest = float(np.abs(pixels).max())
    return made * (given.height / highest) if highest > 0 else made


def _pixels(image: str, canvas: Canvas) -> Array:
    """Brightness (rows, cols), row 0 at the bottom."""
    if image:
        return (canvas.image_files or OpenImageIOFiles()).read(Path(image)).astype(np.float64)
    return np.array([[float(letter == "#") for letter in line] for line in reversed(LETTERS)])


class PyramidInSandParameters(Parameters):
    """A step pyramid of rock that stands in loose sand, for the wind to blow around."""

    height: float = height()
    width: float = width(0.5)
    steps: int = parameter(8, "How many steps lead to the top.", low=1, high=1000, soft_high=50)
    sand: float = parameter(20.0, "Depth of the sand around the pyramid.", low=0, high=1e6, unit="m", soft_high=200)
    waves: float = parameter(
        10.0, "Height of the waves in the sand, up to twice its depth.", low=0, high=1e6, unit="m", soft_high=200
    )
    warp: float = warp()
    island: float = island()


def pyramid_in_sand(canvas: Canvas, given: PyramidInSandParameters) -> Array:
    """Upper surface of the rock and the sand."""
    return np.maximum(pyramid(canvas, given), _sand(canvas, given))  # type: ignore[arg-type]


def sand_around(canvas: Canvas, given: PyramidInSandParameters) -> Array:
    """Thickness of the sand on the rock."""
    return np.maximum(_sand(canvas, given) - pyramid(canvas, given), 0.0)  # type: ignore[arg-type]


def _sand(canvas: Canvas, given: PyramidInSandParameters) -> Array:
    waves = canvas.cut(noise.band(canvas, 12.0, 0))
    lowest, highest = float(waves.min()), float(waves.max())
    part = (waves - lowest) / (highest - lowest) - 0.5 if highest > lowest else 0 * waves
    sand: Array = np.maximum(given.sand + part * given.waves, 0.0)
    return sand


def _square(y: Array, x: Array) -> Array:
    """Distance from the middle in the maximum norm: contours are squares."""
    return np.maximum(np.abs(y), np.abs(x))
