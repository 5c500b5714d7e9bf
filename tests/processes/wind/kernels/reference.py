# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind erosion in plain Python, slow and literal, to compare the kernel with.

Written from the article (McDonald 2020: `Wind::fly`, `Wind::cascade`), whose order of operations it
keeps, with what this project changes: nothing is lost, diagonals are longer, edges are those of the
cell that slides, three kinds of edges, a wind shadow, masks and covers. Vectors are (along rows'
axis x, up, along columns' axis z), as there.
"""

import math


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def length(v):
    return math.sqrt(sum(part * part for part in v))


class Land:
    """Rock and sediment by (row, col), and what lies over them; `rules` has the attributes of
    `wind.Constants`.
    """

    def __init__(self, rock, sediment, rules, edges, masks=None, cover=None, shade=None):
        self.rows, self.cols = rock.shape
        cells = [(row, col) for row in range(self.rows) for col in range(self.cols)]
        self.rock = {cell: float(rock[cell]) for cell in cells}
        self.sediment = {cell: float(sediment[cell]) for cell in cells}
        self.masks = {
            cell: (1.0, 1.0, 1.0) if masks is None else tuple(map(float, masks[cell][:3]))
            for cell in cells
        }
        self.cover = {
            cell: (0.0, 1.0) if cover is None else tuple(map(float, cover[cell])) for cell in cells
        }
        self.shade = {cell: -math.inf if shade is None else float(shade[cell]) for cell in cells}
        self.rules = rules
        self.edges = edges
        self.track = set()
        self.path = []
        self.exported = self.lifted = self.slid = self.abraded = 0.0

    def surface(self, cell):
        return self.rock[cell] + self.sediment[cell]

    def place(self, row, col):
        """The cell of these numbers, of the opposite edge, or None beyond an edge."""
        if self.edges == "wrap":
            return row % self.rows, col % self.cols
        return (row, col) if 0 <= row < self.rows and 0 <= col < self.cols else None

    def clamped(self, row, col):
        return self.place(row, col) or (
            min(max(row, 0), self.rows - 1),
            min(max(col, 0), self.cols - 1),
        )

    def normal(self, z, x):
        """Unit normal: gradients of the four nearest cells by central differences, blended."""
        row = math.floor(z - 0.5)
        col = math.floor(x - 0.5)
        down = z - 0.5 - row
        right = x - 0.5 - col
        slope_z = slope_x = 0.0
        for d_row, d_col in ((0, 0), (0, 1), (1, 0), (1, 1)):
            weight = (down if d_row else 1 - down) * (right if d_col else 1 - right)
            at = row + d_row, col + d_col
            south = self.clamped(at[0] + 1, at[1])
            north = self.clamped(at[0] - 1, at[1])
            east = self.clamped(at[0], at[1] + 1)
            west = self.clamped(at[0], at[1] - 1)
            slope_z += weight * (self.surface(south) - self.surface(north)) * self.rules.row_slope
            slope_x += weight * (self.surface(east) - self.surface(west)) * self.rules.col_slope
        size = math.sqrt(1 + slope_z**2 + slope_x**2)
        return -slope_x / size, 1 / size, -slope_z / size

    def cascade(self, cell, share):
        for d_row, d_col in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
            other = self.place(cell[0] + d_row, cell[1] + d_col)
            if other is None:
                continue
            hold = (
                self.rules.diagonal_hold
                if d_row and d_col
                else self.rules.row_hold
                if d_row
                else self.rules.col_hold
            )
            difference = self.surface(cell) - self.surface(other)
            excess = abs(difference) - hold
            if excess <= 0:
                continue
            higher, lower = (cell, other) if difference > 0 else (other, cell)
            transfer = (
                min(self.sediment[higher], excess / 2)
                * share
                * self.masks[higher][0]
                * self.masks[lower][2]
            )
            self.sediment[higher] -= transfer
            self.sediment[lower] += transfer
            self.slid += transfer

    def settle(self, cell, amount):
        amount *= self.masks[cell][2]
        self.sediment[cell] += amount
        return amount

    def fly(self, z, x, wind_row, wind_col, load=0.0):
        """One particle from its start to its end; `path` gets (z, x, height, speed, load) after
        each step.
        """
        rules, dt = self.rules, self.rules.time_step
        height = -math.inf
        wind = (wind_col, 0.0, wind_row)
        speed = wind
        cell = int(z), int(x)
        self.path = []
        for step in range(1, rules.maximum_steps + 1):
            height = max(height, self.surface(cell))
            lee = height < self.shade[cell]
            prevailing = wind
            if height > self.surface(cell):
                speed = (speed[0], speed[1] - rules.gravity, speed[2])
                slower = 1 - min(rules.air_drag * length(speed), 1)
                up = rules.air_lift * math.hypot(speed[0], speed[2])
                speed = (speed[0] * slower, (speed[1] + up) * slower, speed[2] * slower)
            else:
                self.track.add(cell)
                normal = self.normal(z, x)
                turn = cross(cross(speed, normal), normal)
                speed = tuple(v + dt * a for v, a in zip(speed, turn, strict=True))
                prevailing = tuple(p * self.cover[cell][1] for p in wind)
            speed = tuple(v + rules.pull * (p - v) for v, p in zip(speed, prevailing, strict=True))
            x = x + rules.col_step * speed[0]
            z = z + rules.row_step * speed[2]
            height += dt * speed[1]
            if not (0 <= z < self.rows and 0 <= x < self.cols):
                if self.edges == "open":
                    self.exported += load
                    return
                if self.edges == "closed":
                    break
                z = z % self.rows
                x = x % self.cols
            new = int(z), int(x)
            if step > rules.maximum_steps - rules.maximum_steps // 4:
                part = load / 2 / (rules.maximum_steps + 1 - step)
                load -= self.settle(new, part) + self.settle(cell, part)
            elif height <= self.surface(new):
                force = (
                    length(speed) * (1 - rules.shelter if lee else 1) * (self.surface(new) - height)
                )
                load += self.touch(cell, force, load)
            else:
                part = load / 2 * (1 if load <= 1e-30 else rules.lee_fall if lee else rules.fall)
                load -= self.settle(new, part) + self.settle(cell, part)
                if new == cell:
                    self.cascade(cell, 2 * rules.share)
                else:
                    self.cascade(new, rules.share)
                    self.cascade(cell, rules.share)
            cell = new
            self.path.append((z, x, height, speed, load))
            if length(speed) < 0.01:
                break
        load -= self.settle(cell, load)
        self.cascade(cell, rules.share)
        self.exported += load

    def touch(self, cell, force, load):
        """Abrasion or suspension; returns what was lifted."""
        takes, softness, _ = self.masks[cell]
        if self.sediment[cell] <= 0:
            worn = self.rules.abrasion * force * load * takes * softness
            self.rock[cell] -= worn
            self.sediment[cell] += worn
            self.abraded += worn
            return 0.0
        lifted = min(
            self.rules.lift * max(force - self.cover[cell][0], 0.0) * takes, self.sediment[cell]
        )
        self.sediment[cell] -= lifted
        self.lifted += lifted
        if lifted > 0:
            self.cascade(cell, self.rules.share)
        return lifted
