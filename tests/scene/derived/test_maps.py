# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields as files and as images of the .blend file."""

import bpy
import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.headers.image_header import read_header
from erosion_addon.files.maps import normals
from erosion_addon.scene.derived import maps
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.image import BlenderFiles
from erosion_addon.scene.terrain.mesh import make_grid_object


@pytest.fixture
def eroded(make_hills):
    """Hills with fields of all kinds; (object, fields)."""
    obj = make_hills(rows=6, cols=5)
    random = np.random.default_rng(3)
    fields = {
        "wear": random.random((6, 5)).astype(np.float32) * 1234.5,
        "moisture": random.random((6, 5)).astype(np.float32),
        "velocity": random.normal(0, 1, (6, 5, 2)).astype(np.float32),
        "surface_color": random.random((6, 5, 3)).astype(np.float32),
    }
    attributes.write_fields(obj.data, grid.find_lattice(obj), fields)
    fields["elevation"] = grid.read_terrain(obj)[0].elevation.astype(np.float32)
    return obj, fields


def pixels_of(image):
    cols, rows = image.size
    pixels = np.empty(rows * cols * image.channels, np.float32)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(rows, cols, -1)


def test_every_field_is_a_file_with_its_own_numbers(eroded, tmp_path):
    obj, fields = eroded
    files = maps.export(obj, tmp_path / "maps")
    names = {"elevation", "wear", "moisture", "velocity_x", "velocity_y", "surface_color", "normal"}
    assert {path.name for path in files} == {f"{name}.exr" for name in names}
    read = BlenderFiles()
    for name in ("elevation", "wear", "moisture"):
        assert np.array_equal(read.read(tmp_path / f"maps/{name}.exr"), fields[name])
    assert np.array_equal(read.read(tmp_path / "maps/velocity_y.exr"), fields["velocity"][..., 1])
    assert np.array_equal(
        read.read_color(tmp_path / "maps/surface_color.exr"), fields["surface_color"]
    )


def test_fields_can_be_chosen_and_those_from_0_to_1_written_as_png(eroded, tmp_path):
    obj, fields = eroded
    files = maps.export(obj, tmp_path, ["moisture", "wear"], png=True)
    assert {path.name for path in files} == {"moisture.png", "wear.exr"}
    assert read_header(tmp_path / "moisture.png").kind == "uint16"
    assert np.abs(BlenderFiles().read(tmp_path / "moisture.png") - fields["moisture"]).max() < 1e-5


def test_the_normal_map_is_written_for_either_green(eroded, tmp_path):
    obj, fields = eroded
    expected = normals(fields["elevation"].astype(np.float64), grid.find_lattice(obj).spacing)
    flipped = expected.copy()
    flipped[..., 1] = 1 - flipped[..., 1]
    for green, values in (("opengl", expected), ("directx", flipped)):
        for png, name, error in ((False, "normal.exr", 1e-6), (True, "normal.png", 1e-5)):
            assert [path.name for path in maps.export(obj, tmp_path, ["normal"], png, green)] == [
                name
            ]
            assert np.abs(BlenderFiles().read_color(tmp_path / name) - values).max() < error
    header = read_header(tmp_path / "normal.png")
    assert (header.kind, header.channels) == ("uint16", 3)


def test_a_field_that_is_not_there_is_refused_and_nothing_written(eroded, tmp_path):
    with pytest.raises(
        InputError, match="Hills has no field 'grass'; it has elevation, velocity, "
    ):
        maps.export(eroded[0], tmp_path / "maps", ["wear", "grass"])
    assert list(tmp_path.iterdir()) == []


def test_exporting_leaves_nothing_behind_in_the_blend_file(eroded, tmp_path):
    maps.export(eroded[0], tmp_path)
    assert not bpy.data.images and len(bpy.data.scenes) == 1


def test_images_hold_the_fields_and_are_filled_anew_in_place(eroded):
    obj, fields = eroded
    images = maps.send(obj)
    assert {image.name for image in images} >= {
        "Hills wear",
        "Hills velocity_x",
        "Hills surface_color",
    }
    first = bpy.data.images["Hills wear"]
    assert np.array_equal(pixels_of(first)[..., 0], fields["wear"])  # pixels begin at the bottom
    assert np.array_equal(
        pixels_of(bpy.data.images["Hills surface_color"])[..., :3], fields["surface_color"]
    )
    assert first.colorspace_settings.name == "Non-Color" and first.is_float
    other = {"wear": fields["wear"] + 1, "moisture": fields["moisture"]}
    attributes.write_fields(obj.data, grid.find_lattice(obj), other)
    count = len(bpy.data.images)
    maps.send(obj, ["wear"])
    assert len(bpy.data.images) == count and bpy.data.images["Hills wear"] == first
    assert np.array_equal(pixels_of(first)[..., 1], fields["wear"] + 1)


