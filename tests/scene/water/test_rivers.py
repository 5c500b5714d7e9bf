# SPDX-License-Identifier: GPL-3.0-or-later
"""Rivers and lakes as objects: placed on the terrain, updated with it, removed without a trace."""

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix
from mathutils.bvhtree import BVHTree
from numpy.lib.stride_tricks import sliding_window_view

from erosion_addon.base.errors import InputError
from erosion_addon.drainage import ribbon
from erosion_addon.drainage.parameters import AnalysisParameters, CutParameters, RiverParameters
from erosion_addon.drainage.rivers import sizes, water_of
from erosion_addon.scene.companions import companions, material_inputs, visible_water
from erosion_addon.scene.derived import update_derived
from erosion_addon.scene.masks.settings import DEFAULTS, MaskSettings, TerrainSettings
from erosion_addon.scene.materials import material, water_material
from erosion_addon.scene.materials.node_trees import nodes
from erosion_addon.scene.materials.terrain.sockets import SHORE
from erosion_addon.scene.original import original
from erosion_addon.scene.run import carving
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object, positions, vertex_heights
from erosion_addon.scene.water import analysis, rivers
from erosion_addon.scene.worker import computing
from erosion_addon.terrain.fields import WATERS
from erosion_addon.worker.messages import Message
from tests.mesh_contents import everything
from tests.terrains import fractal, plane

LAND = fractal(40, 50, relief=200.0, seed=3)
BROOKS = RiverParameters(source_area=0.004, lake_area=300.0)


@pytest.fixture
def terrain(empty_scene):
    obj = make_grid_object("Land", LAND, (10.0, 10.0), empty_scene.collection)
    bpy.context.view_layer.update()
    return obj


def values_of(mesh, name, count=1):
    values = np.empty(len(mesh.vertices) * count, np.float32)
    mesh.attributes[name].data.foreach_get("vector" if count > 1 else "value", values)
    return values.reshape(-1, count)


def set_heights(terrain, elevation):
    place = positions(terrain.data)
    place[:, 2] = elevation.ravel()
    terrain.data.attributes["position"].data.foreach_set("vector", place.ravel())
    terrain.data.update()


def test_both_are_children_of_the_terrain_with_water_and_what_it_does_there(terrain):
    made = [rivers.add(terrain, kind, BROOKS) for kind in ("rivers", "lakes")]
    assert [obj.name for obj in made] == ["Land Rivers", "Land Lakes"]
    for obj in made:
        assert obj.parent == terrain and [slot.name for slot in obj.data.materials] == [
            "Terrain Water"
        ]
        assert not obj.data.validate() and len(obj.data.polygons)
        assert np.mean([face.normal.z > 0 for face in obj.data.polygons]) > 0.95
    assert (values_of(made[0].data, "width") > 0).all() and values_of(
        made[0].data, "stream_order"
    ).max() >= 2
    assert np.allclose(
        np.linalg.norm(values_of(made[0].data, "flow_direction", 3), axis=1), 1, atol=1e-5
    )


def test_rivers_lie_where_the_water_of_the_heights_runs(terrain):
    obj = rivers.add(terrain, "rivers", BROOKS)
    stored = positions(terrain.data)[:, 2].astype(float).reshape(LAND.shape)
    water = water_of(stored, (10.0, 10.0), "open", BROOKS)
    place = positions(obj.data).reshape(-1, 5, 3)[:, 2]
    # mouths end at the bank of the other river
    inner = np.setdiff1d(np.arange(len(water.place)), water.starts[:-1])
    way = water.place[inner, :2] - (245.0, 195.0)
    apart = np.abs(place[None, :, :2] - way[:, None]).sum(-1)
    near = apart.argmin(axis=1)
    assert apart.min(axis=1).max() < 1e-3
    off = place[near, 2] - water.place[inner, 2]
    assert np.abs(off).max() < 20.0 and np.median(np.abs(off)) < 1.0
    widths = sizes(water, BROOKS).width.astype(np.float32)
    np.testing.assert_array_equal(
        values_of(obj.data, "width").reshape(-1, 5)[near, 0], widths[inner]
    )


