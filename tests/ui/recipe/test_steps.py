# SPDX-License-Identifier: GPL-3.0-or-later
"""Step list: steps added, removed, moved, duplicated, disabled; and their run."""

import json
from dataclasses import replace
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from erosion_addon import Recipe, Step, erode, ui
from erosion_addon.base.parameters import specifications
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.scene.worker import worker_process as process
from erosion_addon.terrain.limits import Limits
from erosion_addon.ui.recipe import recipes, step_list, steps
from erosion_addon.ui.run.run_panel import EROSION_PT_report
from tests.ui.conftest import activate, z_of
from tests.ui.run.test_run import run, undo, with_undo


def kinds_of(settings):
    return [item.kind for item in settings.steps]


@pytest.fixture
def stack(terrain_object):
    """Settings with a step of three kinds, the middle one active."""
    settings = terrain_object.erosion
    settings.steps.clear()
    for kind in ("droplet", "talus", "weather"):
        steps.add(settings, Step(kind, PROCESSES[kind].parameters()))
    settings.active_step = 1
    return settings


@pytest.fixture
def started(terrain_object):
    """A finished short run of three steps."""
    settings = terrain_object.erosion
    settings.steps.clear()
    for kind, values in (
        ("droplet", {"drops_per_cell": 0.5}),
        ("talus", {"reach": 20.0}),
        ("droplet", {}),
    ):
        steps.add(settings, Step(kind, PROCESSES[kind].parameters(**values)))
    run()
    return settings


def test_a_step_is_added_below_the_active_one_with_the_defaults_of_its_kind(stack):
    assert bpy.ops.erosion.step_add(kind="wind") == {"FINISHED"}
    assert kinds_of(stack) == ["droplet", "talus", "wind", "weather"]
    added = stack.steps[stack.active_step]
    assert (added.kind, added.name, added.enabled) == ("wind", "Wind", True)
    assert steps.step_of(added, []).parameters == PROCESSES["wind"].parameters()


def test_the_active_step_is_removed_and_the_last_one_stays(stack):
    bpy.ops.erosion.step_remove()
    assert kinds_of(stack) == ["droplet", "weather"] and stack.active_step == 1
    bpy.ops.erosion.step_remove()
    assert kinds_of(stack) == ["droplet"] and stack.active_step == 0
    with pytest.raises(RuntimeError, match="poll"):
        bpy.ops.erosion.step_remove()


def test_a_step_moves_up_and_down_to_the_ends_and_stays_the_active_one(stack):
    assert bpy.ops.erosion.step_move(direction="UP") == {"FINISHED"}
    assert kinds_of(stack) == ["talus", "droplet", "weather"] and stack.active_step == 0
    assert bpy.ops.erosion.step_move(direction="UP") == {"CANCELLED"}
    for _ in range(2):
        bpy.ops.erosion.step_move(direction="DOWN")
    assert kinds_of(stack) == ["droplet", "weather", "talus"] and stack.active_step == 2
    assert bpy.ops.erosion.step_move(direction="DOWN") == {"CANCELLED"}


def test_a_duplicate_is_like_its_original_in_everything(stack):
    bpy.ops.erosion.recipe_load(name="barchan field")  # whose numbers are not all those of float32
    stack.active_step = next(i for i, item in enumerate(stack.steps) if item.kind == "dunes")
    original = stack.steps[stack.active_step]
    original.name = "Sea breeze"
    original.enabled = False
    original.dunes.supply = 1.25
    count = len(stack.steps)
    place = stack.active_step
    bpy.ops.erosion.step_duplicate()
    assert len(stack.steps) == count + 1 and stack.active_step == place + 1
    one = stack.steps[place]
    other = stack.steps[place + 1]
    assert (other.name, other.enabled, other.dunes.supply) == ("Sea breeze", False, 1.25)
    assert steps.step_of(one, []) == steps.step_of(other, [])
    other.dunes.supply = 3.0
    assert one.dunes.supply == 1.25


def test_steps_run_in_the_order_of_the_list_and_those_switched_off_do_not(terrain_object, stack):
    stack.steps[0].droplet.drops_per_cell = 0.5
    stack.steps[1].talus.reach = 30.0
    stack.steps[2].enabled = False
    bpy.ops.erosion.step_move(direction="UP")
    terrain, _ = grid.read_terrain(terrain_object)
    run()
    recipe = Recipe.from_dict(
        {
            "name": "x",
            "step": [{"kind": "talus", "reach": 30.0}, {"kind": "droplet", "drops_per_cell": 0.5}],
        }
    )
    expected = erode(terrain, recipe, seed=stack.seed)
    report = json.loads(stack.report)
    assert [step["kind"] for step in report["steps"]] == ["talus", "droplet"]
    assert report["sha256"]["elevation"] == expected.report["sha256"]["elevation"]


