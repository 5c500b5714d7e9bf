# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush strokes on a mesh: result, stored strokes, undo."""

import json
import math
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from erosion_addon import Recipe, erode
from erosion_addon.processes.brush.parameters import REVERSED, Stroke
from erosion_addon.scene.brush import ground as grounds
from erosion_addon.scene.brush import painter as painters
from erosion_addon.scene.brush.painter import Painter
from erosion_addon.scene.original import original
from erosion_addon.scene.run import displayed_heights, job
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.mesh import make_grid_object, vertex_heights, write_heights
from erosion_addon.ui.brush.stroke import EROSION_OT_brush_stroke
from erosion_addon.ui.recipe import brush_layers, steps, stroke_properties
from tests.mesh_contents import everything
from tests.terrains import fractal

SIDE = 64
CELL = 10.0
KINDS = ("rain", "talus", "smooth", "raise", "sand", "wind", "rills")


@pytest.fixture
def terrain():
    made = make_grid_object(
        "Terrain", fractal(SIDE, SIDE, 150.0), (CELL, CELL), bpy.context.scene.collection
    )
    bpy.context.view_layer.objects.active = made
    made.erosion.recipe_name = "light rills"
    bpy.context.scene.erosion_brush.radius = 120.0
    bpy.ops.ed.undo_push(message="Begin")
    yield made
    job.clear()


def the_terrain():
    return bpy.data.objects["Terrain"]


def heights():
    return vertex_heights(the_terrain().data)


def stroke(kind="rain", count=3, x=-80.0, y=0.0, pressure=1.0, **settings):
    """Paint by the operator, along x from a place in the world; the middle of the terrain is at
    0.
    """
    brush = bpy.context.scene.erosion_brush
    brush.kind = kind
    for name, value in settings.items():
        setattr(brush, name, value)
    places = [(x + 30.0 * number, y, 0.0) for number in range(count)]
    given = [{"name": "", "location": place, "pressure": pressure} for place in places]
    return bpy.ops.erosion.brush_stroke(stroke=given)


def layers():
    return [item for item in the_terrain().erosion.steps if item.kind == "brush"]


def replayed(only_brush=True):
    """Heights by the brush steps on the terrain before erosion, in this process, as on the command
    line.
    """
    obj = the_terrain()
    recipe = steps.recipe_of(obj.erosion, [])
    written = Recipe.parse(recipe.to_toml(), "painted.toml")
    painted = tuple(step for step in written.steps if step.kind == "brush" or not only_brush)
    made = Recipe("painted", painted, edges=written.edges)
    source = original.source_heights(obj.data)
    return erode(grid.terrain_of(grid.find_lattice(obj), source), made)


def test_what_was_painted_is_what_a_run_of_the_recipe_makes(terrain):
    before = heights()
    for number, kind in enumerate(KINDS):
        assert stroke(kind, y=20.0 * number, angle=20.0) == {"FINISHED"}
    assert [len(item.strokes) for item in layers()] == [7]
    after = replayed()
    painted = heights()
    assert painted.tobytes() == after.elevation.astype(np.float32).tobytes() != before.tobytes()
    for name in ("sediment", "wear", "deposition", "bedrock"):
        values = np.empty(SIDE * SIDE, np.float32)
        the_terrain().data.attributes[name].data.foreach_get("value", values)
        np.testing.assert_allclose(values, after[name].ravel(), atol=1e-5)
    assert original.source_heights(the_terrain().data).tobytes() == before.tobytes()
    bpy.ops.erosion.restore()
    assert heights().tobytes() == before.tobytes()


def test_strokes_over_wrapped_edges_are_made_again_to_the_byte(terrain):
    terrain.erosion.edges = "wrap"
    before = heights().reshape(SIDE, SIDE)
    for kind in KINDS:  # all of them over the corner, one after another on what the others left
        assert stroke(kind, count=5, x=230.0, y=-310.0, angle=20.0) == {"FINISHED"}
        assert heights().tobytes() == replayed().elevation.astype(np.float32).tobytes(), kind
    far = (heights().reshape(SIDE, SIDE) != before)[-8:, :8]
    assert far.mean() > 0.5  # the opposite corner


