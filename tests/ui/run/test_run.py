# SPDX-License-Identifier: GPL-3.0-or-later
"""`erosion.run` and related operators, called by scripts."""

import json

import bpy
import numpy as np
import pytest

from erosion_addon import Recipe, erode
from erosion_addon.scene.run import commit, job
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.mesh import write_heights
from tests.ui.conftest import activate, z_of


def run(**options):
    return bpy.ops.erosion.run("EXEC_DEFAULT", **options)


def with_undo(operator):
    """Call an operator with its own undo step, as a click does."""
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="before")
        operator("EXEC_DEFAULT", True)


def undo():
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo()


def test_a_run_changes_heights_and_leaves_the_maps(terrain_object):
    before = z_of(terrain_object)
    assert run() == {"FINISHED"}
    mesh = terrain_object.data
    assert not np.array_equal(z_of(terrain_object), before)
    for name in ("wear", "deposition", "flow", "moisture", "sediment"):
        attribute = mesh.attributes[name]
        assert (attribute.domain, attribute.data_type) == ("POINT", "FLOAT")
    for name in ("moisture_color", "sediment_color"):
        assert name in mesh.color_attributes


def test_the_mesh_gets_what_the_model_computes(terrain_object):
    terrain, lattice = grid.read_terrain(terrain_object)
    terrain_object.erosion.seed = 7
    run()
    expected = erode(terrain, Recipe.load("arcane"), seed=7)
    got = lattice.to_grid(z_of(terrain_object))
    np.testing.assert_array_equal(got, expected.elevation.astype(np.float32))
    assert json.loads(terrain_object.erosion.report)["sha256"] == expected.report["sha256"]


def test_everything_but_the_heights_stays(terrain_object):
    mesh = terrain_object.data
    mesh.materials.append(bpy.data.materials.new("Mine"))
    mesh.attributes.new("mine", "FLOAT", "POINT").data.foreach_set(
        "value", np.arange(len(mesh.vertices), dtype="f")
    )
    uv_before = np.empty(2 * len(mesh.loops), np.float32)
    mesh.uv_layers[0].uv.foreach_get("vector", uv_before)
    xy_before = grid.positions(mesh)[:, :2].copy()
    run()
    uv_after = np.empty_like(uv_before)
    mesh.uv_layers[0].uv.foreach_get("vector", uv_after)
    mine = np.empty(len(mesh.vertices), np.float32)
    mesh.attributes["mine"].data.foreach_get("value", mine)
    assert uv_after.tobytes() == uv_before.tobytes()
    assert grid.positions(mesh)[:, :2].tobytes() == xy_before.tobytes()
    np.testing.assert_array_equal(mine, np.arange(len(mesh.vertices)))
    assert [material.name for material in mesh.materials] == ["Mine"]


def test_one_undo_brings_the_exact_terrain_back(terrain_object):
    before = z_of(terrain_object).tobytes()
    name = terrain_object.name
    with_undo(bpy.ops.erosion.run)
    assert z_of(bpy.data.objects[name]).tobytes() != before
    undo()
    assert z_of(bpy.data.objects[name]).tobytes() == before
    assert "wear" not in bpy.data.objects[name].data.attributes


def test_running_again_starts_from_the_terrain_before_erosion(terrain_object):
    run()
    first = z_of(terrain_object).tobytes()
    run()
    assert z_of(terrain_object).tobytes() == first


def test_add_to_last_run_erodes_what_is_there(terrain_object):
    before = z_of(terrain_object).tobytes()
    run()
    first = z_of(terrain_object).tobytes()
    terrain_object.erosion.continue_from_result = True
    run()
    assert z_of(terrain_object).tobytes() != first
    bpy.ops.erosion.restore()
    assert z_of(terrain_object).tobytes() == before


def sums_of(obj):
    mesh = obj.data
    found = {}
    for name in ("wear", "deposition", "sediment"):
        found[name] = np.empty(len(mesh.vertices), np.float32)
        mesh.attributes[name].data.foreach_get("value", found[name])
    return found


