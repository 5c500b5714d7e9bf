# SPDX-License-Identifier: GPL-3.0-or-later
"""Hardness of the exposed rock layers."""

import math
from typing import NamedTuple

import numpy as np

from ...base.kernels.jit import allocation_free, kernel


class Layers(NamedTuple):
    """Sequence of rock layers from the bottom up, repeated above and below."""

    tops: np.ndarray
    """Heights of the borders, (layers + 1,) m, from 0."""
    hardness: np.ndarray
    """(layers,)"""
    integral: np.ndarray
    """Integral of the hardness up to each border, (layers + 1,) m."""
    half: float
    """Half the height over which hardness is averaged, m; 0 for none."""


@kernel
def resistance(rock, offsets, layers, first, last, result):
    """Fill the rows first … last - 1 of `result` with the hardness at the top of the rock, (rows,
    cols) float32.

    rock: (rows, cols) m. offsets: (terms, rows) and (terms, cols), whose products add up to the
    vertical offset of the layers in m. layers: `Layers`.
    """
    by_row, by_col = offsets
    tops = layers.tops
    hardness = layers.hardness
    integral = layers.integral
    half = layers.half
    for row in range(first, last):
        for col in range(rock.shape[1]):
            height = rock[row, col]
            for term in range(by_row.shape[0]):
                height += by_row[term, row] * by_col[term, col]
            if half > 0.0:
                above = _below(height + half, tops, integral)
                below = _below(height - half, tops, integral)
                result[row, col] = min(max((above - below) / (2.0 * half), 0.0), 1.0)
            else:
                _, place = _in_sequence(height, tops)
                result[row, col] = hardness[_layer(place, tops)]


@allocation_free
def _below(height, tops, integral):
    """Integral of the hardness from 0 up to a height, m."""
    repetition, place = _in_sequence(height, tops)
    layer = _layer(place, tops)
    share = (place - tops[layer]) / (tops[layer + 1] - tops[layer])
    rest = integral[layer] + share * (integral[layer + 1] - integral[layer])
    return repetition * integral[-1] + rest


@allocation_free
def _in_sequence(height, tops):
    """Number of the sequence's repetition that a height lies in, and the height above its bottom,
    m.
    """
    repetition = math.floor(height / tops[-1])
    return repetition, height - repetition * tops[-1]


@allocation_free
def _layer(place, tops):
    """Number of the layer at a height in the sequence."""
    low = 0
    high = tops.size - 1
    while high - low > 1:
        middle = (low + high) // 2
        if tops[middle] <= place:
            low = middle
        else:
            high = middle
    return np.int64(low)