def test_on_a_result_strokes_are_the_last_step_and_a_run_does_them_again(terrain):
    terrain.erosion.steps.clear()
    steps.fill(
        terrain.erosion,
        Recipe.from_dict({"name": "one", "step": [{"kind": "talus", "rock_angle": 30.0}]}),
    )
    bpy.ops.erosion.run()
    assert stroke("rain") == {"FINISHED"}
    assert [item.kind for item in terrain.erosion.steps] == ["talus", "brush"]
    painted = heights()
    bpy.ops.erosion.run()
    assert heights().tobytes() == painted.tobytes()
    assert stroke("smooth") == {"FINISHED"} and [len(item.strokes) for item in layers()] == [2]
    assert replayed(only_brush=False).elevation.astype(np.float32).tobytes() == heights().tobytes()


def test_fifty_strokes_are_undone_and_done_again_one_by_one(terrain, monkeypatch):
    edit = bpy.context.preferences.edit
    monkeypatch.setattr(edit, "undo_steps", 64)  # 32 by default
    seen = [(heights().tobytes(), 0)]
    for number in range(50):
        assert stroke(("rain", "raise", "smooth")[number % 3], count=1, x=-200.0 + 8 * number) == {
            "FINISHED"
        }
        bpy.ops.ed.undo_push(message="Erosion Brush")
        seen.append((heights().tobytes(), sum(len(item.strokes) for item in layers())))
    assert seen[-1][1] == 50
    for number in range(49, -1, -1):
        bpy.ops.ed.undo()
        assert (heights().tobytes(), sum(len(item.strokes) for item in layers())) == seen[number]
    for number in range(1, 51):
        bpy.ops.ed.redo()
        assert (heights().tobytes(), sum(len(item.strokes) for item in layers())) == seen[number]
    assert stroke("talus", angle=20.0) == {"FINISHED"}
    assert heights().tobytes() == replayed().elevation.astype(np.float32).tobytes()


@pytest.mark.parametrize("portions", [1, 2, 7])
def test_the_bytes_do_not_depend_on_how_dabs_come(terrain, portions):
    dabs = [(200.0 + 10.0 * number, 300.0, 1.0) for number in range(7)]
    found = []
    for size in (7, portions):
        grounds.forget()
        painter = Painter(
            terrain,
            grounds.of(terrain),
            Stroke(kind="rain", radius=100.0, strength=1.0),
            {},
            None,
            "open",
            2,
        )
        for first in range(0, 7, size):
            for dab in dabs[first : first + size]:
                painter.dab(*dab)
            painter.tick()
            while painter._is_asked:
                painter.tick(0.05)
        painter.end()
        while not painter.ended:
            painter.tick(0.05)
            assert not painter.fault
        found.append(painter._heights.tobytes())
        painter.cancel()
    assert found[0] == found[1]


def test_the_fingerprint_of_a_stroke_is_made_beside_it(terrain):
    painter = Painter(
        terrain, grounds.of(terrain), Stroke(kind="raise", radius=100.0), {}, None, "open", 1
    )
    painter.dab(200.0, 200.0)
    painter.end()
    while not painter.ended:
        painter.tick(0.05)
    while not painter.is_settled():
        pass
    painter.commit()
    assert original.is_untouched_result(terrain.data)
    heights = vertex_heights(terrain.data)
    heights[0] += 1.0
    write_heights(terrain.data, heights)
    assert not original.is_untouched_result(terrain.data)


