# SPDX-License-Identifier: GPL-3.0-or-later
"""Talus in plain Python, slow and literal: each cell asks each of its eight neighbours, and none is ever left out."""

import math
from dataclasses import dataclass


@dataclass
class Rules:
    """Angles as tangents, lengths in metres."""

    hold: float
    stand: float
    collapse: float
    rest: float
    row_spacing: float
    col_spacing: float
    edges: str


class Ground:
    """Rock and loose material by (row, col), and what masks say; outside lies what the edges make of it."""

    def __init__(self, rock, loose, edges, masks=None):
        self.rows, self.cols = rock.shape
        self.edges = edges
        cells = [(row, col) for row in range(self.rows) for col in range(self.cols)]
        self.rock = {cell: float(rock[cell]) for cell in cells}
        self.loose = {cell: float(loose[cell]) for cell in cells}
        self.masks = {cell: [1.0, 1.0, 1.0] if masks is None else [float(m) for m in masks[cell]] for cell in cells}

    def cell(self, row, col):
        """A cell, the one on the opposite side, or what lies outside: None where there is a wall."""
        if (row, col) in self.rock:
            return row, col
        if self.edges == "wrap":
            return row % self.rows, col % self.cols
        return None if self.edges == "closed" else (row, col)

    def height(self, cell):
        """Surface; beyond an open edge it goes on as from the last cell but one, as far as that one gives."""
        if cell in self.rock:
            return self.rock[cell] + self.loose[cell]
        last = min(max(cell[0], 0), self.rows - 1), min(max(cell[1], 0), self.cols - 1)
        inside = 2 * last[0] - cell[0], 2 * last[1] - cell[1]
        gives, _, breaks = self.masks[inside]
        return self.height(last) + (self.height(last) - self.height(inside)) * (gives * breaks)


def flow(ground, high, low, hold, rest):
    """What slides from the higher cell to the lower in one pass."""
    amount = min(ground.loose.get(high, 0.0) / 2, (ground.height(high) - ground.height(low) - hold) / 2)
    if amount <= rest:
        return 0.0
    gives, takes = ground.masks.get(high, [1.0] * 3)[0], ground.masks.get(low, [1.0] * 3)[1]
    return amount / 4 * gives * takes


def one_pass(ground, rules):
    """Rock and loose material after one pass, and what has slid out."""
    rock, loose, exported = dict(ground.rock), dict(ground.loose), 0.0
    for cell in ground.rock:
        excess = -math.inf
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                other = ground.cell(cell[0] + down, cell[1] + right)
                if other is None or (down, right) == (0, 0):
                    continue
                distance = math.hypot(down * rules.row_spacing, right * rules.col_spacing)
                hold = rules.hold * distance
                if ground.height(cell) > ground.height(other):
                    out = flow(ground, cell, other, hold, rules.rest)
                    loose[cell] -= out
                    exported += 0.0 if other in ground.rock else out
                else:
                    loose[cell] += flow(ground, other, cell, hold, rules.rest)
                excess = max(excess, ground.rock[cell] - ground.height(other) - rules.stand * distance)
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
