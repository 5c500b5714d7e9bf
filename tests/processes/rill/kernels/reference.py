# SPDX-License-Identifier: GPL-3.0-or-later
"""Light droplets in plain Python, slow and literal, to compare the kernel with.

Written from the article (jehoz, 2023), whose names it keeps: `get`, `gradient` and `modify` of a
scalar field, and the loop of one drop. Added to it are the guard (no cell is lowered below where
the drop goes, or raised above the higher of both places), what is loose, the three edges, cells
that are not square, masks, and a load that is really kept.
"""

import math
from dataclasses import dataclass, field

from tests.processes.droplet.kernels.reference import uniform


@dataclass
class Options:
    """Parameters by the names of the article; the defaults are its code's, with gravity for heights
    in cells.
    """

    gravity: float = 0.1875
    friction: float = 0.05
    sediment_transfer_rate: float = 0.5
    sediment_ratio: float = 3.0
    carries: bool = False
    first_rule: bool = False
    sed_capacity: float = 10.0
    min_volume: float = 0.01
    droplet_evaporation: float = 0.01
    soil_absorption: float = 0.5
    soil_evaporation: float = 0.00025
    max_steps: int = 10**6
    edges: str = "wrap"
    row_step: float = 1.0
    col_step: float = 1.0


@dataclass
class Terrain:
    """Height, loose part and moisture by [row][col], what happened to them, and where the last drop
    was.
    """

    height: list
    loose: list
    moisture: list
    strength: list | None = None
    hardness: list | None = None
    flow: list = field(default_factory=list)
    eroded: float = 0.0
    filled: float = 0.0
    exported: float = 0.0
    steps: int = 0
    paths_cut: int = 0
    path: list = field(default_factory=list)

    def __post_init__(self):
        self.rows, self.cols = len(self.height), len(self.height[0])
        self.flow = [[0.0] * self.cols for _ in range(self.rows)]

    def of(self, mask, row, col, otherwise):
        return mask[row][col] if mask else otherwise


def cells(terrain, options, position):
    """(row, col, weight) of the four cells around a position, in reading order."""
    z, x = position
    row = math.floor(z)
    col = math.floor(x)
    if options.edges != "wrap":
        row = min(row, terrain.rows - 2)
        col = min(col, terrain.cols - 2)
    down = z - row
    right = x - col
    rows = terrain.rows
    cols = terrain.cols
    return [
        (row % rows, col % cols, (1 - down) * (1 - right)),
        (row % rows, (col + 1) % cols, (1 - down) * right),
        ((row + 1) % rows, col % cols, down * (1 - right)),
        ((row + 1) % rows, (col + 1) % cols, down * right),
    ]


def nearest(terrain, position):
    """The cell that a position lies in; half-way between two it is the later one."""
    at = (math.floor(at + 0.5) for at in position)
    return tuple(
        place % count for place, count in zip(at, (terrain.rows, terrain.cols), strict=True)
    )


def get(values, around):
    return sum(values[row][col] * weight for row, col, weight in around)


def gradient(terrain, options, position):
    """Bilinear slope along the columns' and the rows' direction, per unit of length."""
    z, x = position
    (a, b, _), (_, c, _), (d, _, _), _ = cells(terrain, options, position)
    row = min(math.floor(z), terrain.rows - 2) if options.edges != "wrap" else math.floor(z)
    col = min(math.floor(x), terrain.cols - 2) if options.edges != "wrap" else math.floor(x)
    down = z - row
    right = x - col
    h = terrain.height
    along_rows = (h[a][c] - h[a][b]) * (1 - down) + (h[d][c] - h[d][b]) * down
    along_cols = (h[d][b] - h[a][b]) * (1 - right) + (h[d][c] - h[a][c]) * right
    return along_cols * options.row_step, along_rows * options.col_step


def dig(terrain, around, amount, floor):
    """`modify` downwards; returns what came."""
    total = 0.0
    for row, col, weight in around:
        share = terrain.of(terrain.strength, row, col, 1.0)
        taken = min(amount * weight * share, max(terrain.height[row][col] - floor, 0.0))
        loose = min(terrain.loose[row][col], taken)
        taken = loose + (taken - loose) * (1.0 - terrain.of(terrain.hardness, row, col, 0.0))
        terrain.height[row][col] -= taken
        terrain.loose[row][col] -= loose
        total += taken
    terrain.eroded += total
    return total


