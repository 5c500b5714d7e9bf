# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of hillslopes: from the ground of drops, in cells, to meters, and their changes back."""

from typing import NamedTuple

from ....base.kernels.jit import kernel


class Layers(NamedTuple):
    """Ground of drops and its layers.

    ground: (rows, cols, 2) float64, surface and its loose part, in cells. rock, loose: (rows + 2,
    cols + 2) float64 m, with a ring. unit: meters of a cell. datum: height in meters that the
    ground is counted from.
    """

    ground: object
    rock: object
    loose: object
    unit: float
    datum: float


@kernel
def split(layers, first, last):
    """Fill rock and loose material of the rows first … last - 1."""
    ground, rock, loose, unit, datum = layers
    for row in range(first, last):
        for col in range(ground.shape[1]):
            thickness = ground[row, col, 1] * unit
            rock[row + 1, col + 1] = ground[row, col, 0] * unit + datum - thickness
            loose[row + 1, col + 1] = thickness


@kernel
def take_slides(layers, first, last, moved):
    """Apply changes since `split` to the ground of these rows. moved: (rows,), set to the sum of
    what each lost, m.
    """
    ground, rock, loose, unit, datum = layers
    for row in range(first, last):
        lost = 0.0
        for col in range(ground.shape[1]):
            thickness = ground[row, col, 1] * unit
            base = ground[row, col, 0] * unit + datum - thickness
            thicker = loose[row + 1, col + 1] - thickness
            risen = rock[row + 1, col + 1] - base + thicker
            lost += max(-risen, 0.0)
            ground[row, col, 0] += risen / unit
            ground[row, col, 1] = max(ground[row, col, 1] + thicker / unit, 0.0)
        moved[row] = lost


@kernel
def stand_on_floor(layers, floor, first, last):
    """As `split`, with rock at a height below all ground, and everything above it loose."""
    ground, rock, loose, unit, datum = layers
    for row in range(first, last):
        for col in range(ground.shape[1]):
            rock[row + 1, col + 1] = floor
            loose[row + 1, col + 1] = ground[row, col, 0] * unit + datum - floor


@kernel
def take_creep(layers, floor, first, last, moved):
    """As `take_slides`, after `stand_on_floor`."""
    ground, _, loose, unit, datum = layers
    for row in range(first, last):
        lost = 0.0
        for col in range(ground.shape[1]):
            risen = loose[row + 1, col + 1] - (ground[row, col, 0] * unit + datum - floor)
            lost += max(-risen, 0.0)
            ground[row, col, 0] += risen / unit
            ground[row, col, 1] = max(ground[row, col, 1] + risen / unit, 0.0)
        moved[row] = lost
