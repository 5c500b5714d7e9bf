# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants and boulders: where they stand, that they follow runs, and that nothing of them is
left.
"""

import bpy
import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.scene.companions import companions
from erosion_addon.scene.derived import update_derived
from erosion_addon.scene.masks.settings import DEFAULTS
from erosion_addon.scene.plants import placing, plants
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object

MIXTURE = {kind.name: 1.0 for kind in placing.KINDS}


def ground(elevation, cell=10.0, water=None, **fields):
    shape = elevation.shape
    layers = {name: np.full(shape, value, np.float32) for name, value in fields.items()}
    return placing.Ground(
        elevation, (cell, cell), layers, np.zeros(shape, bool) if water is None else water
    )


def rising(rows=64, cols=64, slope=0.2, cell=10.0):
    return np.repeat(np.arange(rows)[:, None] * slope * cell, cols, axis=1)


def spots_of(land, kind, limit=5000, eye=None, tree_line=0.5):
    return placing.scatter(land, placing.densities(land, {kind: 1.0}, tree_line), limit, eye)


@pytest.fixture
def wooded(empty_scene):
    obj = make_grid_object("Hill", rising(), (10.0, 10.0), empty_scene.collection)
    bpy.context.view_layer.update()
    fields = {"moisture": np.full((64, 64), 0.5, np.float32)}
    attributes.write_fields(obj.data, grid.find_lattice(obj), fields)
    return obj


def instances(obj):
    """(place, scale) of each plant that the viewport shows."""
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    return [
        (i.matrix_world.translation.copy(), i.matrix_world.to_scale())
        for i in graph.object_instances
        if i.is_instance and i.parent.original.parent == obj
    ]


def test_marram_grows_on_sand_that_was_laid_behind_a_beach():
    shore = np.arange(120) < 20
    laid = np.where(np.arange(120) < 60, 4.0, 0.0)
    land = ground(
        np.zeros((120, 120)), water=np.tile(shore, (120, 1)), deposition=np.tile(laid, (120, 1))
    )
    without, grown = (
        placing.densities(land, {"tufts": 1.0}, 1.0, share)["tufts"] for share in (0.0, 1.0)
    )
    assert (grown[:, 20:59] >= without[:, 20:59]).all() and (grown - without)[:, 30:50].mean() > 0.2
    np.testing.assert_array_equal(grown[:, 60:], without[:, 60:])  # no sand came here
    assert not grown[:, :20].any()


def test_trees_keep_below_the_tree_line_but_for_its_soft_border():
    spots = spots_of(ground(rising(), moisture=0.6), "conifers")
    share = spots.y / 640.0
    assert len(share) > 300 and share.max() < 0.72
    assert (share < 0.4).sum() > 4 * (share > 0.5).sum() > 0


@pytest.mark.parametrize("kind", sorted(MIXTURE))
def test_nothing_stands_in_water(kind):
    water = np.zeros((64, 64), bool)
    water[20:40] = True
    elevation = np.where(np.arange(64)[:, None] > 50, rising(slope=1.2), rising(slope=0.05))
    spots = spots_of(
        ground(elevation, water=water, moisture=0.5, deposition=3.0), kind, tree_line=1.0
    )
    assert len(spots.x)
    inside = (spots.y > 200) & (spots.y < 390)
    assert not inside.any()


def test_boulders_lie_below_cliffs_alone():
    elevation = np.where(
        np.arange(64)[:, None] < 32, 0.0, 0.0 * rising() + 15.0 * (np.arange(64)[:, None] - 32)
    )
    elevation = np.minimum(elevation, 150.0)
    spots = spots_of(ground(elevation, deposition=3.0), "boulders")
    assert len(spots.y) > 20 and (np.abs(spots.y - 370) < 220).all()
    flat = ground(np.zeros((64, 64)), deposition=3.0)
    assert not len(spots_of(flat, "boulders").x)


def test_groups_of_stones_lie_on_dry_slopes_not_on_wet_ones_or_walls():
    dry, wet, wall = (
        len(spots_of(land, "boulders").x)
        for land in (
            ground(rising(slope=0.5)),
            ground(rising(slope=0.5), moisture=0.9),
            ground(rising(slope=1.5)),
        )
    )
    assert dry > 100 and not wet and not wall


def test_palms_stand_around_a_pool_as_far_as_its_ground_water_reaches():
    water = np.zeros((64, 64), bool)
    water[28:36, 28:36] = True
    spots = spots_of(ground(rising(slope=0.02), water=water), "palms")
    away = np.maximum(np.abs(spots.x - 315), np.abs(spots.y - 315)) - 40
    assert len(away) > 50 and away.max() < 120 and (away > 25).sum() > 10


@pytest.mark.parametrize("eye", [None, (300.0, 300.0, 150.0)])
def test_they_are_the_same_every_time_and_never_more_than_asked(eye):
    land = ground(rising(), moisture=0.5)
    first, again = (
        placing.scatter(land, placing.densities(land, MIXTURE, 1.0), 400, eye) for _ in range(2)
    )
    assert 300 < len(first.x) <= 400
    for name in ("x", "y", "height", "form", "turn", "tint"):
        assert getattr(first, name).tobytes() == getattr(again, name).tobytes()


def test_a_change_of_the_ground_moves_no_plant_elsewhere():
    land = ground(rising(), moisture=0.5)
    water = np.zeros((64, 64), bool)
    water[:8] = True
    other = ground(rising(), moisture=0.5, water=water)
    first, second = (set(spots_of(each, "tufts", 10**6).x.round(6)) for each in (land, other))
    assert len(second) < len(first) and len(second - first) < 0.01 * len(first)


def test_there_are_more_near_the_camera():
    land = ground(rising(200, 200), moisture=0.5)
    spots = spots_of(land, "tufts", 4000, (1000.0, 1000.0, 210.0), 1.0)
    near = np.hypot(spots.x - 1000, spots.y - 1000) < 150
    assert near.sum() > 0.1 * len(spots.x)  # on 2 % of the ground


@pytest.mark.parametrize(("kind", "seed", "detail"), placing.FORMS)
def test_forms_are_one_high_and_stand_on_the_ground(kind, seed, detail):
    form = kind.form(seed, detail)
    assert form.place[:, 2].max() == pytest.approx(1.0) and -0.6 < form.place[:, 2].min() < 0.15
    assert (
        form.faces.max() < len(form.place) == len(form.leaf) == len(form.shade) == len(form.normal)
    )
    assert np.isfinite(form.place).all() and len(form.faces) <= 500
    np.testing.assert_allclose(np.linalg.norm(form.normal, axis=1), 1, atol=1e-6)


def test_instances_stand_on_the_ground_in_meters_whatever_the_scale(wooded):
    wooded.scale = (0.1, 0.1, 0.1)
    bpy.context.view_layer.update()
    plants.add(wooded, grass=False, limit=300, size=1.0)
    shown = instances(wooded)
    assert 20 < len(shown) <= 300
    for place, _ in shown:
        assert place.z == pytest.approx(0.2 * (place.y + 31.5), abs=0.02)
    assert 7 < max(scale.z for _, scale in shown) < 19


def test_plants_follow_the_ground_and_are_gone_without_a_trace(wooded):
    before = [
        len(data)
        for data in (bpy.data.objects, bpy.data.meshes, bpy.data.materials, bpy.data.node_groups)
    ]
    for _ in range(2):
        found = plants.add(wooded, limit=500)
    assert companions.find(wooded, "plants") == [found]
    count = len(found.data.vertices)
    lattice = grid.find_lattice(wooded)
    attributes.write_fields(
        wooded.data, lattice, {"water_depth": np.full((64, 64), 2.0, np.float32)}
    )
    assert (
        not update_derived.update_companions(wooded, DEFAULTS)
        and count > 100
        and not len(found.data.vertices)
    )
    update_derived.remove_companions(wooded, "plants")
    assert before == [
        len(data)
        for data in (bpy.data.objects, bpy.data.meshes, bpy.data.materials, bpy.data.node_groups)
    ]
    assert not bpy.data.collections


def test_where_nothing_grows_it_is_said(wooded):
    attributes.write_fields(
        wooded.data, grid.find_lattice(wooded), {"water_depth": np.full((64, 64), 2.0, np.float32)}
    )
    with pytest.raises(InputError, match="Nothing grows on Hill"):
        plants.add(wooded)
    assert bpy.data.objects[:] == [wooded] and not bpy.data.collections


@pytest.mark.parametrize(
    "held", ["", "[]", '{"limit": -3}', '{"density": NaN}', '{"trees": "no"}', 7]
)
def test_invalid_settings_in_a_file_are_the_usual_ones(wooded, held):
    found = plants.add(wooded, limit=50)
    found[plants.SETTINGS] = held
    assert {key: type(value) for key, value in plants.settings_of(found).items()} == {
        key: type(value) for key, value in plants.USUAL.items()
    }
    plants.update(wooded, found)
    assert len(found.data.vertices)
