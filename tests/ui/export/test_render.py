# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command erosion render`: arguments, pictures, exit codes."""

import json

import bpy
import numpy as np
import OpenImageIO
import pytest

from erosion_addon import ui
from erosion_addon.files.render_settings import Picture
from erosion_addon.scene.companions import companions
from erosion_addon.scene.stage import render
from erosion_addon.scene.terrain.mesh import make_grid_object
from tests.terrains import fractal

pytestmark = pytest.mark.render

SMALL = ["--size", "32x18", "--samples", "1"]


@pytest.fixture
def blend(tmp_path):
    """A saved file with a terrain and nothing else."""
    scene = bpy.context.scene
    for world in list(bpy.data.worlds):
        bpy.data.worlds.remove(world)
    make_grid_object("Terrain", fractal(24, 24, relief=40.0), (10.0, 10.0), scene.collection)
    path = tmp_path / "terrain.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def pixels(path):
    image = bpy.data.images.load(str(path))
    values = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(image.size[1], image.size[0], image.channels)[..., :3]


def test_a_file_with_nothing_but_a_terrain_makes_a_lit_picture(blend, tmp_path, capfd):
    before = blend.read_bytes()
    out = tmp_path / "out.png"
    assert ui.command_line(["render", str(blend), str(out), *SMALL]) == 0
    assert str(out) in capfd.readouterr().out
    picture = pixels(out)
    assert picture.shape == (18, 32, 3)
    sky = picture[-1]
    land = picture[:9]
    assert np.all(sky[:, 2] > sky[:, 0])  # blue
    assert land.max() > 0.2 and land.std() > 0.02  # light and shade
    assert blend.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.png", "terrain.blend"]


@pytest.mark.thorough
def test_a_turntable_sees_another_side_in_each_picture(blend, tmp_path, capfd):
    words = ["render", str(blend), str(tmp_path / "turn.png"), "--turntable", "2", *SMALL]
    assert ui.command_line([*words, "--progress", "json"]) == 0
    events = [
        json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")
    ]
    shown = [(event["fraction"], event["text"]) for event in events if event["event"] == "progress"]
    assert shown == [(0.0, "file opened"), (0.5, "picture 1 of 2"), (1.0, "picture 2 of 2")]
    first, second = (pixels(tmp_path / f"turn_000{number}.png") for number in (1, 2))
    assert np.abs(first - second).max() > 0.1


@pytest.mark.thorough
def test_the_camera_of_the_file_and_passes_with_distances_and_slopes_of_the_heights(
    blend, tmp_path
):
    def look_down(scene):
        camera = bpy.data.objects.new("Down", bpy.data.cameras.new("Down"))
        camera.location = (0.0, 0.0, 250.0)
        scene.collection.objects.link(camera)
        scene.camera = camera
        scene.render.image_settings.exr_codec = "DWAA"  # lossy

    save_again(blend, look_down)
    out = tmp_path / "out.exr"
    assert ui.command_line(["render", str(blend), str(out), "--passes", *SMALL]) == 0
    layers = layers_of(out)
    assert {
        "Composite.Combined",
        "ViewLayer.Combined",
        "ViewLayer.Depth",
        "ViewLayer.Normal",
    } <= layers.keys()
    depth = layers["ViewLayer.Depth"][..., 0]
    normal = layers["ViewLayer.Normal"]
    lens = bpy.context.scene.camera.data
    across = lens.sensor_width / lens.lens * (np.arange(32) - 15.5) / 32
    x = depth * across
    y = depth * across[7:25, None]
    heights = fractal(24, 24, relief=40.0)
    rows, cols = (np.rint(side / 10.0 + 11.5).astype(int) for side in (y, x))
    assert rows.min() > 0 and cols.min() > 0 and rows.max() < 23 and cols.max() < 23
    assert np.abs(250.0 - depth - heights[rows, cols]).mean() < 1.5
    slopes = np.stack([-side for side in np.gradient(heights, 10.0)][::-1], axis=-1)[rows, cols]
    assert np.abs(normal[..., :2] / normal[..., 2:] - slopes).mean() < 0.3 * np.abs(slopes).mean()
    assert np.linalg.norm(normal, axis=-1) == pytest.approx(1.0, abs=0.01)


