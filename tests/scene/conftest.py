# SPDX-License-Identifier: GPL-3.0-or-later
"""A fresh Blender scene for every test, and meshes."""

import bpy
import numpy as np
import pytest

from erosion_addon.scene.terrain.mesh import make_grid_object
from tests.measured import no_speeds, speeds_file  # noqa: F401 - fixtures
from tests.mesh_contents import everything
from tests.node_groups import groups_from_a_file  # noqa: F401 - a fixture


@pytest.fixture
def empty_scene():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return bpy.context.scene


@pytest.fixture
def make_hills(empty_scene):
    """Makes an object from a grid of random heights; more keywords than its size go to
    `make_grid_object`.
    """

    def make(rows=6, cols=5, spacing=(2.0, 2.0), seed=1):
        elevation = np.random.default_rng(seed).normal(0, 3, (rows, cols)).astype(np.float32)
        obj = make_grid_object("Hills", elevation, spacing, empty_scene.collection)
        bpy.context.view_layer.update()
        return obj

    return make


@pytest.fixture
def make_points(empty_scene):
    """Makes an object from positions (vertices, 3) and optional edges and faces."""

    def make(positions, edges=(), faces=()):
        mesh = bpy.data.meshes.new("Points")
        mesh.from_pydata(np.asarray(positions, float).reshape(-1, 3).tolist(), edges, faces)
        obj = bpy.data.objects.new("Points", mesh)
        empty_scene.collection.objects.link(obj)
        bpy.context.view_layer.update()
        return obj

    return make


@pytest.fixture
def everything_of():
    """Reads all that a mesh holds, as bytes by name, to compare before and after."""
    return everything
