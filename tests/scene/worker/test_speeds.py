# SPDX-License-Identifier: GPL-3.0-or-later
"""File of the measured speeds of this machine."""

import bpy

from erosion_addon.scene.worker.speeds import path


def test_there_is_no_file_where_blender_has_no_user_folder(monkeypatch):
    """Blender names an empty folder where it cannot make one: the file would lie in the current
    one.
    """
    monkeypatch.setattr(bpy.utils, "user_resource", lambda *_, **__: "")
    assert path() is None