def layers_of(path):
    """Layer of an EXR file → its channels (rows, cols, channels) in the file's order, row 0 at the
    bottom.
    """
    opened = OpenImageIO.ImageInput.open(str(path))
    found = {}
    part = 0
    while opened.seek_subimage(part, 0):
        names = opened.spec().channelnames
        values = opened.read_image(part, 0, 0, len(names), "float")[::-1]
        for name in dict.fromkeys(channel.rpartition(".")[0] for channel in names):
            found[name] = values[..., [channel.rpartition(".")[0] == name for channel in names]]
        part += 1
    return found


def save_again(blend, change):
    """Open the file, change its scene, and save it."""
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    change(bpy.context.scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))


def test_a_terrain_that_renders_do_not_show_is_refused(blend, tmp_path, capfd):
    save_again(blend, lambda scene: setattr(scene.objects["Terrain"], "hide_render", True))
    out = str(tmp_path / "out.png")
    assert ui.command_line(["render", str(blend), out, *SMALL]) == 2
    assert "show no terrain" in capfd.readouterr().err
    assert ui.command_line(["render", str(blend), out, "--object", "Terrain", *SMALL]) == 2
    assert "Terrain is hidden in renders" in capfd.readouterr().err


def test_plants_are_added_for_the_picture_or_left_out_of_it(blend):
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    scene = bpy.context.scene
    terrain = scene.objects["Terrain"]
    render.prepare(scene, terrain, Picture())
    assert not companions.find(terrain, "plants")
    for wanted in (True, False, None, True):
        render.prepare(scene, terrain, Picture(plants=wanted))
        (plants,) = companions.find(terrain, "plants")
        assert len(plants.data.vertices) and plants.hide_render == (wanted is not True)


def test_plants_that_cannot_grow_are_a_sentence(blend, tmp_path, capfd):
    def steepen(scene):
        scene.objects["Terrain"].scale.z = 500.0

    save_again(blend, steepen)
    assert (
        ui.command_line(["render", str(blend), str(tmp_path / "out.png"), "--plants", *SMALL]) == 2
    )
    assert "Nothing grows on Terrain" in capfd.readouterr().err
    assert not (tmp_path / "out.png").exists()


@pytest.mark.thorough
def test_settings_of_the_file_that_spoil_pictures_are_left_out(blend, tmp_path):
    def spoil(scene):
        scene.render.use_multiview = scene.render.use_border = scene.render.use_crop_to_border = (
            True
        )
        scene.render.border_max_x = 0.5

    save_again(blend, spoil)
    assert ui.command_line(["render", str(blend), str(tmp_path / "out.png"), *SMALL]) == 0
    assert pixels(tmp_path / "out.png").shape == (18, 32, 3)
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".png") == ["out.png"]


def test_the_files_own_compositing_is_kept(blend, tmp_path):
    def paint_it_red(scene):
        if bpy.app.version >= (5, 0, 0):
            tree = bpy.data.node_groups.new("Mine", "CompositorNodeTree")
            tree.interface.new_socket("Image", in_out="OUTPUT", socket_type="NodeSocketColor")
            scene.compositing_node_group, out = tree, tree.nodes.new("NodeGroupOutput")
        else:
            scene.use_nodes = True
            tree = scene.node_tree
            tree.nodes.clear()
            out = tree.nodes.new("CompositorNodeComposite")
        red = tree.nodes.new("CompositorNodeRGB")
        red.outputs[0].default_value = (1.0, 0.0, 0.0, 1.0)
        tree.links.new(red.outputs[0], out.inputs[0])

    save_again(blend, paint_it_red)
    assert ui.command_line(["render", str(blend), str(tmp_path / "red.png"), *SMALL]) == 0
    assert pixels(tmp_path / "red.png").std(axis=(0, 1)).max() < 0.01


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["{folder}/missing.blend", "{folder}/out.png"], "There is no file {folder}/missing.blend"),
        (["{blend}", "out.gif"], "must end in .png"),
        (["{blend}", "{folder}/none/out.png"], "does not exist"),
        (["{blend}", "{folder}/out.png", "--object", "Cube"], "There is no mesh 'Cube'"),
        (["{blend}", "{folder}/out.png", "--turntable", "0"], "at least 1"),
        (["{blend}", "{folder}/out.png", "--passes"], "must end in .exr"),
        (["{text}", "{folder}/out.png"], "is not a .blend file"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(blend, tmp_path, capfd, words, sentence):
    text = tmp_path / "text.blend"
    text.write_text("this is no scene")
    given = [word.format(blend=blend, folder=tmp_path, text=text) for word in words]
    assert ui.command_line(["render", *given]) == 2
    error = capfd.readouterr().err
    assert sentence.format(folder=tmp_path) in error and "Traceback" not in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["terrain.blend", "text.blend"]
