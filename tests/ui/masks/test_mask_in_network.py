# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of somebody's file that lie in a network: nothing calls the machine before the user
runs.
"""

import bpy
import pytest

from erosion_addon.scene.masks import inputs
from erosion_addon.scene.session import session
from erosion_addon.ui.base.terrain_settings import images_of
from erosion_addon.ui.masks import mask_watch
from tests.network_paths import IN_NETWORK

PATHS = [
    path
    for path in (*IN_NETWORK, *(f"//{path}" for path in IN_NETWORK))
    if not path.startswith("//machine")
]
"""Two slashes and a name are a place beside the .blend file."""


@pytest.mark.parametrize("path", [path for path in PATHS if not path.startswith("//?")])
def test_neither_the_panel_nor_an_export_reads_them(terrain_object, path):
    image = bpy.data.images.new("Foreign", 4, 4)
    image.filepath = path
    image.source = "FILE"
    mask = terrain_object.erosion.hardness
    mask.source = "IMAGE"
    mask.image = image
    session.masks.due.clear()
    assert mask_watch.problem(terrain_object, "hardness") is None and not session.masks.due
    terrain_object[inputs.MADE_FROM] = path
    assert not inputs.of(terrain_object, images_of(terrain_object))
