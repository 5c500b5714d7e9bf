# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks from vertex groups, attributes and images."""

import bpy
import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.scene.masks.masks import Adjustment, read_mask
from erosion_addon.scene.terrain import attributes, grid


@pytest.fixture
def shuffled(make_points):
    """A 5 × 4 grid in a random vertex order, and its lattice."""
    row, col = np.mgrid[:5, :4]
    points = np.stack([col.ravel(), row.ravel(), np.zeros(20)], -1)
    obj = make_points(points[np.random.default_rng(1).permutation(20)])
    return obj, grid.find_lattice(obj)


def columns(obj):
    return np.array([vertex.co.x for vertex in obj.data.vertices], np.float32)


def test_vertex_groups_are_read_by_cell_and_nothing_is_left_behind(shuffled, everything_of):
    obj, lattice = shuffled
    other = obj.vertex_groups.new(name="other")
    group = obj.vertex_groups.new(name="Strength ä")
    other.add(range(20), 0.9, "REPLACE")
    for index, x in enumerate(columns(obj)):
        if x:
            group.add([index], float(x) / 4, "REPLACE")
    before = everything_of(obj.data)
    counts = [len(getattr(bpy.data, kind)) for kind in ("objects", "scenes", "meshes")]
    mask = read_mask(obj, lattice, "strength", "VERTEX_GROUP", "Strength ä")
    assert mask.dtype == np.float32
    assert np.array_equal(mask, np.tile(np.arange(4, dtype=np.float32) / 4, (5, 1)))
    assert everything_of(obj.data) == before
    assert counts == [len(getattr(bpy.data, kind)) for kind in ("objects", "scenes", "meshes")]
    assert not bpy.data.node_groups
    assert obj.data.users == 1


def test_an_empty_vertex_group_is_zero_everywhere(shuffled):
    obj, lattice = shuffled
    obj.vertex_groups.new(name="empty")
    assert not read_mask(obj, lattice, "strength", "VERTEX_GROUP", "empty").any()


def test_vertex_groups_below_modifiers_are_those_of_the_mesh_itself(shuffled):
    obj, lattice = shuffled
    obj.vertex_groups.new(name="half").add(range(20), 0.5, "REPLACE")
    obj.modifiers.new("Detail", "SUBSURF")
    assert np.array_equal(
        read_mask(obj, lattice, "rain", "VERTEX_GROUP", "half"), np.full((5, 4), 0.5)
    )


@pytest.mark.parametrize(
    "data_type", ["FLOAT", "INT", "INT8", "BOOLEAN", "FLOAT_COLOR", "BYTE_COLOR"]
)
def test_attributes_of_numbers_and_colors_are_read_by_cell(shuffled, data_type):
    obj, lattice = shuffled
    attribute = obj.data.attributes.new("mask", data_type, "POINT")
    on = columns(obj) > 1.5
    for element, value in zip(attribute.data, on, strict=True):
        if "COLOR" in data_type:
            element.color = (value, value, value, 0.5)
        else:
            element.value = bool(value) if data_type == "BOOLEAN" else int(value)
    mask = read_mask(obj, lattice, "hardness", "ATTRIBUTE", "mask")
    assert mask.dtype == np.float32
    assert np.array_equal(mask, np.tile(np.float32([0, 0, 1, 1]), (5, 1)))


def test_inverting_turns_one_into_zero(shuffled):
    obj, lattice = shuffled
    obj.data.attributes.new("mask", "FLOAT", "POINT").data.foreach_set("value", columns(obj) / 4)
    mask = read_mask(
        obj, lattice, "strength", "ATTRIBUTE", "mask", adjustment=Adjustment(invert=True)
    )
    assert np.array_equal(mask[0], [1, 0.75, 0.5, 0.25])