def test_rivers_whose_worker_failed_stay_as_they_were_and_are_named(terrain, monkeypatch):
    """Before, they were emptied like those of level land, which has none."""
    obj = rivers.add(terrain, "rivers", BROOKS)
    before = everything(obj.data)
    masks = [values_of(terrain.data, name).tobytes() for name in WATERS]
    set_heights(terrain, LAND[::-1])
    ended = computing.answer_in(
        Message("ended", {"reason": "There is not enough memory for the result."})
    )
    monkeypatch.setattr(computing, "_wait", lambda request: ended)
    assert update_derived.update(terrain, DEFAULTS) == [
        "Land Rivers still shows the previous terrain: There is not enough memory for the result."
    ]
    assert everything(obj.data) == before
    assert [values_of(terrain.data, name).tobytes() for name in WATERS] == masks


def test_lakes_are_level_and_as_high_as_they_overflow(terrain):
    obj = rivers.add(terrain, "lakes", BROOKS)
    number = values_of(obj.data, "lake").ravel()
    level = values_of(obj.data, "level").ravel()
    for one in np.unique(number):
        of_lake = positions(obj.data)[number == one, 2]
        assert (of_lake == of_lake[0]).all() and of_lake[0] == level[number == one][0]


def test_lakes_of_little_rain_are_lower_and_without_any_it_is_said(terrain):
    obj = rivers.add(terrain, "lakes", BROOKS)
    full_depth = values_of(obj.data, "water_depth").max()
    some = RiverParameters(source_area=0.004, lake_area=300.0, limited_water=True, rain=300.0)
    assert (
        rivers.add(terrain, "lakes", some) == obj
        and 0 < values_of(obj.data, "water_depth").max() < full_depth
    )
    with pytest.raises(InputError, match="no lake of that size with 0 mm of rain; raise Rain"):
        rivers.add(terrain, "lakes", RiverParameters(limited_water=True, rain=0.0))
    assert visible_water.settings_of(obj) == some


def test_rivers_end_at_the_lakes_that_are_shown(terrain):
    alone = len(rivers.add(terrain, "rivers", BROOKS).data.polygons)
    rivers.add(terrain, "lakes", BROOKS)
    obj = companions.find(terrain, "rivers")[0]
    assert len(obj.data.polygons) < alone
    update_derived.remove_companions(terrain, "lakes")
    update_derived.update(terrain, DEFAULTS)
    assert len(obj.data.polygons) == alone


def test_they_follow_the_terrain_in_place(terrain):
    made = [rivers.add(terrain, kind, BROOKS) for kind in ("rivers", "lakes")]
    before = [(obj.data, positions(obj.data).tobytes()) for obj in made]
    made[0].data.materials[0] = mine = bpy.data.materials.new("Mine")
    set_heights(terrain, LAND[::-1])
    assert update_derived.update(terrain, DEFAULTS) == []
    for obj, (mesh, bytes_before) in zip(made, before, strict=True):
        assert obj.data == mesh and positions(mesh).tobytes() != bytes_before
    assert made[0].data.materials[0] == mine


def test_all_that_an_update_computes_is_asked_for_ahead(terrain):
    rivers.add(terrain, "rivers", BROOKS)
    rivers.add(terrain, "lakes", BROOKS)
    lattice = grid.find_lattice(terrain)
    (asked,) = update_derived.requests(terrain, lattice, vertex_heights(terrain.data), {}, DEFAULTS)
    (needed,) = rivers.requests_of_add(terrain, "rivers", BROOKS)
    assert asked.asks_the_same_as(needed)


def test_a_sea_covers_what_lies_below_it_and_needs_no_worker(terrain):
    assert rivers.requests_of_add(terrain, "sea", RiverParameters(sea_level=80.0)) == []
    obj = rivers.add(terrain, "sea", RiverParameters(sea_level=80.0))
    assert obj.name == "Land Sea" and obj.parent == terrain and not obj.data.validate()
    assert (positions(obj.data)[:, 2] == 80.0).all()
    assert np.count_nonzero(values_of(obj.data, "water_depth") > 0) == np.count_nonzero(LAND < 80.0)
    assert terrain[material_inputs.WATERS][0] == 1
    assert (
        update_derived.requests(
            terrain, grid.find_lattice(terrain), vertex_heights(terrain.data), {}, DEFAULTS
        )
        == []
    )


