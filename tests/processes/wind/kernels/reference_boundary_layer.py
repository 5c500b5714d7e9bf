# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind in a boundary layer in plain Python, slow and literal, to compare the kernel with.

Written from the equations in `boundary_layer.run_tiles`, with vectors (along rows, up, along
columns) as in the source and its cross products, on the land of `reference_wind`.
"""

import math

from tests.processes.droplet.kernels.reference import uniform
from tests.processes.wind.kernels.reference import Land, cross, length


def dot(a, b):
    return sum(one * other for one, other in zip(a, b, strict=True))


def scaled(factor, v):
    return tuple(factor * part for part in v)


def mixed(a, b, share):
    return tuple(one + share * (other - one) for one, other in zip(a, b, strict=True))


class Layer(Land):
    """`rules` has the attributes of `wind_layer.Constants`."""

    def cascade(self, cell):
        """The lowest neighbors first."""
        offsets = [(row, col) for row in (-1, 0, 1) for col in (-1, 0, 1) if row or col]
        around = [
            (offset, self.place(cell[0] + offset[0], cell[1] + offset[1])) for offset in offsets
        ]
        around = [
            (self.surface(other), offset, other) for offset, other in around if other is not None
        ]
        for _, (row, col), other in sorted(around, key=lambda item: item[0]):
            rules = self.rules
            hold = rules.diagonal_hold if row and col else rules.row_hold if row else rules.col_hold
            difference = self.surface(cell) - self.surface(other)
            excess = abs(difference) - hold
            if excess <= 0:
                continue
            higher, lower = (cell, other) if difference > 0 else (other, cell)
            transfer = min(self.sediment[higher], excess / 2) * rules.share
            transfer *= self.masks[higher][0] * self.masks[lower][2]
            self.sediment[higher] -= transfer
            self.sediment[lower] += transfer
            self.slid += transfer

    def drift(self, particle, z, x, wind_row, wind_col, load=0.0, key=1):
        """One particle from its start to its end; `path` gets (z, x, height, speed, load) after
        each step.
        """
        rules = self.rules
        wind = (wind_col, 0.0, wind_row)
        speed = (0.0, 0.0, 0.0)
        height = -math.inf
        cell = (int(z), int(x))
        way = 0.0
        self.path = []
        for step in range(1, rules.maximum_steps + 1):
            surface = self.surface(cell)
            height = max(height, surface)
            normal = self.normal(z, x)
            near = math.exp((surface - height) / rules.layer)
            calm = 1 - near * (1 - self.cover[cell][1])
            gust = scaled(calm, wind)
            open_air = 1 - max(dot(wind, normal), 0.0)
            speed = tuple(
                v + rules.pull * ((0.1 + 0.9 * open_air) * p - v)
                for v, p in zip(speed, gust, strict=True)
            )
            carried = load / rules.full
            if height > surface:
                speed = (speed[0], speed[1] - rules.weight * carried, speed[2])
            size = length(speed)
            collision = max(-dot(speed, normal) / size, 0.0) if size > 0 else 0.0
            along = cross(normal, cross(scaled(1 - collision, speed), normal))
            aim = scaled(open_air, mixed(gust, along, open_air * near))
            speed = mixed(speed, aim, rules.follow)
            swirl = rules.turbulence * near * collision
            if swirl > 0:
                z_draw, x_draw, y_draw = (
                    2 * uniform(key, particle, 3 * step + draw) - 1 for draw in range(3)
                )
                speed = (
                    speed[0] + swirl * x_draw,
                    speed[1] + swirl * y_draw,
                    speed[2] + swirl * z_draw,
                )
            slower = 1 - min(rules.drag * carried, 1.0)
            speed = scaled(slower / (rules.yielding + slower * (1 - rules.yielding)), speed)
            way += math.hypot(speed[0], speed[2]) / max(calm, 0.1)
            left = min(rules.maximum_way - way, rules.maximum_steps - step)
            self.track.add(cell)
            load += self.trade(cell, surface, near, collision, speed, normal, load, left)
            self.cascade(cell)
            x = x + rules.col_step * speed[0]
            z = z + rules.row_step * speed[2]
            height += rules.time_step * speed[1]
            self.path.append((z, x, height, speed, load))
            if not (0 <= z < self.rows and 0 <= x < self.cols):
                if self.edges == "open":
                    self.exported += load
                    return
                if self.edges == "closed":
                    break
                z = z % self.rows
                x = x % self.cols
            cell = int(z), int(x)
            if way >= rules.maximum_way:
                break
        load -= self.settle(cell, load)
        self.cascade(cell)
        self.exported += load

    def trade(self, cell, surface, near, collision, speed, normal, load, left):
        """Lifting, settling or abrasion; returns what the particle gained."""
        rules = self.rules
        force = max(-dot(speed, normal), 0.0)
        holds = rules.full * near * ((1 - collision) * length(speed) + rules.press * force)
        exchange = rules.exchange
        if surface < self.shade[cell]:
            holds = holds * (1 - rules.shelter)
            exchange = rules.lee_exchange
        holds *= max(min(left / max(rules.maximum_way / 4, 1), 1), 0)
        wanted = exchange * (holds - load)
        if wanted <= 0:
            return -self.settle(cell, -wanted if load > 1e-30 else load)
        takes, softness, _ = self.masks[cell]
        if self.sediment[cell] <= 0:
            worn = rules.abrasion * force * load * takes * softness
            self.rock[cell] -= worn
            self.sediment[cell] += worn
            self.abraded += worn
            return 0.0
        amount = min(max(wanted - self.cover[cell][0], 0.0) * takes, self.sediment[cell])
        self.sediment[cell] -= amount
        self.lifted += amount
        return amount
