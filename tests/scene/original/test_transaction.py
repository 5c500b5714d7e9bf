# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of a mesh: an error in them leaves it as it was, and is passed on."""

import bpy
import numpy as np
import pytest

from erosion_addon.scene.original.transaction import all_or_nothing, nothing_new
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object, positions, write_heights


def test_an_error_brings_heights_bounds_and_fields_back_and_is_passed_on(make_hills, everything_of):
    obj = make_hills()
    mesh = obj.data
    lattice = grid.find_lattice(obj)
    attributes.write_fields(mesh, lattice, {"wear": np.full((6, 5), 2.0, np.float32)})
    before = everything_of(mesh)
    names = attributes.ours(mesh)
    now = positions(mesh)
    bounds = np.array(obj.bound_box)
    with pytest.raises(MemoryError), all_or_nothing(mesh, now):
        attributes.write_fields(mesh, lattice, {"wear": np.zeros((6, 5)), "flow": np.ones((6, 5))})
        write_heights(mesh, now[:, 2] + 1000.0)
        raise MemoryError
    bpy.context.view_layer.update()
    assert everything_of(mesh) == before and attributes.ours(mesh) == names
    assert np.array_equal(np.array(obj.bound_box), bounds)
    assert len(bpy.data.meshes) == 1


def test_without_an_error_the_changes_stay(make_hills):
    obj = make_hills()
    now = positions(obj.data)
    with all_or_nothing(obj.data, now):
        write_heights(obj.data, now[:, 2] + 1.0)
    assert np.allclose(positions(obj.data)[:, 2], now[:, 2] + 1.0) and len(bpy.data.meshes) == 1


def test_what_was_made_before_an_error_goes_and_what_was_there_stays(make_hills):
    theirs = make_hills()
    with pytest.raises(MemoryError), nothing_new():
        make_grid_object("New", np.zeros((4, 4)), (1.0, 1.0), bpy.context.scene.collection)
        raise MemoryError
    assert [*bpy.data.objects] == [theirs] and [*bpy.data.meshes] == [theirs.data]
    with nothing_new():
        make_grid_object("New", np.zeros((4, 4)), (1.0, 1.0), bpy.context.scene.collection)
    assert "New" in bpy.data.objects
