# SPDX-License-Identifier: GPL-3.0-or-later
"""One press on Run reads the mesh once."""

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain import mesh
from erosion_addon.scene.terrain.grid import snapshot
from erosion_addon.ui.run import runs


def test_it_holds_what_the_mesh_is_at_that_moment(terrain_object):
    seen = snapshot(terrain_object)
    assert np.array_equal(seen.place, mesh.positions(terrain_object.data))
    assert seen.fingerprint == mesh.fingerprint(terrain_object.data)
    terrain_object.data.vertices[0].co.z += 1.0
    assert seen.fingerprint != mesh.fingerprint(terrain_object.data)
    assert seen.heights[0] != terrain_object.data.vertices[0].co.z


def test_what_is_no_grid_is_refused_as_everywhere(terrain_object):
    for vertex in terrain_object.data.vertices:
        vertex.co.x = 0.0
    with pytest.raises(InputError):
        snapshot(terrain_object)


def test_a_run_reads_the_mesh_once(terrain_object, monkeypatch):
    terrain_object.erosion.strength.source = "NONE"
    reads = []
    whole = mesh.shown_positions
    monkeypatch.setattr(
        mesh, "shown_positions", lambda read, *room: reads.append(read.name) or whole(read, *room)
    )
    runs.start(terrain_object)
    job.clear()
    assert reads == [terrain_object.data.name]