def test_a_stroke_given_up_leaves_every_byte(terrain):
    before = heights().tobytes()
    names = [attribute.name for attribute in terrain.data.attributes]
    painter = Painter(
        terrain, grounds.of(terrain), Stroke(kind="raise", radius=100.0), {}, None, "open", 1
    )
    painter.dab(300.0, 300.0)
    while not displayed_heights.is_shown(terrain.data):
        painter.tick(0.05)
        assert not painter.fault
    painter.cancel()
    assert (
        heights().tobytes() == before
        and [attribute.name for attribute in terrain.data.attributes] == names
    )
    shown = np.empty(3 * SIDE * SIDE, np.float32)
    terrain.data.attributes["position"].data.foreach_get("vector", shown)
    assert shown[2::3].tobytes() == before
    assert (
        stroke() == {"FINISHED"}
        and heights().tobytes() == replayed().elevation.astype(np.float32).tobytes()
    )


@pytest.mark.parametrize("place", ["a change that comes", "the commit"])
def test_a_stroke_that_fails_ends_in_a_sentence_and_leaves_every_byte(terrain, monkeypatch, place):
    before = heights().tobytes()
    names = [attribute.name for attribute in terrain.data.attributes]
    said = []
    timers = ["timer"]
    operator = type("Held", (), dict(vars(EROSION_OT_brush_stroke)))()  # Blender alone makes one
    operator.report = lambda *words: said.append(words)
    operator._timer = "timer"
    operator._told = ""
    operator._last = None
    manager = SimpleNamespace(event_timer_remove=timers.remove)
    context = SimpleNamespace(window_manager=manager, area=None, scene=bpy.context.scene)
    operator._still = 0
    operator._layer_is_new = True
    operator._painter = painter = Painter(
        terrain, grounds.of(terrain), Stroke(kind="raise", radius=100.0), {}, None, "open", 1
    )
    operator._was_result = False
    operator._mark = ""
    painter.dab(300.0, 300.0)
    while not displayed_heights.is_shown(terrain.data):
        painter.tick(0.05)
    with monkeypatch.context() as patch:
        owner, name = (
            (displayed_heights, "show")
            if place == "a change that comes"
            else (original, "mark_result")
        )
        patch.setattr(owner, name, lambda *_: 1 / 0)
        painter.dab(320.0, 300.0)
        painter.is_last = place == "the commit"
        while (done := operator.modal(context, SimpleNamespace(type="TIMER", value="NOTHING"))) == {
            "RUNNING_MODAL"
        }:
            pass
    assert done == {"CANCELLED"} and not timers
    assert said == [
        ({"ERROR"}, "The brush failed because of an internal error; see the system console.")
    ]
    assert not displayed_heights.is_shown(terrain.data) and not layers()
    assert (
        heights().tobytes() == before
        and [attribute.name for attribute in terrain.data.attributes] == names
    )
    assert (
        stroke() == {"FINISHED"}
        and heights().tobytes() == replayed().elevation.astype(np.float32).tobytes()
    )


def all_that_counts(obj):
    """All that the mesh holds, our custom properties, and the recipe of a terrain."""
    recipe = [
        (item.name, item.kind, item.painted, [kept.data for kept in item.strokes])
        for item in obj.erosion.steps
    ]
    return (
        everything(obj.data),
        dict(obj.data.items()),
        recipe,
        obj.erosion.active_step,
        len(bpy.data.meshes),
    )


@pytest.mark.parametrize(
    ("painted", "name"), [(0, "ensure"), (0, "add"), (0, "append"), (1, "append")]
)
def test_a_stroke_that_cannot_be_kept_in_the_recipe_is_not_on_the_mesh_either(
    terrain, monkeypatch, painted, name
):
    for _ in range(painted):
        stroke("rain")
    before = all_that_counts(terrain)

    def failing(*given):
        if name == "append":
            given[0].strokes.add()
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(stroke_properties if name == "append" else steps, name, failing)
        assert "There is not enough memory" in refusal(terrain, kind="raise")
    assert all_that_counts(terrain) == before
    assert (
        stroke("raise") == {"FINISHED"}
        and sum(len(item.strokes) for item in layers()) == painted + 1
    )
    assert heights().tobytes() == replayed().elevation.astype(np.float32).tobytes()


