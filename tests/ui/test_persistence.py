# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings, original and report stay with the object: saved, opened, copied, linked, appended."""

import json

import bpy
import pytest

from erosion_addon import Recipe, Step
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.scene.original import original as source
from erosion_addon.scene.run import job
from erosion_addon.scene.worker import worker_process as process
from erosion_addon.ui.recipe import steps
from tests.ui.conftest import activate, z_of
from tests.ui.run.test_run import run

STEPS = (
    ("droplet", {"drops_per_cell": 0.5, "inertia": 0.3}),
    ("weather", {}),
    ("talus", {"reach": 20.0}),
)


@pytest.fixture
def eroded(terrain_object):
    """A terrain of three steps, eroded: its heights before and after, the recipe that it stands
    for, its report.
    """
    settings = terrain_object.erosion
    settings.steps.clear()
    for kind, values in STEPS:
        steps.add(settings, Step(kind, PROCESSES[kind].parameters(**values)))
    settings.steps[1].name = "Frost"
    settings.steps[1].enabled = False
    settings.active_step = 2
    settings.seed = 77
    settings.edges = "wrap"
    springs = bpy.data.collections.new("Springs")
    spring = bpy.data.objects.new("Spring", None)
    spring.location = (100.0, 50.0, 500.0)
    springs.objects.link(spring)
    settings.springs = springs
    bpy.context.scene.collection.children.link(springs)
    before = z_of(terrain_object).tobytes()
    run()
    return (
        before,
        z_of(terrain_object).tobytes(),
        steps.recipe_of(settings, []),
        json.loads(settings.report),
    )


def check(obj, eroded):
    """Check the object: its step list, its report, a run from its original, and Restore."""
    before, after, recipe, report = eroded
    settings = obj.erosion
    assert steps.recipe_of(settings, []) == recipe
    assert [(item.name, item.enabled) for item in settings.steps] == [
        ("Droplets", True),
        ("Frost", False),
        ("Talus", True),
    ]
    assert (settings.active_step, settings.seed, settings.edges) == (2, 77, "wrap")
    assert json.loads(settings.report) == report
    assert z_of(obj).tobytes() == after and source.is_untouched_result(obj.data)
    activate(obj)
    assert run() == {"FINISHED"}
    assert (
        z_of(obj).tobytes() == after and json.loads(settings.report)["sha256"] == report["sha256"]
    )
    settings.seed = 78
    run()
    assert z_of(obj).tobytes() != after
    assert bpy.ops.erosion.restore() == {"FINISHED"}
    assert (
        z_of(obj).tobytes() == before and not source.has_source(obj.data) and settings.report == ""
    )


def saved(tmp_path):
    path = str(tmp_path / "größe 1.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    return path


def test_a_saved_file_opens_with_all_of_it(eroded, tmp_path):
    path = saved(tmp_path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    check(bpy.data.objects["Terrain"], eroded)


def test_an_object_appended_to_another_file_brings_all_of_it(eroded, tmp_path):
    path = saved(tmp_path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.append(
        filepath=f"{path}/Object/Terrain", directory=f"{path}/Object/", filename="Terrain"
    )
    obj = bpy.data.objects["Terrain"]
    assert obj.library is None and [spring.name for spring in obj.erosion.springs.objects] == [
        "Spring"
    ]
    check(obj, eroded)


def test_a_duplicate_has_all_of_its_own(terrain_object, eroded):
    activate(terrain_object)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy != terrain_object and copy.data != terrain_object.data
    terrain_object.select_set(False)
    check(copy, eroded)
    copy.erosion.steps.clear()
    copy.select_set(False)
    check(terrain_object, eroded)  # which nothing has happened to


def test_a_linked_duplicate_has_the_settings_and_runs_once_it_has_a_mesh_of_its_own(
    terrain_object, eroded
):
    activate(terrain_object)
    bpy.ops.object.duplicate(linked=True)
    twin = bpy.context.object
    assert twin.data == terrain_object.data
    assert (
        not bpy.ops.erosion.run.poll()
        and not bpy.ops.erosion.restore.poll()
        and not bpy.ops.erosion.apply.poll()
    )
    terrain_object.select_set(False)
    bpy.ops.object.make_single_user(object=True, obdata=True)
    check(twin, eroded)
    twin.select_set(False)
    check(terrain_object, eroded)


def test_an_object_linked_from_another_file_is_left_alone(eroded, tmp_path):
    path = saved(tmp_path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.link(
        filepath=f"{path}/Object/Terrain", directory=f"{path}/Object/", filename="Terrain"
    )
    activate(bpy.data.objects["Terrain"])
    for operator in (
        "run",
        "restore",
        "apply",
        "step_add",
        "step_remove",
        "step_move",
        "step_duplicate",
        "recipe_load",
        "recipe_reset",
        "recipe_choose",
    ):
        assert not getattr(bpy.ops.erosion, operator).poll(), operator
    name = bpy.context.object.erosion.recipe_name
    # which changes nothing there
    assert bpy.ops.erosion.recipe_save(name="From the library") == {"FINISHED"}
    assert bpy.context.object.erosion.recipe_name == name


def test_a_paused_run_goes_on_in_a_file_opened_again(terrain_object, tmp_path):
    recipe = Recipe.load("arcane").with_values({"droplet.drops_per_cell": 1000.0})
    steps.fill(terrain_object.erosion, recipe)
    paused = job.start(terrain_object, recipe, {})
    while paused.state in ("starting", "compiling"):
        paused.poll(0.05)
    bpy.ops.erosion.pause()
    while not paused.ended:
        paused.poll(0.1)
    job.clear()
    stopped = z_of(terrain_object).tobytes()
    assert source.is_paused(terrain_object.data)
    path = saved(tmp_path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    obj = bpy.data.objects["Terrain"]
    activate(obj)
    assert run(resume=True) == {"FINISHED"}
    whole = z_of(obj).tobytes()
    assert whole != stopped and not source.is_paused(obj.data)
    process.stop()  # so that nothing of it is reused
    run()
    assert z_of(obj).tobytes() == whole
