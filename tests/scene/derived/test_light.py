# SPDX-License-Identifier: GPL-3.0-or-later
"""Light in a scene: positions of suns and casters, what casts shadows, and the user's own
lights.
"""

import json
import math
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from erosion_addon.bake.parameters import LightParameters
from erosion_addon.base.errors import InputError
from erosion_addon.scene.derived import light
from erosion_addon.scene.masks.settings import DEFAULTS
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object

QUICK = LightParameters(azimuths=4, spheres=1)


@pytest.fixture
def plain(empty_scene):
    """Makes a level grid of 41 × 41 vertices, 1 m apart, about the origin."""
    return make_grid_object("Plain", np.zeros((41, 41)), (1.0, 1.0), empty_scene.collection)


@pytest.fixture
def collection(empty_scene):
    made = bpy.data.collections.new("Rocks")
    empty_scene.collection.children.link(made)
    return made


def add_ball(collection, place, radius=2.0):
    mesh = bpy.data.meshes.new("Ball")
    polar, turn = np.meshgrid(
        np.linspace(0, math.pi, 17), np.linspace(0, 2 * math.pi, 32, endpoint=False)
    )
    points = np.stack(
        [np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)], -1
    )
    mesh.from_pydata((radius * points).reshape(-1, 3).tolist(), [], [])
    obj = bpy.data.objects.new("Ball", mesh)
    obj.location = place
    collection.objects.link(obj)
    return obj


def add_sun(degrees, azimuth=0.0, name="Sun", angle=0.01):
    """Add a sun of given elevation and azimuth from x toward y, in degrees."""
    data = bpy.data.lights.new(name, "SUN")
    data.angle = angle
    obj = bpy.data.objects.new(name, data)
    obj.rotation_euler = Euler((0, math.radians(90 - degrees), math.radians(azimuth)))
    bpy.context.scene.collection.objects.link(obj)
    return obj


def bake(obj, collection=None, edges="open", parameters=QUICK):
    bpy.context.view_layer.update()
    return light.bake_light(obj, parameters, collection, edges)


def field(obj, name):
    lattice = grid.find_lattice(obj)
    return attributes.read_fields(obj.data, lattice, [name])[name]


def test_without_a_sun_there_is_the_sky_alone(plain):
    assert bake(plain) == "Baked the light of the sky; suns: 0, spheres that cast shadows: 0"
    assert (field(plain, "sky_light") == 1.0).all() and "sun_light" not in plain.data.attributes


def test_a_ball_is_a_sphere_and_its_shadow_falls_away_from_the_sun(plain, collection):
    add_ball(collection, (5, 0, 3))
    add_sun(45)
    assert bake(plain, collection).endswith("suns: 1, spheres that cast shadows: 1")
    sky = field(plain, "sky_light")
    sun = field(plain, "sun_light")
    assert np.unravel_index(sky.argmin(), sky.shape) == (20, 25)
    assert sky.min() == pytest.approx(1 - 4 / 9, abs=0.01)  # (r / d)²
    assert sun[20, 22] == 0.0 and sun[20, 28] == 1.0


def test_the_strengths_of_the_suns_lie_with_the_mesh_for_its_material(plain):
    add_sun(45, name="B").data.energy = 3.0
    add_sun(60, name="A").data.color = (0.0, 1.0, 0.0)
    bake(plain)
    # by name; green is bright, 10 W
    assert plain.data[light.STRENGTHS][:] == pytest.approx([7.152, 3.0, 0.0])
    bake(plain, parameters=LightParameters(azimuths=4, spheres=1, suns=False))
    assert list(plain.data[light.STRENGTHS]) == [0.0, 0.0, 0.0]
    light.remove(plain.data)
    assert light.STRENGTHS not in plain.data