def test_wear_and_deposition_of_runs_that_add_up_count_from_the_first_one_on(terrain_object):
    settings = terrain_object.erosion
    before = z_of(terrain_object).astype(float)
    settings.adds_up = True  # which is for runs that continue the last one
    run()
    first = sums_of(terrain_object)
    settings.continue_from_result = True
    settings.seed = 5
    run()
    added = sums_of(terrain_object)
    after = z_of(terrain_object)
    # There was nothing loose before the first run: what lies there now was laid down, and the rest
    # of the change is rock worn away.
    loose = added["sediment"].astype(float)
    np.testing.assert_allclose(added["deposition"], np.maximum(loose, 0), rtol=0, atol=1e-3)
    np.testing.assert_allclose(
        added["wear"], np.maximum(before - (after - loose), 0), rtol=0, atol=1e-3
    )
    assert added["wear"].sum() > 1.2 * first["wear"].sum()
    settings.adds_up = False
    run()
    assert sums_of(terrain_object)["wear"].sum() < first["wear"].sum()


def test_an_edited_result_is_the_next_terrain(terrain_object):
    before = z_of(terrain_object)
    run()
    edited = z_of(terrain_object)
    edited[100] += 5
    write_heights(terrain_object.data, edited)
    run()
    for terrain in (edited, before):
        bpy.ops.erosion.restore()
        assert z_of(terrain_object).tobytes() == terrain.tobytes()


