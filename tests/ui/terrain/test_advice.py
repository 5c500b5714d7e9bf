# SPDX-License-Identifier: GPL-3.0-or-later
"""Advice with a button: each button fixes what its sentence names."""

import itertools
import json
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from erosion_addon.scene.companions import companions
from erosion_addon.scene.terrain import checks as advice
from erosion_addon.scene.terrain import grid, obstacle
from erosion_addon.scene.terrain.mesh import (
    make_grid_object,
    vertex_heights,
    write_heights,
    write_positions,
)
from erosion_addon.ui.base import terrain_settings, views
from erosion_addon.ui.masks import mask_watch
from erosion_addon.ui.recipe.steps import recipe_of
from erosion_addon.ui.run import main_panel
from erosion_addon.ui.terrain import advice as advice_panel
from erosion_addon.ui.terrain.advice import REMEDIES, draw
from tests.terrains import fractal
from tests.ui.conftest import activate
from tests.ui.recipe.test_steps import Drawn


def press(remedy):
    """Press the button below a sentence."""
    operator, _, given = REMEDIES[remedy]
    if operator.startswith("object."):
        operator = "erosion.remedy"
        given = {"remedy": remedy}
    group, name = operator.split(".")
    assert getattr(getattr(bpy.ops, group), name)(**given) == {"FINISHED"}


def remedies(obj, recipe=None):
    bpy.context.view_layer.update()
    sand = terrain_settings.sand_of(obj)
    return [note.remedy for note in advice.notes(obj, recipe, sand) if note.remedy]


@pytest.mark.parametrize("remedy", REMEDIES)
def test_every_button_has_an_operator_with_these_properties(remedy):
    operator, text, given = REMEDIES[remedy]
    group, name = operator.split(".")
    known = getattr(getattr(bpy.ops, group), name).get_rna_type().properties.keys()
    assert text and set(given) <= set(known)


def test_edit_mode_is_left(terrain_object):
    bpy.ops.object.mode_set(mode="EDIT")
    press(obstacle.obstacle(terrain_object).remedy)
    assert obstacle.obstacle(terrain_object) is None


BEGINNINGS = {
    "nothing": lambda: None,
    "plane": bpy.ops.mesh.primitive_plane_add,
    "flat grid": bpy.ops.mesh.primitive_grid_add,
    "cube": bpy.ops.mesh.primitive_cube_add,
    "light": bpy.ops.object.light_add,
    "camera": bpy.ops.object.camera_add,
    "text": bpy.ops.object.text_add,
    "curve": bpy.ops.curve.primitive_bezier_curve_add,
    "empty": bpy.ops.object.empty_add,
    "metaball": bpy.ops.object.metaball_add,
}


@pytest.mark.parametrize("active", BEGINNINGS)
def test_the_first_button_makes_a_terrain_and_lets_it_come_into_view(active):
    BEGINNINGS[active]()
    layout = Drawn()
    main_panel.EROSION_PT_main.draw(SimpleNamespace(layout=layout), bpy.context)
    offered = [given[0] for name, given, _ in layout.seen["calls"] if name == "operator"]
    assert offered[0] == "erosion.terrain_add"
    if active in ("plane", "cube", "text", "curve", "metaball"):
        assert "erosion.grid_from_mesh" in offered[1:]


def test_no_button_changes_how_those_below_it_are_called():
    # In Blender a layout's operator_context is that of the whole panel, and without invoke no view
    # is framed.
    sources = Path(advice_panel.__file__).parents[1].rglob("*.py")
    assert not [path.name for path in sources if "operator_context" in path.read_text("utf-8")]


@pytest.mark.parametrize("form", ["uv_sphere", "monkey"])
def test_a_mesh_that_is_no_grid_becomes_one_or_makes_way_for_a_terrain(form):
    getattr(bpy.ops.mesh, f"primitive_{form}_add")()
    layout = Drawn()
    assert main_panel._draw_facts(layout, bpy.context.object) is None
    offered = [given[0] for name, given, _ in layout.seen["calls"] if name == "operator"]
    assert offered == ["erosion.grid_from_mesh", "erosion.terrain_add"]


@pytest.mark.parametrize("form", ["plane", "cube"])
def test_a_plain_form_makes_way_for_a_terrain(form):
    getattr(bpy.ops.mesh, f"primitive_{form}_add")(size=1000)
    press(obstacle.obstacle(bpy.context.object).remedy)
    assert obstacle.obstacle(bpy.context.object) is None


