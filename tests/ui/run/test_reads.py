# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads of the mesh positions in one Run, the most expensive request to Blender."""

import re
import sys
from pathlib import Path

import bpy
import pytest

import erosion_addon
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain import mesh

BLENDER = [
    path
    for room in ("scene", "ui")
    for path in (Path(erosion_addon.__file__).parent / room).rglob("*.py")
]
"""Modules that know Blender."""


@pytest.fixture
def reads(monkeypatch):
    """Calling function of each read of a mesh's positions."""
    read = mesh.shown_positions
    callers = []

    def counted(read_mesh, *room):
        asking = sys._getframe(1)
        if asking.f_code.co_name == "positions":
            asking = asking.f_back
        callers.append(asking.f_code.co_name)
        return read(read_mesh, *room)

    for name, module in list(sys.modules.items()):
        if name.startswith("erosion_addon.") and getattr(module, "shown_positions", None) is read:
            monkeypatch.setattr(module, "shown_positions", counted)
    return callers


def test_positions_are_read_in_one_place():
    """So counting there counts all. Others read the mesh of another object."""
    reading = re.compile(
        r'(s\["position"\]|attribute)\.data\.foreach_get\("vector"|foreach_get\("co"'
    )
    found = {path.name for path in BLENDER if reading.search(path.read_text(encoding="utf-8"))}
    assert found == {"mesh.py", "from_mesh.py", "curve_lines.py"}


@pytest.mark.parametrize("continued", [False, True])
def test_a_run_reads_the_mesh_once_and_its_commit_twice(terrain_object, reads, continued):
    """The run begins with a snapshot. The commit sees whether the mesh is still that, and that it
    took the result.
    """
    terrain_object.erosion.rain.source = "ATTRIBUTE"
    terrain_object.erosion.rain.layer = "wet"
    terrain_object.data.attributes.new("wet", "FLOAT", "POINT").data.foreach_set(
        "value", [1.0] * 48 * 64
    )
    terrain_object.erosion.continue_from_result = continued
    for _ in range(2):  # the second one looks at what the first one left
        bpy.context.view_layer.update()
        bpy.ops.erosion.run.poll()  # which describes the grid, as drawing the panel does
        reads.clear()
        assert bpy.ops.erosion.run("EXEC_DEFAULT") == {"FINISHED"}
        assert reads == ["snapshot", "_is_unchanged", "write_positions"] and job.now.current is None
