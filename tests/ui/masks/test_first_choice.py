# SPDX-License-Identifier: GPL-3.0-or-later
"""What a source of a mask or color takes when it is chosen, and how the panel shows what is
missing.
"""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from erosion_addon.terrain.masks import MASK_KINDS
from erosion_addon.ui.masks import mask_panel, mask_watch
from erosion_addon.ui.run import main_panel
from tests.ui.recipe.test_steps import Drawn


@pytest.fixture
def settings(terrain_object):
    return terrain_object.erosion


@pytest.mark.parametrize("kind", MASK_KINDS)
def test_a_mask_takes_the_only_vertex_group_and_is_unfolded(terrain_object, kind):
    terrain_object.vertex_groups.new(name="Path")
    mask = getattr(terrain_object.erosion, kind)
    mask.source = "VERTEX_GROUP"
    assert mask.layer == "Path" and mask.show_settings
    mask.source = "NONE"
    assert not mask.show_settings


def test_of_several_groups_the_active_one_is_taken(terrain_object, settings):
    for name in ("First", "Second", "Third"):
        terrain_object.vertex_groups.new(name=name)
    terrain_object.vertex_groups.active_index = 1
    settings.plot.source = "VERTEX_GROUP"
    assert settings.plot.layer == "Second"


def test_a_group_that_was_named_before_stays(terrain_object, settings):
    for name in ("First", "Second"):
        terrain_object.vertex_groups.new(name=name)
    settings.rain.layer = "First"
    settings.rain.source = "VERTEX_GROUP"
    assert settings.rain.layer == "First"
    settings.rain.layer = "Second"  # as a script does that names it last
    assert settings.rain.layer == "Second"


def test_a_mask_takes_the_only_attribute_and_none_of_several(terrain_object, settings):
    mesh = terrain_object.data
    mesh.attributes.new("wetness", "FLOAT", "POINT")
    mesh.attributes.new("of_faces", "FLOAT", "FACE")  # which no mask reads
    settings.rain.source = "ATTRIBUTE"
    assert settings.rain.layer == "wetness"
    mesh.attributes.new("hardness", "FLOAT", "POINT")
    settings.hardness.source = "ATTRIBUTE"
    assert settings.hardness.layer == ""


def test_a_mask_and_a_color_take_the_only_image(terrain_object, settings):
    bpy.data.images.new("Map", 4, 4)
    settings.outlet.source = settings.surface_color.source = "IMAGE"
    assert settings.outlet.image.name == settings.surface_color.image.name == "Map"
    bpy.data.images.new("Other", 4, 4)
    settings.uplift.source = "IMAGE"
    assert settings.uplift.image is None


def test_a_color_takes_the_active_color_attribute(terrain_object, settings):
    colors = terrain_object.data.color_attributes
    for name in ("Paint", "Moss"):
        colors.new(name, "FLOAT_COLOR", "POINT")
    colors.active_color_name = "Moss"
    settings.surface_color.source = "ATTRIBUTE"
    assert settings.surface_color.layer == "Moss"


def test_a_group_that_is_taken_counts_in_the_run(terrain_object, settings):
    group = terrain_object.vertex_groups.new(name="Path")
    group.add(range(64 * 24), 1.0, "REPLACE")
    settings.plot.source = "VERTEX_GROUP"
    before = np.array([vertex.co.z for vertex in terrain_object.data.vertices])
    assert bpy.ops.erosion.run() == {"FINISHED"}
    after = np.array([vertex.co.z for vertex in terrain_object.data.vertices])
    assert (after[: 64 * 24] == before[: 64 * 24]).all() and (after != before).any()


def labels(panel):
    layout = Drawn()
    panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return " ".join(
        named.get("text", "") for name, _, named in layout.seen["calls"] if name == "label"
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("VERTEX_GROUP", "Choose a vertex group for the building plot mask."),
        ("ATTRIBUTE", "Choose an attribute for the building plot mask."),
        ("IMAGE", "No image is chosen for the building plot mask"),
    ],
)
def test_what_is_missing_is_said_once_in_the_place_of_the_time(
    terrain_object, settings, source, said
):
    settings.plot.source = source
    mask_watch.problem(terrain_object, "plot")
    mask_watch.refresh()
    texts = labels(main_panel.EROSION_PT_main)
    assert texts.count(said) == 1 and "of memory" not in texts
    assert said not in labels(mask_panel.EROSION_PT_masks)
    assert not bpy.ops.erosion.run.poll()