def test_land_made_wider_is_in_view(terrain_object):
    terrain_object.scale *= 0.01
    terrain_object.erosion.recipe_name = "dune sea"
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    with bpy.context.temp_override(window=window, area=area, region=area.regions[0]):
        bpy.context.view_layer.update()
        views.frame(bpy.context, terrain_object)
        bpy.ops.erosion.terrain_enlarge()
        enlarge = SimpleNamespace(execute=lambda context: {"FINISHED"})
        assert advice_panel.EROSION_OT_terrain_enlarge.invoke(enlarge, bpy.context, None) == {
            "FINISHED"
        }
        assert area.spaces.active.region_3d.view_distance > 2000.0
        assert area.spaces.active.clip_end > 8000.0  # four diagonals


def test_a_shared_mesh_becomes_its_own(terrain_object):
    twin = terrain_object.copy()
    bpy.context.collection.objects.link(twin)
    press(obstacle.obstacle(terrain_object).remedy)
    assert obstacle.obstacle(terrain_object) is None and twin.data is not terrain_object.data


def test_shape_keys_are_applied_as_they_show(terrain_object):
    terrain_object.shape_key_add(name="Basis")
    key = terrain_object.shape_key_add(name="Raised")
    key.data[0].co.z += 2.0
    key.value = 0.5
    height = terrain_object.data.vertices[0].co.z
    press(obstacle.obstacle(terrain_object).remedy)
    assert obstacle.obstacle(terrain_object) is None
    assert terrain_object.data.vertices[0].co.z == pytest.approx(height + 1.0)


def test_the_scale_is_applied_and_the_terrain_stays_as_large(terrain_object):
    terrain_object.scale.z = 3.0
    assert remedies(terrain_object) == ["apply_scale"]
    before = grid.describe(terrain_object).relief
    press("apply_scale")
    assert remedies(terrain_object) == []
    assert grid.describe(terrain_object).relief == pytest.approx(before)


def test_a_unit_scale_other_than_1_is_told_and_set_to_1(terrain_object):
    settings = bpy.context.scene.unit_settings
    # shows other numbers, but a unit of Blender is a meter all the same
    settings.system = "IMPERIAL"
    assert advice.notes(terrain_object) == []
    settings.scale_length = 0.01
    [note] = advice.notes(terrain_object)
    assert "0.01 m is 1 m to erosion" in note.sentence
    press(note.remedy)
    assert settings.scale_length == 1.0 and advice.notes(terrain_object) == []


def test_land_of_a_few_meters_is_made_wide_for_recipes_in_meters(terrain_object):
    terrain_object.scale *= 0.01
    settings = terrain_object.erosion
    settings.recipe_name = "dune sea"
    assert remedies(terrain_object, recipe_of(settings, [])) == ["enlarge", "sand_add"]
    settings.recipe_name = "soft downs"  # its rain falls in hours
    assert "enlarge" in remedies(terrain_object, recipe_of(settings, []))
    settings.recipe_name = "alpine"  # its lengths shrink with the land
    assert remedies(terrain_object, recipe_of(settings, [])) == []
    settings.recipe_name = "arcane"  # drops count in cells, whatever their size
    assert remedies(terrain_object, recipe_of(settings, [])) == []
    steepness = grid.describe(terrain_object).relief / grid.describe(terrain_object).spacing[0]
    press("enlarge")
    bpy.context.view_layer.update()
    found = grid.describe(terrain_object)
    longer = max((found.rows - 1) * found.spacing[0], (found.cols - 1) * found.spacing[1])
    assert longer == pytest.approx(2000.0, rel=1e-4)
    assert found.relief / found.spacing[0] == pytest.approx(steepness, rel=1e-4)


def test_the_time_step_of_water_is_shortened_to_fit_the_cells(terrain_object):
    settings = terrain_object.erosion
    settings.recipe_name = "river valley"
    spacing = grid.describe(terrain_object).spacing
    for item in settings.steps:
        if item.kind == "water":
            item.water.time_step = 60.0
            item.water.pipe_depth = 1000.0
    assert "shorten_time_step" in remedies(terrain_object, recipe_of(settings, []))
    press("shorten_time_step")
    after = recipe_of(settings, [])
    assert "shorten_time_step" not in remedies(terrain_object, after)
    steps = [step.parameters.sub_steps(spacing) for step in after.steps if step.kind == "water"]
    assert all(50 <= count <= advice.FINE_ENOUGH for count in steps)