def lay(terrain, around, amount, ceiling):
    """`modify` upwards; returns what was laid down."""
    total = 0.0
    for row, col, weight in around:
        given = amount * weight * terrain.of(terrain.strength, row, col, 1.0)
        given = min(given, max(ceiling - terrain.height[row][col], 0.0))
        terrain.height[row][col] += given
        terrain.loose[row][col] += given
        total += given
    return total


def transfer(terrain, options, old, delta, volume_speed, level, load):
    """Sediment transfer at the four cells `old`; level: heights of both places. Returns the new
    load.
    """
    if not options.carries:
        if delta > 0:
            amount = delta * options.sediment_transfer_rate * options.sediment_ratio
            terrain.filled += lay(terrain, old, amount, level[1])
        else:
            dig(terrain, old, -delta * options.sediment_transfer_rate, level[1])
        return load
    max_sed = volume_speed * max(0.0, -delta) * options.sed_capacity
    spare = abs(max_sed - load)
    amount = (
        spare if options.first_rule else min(spare, abs(delta))
    ) * options.sediment_transfer_rate
    if max_sed > load:
        return load + dig(terrain, old, amount, level[1])
    return load - lay(terrain, old, min(amount * options.sediment_ratio, load), max(level))


def run_drop(terrain, options, position):
    """One drop from `position` (row, col) to its end, and the literal drying of the whole map after
    it.
    """
    vz = vx = load = 0.0
    volume = 1.0
    step = 0
    masked = terrain.strength or terrain.hardness
    terrain.path = [position]
    while volume > options.min_volume and step < options.max_steps:
        old = cells(terrain, options, position)
        row, col = nearest(terrain, position)
        terrain.flow[row][col] += volume
        gz, gx = gradient(terrain, options, position)
        vz = vz * (1 - options.friction) - gz * options.gravity
        vx = vx * (1 - options.friction) - gx * options.gravity
        if options.edges == "closed":
            vz, vx = (
                0.0 if (at <= 0 and v < 0) or (at >= count - 1 and v > 0) else v
                for at, v, count in (
                    (position[0], vz, terrain.rows),
                    (position[1], vx, terrain.cols),
                )
            )
        speed = math.sqrt(vx * vx + vz * vz)
        if speed == 0:
            break
        z = position[0] + vz / speed * options.row_step
        x = position[1] + vx / speed * options.col_step
        if options.edges == "wrap":
            z = z % terrain.rows
            x = x % terrain.cols
        elif options.edges == "closed":
            z = min(max(z, 0.0), terrain.rows - 1)
            x = min(max(x, 0.0), terrain.cols - 1)
        elif not (0 <= z <= terrain.rows - 1 and 0 <= x <= terrain.cols - 1):
            terrain.exported += load
            load = 0.0
            break
        position = (z, x)
        step = step + 1
        terrain.path.append(position)
        new = cells(terrain, options, position)
        level = get(terrain.height, old), get(terrain.height, new)
        load = transfer(terrain, options, old, level[1] - level[0], speed * volume, level, load)
        wetting = (
            max(0.0, 1 - speed) * max(0.0, 1 - get(terrain.moisture, new)) * options.soil_absorption
        )
        for row, col, weight in new:
            terrain.moisture[row][col] += wetting * weight
        volume *= 1 - options.droplet_evaporation
    terrain.paths_cut += step >= options.max_steps
    terrain.steps += step
    kept = load - lay(terrain, cells(terrain, options, position), load, math.inf)
    terrain.exported += kept if masked else 0.0
    for line in terrain.moisture:
        line[:] = [value * (1 - options.soil_evaporation) for value in line]


def start(terrain, options, key, drop):
    """Where a drop starts under even rain."""
    beyond = 0 if options.edges == "wrap" else 1
    return uniform(key, drop, 0) * (terrain.rows - beyond), uniform(key, drop, 1) * (
        terrain.cols - beyond
    )
