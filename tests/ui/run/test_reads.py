# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads of the mesh positions in one Run, the most expensive request to Blender."""

import re
import sys
from pathlib import Path

import bpy
import pytest

import erosion_addon
from erosion_addon.base.errors import InputError
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import grid, mesh

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
        assert (
            reads == ["snapshot", "_is_unchanged", "write_positions"] and session.run.task is None
        )


@pytest.fixture
def counts(monkeypatch):
    """Number of lattices found and of meshes hashed."""
    numbers = {"lattices": 0, "hashes": 0}

    def count(owner, name, key):
        function = getattr(owner, name)

        def counted(*arguments):
            numbers[key] += 1
            return function(*arguments)

        monkeypatch.setattr(owner, name, counted)

    count(grid, "find", "lattices")
    count(mesh.Topology, "fingerprint", "hashes")
    return numbers


def test_a_run_finds_the_lattice_once_and_hashes_its_result(terrain_object, counts):
    """The second one also hashes the mesh that it begins with, to see whether it is the result of
    the first one.
    """
    for number in range(2):
        session.terrain.lattice = None
        grid.forget()
        counts.update(lattices=0, hashes=0)
        assert bpy.ops.erosion.run("EXEC_DEFAULT") == {"FINISHED"}
        assert counts == {"lattices": 1, "hashes": 1 + number}


def test_a_lattice_is_found_again_once_a_vertex_or_the_object_has_changed(terrain_object, counts):
    lattice = grid.find_lattice(terrain_object)
    assert grid.find_lattice(terrain_object) is lattice
    terrain_object.data.vertices[7].co.z += 1.0
    assert grid.find_lattice(terrain_object) is lattice
    terrain_object.data.vertices[7].co.x += 1e-3
    assert grid.find_lattice(terrain_object) is not lattice
    terrain_object.scale.x = 2.0
    bpy.context.view_layer.update()
    assert grid.find_lattice(terrain_object).spacing[1] == 2.0 * lattice.spacing[1]
    terrain_object.data.vertices[7].co.z = float("nan")
    with pytest.raises(InputError, match="not a number"):
        grid.find_lattice(terrain_object)
