# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks in the panel: painted, selected, shown, and refused in a sentence before the run."""

import bpy
import numpy as np
import pytest

from erosion_addon import Recipe
from erosion_addon.scene.masks import overlay as mask_overlay
from erosion_addon.scene.session import session
from erosion_addon.scene.terrain import grid
from erosion_addon.scene.terrain.mesh import write_heights
from erosion_addon.terrain.masks import AREAS, MASK_KINDS
from erosion_addon.ui.masks import mask_panel, mask_settings, mask_watch
from erosion_addon.ui.recipe import steps
from tests.ui.conftest import activate, z_of

PAINT = bpy.ops.erosion.mask_paint
SHOW = bpy.ops.erosion.mask_show
IMAGE = bpy.ops.erosion.mask_image


@pytest.fixture(autouse=True)
def nothing_shown():
    yield
    mask_watch.hide()


def select(obj, chosen):
    """Select the vertices of the cells `chosen` (rows, cols), as in Edit Mode."""
    values = np.ascontiguousarray(grid.find_lattice(obj).to_vertices(chosen))
    mesh = obj.data
    attribute = mesh.attributes.get(".select_vert") or mesh.attributes.new(
        ".select_vert", "BOOLEAN", "POINT"
    )
    attribute.data.foreach_set("value", values)


def left_half(obj):
    return np.tile(np.arange(64) < 32, (48, 1))


def weights(obj, name):
    index = obj.vertex_groups[name].index
    groups = ({one.group: one.weight for one in vertex.groups} for vertex in obj.data.vertices)
    return [known.get(index, 0.0) for known in groups]


@pytest.mark.parametrize("kind", MASK_KINDS)
def test_painting_starts_with_a_mask_that_changes_nothing(terrain_object, kind):
    assert PAINT(kind=kind) == {"FINISHED"}
    mask = getattr(terrain_object.erosion, kind)
    assert (terrain_object.mode, mask.source, mask.layer) == (
        "WEIGHT_PAINT",
        "VERTEX_GROUP",
        MASK_KINDS[kind].label,
    )
    assert terrain_object.vertex_groups.active.name == mask.layer
    assert set(weights(terrain_object, mask.layer)) == {
        1.0 if kind in ("strength", "rain", "uplift", *AREAS) else 0.0
    }
    assert mask_panel.is_painted(terrain_object, mask)
    assert PAINT(kind=kind) == {"FINISHED"}
    assert terrain_object.mode == "OBJECT" and not mask_panel.is_painted(terrain_object, mask)


def brush_weight():
    """The weight that the next stroke of Weight Paint paints."""
    settings = bpy.context.scene.tool_settings
    paint = settings.weight_paint
    unified = getattr(paint, "unified_paint_settings", None) or settings.unified_paint_settings
    return (
        unified.weight if unified.use_unified_weight or paint.brush is None else paint.brush.weight
    )


@pytest.mark.parametrize("unified", [False, True])
@pytest.mark.parametrize("kind", MASK_KINDS)
def test_the_first_stroke_on_a_new_mask_shows(terrain_object, kind, unified):
    settings = bpy.context.scene.tool_settings
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    shared = (
        getattr(settings.weight_paint, "unified_paint_settings", None)
        or settings.unified_paint_settings
    )
    shared.use_unified_weight = unified
    PAINT(kind=kind)
    assert abs(brush_weight() - MASK_KINDS[kind].unpainted) == 1.0


def test_the_brush_stays_as_it_is_where_the_mask_was_painted_before(terrain_object):
    PAINT(kind="strength")
    settings = bpy.context.scene.tool_settings
    shared = (
        getattr(settings.weight_paint, "unified_paint_settings", None)
        or settings.unified_paint_settings
    )
    shared.use_unified_weight = True
    shared.weight = 0.25
    PAINT(kind="strength")
    PAINT(kind="strength")
    assert brush_weight() == 0.25


