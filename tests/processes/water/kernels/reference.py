# SPDX-License-Identifier: GPL-3.0-or-later
"""Water on a grid in plain Python, slow and literal, to compare the kernels with.

Written from the equations in the docstrings of `run_water` and `bed.sweep`, cell by cell and face
by face, in double precision: every pass over the whole grid, from a copy of what was there before.
A neighbor beyond an edge is asked for by `_beside`.
"""

import math
from dataclasses import dataclass

import numpy as np

SIDES = ((0, -1), (0, 1), (-1, 0), (1, 0))


@dataclass
class Water:
    """Fields by [row, col]; flux[side][row, col]: what leaves a cell over that side (m²/s),
    signed.
    """

    bed: np.ndarray
    depth: np.ndarray
    suspended: np.ndarray
    soil: np.ndarray
    moisture: np.ndarray
    grass: np.ndarray
    edges: str
    row_spacing: float
    col_spacing: float
    level: float = -math.inf
    outflow: float = 0.0
    inflow: float = 0.0
    exported: float = 0.0

    def __post_init__(self):
        self.flux = [np.zeros(self.bed.shape) for _ in SIDES]

    def beside(self, row, col, side):
        """The cell over a side, or None beyond an edge."""
        rows, cols = self.bed.shape
        row = row + SIDES[side][0]
        col = col + SIDES[side][1]
        if self.edges == "wrap":
            return row % rows, col % cols
        return (row, col) if 0 <= row < rows and 0 <= col < cols else None

    def spacing(self, side):
        return self.col_spacing if side < 2 else self.row_spacing

    def velocity(self, row, col, gravity):
        """(along the row, along the column), m/s, critical at most."""
        depth = max(self.depth[row, col], 0.01)
        left, right, up, down = (flux[row, col] for flux in self.flux)
        u = (right - left) / 2 / depth
        v = (down - up) / 2 / depth
        froude = max(math.hypot(u, v) / math.sqrt(gravity * depth), 1.0)
        return u / froude, v / froude


def slope(water, cell, side):
    """Size of the slope of the form drag over a side of a cell, or None beyond an edge."""
    other = water.beside(*cell, side)
    if other is None:
        return None
    z = water.bed[cell]
    z_other = water.bed[other]
    eta = z + water.depth[cell]
    eta_other = z_other + water.depth[other]
    wet = max(eta, eta_other) - max(z, z_other) > 1e-4
    same_way = (z - z_other) * (eta - eta_other) > 0
    return (
        min(abs(z - z_other), abs(eta - eta_other)) / water.spacing(side)
        if wet and same_way
        else 0.0
    )


def run(water, seconds, gravity, friction, pipe_depth):
    """One step of the pipes."""
    cells = list(np.ndindex(water.bed.shape))
    steep = np.zeros(water.bed.shape)
    for cell in cells:
        slopes = [slope(water, cell, side) for side in range(4)]
        along, down = (
            max(one for one in pair if one is not None) for pair in (slopes[:2], slopes[2:])
        )
        steep[cell] = math.hypot(along, down)
    old = [flux.copy() for flux in water.flux]

    def mean(cell, side):
        """Mean flux through a cell across the direction of a side."""
        low, high = (2, 3) if side < 2 else (0, 1)
        return (old[high][cell] - old[low][cell]) / 2

    for cell in cells:
        for side in range(4):
            other = water.beside(*cell, side)
            z = water.bed[cell] + water.suspended[cell]
            eta = z + water.depth[cell]
            if other is None:
                if water.edges == "closed":
                    continue
                z_other = water.bed[cell]
                eta_other = max(z_other, water.level)
                across = mean(cell, side)
            else:
                z_other = water.bed[other] + water.suspended[other]
                eta_other = z_other + water.depth[other]
                across = (mean(cell, side) + mean(other, side)) / 2
            h = max(eta, eta_other) - max(z, z_other)
            if h <= 1e-4:
                water.flux[side][cell] = 0.0
                continue
            q = old[side][cell]
            fall = (eta - eta_other) / water.spacing(side)
            drop = (
                max(steep[cell], abs(fall)) if other is None else (steep[cell] + steep[other]) / 2
            )
            pipe = min(h, pipe_depth)
            uniform = math.sqrt(gravity * h**3 * drop / (friction + drop))
            drag = (friction + drop) * max(math.hypot(q, across), uniform) / h**2 * pipe / h
            water.flux[side][cell] = (q + seconds * gravity * pipe * fall) / (1 + seconds * drag)

    share = np.ones(water.bed.shape)
    load = np.zeros(water.bed.shape)
    for cell in cells:
        out = sum(
            max(water.flux[side][cell], 0) * seconds / water.spacing(side) for side in range(4)
        )
        if out > 0:
            share[cell] = min(1.0, (1 - 1e-5) * water.depth[cell] / out)
        load[cell] = water.suspended[cell] / max(water.depth[cell], 1e-4)
    gain = np.zeros(water.bed.shape)
    solid = np.zeros(water.bed.shape)
    limited = [flux.copy() for flux in water.flux]
    for cell in cells:
        for side in range(4):
            other = water.beside(*cell, side)
            q = water.flux[side][cell]
            if q > 0:
                q *= share[cell]
            elif other is not None:
                q *= share[other]
            limited[side][cell] = q
            moved = q * seconds / water.spacing(side)
            carried = moved * (load[cell] if q > 0 else (load[other] if other is not None else 0.0))
            gain[cell] -= moved
            solid[cell] -= carried
            if other is None:
                water.outflow += max(moved, 0)
                water.inflow += max(-moved, 0)
                water.exported += carried
    water.flux = limited
    water.depth += gain
    water.suspended += solid