def test_inverting_what_may_be_more_than_one_starts_from_the_highest(shuffled):
    obj, lattice = shuffled
    obj.data.attributes.new("mask", "FLOAT", "POINT").data.foreach_set("value", columns(obj))
    assert np.array_equal(
        read_mask(obj, lattice, "rain", "ATTRIBUTE", "mask", adjustment=Adjustment(invert=True))[0],
        [3, 2, 1, 0],
    )


def test_a_sediment_mask_is_what_the_user_painted_also_after_a_run(shuffled):
    obj, lattice = shuffled
    obj.data.attributes.new("sediment", "FLOAT", "POINT").data.foreach_set("value", columns(obj))
    before = read_mask(obj, lattice, "sediment", "ATTRIBUTE", "sediment")
    attributes.write_fields(obj.data, lattice, {"sediment": np.full((5, 4), 9, np.float32)})
    assert np.array_equal(read_mask(obj, lattice, "sediment", "ATTRIBUTE", "sediment"), before)


def test_images_lie_on_the_terrain_with_their_bottom_at_the_smallest_y(shuffled):
    obj, lattice = shuffled
    image = bpy.data.images.new("test", 4, 5, float_buffer=True, is_data=True)
    values = (np.arange(20, dtype=np.float32) / 32).reshape(5, 4)
    pixels = np.ones((5, 4, 4), np.float32)
    pixels[..., :3] = values[..., None]
    image.pixels.foreach_set(pixels.ravel())
    assert np.array_equal(read_mask(obj, lattice, "strength", "IMAGE", image), values)


def test_images_of_another_size_are_stretched_corner_to_corner(shuffled):
    obj, lattice = shuffled
    image = bpy.data.images.new("test", 2, 2, float_buffer=True, is_data=True)
    pixels = np.ones((2, 2, 4), np.float32)
    pixels[:, 0, :3] = 0
    pixels[:, 1, :3] = 0.75
    image.pixels.foreach_set(pixels.ravel())
    mask = read_mask(obj, lattice, "strength", "IMAGE", image)
    assert np.allclose(mask, np.tile([0, 0.25, 0.5, 0.75], (5, 1)))


@pytest.mark.parametrize(
    ("source", "name", "sentence"),
    [
        ("VERTEX_GROUP", "gone", "no vertex group 'gone' for the rain mask"),
        ("VERTEX_GROUP", "", "Choose a vertex group for the rain mask"),
        ("ATTRIBUTE", "gone", "no attribute 'gone' for the rain mask"),
        ("ATTRIBUTE", None, "Choose an attribute for the rain mask"),
        ("IMAGE", None, "No image is chosen for the rain mask"),
    ],
)
def test_what_is_missing_is_named(shuffled, source, name, sentence):
    with pytest.raises(InputError, match=sentence):
        read_mask(*shuffled, "rain", source, name)


@pytest.mark.parametrize(
    ("data_type", "domain"),
    [("FLOAT", "EDGE"), ("FLOAT_COLOR", "CORNER"), ("FLOAT_VECTOR", "POINT")],
)
def test_an_attribute_that_is_no_number_per_point_is_explained(shuffled, data_type, domain):
    obj, lattice = shuffled
    obj.data.attributes.new("mask", data_type, domain)
    with pytest.raises(InputError, match=r"attribute mask .* per point"):
        read_mask(obj, lattice, "rain", "ATTRIBUTE", "mask")


def select(obj, chosen):
    mesh = obj.data
    attribute = mesh.attributes.get(".select_vert") or mesh.attributes.new(
        ".select_vert", "BOOLEAN", "POINT"
    )
    attribute.data.foreach_set("value", chosen)


def test_the_selection_is_a_mask(shuffled):
    obj, lattice = shuffled
    select(obj, columns(obj) > 1.5)
    mask = read_mask(obj, lattice, "strength", "SELECTION")
    assert mask.dtype == np.float32 and np.array_equal(
        mask, np.tile(np.float32([0, 0, 1, 1]), (5, 1))
    )


