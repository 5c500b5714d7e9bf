# SPDX-License-Identifier: GPL-3.0-or-later
"""Add ▸ Mesh ▸ Terrain."""

import bpy
import numpy as np
import pytest

import erosion_addon
from erosion_addon.base.parameters import specifications
from erosion_addon.cli.commands import main
from erosion_addon.generators.registry import SOURCES, lengths, make
from erosion_addon.recipe.recipe import Recipe
from erosion_addon.scene.terrain import grid, obstacle
from erosion_addon.scene.terrain.attributes import read_fields
from erosion_addon.scene.terrain.image import BlenderFiles
from erosion_addon.ui.base import views
from erosion_addon.ui.recipe import steps
from tests.ui.conftest import z_of

SMALL = {"resolution": 40, "size_x": 390.0, "size_y": 190.0}  # 40 × 20 vertices, 10 m apart


@pytest.mark.parametrize("kind", SOURCES)
def test_every_kind_is_added_ready_to_be_eroded(kind):
    bpy.context.scene.cursor.location = (5, 6, 7)
    assert bpy.ops.erosion.terrain_add(kind=kind, **SMALL) == {"FINISHED"}
    obj = bpy.context.object
    assert (
        obj.select_get() and bpy.context.selected_objects == [obj] and obj.location[:] == (5, 6, 7)
    )
    assert all(polygon.use_smooth for polygon in obj.data.polygons)
    assert obstacle.why_not(obj) is None
    terrain, lattice = grid.read_terrain(obj)
    expected = make(kind, 20, 40, 10.0, values=lengths(kind, 390.0))
    assert terrain.shape == (20, 40) and terrain.spacing == pytest.approx((10.0, 10.0))
    assert np.array_equal(
        terrain.elevation.astype(np.float32), expected.elevation.astype(np.float32)
    )
    fields = read_fields(obj.data, lattice, ["sediment"], before_erosion=True)
    assert fields.keys() == expected.fields.keys()
    assert all(np.array_equal(fields[name], expected[name]) for name in fields)
    assert steps.recipe_of(obj.erosion, []).steps == Recipe.load(SOURCES[kind].recipe).steps


def test_the_mesh_is_that_of_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["make", "ridged", "t.npy", "--size", "20x40", "--cell-size", "10", "--seed", "8"]
    assert (
        main(
            [*words, "--set", "relief=77.7", "warp=0.1", "octaves=3", "island=0.4", "tileable=true"]
        )
        == 0
    )
    values = {"relief": 77.7, "warp": 0.1, "octaves": 3, "island": 0.4, "tileable": True}
    values = {f"ridged_{name}": value for name, value in values.items()}
    bpy.ops.erosion.terrain_add(kind="ridged", seed=8, **SMALL, **values)
    assert z_of(bpy.context.object).tobytes() == np.load("t.npy").astype(np.float32).tobytes()


@pytest.mark.parametrize("kind", SOURCES)
def test_a_new_terrain_is_4_km_wide_and_its_form_has_the_proportions_of_the_declared_one(kind):
    bpy.ops.erosion.terrain_add(kind=kind, resolution=40)
    obj = bpy.context.object
    assert obj.dimensions[:2] == pytest.approx((4000.0, 4000.0))
    declared = make(kind, 40, 40, 1000 / 39)
    assert obj.dimensions.z == pytest.approx(4 * declared.relief, rel=1e-5)
    if "sediment" in declared.fields:
        sand = read_fields(obj.data, grid.find_lattice(obj), ["sediment"])["sediment"]
        assert sand == pytest.approx(4 * declared["sediment"], rel=1e-5)


def test_the_first_terrain_is_800_m_high():
    bpy.ops.erosion.terrain_add(resolution=40)
    assert bpy.context.object.dimensions[:] == pytest.approx((4000.0, 4000.0, 800.0))


def test_relief_follows_the_longer_side_until_it_is_set():
    def relief(**values):
        bpy.ops.erosion.terrain_add(kind="ridged", resolution=40, **values)
        return bpy.context.object.dimensions.z

    # as before releases with 4 km
    assert relief(size_x=1000.0, size_y=1000.0) == pytest.approx(200.0)
    assert relief(size_x=1000.0, size_y=2000.0) == pytest.approx(400.0)
    assert relief(ridged_relief=200.0) == pytest.approx(200.0)
    assert relief(ridged_relief=800.0, size_x=1000.0, size_y=1000.0) == pytest.approx(800.0)
    assert relief(ridged_relief=0.0) == 0.0


def test_the_redo_panel_shows_the_relief_that_the_terrain_gets(last_terrain_add):
    last_terrain_add.size_x = last_terrain_add.size_y = 500.0
    assert last_terrain_add.voronoi_relief == pytest.approx(100.0)
    last_terrain_add.voronoi_relief = 300.0
    last_terrain_add.size_x = 8000.0
    assert last_terrain_add.voronoi_relief == pytest.approx(300.0)
    # 20 m on 1 km; only that of Peaks and Valleys is set
    assert last_terrain_add.bumps_relief == pytest.approx(160.0)