def test_the_panel_says_which_mask_is_painted_and_offers_to_end_it(terrain_object):
    from erosion_addon.ui.run import main_panel
    from tests.ui.recipe.test_steps import Drawn

    PAINT(kind="hardness")
    layout = Drawn()
    assert main_panel._draw_facts(layout, terrain_object) is None
    texts = [named["text"] for name, _, named in layout.seen["calls"] if name == "label"]
    icons = [named["icon"] for name, _, named in layout.seen["calls"] if name == "label"]
    assert "Painting Hardness: red is 1, blue is 0" in texts and "ERROR" not in icons
    assert ("operator", ("erosion.mask_paint",)) in [
        (name, given) for name, given, _ in layout.seen["calls"]
    ]


def test_painting_another_mask_stays_in_weight_paint(terrain_object):
    PAINT(kind="strength")
    PAINT(kind="hardness")
    assert (
        terrain_object.mode == "WEIGHT_PAINT"
        and terrain_object.vertex_groups.active.name == "Hardness"
    )
    PAINT(kind="hardness")
    assert terrain_object.mode == "OBJECT"


def test_what_was_painted_stays_painted(terrain_object):
    group = terrain_object.vertex_groups.new(name="Strength")
    group.add([5], 0.25, "REPLACE")
    PAINT(kind="strength")
    assert len(terrain_object.vertex_groups) == 1 and weights(terrain_object, "Strength")[5] == 0.25
    PAINT(kind="strength")
    terrain_object.erosion.strength.source = "IMAGE"
    PAINT(kind="strength")
    assert len(terrain_object.vertex_groups) == 1 and weights(terrain_object, "Strength")[5] == 0.25


def test_a_group_that_the_artist_chose_is_the_one_that_is_painted(terrain_object):
    terrain_object.vertex_groups.new(name="mine")
    mask = terrain_object.erosion.rain
    mask.source = "VERTEX_GROUP"
    mask.layer = "mine"
    PAINT(kind="rain")
    assert mask.layer == "mine" and terrain_object.vertex_groups.active.name == "mine"


def test_a_painted_group_gets_no_name_that_an_attribute_has(terrain_object):
    terrain_object.data.attributes.new("Strength", "FLOAT", "POINT")
    PAINT(kind="strength")
    PAINT(kind="strength")
    assert terrain_object.erosion.strength.layer == "Strength Mask"
    assert mask_settings.arrays_of(terrain_object)["strength"].all()


def test_painting_can_be_undone(terrain_object):
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        bpy.ops.ed.undo_push(message="before")
        PAINT("EXEC_DEFAULT", True, kind="strength")
        assert bpy.data.objects["Terrain"].mode == "WEIGHT_PAINT"
        bpy.ops.ed.undo()
    terrain = bpy.data.objects["Terrain"]
    assert (
        not terrain.vertex_groups
        and terrain.erosion.strength.source == "NONE"
        and terrain.mode == "OBJECT"
    )


@pytest.mark.parametrize(("kind", "gray"), [("strength", 1.0), ("hardness", 0.0)])
def test_a_new_image_has_the_terrains_size_and_changes_nothing_yet(terrain_object, kind, gray):
    assert IMAGE(kind=kind) == {"FINISHED"}
    mask = getattr(terrain_object.erosion, kind)
    assert tuple(mask.image.size) == (64, 48) and mask.image.is_float
    assert mask.image.colorspace_settings.name == "Non-Color"
    assert np.array_equal(
        mask_settings.arrays_of(terrain_object)[kind], np.full((48, 64), gray, np.float32)
    )
    assert bpy.context.scene.tool_settings.image_paint.canvas == mask.image


@pytest.mark.parametrize("kind", ["droplet", "brush"])
def test_only_the_selection_is_eroded(terrain_object, kind):
    settings = terrain_object.erosion
    stroke = {"kind": "raise", "radius": 400.0, "dabs": [[320.0, 240.0, 1.0]]}  # all of the terrain
    values = {"brush": {"strokes": [stroke]}}
    steps.fill(
        settings, Recipe.from_dict({"name": kind, "step": [{"kind": kind, **values.get(kind, {})}]})
    )
    select(terrain_object, left_half(terrain_object))
    settings.strength.source = "SELECTION"
    settings.strength.border = 100.0
    before = z_of(terrain_object)
    assert bpy.ops.erosion.run("EXEC_DEFAULT") == {"FINISHED"}
    changed = grid.find_lattice(terrain_object).to_grid(z_of(terrain_object) != before)
    assert changed[:, :32].any(), "nothing was eroded"
    assert not changed[:, 32:].any(), "what was not selected changed"