@pytest.mark.parametrize(
    "place", [(painters, "positions"), (Painter, "_measure")], ids=["the commit", "a change"]
)
def test_a_stroke_lost_for_lack_of_memory_is_not_in_the_next_one(terrain, monkeypatch, place):
    stroke("rain")
    before = all_that_counts(terrain)

    def failing(*_):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(*place, failing)
        assert "There is not enough memory" in refusal(terrain, kind="raise")
    assert all_that_counts(terrain) == before
    assert stroke("raise", x=100.0) == {"FINISHED"}
    assert heights().tobytes() == replayed().elevation.astype(np.float32).tobytes()


def test_a_terrain_deleted_in_a_stroke_is_said_to_be(terrain):
    painter = Painter(
        terrain, grounds.of(terrain), Stroke(kind="raise", radius=100.0), {}, None, "open", 1
    )
    painter.dab(300.0, 300.0)
    bpy.data.objects.remove(terrain)
    while not painter.fault:
        painter.tick(0.05)
    assert painter.fault == "The terrain under the brush was deleted."
    painter.cancel()


def test_strokes_survive_the_file(terrain, tmp_path):
    stroke("rain")
    stroke("raise")
    painted = heights().tobytes()
    kept = [item.data for item in layers()[0].strokes]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "painted.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "painted.blend"))
    assert heights().tobytes() == painted and [item.data for item in layers()[0].strokes] == kept
    assert stroke("talus", angle=20.0) == {"FINISHED"} and len(layers()[0].strokes) == 3
    assert heights().tobytes() == replayed().elevation.astype(np.float32).tobytes()


def test_a_larger_terrain_gets_the_strokes_in_the_same_place(terrain):
    stroke("raise", count=1, x=0.0)
    steps_kept = steps.recipe_of(terrain.erosion, [])
    made = Recipe("painted", tuple(step for step in steps_kept.steps if step.kind == "brush"))
    fine = grid.terrain_of(grid.find_lattice(terrain), original.source_heights(terrain.data))
    twice = type(fine)(np.zeros((127, 127)), CELL / 2)
    rise = erode(twice, made).elevation
    coarse = heights().reshape(SIDE, SIDE) - original.source_heights(terrain.data).reshape(
        SIDE, SIDE
    )
    np.testing.assert_allclose(rise[::2, ::2], coarse, atol=1e-4)
    assert rise.sum() * (CELL / 2) ** 2 == pytest.approx(coarse.sum() * CELL**2, rel=0.01)


def test_masks_hold_under_the_brush(terrain):
    group = terrain.vertex_groups.new(name="Free")
    group.add([index for index in range(SIDE * SIDE) if index % SIDE < 32], 1.0, "REPLACE")
    terrain.erosion.strength.source = "VERTEX_GROUP"
    terrain.erosion.strength.layer = "Free"
    before = heights().reshape(SIDE, SIDE)
    assert stroke("raise") == {"FINISHED"}
    after = heights().reshape(SIDE, SIDE)
    assert (after[:, 32:] == before[:, 32:]).all() and (after[:, :32] != before[:, :32]).any()


def test_loose_material_of_a_mask_counts_as_there_before_where_the_mouse_was_over_the_terrain_first(
    terrain,
):
    group = terrain.vertex_groups.new(name="Sand")
    group.add([index for index in range(SIDE * SIDE) if index % SIDE < 32], 1.0, "REPLACE")
    terrain.erosion.sediment.source = "VERTEX_GROUP"
    terrain.erosion.sediment.layer = "Sand"
    grounds.latest(terrain)
    assert stroke("raise", count=1, x=-150.0) == {"FINISHED"}
    sand, laid = (np.empty(SIDE * SIDE, np.float32) for _ in range(2))
    terrain.data.attributes["sediment"].data.foreach_get("value", sand)
    terrain.data.attributes["deposition"].data.foreach_get("value", laid)
    assert sand.max() == 1.0 and laid.max() == 0.0
    sediment = np.where(np.arange(SIDE) < 32, 1.0, 0.0) * np.ones((SIDE, 1))
    assert sand.reshape(SIDE, SIDE) == pytest.approx(sediment)
    assert (
        grounds.of(terrain, grounds.latest(terrain).sediment).digest
        == terrain.data[original.RESULT]
    )


