# SPDX-License-Identifier: GPL-3.0-or-later
"""Variants as pictures, one of which is applied."""

import bpy
import numpy as np
import pytest

from erosion_addon import Terrain
from erosion_addon.bake.light import shaded_relief
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.scene.worker import worker_process
from erosion_addon.ui.recipe import steps
from erosion_addon.ui.run import progress, variants
from tests.scene.conftest import everything
from tests.ui.conftest import activate


@pytest.fixture(autouse=True)
def nothing_shown():
    yield
    variants.forget()


@pytest.fixture
def quick(terrain_object):
    """A terrain with a tenth of a drop per cell."""
    terrain_object.erosion.steps[0].droplet.drops_per_cell = 0.1
    return terrain_object


def picture(row, column):
    """(rows, cols, 3) uint8, as the panel shows it."""
    assert session.variants.result is not None
    preview = session.variants.pictures[str(row * len(session.variants.result.seeds) + column)]
    cols, rows = preview.image_size
    return np.rint(
        255.0 * np.array(preview.image_pixels_float).reshape(rows, cols, 4)[..., :3]
    ).astype(np.uint8)


def relief_of(terrain):
    sediment = np.empty(len(terrain.data.vertices), np.float32)
    terrain.data.attributes["sediment"].data.foreach_get("value", sediment)
    found, _ = grid.read_terrain(terrain)
    fields = {"sediment": sediment.reshape(found.shape).astype(np.float64)}
    return np.rint(255.0 * shaded_relief(Terrain(found.elevation, found.spacing, fields)))


def test_a_run_makes_what_the_picture_that_was_taken_shows(quick):
    """On a terrain no larger than the pictures the run in small is the run in full."""
    quick.erosion.seed, before = 4, everything(quick.data)
    assert bpy.ops.erosion.variants(
        seeds=2, vary="1.capacity", lowest=2.0, highest=8.0, values=2
    ) == {"FINISHED"}
    made = session.variants.result
    assert (made.target, made.values, made.seeds) == ("1.capacity", [2.0, 8.0], [4, 5])
    assert everything(quick.data) == before and quick.erosion.seed == 4
    seen = [picture(row, column) for row in (0, 1) for column in (0, 1)]
    assert len({one.tobytes() for one in seen}) == 4
    assert bpy.ops.erosion.variant_choose(number=3) == {"FINISHED"}
    assert (quick.erosion.seed, quick.erosion.steps[0].droplet.capacity) == (5, 8.0)
    bpy.ops.erosion.run("EXEC_DEFAULT")
    assert np.abs(relief_of(quick) - seen[3]).max() <= 1.0


def test_seeds_alone_leave_the_parameters(quick):
    recipe = steps.recipe_of(quick.erosion, [])
    bpy.ops.erosion.variants()
    assert [len(row) for row in session.variants.result.icons] == [
        3
    ] and session.variants.result.seeds == [0, 1, 2]
    bpy.ops.erosion.variant_choose(number=2)
    assert quick.erosion.seed == 2 and steps.recipe_of(quick.erosion, []).steps == recipe.steps


def test_a_large_terrain_is_shown_in_small_with_its_proportions():
    rows, cols = np.mgrid[:150, :300]
    land = 5.0 * np.sin(rows / 20.0) * np.cos(cols / 30.0)
    obj = make_grid_object("Wide", land, (10.0, 10.0), bpy.context.scene.collection)
    activate(obj)
    obj.erosion.recipe_name = "arcane"
    bpy.ops.erosion.variants(seeds=1)
    assert picture(0, 0).shape == (64, 128, 3)


def test_values_go_from_half_to_twice_the_value_within_its_range_unless_they_are_given(quick):
    quick.erosion.steps[0].droplet.capacity = 3.0
    bpy.ops.erosion.variants(seeds=1, vary="1.capacity")
    assert session.variants.result.values == [1.5, 3.0, 6.0]
    capacity = variants._item(quick.erosion, "1.capacity")[1]
    assert variants.values_between(capacity, 1.0, 2.0, 3) == [1.0, 1.5, 2.0]
    assert variants.values_between(capacity, 2.0, 2.0, 3) == [2.0]


def test_choices_are_all_there(quick):
    settings = quick.erosion
    found = [name for name, _, _ in variants._parameters(settings) if name]
    chosen = next(name for name in found if variants._item(settings, name)[1].choices)
    bpy.ops.erosion.variants(seeds=1, vary=chosen)
    assert session.variants.result.values == [*variants._item(settings, chosen)[1].choices]
    bpy.ops.erosion.variant_choose(number=1)
    assert getattr(settings.steps[0].droplet, chosen[2:]) == session.variants.result.values[1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"vary": "1.capacity", "lowest": -5.0, "highest": 1.0}, "capacity must be from"),
        ({"vary": "7.capacity"}, "not found in"),
    ],
)
def test_a_value_that_cannot_be_is_refused_before_any_work(quick, words, sentence):
    worker_process.stop()
    with pytest.raises((RuntimeError, TypeError), match=sentence):
        bpy.ops.erosion.variants(**words)
    assert (
        session.worker.runner is None
        and session.variants.result is None
        and session.run.task is None
    )


def test_a_recipe_that_was_changed_since_takes_no_value(quick):
    bpy.ops.erosion.variants(seeds=1, vary="1.capacity", values=2)
    quick.erosion.recipe_name = "soft downs"
    quick.erosion.steps[0].kind = "talus"
    before = steps.recipe_of(quick.erosion, [])
    with pytest.raises(RuntimeError, match="make the variants again"):
        bpy.ops.erosion.variant_choose(number=0)
    assert steps.recipe_of(quick.erosion, []) == before
    with pytest.raises(RuntimeError, match="There are 2 variants, counted from 0"):
        bpy.ops.erosion.variant_choose(number=2)


def test_another_terrain_has_no_variants(quick):
    bpy.ops.erosion.variants(seeds=1)
    assert bpy.ops.erosion.variant_choose.poll()
    other = make_grid_object("Other", np.zeros((20, 20)), (1.0, 1.0), bpy.context.scene.collection)
    activate(other)
    assert not bpy.ops.erosion.variant_choose.poll()


def test_canceled_variants_leave_those_before_and_no_worker(quick, monkeypatch):
    bpy.ops.erosion.variants(seeds=1)
    before = session.variants.result

    def cancel(task, seconds=0.0):
        task.listen(0.01)
        task.cancel()

    monkeypatch.setattr("erosion_addon.scene.run.machine.Task.poll", cancel)
    assert bpy.ops.erosion.variants(seeds=6) == {"CANCELLED"}
    assert session.variants.result is before and session.worker.runner is None
    assert progress.messages(bpy.context.object) == ["Variants of Terrain was canceled."]