def test_an_update_fills_only_images_that_are_there(eroded):
    obj, fields = eroded
    maps.update(obj)
    assert not bpy.data.images
    maps.send(obj, ["wear", "velocity"])
    changed = {"wear": fields["wear"] * 2, "velocity": -fields["velocity"]}
    attributes.write_fields(obj.data, grid.find_lattice(obj), changed)
    maps.update(obj)
    assert {image.name for image in bpy.data.images} == {
        "Hills wear",
        "Hills velocity_x",
        "Hills velocity_y",
    }
    assert np.array_equal(pixels_of(bpy.data.images["Hills wear"])[..., 0], changed["wear"])
    assert np.array_equal(
        pixels_of(bpy.data.images["Hills velocity_y"])[..., 0], changed["velocity"][..., 1]
    )


def test_an_image_of_the_users_with_the_name_is_left_alone(eroded):
    mine = bpy.data.images.new("Hills wear", 4, 4)
    (made,) = maps.send(eroded[0], ["wear"])
    assert made != mine and tuple(mine.size) == (4, 4)


def test_a_terrain_of_another_size_makes_the_image_fit(eroded, make_hills):
    obj, _ = eroded
    (image,) = maps.send(obj, ["elevation"])
    obj.data = make_hills(rows=9, cols=4).data
    assert maps.send(obj, ["elevation"]) == [image] and tuple(image.size) == (4, 9)


def grown(obj, factor):
    """The terrain after a further run."""
    lattice = grid.find_lattice(obj)
    wear = attributes.read_fields(obj.data, lattice, ["wear"])["wear"]
    attributes.write_fields(obj.data, lattice, {"wear": wear * np.float32(factor)})
    maps.update(obj)
    return wear * np.float32(factor)


def test_images_follow_their_own_terrain_whatever_it_is_called(eroded, make_hills):
    obj, fields = eroded
    (image,) = maps.send(obj, ["wear"])
    obj.name = "Mountain"
    other = obj.copy()
    other.data = obj.data.copy()
    del other[maps.IMAGES]
    bpy.context.collection.objects.link(other)
    other.name = "Hills"
    assert other.name == "Hills"
    grown(other, 3.0)
    assert np.array_equal(pixels_of(image)[..., 0], fields["wear"])
    image.name = "Scratches"
    assert np.array_equal(grown(obj, 2.0), pixels_of(image)[..., 0])
    (another,) = maps.send(other, ["wear"])
    assert another != image and another.name == "Hills wear" and maps.send(obj, ["wear"]) == [image]


def test_a_copy_of_a_terrain_leaves_the_images_to_the_original_until_it_is_deleted(eroded):
    obj, fields = eroded
    (image,) = maps.send(obj, ["wear"])
    twin = obj.copy()
    twin.data = obj.data.copy()
    bpy.context.collection.objects.link(twin)
    grown(twin, 3.0)
    assert np.array_equal(pixels_of(image)[..., 0], fields["wear"])
    (own,) = maps.send(twin, ["wear"])
    assert (
        own != image
        and maps.images_of(obj) == {"wear": image}
        and maps.images_of(twin) == {"wear": own}
    )
    assert np.array_equal(grown(obj, 2.0), pixels_of(image)[..., 0])


def test_images_of_the_first_release_are_found_by_name_until_they_follow(eroded):
    obj, _ = eroded
    (image,) = maps.send(obj, ["wear"])
    del obj[maps.IMAGES], image[maps.FOLLOWS]
    assert np.array_equal(grown(obj, 2.0), pixels_of(image)[..., 0])
    obj.name = "Mountain"
    assert np.array_equal(grown(obj, 2.0), pixels_of(image)[..., 0])
    bpy.data.objects.remove(obj)
    other = make_grid_object("Hills", np.zeros((4, 4)), (1.0, 1.0), bpy.context.collection)
    assert maps.images_of(other) == {}


@pytest.mark.parametrize("garbage", [7, "wear", {"wear": 3}, {"wear": "x"}, [1.0]])
def test_something_else_in_place_of_the_pointers_is_no_image(eroded, garbage):
    obj, _ = eroded
    obj[maps.IMAGES] = garbage
    assert maps.images_of(obj) == {}
    assert maps.send(obj, ["wear"])[0].name == "Hills wear"


def test_images_survive_saving_with_every_bit(eroded, tmp_path):
    obj, fields = eroded
    maps.send(obj, ["wear"])[0].use_fake_user = True
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    image = bpy.data.images["Hills wear"]
    assert np.array_equal(pixels_of(image)[..., 0], fields["wear"])
    assert maps.images_of(bpy.data.objects["Hills"]) == {"wear": image}