def test_a_scaled_and_turned_terrain_is_painted_where_the_brush_is(terrain):
    terrain.scale = (2.0, 2.0, 3.0)
    terrain.rotation_euler = (0.0, 0.0, 0.5)
    terrain.location = (100.0, -50.0, 20.0)
    bpy.context.view_layer.update()
    before = heights().reshape(SIDE, SIDE)
    assert stroke("raise", count=1, x=100.0, y=-50.0, radius=200.0) == {"FINISHED"}
    rise = heights().reshape(SIDE, SIDE) - before
    row, col = np.unravel_index(np.argmax(rise), rise.shape)
    assert abs(row - 31.5) <= 1 and abs(col - 31.5) <= 1  # the middle
    assert rise.max() * 3.0 == pytest.approx(0.02 * 200.0 * 0.5, rel=0.05)  # strength 0.5
    assert np.count_nonzero(rise) == pytest.approx(np.pi * (200.0 / 20.0) ** 2, rel=0.1)


def test_a_layer_that_is_full_is_followed_by_another(terrain, monkeypatch):
    monkeypatch.setattr(brush_layers, "MOST_STROKES", 2)
    for kind in ("rain", "raise", "smooth", "rain", "raise"):
        assert stroke(kind) == {"FINISHED"}
    assert [len(item.strokes) for item in layers()] == [2, 2, 1]
    assert heights().tobytes() == replayed().elevation.astype(np.float32).tobytes()


def refusal(terrain, capsys=None, **given):
    with pytest.raises(RuntimeError) as refused:
        stroke(**given)
    return str(refused.value)


def test_strokes_go_on_after_apply_in_a_layer_of_their_own(terrain):
    stroke("raise")
    assert bpy.ops.erosion.apply() == {"FINISHED"}
    before = heights().tobytes()
    assert stroke("raise") == {"FINISHED"}
    assert [len(item.strokes) for item in layers()] == [1, 1] and heights().tobytes() != before


@pytest.mark.parametrize("keeps_apply", [True, False])
def test_restore_brings_back_what_was_applied_and_not_what_was_before(terrain, keeps_apply):
    untouched = heights().tobytes()
    stroke("raise")
    painted = heights().tobytes()
    bpy.ops.ed.undo_push(message="Painted")
    bpy.ops.erosion.apply(remove_maps=True)
    bpy.ops.ed.undo_push(message="Applied")
    if not keeps_apply:
        bpy.ops.ed.undo()
    stroke("smooth")
    bpy.ops.erosion.restore()
    assert heights().tobytes() == (painted if keeps_apply else untouched)


def test_refusals_say_why(terrain):
    stroke("raise")
    terrain.data.vertices[5].co.z += 1.0
    assert "was changed after its strokes were painted, as Brush Strokes" in refusal(terrain)
    terrain.erosion.steps[0].enabled = False
    assert stroke("raise") == {"FINISHED"} and len(layers()) == 2
    with pytest.raises(RuntimeError, match="has no dabs"):
        bpy.ops.erosion.brush_stroke()
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Edit Mode" in refusal(terrain)
    bpy.ops.object.mode_set(mode="OBJECT")
    terrain.hide_set(True)
    assert "Terrain is hidden; show it before you paint." in refusal(terrain)
    terrain.hide_set(False)
    bpy.context.view_layer.objects.active = None
    assert "poll" in refusal(terrain)


