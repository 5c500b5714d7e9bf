# SPDX-License-Identifier: GPL-3.0-or-later
"""Water surface between the cells of a grid, with a smooth shoreline."""

import numpy as np

from ..base.arrays import Array

MOST_DIP = 3.0
"""Greatest dip of the surface below level ground, as a multiple of the depth nearby."""

NEIGHBORS = [(row, col) for row in (-1, 0, 1) for col in (-1, 0, 1) if (row, col) != (0, 0)]


def water_level(ground: Array, depth: Array, threshold: float) -> tuple[Array, Array]:
    """Height of the water surface, (rows, cols) m, and its faces, (rows - 1, cols - 1) bool.

    ground, depth: (rows, cols) m. A face is part of the surface if one of its corners is deeper
    than `threshold`.
    """
    # At a dry corner the surface continues at the mean level of the wet neighbors, but at least as
    # far below the ground as the water there falls short of the threshold. So the edge lies where
    # the depth equals the threshold, and never floats. Where the ground does not rise above the
    # water, the surface dips below it in proportion to the depth nearby, more steeply the fewer of
    # the cells around are wet, which smooths the staircase of the cells.
    wet = depth > threshold
    faces = wet[:-1, :-1] | wet[:-1, 1:] | wet[1:, :-1] | wet[1:, 1:]
    level = ground + depth
    row, col = np.nonzero(corners_of(faces) & ~wet)
    inward = _inward(wet)
    nearby, count, deep, inside_by = (np.zeros(len(row), np.float32) for _ in range(4))
    for down, right in NEIGHBORS:
        r = row + down
        c = col + right
        inside = (r >= 0) & (r < wet.shape[0]) & (c >= 0) & (c < wet.shape[1])
        r = np.where(inside, r, row)  # the dry cell itself has no weight
        c = np.where(inside, c, col)
        near = wet[r, c]
        nearby += np.where(near, level[r, c], 0)
        deep += np.where(near, depth[r, c], 0)
        inside_by += np.where(near, np.maximum(inward[r, c], 0.06), 0)
        count += near
    count = np.maximum(count, 1)
    nearby = nearby / count
    deep = deep / count
    lacking = threshold - depth[row, col]
    steepness = np.clip(-inward[row, col] * count / np.maximum(inside_by, 0.06), 0, MOST_DIP)
    dip = steepness * np.clip(nearby - ground[row, col], 0, deep)
    level[row, col] = np.minimum(nearby, ground[row, col] - np.maximum(lacking, dip))
    return level, faces


def _inward(wet: Array) -> Array:
    """Position relative to the smoothed border of the wet cells, (rows, cols): -0.5 outside to 0.5
    inside. The share of wet cells within two cells, with binomial weights, minus a half.
    """
    share = np.pad(wet.astype(np.float32), 2, mode="edge")
    weights = np.array([1, 4, 6, 4, 1], np.float32) / 16
    for axis in (0, 1):
        size = wet.shape[axis]
        share = sum(
            weight * np.take(share, range(at, at + size), axis) for at, weight in enumerate(weights)
        )
    return share - np.float32(0.5)


def corners_of(faces: Array) -> Array:
    """Vertices (rows, cols) of the faces (rows - 1, cols - 1)."""
    used = np.zeros((faces.shape[0] + 1, faces.shape[1] + 1), bool)
    for part in (used[:-1, :-1], used[:-1, 1:], used[1:, :-1], used[1:, 1:]):
        part |= faces
    return used