def test_rivers_end_in_the_sea_that_is_shown_whichever_came_first(terrain):
    made = rivers.add(terrain, "rivers", BROOKS)
    alone = positions(made.data).tobytes()
    rivers.add(terrain, "sea", RiverParameters(source_area=0.004, lake_area=300.0, sea_level=80.0))
    ended = positions(made.data).tobytes()
    assert ended != alone and visible_water.settings_in(terrain).source_area == 0.004
    rivers.add(terrain, "rivers", BROOKS)  # which knows of no sea
    assert (
        positions(made.data).tobytes() == ended
        and visible_water.settings_in(terrain).sea_level == 80.0
    )
    middle = positions(made.data).reshape(-1, 5, 3)[:, 2]
    row = np.rint((middle[:, 1] + 195) / 10).astype(int)
    col = np.rint((middle[:, 0] + 245) / 10).astype(int)
    assert np.percentile((80.0 - LAND[row, col]), 99) < 20.0  # they stop within a cell of the coast


def test_a_sea_follows_the_terrain_and_dries_up_with_it(terrain):
    obj = rivers.add(terrain, "sea", RiverParameters(sea_level=80.0))
    mesh = obj.data
    before = positions(obj.data).tobytes()
    set_heights(terrain, LAND[::-1])
    assert (
        update_derived.update(terrain, DEFAULTS) == []
        and obj.data == mesh
        and positions(mesh).tobytes() != before
    )
    set_heights(terrain, LAND + 100.0)
    assert (
        update_derived.update(terrain, DEFAULTS) == []
        and not len(mesh.vertices)
        and material_inputs.WATERS not in terrain
    )


def test_a_sea_over_all_land_is_a_whole_sheet_but_refused_beside_rivers_which_stay(terrain):
    made = rivers.add(terrain, "rivers", BROOKS)
    before = positions(made.data).tobytes()
    with pytest.raises(InputError, match="All of the terrain lies below the sea at 1000 m"):
        rivers.add(terrain, "sea", RiverParameters(sea_level=1000.0))
    assert companions.find(terrain) == [made] and positions(made.data).tobytes() == before
    assert visible_water.settings_of(made) == BROOKS
    update_derived.remove_companions(terrain, "rivers")
    obj = rivers.add(terrain, "sea", RiverParameters(sea_level=1000.0))
    assert len(obj.data.vertices) == LAND.size


def test_ground_without_rivers_empties_the_objects_and_is_no_fault(terrain):
    made = rivers.add(terrain, "rivers", BROOKS)
    set_heights(terrain, np.full(LAND.shape, 5.0))
    assert update_derived.update(terrain, DEFAULTS) == [] and not len(made.data.vertices)


def field(terrain, name):
    return values_of(terrain.data, name)[:, 0].reshape(LAND.shape)


def test_the_terrain_knows_its_rivers_banks_and_lakes_and_they_follow_it(terrain):
    rivers.add(terrain, "rivers", BROOKS)
    for land in (LAND, LAND[::-1].copy()):
        set_heights(terrain, land)
        assert update_derived.update(terrain, DEFAULTS) == []
        water = water_of(land, (10.0, 10.0), "open", BROOKS)
        river, bank, lake = (field(terrain, name) for name in WATERS)
        assert (lake == (water.lakes > 0)).all() and lake.any()
        row, col = np.rint(water.place[:, 1::-1] / 10.0).astype(int).T
        assert (river[row, col] > 0).all(), (
            "a river is a cell wide at least, and its points lie in it"
        )
        assert 0.05 < river.mean() < 0.4 and not bank[lake > 0].any() and not bank[river == 1].any()
        level = np.pad(lake, 1)
        beside = (level[1:-1, 2:] + level[1:-1, :-2] + level[2:, 1:-1] + level[:-2, 1:-1] > 0) & (
            lake == 0
        )
        assert (bank[beside & (river < 1)] == 1).all(), "the shore of a lake is wholly bank"
    set_heights(terrain, np.full(LAND.shape, 5.0))
    assert update_derived.update(terrain, DEFAULTS) == [] and not any(
        field(terrain, name).any() for name in WATERS
    )


