# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks from fields, and fields shown in the viewport."""

import bpy
import numpy as np
import pytest

from erosion_addon.scene.masks import masks, overlay
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import vertex_heights, write_heights
from erosion_addon.ui.base import terrain_settings
from erosion_addon.ui.masks import mask_watch


def mask_of(obj, kind):
    return masks.read(obj, grid.find_lattice(obj), kind, terrain_settings.mask_of(obj, kind))


def field_of(obj, name):
    return attributes.read_fields(obj.data, grid.find_lattice(obj), [name])[name]


def test_slope_is_a_mask_before_any_run(terrain_object):
    bpy.ops.erosion.analyze()
    assert bpy.ops.erosion.mask_from_field(kind="strength", field="slope", low=0.2, high=0.6) == {
        "FINISHED"
    }
    slope = field_of(terrain_object, "slope").astype(np.float64)
    np.testing.assert_allclose(
        mask_of(terrain_object, "strength"), np.clip((slope - 0.2) / 0.4, 0, 1), atol=1e-6
    )


def test_height_is_a_mask_without_an_analysis_and_stays_after_a_run(terrain_object):
    bpy.ops.erosion.mask_from_field(kind="hardness", field="elevation")
    heights = vertex_heights(terrain_object.data).reshape(48, 64).astype(np.float64)
    before = mask_of(terrain_object, "hardness")
    np.testing.assert_allclose(before, (heights - heights.min()) / np.ptp(heights), atol=1e-6)
    bpy.ops.erosion.run("EXEC_DEFAULT")
    np.testing.assert_array_equal(mask_of(terrain_object, "hardness"), before)


def test_from_high_to_low_it_is_turned_around_and_an_even_field_is_0(terrain_object):
    bpy.ops.erosion.mask_from_field(kind="rain", field="elevation", low=200.0, high=0.0)
    heights = vertex_heights(terrain_object.data).reshape(48, 64)
    np.testing.assert_allclose(mask_of(terrain_object, "rain"), 1.0 - heights / 200.0, atol=1e-5)
    flat = np.zeros_like(heights).ravel()
    write_heights(terrain_object.data, flat)
    bpy.ops.erosion.mask_from_field(kind="hardness", field="elevation")
    assert not mask_of(terrain_object, "hardness").any()


def test_what_the_terrain_lacks_is_said(terrain_object):
    with pytest.raises(RuntimeError, match="no drainage area; analyze it first"):
        bpy.ops.erosion.mask_from_field(kind="rain", field="drainage_area")
    with pytest.raises(RuntimeError, match="no wear; run a recipe that makes it"):
        bpy.ops.erosion.field_show(field="wear")
    terrain_object.data.attributes.new("Rain from elevation", "INT", "POINT")
    with pytest.raises(RuntimeError, match="of another kind; rename"):
        bpy.ops.erosion.mask_from_field(kind="rain", field="elevation")
    assert terrain_object.erosion.rain.source == "NONE" and session.masks.overlay is None


@pytest.mark.thorough
@pytest.mark.parametrize(
    "field", ["elevation", "drainage_area", "stream_order", "lake_depth", "slope", "curvature"]
)
def test_a_field_is_shown_with_its_numbers_follows_and_is_hidden(terrain_object, field):
    bpy.ops.erosion.analyze()
    assert bpy.ops.erosion.field_show(field=field) == {"FINISHED"}
    assert mask_watch.is_shown(terrain_object, mask_watch.FIELD + field)
    first, (low, high) = session.masks.overlay, session.masks.overlay.legend
    assert float(low) < float(high.split()[0]) and "of Terrain" in first.title
    mask_watch._count(terrain_object.data.session_uid)  # as Blender tells of a change
    mask_watch.refresh()
    assert session.masks.overlay is not first
    bpy.ops.erosion.field_show(field=field)
    assert session.masks.overlay is None


def test_directions_of_water_are_shown_by_the_colors_of_a_wheel(terrain_object):
    bpy.ops.erosion.analyze()
    assert bpy.ops.erosion.field_show(field="flow_direction") == {"FINISHED"}
    shown = session.masks.overlay
    way = field_of(terrain_object, "flow_direction")
    assert shown.legend == overlay.AXES and shown.title == "Flow Direction of Terrain"
    colors = shown.colors.reshape(*way.shape[:2], 4)[..., :3]
    red_first = colors[..., 0] > colors[..., 1:].max(-1)  # within 60° of +X
    flows = (way != 0).any(-1)
    np.testing.assert_array_equal(red_first[flows], (way[..., 0] > 0.5001)[flows])
    assert np.allclose(colors[~flows], colors[~flows][:, :1])  # gray


def test_the_range_of_drainage_areas_is_shown_by_powers_of_ten(terrain_object):
    areas = 10.0 ** np.tile(np.arange(2.0, 8.0), (6, 1))
    share, ends = overlay.shares(areas, logarithmic=True)
    np.testing.assert_allclose(share[0], np.linspace(0, 1, 6), atol=1e-6)
    assert ends == pytest.approx((1e2, 1e7))


def test_a_field_is_hidden_when_its_analysis_is_removed(terrain_object):
    bpy.ops.erosion.analyze()
    bpy.ops.erosion.field_show(field="slope")
    bpy.ops.erosion.analysis_remove()
    mask_watch._count(terrain_object.data.session_uid)
    mask_watch.refresh()
    assert session.masks.overlay is None