def test_every_change_of_the_stack_is_one_undo_step(terrain_object, stack):
    name = terrain_object.name
    before = kinds_of(stack)
    for operator, options in (
        (bpy.ops.erosion.step_add, {"kind": "rill"}),
        (bpy.ops.erosion.step_remove, {}),
        (bpy.ops.erosion.step_duplicate, {}),
        (bpy.ops.erosion.step_move, {"direction": "DOWN"}),
    ):
        with_undo(
            lambda context, undo, operator=operator, options=options: operator(
                context, undo, **options
            )
        )
        assert kinds_of(bpy.data.objects[name].erosion) != before
        undo()
        assert kinds_of(bpy.data.objects[name].erosion) == before
        assert bpy.data.objects[name].erosion.active_step == 1


def test_an_object_without_steps_gets_those_of_its_recipe_when_they_are_needed():
    obj = make_grid_object("New", np.zeros((8, 8)), (10.0, 10.0), bpy.context.scene.collection)
    activate(obj)
    obj.erosion.edges = "wrap"
    obj.erosion.seed = 12
    named = [step.kind for step in Recipe.load(obj.erosion.recipe_name).steps]
    assert not obj.erosion.steps
    bpy.ops.erosion.step_add(kind="wind")
    assert kinds_of(obj.erosion) == [named[0], "wind", *named[1:]]
    assert (obj.erosion.edges, obj.erosion.seed) == ("wrap", 12)


def test_the_panel_gives_an_object_its_steps_soon_after_it_was_drawn(terrain_object):
    new = make_grid_object("New", np.zeros((8, 8)), (10.0, 10.0), bpy.context.scene.collection)
    wanted = steps.recipe_of(new.erosion, [])
    step_list._fill_soon(new)
    assert bpy.app.timers.is_registered(step_list._fill) and not new.erosion.steps
    step_list._fill()
    assert steps.recipe_of(new.erosion, []).steps == wanted.steps and len(new.erosion.steps) == len(
        wanted.steps
    )
    assert not bpy.data.objects["Terrain"].erosion.steps[0].name.startswith("New")
    new.erosion.recipe_name = "nowhere"  # whose steps are nobody's
    new.erosion.steps.clear()
    new.erosion.recipe_loaded = ""
    step_list._fill_soon(new)
    step_list._fill()
    assert not new.erosion.steps


def test_without_a_terrain_the_operators_say_so():
    assert not bpy.ops.erosion.step_add.poll()
    camera = bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye"))
    bpy.context.scene.collection.objects.link(camera)
    activate(camera)
    assert not bpy.ops.erosion.step_move.poll()


def test_a_recipe_has_no_more_steps_than_it_may(stack):
    while len(stack.steps) < 64:
        steps.add(stack, Step("talus", PROCESSES["talus"].parameters()))
    assert not bpy.ops.erosion.step_add.poll() and not bpy.ops.erosion.step_duplicate.poll()
    assert bpy.ops.erosion.step_remove.poll() and len(steps.recipe_of(stack, []).steps) == 64


def test_every_kind_has_an_icon_and_a_description():
    known = bpy.types.UILayout.bl_rna.functions["prop"].parameters["icon"].enum_items.keys()
    assert {process.icon for process in PROCESSES.values()} <= set(known)
    items = bpy.ops.erosion.step_add.get_rna_type().properties["kind"].enum_items
    assert [item.identifier for item in items] == list(PROCESSES)
    assert all(len(item.description) > 40 for item in items)


def test_when_the_third_step_changes_the_worker_runs_it_alone(terrain_object, started):
    started.steps[2].droplet.capacity = 3.0
    run()
    report = json.loads(started.report)
    assert [step.get("reused", False) for step in report["steps"]] == [True, True, False]
    reused = z_of(terrain_object).tobytes()
    process.stop()  # a new worker knows nothing of earlier runs
    run()
    again = json.loads(started.report)
    assert not any("reused" in step for step in again["steps"])
    assert z_of(terrain_object).tobytes() == reused and again["sha256"] == report["sha256"]


class Drawn:
    """A layout that takes what Blender's takes, and remembers which settings are shown and whether
    they act.
    """

    FUNCTIONS = bpy.types.UILayout.bl_rna.functions

    def __init__(self, seen=None, active=True):
        self.seen = {"settings": {}, "calls": []} if seen is None else seen
        self.active = active  # what is grayed grays what stands in it

    def __getattr__(self, name):
        known = self.FUNCTIONS[name].parameters.keys()
        results = [item.identifier for item in self.FUNCTIONS[name].parameters if item.is_output]

        def call(*given, **named):
            assert set(named) <= set(known) and len(given) + len(named) <= len(known)
            self.seen["calls"].append((name, given, named))
            if name == "prop":
                self.seen["settings"][given[1]] = self.active
            made = [Drawn(self.seen, self.active) for _ in results]
            return made[0] if len(made) == 1 else made

        return call


