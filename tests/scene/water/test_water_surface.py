# SPDX-License-Identifier: GPL-3.0-or-later
"""Water surface: position, shore, and the rendered picture."""

import math

import bpy
import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.scene.companions import companions, material_inputs
from erosion_addon.scene.derived import update_derived
from erosion_addon.scene.masks.settings import DEFAULTS
from erosion_addon.scene.materials import water_material
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.scene.water import water_surface
from tests import blender_child
from tests.scene.from_above import look_down
from tests.terrains import bowl

EEVEE = "BLENDER_EEVEE" if bpy.app.version >= (5, 0, 0) else "BLENDER_EEVEE_NEXT"


@pytest.fixture
def make_lake(empty_scene):
    """Makes a bowl of 2 m cells with a level lake in it; more fields by name. Returns (object,
    ground, depth).
    """

    def make(level=2.0, **fields):
        ground = bowl(17, 21, depth=5.0)
        depth = np.maximum(level - ground, 0).astype(np.float32)
        obj = make_grid_object("Basin", ground, (2.0, 2.0), empty_scene.collection)
        bpy.context.view_layer.update()
        attributes.write_fields(obj.data, grid.find_lattice(obj), {"water_depth": depth, **fields})
        return obj, ground, depth

    return make


def points(obj):
    return np.array([vertex.co for vertex in obj.data.vertices])


def layer(obj, name):
    values = np.empty(len(obj.data.vertices), np.float32)
    obj.data.attributes[name].data.foreach_get("value", values)
    return values


def test_a_lake_is_level_and_goes_one_cell_beyond_its_shore(make_lake):
    obj, _, depth = make_lake()
    surface = water_surface.add(obj)
    assert not surface.data.validate()
    depths = layer(surface, "water_depth")
    assert np.count_nonzero(depths > 0) == np.count_nonzero(depth > 0.02)  # a hundredth of a cell
    np.testing.assert_allclose(points(surface)[depths > 0, 2], 2.0, atol=1e-6)
    assert np.count_nonzero(depths < 0) and (points(surface)[:, 2] <= 2.0 + 1e-6).all()


def test_the_surface_meets_the_ground_where_its_depth_is_0(make_lake):
    obj, ground, _ = make_lake()
    surface = water_surface.add(obj)
    place = points(surface)
    row = np.rint(place[:, 1] / 2 + 8).astype(int)
    col = np.rint(place[:, 0] / 2 + 10).astype(int)
    np.testing.assert_allclose(
        place[:, 2] - ground[row, col], layer(surface, "water_depth"), atol=1e-5
    )


def test_foam_is_where_water_is_fast_and_shallow():
    # Froude numbers 4 m/s / √(9.81 · 0.1 m) = 4.0, and / √(9.81 · 10 m) = 0.4; still water never
    # foams.
    foam = water_surface.foam_of(np.array([4.0, 4.0, 0.3]), np.array([0.1, 10.0, 0.001]))
    np.testing.assert_array_equal(foam, [1.0, 0.0, 0.0])


def test_speed_and_flow_come_along(make_lake):
    velocity = np.zeros((17, 21, 2), np.float32)
    velocity[..., 0] = 3.0
    velocity[..., 1] = -4.0
    obj, *_ = make_lake(velocity=velocity, flow=np.full((17, 21), 7.0, np.float32))
    surface = water_surface.add(obj)
    assert (layer(surface, "speed") == 5.0).all() and (layer(surface, "flow") == 7.0).all()
    assert layer(surface, "foam").shape == (len(surface.data.vertices),)


def test_a_higher_threshold_leaves_shallows_out(make_lake):
    obj, *_ = make_lake()
    wide = len(water_surface.add(obj).data.vertices)
    assert len(water_surface.add(obj, threshold=1.0).data.vertices) < wide
    assert len(companions.find(obj, "water")) == 1


def test_a_scaled_and_turned_terrain_has_its_water_on_it(make_lake):
    obj, ground, depth = make_lake()
    obj.scale, obj.rotation_euler = (0.5, 0.5, 4.0), (0, 0, math.radians(30))
    bpy.context.view_layer.update()
    surface = water_surface.add(obj)
    bpy.context.view_layer.update()
    wet = layer(surface, "water_depth") > 0
    top = max(
        (surface.matrix_world @ vertex.co).z for vertex in np.array(surface.data.vertices)[wet]
    )
    assert top == pytest.approx(4 * ground[depth > 0.02].max() + depth[depth > 0.02].min(), abs=0.3)


def test_a_terrain_without_water_is_refused_with_what_to_do(make_hills):
    hills = make_hills()
    with pytest.raises(InputError, match="recipe that has a water step"):
        water_surface.add(hills)
    assert not hills.children


def test_a_film_of_water_is_refused_with_what_to_do(make_lake):
    obj, *_ = make_lake(level=0.01)
    with pytest.raises(InputError, match=r"nowhere deeper than 0\.02 m; lower the threshold"):
        water_surface.add(obj)
    assert not obj.children


