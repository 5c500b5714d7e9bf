# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps, images, levels of detail and surface colors through operators and runs."""

import bpy
import numpy as np
import pytest

from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.image import BlenderFiles
from erosion_addon.scene.terrain.mesh import vertex_heights
from erosion_addon.ui.export import heightmap_export


def run(obj):
    obj.erosion.steps.clear()
    bpy.ops.erosion.recipe_load(name="arcane")
    obj.erosion.steps[0].droplet.drops_per_cell = 3.0
    obj.erosion.steps[0].droplet.color_depth = 0.05
    assert bpy.ops.erosion.run() == {"FINISHED"}


def field(obj, name):
    return attributes.read_fields(obj.data, grid.find_lattice(obj), [name])[name]


def test_maps_are_exported_from_a_script(terrain_object, tmp_path):
    run(terrain_object)
    assert bpy.ops.erosion.maps_export(directory=str(tmp_path / "maps")) == {"FINISHED"}
    names = {"elevation", "bedrock", "sediment", "flow", "moisture", "wear", "deposition", "normal"}
    assert {path.stem for path in (tmp_path / "maps").iterdir()} == names
    assert np.array_equal(
        BlenderFiles().read(tmp_path / "maps/wear.exr"), field(terrain_object, "wear")
    )
    assert bpy.ops.erosion.maps_export(
        directory=str(tmp_path), fields="moisture, wear", file_format="PNG"
    )
    assert {path.name for path in tmp_path.iterdir()} == {"maps", "moisture.png", "wear.exr"}


def test_what_cannot_be_exported_is_said(terrain_object, tmp_path):
    with pytest.raises(RuntimeError, match="has no field 'wear'; it has elevation"):
        bpy.ops.erosion.maps_export(directory=str(tmp_path), fields="wear")
    with pytest.raises(RuntimeError, match="No folder is chosen"):
        bpy.ops.erosion.maps_export()
    (tmp_path / "file").write_text("")
    with pytest.raises(RuntimeError, match="cannot be a folder"):
        bpy.ops.erosion.maps_export(directory=str(tmp_path / "file"))


def test_heightmap_export_has_a_place_for_any_number_of_maps():
    names = [f"field_{number}" for number in range(70)]
    sets = heightmap_export.sets_of(names)
    assert [*sets] == ["maps", "maps_2", "maps_3"] and [*map(len, sets.values())] == [32, 32, 6]
    assert [name for each in sets.values() for name in each] == names
    shown = bpy.ops.erosion.heightmap_export.get_rna_type().properties
    assert {
        name: [*shown[name].enum_items.keys()] for name in heightmap_export.MAPS
    } == heightmap_export.MAPS


