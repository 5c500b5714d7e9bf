# SPDX-License-Identifier: GPL-3.0-or-later
"""Surface colors: the start of a run, and its result."""

import bpy
import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.recipe.recipe import Recipe
from erosion_addon.scene.masks import surface_color
from erosion_addon.scene.terrain import obstacle
from erosion_addon.terrain.strata import Strata

ARCANE = Recipe.load("arcane")


def started(obj, source, layer="", image=None, strata=""):
    return surface_color.start(obj, ARCANE, source, layer, image, strata)


def painted(obj, name, data_type, domain, colors):
    attribute = obj.data.attributes.new(name, data_type, domain)
    member, count = surface_color._COLORS[data_type]
    values = np.ones((len(attribute.data), count), np.float32)
    values[:, :3] = colors
    attribute.data.foreach_set(member, values.ravel())


def test_nothing_chosen_changes_nothing(make_hills):
    assert started(make_hills(), "NONE") == (ARCANE, {})


@pytest.mark.parametrize("data_type", ["FLOAT_COLOR", "BYTE_COLOR", "FLOAT_VECTOR"])
@pytest.mark.parametrize("domain", ["POINT", "CORNER", "FACE"])
def test_paint_of_any_kind_is_read_as_linear_color(make_hills, data_type, domain):
    obj = make_hills(rows=6, cols=5)
    painted(obj, "Paint", data_type, domain, (0.8, 0.2, 0.1))
    color = started(obj, "ATTRIBUTE", "Paint").layers["surface_color"]
    assert color.shape == (6, 5, 3)
    assert np.abs(color - [0.8, 0.2, 0.1]).max() < (5e-3 if data_type == "BYTE_COLOR" else 1e-6)


def test_a_vertex_has_the_mean_of_what_its_faces_and_corners_have(make_hills):
    obj = make_hills(rows=3, cols=4)
    painted(obj, "Faces", "FLOAT_COLOR", "FACE", np.arange(6)[:, None] / 5 * np.ones(3))
    color = started(obj, "ATTRIBUTE", "Faces").layers["surface_color"]
    assert color[0, 0, 0] == 0 and color[0, 1, 0] == pytest.approx(0.1)
    assert color[1, 1, 0] == pytest.approx((0 + 1 + 3 + 4) / 4 / 5) and color[2, 3, 0] == 1


def test_each_cell_gets_the_color_of_its_vertex_in_any_order(make_points):
    row, col = np.mgrid[:5, :4]
    order = np.random.default_rng(1).permutation(20)
    obj = make_points(np.stack([col.ravel(), row.ravel(), np.zeros(20)], -1)[order])
    shades = (row * 4 + col).ravel()[order][:, None] / 19 * np.ones(3)
    painted(obj, "Paint", "FLOAT_COLOR", "POINT", shades)
    color = started(obj, "ATTRIBUTE", "Paint").layers["surface_color"]
    assert np.allclose(color[..., 0], (row * 4 + col) / 19)


def test_an_image_is_stretched_over_the_terrain_with_its_first_row_at_the_smallest_y(make_hills):
    obj = make_hills(rows=6, cols=5)
    image = bpy.data.images.new("Paint", 2, 2, float_buffer=True, is_data=True)
    image.pixels.foreach_set(
        np.float32([[1, 0, 0, 1], [1, 0, 0, 1], [0, 0, 1, 1], [0, 0, 1, 1]]).ravel()
    )
    color = started(obj, "IMAGE", image=image).layers["surface_color"]
    assert np.allclose(color[0], [1, 0, 0]) and np.allclose(color[-1], [0, 0, 1])


def test_an_image_of_bytes_is_srgb_unless_it_says_otherwise(make_hills):
    obj = make_hills()
    for is_data, expected in ((False, 0.2140), (True, 0.5)):
        image = bpy.data.images.new("Paint", 2, 2, is_data=is_data)
        image.pixels.foreach_set(np.full(16, 0.5, np.float32))
        color = started(obj, "IMAGE", image=image).layers["surface_color"]
        assert color.mean() == pytest.approx(expected, abs=3e-3)


def test_strata_come_with_the_recipe_and_set_paint_aside(make_hills):
    start = started(make_hills(), "STRATA", strata="red canyon")
    assert start.recipe.strata == Strata.load("red canyon") and start.layers == {
        "surface_color": None
    }


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (
            {"source": "ATTRIBUTE", "layer": "Gone"},
            "Hills has no attribute 'Gone' for the surface color",
        ),
        (
            {"source": "ATTRIBUTE", "layer": "Number"},
            "Number for the surface color holds no colors",
        ),
        (
            {"source": "ATTRIBUTE", "layer": "Bright"},
            "The colors of the attribute Bright must be from 0 to 1",
        ),
        ({"source": "IMAGE"}, "No image is chosen for the surface color"),
        ({"source": "STRATA", "strata": "nowhere"}, "There are no strata 'nowhere'"),
    ],
)
def test_what_does_not_fit_is_refused(make_hills, choice, message):
    obj = make_hills()
    painted(obj, "Bright", "FLOAT_COLOR", "POINT", (2.0, 0, 0))
    obj.data.attributes.new("Number", "FLOAT", "POINT")
    with pytest.raises(InputError, match=message):
        started(obj, **choice)
    assert obstacle.why_not(obj) is None
