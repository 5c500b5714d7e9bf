# SPDX-License-Identifier: GPL-3.0-or-later
"""The shadow that heights cast in a wind: the air behind them in which sand is not lifted, and falls.

A shadow falls with a constant angle behind what casts it, as in Werner, "Eolian dunes" (1995).
"""

import math

from .compile import kernel


@kernel
def cast_shade(ground, shade, wind_row, wind_col, drop, wrap):
    """Fill `shade` (rows, cols) float64 with the height of the wind shadow over each cell; -inf where there is none.

    The shadow of a cell falls by `drop` on the way to the next row or column, whichever the wind crosses faster; what
    comes from between two cells is interpolated. wind_row, wind_col: direction in cells.
    """
    rows, cols = shade.shape
    along_row = abs(wind_col) >= abs(wind_row)
    lines, count = (cols, rows) if along_row else (rows, cols)
    main, side = (wind_col, wind_row) if along_row else (wind_row, wind_col)
    forward, shift = main > 0.0, -side / abs(main)
    whole = math.floor(shift)
    part = shift - whole
    shade[:] = -math.inf
    for number in range(1, 2 * lines if wrap else lines):
        line = number % lines if forward else lines - 1 - number % lines
        before = (line - 1 if forward else line + 1) % lines
        for at in range(count):
            low, high = at + whole, at + whole + 1
            if wrap:
                low, high = low % count, high % count
            else:
                low, high = min(max(low, 0), count - 1), min(max(high, 0), count - 1)
            if along_row:
                first = max(ground[low, before, 0], shade[low, before])
                second = max(ground[high, before, 0], shade[high, before])
                shade[at, line] = first + part * (second - first) - drop
            else:
                first = max(ground[before, low, 0], shade[before, low])
                second = max(ground[before, high, 0], shade[before, high])
                shade[line, at] = first + part * (second - first) - drop