def test_maps_replace_no_image_that_a_mask_uses(terrain_object, tmp_path):
    run(terrain_object)
    assert bpy.ops.erosion.maps_export(directory=str(tmp_path), fields="wear") == {"FINISHED"}
    drawn = (tmp_path / "wear.exr").read_bytes()
    terrain_object.erosion.rain.image = bpy.data.images.load(str(tmp_path / "wear.exr"))
    terrain_object.erosion.seed = 9
    run(terrain_object)
    with pytest.raises(
        RuntimeError, match=r"wear.exr cannot be written: it is an input; choose another name"
    ):
        bpy.ops.erosion.maps_export(directory=str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["wear.exr"] and (
        tmp_path / "wear.exr"
    ).read_bytes() == drawn
    terrain_object.erosion.rain.image.filepath = str(
        (tmp_path / "wear.exr").rename(tmp_path / "my_wear.exr")
    )
    with pytest.raises(RuntimeError, match=r"my_wear.exr cannot be written: it is an input"):
        bpy.ops.erosion.heightmap_export(filepath=str(tmp_path / "my.exr"), maps={"wear"})


def test_maps_replace_no_heightmap_that_the_terrain_was_made_from(tmp_path):
    path = tmp_path / "elevation.exr"
    BlenderFiles().write(path, np.random.default_rng(4).random((16, 16), np.float32), "float")
    drawn = path.read_bytes()
    assert bpy.ops.erosion.heightmap_import(filepath=str(path)) == {"FINISHED"}
    with pytest.raises(RuntimeError, match=r"elevation.exr cannot be written: it is an input"):
        bpy.ops.erosion.maps_export(directory=str(tmp_path))
    assert path.read_bytes() == drawn


def test_fields_become_images(terrain_object):
    run(terrain_object)
    assert bpy.ops.erosion.images_send(fields="wear,flow") == {"FINISHED"}
    assert {image.name for image in bpy.data.images} == {"Terrain wear", "Terrain flow"}


def test_levels_of_detail_are_made(terrain_object):
    assert bpy.ops.erosion.lod_add(levels=2, error=5.0) == {"FINISHED"}
    assert {"Terrain_LOD1", "Terrain_LOD2"} <= set(bpy.data.objects.keys())
    with pytest.raises(RuntimeError, match="Levels of detail need at least one error"):
        bpy.ops.erosion.lod_add(error=1e-6)


def red_hills(obj):
    """Paint the upper half of the terrain red and the rest white, as corner colors of bytes."""
    mesh = obj.data
    heights = vertex_heights(mesh)
    red = heights > np.median(heights)
    paint = mesh.color_attributes.new("Paint", "BYTE_COLOR", "CORNER")
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.attributes[".corner_vert"].data.foreach_get("value", corners)
    colors = np.ones((len(corners), 4), np.float32)
    colors[red[corners], 1:3] = 0
    paint.data.foreach_set("color", colors.ravel())
    return grid.find_lattice(obj).to_grid(red)


def test_red_hills_redden_the_white_plain_where_they_are_laid_down(terrain_object):
    red = red_hills(terrain_object)
    terrain_object.erosion.surface_color.source = "ATTRIBUTE"
    terrain_object.erosion.surface_color.layer = "Paint"
    run(terrain_object)
    color = field(terrain_object, "surface_color")
    laid_down = field(terrain_object, "deposition")
    plain = ~red & (laid_down > 1.0)
    assert plain.sum() > 20 and color[plain][:, 1].mean() < 0.8
    untouched = ~red & (laid_down == 0) & (field(terrain_object, "wear") == 0)
    assert (color[untouched] == 1).all()
    # Between red and white, as mixing makes nothing else.
    assert (color[..., 0] > 1 - 1e-6).all() and color[..., 1].min() >= 0 and color.max() <= 1 + 1e-6
    assert np.allclose(color[..., 1], color[..., 2], atol=1e-5)
    # Again from the paint and not from what came of it.
    run(terrain_object)
    assert np.array_equal(field(terrain_object, "surface_color"), color)


def test_a_run_that_goes_on_goes_on_from_its_colors(terrain_object):
    red_hills(terrain_object)
    terrain_object.erosion.surface_color.source = "ATTRIBUTE"
    terrain_object.erosion.surface_color.layer = "Paint"
    run(terrain_object)
    first = field(terrain_object, "surface_color")
    terrain_object.erosion.continue_from_result = True
    run(terrain_object)
    second = field(terrain_object, "surface_color")
    assert second[..., 1].mean() < first[..., 1].mean()


def test_strata_show_in_the_walls_and_set_painted_colors_aside(terrain_object):
    attribute = terrain_object.data.attributes.new("surface_color", "FLOAT_COLOR", "POINT")
    attribute.data.foreach_set("color", np.tile(np.float32([0, 0, 1, 1]), 48 * 64))
    terrain_object.erosion.surface_color.source = "STRATA"
    run(terrain_object)
    color = field(terrain_object, "surface_color")
    assert (color[..., 0] > color[..., 2]).all()  # red rock, nowhere blue
    assert len(np.unique(color.round(2).reshape(-1, 3), axis=0)) > 7
    assert bpy.ops.erosion.restore() == {"FINISHED"}
    assert (field(terrain_object, "surface_color") == [0, 0, 1]).all()


def test_a_surface_color_that_is_missing_is_refused(terrain_object):
    terrain_object.erosion.surface_color.source = "IMAGE"
    with pytest.raises(RuntimeError, match="No image is chosen for the surface color"):
        run(terrain_object)
