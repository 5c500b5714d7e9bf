# SPDX-License-Identifier: GPL-3.0-or-later
"""Drawn rivers carved into a terrain of the scene."""

import bpy
import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.drainage.parameters import BedParameters
from erosion_addon.scene.masks.settings import DEFAULTS
from erosion_addon.scene.original import original
from erosion_addon.scene.run import carving
from erosion_addon.scene.terrain.mesh import make_grid_object, vertex_heights
from tests.terrains import plane

BED = BedParameters(width=30.0, depth=2.0, incision=3.0)


@pytest.fixture
def terrain(empty_scene):
    """Ground that falls by 1 m a cell toward the largest x, moved and turned."""
    obj = make_grid_object("Land", plane(40, 40, 0.0, 1.0), (10.0, 10.0), empty_scene.collection)
    obj.location = (500.0, -200.0, 30.0)
    obj.rotation_euler = (0.0, 0.0, 0.5)
    bpy.context.view_layer.update()
    return obj


@pytest.fixture
def draw(terrain):
    """Draws a curve through points (x, y) of the terrain's own axes."""

    def make(*points, kind="POLY", bevel=0.0):
        data = bpy.data.curves.new("Brook", "CURVE")
        data.dimensions = "3D"
        data.bevel_depth = bevel
        if points:
            spline = data.splines.new(kind)
            own = spline.bezier_points if kind == "BEZIER" else spline.points
            own.add(len(points) - 1)
            for point, (x, y) in zip(own, points, strict=True):
                point.co = (x, y, 0.0) if kind == "BEZIER" else (x, y, 0.0, 1.0)
                if kind == "BEZIER":
                    point.handle_left_type = point.handle_right_type = "AUTO"
        obj = bpy.data.objects.new("Brook", data)
        bpy.context.scene.collection.objects.link(obj)
        obj.matrix_world = terrain.matrix_world
        bpy.context.view_layer.update()
        return obj

    return make


@pytest.mark.parametrize(("kind", "bevel"), [("POLY", 0.0), ("BEZIER", 4.0)])
def test_a_drawn_river_is_carved_where_it_lies_and_the_ground_before_comes_back(
    terrain, draw, kind, bevel
):
    before = vertex_heights(terrain.data)
    assert (
        carving.carve(
            terrain,
            carving.of_curves(
                terrain,
                [draw((-195.0, 5.0), (0.0, 5.0), (195.0, 5.0), kind=kind, bevel=bevel)],
                BED,
            ),
            DEFAULTS,
        )
        == []
    )
    cut = (before - vertex_heights(terrain.data)).reshape(40, 40)
    assert cut[20, 30] == pytest.approx(5.0, abs=1.1) and not cut[:15].any() and not cut[26:].any()
    assert not original.is_untouched_result(terrain.data)  # so a run begins with it
    assert len(bpy.data.curves) == 1 and len(bpy.data.meshes) == 1
    original.restore(terrain.data)
    assert vertex_heights(terrain.data).tobytes() == before.tobytes()


def test_two_splines_are_two_rivers(terrain, draw):
    curve = draw((-195.0, 105.0), (195.0, 105.0))
    second = curve.data.splines.new("POLY")
    second.points.add(1)
    second.points[0].co = (-195.0, -95.0, 0.0, 1.0)
    second.points[1].co = (195.0, -95.0, 0.0, 1.0)
    before = vertex_heights(terrain.data)
    carving.carve(terrain, carving.of_curves(terrain, [curve], BED), DEFAULTS)
    cut = (before - vertex_heights(terrain.data)).reshape(40, 40)[:, 30]
    assert cut[30] > 2 and cut[10] > 2 and not cut[15:26].any()


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ((), "Brook has no length"),
        (((0.0, 0.0),), "Brook has no length"),
        (((195.0, 0.0), (-195.0, 0.0)), "Brook runs uphill"),
        (((900.0, 0.0), (990.0, 0.0)), "Brook lies outside the terrain"),
    ],
)
def test_a_curve_that_is_no_river_leaves_every_byte(terrain, draw, everything_of, points, words):
    before = everything_of(terrain.data)
    with pytest.raises(InputError, match=words):
        carving.carve(terrain, carving.of_curves(terrain, [draw(*points)], BED), DEFAULTS)
    assert everything_of(terrain.data) == before
    with pytest.raises(InputError, match="No river is drawn"):
        carving.carve(terrain, carving.of_curves(terrain, [], BED), DEFAULTS)


