# SPDX-License-Identifier: GPL-3.0-or-later
"""Droplet erosion in plain Python, slow and literal, to compare the kernel with.

Written from the published source (Ranmantaru, 2011: `HeightmapData::genDropletErosion`), whose
names and order of operations it keeps, with what this project adds to it: the guard (no cell is
lowered below `nh`, and a drop gains what the cells lost), the three edges, cells that are not
square, and masks. Heights are in cells.
"""

import math
from dataclasses import dataclass, field

_MASK = 2**64 - 1


def _mix(bits):
    """The finaliser of SplitMix64, as in Steele, Lea, Flood (2014), figure 16, with the constants
    of variant 13.
    """
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & _MASK
    return bits ^ (bits >> 31)


def uniform(key, drop, number):
    """Draw `number` of a drop in [0, 1): SplitMix64 started from a hash of key and drop."""
    golden = 0x9E3779B97F4A7C15
    start = _mix(key ^ _mix((drop * golden + golden) & _MASK))
    return (_mix((start + (number + 1) * golden) & _MASK) >> 11) / 2**53


@dataclass
class Rules:
    """Parameters by the names of the source; the defaults are its."""

    Kq: float = 10
    Kw: float = 0.001
    Kr: float = 0.9
    Kd: float = 0.02
    Ki: float = 0.1
    minSlope: float = 0.05  # noqa: N815
    g: float = 20
    max_path_len: int = 10**6
    brush: bool = True
    sine: bool = False
    edges: str = "wrap"
    row_step: float = 1.0
    col_step: float = 1.0
    color_depth: float = 0.05
    cap: float = math.inf
    """Of what is laid down in a step; a comment of the source has 1."""
    quarters: bool = False
    """DEPOSIT as a comment of the source has it: a quarter on each cell."""
    anywhere: bool = False
    """Drops start anywhere around the corner of their cell."""


@dataclass
class Ground:
    """Height, loose part of it and color by [row][col], what happened to them, and where the drops
    were.
    """

    height: list
    loose: list
    strength: list | None = None
    softness: list | None = None
    """1 - hardness."""
    color: list | None = None
    flow: list = field(default_factory=list)
    eroded: float = 0.0
    exported: float = 0.0
    moves: int = 0
    long_paths: int = 0
    random_directions: int = 0
    path: list = field(default_factory=list)
    """(row, col, height, load, speed, water) of the drop that started last at the start of each
    step.
    """

    def __post_init__(self):
        self.rows, self.cols = len(self.height), len(self.height[0])
        self.flow = [[0.0] * self.cols for _ in range(self.rows)]

    def at(self, row, col):
        """Height of a cell, of the opposite side beyond an edge."""
        return self.height[row % self.rows][col % self.cols]


def run_drop(ground, rules, start, draw):
    """Let one drop run from the place `start` to its end; draw(): the next random number in [0, 1).
    A generator, that stops when the drop has been put there and after each step.
    """
    row_at, col_at = map(float, start)
    h = _bilinear(ground, row_at, col_at)
    s = 0.0
    v = 0.0
    w = 1.0
    color = [0.0] * 3
    d_row = d_col = 0.0
    corners = _corners(ground, rules, row_at, col_at)
    path = ground.path = []
    yield
    for _ in range(rules.max_path_len):
        path.append((row_at, col_at, h, s, v, w))
        ground.flow[math.floor(row_at + 0.5) % ground.rows][
            math.floor(col_at + 0.5) % ground.cols
        ] += w
        h00, h10, h01, h11 = corners
        g_col = (h00 + h01 - h10 - h11) * rules.col_step
        g_row = (h00 + h10 - h01 - h11) * rules.row_step
        d_col = (d_col - g_col) * rules.Ki + g_col
        d_row = (d_row - g_row) * rules.Ki + g_row
        if rules.edges == "closed":
            d_col = _along_wall(col_at, d_col, ground.cols - 1)
            d_row = _along_wall(row_at, d_row, ground.rows - 1)
        length = math.hypot(d_col, d_row)
        if length <= 1.1920929e-07:
            angle = draw() * 2 * math.pi
            d_col = math.cos(angle)
            d_row = math.sin(angle)
            ground.random_directions += 1
        else:
            d_col = d_col / length
            d_row = d_row / length
        n_col = col_at + d_col * rules.col_step
        n_row = row_at + d_row * rules.row_step
        if rules.edges == "closed":
            n_col = min(max(n_col, 0.0), ground.cols - 1)
            n_row = min(max(n_row, 0.0), ground.rows - 1)
        elif rules.edges == "open" and not (
            0 <= n_col <= ground.cols - 1 and 0 <= n_row <= ground.rows - 1
        ):
            ground.exported += s
            return
        n_corners = _corners(ground, rules, n_row, n_col)
        nh = _bilinear(ground, n_row, n_col)

        fill = 0.0
        if nh >= h:
            ds = nh - h + 0.001
            if ds >= s:
                kept = s - _deposit(ground, rules, row_at, col_at, s, color)
                ground.exported += kept if ground.strength else 0.0
                return
            fill = ds
            given = ds * _let_through(ground, rules, row_at, col_at)
            h += given
            s -= given
            v = 0.0
            if h <= nh:  # a strength mask kept the pit from being filled
                _deposit(ground, rules, row_at, col_at, fill, color)
                ground.exported += s
                return
        dh = h - nh
        slope = dh / math.sqrt(dh * dh + 1) if rules.sine else dh
        q = max(slope, rules.minSlope) * v * w * rules.Kq
        if s >= q:
            # A pit is filled in one go with what is laid down beside, which matters to the colors
            # only.
            given = _deposit(
                ground, rules, row_at, col_at, fill + min((s - q) * rules.Kd, rules.cap), color
            )
            given -= fill * _let_through(ground, rules, row_at, col_at)
            dh += given
            s -= given
        else:
            taken = _erode(
                ground, rules, row_at, col_at, min((q - s) * rules.Kr, dh * 0.99), s, nh, color
            )
            dh -= taken
            s += taken
        v = math.sqrt(v * v + 2 * rules.g * max(dh, 0.0))
        w *= 1 - rules.Kw
        row_at = n_row
        col_at = n_col
        h = nh
        corners = n_corners
        ground.moves += 1
        yield
    ground.long_paths += 1
    kept = s - _deposit(ground, rules, row_at, col_at, s, color)
    ground.exported += kept if ground.strength else 0.0