def test_the_selection_may_be_made_in_edit_mode(terrain_object):
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    terrain_object.erosion.strength.source = "SELECTION"
    with pytest.raises(
        RuntimeError, match="Nothing is selected on Terrain; select vertices in Edit Mode, or set"
    ):
        bpy.ops.erosion.run("EXEC_DEFAULT")
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert mask_settings.arrays_of(terrain_object)["strength"].all()


def attribute_of(obj, values, name="mask"):
    obj.data.attributes.new(name, "FLOAT", "POINT").data.foreach_set(
        "value", np.float32(values).ravel()
    )


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (np.nan, "it is nan"),
        (1.5, "must be from 0 to 1; at row 0, column 3 it is 1.5"),
        (-1, "it is -1"),
    ],
)
def test_bad_values_are_told_before_the_run_and_refused(terrain_object, value, sentence):
    values = np.ones(48 * 64)
    values[3] = value
    attribute_of(terrain_object, values)
    mask = terrain_object.erosion.strength
    mask.source = "ATTRIBUTE"
    mask.layer = "mask"
    assert mask_watch.problem(terrain_object, "strength") is None  # not read yet
    mask_watch.refresh()
    assert sentence in mask_watch.problem(terrain_object, "strength")
    before = z_of(terrain_object).tobytes()
    with pytest.raises(RuntimeError, match=sentence):
        bpy.ops.erosion.run("EXEC_DEFAULT")
    assert z_of(terrain_object).tobytes() == before


def test_values_out_of_range_can_be_clamped_or_stretched(terrain_object):
    attribute_of(terrain_object, np.arange(48 * 64) - 10.0)
    mask = terrain_object.erosion.strength
    mask.source = "ATTRIBUTE"
    mask.layer = "mask"
    mask.fit = "clamp"
    clamped = mask_settings.arrays_of(terrain_object)["strength"].ravel()
    assert np.array_equal(np.unique(clamped), [0, 1]) and clamped.sum() == 48 * 64 - 11
    mask.fit = "stretch"
    assert np.allclose(
        mask_settings.arrays_of(terrain_object)["strength"].ravel(), np.linspace(0, 1, 48 * 64)
    )


def test_a_mask_that_would_let_nothing_happen_is_refused(terrain_object):
    terrain_object.vertex_groups.new(name="empty")
    mask = terrain_object.erosion.strength
    mask.source = "VERTEX_GROUP"
    mask.layer = "empty"
    with pytest.raises(RuntimeError, match="0 everywhere, so nothing would be eroded"):
        bpy.ops.erosion.run("EXEC_DEFAULT")


def test_what_is_mended_is_told_no_more(terrain_object):
    mask = terrain_object.erosion.hardness
    mask.source = "VERTEX_GROUP"
    mask.layer = "gone"
    mask_watch.problem(terrain_object, "hardness")
    mask_watch.refresh()
    assert "no vertex group 'gone'" in mask_watch.problem(terrain_object, "hardness")
    terrain_object.vertex_groups.new(name="gone")
    mask_watch.problem(terrain_object, "hardness")
    mask_watch.refresh()
    assert mask_watch.problem(terrain_object, "hardness") is None


def test_an_edit_of_the_mesh_is_noticed(terrain_object):
    values = np.ones(48 * 64)
    attribute_of(terrain_object, values)
    mask = terrain_object.erosion.strength
    mask.source = "ATTRIBUTE"
    mask.layer = "mask"
    mask_watch.problem(terrain_object, "strength")
    mask_watch.refresh()
    assert mask_watch.problem(terrain_object, "strength") is None
    terrain_object.data.attributes["mask"].data[7].value = 9.0
    terrain_object.data.update()
    bpy.context.view_layer.update()
    mask_watch.problem(terrain_object, "strength")
    mask_watch.refresh()
    assert "it is 9" in mask_watch.problem(terrain_object, "strength")


