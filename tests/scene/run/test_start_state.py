# SPDX-License-Identifier: GPL-3.0-or-later
"""Start state of a run on a mesh."""

import numpy as np

from erosion_addon.processes.registry import PROCESSES
from erosion_addon.scene.run import start_state
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import vertex_heights
from erosion_addon.terrain.fields import FIELDS


def test_a_run_that_continues_the_last_one_goes_on_from_all_that_the_processes_read(make_hills):
    """Also from the paths of the wind: its map would begin at nothing again."""
    obj = make_hills()
    lattice = grid.find_lattice(obj)
    shape = (lattice.rows, lattice.cols)
    read = {"sediment", "soil"} | {name for process in PROCESSES.values() for name in process.reads}
    assert "wind_path" in read
    left = {}
    for name in read:
        size = FIELDS[name].components
        left[name] = np.full(shape if size == 1 else (*shape, size), 0.25, np.float32)
    attributes.write_fields(obj.data, lattice, left)

    def fields(continued):
        return start_state.terrain(
            obj.data, lattice, vertex_heights(obj.data), continued, {}
        ).fields

    assert set(fields(continued=True)) == read
    for name, values in fields(continued=True).items():
        np.testing.assert_array_equal(values, left[name])
    assert not fields(continued=False)