def test_a_river_mask_of_the_users_comes_back_and_a_group_of_that_name_refuses_rivers(terrain):
    terrain.data.attributes.new("river", "FLOAT", "POINT").data.foreach_set(
        "value", np.full(LAND.size, 0.25)
    )
    rivers.add(terrain, "rivers", BROOKS)
    rivers.add(terrain, "lakes", BROOKS)
    update_derived.remove_companions(terrain, "rivers")
    assert field(terrain, "river").max() == 1, "lakes still show where rivers run"
    update_derived.remove_companions(terrain, "lakes")
    assert (field(terrain, "river") == 0.25).all() and "bank" not in terrain.data.attributes
    terrain.vertex_groups.new(name="bank")
    with pytest.raises(InputError, match="vertex group bank"):
        rivers.add(terrain, "rivers", BROOKS)
    assert bpy.data.objects[:] == [terrain]


def test_deleted_rivers_leave_no_masks_behind_the_next_run(terrain):
    bpy.data.objects.remove(rivers.add(terrain, "rivers", BROOKS))
    update_derived.update(terrain, DEFAULTS)
    assert set(WATERS).isdisjoint(terrain.data.attributes.keys())


def test_the_mesh_of_the_terrain_stays_as_it_is_but_for_its_masks(terrain, everything_of):
    before = everything_of(terrain.data)
    rivers.add(terrain, "rivers", BROOKS)
    rivers.add(terrain, "lakes", BROOKS)
    beside = everything_of(terrain.data)
    assert {
        key: value for key, value in beside.items() if key in before and key != "properties"
    } == {key: value for key, value in before.items() if key != "properties"}
    assert [update_derived.remove_companions(terrain, kind) for kind in ("rivers", "lakes")] == [
        1,
        1,
    ]
    assert everything_of(terrain.data) == before and bpy.data.objects[:] == [terrain]
    assert len(bpy.data.meshes) == 1 and not len(bpy.data.materials)


def test_again_makes_the_same_objects_anew_with_one_set_of_settings(terrain):
    first = rivers.add(terrain, "rivers", BROOKS)
    rivers.add(terrain, "lakes", BROOKS)
    other = RiverParameters(source_area=0.02, lake_area=300.0)
    count = len(first.data.vertices)
    assert rivers.add(terrain, "rivers", other) == first and len(first.data.vertices) < count
    assert visible_water.settings_of(companions.find(terrain, "lakes")[0]) == other


def test_what_a_file_holds_in_place_of_settings_does_no_harm(terrain):
    obj = rivers.add(terrain, "rivers", BROOKS)
    for bad in (7, "{", '{"runoff": -1}', "[1]", "null"):
        obj[visible_water.SETTINGS] = bad
        assert visible_water.settings_of(obj) == RiverParameters()


@pytest.mark.parametrize(
    ("land", "kind", "parameters", "words"),
    [
        (np.zeros((20, 20)), "rivers", BROOKS, "level, so no water runs"),
        (plane(20, 20, 0.0, 3.0), "lakes", BROOKS, "has no lake of that size"),
        (
            plane(20, 20, 0.0, 3.0),
            "rivers",
            RiverParameters(source_area=5.0),
            "no river with that much drainage area",
        ),
        (
            plane(20, 20, 0.0, 3.0),
            "rivers",
            RiverParameters(sea=True, sea_level=500.0),
            "lies below the sea",
        ),
        (
            plane(20, 20, 0.0, 3.0),
            "sea",
            RiverParameters(sea_level=-1.0),
            "No part of Land is below -1 m",
        ),
    ],
)
def test_where_there_are_none_it_is_said_and_nothing_made(
    empty_scene, land, kind, parameters, words
):
    obj = make_grid_object("Land", land, (10.0, 10.0), empty_scene.collection)
    bpy.context.view_layer.update()
    with pytest.raises(InputError, match=words):
        rivers.add(obj, kind, parameters)
    assert bpy.data.objects[:] == [obj] and len(bpy.data.meshes) == 1


def test_the_material_draws_no_rivers_by_moisture_beside_them(terrain):
    material.assign(terrain)
    rivers.add(terrain, "rivers", BROOKS)
    assert terrain[material_inputs.WATERS][0] == 1
    update_derived.remove_companions(terrain, "rivers")
    assert material_inputs.WATERS not in terrain


