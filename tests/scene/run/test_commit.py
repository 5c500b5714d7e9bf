# SPDX-License-Identifier: GPL-3.0-or-later
# ruff: noqa: F811 - the fixture `obj`
"""What a result will be written to is asked before the run, and what is in its way later costs
nobody the result.
"""

import bpy
import numpy as np
import pytest

from erosion_addon import InputError, Recipe
from erosion_addon.scene.original import original
from erosion_addon.scene.run import commit, job
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import attributes
from erosion_addon.scene.terrain.mesh import vertex_heights, write_heights
from tests.mesh_contents import everything
from tests.scene.jobs import wait_for
from tests.scene.run.test_job import obj, start, to_the_end  # noqa: F401 - a fixture

RECIPES = ("arcane", "barchan field", "alpine")
"""Together they have drops, wind, snow and water."""


def group(obj, name):
    obj.vertex_groups.new(name=name)


def integers(obj, name):
    obj.data.attributes.new(name, "INT", "POINT")


def of_corners(obj, name):
    obj.data.attributes.new(name, "FLOAT", "CORNER")


def uv_map(obj, name):
    obj.data.uv_layers.new(name=name)


def painted(obj, name):
    obj.data.color_attributes.new(name, "BYTE_COLOR", "CORNER")


CLASHES = (group, integers, of_corners, uv_map, painted)


def without(obj, name):
    if name in obj.vertex_groups:
        obj.vertex_groups.remove(obj.vertex_groups[name])
    else:
        obj.data.attributes.remove(obj.data.attributes[name])


def names_of(recipe):
    return [*attributes.attribute_names(recipe.result_fields(())), original.NAME, original.PLACE]


@pytest.mark.parametrize("clash", CLASHES)
@pytest.mark.parametrize("name", ["arcane", "alpine"])
def test_every_name_that_a_result_needs_is_asked_before_the_run(obj, clash, name):
    recipe = Recipe.load(name)
    for attribute in names_of(recipe):
        clash(obj, attribute)
        before = everything(obj.data)
        with pytest.raises(InputError, match=f"{attribute}.*(rename|needs)"):
            job.start(obj, recipe, {})
        assert everything(obj.data) == before and session.run.task is None
        without(obj, attribute)


def test_names_that_the_recipe_does_not_need_are_the_artists_own(obj):
    for name in ("grass", "soil", "snow", "surface_color", "wind_path", "uplift"):
        group(obj, name)
    run = start(obj)
    to_the_end(run)
    assert run.state == "done"


def test_a_result_has_no_field_that_was_not_asked_about(obj):
    for name in RECIPES:
        recipe = Recipe.load(name)
        run = job.start(obj, recipe, {})
        run.finish()
        to_the_end(run)
        assert run.state == "done"
        assert {*run._result.fields} <= recipe.result_fields(())
        job.clear()
        original.restore(obj.data)


def test_the_name_of_what_is_set_aside_is_asked_too(obj):
    obj.data.attributes.new("sediment", "FLOAT", "POINT")
    group(obj, "erosion_source_sediment")
    with pytest.raises(InputError, match="vertex group erosion_source_sediment"):
        start(obj)


def test_the_name_of_an_original_that_an_edit_sets_aside_is_asked_too(obj):
    to_the_end(start(obj))
    job.clear()
    write_heights(
        obj.data, vertex_heights(obj.data) * np.linspace(0.5, 1.5, 48 * 64, dtype=np.float32) ** 2
    )
    integers(obj, "erosion_source.1")
    with pytest.raises(InputError, match=r"erosion_source\.1"):
        start(obj)


@pytest.mark.thorough
@pytest.mark.parametrize("clash", [group, integers, uv_map])
@pytest.mark.parametrize("name", ["flow", "erosion_place"])
def test_a_name_taken_during_the_run_sends_the_result_to_a_new_object(obj, clash, name):
    expected = _result_of_an_undisturbed_run(obj)
    run = start(obj)
    clash(obj, name)
    before = everything(obj.data)
    to_the_end(run)
    assert run.state == "rescued"
    assert name in run.sentence and "new object Terrain eroded" in run.sentence
    assert everything(obj.data) == before
    made = bpy.data.objects["Terrain eroded"].data
    assert vertex_heights(made).tobytes() == expected.tobytes()
    assert {"flow", "wear", "sediment"} <= {*made.attributes.keys()}


def _result_of_an_undisturbed_run(obj):
    to_the_end(start(obj))
    job.clear()
    heights = vertex_heights(obj.data)
    original.restore(obj.data)
    return heights


@pytest.mark.parametrize("error", [MemoryError, RuntimeError("out of order")])
def test_a_commit_that_fails_in_its_middle_leaves_the_mesh_and_keeps_the_result(
    obj, monkeypatch, error
):
    before = everything(obj.data)
    run = start(obj)
    monkeypatch.setattr(original, "mark_result", lambda *_: (_ for _ in ()).throw(error))
    to_the_end(run)
    assert run.state == "rescued" and everything(obj.data) == before
    assert "wear" in bpy.data.objects["Terrain eroded"].data.attributes


def test_a_result_that_fits_nowhere_is_held_and_written_later(obj, monkeypatch):
    before = everything(obj.data)
    run = start(obj)
    for name in ("commit", "rescue"):
        monkeypatch.setattr(commit, name, lambda *_: (_ for _ in ()).throw(MemoryError))
    to_the_end(run)
    assert run.state == "held" and "not enough memory" in run.sentence
    assert everything(obj.data) == before and not run.ready
    monkeypatch.undo()
    run.poll()
    assert run.state == "held", "it is tried when the artist says so"
    run.retry()
    to_the_end(run)
    assert run.state == "done" and "wear" in obj.data.attributes


def test_a_worker_that_dies_once_the_result_is_there_costs_nothing(obj):
    run = start(obj)
    while run._result is None:
        run.listen(0.1)
    run.fail("The erosion process ended.")
    assert run.state == "rescued" and "Terrain eroded" in bpy.data.objects


def test_names_are_asked_before_a_paused_run_goes_on(obj):
    run = start(obj, **{"droplet.drops_per_cell": 300.0})
    wait_for(run, lambda: run.fraction > 0)
    run.pause()
    to_the_end(run)
    assert run.state == "done" and 0 < run.report["finished"] < 1
    job.clear()
    without(obj, "flow")
    group(obj, "flow")
    run = job.resume(obj)
    to_the_end(run)
    assert run.state == "failed" and "vertex group flow" in run.sentence
    assert run.report is None, "nothing was computed"


def test_a_step_of_no_use_leaves_the_result_of_those_before_it(obj):
    """An uplift of 1 m a year for 1e9 years lifts the land beyond the bounds of heights."""
    talus = {"kind": "talus"}
    rising = {"kind": "uplift", "uplift": 1000.0, "years": 1e9}
    to_the_end(
        job.start(obj, Recipe.from_dict({"name": "one", "edges": "closed", "step": [talus]}), {})
    )
    job.clear()
    expected = vertex_heights(obj.data)
    original.restore(obj.data)
    run = job.start(
        obj, Recipe.from_dict({"name": "two", "edges": "closed", "step": [talus, rising]}), {}
    )
    to_the_end(run)
    assert run.state == "done" and run.sentence.endswith("The result is that of the steps before.")
    assert vertex_heights(obj.data).tobytes() == expected.tobytes()