def test_light_is_old_once_a_sun_or_the_terrain_turned_or_one_came_or_went(plain):
    sun = add_sun(45, name="A")
    scene = bpy.context.scene

    def moved():
        bpy.context.view_layer.update()
        return light.suns_have_moved(plain, scene)

    assert not moved()  # nothing is baked
    bake(plain)
    sun.location.x = 70.0  # which means nothing to a sun
    plain.location.z = 5.0
    assert not moved()
    sun.rotation_euler.y += 0.01
    assert moved()
    bake(plain)
    plain.rotation_euler.z = 0.5
    assert moved()
    bake(plain)
    sun.hide_viewport = True
    assert moved()
    bake(plain, parameters=LightParameters(azimuths=4, spheres=1, suns=False))
    assert not moved()


@pytest.mark.parametrize(
    ("turn", "scale"),
    [
        (0, (2, 5, 4)),
        (30, (1, 1, 1)),
        (90, (3, 3, 3)),
        (90, (2, 5, 4)),
        (200, (-2, 3, 1)),
        (30, (2, 3, -2)),
    ],
)
def test_a_terrain_that_is_moved_turned_and_scaled_lies_in_the_same_light(
    empty_scene, collection, turn, scale
):
    rows, cols = np.mgrid[:21, :31]
    elevation = 3 * np.exp(-((rows - 10) ** 2 + (cols - 12) ** 2) / 20.0)
    # The same hill in the world: first built in meters, then as an object that is scaled to it.
    steps = np.sign(scale[:2])[::-1].astype(int)
    built = elevation[:: steps[0], :: steps[1]] / scale[2]
    spacing = (1 / abs(scale[1]), 1 / abs(scale[0]))
    straight = make_grid_object("Straight", elevation, (1.0, 1.0), empty_scene.collection)
    scaled = make_grid_object("Scaled", built, spacing, empty_scene.collection)
    ball = add_ball(collection, (6, -2, 2), 1.5)
    sun = add_sun(35, 20, angle=0.1)
    bake(straight, collection)
    world = Matrix.Translation((100, -50, 7)) @ Matrix.Rotation(math.radians(turn), 4, "Z")
    scaled.matrix_world = world @ Matrix.Diagonal((*scale, 1))
    for obj in (ball, sun):
        bpy.context.view_layer.update()
        obj.matrix_world = world @ obj.matrix_world
    bake(scaled, collection)
    for name in ("sky_light", "sun_light"):
        got = field(scaled, name)[:: steps[0], :: steps[1]]
        assert np.abs(got - field(straight, name)).max() < 2e-3
        assert got.min() < 0.6


def test_suns_are_taken_by_name_and_hidden_ones_and_more_than_three_are_not(plain, collection):
    add_ball(collection, (0, 0, 3))
    for number, azimuth in enumerate((0, 90, 180, 270)):
        add_sun(45, azimuth, f"Sun {4 - number}")
    add_sun(45, 0, "A hidden one").hide_set(True)
    assert "suns: 3" in bake(plain, collection)
    for name, azimuth in (("sun_light", 270), ("sun_light_2", 180), ("sun_light_3", 90)):
        turn = math.radians(azimuth)
        away = 20 - 3 * round(math.sin(turn)), 20 - 3 * round(math.cos(turn))
        assert field(plain, name)[away] == 0.0


def test_what_a_collection_is_an_instance_of_throws_shadows_too(plain, collection, empty_scene):
    hidden = bpy.data.collections.new("Library")
    add_ball(hidden, (0, 0, 3))
    empty = bpy.data.objects.new("Instance", None)
    empty.instance_type = "COLLECTION"
    empty.instance_collection = hidden
    empty.location = (-8, 4, 0)
    collection.objects.link(empty)
    bake(plain, collection)
    sky = field(plain, "sky_light")
    assert np.unravel_index(sky.argmin(), sky.shape) == (24, 12)


