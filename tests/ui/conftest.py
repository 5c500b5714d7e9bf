# SPDX-License-Identifier: GPL-3.0-or-later
import itertools

import bpy
import numpy as np
import pytest

import erosion_addon
from erosion_addon.base.data_files import OWN_FOLDER
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain.mesh import make_grid_object, vertex_heights
from tests.measured import no_speeds, speeds_file  # noqa: F401 - fixtures
from tests.node_groups import groups_from_a_file  # noqa: F401 - a fixture
from tests.terrains import fractal


@pytest.fixture(scope="session", autouse=True)
def extension():
    """The extension, switched on once for all tests of the user interface."""
    erosion_addon.register()
    yield
    erosion_addon.unregister()


@pytest.fixture(scope="session")
def own_folders(tmp_path_factory):
    """Paths in a folder, none of which exists."""
    folder = tmp_path_factory.mktemp("own")
    return (folder / f"own recipes {number}" for number in itertools.count())


@pytest.fixture(autouse=True)
def own_recipes(own_folders, monkeypatch):
    """The folder of the user's own recipes, which is not there yet."""
    folder = next(own_folders)
    monkeypatch.setenv(OWN_FOLDER, str(folder))
    return folder


@pytest.fixture(autouse=True)
def empty_scene():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    yield
    job.clear()


@pytest.fixture
def terrain_object():
    """A 48 × 64 grid of 10 m cells with 200 m of relief, active and selected."""
    obj = make_grid_object(
        "Terrain", fractal(48, 64, relief=200.0), (10.0, 10.0), bpy.context.scene.collection
    )
    activate(obj)
    obj.erosion.recipe_name = "arcane"
    return obj


def activate(obj):
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)


def z_of(obj) -> np.ndarray:
    return vertex_heights(obj.data)