def test_the_thickness_of_sediment_is_in_meters(terrain_object):
    group = terrain_object.vertex_groups.new(name="sand")
    group.add(range(48 * 64), 0.5, "REPLACE")
    mask = terrain_object.erosion.sediment
    mask.source = "VERTEX_GROUP"
    mask.layer = "sand"
    mask.scale = 8.0
    assert (mask_settings.arrays_of(terrain_object)["sediment"] == 4.0).all()


def test_a_setting_that_a_mask_does_not_show_does_not_count(terrain_object):
    # `scale` belongs to sediment and `fit` to attributes and images; changed by a script they must
    # not act unseen.
    group = terrain_object.vertex_groups.new(name="half")
    group.add(range(48 * 64), 0.5, "REPLACE")
    mask = terrain_object.erosion.strength
    mask.source = "VERTEX_GROUP"
    mask.layer = "half"
    mask.scale = 8.0
    mask.fit = "stretch"
    assert (mask_settings.arrays_of(terrain_object)["strength"] == 0.5).all()


def test_the_panel_knows_which_masks_the_steps_read(terrain_object):
    settings = terrain_object.erosion
    # Of arcane, which is drops alone.
    assert mask_settings.are_read(settings) == {
        "strength",
        "hardness",
        "protect",
        "plot",
        "sediment",
        "rain",
    }
    settings.steps.add().kind = "wind"
    assert mask_settings.are_read(settings) == set(MASK_KINDS) - {"uplift", "outlet", *AREAS}
    settings.steps[-1].wind_masks.abrasion = "area_b"
    assert mask_settings.are_read(settings) == set(MASK_KINDS) - {
        "uplift",
        "outlet",
        "area_a",
        "area_c",
    }
    settings.steps[-1].enabled = False
    assert not {"source", "area_b"} & mask_settings.are_read(settings)


# What is shown


def shown_points():
    return session.masks.overlay.points, session.masks.overlay.colors


def test_showing_a_mask_changes_nothing_in_the_file(terrain_object):
    PAINT(kind="hardness")
    PAINT(kind="hardness")
    kinds = ("objects", "meshes", "scenes", "images", "node_groups", "materials")
    before = (
        [len(getattr(bpy.data, kind)) for kind in kinds],
        sorted(terrain_object.data.attributes.keys()),
    )
    heights = z_of(terrain_object).tobytes()
    assert SHOW(kind="hardness") == {"FINISHED"}
    assert mask_watch.is_shown(terrain_object, "hardness")
    assert before == (
        [len(getattr(bpy.data, kind)) for kind in kinds],
        sorted(terrain_object.data.attributes.keys()),
    )
    assert z_of(terrain_object).tobytes() == heights
    assert SHOW(kind="hardness") == {"FINISHED"}
    assert session.masks.overlay is None and not mask_watch.is_shown(terrain_object, "hardness")


def test_what_is_shown_is_what_a_run_gets(terrain_object):
    select(terrain_object, left_half(terrain_object))
    mask = terrain_object.erosion.strength
    mask.source = "SELECTION"
    mask.border = 120.0
    mask.invert = True
    SHOW(kind="strength")
    points, colors = shown_points()
    array = mask_settings.arrays_of(terrain_object)["strength"]
    assert np.array_equal(points, grid.positions(terrain_object.data))
    hues = mask_overlay.colors_of(array).reshape(-1, 4)[:, :3]
    shading = colors[:, :3].max(axis=1) / hues.max(axis=1)
    assert colors[:, :3] == pytest.approx(hues * shading[:, None], abs=1e-6)
    assert (
        session.masks.overlay.title == "Strength of Terrain"
        and session.masks.overlay.legend == ("0", "1")
    )