def shown(item):
    layout = Drawn()
    step_list._draw_settings(layout, item, False)
    return layout.seen["settings"]


def test_the_panel_shows_the_list_its_buttons_and_the_active_step(terrain_object, stack):
    stack.steps[1].name = "Rockfall"
    layout = Drawn()
    step_list.EROSION_PT_steps.draw(SimpleNamespace(layout=layout), bpy.context)
    calls = layout.seen["calls"]
    assert {given[0] for name, given, _ in calls if name.startswith("operator")} == {
        "erosion.step_add",
        "erosion.step_remove",
        "erosion.step_move",
        "erosion.step_duplicate",
    }
    parameters = {"sediment_angle", "rock_angle", "collapse", "reach", "coarse_to_fine"}
    switches = {"max_erosion_auto", "max_deposition_auto"}
    settings = {name for name in layout.seen["settings"] if name not in switches}
    assert settings == parameters | (
        set(specifications(Limits)) - {"max_erosion", "max_deposition"}
    )
    assert switches <= set(layout.seen["settings"])
    assert any(name == "label" and named["text"] == "Talus" for name, _, named in calls)
    stack.active_step = 40  # by a script
    step_list.EROSION_PT_steps.draw(SimpleNamespace(layout=Drawn()), bpy.context)
    for number, item in enumerate(stack.steps):
        row = Drawn()
        item.name = "" if number == 2 else item.name
        step_list.EROSION_UL_steps.draw_item(
            None, bpy.context, row, stack, item, 0, stack, "active_step"
        )
        names = [given[1] for name, given, _ in row.seen["calls"] if name == "prop"]
        assert names == ["enabled", "name"][: 1 if number == 2 else 2]


def test_the_list_shows_the_icon_and_the_label_that_a_record_of_a_new_process_gives(monkeypatch):
    record = PROCESSES["talus"]._replace(kind="lowering", label="Lowering", icon="TRIA_DOWN")
    monkeypatch.setitem(PROCESSES, "lowering", record)
    row = Drawn()
    item = SimpleNamespace(kind="lowering", name="", enabled=True)
    step_list.EROSION_UL_steps.draw_item(None, bpy.context, row, None, item, 0, None, "active_step")
    labels = [named for name, _, named in row.seen["calls"] if name == "label"]
    assert labels == [{"text": "Lowering", "icon": "TRIA_DOWN"}]


@pytest.mark.parametrize("kind", PROCESSES)
def test_no_step_shows_a_longer_list_than_ten_settings_at_once(stack, kind):
    bpy.ops.erosion.step_add(kind=kind)
    layout = Drawn()
    step_list._draw_settings(layout, stack.steps[stack.active_step], False)
    rows = 0
    longest = 0
    for name, _, _ in layout.seen["calls"]:
        rows = 0 if name == "panel" else rows + (name == "prop")
        longest = max(longest, rows)
    assert 3 < longest <= 10


def test_settings_that_do_not_act_are_grayed_and_groups_of_them_hidden(stack):
    bpy.ops.erosion.step_add(kind="wind")
    item = stack.steps[stack.active_step]
    layer = {
        "boundary_layer",
        "capacity",
        "windward_lift",
        "exchange",
        "load_weight",
        "load_drag",
        "turbulence",
    }
    assert not layer & set(shown(item)) and shown(item)["suspension"] and shown(item)["gravity"]
    item.wind.flight = "boundary layer"
    drawn = shown(item)
    assert (
        all(drawn[name] for name in layer)
        and drawn["gravity"] is False
        and drawn["suspension"] is False
    )
    bpy.ops.erosion.step_add(kind="water")
    item = stack.steps[stack.active_step]
    assert (
        shown(item)["cloud_cover"]
        and shown(item)["cloud_size"] is False
        and shown(item)["water_level"] is False
    )
    item.water.cloud_cover = 0.5
    item.water.standing_water = "everywhere"
    assert shown(item)["cloud_size"] and shown(item)["water_level"]
    item.enabled = False
    assert not any(shown(item).values())