def nearly_everywhere(obj, kind, weight):
    """A mask of this weight on all vertices but the last row."""
    group = obj.vertex_groups.new(name=kind)
    group.add(range(SIDE * (SIDE - 1)), weight, "REPLACE")
    group.add(range(SIDE * (SIDE - 1), SIDE * SIDE), 1.0 - weight, "REPLACE")
    mask = getattr(obj.erosion, kind)
    mask.source = "VERTEX_GROUP"
    mask.layer = kind


def level(obj):
    write_heights(obj.data, np.zeros(SIDE * SIDE, np.float32))
    obj.data.update()


STILL = {
    "zero strength": (
        "rain",
        {"strength": 0.0},
        lambda obj: None,
        "The strength of the stroke is 0",
    ),
    "no pressure": ("rain", {"pressure": 0.0}, lambda obj: None, "The strength of the stroke is 0"),
    "beside": ("rain", {"x": 5000.0}, lambda obj: None, "The stroke lies beside Terrain."),
    "strength mask": (
        "raise",
        {},
        lambda obj: nearly_everywhere(obj, "strength", 0.0),
        "The mask Strength prevents all changes",
    ),
    "plot": (
        "raise",
        {},
        lambda obj: nearly_everywhere(obj, "plot", 1.0),
        "The mask Building Plot prevents all changes",
    ),
    "dry": (
        "rain",
        {},
        lambda obj: nearly_everywhere(obj, "rain", 0.0),
        "The mask Rain prevents all changes",
    ),
    "gentle": (
        "talus",
        {"angle": 80.0},
        lambda obj: None,
        "and the brush leaves 80°; lower its angle.",
    ),
    "level": ("rain", {}, level, "The ground there is level, so that nothing runs down it."),
    "no sand": ("wind", {}, lambda obj: None, "No loose material lies there."),
    "no sand to take": (
        "sand",
        {"invert": True},
        lambda obj: None,
        "No loose material lies there.",
    ),
    "below Displace": (
        "smooth",
        {},
        lambda obj: (level(obj), obj.modifiers.new("Displace", "DISPLACE")),
        (
            "runs down it. The brush paints on the mesh below the modifiers, and Displace acts on "
            "top of it."
        ),
    ),
}
"""Kind and settings of a stroke that changes nothing, what makes it so, and what the brush says."""


@pytest.mark.parametrize("case", STILL)
def test_a_stroke_that_changes_nothing_says_why_and_adds_nothing(terrain, case, capfd):
    kind, settings, prepare, said = STILL[case]
    brush = bpy.context.scene.erosion_brush
    brush.strength = 0.5
    brush.invert = False
    brush.angle = 34.0
    prepare(terrain)
    before = everything(terrain.data)
    assert stroke(kind, **settings) == {"CANCELLED"}
    assert said in capfd.readouterr().out
    assert not layers() and everything(the_terrain().data) == before
    brush.strength = 0.5
    brush.invert = False
    brush.angle = 34.0


def test_a_stroke_after_one_that_changed_nothing_is_the_same_as_without_it(terrain):
    assert stroke("talus", angle=85.0) == {"CANCELLED"}
    assert stroke("raise") == {"FINISHED"}
    painted = heights().tobytes()
    bpy.ops.erosion.restore()
    the_terrain().erosion.steps.clear()
    grounds.forget()
    assert stroke("raise") == {"FINISHED"} and heights().tobytes() == painted
    assert replayed().elevation.astype(np.float32).tobytes() == heights().tobytes()


def test_a_stroke_below_a_modifier_is_kept_with_a_word(terrain, capfd):
    terrain.modifiers.new("Displace", "DISPLACE")
    assert stroke("raise") == {"FINISHED"} and len(layers()) == 1
    assert (
        "Displace acts on top of your strokes; apply it to paint on the visible shape."
        in capfd.readouterr().out
    )