def test_one_mask_is_shown_at_a_time(terrain_object):
    for kind in ("strength", "hardness"):
        PAINT(kind=kind)
        PAINT(kind=kind)
        SHOW(kind=kind)
    assert mask_watch.is_shown(terrain_object, "hardness") and not mask_watch.is_shown(
        terrain_object, "strength"
    )
    assert session.masks.overlay.title == "Hardness of Terrain"


def test_the_legend_goes_up_to_the_thickest_sediment(terrain_object):
    attribute_of(terrain_object, np.linspace(0, 12.5, 48 * 64))
    mask = terrain_object.erosion.sediment
    mask.source = "ATTRIBUTE"
    mask.layer = "mask"
    SHOW(kind="sediment")
    assert session.masks.overlay.legend == ("0", "12.5 m")


def test_what_is_shown_follows_its_settings_and_its_mesh(terrain_object):
    select(terrain_object, left_half(terrain_object))
    mask = terrain_object.erosion.strength
    mask.source = "SELECTION"
    SHOW(kind="strength")
    first = shown_points()
    mask_watch.refresh()
    assert shown_points()[0] is first[0], "read again though nothing has changed"
    mask.invert = True
    mask_watch.refresh()
    assert not np.array_equal(shown_points()[1], first[1])
    write_heights(terrain_object.data, z_of(terrain_object) + 50)
    bpy.context.view_layer.update()
    mask_watch.refresh()
    assert np.allclose(shown_points()[0][:, 2], first[0][:, 2] + 50, atol=1e-3)


def test_what_cannot_be_shown_is_told(terrain_object):
    mask = terrain_object.erosion.strength
    mask.source = "VERTEX_GROUP"
    mask.layer = "gone"
    assert SHOW(kind="strength") == {"FINISHED"}
    assert session.masks.overlay is None
    assert "no vertex group 'gone'" in mask_watch.problem(terrain_object, "strength")
    terrain_object.vertex_groups.new(name="gone").add([0], 1.0, "REPLACE")
    mask_watch.refresh()
    assert session.masks.overlay is not None, "it is shown as soon as it is there"


def test_a_mask_that_is_not_there_cannot_be_shown(terrain_object):
    with pytest.raises(RuntimeError, match="Terrain has no strength mask to show"):
        SHOW(kind="strength")


def test_a_mask_that_is_being_painted_is_shown_when_that_is_done(terrain_object):
    PAINT(kind="rain")
    assert SHOW(kind="rain") == {"FINISHED"}
    assert session.masks.overlay is None and mask_watch.is_shown(terrain_object, "rain")
    PAINT(kind="rain")
    mask_watch.refresh()
    assert session.masks.overlay.title == "Rain of Terrain"


def test_nothing_is_shown_once_the_mask_or_the_terrain_is_gone(terrain_object):
    PAINT(kind="rain")
    PAINT(kind="rain")
    SHOW(kind="rain")
    terrain_object.erosion.rain.source = "NONE"
    mask_watch.refresh()
    assert session.masks.overlay is None
    PAINT(kind="rain")
    PAINT(kind="rain")
    SHOW(kind="rain")
    bpy.data.objects.remove(terrain_object)
    mask_watch.refresh()
    assert session.masks.overlay is None


def test_strokes_on_an_image_are_seen(terrain_object):
    IMAGE(kind="hardness")
    image = terrain_object.erosion.hardness.image
    SHOW(kind="hardness")
    assert (shown_points()[1][:, 2] > shown_points()[1][:, 0]).all()  # blue, for 0
    image.pixels.foreach_set(np.ones(4 * 64 * 48, np.float32))
    mask_watch.refresh()
    assert (shown_points()[1][:, 0] > shown_points()[1][:, 2]).all()  # red, for 1


def test_another_file_shows_nothing(terrain_object):
    PAINT(kind="rain")
    PAINT(kind="rain")
    SHOW(kind="rain")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert session.masks.overlay is None


def test_a_companion_of_the_terrain_speaks_for_it(terrain_object):
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    activate(other)
    assert not SHOW.poll() and not PAINT.poll() and not IMAGE.poll()
