# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies around a grid: a ring of one cell about (rows, cols) that says to a kernel what its edges do."""

from .compile import kernel
from .edges import CLOSED, WRAP

WALL = 1e300
"""Height of the ring about closed edges, in metres: nothing slides up there, and there is nothing to slide down."""


@kernel
def fill_border(rock, loose, masks, edges):
    """Fill the outer ring of rock and loose material, both (rows + 2, cols + 2) in metres.

    OPEN: the surface goes on beyond the edge as steep as it is there, as bare rock: it takes what slides out and gives
    nothing back. What a cell inside cannot give, its edge may not lose either, or the slope would grow without end:
    there it goes on flatter by as much. CLOSED: a wall. WRAP: the opposite edge.
    masks: (rows + 2, cols + 2, 3), see `model.ring.share_masks`, or None.
    """
    rows, cols = rock.shape[0] - 2, rock.shape[1] - 2
    for row in range(rows + 2):
        inner_row = min(max(row, 1), rows)
        step = 1 if row == 0 or row == rows + 1 else cols + 1
        for col in range(0, cols + 2, step):
            if edges == WRAP:
                across_row, across_col = (row - 1) % rows + 1, (col - 1) % cols + 1
                rock[row, col], loose[row, col] = rock[across_row, across_col], loose[across_row, across_col]
                continue
            loose[row, col] = 0.0
            if edges == CLOSED:
                rock[row, col] = WALL
            else:
                inner_col = min(max(col, 1), cols)
                beyond_row, beyond_col = 2 * inner_row - row, 2 * inner_col - col
                edge = rock[inner_row, inner_col] + loose[inner_row, inner_col]
                inside = rock[beyond_row, beyond_col] + loose[beyond_row, beyond_col]
                rise = edge - inside
                if masks is not None:
                    rise *= masks[beyond_row, beyond_col, 0] * masks[beyond_row, beyond_col, 2]
                rock[row, col] = edge + rise
