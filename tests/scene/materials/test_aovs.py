# SPDX-License-Identifier: GPL-3.0-or-later
"""Render passes: added once, removed without a trace, correct values in the rendered file."""

import bpy
import numpy as np
import OpenImageIO
import pytest

from erosion_addon.scene.materials import aovs, material
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object
from tests.scene.materials.test_look_render import EEVEE, add_camera_and_sky, set_renderer

NAMES = [aov.name for aov in aovs.AOVS]


def outputs(made):
    return sorted(node.aov_name for node in made.node_tree.nodes if node.type == "OUTPUT_AOV")


def test_added_twice_each_is_there_once(empty_scene):
    layer = bpy.context.view_layer
    made = material.terrain_material()
    for _ in range(2):
        aovs.add(layer, material.terrain_materials())
    assert [aov.name for aov in layer.aovs] == NAMES
    assert [aov.type for aov in layer.aovs] == [aov.kind for aov in aovs.AOVS]
    assert outputs(made) == sorted(NAMES)


def test_removed_nothing_is_left_but_what_the_user_has(empty_scene):
    layer = bpy.context.view_layer
    made = material.terrain_material()
    layer.aovs.add().name = "mine"
    users = made.node_tree.nodes.new("ShaderNodeOutputAOV")
    users.aov_name = "mine"
    aovs.add(layer, [made])
    aovs.remove(layer, [made])
    assert [aov.name for aov in layer.aovs] == ["mine"]
    assert outputs(made) == ["mine"]


def test_another_view_layer_keeps_them(empty_scene):
    made = material.terrain_material()
    other = empty_scene.view_layers.new("Other")
    aovs.add(bpy.context.view_layer, [made])
    aovs.add(other, [made])
    aovs.remove(other, [made])
    assert outputs(made) == sorted(NAMES) and len(bpy.context.view_layer.aovs) == len(NAMES)


def test_a_material_made_later_writes_them_too(empty_scene):
    aovs.add(bpy.context.view_layer, [])
    assert outputs(material.terrain_material("alpine")) == sorted(NAMES)


def test_depth_and_normal_come_along_and_go_where_the_user_did_not_want_them(empty_scene):
    layer = bpy.context.view_layer
    layer.use_pass_normal = True
    layer.use_pass_z = False
    for _ in range(2):
        aovs.add(layer, [])
    assert layer.use_pass_z and layer.use_pass_normal
    aovs.remove(layer, [])
    assert not layer.use_pass_z and layer.use_pass_normal
    aovs.remove(layer, [])
    assert layer.use_pass_normal and aovs.SWITCHED not in layer


@pytest.mark.thorough
@pytest.mark.render
@pytest.mark.parametrize("engine", [EEVEE, "CYCLES"])
def test_they_are_in_the_rendered_file(empty_scene, tmp_path, engine):
    tile = make_grid_object("Tile", np.zeros((3, 3)), (50.0, 50.0), empty_scene.collection)
    bpy.context.view_layer.update()
    values = {"moisture": 0.5, "sediment": 3.0, "wear": 7.0, "water_depth": 2.0}
    fields = {name: np.full((3, 3), value, np.float32) for name, value in values.items()}
    attributes.write_fields(tile.data, grid.find_lattice(tile), fields)
    tile.data.attributes.new("glow", "FLOAT", "POINT").data.foreach_set("value", [0.25] * 9)
    material.assign(tile)
    # Without noise, so that it compiles in seconds where there is no graphics card.
    tree = material.terrain_group()
    for node in [node for node in tree.nodes if node.type == "TEX_NOISE"]:
        tree.nodes.remove(node)
    aovs.add(bpy.context.view_layer, material.terrain_materials())
    add_camera_and_sky(empty_scene, 1)
    set_renderer(empty_scene, engine, (16, 16))
    settings = empty_scene.render.image_settings
    if bpy.app.version >= (5, 0, 0):
        settings.media_type = "MULTI_LAYER_IMAGE"
    settings.file_format = "OPEN_EXR_MULTILAYER"
    empty_scene.render.filepath = str(tmp_path / "passes.exr")
    bpy.ops.render.render(write_still=True)
    seen = {
        name.split(".", 1)[1]: value
        for name, value in middle_of(tmp_path / "passes.exr").items()
        if "." in name
    }
    # Passes are half floats.
    for name in ("moisture", "sediment", "wear"):
        assert seen[f"{name}.X"] == pytest.approx(values[name], rel=2e-3)
    assert seen["water.X"] == pytest.approx(1.0, abs=1e-3) and seen["glow.X"] == pytest.approx(
        0.25, abs=1e-3
    )
    assert seen["gloss.X"] == pytest.approx(0.88, abs=2e-3)
    water = (
        material.terrain_material().node_tree.nodes["Surface"].inputs["Water Color"].default_value
    )
    assert [seen[f"albedo.{channel}"] for channel in "RGB"] == pytest.approx(water[:3], rel=2e-2)


def middle_of(path):
    """{channel: value in the middle} of all parts of an EXR file."""
    image = OpenImageIO.ImageInput.open(str(path))
    found = {}
    part = 0
    while image.seek_subimage(part, 0):
        spec = image.spec()
        pixels = image.read_image(part, 0, 0, spec.nchannels, "float")
        found |= dict(zip(spec.channelnames, pixels[8, 8].tolist(), strict=True))
        part += 1
    return found