def test_heights_of_8_bits_are_recognized_and_others_are_not(empty_scene):
    obj = make_grid_object(
        "Hills", fractal(96, 96, relief=200.0), (10.0, 10.0), bpy.context.scene.collection
    )
    assert "smooth_steps" not in remedies(obj)
    heights = vertex_heights(obj.data)
    step = np.ptp(heights) / 255
    write_heights(obj.data, (np.round(heights / step) * step).astype(np.float32))
    grid.forget()
    assert "smooth_steps" in remedies(obj)


def test_the_steps_of_a_pyramid_are_meant_and_no_fault(empty_scene):
    bpy.ops.erosion.terrain_add(kind="pyramid", resolution=128)
    assert "smooth_steps" not in remedies(bpy.context.object)


def test_run_is_grayed_where_the_mesh_is_no_grid_and_comes_back(terrain_object):
    vertices = terrain_object.data.vertices
    height = vertices[100].co.z
    vertices[100].co.z = np.nan
    terrain_object.data.update()
    with pytest.raises(RuntimeError, match="not a number"):
        bpy.ops.erosion.run()
    vertices[100].co.z = height
    terrain_object.data.update()
    terrain_object.erosion.steps[0].droplet.drops_per_cell = 0.1
    assert bpy.ops.erosion.run() == {"FINISHED"}


def test_run_is_grayed_by_a_mask_only_while_it_is_known_to_be_wrong(terrain_object):
    mask = terrain_object.erosion.strength
    mask.source = "IMAGE"
    assert bpy.ops.erosion.run.poll()  # nobody has looked at the mask yet
    mask_watch.problem(terrain_object, "strength")
    mask_watch.refresh()
    assert not bpy.ops.erosion.run.poll()
    mask.source = "NONE"
    assert bpy.ops.erosion.run.poll()


def test_a_scale_of_0_is_reset(terrain_object):
    terrain_object.scale.z = 0.0
    bpy.context.view_layer.update()
    assert not bpy.ops.erosion.run.poll()
    press("clear_scale")
    bpy.context.view_layer.update()
    assert bpy.ops.erosion.run.poll() and remedies(terrain_object) == []


def sand_of(obj):
    recipe = recipe_of(obj.erosion, [])
    return "sand_add" in remedies(obj, recipe)


@pytest.mark.thorough
def test_sand_that_the_recipe_needs_is_added_by_its_button_and_becomes_dunes(terrain_object):
    settings = terrain_object.erosion
    settings.recipe_name = "dune sea"
    before = vertex_heights(terrain_object.data).copy()
    assert sand_of(terrain_object)
    press("sand_add")
    assert not sand_of(terrain_object)
    assert (vertex_heights(terrain_object.data) == before).all()
    assert {round(point.value) for point in terrain_object.data.attributes["sediment"].data} == {30}
    assert bpy.ops.erosion.run() == {"FINISHED"}
    assert np.percentile(np.abs(vertex_heights(terrain_object.data) - before), 90) > 1.0


@pytest.mark.thorough
def test_sand_added_after_a_run_without_any_is_there_for_the_next_one(terrain_object):
    settings = terrain_object.erosion
    settings.recipe_name = "dune sea"
    settings.steps[0].wind.particles_per_cell = 0.05
    before = vertex_heights(terrain_object.data).copy()
    assert bpy.ops.erosion.run() == {"FINISHED"}  # leaves a sediment of its own, which is 0
    assert json.loads(settings.report)["notes"][0].startswith("The ground did not change.")
    assert (vertex_heights(terrain_object.data) == before).all() and sand_of(terrain_object)
    press("sand_add")
    assert not sand_of(terrain_object)
    assert bpy.ops.erosion.run() == {"FINISHED"}
    assert np.abs(vertex_heights(terrain_object.data) - before).max() > 0.5
    bpy.ops.erosion.restore()
    assert (vertex_heights(terrain_object.data) == before).all() and not sand_of(terrain_object)


def test_a_mask_of_sand_and_recipes_that_need_none_leave_nothing_to_say(terrain_object):
    settings = terrain_object.erosion
    assert not sand_of(terrain_object)
    settings.recipe_name = "oasis"
    assert sand_of(terrain_object)
    settings.sediment.source = "VERTEX_GROUP"
    assert not sand_of(terrain_object)


def level_of(terrain):
    """A companion of the terrain, active and the only one selected."""
    level = companions.add(terrain, "lod", "Terrain_LOD1", bpy.data.meshes.new("Terrain_LOD1"))
    terrain.select_set(False)
    activate(level)
    return level


