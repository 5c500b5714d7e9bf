# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground cover: shares of rock, soil, grass, sand and snow in each cell, as game engines blend
materials.
"""

from collections.abc import Mapping

import numpy as np

from ..base.arrays import Array
from ..grid.sampling import smooth_step

COVERS = ("rock", "soil", "grass", "sand", "snow")
"""Covers from the lowest to the highest."""

THIN = 0.02
"""Thickness (m) of deposits on a cover that stay invisible."""

OPAQUE = {"soil": 0.3, "sand": 0.5, "snow": 0.3}
"""Thickness (m) from which deposits hide the ground."""

GROUND = ("sediment", "soil", "grass", "snow")
"""Fields that shares follow from."""

WHITE = 65535


def ground_cover(fields: Mapping[str, Array], shape: tuple[int, int]) -> dict[str, Array]:
    """Share of each cover, (rows, cols) uint16 from 0 to `WHITE`; the five add up to `WHITE` in
    every cell.

    Each lies on those before it: soil and sediment ("sand") by their thickness, grass by its cover,
    snow by its thickness. fields: fields `GROUND` of a terrain, (rows, cols); missing ones count as
    0.
    """
    left = np.ones(shape)
    shares: dict[str, Array] = {}
    for cover in reversed(COVERS[1:]):
        shares[cover] = left * _opacity(fields, shape, cover)
        left = left - shares[cover]
    return _totaling_one({"rock": left, **{cover: shares[cover] for cover in COVERS[1:]}})


def _opacity(fields: Mapping[str, Array], shape: tuple[int, int], cover: str) -> Array:
    """Opacity of a cover, 0-1."""
    name = {"sand": "sediment"}.get(cover, cover)
    if name not in fields:
        return np.zeros(shape)
    values = fields[name].astype(np.float64)
    return (
        np.clip(values, 0.0, 1.0) if cover == "grass" else smooth_step(values, THIN, OPAQUE[cover])
    )


def _totaling_one(shares: dict[str, Array]) -> dict[str, Array]:
    """Shares in whole steps of `WHITE`: rounded down, and the remainder given to the shares that
    lost most.
    """
    exact = np.stack(list(shares.values())) * WHITE
    steps = np.floor(exact)
    lost = steps - exact
    missing = WHITE - steps.sum(axis=0)
    rank = np.argsort(np.argsort(lost, axis=0, kind="stable"), axis=0, kind="stable")
    steps += rank < missing
    return dict(zip(shares, steps.astype(np.uint16), strict=True))