def test_a_sculpted_mesh_is_referred_to_straighten_grid(terrain):
    for vertex in terrain.data.vertices[1000:1100]:
        vertex.co.x += 0.4 * CELL
    assert (
        "Sculpting moved vertices of Terrain sideways; Straighten Grid in the tab Erosion"
        in refusal(terrain)
    )


@pytest.mark.parametrize("way", ["collection", "viewport", "view layer"])
def test_a_terrain_that_is_hidden_in_any_way_is_not_painted(terrain, way):
    collection = bpy.data.collections.new("Land")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(terrain)
    collection.objects.link(terrain)
    bpy.context.view_layer.objects.active = terrain
    if way == "collection":
        collection.hide_viewport = True
    elif way == "viewport":
        terrain.hide_viewport = True
    else:
        bpy.context.view_layer.layer_collection.children["Land"].hide_viewport = True
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = terrain
    assert "is hidden" in refusal(terrain)


class Pressed:
    """The operator as the tool calls it; said: what it reports."""

    def __init__(self):
        self.said = []
        self.stroke = ()

    def report(self, kind, sentence):
        self.said.append((*kind, sentence))


def test_a_press_of_the_tool_says_why_not_and_lets_the_click_pass(terrain):
    assert EROSION_OT_brush_stroke.poll(bpy.context)
    terrain.shape_key_add(name="Basis")
    assert EROSION_OT_brush_stroke.poll(bpy.context)
    pressed = Pressed()
    assert EROSION_OT_brush_stroke.invoke(pressed, bpy.context, None) == {
        "CANCELLED",
        "PASS_THROUGH",
    }
    [(kind, sentence)] = pressed.said
    assert kind == "WARNING" and "shape keys" in sentence
    bpy.ops.object.light_add()
    assert not EROSION_OT_brush_stroke.poll(bpy.context)  # a click then selects


def test_a_linked_terrain_is_not_painted(terrain, tmp_path):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {terrain})
    bpy.data.objects.remove(terrain)
    with bpy.data.libraries.load(path, link=True) as (there, wanted):
        wanted.objects = there.objects
    linked = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    before = vertex_heights(linked.data).tobytes()
    assert "Terrain is linked from another file" in refusal(linked)
    assert vertex_heights(linked.data).tobytes() == before


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in REVERSED])
def test_kinds_without_an_inverse_are_painted_as_they_are_with_ctrl(terrain, kind):
    dabs = [
        {"name": "", "location": (30.0 * number, 0.0, 0.0), "pressure": 1.0} for number in range(3)
    ]
    bpy.context.scene.erosion_brush.kind, bpy.context.scene.erosion_brush.angle = (
        kind,
        math.radians(15.0),
    )
    # rock stays in the wind
    terrain.vertex_groups.new(name="Sand").add(range(SIDE * SIDE), 1.0, "REPLACE")
    terrain.erosion.sediment.source = "VERTEX_GROUP"
    terrain.erosion.sediment.layer = "Sand"
    before = heights().tobytes()
    painted = []
    for mode in ("NORMAL", "INVERT"):
        assert bpy.ops.erosion.brush_stroke(stroke=dabs, mode=mode) == {"FINISHED"}
        painted.append(heights().tobytes())
        bpy.ops.erosion.restore()
        terrain.erosion.steps.clear()  # so that the seed of the next stroke is the same
    assert painted[0] == painted[1] != before


def test_no_stroke_begins_while_a_terrain_is_eroded(terrain):
    running = job.start(
        terrain, Recipe.load("arcane").with_values({"droplet.drops_per_cell": 1000.0}), {}
    )
    assert "is being eroded" in refusal(terrain)
    running.cancel()


def test_damaged_strokes_of_a_file_are_left_out(terrain):
    stroke("raise")
    item = layers()[0]
    for text in ("", "[", "[]", json.dumps({"kind": "lightning"}), json.dumps({"dabs": [[0, 0]]})):
        item.strokes.add().data = text
    assert len(steps.parameters_of(item, []).strokes) == 1
