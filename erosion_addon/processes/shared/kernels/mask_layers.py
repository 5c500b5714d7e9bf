# SPDX-License-Identifier: GPL-3.0-or-later
"""Indices of the mask layers of a cell, see `processes.shared.shares.Shares`.

Layers are stored as each kernel reads them: those of a cell side by side for particles, (rows,
cols, layers); row by row for water, (layers, rows, cols), so that loops over a row become vector
instructions; with a halo for slides, (rows + 2, cols + 2, layers). Checkpoints hold these arrays,
so their layout is a part of the file format.
"""

DUG, SOFT, LAID, ACCEPTED = 0, 1, 2, 3
"""Factors 0-1: erosion, softness of rock (1 - hardness), deposition, and deposition by slides."""

LOWEST, HIGHEST = 4, 5
"""Height limits, if there are six layers: floor of erosion, ceiling of deposition."""

GIVES, TAKES, BREAKS = 0, 1, 2
"""Factors of whole grids with a halo, see `halo.share_masks`: loss, gain, and failure of rock,
which is DUG times SOFT. Paused runs hold them.
"""
