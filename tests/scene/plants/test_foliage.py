# SPDX-License-Identifier: GPL-3.0-or-later
"""Foliage: where plants grow, their shells, and the rendered picture."""

import bpy
import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.scene.companions import companions
from erosion_addon.scene.derived import update_derived
from erosion_addon.scene.masks.settings import DEFAULTS
from erosion_addon.scene.materials import foliage_nodes
from erosion_addon.scene.materials.node_trees import nodes
from erosion_addon.scene.plants import foliage
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object, write_heights
from tests import blender_child
from tests.scene.from_above import look_down

EEVEE = "BLENDER_EEVEE" if bpy.app.version >= (5, 0, 0) else "BLENDER_EEVEE_NEXT"


@pytest.fixture
def make_meadow(empty_scene):
    """Make a level terrain of 2 m cells with the given fields, each a number or an array."""

    def make(rows=6, cols=7, **fields):
        obj = make_grid_object("Meadow", np.zeros((rows, cols)), (2.0, 2.0), empty_scene.collection)
        bpy.context.view_layer.update()
        layers = {
            name: np.zeros((rows, cols), np.float32) + values for name, values in fields.items()
        }
        attributes.write_fields(obj.data, grid.find_lattice(obj), layers)
        return obj

    return make


def shells_of(plants, scene=None):
    """Positions (vertices, 3) of the evaluated shells."""
    bpy.context.view_layer.update()
    mesh = plants.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return np.array([vertex.co for vertex in mesh.vertices]).reshape(-1, 3)


def densities(obj):
    values = np.empty(len(obj.data.vertices), np.float32)
    obj.data.attributes["foliage_density"].data.foreach_get("value", values)
    return values


@pytest.mark.parametrize("moisture", [0.0, 0.2, 0.5, 0.85, 1.0])
def test_density_on_level_ground_is_the_formula(moisture):
    grown = foliage.density(np.full((3, 3), moisture), np.zeros((3, 3)), (2.0, 2.0))
    w = moisture / 0.85
    np.testing.assert_allclose(grown, np.clip(2 * w * (1 - w**4), 0, 1), atol=1e-6)


@pytest.mark.parametrize(("slope", "share"), [(50.0, 1.0), (75.0, 0.0)])
def test_nothing_grows_on_steep_ground(slope, share):
    # n^0.75 is 0.7 at 51.6° and 0.4 at 72.8°.
    rise = np.tan(np.radians(slope)) * 2.0
    grown = foliage.density(
        np.full((5, 5), 0.4), rise * np.arange(5.0) * np.ones((5, 1)), (2.0, 2.0)
    )
    np.testing.assert_allclose(grown, share * 2 * (0.4 / 0.85) * (1 - (0.4 / 0.85) ** 4), atol=1e-6)


def test_nothing_grows_in_water():
    water = np.eye(4, dtype=bool)
    grown = foliage.density(np.full((4, 4), 0.4), np.zeros((4, 4)), (2.0, 2.0), water)
    assert (grown[water] == 0).all() and (grown[~water] > 0.8).all()


def test_shells_stand_on_the_moist_half_alone(make_meadow):
    moisture = np.zeros((6, 7))
    moisture[:, 4:] = 0.5
    obj = make_meadow(moisture=moisture)
    plants = foliage.add(obj, shells=8, height=4.0)
    place = shells_of(plants)
    # the half, and the faces that reach into it
    assert place[:, 0].min() == 0.0 and place[:, 0].max() == 6.0
    tall = 2 * (0.5 / 0.85) * (1 - (0.5 / 0.85) ** 4)
    # A quarter of the shells in the viewport: at half the height, and at the whole.
    np.testing.assert_allclose(
        sorted(set(place[:, 2].round(5))), [0, 2 * min(tall, 1), 4 * min(tall, 1)], atol=1e-4
    )


def test_heights_are_meters_whatever_the_scale(make_meadow):
    obj = make_meadow(moisture=0.57)  # where the density is 1
    obj.scale = (0.1, 0.1, 0.1)
    bpy.context.view_layer.update()
    plants = foliage.add(obj, shells=4, height=3.0)
    assert shells_of(plants)[:, 2].max() * 0.1 == pytest.approx(3.0, rel=1e-3)