def _along_wall(place, direction, last):
    return 0.0 if (place <= 0 and direction < 0) or (place >= last and direction > 0) else direction


def _corners(ground, rules, row_at, col_at):
    """Heights h00, h10, h01, h11 (first digit: along the columns) around a place; without wrapping,
    the last row and column belong to the cell before them.
    """
    row = math.floor(row_at)
    col = math.floor(col_at)
    if rules.edges != "wrap":
        row = min(row, ground.rows - 2)
        col = min(col, ground.cols - 2)
    return (
        ground.at(row, col),
        ground.at(row, col + 1),
        ground.at(row + 1, col),
        ground.at(row + 1, col + 1),
    )


def _shares(row_at, col_at):
    """The four cells around a place with their bilinear weights; those of no weight left out."""
    row = math.floor(row_at)
    col = math.floor(col_at)
    zf = row_at - row
    xf = col_at - col
    cells = (
        (row, col, (1 - zf) * (1 - xf)),
        (row, col + 1, (1 - zf) * xf),
        (row + 1, col, zf * (1 - xf)),
        (row + 1, col + 1, zf * xf),
    )
    return [cell for cell in cells if cell[2] > 0]


def _bilinear(ground, row_at, col_at):
    return sum(ground.at(row, col) * share for row, col, share in _shares(row_at, col_at))


def _laid(ground, rules, row_at, col_at):
    """The cells that what is laid down around a place falls on, with their shares."""
    if not rules.quarters:
        return _shares(row_at, col_at)
    row = math.floor(row_at)
    col = math.floor(col_at)
    if rules.edges != "wrap":
        row = min(row, ground.rows - 2)
        col = min(col, ground.cols - 2)
    return _shares(row + 0.5, col + 0.5)


def _let_through(ground, rules, row_at, col_at):
    """Share of what is laid down around a place that a strength mask lets through."""
    if not ground.strength:
        return 1.0
    cells = _laid(ground, rules, row_at, col_at)
    return sum(
        share * ground.strength[row % ground.rows][col % ground.cols] for row, col, share in cells
    )


def _deposit(ground, rules, row_at, col_at, amount, color):
    """DEPOSIT of the source; returns what a strength mask let through."""
    total = 0.0
    for row, col, share in _laid(ground, rules, row_at, col_at):
        row = row % ground.rows
        col = col % ground.cols
        delta = amount * share
        if ground.strength:
            delta *= ground.strength[row][col]
        ground.height[row][col] += delta
        ground.loose[row][col] += delta
        if ground.color:
            there = ground.color[row][col]
            mix = delta / (delta + rules.color_depth)
            ground.color[row][col] = [
                old + mix * (new - old) for old, new in zip(there, color, strict=True)
            ]
        total += delta
    return total


def _erode(ground, rules, row_at, col_at, ds, load, nh, color):
    """ERODE of the source with the guard; returns what the cells lost."""
    total = 0.0
    for row, col, share in _brush(row_at, col_at) if rules.brush else _shares(row_at, col_at):
        if rules.edges != "wrap" and not (0 <= row < ground.rows and 0 <= col < ground.cols):
            continue
        row = row % ground.rows
        col = col % ground.cols
        delta = ds * share
        if ground.strength:
            delta *= ground.strength[row][col]
        delta = min(delta, max(ground.height[row][col] - nh, 0.0))
        loose = min(ground.loose[row][col], delta)
        rock = (delta - loose) * (ground.softness[row][col] if ground.softness else 1.0)
        delta = loose + rock
        ground.height[row][col] -= delta
        ground.loose[row][col] -= loose
        if ground.color and delta > 0:
            part = delta / (load + total + delta)
            there = ground.color[row][col]
            color[:] = [old + part * (new - old) for old, new in zip(color, there, strict=True)]
        total += delta
    ground.eroded += total
    return total


def _brush(row_at, col_at):
    """The cells nearer than two cells, with the weights of the source."""
    top = math.floor(row_at) - 1
    left = math.floor(col_at) - 1
    for row in range(top, top + 4):
        for col in range(left, left + 4):
            weight = 1 - ((row - row_at) ** 2 + (col - col_at) ** 2) / 4
            if weight > 0:
                yield row, col, weight / (2 * math.pi)