def test_lines_are_those_of_the_curve_in_the_world(terrain, draw):
    curve = draw((0.0, 0.0), (10.0, 0.0))
    (line,) = carving.lines_of(curve)
    ends = np.array([terrain.matrix_world @ point.co for point in curve.data.splines[0].points])
    np.testing.assert_allclose(line[[0, -1]], ends[:, :3], atol=1e-3)


def test_a_curve_that_is_being_edited_is_read_as_it_is_now(draw):
    curve = draw((0.0, 0.0), (10.0, 0.0))
    before = carving.lines_of(curve)[0]
    bpy.context.view_layer.objects.active = curve
    bpy.ops.object.mode_set(mode="EDIT")
    for point in curve.data.splines[0].points:
        point.co.y += 5.0
    edited = carving.lines_of(curve)[0]
    bpy.ops.object.mode_set(mode="OBJECT")
    moved = np.linalg.norm(edited - before, axis=1)
    np.testing.assert_allclose(moved, 5.0, atol=1e-3)


@pytest.mark.parametrize("kind", ["POLY", "BEZIER"])
def test_a_cyclic_curve_ends_where_it_begins(draw, kind):
    curve = draw((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), kind=kind)
    other = curve.data.splines.new("POLY")
    other.points.add(1)
    open_line = carving.lines_of(curve)[0]
    curve.data.splines[0].use_cyclic_u = True
    ring, line = carving.lines_of(curve)
    np.testing.assert_array_equal(ring[0], ring[-1])
    assert len(line) == 2 and len(ring) > len(open_line)


@pytest.fixture
def hair(empty_scene):
    """Makes hair curves from points (x, y, z) of each curve, of a type by its number, and
    attributes.
    """

    def make(*curves, kind="CATMULL_ROM", resolution=None, cyclic=False):
        data = bpy.data.hair_curves.new("Creek")
        if curves:
            data.add_curves([len(curve) for curve in curves])
            data.position_data.foreach_set(
                "vector", np.concatenate(curves).astype(np.float32).ravel()
            )
            data.set_types(type=kind)
            data.attributes.new("cyclic", "BOOLEAN", "CURVE").data.foreach_set(
                "value", [cyclic] * len(curves)
            )
        if resolution:
            data.attributes.new("resolution", "INT", "CURVE").data.foreach_set(
                "value", [resolution] * len(curves)
            )
        obj = bpy.data.objects.new("Creek", data)
        empty_scene.collection.objects.link(obj)
        return obj

    return make


WAY = np.array([(0.0, 0.0, 0.0), (30.0, 10.0, 0.0), (40.0, 40.0, 0.0), (80.0, 30.0, 5.0)])


@pytest.mark.parametrize("kind", ["CATMULL_ROM", "POLY", "BEZIER", "NURBS"])
def test_hair_is_carved_like_curves(terrain, hair, kind):
    curve = hair(
        [(-195.0, 5.0, 0.0), (0.0, 5.0, 0.0), (100.0, 5.0, 0.0), (195.0, 5.0, 0.0)], kind=kind
    )
    curve.matrix_world = terrain.matrix_world
    bpy.context.view_layer.update()
    before = vertex_heights(terrain.data)
    assert carving.carve(terrain, carving.of_curves(terrain, [curve], BED), DEFAULTS) == []
    cut = (before - vertex_heights(terrain.data)).reshape(40, 40)
    assert cut[20, 22] > 3.0 and not cut[:15].any() and not cut[26:].any()
    assert len(bpy.data.curves) == 0 and len(bpy.data.meshes) == 1


def test_lines_of_hair_are_those_that_blender_draws(hair):
    first, second = carving.lines_of(hair(WAY, WAY[:2], kind="POLY"))
    np.testing.assert_allclose(first, WAY, atol=1e-5)
    np.testing.assert_allclose(second, WAY[:2], atol=1e-5)
    (smooth,) = carving.lines_of(hair(WAY, resolution=4))
    middle = (-WAY[0] + 9.0 * WAY[1] + 9.0 * WAY[2] - WAY[3]) / 16.0  # of a Catmull-Rom spline
    np.testing.assert_allclose(
        smooth[[0, 4, 6, 8, 12]], [WAY[0], WAY[1], middle, WAY[2], WAY[3]], atol=1e-4
    )
    (ring,) = carving.lines_of(hair(WAY, kind="POLY", cyclic=True))
    np.testing.assert_allclose(ring, [*WAY, WAY[0]], atol=1e-5)
    assert carving.lines_of(hair()) == []


def test_what_is_no_curve_is_named_as_what_it_is(terrain):
    with pytest.raises(
        InputError, match=r"Land has the type Mesh; draw the river as a Curve object"
    ):
        carving.carve(terrain, carving.of_curves(terrain, [terrain], BED), DEFAULTS)
