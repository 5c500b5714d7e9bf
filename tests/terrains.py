# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrains for tests: the same everywhere, from a formula and a seed, or from a file."""

from pathlib import Path

import numpy as np


def fractal(rows, cols, relief=10.0, seed=0, steepness=2.0):
    """Fractal noise with pits, from 0 to `relief`: white noise whose spectrum falls with
    frequency^-steepness.
    """
    noise = np.fft.fft2(np.random.default_rng(seed).standard_normal((rows, cols)))
    frequency = np.hypot(np.fft.fftfreq(rows)[:, None], np.fft.fftfreq(cols))
    frequency[0, 0] = np.inf
    heights = np.fft.ifft2(noise / frequency**steepness).real
    # Rounded, as the last digits of a Fourier transform differ from machine to machine.
    return np.round((heights - heights.min()) / np.ptp(heights), 9) * relief


def plane(rows, cols, fall_along_row=0.0, fall_along_col=0.0):
    """A plane whose highest corner is [0, 0] and whose lowest is 0; falls in meters a cell."""
    row, col = np.mgrid[0:rows, 0:cols]
    return (rows - 1 - row) * fall_along_row + (cols - 1 - col) * fall_along_col


def bowl(rows, cols, depth=4.0):
    """A paraboloid, 0 in the middle cell and `depth` at the middle of the left edge."""
    row, col = np.mgrid[0:rows, 0:cols]
    middle = cols // 2
    return depth * ((row - rows // 2) ** 2 + (col - middle) ** 2) / middle**2


def step(rows, cols, edge, height=3.0):
    """A table of `height` up to and with column `edge`, falling by 0.2 a cell, and a plain of the
    same fall below.
    """
    col = np.broadcast_to(np.arange(cols), (rows, cols))
    return np.where(col <= edge, height, 0.0) + 0.2 * (cols - 1 - col)


def big_tujunga():
    """Real mountains cut by rivers, 112 × 112 cells of 30 m, row 0 in the south: a part of the
    basin of Big Tujunga Creek, California.

    Elevation data of the U.S. Geological Survey, in the public domain, from
    github.com/TopoToolbox/DEMs.
    """
    return np.load(Path(__file__).parent / "big_tujunga.npy").astype(np.float64)


def windows_of(elevation):
    """Start terrain of a landscape from heights in memory, (rows, cols) m."""
    return lambda window: {
        "elevation": np.asarray(
            elevation[window.top : window.bottom, window.left : window.right], np.float64
        )
    }