def test_buttons_act_on_the_terrain_that_the_panel_speaks_of_and_not_on_what_is_selected(
    terrain_object,
):
    level = level_of(terrain_object)
    terrain_object.scale.z = 3.0
    bpy.context.view_layer.update()
    height = grid.describe(terrain_object).relief
    place = grid.positions(terrain_object.data)
    place[:, 2] += 400_000.0
    write_positions(terrain_object.data, place)
    grid.forget()
    assert set(remedies(terrain_object)) == {"apply_scale", "move_origin"}
    press("apply_scale")
    bpy.context.view_layer.objects.active = level
    press("move_origin")
    bpy.context.view_layer.update()
    assert bpy.context.object == terrain_object and bpy.context.selected_objects == [terrain_object]
    assert tuple(terrain_object.scale) == (1, 1, 1) and tuple(level.scale) == (1, 1, 1)
    assert terrain_object.location.z == pytest.approx(1_200_000.0, rel=1e-3)
    assert (
        level.matrix_parent_inverse @ level.matrix_basis
    ) == Matrix() and level.parent == terrain_object
    assert (
        grid.describe(terrain_object).relief == pytest.approx(height, rel=1e-2)
        and remedies(terrain_object) == []
    )


def test_a_button_leaves_the_edit_mode_of_what_is_selected_first(terrain_object):
    level_of(terrain_object)
    bpy.ops.object.mode_set(mode="EDIT")
    terrain_object.scale.z = 3.0
    bpy.context.view_layer.update()
    press("apply_scale")
    assert bpy.context.mode == "OBJECT" and tuple(terrain_object.scale) == (1, 1, 1)


def test_no_button_calls_an_operator_that_acts_on_what_is_selected():
    for remedy in REMEDIES:
        layout = Drawn()
        draw(layout, obstacle.Advice("A sentence.", remedy), "INFO")
        [called] = [given[0] for name, given, _ in layout.seen["calls"] if name == "operator"]
        assert not called.startswith("object.")


def flat_grid():
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=31, y_subdivisions=31, size=2000.0)
    bpy.context.object.erosion.recipe_name = "alpine"
    return bpy.context.object


def meant_notes(obj):
    bpy.context.view_layer.update()
    grid.forget()
    return advice.notes(obj, recipe_of(obj.erosion, []))


def test_a_grid_with_a_displace_modifier_says_what_is_eroded_and_its_button_makes_it_what_is_seen(
    terrain_object,
):
    obj = flat_grid()
    displace = obj.modifiers.new("Hills", "DISPLACE")
    displace.texture = bpy.data.textures.new("Clouds", "CLOUDS")
    displace.strength = 300.0
    [note] = meant_notes(obj)
    assert "is eroded, and it is flat; Hills acts on top of it." in note.sentence
    press(note.remedy)
    bpy.context.view_layer.update()
    assert not obj.modifiers and grid.describe(obj).relief > 10.0 and meant_notes(obj) == []


def test_a_flat_grid_says_that_nothing_runs_down_it_but_not_where_the_wind_blows(terrain_object):
    obj = flat_grid()
    [note] = meant_notes(obj)
    assert "is flat, so nothing runs down it" in note.sentence and note.remedy == "add_terrain"
    obj.erosion.recipe_name = "dune sea"
    assert [note.remedy for note in meant_notes(obj)] == ["sand_add"]