def test_modifiers_and_curves_count(plain, collection):
    add_ball(collection, (0, 0, 3)).modifiers.new("Displace", "DISPLACE").strength = 0.0
    line = add_ball(collection, (0, 0, 3))
    line.modifiers.new("Array", "ARRAY").constant_offset_displace = (12, 0, 0)
    line.modifiers["Array"].use_constant_offset = True
    line.modifiers["Array"].use_relative_offset = False
    curve = bpy.data.curves.new("Curve", "CURVE")
    curve.splines.new("BEZIER").bezier_points.add(1)
    curve.splines[0].bezier_points[1].co = (0, 1, 0)
    curve.bevel_depth = 1.0
    tube = bpy.data.objects.new("Tube", curve)
    tube.location = (-10, -10, 1)
    collection.objects.link(tube)
    bake(plain, collection, parameters=LightParameters(azimuths=4, spheres=2))
    sky = field(plain, "sky_light")
    assert sky[20, 32] < 0.7 and sky[10, 10] < 0.7 and sky[32, 20] > 0.9


def test_the_terrain_itself_throws_no_sphere(plain, collection):
    collection.objects.link(plain)
    with pytest.raises(InputError, match="Rocks has no visible object with a surface"):
        bake(plain, collection)
    add_ball(collection, (0, 0, 3))
    assert "shadows: 3" in bake(
        plain, collection, parameters=LightParameters(azimuths=4, spheres=3)
    )


def test_where_nothing_can_be_baked_nothing_changes(plain, collection, everything_of, make_points):
    collection.objects.link(bpy.data.objects.new("Empty", None))
    before = everything_of(plain.data)
    with pytest.raises(InputError, match="Rocks has no visible object"):
        bake(plain, collection)
    add_sun(45)
    plain.data.attributes.new("sun_light_2", "INT", "POINT")
    with pytest.raises(InputError, match="sun_light_2 of another kind"):
        bake(plain)
    plain.data.attributes.remove(plain.data.attributes["sun_light_2"])
    assert everything_of(plain.data) == before
    with pytest.raises(InputError, match="Points"):
        bake(make_points(np.random.default_rng(0).random((40, 3))))


def test_vertices_in_any_order_get_their_own_light(plain, collection, make_points):
    add_ball(collection, (5, 0, 3))
    order = np.random.default_rng(0).permutation(41 * 41)
    shuffled = make_points(grid_positions(plain)[order])
    bake(plain, collection)
    bake(shuffled, collection)
    assert np.array_equal(values_of(plain, "sky_light")[order], values_of(shuffled, "sky_light"))


def grid_positions(obj):
    return np.array([vertex.co for vertex in obj.data.vertices])


def values_of(obj, name):
    values = np.empty(len(obj.data.vertices), np.float32)
    obj.data.attributes[name].data.foreach_get("value", values)
    return values


def test_a_sun_that_is_gone_shines_everywhere(plain, collection):
    add_ball(collection, (5, 0, 3))
    sun = add_sun(45)
    bake(plain, collection)
    assert field(plain, "sun_light").min() == 0.0
    bpy.data.objects.remove(sun)
    bake(plain, collection)
    assert (field(plain, "sun_light") == 1.0).all() and field(plain, "sky_light").min() < 1.0


def test_light_is_brought_up_to_date_with_the_settings_it_was_baked_with(
    plain, collection, monkeypatch
):
    settings = SimpleNamespace(casters=None, edges="open")
    terrain = SimpleNamespace(data=plain.data, name=plain.name, erosion=settings)
    monkeypatch.setattr(light, "bake_light", lambda *given: baked.append(given))
    baked = []
    light.update(terrain, DEFAULTS)
    assert baked == []
    monkeypatch.undo()
    bake(plain, parameters=LightParameters(azimuths=8, radius=12.5))
    assert json.loads(plain.data[light.SETTINGS])["radius"] == 12.5
    monkeypatch.setattr(light, "bake_light", lambda *given: baked.append(given))
    light.update(terrain, DEFAULTS)
    assert baked == [(terrain, LightParameters(azimuths=8, radius=12.5), None, "open")]
