# SPDX-License-Identifier: GPL-3.0-or-later
"""Analyze operator and panel."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from erosion_addon.drainage.analysis import analyze
from erosion_addon.drainage.parameters import AnalysisParameters
from erosion_addon.scene.masks.settings import DEFAULTS
from erosion_addon.scene.run import job
from erosion_addon.scene.run.errand import Errand, Plan
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.water import analysis
from erosion_addon.terrain.fields import ANALYZED
from erosion_addon.ui.drainage.analysis import EROSION_PT_analysis
from tests.scene.conftest import everything
from tests.ui.recipe.test_steps import Drawn

USUAL = AnalysisParameters()


def held(obj, names=ANALYZED):
    return attributes.read_fields(obj.data, grid.find_lattice(obj), names)


def errand(terrain):
    return Errand(
        terrain,
        "Analysis",
        Plan(
            lambda obj: analysis.requests_of_analysis(obj, USUAL, DEFAULTS),
            lambda obj: (str(analysis.analyze(obj, USUAL, DEFAULTS).figures["pits"]), []),
        ),
    )


def panel():
    drawn = Drawn()
    EROSION_PT_analysis.draw(SimpleNamespace(layout=drawn), bpy.context)
    return drawn.seen


def test_the_fields_of_a_terrain_that_never_ran_are_attributes_and_nothing_else_changes(
    terrain_object,
):
    before = everything(terrain_object.data)
    assert bpy.ops.erosion.analyze() == {"FINISHED"}
    expected = analyze(grid.read_terrain(terrain_object)[0])
    for name, values in held(terrain_object).items():
        np.testing.assert_array_equal(values, expected.fields[name])
    assert analysis.kept(analysis.kept_text(terrain_object.data))["figures"] == expected.figures
    assert bpy.ops.erosion.analysis_remove() == {"FINISHED"}
    assert everything(terrain_object.data) == before


def test_its_settings_are_those_that_are_declared(terrain_object):
    values = {"channel_area": 0.02, "sea": True, "sea_level": 50.0}
    bpy.ops.erosion.analyze(**values)
    assert analysis.settings_of(terrain_object.data).to_dict() == pytest.approx(values)
    order, area = (held(terrain_object)[name] for name in ("stream_order", "drainage_area"))
    np.testing.assert_array_equal(order > 0, area >= np.float32(0.02) * 1e6)


def test_a_run_keeps_it_up_to_date_and_restore_takes_it_away(terrain_object):
    bpy.ops.erosion.analyze()
    before = held(terrain_object)
    bpy.ops.erosion.run("EXEC_DEFAULT")
    after = held(terrain_object)
    expected = analyze(grid.read_terrain(terrain_object)[0])
    assert (after["slope"] != before["slope"]).any()
    for name, values in after.items():
        np.testing.assert_array_equal(values, expected.fields[name])
    bpy.ops.erosion.restore()
    assert not held(terrain_object) and analysis.settings_of(terrain_object.data) is None


def test_cancelled_it_leaves_every_byte(terrain_object):
    before = everything(terrain_object.data)
    task = job.begin(errand(terrain_object))
    task.listen(0.01)
    task.cancel()
    assert (task.state, task.sentence) == ("cancelled", "Analysis of Terrain was canceled.")
    assert everything(terrain_object.data) == before and session.worker.runner is None


def test_it_tells_how_far_it_is(terrain_object):
    task = job.begin(errand(terrain_object))
    seen = []
    while not task.ended:
        task.poll(0.1)
        seen.append((task.message, task.fraction))
    assert task.state == "done" and seen[-1] == ("Analysis", 1.0)


def test_an_attribute_of_the_users_comes_back(terrain_object):
    mesh = terrain_object.data
    mesh.attributes.new("slope", "FLOAT", "POINT").data[5].value = 7.0
    bpy.ops.erosion.analyze()
    assert mesh.attributes["slope"].data[5].value != 7.0
    bpy.ops.erosion.analysis_remove()
    assert mesh.attributes["slope"].data[5].value == 7.0


def test_what_cannot_be_is_a_sentence_and_the_mesh_is_as_it_was(terrain_object):
    before = everything(terrain_object.data)
    with pytest.raises(RuntimeError, match="lower the sea"):
        bpy.ops.erosion.analyze(sea=True, sea_level=1e6)
    assert everything(terrain_object.data) == before
    terrain_object.data.attributes.new("curvature", "INT", "POINT")
    with pytest.raises(RuntimeError, match="attribute curvature of another kind"):
        bpy.ops.erosion.analyze()
    assert "slope" not in terrain_object.data.attributes


def test_the_panel_tells_the_figures_and_what_is_special(terrain_object):
    assert "Land that drains freely" not in str(panel())
    terrain_object.erosion.edges = "closed"
    bpy.ops.erosion.analyze()
    seen = str(panel())
    assert "Land that drains freely" in seen and "No edge is open" in seen


DAMAGED = ["", "3", "[]", '{"figures": {"relief": "x"}}', '{"parameters": {"sea": 3}}', "[" * 99999]


@pytest.mark.thorough
@pytest.mark.parametrize("text", DAMAGED, ids=range(6))
def test_a_damaged_analysis_is_told_or_left_out(terrain_object, text):
    bpy.ops.erosion.analyze()
    terrain_object.data[analysis.ANALYSIS] = text
    panel()
    assert analysis.settings_of(terrain_object.data) in (None, USUAL)