def settle(water, rules, rain):
    """One step of the ground; rules: values by the names of `water_ground.Ground`. Strength 1,
    hardness 0.
    """
    cells = list(np.ndindex(water.bed.shape))
    bed = water.bed.copy()
    soil = water.soil.copy()
    grass = water.grass.copy()
    velocity = {cell: water.velocity(*cell, rules["gravity"]) for cell in cells}
    speed = {cell: math.hypot(*velocity[cell]) for cell in cells}
    power = {cell: max(speed[cell] - 0.2, 0) * min(water.depth[cell], 1) for cell in cells}
    held = {cell: 1 - rules["protection"] * grass[cell] for cell in cells}
    moisture = water.moisture.copy()
    for cell in cells:
        for side in range(4):
            other = water.beside(*cell, side)
            if other is None or bed[cell] <= bed[other]:
                continue
            fall = bed[cell] - bed[other]
            length = water.spacing(side)
            slides = min(
                max(fall - rules["repose"] * length, 0) * rules["slide"],
                0.2499 * soil[cell] * moisture[cell] * held[cell],
            )
            share = min(
                rules["bank"] * max(power[cell], power[other]) * held[cell] / length**2, 0.1
            )
            amount = max(slides, share * fall)
            for at, change in ((cell, -amount), (other, amount)):
                water.bed[at] += change
                water.soil[at] += change
    for row, col in cells:
        cell = row, col
        around = [water.beside(row, col, side) for side in range(4)]
        left, right, up, down = (cell if other is None else other for other in around)
        spans = [
            sum(other is not None for other in around[:2]),
            sum(other is not None for other in around[2:]),
        ]
        slope_x = (bed[right] - bed[left]) / (spans[0] * water.col_spacing)
        slope_y = (bed[down] - bed[up]) / (spans[1] * water.row_spacing)
        u, v = velocity[cell]
        h = water.depth[cell]
        b = max(water.soil[cell], 0.0)
        b += rules["rock"] * power[cell] * max(1 - b / 0.5, 0) * held[cell]
        lean = -(u * slope_x + v * slope_y) / math.sqrt(1 + slope_x**2 + slope_y**2)
        stirring = rules["minimum_tilt"] * max(speed[cell] - 0.2, 0)
        capacity = rules["capacity"] * min(h, 2) * max(lean, stirring)
        s = water.suspended[cell]
        if h <= 1e-4 or s + max(capacity - s, 0) <= 1e-12:
            taken = -s
        elif capacity > s:
            lowest = min(bed[left], bed[right], bed[up], bed[down])
            room = min(b, max(water.bed[cell] - lowest, 0) / 2)
            taken = min((capacity - s) * rules["pick_up"], room) * held[cell]
        else:
            taken = (capacity - s) * rules["settle"]
        water.suspended[cell] += taken
        water.bed[cell] -= taken
        water.soil[cell] = b - taken
        h += rain[cell] * rules["seconds"]
        h = max(h - rules["evaporation"] / (1 + (speed[cell] / 0.3) ** 2), 0)
        water.depth[cell] = h
        water.moisture[cell] = max(h / (h + 0.02), moisture[cell] * rules["dry"])
        suits = min(water.soil[cell] / 0.1, 1) * max(
            1 - math.hypot(slope_x, slope_y) / rules["grass_slope"], 0
        )
        suits *= (
            max(1 - h / 0.05, 0) * max(1 - abs(taken) / rules["fresh"], 0) * water.moisture[cell]
        )
        lacking = suits - grass[cell]
        water.grass[cell] += lacking * (rules["grow"] if lacking > 0 else rules["die"])