def test_without_a_size_the_command_line_makes_the_same_land(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["make", "pyramid_in_sand", "t.npy", "--size", "20x40", "--quiet"]) == 0
    bpy.ops.erosion.terrain_add(kind="pyramid_in_sand", resolution=40, size_y=4000.0 * 19 / 39)
    assert np.load("t.npy") == pytest.approx(z_of(bpy.context.object).reshape(20, 40), rel=1e-6)


def test_cells_are_square_where_the_size_allows():
    bpy.ops.erosion.terrain_add(kind="plane", resolution=101, size_x=100.0, size_y=33.4)
    obj = bpy.context.object
    assert obj.dimensions[:2] == pytest.approx((100.0, 33.4), abs=1e-4)
    assert grid.describe(obj).spacing == pytest.approx((33.4 / 33, 1.0), abs=1e-5)
    # at least three of them
    bpy.ops.erosion.terrain_add(kind="plane", resolution=5, size_x=40.0, size_y=400.0)
    assert len(bpy.context.object.data.vertices) == 15
    with pytest.raises(RuntimeError, match=r"The cells are 0\.5 m wide and 100 m long"):
        bpy.ops.erosion.terrain_add(kind="plane", resolution=5, size_x=1.0, size_y=400.0)


def test_images_can_be_laid_on():
    bpy.ops.erosion.terrain_add(kind="cone", **SMALL)
    corners = np.empty(len(bpy.context.object.data.loops) * 2, np.float32)
    bpy.context.object.data.uv_layers.active.data.foreach_get("uv", corners)
    assert corners.min() == 0.0 and corners.max() == 1.0


def test_a_terrain_that_tiles_is_eroded_as_a_tile():
    bpy.ops.erosion.terrain_add(kind="fractal", fractal_tileable=True, **SMALL)
    assert bpy.context.object.erosion.edges == "wrap"
    bpy.ops.erosion.terrain_add(kind="fractal", **SMALL)
    assert bpy.context.object.erosion.edges == "open"


def test_the_sediment_is_there_again_after_a_run_and_restore():
    bpy.ops.erosion.terrain_add(kind="pyramid_in_sand", **SMALL)
    obj = bpy.context.object
    before = z_of(obj).tobytes()
    lattice = grid.find_lattice(obj)
    sand = read_fields(obj.data, lattice, ["sediment"])["sediment"]
    obj.erosion.recipe_name = "arcane"
    bpy.ops.erosion.run()
    assert not np.array_equal(read_fields(obj.data, lattice, ["sediment"])["sediment"], sand)
    bpy.ops.erosion.restore()
    assert z_of(obj).tobytes() == before
    assert np.array_equal(read_fields(obj.data, lattice, ["sediment"])["sediment"], sand)


def test_letters_come_from_a_picture(tmp_path):
    BlenderFiles().write(tmp_path / "Bild é.png", np.tri(8, 8, dtype=np.float32), "uint16")
    picture = {
        "letters_image": str(tmp_path / "Bild é.png"),
        "letters_height": 12.0,
        "letters_width": 1.0,
    }
    bpy.ops.erosion.terrain_add(
        kind="letters", resolution=24, size_x=230.0, size_y=230.0, **picture
    )
    z = z_of(bpy.context.object).reshape(24, 24)
    assert np.unique(z).tolist() == [0.0, 12.0] and z[23, 1] == 12 and z[1, 22] == 0


@pytest.mark.parametrize("content", [None, b"no picture"])
def test_a_missing_or_broken_picture_is_said_and_adds_nothing(tmp_path, content):
    if content is not None:
        (tmp_path / "shape.png").write_bytes(content)
    with pytest.raises(RuntimeError, match=r"shape\.png .*\."):
        bpy.ops.erosion.terrain_add(
            kind="letters", letters_image=str(tmp_path / "shape.png"), **SMALL
        )
    assert not bpy.data.objects and not bpy.data.meshes and not bpy.data.images


def test_too_little_memory_is_said_and_adds_nothing(monkeypatch):
    monkeypatch.setattr("erosion_addon.base.memory.available_memory", lambda: 1000)
    with pytest.raises(RuntimeError, match=r"A terrain of 20 × 40 cells needs about"):
        bpy.ops.erosion.terrain_add(kind="plane", **SMALL)
    assert not bpy.data.objects and not bpy.data.meshes


def test_in_edit_mode_it_is_grayed():
    bpy.ops.erosion.terrain_add(kind="plane", **SMALL)
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.erosion.terrain_add.poll()


def test_one_undo_takes_it_away():
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.erosion.terrain_add("EXEC_DEFAULT", True, kind="cone", **SMALL)
    assert len(bpy.data.objects) == 1
    bpy.ops.ed.undo()
    assert not bpy.data.objects