def test_a_terrain_that_is_scaled_turned_and_on_its_head_has_rivers_on_its_ground(terrain):
    terrain.scale = (2.0, 2.0, 0.5)
    terrain.rotation_euler = (0.0, 0.0, 1.0)
    bpy.context.view_layer.update()
    obj = rivers.add(terrain, "rivers", BROOKS)
    bpy.context.view_layer.update()
    assert obj.matrix_world == terrain.matrix_world
    x, y, z = positions(obj.data).reshape(-1, 5, 3)[:, 2].T
    row = np.rint((y + 195) / 10).astype(int)
    col = np.rint((x + 245) / 10).astype(int)
    ground = LAND[np.clip(row, 0, 39), np.clip(col, 0, 49)]
    assert np.median(np.abs(z - ground)) < 5.0


def test_the_shore_of_a_brook_is_fainter_than_that_of_a_river(terrain):
    values = []
    for width in (0.2, 40.0):
        rivers.add(terrain, "rivers", RiverParameters(source_area=0.004, width=width))
        values.append(values_of(terrain.data, SHORE)[:, 0])
    assert 0.05 < values[0].max() < 0.5 and values[1].max() > 0.95


def test_water_of_narrow_land_is_as_clear_and_rippled_in_small(empty_scene):
    """Of a land of 2 m, whose deepest river is a millimeter or two."""
    small = make_grid_object("Small", LAND * 0.004, (0.04, 0.04), empty_scene.collection)
    bpy.context.view_layer.update()
    water = rivers.add(small, "rivers", RiverParameters()).data.materials[0]
    inputs = water.node_tree.nodes[nodes.SURFACE].inputs
    given = {socket.name: socket.default for socket in water_material.SOCKETS}
    for control in water_material.LENGTHS:
        assert inputs[control].default_value == pytest.approx(
            given[control] * 1.96 / 1000.0, rel=1e-4
        ), control
    assert inputs["Roughness"].default_value == pytest.approx(given["Roughness"])


def test_shores_lie_beside_the_water_that_is_shown_alone(terrain):
    rivers.add(terrain, "rivers", BROOKS)
    shown = {"rivers": values_of(terrain.data, SHORE)[:, 0]}
    rivers.add(terrain, "lakes", BROOKS)
    both = values_of(terrain.data, SHORE)[:, 0]
    update_derived.remove_companions(terrain, "rivers")
    shown["lakes"] = values_of(terrain.data, SHORE)[:, 0]
    lake, river = (values_of(terrain.data, name)[:, 0] for name in ("lake", "river"))
    around = (
        sliding_window_view(np.pad(lake.reshape(LAND.shape), 1), (3, 3)).max(axis=(2, 3)).ravel()
    )
    np.testing.assert_array_equal(shown["lakes"], around)
    assert (shown["rivers"][(lake == 1) & (river == 0)] == 0).mean() > 0.5
    assert (shown["rivers"][(lake == 0) & (river > 0.5)] > 0).all()
    np.testing.assert_array_equal(both, np.maximum(*shown.values()))


