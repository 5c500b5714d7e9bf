# SPDX-License-Identifier: GPL-3.0-or-later
"""Particle kernels on a single tile, where particles run one after another, or on tiles that run
one after another.
"""

import numpy as np

from erosion_addon.processes.shared.kernels import particle_queues as queues
from erosion_addon.processes.shared.kernels import tiles

ALL = 10**6
"""Cells along a tile, more than any ground here has."""


class OneTile:
    """kernel: the module `droplet` or `rill`. side: cells along a tile."""

    def __init__(self, kernel, shape, edges, side=ALL):
        self._kernel = kernel
        self.tiles = tiles.cut(*shape, side, edges)
        count = tiles.number_of_tiles(self.tiles)
        self.pool, self.totals = (
            queues.make_pool(count, kernel.NUMBERS),
            kernel.make_totals(self.tiles),
        )

    def run(self, drops, arguments):
        """Start drops and let them run. drops: what `start_drops` wants after the tiles; arguments:
        `run_tiles`.
        """
        _, _, first, last, *_ = drops
        self.pool = queues.with_room(self.pool, last - first)
        self._kernel.start_drops(self.pool, self.tiles, *drops)
        return self.work(arguments)

    def work(self, arguments):
        """Let those run that have started; returns the totals so far."""
        while self.pool.under_way[0]:
            for tile in range(len(self.totals.steps)):
                here = np.array([tile])
                self._kernel.run_tiles(here, self.tiles, self.pool, *arguments, self.totals)
                queues.hand_on(self.pool, self.tiles, here)
        return self.totals
