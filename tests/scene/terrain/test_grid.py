# SPDX-License-Identifier: GPL-3.0-or-later
"""Grid meshes as terrains, and heights written back."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from erosion_addon.base.errors import InputError
from erosion_addon.scene.terrain import checks as advice
from erosion_addon.scene.terrain import grid, obstacle
from erosion_addon.scene.terrain.lattice import local_heights
from erosion_addon.scene.terrain.mesh import (
    fingerprint,
    make_grid_object,
    vertex_heights,
    write_heights,
)


def lattice_points(rows=5, cols=4, dy=1.0, dx=1.0, seed=0):
    """(rows * cols, 3) float64 with random heights, row by row."""
    row, col = np.mgrid[:rows, :cols]
    heights = np.random.default_rng(seed).normal(0, 1, rows * cols)
    return np.stack([col.ravel() * dx, row.ravel() * dy, heights], -1)


def place(obj, matrix):
    obj.matrix_world = matrix
    bpy.context.view_layer.update()
    return obj


def test_a_new_grid_is_read_back_as_it_was_made(empty_scene):
    elevation = np.random.default_rng(3).normal(0, 100, (7, 4)).astype(np.float32)
    obj = make_grid_object("Terrain", elevation, (5.0, 2.5), empty_scene.collection)
    terrain, lattice = grid.read_terrain(obj)
    assert np.array_equal(terrain.elevation, elevation)
    assert terrain.spacing == (5.0, 2.5)
    assert lattice.vertex is None


def test_a_new_grid_is_valid_smooth_centered_and_unwrapped_once(empty_scene):
    obj = make_grid_object("Terrain", np.zeros((4, 3)), (2.0, 3.0), empty_scene.collection)
    assert not obj.data.validate(verbose=True)
    assert all(face.use_smooth for face in obj.data.polygons)
    assert all(face.normal.z > 0.99 for face in obj.data.polygons)
    places = np.array([vertex.co for vertex in obj.data.vertices])
    assert places.min(axis=0).tolist() == [-3, -3, 0]
    assert places.max(axis=0).tolist() == [3, 3, 0]
    for loop, uv in zip(obj.data.loops, obj.data.uv_layers["UVMap"].uv, strict=True):
        x, y, _ = places[loop.vertex_index]
        assert tuple(uv.vector) == pytest.approx(((x + 3) / 6, (y + 3) / 6))


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (9, 4), (4, 9), (31, 30)])
def test_shuffled_vertices_get_the_same_height_each(make_points, rows, cols):
    points = lattice_points(rows, cols, 3.0, 2.0)
    order = np.random.default_rng(5).permutation(rows * cols)
    straight = make_points(points)
    shuffled = make_points(points[order])
    results = []
    for obj in (straight, shuffled):
        terrain, lattice = grid.read_terrain(obj)
        row, col = np.mgrid[:rows, :cols]
        after = terrain.elevation * 2 + row * 100 + col
        before = vertex_heights(obj.data)
        results.append(local_heights(lattice, before, terrain.elevation, after))
        assert terrain.spacing == (3.0, 2.0)
    assert np.array_equal(results[0][order], results[1])
    assert lattice.vertex is not None


@pytest.mark.parametrize("flip", [(1, -1), (-1, 1), (-1, -1)])
def test_rows_and_columns_may_run_backwards(make_points, flip):
    points = lattice_points()
    expected = points[:, 2].astype(np.float32).reshape(5, 4)[:: flip[1], :: flip[0]]
    points[:, 0] *= flip[0]
    points[:, 1] *= flip[1]
    assert np.array_equal(grid.read_terrain(make_points(points))[0].elevation, expected)


def test_blenders_own_grid_and_plane_are_terrains(empty_scene):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=7, y_subdivisions=4, size=14)
    terrain, lattice = grid.read_terrain(bpy.context.object)
    assert terrain.shape == (5, 8)
    assert terrain.spacing == pytest.approx((3.5, 2.0))
    assert lattice.vertex is None


def test_scale_counts_along_each_axis_and_rotation_does_not(make_hills):
    obj = make_hills()
    before = grid.read_terrain(obj)[0].elevation
    turn = Matrix.Rotation(0.7, 4, "Z") @ Matrix.Rotation(0.2, 4, "X")
    place(obj, Matrix.Translation((1e5, 3, 7)) @ turn @ Matrix.Diagonal((1, 0.2, 3, 1)))
    terrain, _ = grid.read_terrain(obj)
    assert terrain.spacing == (0.4, 2.0)
    assert np.array_equal(terrain.elevation, before * 3)


def test_mirrored_objects_keep_their_heights_and_upside_down_ones_turn_them(make_hills):
    obj = make_hills()
    before = grid.read_terrain(obj)[0].elevation
    assert np.array_equal(
        grid.read_terrain(place(obj, Matrix.Diagonal((-1, 1, 1, 1))))[0].elevation, before
    )
    assert np.array_equal(
        grid.read_terrain(place(obj, Matrix.Diagonal((1, 1, -2, 1))))[0].elevation, -2 * before
    )
    upside_down = place(obj, Matrix.Rotation(math.pi, 4, "X"))
    terrain, lattice = grid.read_terrain(upside_down)
    assert np.array_equal(terrain.elevation, -before)
    original = vertex_heights(obj.data)
    lowered = local_heights(lattice, original, terrain.elevation, terrain.elevation - 1)
    assert np.allclose(lowered, original + 1)


def test_cells_that_did_not_change_keep_their_bits(make_hills):
    obj = place(make_hills(), Matrix.Diagonal((1, 1, 0.3, 1)))
    terrain, lattice = grid.read_terrain(obj)
    original = vertex_heights(obj.data)
    original[7] = -0.0
    after = terrain.elevation.copy()
    after[0, 0] += 0.3
    heights = local_heights(lattice, original, terrain.elevation, after)
    assert heights[1:].tobytes() == original[1:].tobytes()
    assert heights[0] == pytest.approx(original[0] + 1)


def test_heights_are_written_and_nothing_else_changes(make_hills, everything_of):
    obj = make_hills()
    mesh = obj.data
    mesh.materials.append(bpy.data.materials.new("Rock"))
    mesh.color_attributes.new("Paint", "BYTE_COLOR", "CORNER")
    obj.vertex_groups.new(name="Group").add([1, 2, 3], 0.5, "REPLACE")
    before = everything_of(mesh)
    heights = vertex_heights(mesh) + 1
    write_heights(mesh, heights)
    assert np.array_equal(vertex_heights(mesh), heights)
    after = everything_of(mesh)
    position = ("position", "FLOAT_VECTOR", "POINT")
    old, new = (
        np.frombuffer(held.pop(position), np.float32).reshape(-1, 3) for held in (before, after)
    )
    assert np.array_equal(old[:, :2], new[:, :2])
    assert before == after


@pytest.mark.parametrize("wrong", [np.zeros(3, np.float32), np.full(30, np.nan, np.float32)])
def test_a_result_that_does_not_fit_leaves_the_mesh_as_it_was(make_hills, everything_of, wrong):
    mesh = make_hills().data
    before = everything_of(mesh)
    with pytest.raises(InputError):
        write_heights(mesh, wrong)
    assert everything_of(mesh) == before


def test_the_fingerprint_sees_moved_vertices_and_turned_faces_but_not_attributes(make_hills):
    mesh = make_hills().data
    first = fingerprint(mesh)
    mesh.attributes.new("mine", "FLOAT", "POINT")
    assert fingerprint(mesh) == first
    mesh.flip_normals()
    assert fingerprint(mesh) != first
    mesh.flip_normals()
    assert fingerprint(mesh) == first
    mesh.vertices[3].co.z += 1e-6
    assert fingerprint(mesh) != first


def test_shape_keys_change_the_fingerprint(make_hills):
    obj = make_hills()
    first = fingerprint(obj.data)
    obj.shape_key_add(name="Basis")
    assert fingerprint(obj.data) != first


# What cannot be eroded, and why


def test_a_grid_in_object_mode_may_be_eroded(make_hills):
    obj = make_hills()
    obj.data.use_fake_user = True
    assert obstacle.why_not(obj) is None
    assert advice.notes(obj) == []


def test_every_obstacle_is_named(make_hills, empty_scene):
    assert "Select" in obstacle.why_not(None)
    assert "not a mesh" in obstacle.why_not(
        bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    )
    keyed = make_hills()
    keyed.shape_key_add(name="Basis")
    assert "shape keys" in obstacle.why_not(keyed)
    layered = make_hills()
    layered.modifiers.new("Multires", "MULTIRES")
    assert "Multiresolution" in obstacle.why_not(layered)
    shared = make_hills()
    bpy.data.objects.new("Other", shared.data)
    assert "single-user" in obstacle.why_not(shared)


def test_edit_mode_is_an_obstacle_and_no_traceback(make_hills):
    obj = make_hills()
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Edit Mode" in obstacle.why_not(obj)
    with pytest.raises(InputError, match="Edit Mode"):
        grid.find_lattice(obj)
    bpy.ops.object.mode_set(mode="SCULPT")
    assert "Object Mode" in obstacle.why_not(obj)


def test_linked_and_overridden_meshes_are_refused_and_not_written(make_hills, tmp_path):
    make_hills()
    path = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), check_existing=False)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = ["Hills"]
    linked = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    assert "linked" in obstacle.why_not(linked)
    with pytest.raises(InputError, match="mesh is unchanged"):
        write_heights(linked.data, vertex_heights(linked.data) + 1)
    local = linked.override_create(remap_local_usages=True)
    assert obstacle.why_not(local) is not None


def test_few_vertices_below_a_modifier_are_explained(make_points):
    plane = make_points([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], (), [(0, 1, 2, 3)])
    assert obstacle.why_not(plane).endswith("3 × 3.")
    plane.modifiers.new("Subdivision", "SUBSURF")
    assert "apply Subdivision first" in obstacle.why_not(plane)


def test_a_grid_turned_inside_the_mesh_is_named_with_its_angle(make_hills):
    obj = make_hills(12, 12)
    obj.data.transform(Matrix.Rotation(math.radians(30), 4, "Z"))
    with pytest.raises(InputError, match=r"30°.*rotate the object"):
        grid.find_lattice(obj)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (
            lambda points: np.delete(points, 7, axis=0),
            "19 vertices where 5 rows and 4 columns need 20; fill the holes",
        ),
        (lambda points: np.concatenate([points, points[:3]]), "merge them by distance"),
        (lambda points: points * [1, 0, 1], "in one line"),
        (
            lambda points: np.where(points == 2, np.nan, points),
            "8 vertices whose position is not a number, the first",
        ),
        (lambda points: np.add(points, (0, 0, np.inf)), "not a number"),
        (
            lambda points: points[np.r_[:8, 12:20]],
            "16 vertices where 5 rows and 4 columns need 20; fill the holes",
        ),
        (lambda points: points ** [2, 1, 1], "evenly spaced"),
        (lambda points: np.add(points * [1e-3, 1e-3, 1], (3e4, 0, 0)), "too coarse"),
        (
            lambda points: np.add(points, (np.arange(20)[:, None] == 3) * [1e20, 0, 0]),
            "move or delete",
        ),
        (lambda points: points[points[:, 0] < 2], "5 × 2"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_is_no_grid_is_refused_in_a_sentence(make_points, spoil, sentence):
    with pytest.raises(InputError, match=sentence):
        grid.read_terrain(make_points(spoil(lattice_points())))


def test_one_moved_vertex_in_a_grid_is_found(make_points):
    points = lattice_points(20, 20)
    points[57, 0] += 0.3
    with pytest.raises(InputError, match="evenly spaced"):
        grid.find_lattice(make_points(points))
    points[57, 0] -= 0.28
    grid.find_lattice(make_points(points))


def test_duplicates_that_fill_up_the_count_of_holes_are_found(make_points):
    points = lattice_points()
    points[7] = points[8]
    with pytest.raises(InputError, match="merge them"):
        grid.find_lattice(make_points(points))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_zero_scale_names_its_axis(make_hills, axis):
    scale = [1, 1, 1, 1]
    scale[axis] = 0
    with pytest.raises(InputError, match=f"along {'XYZ'[axis]}"):
        grid.find_lattice(place(make_hills(), Matrix.Diagonal(scale)))


def test_a_sheared_object_is_refused(make_hills):
    child = make_hills()
    parent = make_hills()
    child.parent = parent
    child.rotation_euler.z = 0.5
    place(parent, Matrix.Diagonal((1, 3, 1, 1)))
    with pytest.raises(InputError, match="sheared"):
        grid.find_lattice(child)


def test_exact_grids_far_from_the_origin_are_read(make_points):
    terrain, _ = grid.read_terrain(
        make_points(np.add(lattice_points(dx=30, dy=30), (5e5, 5.5e6, 0)))
    )
    assert terrain.spacing == pytest.approx((30, 30), rel=1e-2)


SPOILS = [
    lambda random, points: np.delete(points, random.integers(len(points)), axis=0),
    lambda random, points: points[random.integers(0, len(points), len(points))],
    lambda random, points: points + random.normal(0, 10.0 ** random.uniform(-6, 1), points.shape),
    lambda random, points: points + random.choice([1e3, 1e6, 1e12, 3e38], 3),
    lambda random, points: np.where(random.random(points.shape) < 0.02, np.nan, points),
    lambda random, points: np.where(random.random(points.shape) < 0.02, np.inf, points),
    lambda random, points: points * random.choice([0, 1e-30, 1e-5, -1, 1e9, 1e36], 3),
    lambda random, points: points[: random.integers(0, len(points))],
    lambda random, points: points[random.permutation(len(points))],
    lambda random, points: np.concatenate(
        [points, np.add(points[: random.integers(1, 9)], (0, 0, 1))]
    ),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("case", range(40))
def test_a_spoilt_mesh_gives_a_terrain_or_a_sentence(make_points, case):
    random = np.random.default_rng(case)
    rows, cols = random.integers(1, 12, 2)
    points = lattice_points(rows, cols, *10.0 ** random.uniform(-3, 3, 2), seed=case)
    with np.errstate(all="ignore"):
        for index in random.integers(0, len(SPOILS), random.integers(0, 3)):
            if len(points):
                points = SPOILS[index](random, points)
        points = points.astype(np.float32)
    obj = place(
        make_points(points),
        Matrix.Diagonal((*random.choice([-2, 0, 3, 1e-20, 1e15, *[1] * 15], 3), 1)),
    )
    assert obstacle.why_not(obj) is None or obstacle.why_not(obj).endswith(".")
    try:
        terrain, lattice = grid.read_terrain(obj)
    except InputError as error:
        assert str(error).endswith(".")
        with pytest.raises(InputError):
            grid.describe(obj)
        return
    assert np.isfinite(terrain.elevation).all()
    assert terrain.elevation.size == len(points)
    grid.describe(obj)
    advice.notes(obj)
    before = vertex_heights(obj.data)
    heights = local_heights(
        lattice, before, terrain.elevation, terrain.elevation + terrain.cell_size
    )
    try:
        write_heights(obj.data, heights)
    except InputError:
        assert np.array_equal(vertex_heights(obj.data), before)


# What the panel says


def test_the_description_says_what_the_grid_is(make_hills):
    obj = place(make_hills(6, 5, (2.0, 4.0)), Matrix.Diagonal((1, 1, 2, 1)))
    found = grid.describe(obj)
    assert (found.rows, found.cols, found.spacing) == (6, 5, (2.0, 4.0))
    assert found.relief == pytest.approx(2 * np.ptp(vertex_heights(obj.data)))
    notes = " ".join(note.sentence for note in advice.notes(obj))
    assert "4 m × 2 m" in notes
    assert "scale 1 × 1 × 2" in notes


def test_an_unchanged_mesh_is_described_from_memory(make_hills, monkeypatch):
    obj = make_hills()
    first = grid.describe(obj)
    monkeypatch.setattr(grid, "read_terrain", None)
    assert grid.describe(obj) is first


def test_a_changed_mesh_or_scale_is_described_anew(make_hills):
    obj = make_hills()
    first = grid.describe(obj)
    assert grid.describe(place(obj, Matrix.Diagonal((3, 3, 3, 1)))).spacing == (6.0, 6.0)
    handlers = bpy.app.handlers.depsgraph_update_post
    handlers.append(grid.forget_changed)
    try:
        write_heights(obj.data, vertex_heights(obj.data) * 2)
        bpy.context.view_layer.update()
    finally:
        handlers.remove(grid.forget_changed)
    assert grid.describe(obj).relief == pytest.approx(6 * first.relief)


def test_forgetting_describes_anew(make_hills):
    obj = make_hills()
    first = grid.describe(obj)
    for given in (obj.data, None):
        grid.forget(given)
        assert grid.describe(obj) is not first


def test_modifiers_and_distance_are_worth_a_note(make_hills):
    obj = make_hills()
    obj.modifiers.new("Detail", "SUBSURF")
    write_heights(obj.data, vertex_heights(obj.data) + 1e5)
    notes = " ".join(note.sentence for note in advice.notes(obj))
    assert "Detail acts on top" in notes
    assert "steps of 0.0078 m" in notes