@pytest.mark.parametrize("data", ["as made", "turned", "triangles"])
def test_brooks_lie_on_the_ground_as_it_is_displayed(terrain, data):
    """Faces of turned data, and of triangles, are split by the other diagonal."""
    mesh = bmesh.new()
    mesh.from_mesh(terrain.data)
    if data == "turned":
        mesh.transform(Matrix.Rotation(np.pi / 2, 4, "Z"))
    elif data == "triangles":
        bmesh.ops.triangulate(mesh, faces=mesh.faces, quad_method="ALTERNATE")
    mesh.to_mesh(terrain.data)
    mesh.free()
    made = rivers.add(terrain, "rivers", BROOKS)
    bpy.context.view_layer.update()
    ground = BVHTree.FromObject(terrain, bpy.context.evaluated_depsgraph_get())
    middles = positions(made.data)[2::5]
    inside = (
        np.abs(middles[:, :2]) < np.abs(positions(terrain.data)[:, :2]).max(axis=0) - 0.1
    ).all(axis=1)
    used = np.unique([face.vertices[0] // 5 for face in made.data.polygons])
    off = [
        place[2] - ground.ray_cast((*place[:2], 1e4), (0, 0, -1))[0].z
        for place in middles[used][inside[used]]
    ]
    assert len(off) > 200 and min(off) > -1e-3


@pytest.mark.parametrize("as_group", [True, False])
def test_rivers_begin_in_a_mask_of_the_terrain_and_follow_it(terrain, as_group):
    cell = 20 * 50 + 30
    if as_group:
        terrain.vertex_groups.new(name="Springs").add([cell], 1.0, "REPLACE")
    else:
        terrain.data.attributes.new("Springs", "FLOAT", "POINT").data[cell].value = 1.0
    obj = rivers.add(terrain, "rivers", BROOKS, "Springs")
    heads = np.zeros(LAND.shape)
    heads.flat[cell] = 1.0

    def vertices(land):
        found = water_of(land, (10.0, 10.0), "open", BROOKS, heads)
        assert len(found.starts) == 2
        return len(ribbon.ribbons(found, sizes(found, BROOKS), land, (10.0, 10.0)).place)

    few = vertices(LAND)
    assert len(obj.data.vertices) == few
    rivers.add(terrain, "lakes", BROOKS)  # the other kinds leave them where they begin
    assert rivers.headwaters_in(terrain) == "Springs" and len(obj.data.vertices) == few
    set_heights(terrain, LAND[::-1])
    (asked,) = update_derived.requests(
        terrain, grid.find_lattice(terrain), vertex_heights(terrain.data), {}, DEFAULTS
    )
    assert (
        asked.arrays["headwaters"].sum() == 1.0 and update_derived.update(terrain, DEFAULTS) == []
    )
    assert len(obj.data.vertices) == vertices(LAND[::-1])
    assert len(rivers.add(terrain, "rivers", BROOKS, "").data.vertices) > few


def test_rivers_and_the_analysis_end_at_the_outlets_of_the_mask(terrain):
    settings = TerrainSettings("closed", outlet=MaskSettings("VERTEX_GROUP", "Gates"))
    with pytest.raises(InputError, match="Gates"):
        rivers.add(terrain, "rivers", BROOKS, settings=settings)
    gates = terrain.vertex_groups.new(name="Gates")
    gates.add([20 * 50 + 30], 1.0, "REPLACE")
    obj = rivers.add(terrain, "rivers", BROOKS, settings=settings)
    mask = np.zeros(LAND.shape)
    mask[20, 30] = 1.0
    found = water_of(LAND, (10.0, 10.0), "closed", BROOKS, outlets=mask)
    made = ribbon.ribbons(found, sizes(found, BROOKS), LAND, (10.0, 10.0))
    assert len(obj.data.vertices) == len(made.place)
    analysis.analyze(terrain, AnalysisParameters(), settings)
    assert values_of(terrain.data, "drainage_area")[20 * 50 + 30] == LAND.size * 100.0


def test_headwaters_that_are_gone_leave_the_rivers_and_say_so(terrain):
    group = terrain.vertex_groups.new(name="Springs")
    with pytest.raises(
        InputError, match=r"Springs of Land is nowhere over 0\.5, where its rivers would begin"
    ):
        rivers.add(terrain, "rivers", BROOKS, "Springs")
    group.add([20 * 50 + 30], 1.0, "REPLACE")
    obj = rivers.add(terrain, "rivers", BROOKS, "Springs")
    before = positions(obj.data).tobytes()
    terrain.vertex_groups.remove(group)
    set_heights(terrain, LAND[::-1])
    (said,) = update_derived.update(terrain, DEFAULTS)
    assert said.startswith(
        "Land Rivers still shows the previous terrain: Land has no attribute 'Springs'"
    )
    assert positions(obj.data).tobytes() == before
    obj[rivers.HEADWATERS] = 7
    assert rivers.headwaters_in(terrain) == "" and update_derived.update(terrain, DEFAULTS) == []


def curve_values(obj, name, count=1):
    values = np.empty(len(obj.data.points) * count, np.float32)
    obj.data.attributes[name].data.foreach_get("vector" if count > 1 else "value", values)
    return values.reshape(-1, count)


def ribbon_of(obj):
    """A copy of the mesh that the nodes of river curves make."""
    bpy.context.view_layer.update()
    geometry = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).evaluated_geometry()
    return geometry.mesh.copy()


def test_curves_of_rivers_carry_what_ribbons_do_and_their_nodes_make_the_same_ribbons(terrain):
    """Rows of five vertices: all of the same place but for the halves of narrow brooks, which lie
    on the ground.
    """
    wide = RiverParameters(source_area=0.004, width=20.0)
    mesh = rivers.add(terrain, "rivers", wide).data
    rows = {tuple(np.round(row[2], 2)): row for row in positions(mesh).reshape(-1, 5, 3)}
    names = (
        "width",
        "depth",
        "discharge",
        "speed",
        "slope",
        "stream_order",
        "lake",
        "foam",
        "distance",
    )
    held = {name: set(np.round(values_of(mesh, name)[:, 0], 3)) for name in names}
    obj = rivers.add(terrain, "rivers", wide, as_curves=True)
    assert companions.find(terrain, "rivers") == [obj] and obj.type == "CURVES"
    assert [slot.name for slot in obj.data.materials] == ["Terrain Water"]
    for name in names:
        assert set(np.round(curve_values(obj, name)[:, 0], 3)) == held[name], name
    np.testing.assert_allclose(
        curve_values(obj, "radius").max(), 0.5 * curve_values(obj, "width").max()
    )
    made = ribbon_of(obj)
    assert [material.name for material in made.materials] == ["Terrain Water"]
    assert np.mean([face.normal.z > 0 for face in made.polygons]) > 0.95
    place = np.empty((len(made.vertices), 3), np.float32)
    made.attributes["position"].data.foreach_get("vector", place.ravel())
    off = [row[::-1] - rows[tuple(np.round(row[2], 2))] for row in place.reshape(-1, 5, 3)]
    assert np.median(np.abs(off)) < 0.01 and np.percentile(np.abs(off), 90) < 2.0
    direction = values_of(made, "flow_direction", 3)
    depth = values_of(made, "water_depth").reshape(-1, 5)
    np.testing.assert_allclose(np.linalg.norm(direction, axis=1), 1, atol=1e-5)
    assert not depth[:, [0, 4]].any() and (depth[:, 2] > 0).all()
    across = values_of(made, "across").reshape(-1, 5)
    np.testing.assert_allclose(across[:, 0], -across[:, 4])
    assert across.max() == pytest.approx(curve_values(obj, "radius").max())
    assert "UVMap" in made.uv_layers


def test_river_curves_run_to_the_mouth_and_meet_where_reaches_begin(terrain):
    obj = rivers.add(terrain, "rivers", BROOKS, as_curves=True)
    place = curve_values(obj, "position", 3)
    ways = [place[curve.points[0].index : curve.points[-1].index + 1] for curve in obj.data.curves]
    assert all(len(way) > 1 for way in ways)
    starts = {tuple(np.round(way[0], 2)) for way in ways}
    joined = [way for way in ways if tuple(np.round(way[-1], 2)) in starts]
    assert joined, "reaches of a river continue each other"
    far = curve_values(obj, "distance")[:, 0]
    assert all(
        far[curve.points[0].index] > far[curve.points[-1].index] for curve in obj.data.curves
    )


def test_river_curves_follow_runs_end_at_lakes_and_go_without_a_trace(terrain):
    obj = rivers.add(terrain, "rivers", BROOKS, as_curves=True)
    data, alone = obj.data, len(obj.data.points)
    rivers.add(terrain, "lakes", BROOKS)
    assert companions.find(terrain, "rivers") == [obj] and len(data.points) < alone
    before = curve_values(obj, "position", 3).tobytes()
    set_heights(terrain, LAND[::-1])
    assert update_derived.update(terrain, DEFAULTS) == []
    assert obj.data == data and curve_values(obj, "position", 3).tobytes() != before
    set_heights(terrain, np.full(LAND.shape, 5.0))
    assert update_derived.update(terrain, DEFAULTS) == [] and not len(data.points)
    set_heights(terrain, LAND)
    assert update_derived.update(terrain, DEFAULTS) == [] and len(data.points)
    mesh = rivers.add(terrain, "rivers", BROOKS, as_curves=False)
    assert mesh.type == "MESH" and not len(bpy.data.hair_curves)
    rivers.add(terrain, "rivers", BROOKS, as_curves=True)
    assert [update_derived.remove_companions(terrain, kind) for kind in ("rivers", "lakes")] == [
        1,
        1,
    ]
    assert (
        bpy.data.objects[:] == [terrain]
        and not len(bpy.data.hair_curves)
        and not len(bpy.data.node_groups)
    )


def test_river_curves_keep_their_place_when_the_scale_of_the_terrain_is_applied(terrain):
    terrain.scale = (2.0, 2.0, 0.5)
    bpy.context.view_layer.update()
    obj = rivers.add(terrain, "rivers", BROOKS, as_curves=True)
    place = curve_values(obj, "position", 3)
    wide = curve_values(obj, "radius").max()
    terrain.data.transform(Matrix.Diagonal((2.0, 2.0, 0.5, 1.0)))
    terrain.scale = (1.0, 1.0, 1.0)
    obj.matrix_parent_inverse = Matrix.Diagonal((2.0, 2.0, 0.5, 1.0))  # as Blender does on Apply
    grid.forget()
    companions.put_in_place(terrain)
    np.testing.assert_allclose(curve_values(obj, "position", 3), place * (2.0, 2.0, 0.5), rtol=1e-5)
    assert curve_values(obj, "radius").max() == pytest.approx(2.0 * wide)


def test_ripples_run_downstream_with_the_frames_and_need_no_script(terrain):
    obj = rivers.add(terrain, "rivers", BROOKS)
    group = nodes.find(bpy.data.node_groups, water_material.GROUP)
    (curve,) = group.animation_data.drivers
    assert curve.driver.is_simple_expression and curve.driver.is_valid
    scene = bpy.context.scene
    scene.frame_set(7)
    evaluated = group.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert evaluated.nodes[water_material.FRAME].outputs[0].default_value == 7.0
    assert {"distance", "across", "flow_direction"} <= set(obj.data.attributes.keys())
    rivers.add(terrain, "lakes", BROOKS)
    assert len(group.animation_data.drivers) == 1


@pytest.mark.parametrize("as_curves", [False, True])
def test_rivers_lie_in_their_beds_once_these_are_carved_and_restore_brings_back_the_ground(
    empty_scene, as_curves
):
    row, _ = np.mgrid[:40, :40]
    terrain = make_grid_object(
        "Land",
        plane(40, 40, 0.0, 1.0) + 2.0 * np.abs(row - 20),
        (10.0, 10.0),
        empty_scene.collection,
    )
    with pytest.raises(InputError, match=r"Land has no rivers; press Add Rivers first\."):
        carving.of_rivers(terrain, CutParameters(), DEFAULTS)
    water = rivers.add(terrain, "rivers", RiverParameters(source_area=0.02), as_curves=as_curves)
    before = vertex_heights(terrain.data)
    was = lowest(water)
    assert (
        carving.carve(
            terrain, carving.of_rivers(terrain, CutParameters(incision=2.0), DEFAULTS), DEFAULTS
        )
        == []
    )
    cut = (before - vertex_heights(terrain.data)).reshape(40, 40)
    assert (cut >= 0).all() and cut[20, 38] > 2.0 and not cut[:18].any() and not cut[23:].any()
    assert lowest(water) == pytest.approx(was - cut[20, 39], abs=0.2)
    assert companions.find(terrain, "rivers") == [water] and not original.is_untouched_result(
        terrain.data
    )
    original.restore(terrain.data)
    assert vertex_heights(terrain.data).tobytes() == before.tobytes()


def test_water_of_the_last_run_keeps_its_level_over_carved_beds(terrain):
    rivers.add(terrain, "rivers", BROOKS)
    before = vertex_heights(terrain.data).reshape(LAND.shape)
    lattice = grid.find_lattice(terrain)
    depth = np.where(before < np.median(before), 3.0, 0.0)
    attributes.write_fields(terrain.data, lattice, {"water_depth": depth})
    carving.carve(terrain, carving.of_rivers(terrain, CutParameters(), DEFAULTS), DEFAULTS)
    after = vertex_heights(terrain.data).reshape(LAND.shape)
    deeper = attributes.read_fields(terrain.data, lattice, ["water_depth"])["water_depth"]
    wet = depth > 0
    assert (after < before)[wet].any() and (deeper[~wet] == 0).all()
    np.testing.assert_allclose((after + deeper)[wet], (before + depth)[wet], atol=1e-3)


def lowest(water):
    """Lowest height of rivers as a mesh or curves."""
    points = water.data.vertices if water.type == "MESH" else water.data.points
    return min((point.co if water.type == "MESH" else point.position).z for point in points)