def test_restore_survives_saving_and_reopening(terrain_object, tmp_path):
    before = z_of(terrain_object).tobytes()
    run()
    path = str(tmp_path / "größe 1.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    obj = bpy.data.objects["Terrain"]
    activate(obj)
    assert bpy.ops.erosion.restore() == {"FINISHED"}
    assert z_of(obj).tobytes() == before
    assert not {"wear", "flow", "erosion_source"} & set(obj.data.attributes.keys())


def test_the_order_of_the_vertices_does_not_matter(terrain_object):
    run()
    expected = grid.find_lattice(terrain_object).to_grid(z_of(terrain_object))
    bpy.ops.erosion.restore()
    places = grid.positions(terrain_object.data)
    order = np.random.default_rng(5).permutation(len(places))
    mesh = bpy.data.meshes.new("Shuffled")
    mesh.vertices.add(len(places))
    mesh.attributes["position"].data.foreach_set("vector", places[order].ravel())
    obj = bpy.data.objects.new("Shuffled", mesh)
    bpy.context.scene.collection.objects.link(obj)
    activate(obj)
    obj.erosion.recipe_name = "arcane"
    run()
    np.testing.assert_array_equal(grid.find_lattice(obj).to_grid(z_of(obj)), expected)


@pytest.mark.parametrize("kind", ["strength", "rain"])
def test_a_vertex_group_masks_the_run(terrain_object, kind):
    lattice = grid.find_lattice(terrain_object)
    left = lattice.to_vertices(np.tile(np.arange(64) < 20, (48, 1)))
    group = terrain_object.vertex_groups.new(name="Left")
    group.add([int(i) for i in np.flatnonzero(left)], 1.0, "REPLACE")
    mask = getattr(terrain_object.erosion, kind)
    mask.source = "VERTEX_GROUP"
    mask.layer = "Left"
    terrain_object.erosion.steps[0].droplet.maximum_path = 0.05  # 3 cells: no drop gets far
    before = z_of(terrain_object)
    run()
    changed = z_of(terrain_object) != before
    assert changed[left].any()
    # The brush reaches two cells beyond the masked ones' own path of three.
    far = lattice.to_vertices(np.tile(np.arange(64) >= (20 if kind == "strength" else 26), (48, 1)))
    assert not changed[far].any()


def test_a_missing_mask_is_named(terrain_object):
    terrain_object.erosion.hardness.source = "ATTRIBUTE"
    terrain_object.erosion.hardness.layer = "granite"
    with pytest.raises(RuntimeError, match="granite"):
        run()


def test_empties_of_a_collection_are_springs(terrain_object):
    springs = bpy.data.collections.new("Springs")
    spring = bpy.data.objects.new("Spring", None)
    spring.location = (100.0, 50.0, 500.0)
    springs.objects.link(spring)
    settings = terrain_object.erosion
    settings.springs = springs
    settings.steps[0].droplet.spring_share = 1.0
    settings.steps[0].droplet.maximum_path = 0.02  # 1 cell: all water stays at the spring
    run()
    flow = np.empty(len(terrain_object.data.vertices), np.float32)
    terrain_object.data.attributes["flow"].data.foreach_get("value", flow)
    place = grid.positions(terrain_object.data)[int(flow.argmax()), :2]
    assert np.abs(place - (100.0, 50.0)).max() <= 5.0  # the nearest cell's center
    assert flow.max() == flow.sum()


def test_an_unknown_recipe_is_refused(terrain_object):
    terrain_object.erosion.recipe_name = "nowhere"
    with pytest.raises(RuntimeError, match="nowhere"):
        run()


def test_parameters_are_those_of_the_panel(terrain_object):
    terrain_object.erosion.steps[0].droplet.drops_per_cell = 0.25
    run()
    assert json.loads(terrain_object.erosion.report)["steps"][0]["drops"] == 48 * 64 // 4


def test_a_second_run_is_refused_while_one_is_under_way(terrain_object):
    job.start(terrain_object, Recipe.load("arcane"), {})
    with pytest.raises(RuntimeError, match="poll"):
        run()


REFUSED = {
    "nothing is selected": lambda obj: setattr(bpy.context.view_layer.objects, "active", None),
    "shape keys": lambda obj: obj.shape_key_add(name="Basis"),
    "a shared mesh": lambda obj: bpy.data.objects.new("Twin", obj.data),
    "a Multiresolution modifier": lambda obj: obj.modifiers.new("Multires", "MULTIRES"),
    "Edit Mode": lambda obj: bpy.ops.object.mode_set(mode="EDIT"),
}


def test_a_script_may_write_a_result_once_there_is_memory_for_it(terrain_object, monkeypatch):
    before = z_of(terrain_object)
    for name in ("commit", "rescue"):
        monkeypatch.setattr(commit, name, lambda *_: (_ for _ in ()).throw(MemoryError))
    with pytest.raises(RuntimeError, match="not enough memory"):
        run()
    assert np.array_equal(z_of(terrain_object), before)
    with pytest.raises(RuntimeError, match="is being eroded"):
        run()
    monkeypatch.undo()
    assert bpy.ops.erosion.write_result() == {"FINISHED"}
    assert session.run.task is None and "wear" in terrain_object.data.attributes


def test_the_redo_panels_show_no_options_of_scripts():
    for operator in (
        bpy.ops.erosion.run,
        bpy.ops.erosion.run_region,
        bpy.ops.erosion.variant_choose,
    ):
        properties = operator.get_rna_type().properties
        assert [
            one.identifier
            for one in properties
            if not one.is_hidden and one.identifier != "rna_type"
        ] == []


@pytest.mark.parametrize("case", REFUSED)
def test_run_is_grayed_out_for(terrain_object, case):
    REFUSED[case](terrain_object)
    assert not bpy.ops.erosion.run.poll()


def test_holes_are_refused_in_a_sentence(terrain_object):
    import bmesh

    mesh = bmesh.new()
    mesh.from_mesh(terrain_object.data)
    mesh.verts.ensure_lookup_table()
    mesh.verts.remove(mesh.verts[700])
    mesh.to_mesh(terrain_object.data)
    mesh.free()
    before = z_of(terrain_object).tobytes()
    with pytest.raises(RuntimeError, match="Terrain"):
        run()
    assert z_of(terrain_object).tobytes() == before


def test_another_recipe_leaves_no_maps_of_the_last_one(terrain_object):
    terrain_object.erosion.recipe_name = "flood plain"
    run()
    assert "water_depth" in terrain_object.data.attributes
    terrain_object.erosion.recipe_name = "arcane"
    run()
    mesh = terrain_object.data
    assert "water_depth" not in mesh.attributes and "flow" in mesh.attributes
    assert set(mesh["erosion_attributes"]) <= set(mesh.attributes.keys())