@pytest.mark.parametrize("what", ["scale", "rotation", "location"])
def test_shells_stay_where_they_are_when_the_terrains_transform_is_applied(make_meadow, what):
    obj = make_meadow(moisture=0.57)
    obj.location = (50, 6, 7)
    obj.rotation_euler = (0, 0, 1.5708)
    obj.scale = (2, 2, 3)
    bpy.context.view_layer.update()
    plants = foliage.add(obj, shells=4, height=3.0)
    before = world_of(plants)
    for one in bpy.context.view_layer.objects:
        one.select_set(one == obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.transform_apply(
        **{name: name == what for name in ("location", "rotation", "scale")}
    )
    np.testing.assert_allclose(world_of(plants), before, atol=1e-3)
    grid.forget()
    update_derived.update_companions(obj, DEFAULTS)
    np.testing.assert_allclose(world_of(plants), before, atol=1e-3)


def world_of(plants):
    place = shells_of(plants)
    matrix = np.array(plants.matrix_world)
    return place @ matrix[:3, :3].T + matrix[:3, 3]


def test_shells_carry_what_the_material_reads_and_nothing_else(make_meadow):
    obj = make_meadow(moisture=0.5, sediment=1.0, wear=1.0, flow=1.0)
    plants = foliage.add(obj)
    bpy.context.view_layer.update()
    mesh = plants.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    names = {attribute.name for attribute in mesh.attributes if attribute.name[0] not in "."}
    assert names - {"position", "material_index", "sharp_face"} == {
        "foliage_density",
        "foliage_root",
        "foliage_shell",
        "moisture",
    }


def test_the_modifier_has_nothing_to_warn_of(make_meadow):
    plants = foliage.add(make_meadow(moisture=0.5, sediment=1.0))
    bpy.context.view_layer.update()
    assert [warning.message for warning in plants.modifiers["Shells"].node_warnings] == []


def test_adding_twice_is_one_with_the_new_settings(make_meadow):
    obj = make_meadow(moisture=0.57)
    plants = foliage.add(obj, height=2.0)
    assert (
        foliage.add(obj, shells=4, height=6.0) == plants
        and len(companions.find(obj, "foliage")) == 1
    )
    assert shells_of(plants)[:, 2].max() == pytest.approx(6.0, rel=1e-3)
    assert len(plants.modifiers) == 1 and len(bpy.data.node_groups) == 2


def test_a_renamed_modifier_and_the_users_material_stay(make_meadow):
    obj = make_meadow(moisture=0.5)
    plants = foliage.add(obj)
    users = bpy.data.materials.new("Mine")
    plants.modifiers["Shells"].name = "Grass"
    nodes.set_modifier_input(plants.modifiers["Grass"], "Material", users)
    foliage.add(obj, height=3.0)
    update_derived.update_companions(obj, DEFAULTS)
    bpy.context.view_layer.update()
    assert plants.modifiers.keys() == ["Grass"]
    mesh = plants.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    assert users.name in [material.name for material in mesh.materials if material]


def test_it_follows_a_run_and_an_edit(make_meadow):
    obj = make_meadow(moisture=0.5)
    plants = foliage.add(obj)
    assert len(shells_of(plants))
    write_heights(obj.data, np.full(42, 9.0, np.float32))
    assert shells_of(plants)[:, 2].min() > 9.0
    attributes.write_fields(
        obj.data, grid.find_lattice(obj), {"moisture": np.zeros((6, 7), np.float32)}
    )
    update_derived.update_companions(obj, DEFAULTS)
    assert (densities(obj) == 0).all() and not len(shells_of(plants))


def test_density_can_be_painted(make_meadow):
    obj = make_meadow(moisture=0.5)
    plants = foliage.add(obj)
    obj.data.attributes["foliage_density"].data.foreach_set("value", np.zeros(42, np.float32))
    obj.data.update()
    assert not len(shells_of(plants))


def test_restoring_the_terrain_takes_the_density_with_it(make_meadow):
    obj = make_meadow(moisture=0.5)
    plants = foliage.add(obj)
    attributes.remove_fields(obj.data)
    update_derived.update_companions(obj, DEFAULTS)
    assert "foliage_density" not in obj.data.attributes and not len(shells_of(plants))


def test_ground_without_moisture_is_refused(make_hills):
    with pytest.raises(InputError, match="no moisture"):
        foliage.add(make_hills())


def test_every_input_of_both_groups_is_used(make_meadow):
    foliage.add(make_meadow(moisture=0.5))
    groups = [group for group in bpy.data.node_groups if nodes.KIND in group]
    assert {group.name for group in groups} == {"Foliage", "Foliage Shells"}
    for group in groups:
        source = next(node for node in group.nodes if node.type == "GROUP_INPUT")
        assert [
            socket.name for socket in source.outputs if socket.name and not socket.is_linked
        ] == []
        assert all(link.is_valid for link in group.links)
    assert foliage_nodes.DENSITY == "foliage_density"


TILE = 14
TILES = {
    "meadow": {"moisture": 0.5},
    "dry": {"moisture": 0.0},
    "lake": {"moisture": 0.5, "water_depth": 1.0},
}


def stand(engine, path):
    """Scene of white tiles with foliage, seen from above; the picture goes to `path`."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    white = bpy.data.materials.new("White")
    for place, (name, fields) in enumerate(TILES.items()):
        tile = make_grid_object(name, np.zeros((11, 11)), (2.0, 2.0), scene.collection)
        tile.location.x = 20.0 * place
        tile.data.materials.append(white)
        bpy.context.view_layer.update()
        layers = {field: np.full((11, 11), value, np.float32) for field, value in fields.items()}
        attributes.write_fields(tile.data, grid.find_lattice(tile), layers)
        foliage.add(tile, shells=6)
    look_down(scene, engine, len(TILES), TILE, 4, path)


def check_picture(path):
    """The meadow is green with gaps, the other tiles show their white ground."""
    image = bpy.data.images.load(str(path))
    pixels = np.empty(4 * TILE * TILE * len(TILES), np.float32)
    image.pixels.foreach_get(pixels)
    strips = np.split(pixels.reshape(TILE, -1, 4)[..., :3], len(TILES), axis=1)
    colors = dict(
        zip(TILES, (strip[3:-3, 3:-3].mean(axis=(0, 1)) for strip in strips), strict=True)
    )
    red, green, blue = colors["meadow"]
    assert green > 1.04 * red and green > 1.1 * blue
    assert colors["meadow"].mean() < 0.6 * colors["dry"].mean()
    np.testing.assert_allclose(colors["lake"], colors["dry"], rtol=0.1)


@pytest.mark.render
@pytest.mark.parametrize("engine", [EEVEE, "CYCLES"])
def test_plants_are_seen_on_moist_ground_and_neither_on_dry_nor_in_water(engine, tmp_path):
    stand(engine, tmp_path / "tiles.exr")
    bpy.ops.render.render(write_still=True)
    check_picture(tmp_path / "tiles.exr")


@pytest.mark.render
def test_a_saved_file_renders_without_the_extension(tmp_path):
    stand("CYCLES", tmp_path / "tiles.exr")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "tiles.blend"))
    program = (
        "import bpy, sys; bpy.ops.wm.open_mainfile(filepath=sys.argv[1]);"
        "bpy.ops.render.render(write_still=True); print('erosion_addon' in sys.modules)"
    )
    done = blender_child.run(program, tmp_path / "tiles.blend", folder=tmp_path)
    assert "False" in done.stdout, done.stderr
    check_picture(tmp_path / "tiles.exr")


def test_shells_do_not_hide_the_ground_in_solid_view_and_the_users_choice_stays(make_meadow):
    obj = make_meadow(moisture=0.5)
    plants = foliage.add(obj)
    assert plants.display_type == "BOUNDS"
    plants.display_type = "TEXTURED"
    assert foliage.add(obj) == plants and plants.display_type == "TEXTURED"