def test_geometry_nodes_that_make_the_terrain_are_applied(terrain_object):
    obj = flat_grid()
    tree = bpy.data.node_groups.new("Ridge", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    begin = tree.nodes.new("NodeGroupInput")
    end = tree.nodes.new("NodeGroupOutput")
    move = tree.nodes.new("GeometryNodeSetPosition")
    noise = tree.nodes.new("ShaderNodeTexNoise")
    up = tree.nodes.new("ShaderNodeCombineXYZ")
    for one, other in (
        (begin.outputs[0], move.inputs[0]),
        (noise.outputs[0], up.inputs["Z"]),
        (up.outputs[0], move.inputs["Offset"]),
        (move.outputs[0], end.inputs[0]),
    ):
        tree.links.new(one, other)
    obj.modifiers.new("Ridge", "NODES").node_group = tree
    [note] = meant_notes(obj)
    assert "Ridge acts on top" in note.sentence
    press(note.remedy)
    bpy.context.view_layer.update()
    grid.forget()
    assert not obj.modifiers and grid.describe(obj).relief > 0.01


@pytest.mark.parametrize(
    "kind",
    [
        "UV_PROJECT",
        "UV_WARP",
        "WEIGHTED_NORMAL",
        "VERTEX_WEIGHT_EDIT",
        "EDGE_SPLIT",
        "TRIANGULATE",
        "NODES",
    ],
)
def test_modifiers_that_leave_the_shape_alone_need_no_note(terrain_object, kind):
    terrain_object.modifiers.new("Harmless", kind)
    hidden = terrain_object.modifiers.new("Hidden", "SUBSURF")
    hidden.show_viewport = False
    assert meant_notes(terrain_object) == []


def node_group(*kinds, inner=None):
    """A node group that hands its geometry through nodes of these kinds. inner: what a group among
    them holds.
    """
    group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    nodes = [group.nodes.new(kind) for kind in ("NodeGroupInput", *kinds, "NodeGroupOutput")]
    for node in nodes:
        if node.bl_idname == "GeometryNodeGroup":
            node.node_tree = inner
    for one, following in itertools.pairwise(nodes):
        ends = [
            next(s for s in side if s.type == "GEOMETRY")
            for side in (one.outputs, following.inputs)
        ]
        group.links.new(*ends)
    return group


def test_shade_auto_smooth_needs_no_note(terrain_object):
    activate(terrain_object)
    if bpy.ops.object.shade_auto_smooth() != {"FINISHED"}:
        # Blender 4.5 lists its assets in its main loop, which does not turn in a module.
        assets = Path(bpy.utils.system_resource("DATAFILES", path="assets"))
        path = assets / "geometry_nodes" / "smooth_by_angle.blend"
        with bpy.data.libraries.load(str(path)) as (_, loaded):
            loaded.node_groups = ["Smooth by Angle"]
        modifier = terrain_object.modifiers.new("Smooth by Angle", "NODES")
        modifier.node_group = loaded.node_groups[0]
    assert [modifier.type for modifier in terrain_object.modifiers] == ["NODES"]
    assert meant_notes(terrain_object) == []


@pytest.mark.parametrize(
    ("kinds", "moves"),
    [
        (["GeometryNodeSetShadeSmooth", "GeometryNodeSetMaterial"], False),
        (["GeometryNodeStoreNamedAttribute"], False),
        (["GeometryNodeSetShadeSmooth", "GeometryNodeSetPosition"], True),
        (["GeometryNodeTransform"], True),
        (["GeometryNodeSubdivideMesh"], True),
    ],
)
def test_geometry_nodes_get_a_note_only_if_they_may_move_vertices(terrain_object, kinds, moves):
    inner = node_group(*kinds)
    outer = node_group("GeometryNodeGroup", inner=inner)
    for group in (inner, outer):
        modifier = terrain_object.modifiers.new("Nodes", "NODES")
        modifier.node_group = group
        assert bool(obstacle.shapers(terrain_object)) == moves
        terrain_object.modifiers.remove(modifier)


def test_nodes_that_store_positions_move_vertices_and_muted_ones_do_not(terrain_object):
    modifier = terrain_object.modifiers.new("Nodes", "NODES")
    modifier.node_group = node_group("GeometryNodeStoreNamedAttribute")
    node = modifier.node_group.nodes["Store Named Attribute"]
    node.inputs["Name"].default_value = "position"
    assert obstacle.shapers(terrain_object) == "Nodes"
    node.mute = True
    assert obstacle.shapers(terrain_object) == ""


@pytest.mark.parametrize(
    ("angles", "tilt"),
    [((0, 0, 50), 0), ((180, 0, 0), 0), ((0.5, 0, 20), 0), ((30, 0, 0), 30), ((0, 150, 40), 30)],
)
def test_a_tilted_terrain_is_told_of_and_made_level(terrain_object, angles, tilt):
    """Water runs along the object's own Z axis; turned about it, or on its head, it is as level as
    before.
    """
    terrain_object.rotation_euler = np.radians(angles)
    bpy.context.view_layer.update()
    said = [note for note in advice.notes(terrain_object) if "tilted" in note.sentence]
    assert [f"tilted by {tilt}°" in note.sentence for note in said] == ([True] if tilt else [])
    if tilt:
        press(said[0].remedy)
        bpy.context.view_layer.update()
        assert "tilted" not in " ".join(note.sentence for note in advice.notes(terrain_object))


def test_a_terrain_that_was_sculpted_sideways_is_straightened_and_eroded(terrain_object):
    before = grid.positions(terrain_object.data)
    place = before.copy()
    place[1000:1100, :2] += 4.0
    place[1000:1100, 2] += 20.0
    write_positions(terrain_object.data, place)
    grid.forget()
    layout = Drawn()
    assert main_panel._draw_facts(layout, terrain_object) is None
    offered = [given[0] for name, given, _ in layout.seen["calls"] if name == "operator"]
    assert offered == ["erosion.grid_straighten", "erosion.grid_from_mesh"]
    texts = " ".join(
        named.get("text", "") for name, _, named in layout.seen["calls"] if name == "label"
    )
    assert (
        "Sculpting moved vertices of Terrain sideways; Straighten Grid in the tab Erosion puts "
        "them back" in texts
    )
    assert not bpy.ops.erosion.run.poll()
    press("grid_straighten")
    after = grid.positions(terrain_object.data)
    assert np.abs(after[:, :2] - before[:, :2]).max() < 0.1  # of cells of 10 m
    assert after[1005:1095, 2].mean() > before[1005:1095, 2].mean() + 5.0
    assert after[:900].tobytes() == before[:900].tobytes()
    assert bpy.ops.erosion.run() == {"FINISHED"}


TURNS = {"Y up": ("X", 90), "Y down": ("X", -90), "X up": ("Y", -90), "X down": ("Y", 90)}


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("is_parent", [False, True], ids=["object", "parent"])
@pytest.mark.parametrize("scale", [1.0, (1.0, -2.0, 3.0)], ids=["plain", "mirrored"])
def test_a_grid_that_stands_up_along_another_axis_is_named_and_turned_by_its_button(
    terrain_object, turn, is_parent, scale
):
    """As an OBJ with Y up comes in: turned within the mesh, and back by the object or its
    parent.
    """
    axis, angle = TURNS[turn]
    back = Matrix.Rotation(np.radians(angle), 4, axis)
    sizes = Matrix.Diagonal((*np.broadcast_to(scale, 3), 1))
    terrain_object.data.transform((back @ sizes).inverted())
    if sizes.is_negative:
        terrain_object.data.flip_normals()
    turned = terrain_object
    if is_parent:
        turned = bpy.data.objects.new("Root", None)
        bpy.context.scene.collection.objects.link(turned)
        terrain_object.parent = turned
    turned.matrix_world = back @ sizes
    child = bpy.data.objects.new("House", None)
    bpy.context.scene.collection.objects.link(child)
    child.parent = terrain_object
    child.location = (3, 4, 5)
    bpy.context.view_layer.update()
    place = child.matrix_world.copy()
    points = in_world(terrain_object)
    grid.forget()
    layout = Drawn()
    assert main_panel._draw_facts(layout, terrain_object) is None
    labels = " ".join(given["text"] for name, _, given in layout.seen["calls"] if name == "label")
    assert f"along its local {turn[0]} axis" in labels
    press("apply_rotation")
    bpy.context.view_layer.update()
    assert grid.describe(terrain_object).relief == pytest.approx(200.0, rel=1e-4)
    assert np.abs(in_world(terrain_object) - points).max() < 1e-3
    assert np.abs(np.array(child.matrix_world) - np.array(place)).max() < 1e-3
    assert terrain_object.data.polygons[0].normal.z > 0


def in_world(obj):
    matrix = np.array(obj.matrix_world)
    return grid.positions(obj.data) @ matrix[:3, :3].T + matrix[:3, 3]


@pytest.mark.parametrize("scale", [(1, 1, -1), (-1, 1, 1), (-1, -1, -1)])
def test_mirrored_grids_are_eroded_as_they_stand_in_the_world(terrain_object, scale):
    terrain_object.scale = scale
    bpy.context.view_layer.update()
    terrain, _ = grid.read_terrain(terrain_object)
    seen = in_world(terrain_object)[:, 2]
    assert terrain.elevation.max() == pytest.approx(
        seen.max()
    ) and terrain.elevation.min() == pytest.approx(seen.min())


def test_straightening_leaves_meshes_that_are_no_grids_as_they_are():
    bpy.ops.mesh.primitive_uv_sphere_add()
    before = grid.positions(bpy.context.object.data)
    with pytest.raises(RuntimeError, match="do not go row by row; use Make Grid instead"):
        bpy.ops.erosion.grid_straighten()
    assert np.array_equal(grid.positions(bpy.context.object.data), before)
