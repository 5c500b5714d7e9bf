# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain before erosion stays with its vertices through mesh edits, or Restore says why it
cannot.
"""

import math

import bmesh
import bpy
import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.scene.original import original as source
from erosion_addon.scene.run import start_state as start
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.grid import snapshot
from erosion_addon.scene.terrain.mesh import vertex_heights, write_heights, write_positions
from tests.scene.original.test_original import pretend_run


@pytest.fixture
def eroded(make_hills):
    """Hills of 1.1 km and 200 m that a run has changed, far from their origin; (object, positions
    before erosion).
    """
    obj = make_hills(rows=12, cols=9, spacing=(100.0, 100.0))
    place = grid.positions(obj.data)
    place[:, 0] += 3000.0
    place[:, 2] = 40.0 * place[:, 2] + 150.0
    write_positions(obj.data, place)
    pretend_run(obj)
    after = grid.positions(obj.data)
    after[:, 2] = place[:, 2] - 50.0 * after[:, 2]
    write_positions(obj.data, after)
    source.mark_result(obj.data)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    return obj, place


def world(obj, place):
    bpy.context.view_layer.update()
    matrix = np.array(obj.matrix_world)
    return place @ matrix[:3, :3].T + matrix[:3, 3]


def transform(obj, **values):
    for name, value in values.items():
        setattr(obj, name, value)
    bpy.context.view_layer.update()


def apply_transform(**what):
    given = {"location": False, "rotation": False, "scale": False, **what}
    assert bpy.ops.object.transform_apply(**given) == {"FINISHED"}


TRANSFORMATIONS = {
    "Apply Scale": ({"scale": (0.003, 0.003, 0.003)}, lambda: apply_transform(scale=True)),
    "Apply Scale of the height alone": ({"scale": (1, 1, 7)}, lambda: apply_transform(scale=True)),
    "Apply Scale of a mirrored terrain": (
        {"scale": (-1, 1, 1)},
        lambda: apply_transform(scale=True),
    ),
    "Apply Scale of one that hangs upside down": (
        {"scale": (1, 1, -2)},
        lambda: apply_transform(scale=True),
    ),
    "Apply Rotation by a quarter": (
        {"rotation_euler": (0, 0, math.pi / 2)},
        lambda: apply_transform(rotation=True),
    ),
    "Apply Rotation of one that leans": (
        {"rotation_euler": (0.5, 0.2, 1)},
        lambda: apply_transform(rotation=True),
    ),
    "Apply Location": ({"location": (-70, 9, 800)}, lambda: apply_transform(location=True)),
    "Apply All": (
        {"location": (-70, 9, 800), "rotation_euler": (0, 0, 2), "scale": (2, 3, 4)},
        lambda: apply_transform(location=True, rotation=True, scale=True),
    ),
    "Origin to Terrain": (
        {},
        lambda: bpy.ops.object.origin_set(type="ORIGIN_GEOMETRY", center="BOUNDS"),
    ),
}


@pytest.mark.parametrize("case", TRANSFORMATIONS)
def test_restore_follows(eroded, case):
    obj, before = eroded
    values, act = TRANSFORMATIONS[case]
    transform(obj, **values)
    expected = world(obj, before)
    act()
    assert not source.is_untouched_result(obj.data)
    source.restore(obj.data)
    np.testing.assert_allclose(
        world(obj, grid.positions(obj.data)), expected, rtol=0, atol=2e-6 * np.ptp(expected)
    )
    assert not source.has_source(obj.data)


def test_transformations_add_up_and_the_way_back_stays_exact_where_nothing_moved(eroded):
    obj, before = eroded
    for scale in (0.01, 7.0, 100.0 / 7.0):
        transform(obj, scale=(scale, scale, scale))
        apply_transform(scale=True)
    np.testing.assert_allclose(source.before_erosion(obj.data)[0], before, rtol=0, atol=0.02)
    place = np.empty_like(before)
    obj.data.attributes[source.PLACE].data.foreach_get("vector", place.ravel())
    write_positions(obj.data, place)
    source.restore(obj.data)
    assert grid.positions(obj.data).tobytes() == before.tobytes()


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_what_was_sculpted_comes_back_too(eroded, scale):
    obj, before = eroded
    transform(obj, scale=(scale, scale, scale))
    apply_transform(scale=True)
    sculpted = grid.positions(obj.data)
    sculpted[20:55] += np.random.default_rng(4).normal(0, 30 * scale, (35, 3)).astype(np.float32)
    write_positions(obj.data, sculpted)
    source.restore(obj.data)
    np.testing.assert_allclose(grid.positions(obj.data), before * scale, rtol=0, atol=0.01 * scale)


@pytest.mark.parametrize("shape", ["smoothed", "flattened"])
def test_a_terrain_of_which_no_vertex_is_where_it_was_comes_back_as_long_as_it_was_not_scaled(
    eroded, shape
):
    obj, before = eroded
    smooth = grid.positions(obj.data)
    smooth[:, 2] += (
        np.random.default_rng(4).normal(0, 9, len(smooth)) if shape == "smoothed" else 0.0
    )
    smooth[:, 2] *= shape == "smoothed"
    write_positions(obj.data, smooth)
    source.restore(obj.data)
    assert grid.positions(obj.data).tobytes() == before.tobytes()


def test_one_that_was_scaled_and_sculpted_all_over_is_refused(eroded, everything_of):
    obj, _ = eroded
    place = grid.positions(obj.data) * 0.01
    place += np.random.default_rng(4).normal(0, 0.05, place.shape).astype(np.float32)
    write_positions(obj.data, place)
    before = everything_of(obj.data)
    with pytest.raises(InputError, match="place of the terrain before erosion is no longer known"):
        source.restore(obj.data)
    assert everything_of(obj.data) == before


def edit(obj, act):
    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    mesh.verts.ensure_lookup_table()
    act(mesh)
    mesh.to_mesh(obj.data)
    mesh.free()


def extrude_skirt(mesh):
    rim = [edge for edge in mesh.edges if edge.is_boundary]
    made = bmesh.ops.extrude_edge_only(mesh, edges=rim)["geom"]
    for vertex in made:
        if isinstance(vertex, bmesh.types.BMVert):
            vertex.co.z = -500.0


def test_a_skirt_that_was_extruded_is_named_and_stays(eroded, everything_of):
    obj, _ = eroded
    edit(obj, extrude_skirt)
    before = everything_of(obj.data)
    with pytest.raises(
        InputError, match=r"38 of the 146 vertices of .* are not where its last run left them"
    ):
        source.restore(obj.data)
    assert everything_of(obj.data) == before


def test_an_object_that_was_joined_is_named_and_stays(eroded, everything_of):
    obj, _ = eroded
    bpy.ops.mesh.primitive_cube_add(size=50.0, location=(3000.0, 0.0, 900.0))
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    bpy.ops.object.join()
    before = everything_of(obj.data)
    with pytest.raises(InputError, match=r"^8 of the .* are not where"):
        source.restore(obj.data)
    assert everything_of(obj.data) == before


def test_a_subdivided_terrain_comes_back_subdivided(eroded):
    obj, before = eroded
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")
    source.restore(obj.data)
    fine = grid.find_lattice(obj).to_grid(grid.positions(obj.data)[:, 2])
    coarse = before[:, 2].reshape(12, 9)
    np.testing.assert_allclose(fine[::2, ::2], coarse, rtol=0, atol=1e-3)
    np.testing.assert_allclose(
        fine[::2, 1::2], (coarse[:, 1:] + coarse[:, :-1]) / 2, rtol=0, atol=1e-3
    )


def test_what_is_left_after_deleting_vertices_comes_back(eroded):
    obj, before = eroded
    edit(obj, lambda mesh: bmesh.ops.delete(mesh, geom=mesh.verts[-18:], context="VERTS"))
    source.restore(obj.data)
    assert grid.positions(obj.data).tobytes() == before[:-18].tobytes()


def test_vertices_in_another_order_keep_their_own_heights(eroded):
    obj, before = eroded
    order = np.random.default_rng(2).permutation(len(before))

    def shuffle(mesh):
        for number, vertex in zip(order, mesh.verts, strict=True):
            vertex.index = int(number)
        mesh.verts.sort()

    edit(obj, shuffle)
    assert not np.array_equal(grid.positions(obj.data)[:, :2], before[:, :2])
    source.restore(obj.data)
    assert grid.positions(obj.data)[order].tobytes() == before.tobytes()


def test_a_copy_of_the_object_has_a_source_of_its_own(eroded):
    obj, before = eroded
    twin = obj.copy()
    twin.data = obj.data.copy()
    transform(obj, scale=(5, 5, 5))
    obj.data.transform(obj.matrix_basis)
    source.restore(twin.data)
    assert grid.positions(twin.data).tobytes() == before.tobytes() and source.has_source(obj.data)


def test_a_run_after_apply_scale_starts_from_the_terrain_before_erosion_and_keeps_it(eroded):
    obj, before = eroded
    transform(obj, scale=(0.01, 0.01, 0.01))
    apply_transform(scale=True)
    for continued in (False, True):
        heights = start.heights(obj.data, snapshot(obj), continued)
        np.testing.assert_allclose(heights.original, 0.01 * before[:, 2], rtol=0, atol=1e-4)
        assert not heights.is_new
        np.testing.assert_array_equal(
            heights.start, vertex_heights(obj.data) if continued else heights.original
        )


def test_an_edited_result_is_eroded_as_it_is_and_the_first_terrain_comes_back_one_restore_later(
    eroded,
):
    obj, before = eroded
    edited = grid.positions(obj.data)
    edited[30:40, 2] += 70.0
    write_positions(obj.data, edited)
    # two more runs, each on a terrain that was edited after the one before
    for height in (11.0, 22.0):
        heights = start.heights(obj.data, snapshot(obj), continue_from_result=False)
        assert heights.is_new and heights.start.tobytes() == vertex_heights(obj.data).tobytes()
        source.set_aside(obj.data)
        source.keep_source(obj.data, heights.original)
        write_heights(obj.data, heights.start - height)
        source.mark_result(obj.data)
        if height == 11.0:
            write_heights(
                obj.data, vertex_heights(obj.data) + np.arange(len(edited), dtype=np.float32) % 7
            )
            second = vertex_heights(obj.data).tobytes()
    source.restore(obj.data)
    assert vertex_heights(obj.data).tobytes() == second
    source.restore(obj.data)
    assert grid.positions(obj.data).tobytes() == edited.tobytes()
    source.restore(obj.data)
    assert grid.positions(obj.data).tobytes() == before.tobytes() and not source.has_source(
        obj.data
    )
    assert [
        attribute.name for attribute in obj.data.attributes if attribute.name.startswith("erosion_")
    ] == []
    assert list(obj.data.keys()) == []


def test_of_many_edited_terrains_the_first_and_the_last_ones_are_kept(eroded):
    obj, _ = eroded
    mesh = obj.data
    said = []
    first = source.source_heights(mesh)[0]
    edits = source.MOST_ASIDE + 3
    for number in range(1, edits + 1):
        said += source.set_aside(mesh)
        source.keep_source(mesh, np.full(len(mesh.vertices), 1000.0 * number, np.float32))
        source.mark_result(mesh)
    assert len(said) == 3 and "the first terrain of Hills and the last 8" in said[0]
    assert sum(one.name.startswith(source.NAME) for one in mesh.attributes) == source.MOST_ASIDE + 1
    found = []
    while source.has_source(mesh):
        found.append(source.source_heights(mesh)[0])
        source.restore(mesh)
        if source.has_source(mesh):
            source.mark_result(mesh)
    kept = [1000.0 * number for number in range(edits, edits - source.MOST_ASIDE, -1)]
    assert found == [*kept, first]


def test_the_first_terrain_follows_across_those_that_are_not_kept(eroded):
    """Scaled and mirrored between runs of which some are forgotten, it comes back with all of
    that.
    """
    obj, before = eroded
    mesh = obj.data
    random = np.random.default_rng(3)
    for number in range(source.MOST_ASIDE + 4):
        if number % 3 == 0:
            transform(obj, scale=(-1, 1, 1.5))
            apply_transform(scale=True)
        edited = grid.positions(mesh)
        edited[number : number + 10, 2] += 70.0
        write_positions(mesh, edited)
        source.set_aside(mesh)
        source.keep_source(mesh, vertex_heights(mesh))
        write_heights(
            mesh, vertex_heights(mesh) - random.uniform(0, 40, len(edited)).astype(np.float32)
        )
        source.mark_result(mesh)
    restores = 0
    while source.has_source(mesh):
        source.restore(mesh)
        restores += 1
    assert restores == source.MOST_ASIDE + 1
    np.testing.assert_allclose(grid.positions(mesh), before * (1, 1, 1.5**4), rtol=0, atol=0.1)


def test_apply_forgets_the_sources_that_were_set_aside_too(eroded):
    obj, _ = eroded
    source.set_aside(obj.data)
    source.keep_source(obj.data, vertex_heights(obj.data))
    source.mark_result(obj.data)
    source.apply(obj.data, remove_maps=True)
    assert [
        attribute.name for attribute in obj.data.attributes if attribute.name.startswith("erosion_")
    ] == []
    assert list(obj.data.keys()) == []


def as_of_0_1_0(mesh):
    """The original as stored by release 0.1.0: heights alone."""
    mesh.attributes.remove(mesh.attributes[source.PLACE])
    del mesh[source.COUNT]


def test_files_of_the_first_release_restore_also_what_was_sculpted(eroded):
    obj, before = eroded
    as_of_0_1_0(obj.data)
    assert source.is_untouched_result(obj.data)
    heights = vertex_heights(obj.data)
    heights[7] += 60.0
    write_heights(obj.data, heights)
    source.restore(obj.data)
    assert grid.positions(obj.data).tobytes() == before.tobytes()


@pytest.mark.parametrize("change", ["Apply Scale", "Origin to Terrain", "a skirt"])
def test_files_of_the_first_release_refuse_what_they_kept_too_little_for(
    eroded, change, everything_of
):
    obj, _ = eroded
    as_of_0_1_0(obj.data)
    if change == "a skirt":
        edit(obj, extrude_skirt)
    else:
        obj.location.z = 2000.0 if change == "Origin to Terrain" else 0.0
        obj.scale = (0.003, 0.003, 0.003) if change == "Apply Scale" else (1, 1, 1)
        apply_transform(location=True, scale=True)
    before = everything_of(obj.data)
    with pytest.raises(InputError, match=r"0\.1\.0 stored too little|overlap in top view"):
        source.restore(obj.data)
    assert everything_of(obj.data) == before


def test_a_height_that_was_scaled_is_told_from_one_that_stayed_where_most_of_the_land_is_sea(
    eroded,
):
    obj, before = eroded
    place = grid.positions(obj.data)
    place[:80, 2] = 0.0
    write_positions(obj.data, place)
    source.mark_result(obj.data)
    transform(obj, scale=(1, 1, 7))
    apply_transform(scale=True)
    source.restore(obj.data)
    np.testing.assert_allclose(grid.positions(obj.data), before * (1, 1, 7), rtol=0, atol=0.02)
