# SPDX-License-Identifier: GPL-3.0-or-later
"""Land that the sea reaches."""

from ....base.kernels.jit import kernel


@kernel
def spread_from_edges(low, waiting, reached):
    """Set `reached` where `low` ground is connected with the edge of the terrain through low
    ground.

    Depth-first search over the four neighbors; the order of visits does not show. low: (rows, cols)
    bool; reached: the same shape, all False before. waiting: (rows · cols,) int64, working memory.
    """
    rows, cols = low.shape
    count = 0
    for row in range(rows):
        for col in range(cols):
            inside = 0 < row < rows - 1 and 0 < col < cols - 1
            if low[row, col] and not inside:
                reached[row, col] = True
                waiting[count] = row * cols + col
                count += 1
    while count > 0:  # each cell once, as it is marked before it waits
        count -= 1
        row, col = divmod(waiting[count], cols)
        for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            r = row + down
            c = col + right
            if 0 <= r < rows and 0 <= c < cols and low[r, c] and not reached[r, c]:
                reached[r, c] = True
                waiting[count] = r * cols + c
                count += 1