def test_an_update_keeps_object_mesh_materials_and_modifiers(make_lake):
    obj, ground, _ = make_lake()
    surface = water_surface.add(obj)
    mesh = surface.data
    users = bpy.data.materials.new("Mine")
    mesh.materials.append(users)
    mesh.polygons.foreach_set("material_index", [1] * len(mesh.polygons))
    surface.modifiers.new("Smooth", "SMOOTH")
    faces = len(mesh.polygons)
    deeper = np.maximum(4.0 - ground, 0).astype(np.float32)
    attributes.write_fields(obj.data, grid.find_lattice(obj), {"water_depth": deeper})
    update_derived.update_companions(obj, DEFAULTS)
    assert (
        companions.find(obj, "water") == [surface]
        and surface.data == mesh
        and len(mesh.polygons) > faces
    )
    assert [slot.material for slot in surface.material_slots] == [
        water_material.water_material(),
        users,
    ]
    assert {face.material_index for face in mesh.polygons} == {1}
    assert surface.modifiers.keys() == ["Smooth"]


def test_water_that_is_gone_leaves_an_empty_surface(make_lake):
    obj, *_ = make_lake()
    surface = water_surface.add(obj)
    assert obj[material_inputs.WATER_SURFACE] == 1.0
    attributes.remove_fields(obj.data)
    update_derived.update_companions(obj, DEFAULTS)
    assert companions.find(obj, "water") == [surface] and not len(surface.data.vertices)
    assert material_inputs.WATER_SURFACE not in obj


def test_the_material_is_one_and_every_input_is_used(empty_scene):
    made = water_material.water_material()
    assert water_material.water_material() == made and made.surface_render_method == "BLENDED"
    group = next(node for node in made.node_tree.nodes if node.type == "GROUP").node_tree
    source = next(node for node in group.nodes if node.type == "GROUP_INPUT")
    assert [socket.name for socket in source.outputs if socket.name and not socket.is_linked] == []
    assert all(link.is_valid for link in group.links)


TILE = 12
DEPTHS = {"ground": 0.0, "shallow": 0.1, "deep": 2.0, "white water": 0.1}


@pytest.fixture(scope="module", params=[EEVEE, "CYCLES"])
def seen(request, tmp_path_factory):
    """Mean (red, green, blue) of pale ground under water of each depth, from above under a white
    sky.
    """
    return render_tiles(request.param, tmp_path_factory.mktemp("render"))


def render_tiles(engine, folder, save_only=False):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    sand = bpy.data.materials.new("Sand")
    if bpy.app.version < (5, 0, 0):
        sand.use_nodes = True
    sand.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (
        0.5,
        0.45,
        0.35,
        1.0,
    )
    for place, (name, depth) in enumerate(DEPTHS.items()):
        tile = make_grid_object(name, np.zeros((5, 5)), (5.0, 5.0), scene.collection)
        tile.location.x = 20.0 * place
        tile.data.materials.append(sand)
        bpy.context.view_layer.update()
        fields = {"water_depth": np.full((5, 5), depth), "velocity": np.zeros((5, 5, 2))}
        if name == "white water":
            fields["velocity"][..., 0] = 8.0
        attributes.write_fields(tile.data, grid.find_lattice(tile), fields)
        if depth:
            water_surface.add(tile)
    look_down(scene, engine, len(DEPTHS), TILE, 8, folder / "tiles.exr")
    if save_only:
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / "tiles.blend"))
        return None
    bpy.ops.render.render(write_still=True)
    return read_tiles(folder / "tiles.exr")


def read_tiles(path):
    image = bpy.data.images.load(str(path))
    pixels = np.empty(4 * TILE * TILE * len(DEPTHS), np.float32)
    image.pixels.foreach_get(pixels)
    strips = np.split(pixels.reshape(TILE, -1, 4)[..., :3], len(DEPTHS), axis=1)
    return dict(zip(DEPTHS, (strip[3:-3, 3:-3].mean(axis=(0, 1)) for strip in strips), strict=True))


def check_colors(colors):
    blueness = {name: color[2] / color.sum() for name, color in colors.items()}
    assert blueness["ground"] < blueness["shallow"] < blueness["deep"]
    assert colors["deep"].mean() < colors["shallow"].mean() < colors["ground"].mean()


@pytest.mark.render
def test_water_is_bluer_than_ground_and_darker_the_deeper_it_is(seen):
    check_colors(seen)
    assert seen["deep"][2] > 1.2 * seen["deep"][0]


@pytest.mark.render
def test_the_ground_shines_through_shallow_water_and_not_through_deep(seen):
    assert seen["shallow"].mean() > 1.5 * seen["deep"].mean()


@pytest.mark.render
def test_white_water_is_brighter_than_still_water_of_its_depth(seen):
    assert seen["white water"].mean() > 1.1 * seen["shallow"].mean()


@pytest.mark.render
def test_a_saved_file_renders_without_the_extension(empty_scene, tmp_path):
    render_tiles("CYCLES", tmp_path, save_only=True)
    program = (
        "import bpy, sys; bpy.ops.wm.open_mainfile(filepath=sys.argv[1]);"
        "bpy.ops.render.render(write_still=True); print('erosion_addon' in sys.modules)"
    )
    done = blender_child.run(program, tmp_path / "tiles.blend", folder=tmp_path)
    assert "False" in done.stdout, done.stderr
    check_colors(read_tiles(tmp_path / "tiles.exr"))
