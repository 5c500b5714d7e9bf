# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain before erosion, and Restore."""

import bpy
import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.scene.original import original as source
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import vertex_heights, write_heights


def pretend_run(obj, seed=0):
    """Leave the mesh as a run does: other heights, fields, the original and the mark."""
    mesh = obj.data
    lattice = grid.find_lattice(obj)
    random = np.random.default_rng(seed)
    source.keep_source(
        mesh, source.source_heights(mesh) if source.has_source(mesh) else vertex_heights(mesh)
    )
    shape = (lattice.rows, lattice.cols)
    fields = {name: random.random(shape, np.float32) for name in ("wear", "moisture", "sediment")}
    attributes.write_fields(mesh, lattice, fields)
    write_heights(mesh, random.random(lattice.rows * lattice.cols, np.float32))
    source.mark_result(mesh)


def test_restoring_leaves_the_mesh_as_it_was_before_any_run(make_hills, everything_of):
    obj = make_hills()
    obj.data.vertices[4].co.z = -0.0
    obj.data.vertices[5].co.z = 1e-42
    obj.data.color_attributes.new("Paint", "BYTE_COLOR", "CORNER")
    obj.vertex_groups.new(name="Group").add([1, 2, 3], 0.5, "REPLACE")
    before = everything_of(obj.data)
    for seed in (1, 2):
        pretend_run(obj, seed)
    assert source.has_source(obj.data)
    source.restore(obj.data)
    assert everything_of(obj.data) == before
    assert not source.has_source(obj.data)


def test_an_original_that_is_there_is_not_written_again(make_hills, monkeypatch):
    mesh = make_hills().data
    written = []
    heights = vertex_heights(mesh)
    heights[3] = 0.0
    source.keep_source(mesh, heights)
    write = source._set
    monkeypatch.setattr(source, "_set", lambda *given: (written.append(given[1]), write(*given)))
    source.keep_source(mesh, heights)
    assert written == []
    heights[3] = -0.0
    source.keep_source(mesh, heights)
    assert written == [source.NAME]
    assert np.signbit(source.source_heights(mesh)[3])


def test_restoring_works_after_saving_and_opening(make_hills, everything_of, tmp_path):
    obj = make_hills()
    before = everything_of(obj.data)
    pretend_run(obj)
    path = str(tmp_path / "eroded.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, check_existing=False)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    mesh = bpy.data.objects["Hills"].data
    assert source.is_untouched_result(mesh)
    source.restore(mesh)
    assert everything_of(mesh) == before


def test_only_the_last_result_itself_counts_as_untouched(make_hills):
    obj = make_hills()
    assert not source.is_untouched_result(obj.data)
    pretend_run(obj)
    assert source.is_untouched_result(obj.data)
    z = obj.data.vertices[3].co.z
    obj.data.vertices[3].co.z += 1e-3
    assert not source.is_untouched_result(obj.data)
    obj.data.vertices[3].co.z = z
    assert source.is_untouched_result(obj.data)
    source.restore(obj.data)
    assert not source.is_untouched_result(obj.data)


def test_a_mesh_without_a_source_says_so(make_hills, everything_of):
    mesh = make_hills().data
    before = everything_of(mesh)
    with pytest.raises(InputError, match="before erosion"):
        source.restore(mesh)
    assert everything_of(mesh) == before


def test_an_attribute_or_group_in_the_way_of_the_source_is_named(make_hills):
    obj = make_hills()
    obj.data.attributes.new(source.NAME, "INT", "FACE")
    with pytest.raises(InputError, match=source.NAME):
        source.keep_source(obj.data, vertex_heights(obj.data))
    assert not source.has_source(obj.data)
    obj.data.attributes.remove(obj.data.attributes[source.NAME])
    obj.vertex_groups.new(name=source.NAME)
    with pytest.raises(InputError, match="vertex group"):
        source.keep_source(obj.data, vertex_heights(obj.data))


def test_a_source_that_was_tampered_with_is_refused(make_hills, everything_of):
    obj = make_hills()
    pretend_run(obj)
    obj.data.attributes[source.NAME].data[0].value = float("nan")
    before = everything_of(obj.data)
    with pytest.raises(InputError, match="not finite"):
        source.restore(obj.data)
    assert everything_of(obj.data) == before


def test_undo_after_restore_brings_the_result_back(make_hills):
    pretend_run(make_hills())
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window):
        bpy.ops.ed.undo_push(message="eroded")
        mesh = bpy.data.objects["Hills"].data
        eroded = vertex_heights(mesh)
        source.restore(mesh)
        bpy.ops.ed.undo_push(message="restored")
        bpy.ops.ed.undo()
    mesh = bpy.data.objects["Hills"].data
    assert np.array_equal(vertex_heights(mesh), eroded)
    assert source.is_untouched_result(mesh)