def test_every_parameter_has_a_property_with_its_range_and_sentence():
    known = bpy.ops.erosion.terrain_add.get_rna_type().properties
    for kind, source in SOURCES.items():
        for name, declared in specifications(source.parameters).items():
            shown = known[f"{kind}_{name}"]
            assert declared.sentence.rstrip(".") in shown.description
            # Lengths of the form suit land of 1 km; a new terrain has 4 km.
            assert shown.default == pytest.approx(
                declared.default * (4 if declared.width_power else 1)
            )
            if isinstance(declared.default, float):
                assert (shown.hard_min, shown.hard_max) == pytest.approx(
                    (declared.low, declared.high)
                )


def test_every_kind_has_an_icon_and_a_description():
    icons = bpy.types.UILayout.bl_rna.functions["prop"].parameters["icon"].enum_items
    items = bpy.ops.erosion.terrain_add.get_rna_type().properties["kind"].enum_items
    assert [item.identifier for item in items] == list(SOURCES)
    assert all(item.icon != "NONE" and item.icon in icons and item.description for item in items)


@pytest.fixture
def last_terrain_add():
    """Settings with which the operator begins next time, as in the redo panel."""
    settings = bpy.context.window_manager.operator_properties_last("erosion.terrain_add")
    names = [
        known.identifier for known in settings.bl_rna.properties if known.identifier != "rna_type"
    ]
    yield settings
    for name in names:
        settings.property_unset(name)


def test_in_a_local_view_a_new_terrain_is_seen(viewport):
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    bpy.ops.view3d.localview()
    bpy.ops.erosion.terrain_add(kind="cone", **SMALL)
    bpy.context.view_layer.update()
    # Without a window Blender 4.5 calls nothing a part of the view, not even the cube.
    assert bpy.context.object.local_view_get(viewport) == cube.local_view_get(viewport)
    made = bpy.context.object
    bpy.ops.erosion.grid_from_mesh()
    bpy.context.view_layer.update()
    assert bpy.context.object != made
    assert bpy.context.object.local_view_get(viewport) == cube.local_view_get(viewport)
    bpy.ops.view3d.localview()


@pytest.fixture
def viewport():
    """A 3D viewport as the current context."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    with bpy.context.temp_override(window=window, area=area, region=area.regions[0]):
        yield area.spaces[0]


def test_the_view_shows_the_whole_terrain(viewport):
    bpy.ops.erosion.terrain_add(kind="cone", **{**SMALL, "size_x": 3000.0, "size_y": 4000.0})
    bpy.context.object.location = (500, 0, 0)
    views.frame(bpy.context, bpy.context.object)
    view = viewport.region_3d
    # The middle of the cone, from a distance that the terrain's diagonal of 5 km asks for.
    assert view.view_location[:] == pytest.approx(
        (500, 0, bpy.context.object.dimensions.z / 2), abs=0.1
    )
    assert 4000 < view.view_distance < viewport.clip_end - 2500


def test_every_3d_view_of_the_file_shows_the_terrain_and_cameras_stay(viewport):
    first, second, *_ = (
        space for space in views.spaces() if space != viewport and space.region_3d is not None
    )
    second.region_3d.view_perspective = viewport.region_3d.view_perspective = "CAMERA"
    second.lock_camera = viewport.lock_camera = True
    bpy.ops.object.camera_add(location=(1, 2, 3))
    camera = bpy.context.scene.camera = bpy.context.object
    bpy.ops.erosion.terrain_add(kind="cone", **{**SMALL, "size_x": 3000.0, "size_y": 4000.0})
    bpy.context.object.location = (500, 0, 0)
    bpy.context.view_layer.update()
    views.frame(bpy.context, bpy.context.object)
    assert all(space.clip_end >= 20000.0 for space in views.spaces())
    middle = (500, 0, bpy.context.object.dimensions.z / 2)
    for space in (first, second):
        assert space.region_3d.view_location[:] == pytest.approx(middle, abs=0.1)
        assert 4000 < space.region_3d.view_distance < 6000
    assert "CAMERA" not in {
        view.view_perspective for view in (second.region_3d, viewport.region_3d)
    }
    assert camera.location[:] == (1, 2, 3)


def test_a_view_reaches_over_a_large_terrain_and_keeps_its_reach_for_a_small_one(viewport):
    viewport.clip_start = 0.01
    viewport.clip_end = 1000.0
    bpy.ops.erosion.terrain_add(
        kind="plane", resolution=20, size_x=3000.0, size_y=4000.0, plane_slope=0.0
    )
    views.lengthen(viewport, bpy.context.object)
    # Four diagonals of 5 km; 20 times as far as before on either side.
    assert viewport.clip_end == pytest.approx(20000.0) and viewport.clip_start == pytest.approx(0.2)
    bpy.ops.erosion.terrain_add(kind="plane", resolution=20, size_x=30.0, size_y=40.0)
    views.lengthen(viewport, bpy.context.object)
    assert viewport.clip_end == pytest.approx(20000.0)


def test_the_menu_entry_comes_and_goes_with_the_extension():
    def entries():
        drawn = getattr(bpy.types.VIEW3D_MT_mesh_add.draw, "_draw_funcs", [])
        return sum(function.__name__ == "draw_add" for function in drawn)

    assert entries() == 1
    erosion_addon.unregister()
    assert entries() == 0
    erosion_addon.register()
    assert entries() == 1