def test_steps_of_a_recipe_have_its_names_in_the_list_in_the_run_and_in_a_saved_recipe(stack):
    bpy.ops.erosion.recipe_load(name="alpine")
    names = ["Let rivers find their way", "Carve gullies", "Reopen the valleys", "Let it snow"]
    assert [item.name for item in stack.steps] == names
    stack.steps[1].name = "  Dig " + "deep " * 40
    recipe = steps.recipe_of(stack, [])
    assert [step.title for step in recipe.steps] == [
        names[0],
        ("Dig " + "deep " * 40)[:60].rstrip(),
        *names[2:],
    ]
    assert not recipes.is_changed(stack)  # a name changes nothing of the land
    stack.steps[1].name = PROCESSES[stack.steps[1].kind].label
    assert steps.recipe_of(stack, []).steps[1].name == ""


GARBAGE = [
    "{",
    "7",
    "[]",
    "null",
    '"x"',
    '{"wind_rose": 3}',
    '{"wind_rose": [1]}',
    '{"wind_rose": [["a", 2]]}',
    '{"capacity": "x"}',
    '{"capacity": [1]}',
    '{"nothing": 1}',
    "[" * 100_000,
    '{"direction": NaN}',
]


@pytest.mark.parametrize("kind", ["droplet", "wind"])
@pytest.mark.parametrize("loaded", GARBAGE)
def test_what_a_file_holds_in_place_of_the_loaded_parameters_counts_as_none(
    terrain_object, kind, loaded
):
    settings = terrain_object.erosion
    settings.steps.clear()
    steps.add(settings, Step(kind, PROCESSES[kind].parameters()))
    settings.steps[0].loaded = ""
    expected = steps.recipe_of(settings, [])
    settings.steps[0].loaded = loaded
    assert steps.recipe_of(settings, []) == expected
    settings.steps[0].property_unset("winds")
    assert steps.winds_of(settings.steps[0]) == []


@pytest.mark.parametrize(
    "report", ["{", "7", "[]", "null", "{}", '{"grid": 1, "mass": 2}', "[" * 100_000]
)
def test_a_damaged_report_is_said_to_be_damaged(terrain_object, report):
    terrain_object.erosion.report = report
    layout = Drawn()
    EROSION_PT_report.draw(SimpleNamespace(layout=layout), bpy.context)
    [line] = [named["text"] for name, _, named in layout.seen["calls"] if name == "label"]
    assert line == "The report of the last run is damaged."


def test_no_two_classes_have_the_same_name():
    names = [cls.__name__ for module in ui._MODULES for cls in module.CLASSES]
    assert sorted(names) == sorted(set(names))


def test_limits_of_a_step_come_from_the_recipe_are_copied_and_reach_the_run(terrain_object):
    settings = terrain_object.erosion
    limited = replace(
        Recipe.load("alpine"),
        steps=tuple(
            replace(step, limits=Limits(highest=812.3, max_erosion=0.1))
            for step in Recipe.load("alpine").steps[:1]
        ),
    )
    steps.fill(settings, limited)
    bpy.ops.erosion.step_duplicate()
    meant = steps.recipe_of(settings, []).steps
    assert [step.limits for step in meant] == [Limits(highest=812.3, max_erosion=0.1)] * 2
    settings.steps[0].limits.max_erosion_auto = True
    assert steps.recipe_of(settings, []).steps[0].limits == Limits(highest=812.3)


def test_masks_of_parameters_come_from_the_recipe_are_copied_and_reach_the_run(terrain_object):
    settings = terrain_object.erosion
    scaled = Recipe.load("arcane").with_values({"1.masks.erosion_rate": "area_a"})
    steps.fill(settings, replace(scaled, steps=scaled.steps[:1]))
    bpy.ops.erosion.step_duplicate()
    assert [step.masks for step in steps.recipe_of(settings, []).steps] == [
        {"erosion_rate": "area_a"}
    ] * 2
    settings.steps[0].droplet_masks.erosion_rate = "none"
    assert steps.recipe_of(settings, []).steps[0].masks == {}
    with pytest.raises(RuntimeError, match="the mask area_a that scales erosion_rate is missing"):
        bpy.ops.erosion.run()


def test_a_painted_area_scales_the_parameter_that_names_it(terrain_object):
    settings = terrain_object.erosion
    before = z_of(terrain_object)
    scaled = Recipe.load("arcane").with_values({"1.masks.erosion_rate": "area_a"})
    steps.fill(settings, replace(scaled, steps=scaled.steps[:1]))
    group = terrain_object.vertex_groups.new(name="nowhere")
    group.add(range(len(terrain_object.data.vertices)), 0.0, "REPLACE")
    settings.area_a.source = "VERTEX_GROUP"
    settings.area_a.layer = "nowhere"
    run()
    np.testing.assert_array_equal(z_of(terrain_object), before)