def test_a_selection_of_nothing_is_explained(shuffled):
    obj, lattice = shuffled
    select(obj, np.zeros(20, bool))
    sentence = (
        "Nothing is selected on Points; select vertices in Edit Mode, or set the sand supply mask "
        "to None"
    )
    with pytest.raises(InputError, match=sentence):
        read_mask(obj, lattice, "source", "SELECTION")
    obj.data.attributes.remove(obj.data.attributes[".select_vert"])
    with pytest.raises(InputError, match="Nothing is selected"):
        read_mask(obj, lattice, "source", "SELECTION")


def test_a_soft_border_is_in_meters_of_the_world(make_hills):
    # Cells of 2 m by 1 m, scaled by 3 along the columns (local x): 6 m from column to column, 1 m
    # from row to row.
    obj = make_hills(9, 9, spacing=(1.0, 2.0))
    obj.scale.x = 3.0
    bpy.context.view_layer.update()
    lattice = grid.find_lattice(obj)
    inside = np.zeros((9, 9), bool)
    inside[:, 3:] = True
    select(obj, inside.ravel())
    mask = read_mask(obj, lattice, "strength", "SELECTION", adjustment=Adjustment(border=24.0))
    share = np.array([0, 0, 0, 6, 12, 18, 24, 24, 24]) / 24
    assert np.allclose(mask, share**2 * (3 - 2 * share))
    inside[:] = False
    inside[3:] = True
    select(obj, inside.ravel())
    mask = read_mask(obj, lattice, "strength", "SELECTION", adjustment=Adjustment(border=4.0))
    share = np.array([0, 0, 0, 1, 2, 3, 4, 4, 4]) / 4
    assert np.allclose(mask.T, share**2 * (3 - 2 * share))


def test_the_border_lies_inside_of_what_is_left_after_inverting(make_hills):
    obj = make_hills(6, 9, spacing=(1.0, 1.0))
    inside = np.zeros((6, 9), bool)
    inside[:, :4] = True
    select(obj, inside.ravel())
    mask = read_mask(
        obj,
        grid.find_lattice(obj),
        "strength",
        "SELECTION",
        adjustment=Adjustment(invert=True, border=2.0),
    )
    assert np.array_equal(mask, np.tile(np.float32([0, 0, 0, 0, 0.5, 1, 1, 1, 1]), (6, 1)))


def test_values_are_scaled_after_inverting(shuffled):
    obj, lattice = shuffled
    obj.data.attributes.new("mask", "FLOAT", "POINT").data.foreach_set("value", columns(obj) / 4)
    mask = read_mask(
        obj, lattice, "sediment", "ATTRIBUTE", "mask", adjustment=Adjustment(invert=True, scale=8.0)
    )
    assert np.array_equal(mask[0], [8, 6, 4, 2])


def test_stretched_values_go_from_0_to_1(shuffled):
    obj, lattice = shuffled
    obj.data.attributes.new("mask", "FLOAT", "POINT").data.foreach_set(
        "value", columns(obj) * 100 - 300
    )
    mask = read_mask(
        obj, lattice, "strength", "ATTRIBUTE", "mask", adjustment=Adjustment(fit="stretch")
    )
    assert np.allclose(mask[0], [0, 1 / 3, 2 / 3, 1])


def test_in_edit_mode_no_mask_is_read(make_hills):
    obj = make_hills(6, 6)
    lattice = grid.find_lattice(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(InputError, match="Leave Edit Mode first: the rain mask of Hills"):
        read_mask(obj, lattice, "rain", "SELECTION")
    bpy.ops.object.mode_set(mode="OBJECT")


def test_images_without_pixels_are_explained(shuffled):
    obj, lattice = shuffled
    missing = bpy.data.images.new("missing", 4, 4)
    missing.source = "FILE"
    missing.filepath = "/nowhere/at all.png"
    with pytest.raises(InputError, match=r"at all\.png"):
        read_mask(obj, lattice, "rain", "IMAGE", missing)
