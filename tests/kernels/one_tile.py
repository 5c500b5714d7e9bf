# SPDX-License-Identifier: GPL-3.0-or-later
"""Particle kernels on a single tile, where particles run one after another."""

import numpy as np

from erosion_addon.processes.shared.kernels import particle_queues as queues
from erosion_addon.processes.shared.kernels import tiles

ALL = 10**6
"""Cells along a tile, more than any ground here has."""


class OneTile:
    """kernel: the module `droplet` or `rill`."""

    def __init__(self, kernel, shape, edges):
        self._kernel, self.tiles = kernel, tiles.cut(*shape, ALL, edges)
        self.pool, self.totals = queues.make_pool(1, kernel.NUMBERS), kernel.make_totals(self.tiles)

    def run(self, drops, arguments):
        """Start drops and let them run. drops: what `start_drops` wants after the tiles; arguments: `run_tiles`."""
        _, _, first, last, *_ = drops
        self.pool = queues.with_room(self.pool, last - first)
        self._kernel.start_drops(self.pool, self.tiles, *drops)
        return self.work(arguments)

    def work(self, arguments):
        """Let those run that have started; returns the totals so far."""
        here = np.zeros(1, np.int64)
        self._kernel.run_tiles(here, self.tiles, self.pool, *arguments, self.totals)
        queues.hand_on(self.pool, self.tiles, here)
        assert not self.pool.under_way[0]
        return self.totals
