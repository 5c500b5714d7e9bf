# SPDX-License-Identifier: GPL-3.0-or-later
"""Creep: grains struck by others roll downslope, ∂h/∂t = γ ∂T/∂t ∇²h, where T is the transport."""

from ....base.kernels.jit import kernel
from ...shared.kernels.mask_layers import DUG, HIGHEST, LAID, LOWEST


@kernel
def find_flows(first, last, loose, surface, blown, cover, shares, rates, along_rows, along_cols):
    """Creep flux from each cell of the rows first … last - 1 to the next row and to the next
    column, m.

    There is none between cells out of the wind, so crests and lees stay sharp. loose, surface:
    (rows, cols) m. blown: (rows, cols) uint8. cover, shares: as in `slabs.blow`; wet sand and sand
    under plants creep as little as they hop. rates: share of the height difference along a column
    and along a row, at most 1/4 each. along_rows, along_cols: (rows, cols), fluxes, periodic.
    """
    rows, cols = loose.shape
    row_share, col_share = rates
    for row in range(first, last):
        below = row + 1 if row + 1 < rows else 0
        for col in range(cols):
            right = col + 1 if col + 1 < cols else 0
            along_rows[row, col] = _flow(
                loose, surface, blown, cover, shares, row, col, below, col, row_share
            )
            along_cols[row, col] = _flow(
                loose, surface, blown, cover, shares, row, col, row, right, col_share
            )


@kernel
def _flow(loose, surface, blown, cover, shares, row, col, to_row, to_col, share):
    difference = surface[row, col] - surface[to_row, to_col]
    give = loose[row, col] if difference > 0.0 else loose[to_row, to_col]
    amount = min(share * abs(difference), 0.2 * give) * (blown[row, col] & blown[to_row, to_col])
    if cover is not None:
        cols = loose.shape[1]
        amount *= cover[row * cols + col if difference > 0.0 else to_row * cols + to_col, 1]
    if shares is not None:
        cols = loose.shape[1]
        source = row * cols + col
        target = to_row * cols + to_col
        if difference < 0.0:
            source, target = target, source
        amount *= shares[source, DUG] * shares[target, LAID]
        if shares.shape[1] > HIGHEST:
            high = max(surface[row, col], surface[to_row, to_col])
            low = min(surface[row, col], surface[to_row, to_col])
            room = min(high - shares[source, LOWEST], shares[target, HIGHEST] - low)
            amount = min(amount, 0.2 * max(room, 0.0))
    return amount if difference > 0.0 else -amount


@kernel
def apply_fluxes(first, last, loose, along_rows, along_cols, wrap):
    """Apply the fluxes to the cells of the rows first … last - 1. wrap: whether fluxes cross
    edges.
    """
    rows, cols = loose.shape
    for row in range(first, last):
        above = row - 1 if row > 0 else rows - 1
        for col in range(cols):
            left = col - 1 if col > 0 else cols - 1
            out = along_rows[row, col] if wrap or row + 1 < rows else 0.0
            out += along_cols[row, col] if wrap or col + 1 < cols else 0.0
            come = along_rows[above, col] if wrap or row > 0 else 0.0
            come += along_cols[row, left] if wrap or col > 0 else 0.0
            loose[row, col] += come - out
