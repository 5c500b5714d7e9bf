# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus in plain Python, slow and literal: every cell compares with its eight neighbors."""

import math
from dataclasses import dataclass


@dataclass
class Rules:
    """Angles as tangents, lengths in meters."""

    hold: float
    stand: float
    collapse: float
    rest: float
    row_spacing: float
    col_spacing: float
    edges: str


class Ground:
    """Rock and loose material by (row, col), and what masks say; outside lies what the edges make
    of it.
    """

    def __init__(self, rock, loose, edges, masks=None):
        self.rows, self.cols = rock.shape
        self.edges = edges
        cells = [(row, col) for row in range(self.rows) for col in range(self.cols)]
        self.rock = {cell: float(rock[cell]) for cell in cells}
        self.loose = {cell: float(loose[cell]) for cell in cells}
        self.masks = {
            cell: [1.0, 1.0, 1.0] if masks is None else [float(m) for m in masks[cell]]
            for cell in cells
        }

    def cell(self, row, col):
        """A cell, the one on the opposite side, or what lies outside: None where there is a
        wall.
        """
        if (row, col) in self.rock:
            return row, col
        if self.edges == "wrap":
            return row % self.rows, col % self.cols
        return None if self.edges == "closed" else (row, col)

    def height(self, cell):
        """Surface; beyond an open edge it goes on as over the last two steps, by the lesser, as far
        as masks give.
        """
        if cell in self.rock:
            return self.rock[cell] + self.loose[cell]
        last = min(max(cell[0], 0), self.rows - 1), min(max(cell[1], 0), self.cols - 1)
        inside = 2 * last[0] - cell[0], 2 * last[1] - cell[1]
        far = 2 * inside[0] - last[0], 2 * inside[1] - last[1]
        steps = self.height(last) - self.height(inside), self.height(inside) - self.height(far)
        rise = min(steps, key=abs) if steps[0] * steps[1] > 0 else 0.0
        gives, _, breaks = self.masks[inside]
        return self.height(last) + rise * (gives * breaks)


def slope(ground, rules, cell, down, right):
    """Slope of the surface at the face to a neighbor: over it, and in all; along it the lesser of
    both sides.
    """
    other = (cell[0] + down, cell[1] + right)
    length, width = (
        (rules.row_spacing, rules.col_spacing) if down else (rules.col_spacing, rules.row_spacing)
    )

    def height(row, col):
        """Surface; beyond a wall that of the cell in front of it."""
        inside = min(max(row, 0), ground.rows - 1), min(max(col, 0), ground.cols - 1)
        return ground.height(ground.cell(row, col) or inside)

    over = (height(*cell) - height(*other)) / length
    sides = [
        sum(
            height(row + turn * right, col + turn * down) - height(row, col)
            for row, col in (cell, other)
        )
        for turn in (1, -1)
    ]
    along = min(abs(sides[0]), abs(sides[1])) if sides[0] * sides[1] < 0 else 0.0
    return over, math.hypot(over, along / (2 * width))


def flow(ground, rules, cell, down, right):
    """What slides from a cell to a neighbor in one pass, less than nothing where it slides back."""
    other = ground.cell(cell[0] + down, cell[1] + right)
    over, steepest = (
        slope(ground, rules, cell, abs(down), abs(right)) if down + right > 0 else (0.0, 0.0)
    )
    if down + right < 0:
        over, steepest = slope(ground, rules, (cell[0] + down, cell[1] + right), -down, -right)
        over = -over
    high, low = (cell, other) if over > 0 else (other, cell)
    square = (
        rules.row_spacing**2 * rules.col_spacing**2 / (rules.row_spacing**2 + rules.col_spacing**2)
    )
    shorter = min(rules.row_spacing, rules.col_spacing)
    length = rules.row_spacing if down else rules.col_spacing
    # Three eighths of what would be stable for an even slope, and a quarter of what is loose.
    wanted = (steepest - rules.hold) * 1.5 * square / shorter
    loose = ground.loose.get(high, 0.0)
    amount = min(wanted, loose) * abs(over) / max(steepest, rules.hold)
    if amount <= 2 * rules.rest:
        return 0.0
    gives = ground.masks.get(high, [1.0] * 3)[0]
    takes = ground.masks.get(low, [1.0] * 3)[1]
    return math.copysign(amount * shorter / (4 * length) * gives * takes, over)


def one_pass(ground, rules):
    """Rock and loose material after one pass, and what has slid out."""
    rock = dict(ground.rock)
    loose = dict(ground.loose)
    exported = 0.0
    for cell in ground.rock:
        excess = -math.inf
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                other = ground.cell(cell[0] + down, cell[1] + right)
                if other is None or (down, right) == (0, 0):
                    continue
                distance = math.hypot(down * rules.row_spacing, right * rules.col_spacing)
                if down == 0 or right == 0:
                    out = flow(ground, rules, cell, down, right)
                    loose[cell] -= out
                    exported += 0.0 if other in ground.rock else out
                excess = max(
                    excess, ground.rock[cell] - ground.height(other) - rules.stand * distance
                )
        wanted = excess * rules.collapse * ground.masks[cell][2] - ground.loose[cell]
        if wanted > rules.rest:
            rock[cell] -= wanted
            loose[cell] += wanted
    return rock, loose, exported


def relax(ground, rules, passes):
    """So many passes; returns all that has slid out."""
    total = 0.0
    for _ in range(passes):
        ground.rock, ground.loose, exported = one_pass(ground, rules)
        total += exported
    return total
