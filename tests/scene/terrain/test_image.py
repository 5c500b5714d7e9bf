# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmaps through Blender's images, equal to OpenImageIO's."""

import os

import bpy
import numpy as np
import pytest

from erosion_addon.base import memory
from erosion_addon.base.errors import InputError
from erosion_addon.files.headers import image_header
from erosion_addon.files.heightmap import Written
from erosion_addon.files.image_files import OpenImageIOFiles, gray
from erosion_addon.scene.terrain import image as images
from erosion_addon.scene.terrain.image import BlenderFiles
from tests import blender_child, latin_1
from tests.files.rasters.test_tiff_pixels import packed
from tests.heightmaps import read_heightmap, write_heightmap

BLENDER = BlenderFiles()
STANDALONE = OpenImageIOFiles()


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    """Every test ends with one scene and no image but its own and Blender's Render Result and
    Viewer Node.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    yield
    assert not [
        image.name
        for image in bpy.data.images
        if image.source != "VIEWER" and image.name[:4] != "test"
    ]
    assert len(bpy.data.scenes) == 1


@pytest.fixture
def hills():
    return np.random.default_rng(3).uniform(-100, 4000, (11, 7)).astype(np.float32)


def image_heights(image):
    return gray(images._image_pixels(image)[0], f"The image {image.name}")


def load(path):
    image = bpy.data.images.load(os.fsencode(path))  # text would be looked for as UTF-8
    image.name = "test"
    return image


def painted(values, *, float_buffer=True, color_space="Non-Color"):
    rows, cols = values.shape
    image = bpy.data.images.new("test", cols, rows, float_buffer=float_buffer)
    image.colorspace_settings.name = color_space
    pixels = np.ones((rows, cols, 4), np.float32)
    pixels[..., :3] = values[..., np.newaxis]
    image.pixels.foreach_set(pixels.ravel())
    return image


def write_pixels(path, pixels, kind, names=(), **attributes):
    import OpenImageIO

    spec = OpenImageIO.ImageSpec(pixels.shape[1], pixels.shape[0], pixels.shape[2], kind)
    if names:
        spec.channelnames = names
    for name, value in attributes.items():
        spec.attribute(name, value)
    image = OpenImageIO.ImageOutput.create(str(path))
    assert image.open(str(path), spec) and image.write_image(pixels) and image.close()


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "suffix,kind",
    [
        (".png", "uint8"),
        (".png", "uint16"),
        (".tif", "uint8"),
        (".tif", "uint16"),
        (".tif", "int16"),
        (".tif", "float"),
        (".tif", "double"),
        (".exr", "half"),
        (".exr", "float"),
    ],
)
@pytest.mark.parametrize("alpha_is", ["unassociated", "associated"])
def test_both_backends_read_the_same_numbers(tmp_path, suffix, kind, channels, alpha_is):
    dtype = np.dtype({"half": "f2", "float": "f4", "double": "f8"}.get(kind, kind))
    chance = np.random.default_rng(5)
    if dtype.kind == "f":
        level = chance.uniform(-100, 4000, (5, 7))
        alpha = 0.25
    else:
        level = chance.integers(np.iinfo(dtype).min + 1, np.iinfo(dtype).max, (5, 7))
        alpha = np.iinfo(dtype).max // 4
    pixels = np.repeat(level.astype(dtype)[:, :, np.newaxis], channels, 2)
    if channels in (2, 4):
        pixels[..., -1] = alpha
    path = tmp_path / f"Täler und Höhen{suffix}"
    names = ("Y", "A") if suffix == ".exr" and channels == 2 else ()
    plain = path.with_stem("plain")  # as OpenImageIO takes text for UTF-8, whatever it is here
    write_pixels(
        plain, pixels, kind, names, **{"oiio:UnassociatedAlpha": int(alpha_is == "unassociated")}
    )
    plain.rename(path)
    inside = BLENDER.read(path)
    outside = STANDALONE.read(path)
    assert inside.shape == (5, 7) and inside.dtype == np.float32
    np.testing.assert_array_equal(inside, outside)
    np.testing.assert_array_equal(image_heights(load(path)), outside)


@pytest.mark.parametrize("suffix", [".png", ".exr", ".tif", ".npy", ".r16", ".r32"])
def test_what_one_backend_writes_the_other_reads_as_the_same_meters(tmp_path, hills, suffix):
    inside = tmp_path / f"é in{suffix}"
    outside = tmp_path / f"é out{suffix}"
    results = write_heightmap(inside, hills, BLENDER), write_heightmap(outside, hills, STANDALONE)
    assert results[0].height_range == results[1].height_range
    span = results[0].height_range
    meters = [
        read_heightmap(path, files, span, hills.shape)
        for path in (inside, outside)
        for files in (BLENDER, STANDALONE)
    ]
    for other in meters[1:]:
        np.testing.assert_array_equal(meters[0], other)
    step = (span[1] - span[0]) / 65535 if span else 0
    assert np.abs(meters[0] - hills).max() <= step / 2 * (1 + 1e-9)


def test_all_65536_levels_survive_blender(tmp_path):
    levels = np.arange(65536.0).reshape(256, 256)
    path = tmp_path / "levels.png"
    assert write_heightmap(path, levels, BLENDER, (0, 65535)) == Written((0, 65535))
    for files in (BLENDER, STANDALONE):
        np.testing.assert_array_equal(read_heightmap(path, files, (0, 65535)), levels)


def test_a_view_transform_of_the_scene_changes_no_height(tmp_path, hills):
    bpy.context.scene.view_settings.view_transform = "AgX"
    bpy.context.scene.view_settings.exposure = 3
    write_heightmap(tmp_path / "a.exr", hills, BLENDER)
    np.testing.assert_array_equal(read_heightmap(tmp_path / "a.exr", STANDALONE), hills)


@pytest.mark.parametrize(
    "name", ["a<UDIM>.exr", "a_1001.exr", "frame ##.exr", "a?b=c.exr", "%d.exr"]
)
def test_names_that_mean_something_to_blender_are_plain_names(tmp_path, hills, name):
    write_heightmap(tmp_path / name, hills, BLENDER)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    for files in (BLENDER, STANDALONE):
        np.testing.assert_array_equal(read_heightmap(tmp_path / name, files), hills)


def test_two_leading_slashes_are_not_the_folder_of_the_blend_file(tmp_path, hills):
    write_heightmap(f"/{tmp_path}/a.exr", hills, BLENDER)
    np.testing.assert_array_equal(read_heightmap(f"/{tmp_path}/a.exr", BLENDER), hills)


def test_a_path_too_long_for_blender_is_refused(tmp_path, hills):
    folder = tmp_path.joinpath(*["n" * 200] * 5)
    folder.mkdir(parents=True)
    with pytest.raises(InputError, match="too long"):
        write_heightmap(folder / "a.exr", hills, BLENDER)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("name", ["Z", "height"])
def test_a_channel_of_another_name_is_read_or_refused_but_never_garbage(tmp_path, hills, name):
    write_pixels(tmp_path / "a.exr", hills[::-1, :, np.newaxis], "float", (name,))
    if bpy.app.version >= (5, 2, 0):
        np.testing.assert_array_equal(BLENDER.read(tmp_path / "a.exr"), hills)
    else:
        with pytest.raises(InputError, match=f"one channel named {name}"):
            BLENDER.read(tmp_path / "a.exr")


@pytest.mark.parametrize("suffix", [".png", ".tif", ".exr"])
@pytest.mark.parametrize("cut", [0.3, 0.8, 0.95])
def test_a_truncated_image_is_refused_in_a_sentence(tmp_path, hills, suffix, cut):
    path = tmp_path / f"a{suffix}"
    write_heightmap(path, hills, STANDALONE)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * cut)])
    for read in (BLENDER.read, lambda path: image_heights(load(path))):
        with pytest.raises(InputError, match="cut off"):
            read(path)


def test_a_png_whose_pixels_are_damaged_is_refused(tmp_path):
    path = tmp_path / "a.png"
    write_heightmap(path, np.random.default_rng(1).random((50, 50)), STANDALONE)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 40] = bytes(40)
    path.write_bytes(data)
    with pytest.raises(InputError, match="damaged"):
        BLENDER.read(path)


def test_too_little_memory_is_noticed_before_blender_allocates(tmp_path, hills, monkeypatch):
    write_heightmap(tmp_path / "a.png", hills, STANDALONE)
    image = load(tmp_path / "a.png")
    generated = painted(hills)
    monkeypatch.setattr(memory, "available_memory", lambda: 100)
    for read in (lambda: BLENDER.read(tmp_path / "a.png"), lambda: image_heights(image)):
        with pytest.raises(InputError, match="needs about"):
            read()
    assert not image.has_data
    with pytest.raises(InputError, match="needs about"):
        image_heights(generated)
    with pytest.raises(InputError, match="needs about"):
        write_heightmap(tmp_path / "b.png", hills, BLENDER)


def test_a_small_png_that_claims_400_million_pixels_is_not_unpacked(tmp_path, hills, monkeypatch):
    write_heightmap(tmp_path / "a.png", hills, STANDALONE)
    image = load(tmp_path / "a.png")
    image.pack()
    monkeypatch.setattr(memory, "available_memory", lambda: 10**12)
    huge = image_header.PlainImage(image_header.ImageHeader(20_000, 20_000, 1, "uint8"))
    monkeypatch.setattr("erosion_addon.files.image_files.file_header", lambda path: huge)
    monkeypatch.setattr("erosion_addon.scene.terrain.image.parse_header", lambda *_: huge)
    for read in (lambda: BLENDER.read(tmp_path / "a.png"), lambda: image_heights(image)):
        with pytest.raises(
            InputError, match=r"needs about 44\.8 GB of memory, although the file has only 0\.1 MB"
        ):
            read()


def test_an_image_of_this_file_keeps_its_own_color_space(tmp_path, hills):
    span = write_heightmap(tmp_path / "a.png", hills, STANDALONE).height_range
    image = load(tmp_path / "a.png")
    # the default, in which 16-bit pixels are wrong by up to 0.29
    assert image.colorspace_settings.name == "sRGB"
    meters = span[0] + image_heights(image) * np.float64(span[1] - span[0])
    assert np.abs(meters - hills).max() < 0.04
    assert image.colorspace_settings.name == "sRGB" and not image.has_data


@pytest.mark.parametrize("color_space", ["Non-Color", "sRGB"])
def test_generated_and_packed_images_give_what_was_set_also_after_reloading(
    tmp_path, hills, color_space
):
    image = painted(hills, color_space=color_space)
    image.use_fake_user = True
    np.testing.assert_array_equal(image_heights(image), hills)
    image.pack()
    np.testing.assert_array_equal(image_heights(image), hills)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))
    image = bpy.data.images["test"]
    np.testing.assert_array_equal(image_heights(image), hills)
    assert image.colorspace_settings.name == color_space


def test_an_8_bit_generated_image_is_in_255_steps(tmp_path):
    levels = np.arange(12, dtype=np.float32).reshape(3, 4) * 20 / np.float32(255)
    heights = image_heights(painted(levels, float_buffer=False, color_space="sRGB"))
    np.testing.assert_allclose(heights, levels, rtol=2e-7)  # Blender multiplies by 1/255 in float32


def test_an_image_painted_on_counts_as_it_is_in_memory(tmp_path, hills):
    write_heightmap(tmp_path / "a.exr", hills, STANDALONE)
    image = load(tmp_path / "a.exr")
    image.colorspace_settings.name = "Non-Color"
    image.pixels.foreach_set(np.full(11 * 7 * 4, 0.25, np.float32))
    np.testing.assert_array_equal(image_heights(image), np.full((11, 7), 0.25))


def test_a_painted_16_bit_image_in_srgb_is_refused(tmp_path, hills):
    write_heightmap(tmp_path / "a.png", hills, STANDALONE)
    image = load(tmp_path / "a.png")
    image.pixels.foreach_set(np.full(11 * 7 * 4, 0.25, np.float32))
    with pytest.raises(InputError, match="unsaved changes in the color space sRGB"):
        image_heights(image)


def test_images_without_one_gray_picture_are_refused_in_a_sentence(tmp_path, hills):
    write_heightmap(tmp_path / "a.exr", hills, STANDALONE)
    write_pixels(tmp_path / "layers.exr", hills[:, :, np.newaxis], "float", ("hills.Y",))
    colors = np.random.default_rng(1).random((5, 4, 3)).astype(np.float32)
    write_pixels(tmp_path / "color.exr", colors, "float")
    (tmp_path / "text.png").write_text("no picture")
    absent = load(tmp_path / "a.exr")
    absent.filepath = str(tmp_path / "absent.exr")
    nowhere = painted(hills)
    nowhere.source = "FILE"
    nowhere.filepath = ""
    nowhere.reload()
    cases = [
        (bpy.data.images.new("test", 8, 8, tiled=True), "UDIM"),
        (absent, "does not exist"),
        (nowhere, "no pixels"),
        (load(tmp_path / "layers.exr"), "layers"),
        (load(tmp_path / "color.exr"), "color image"),
        (load(tmp_path / "text.png"), "not a PNG"),
    ]
    for source in ("MOVIE", "SEQUENCE"):
        image = load(tmp_path / "a.exr")
        image.source = source
        cases.append((image, f"is a {source.lower()}"))
    for image, words in cases:
        with pytest.raises(InputError, match=words) as caught:
            image_heights(image)
        assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


FULL_DISK = """
import resource, signal, sys
import bpy
import numpy as np
from pathlib import Path
from erosion_addon.base.errors import InputError
from tests.heightmaps import write_heightmap
from erosion_addon.scene.terrain.image import BlenderFiles
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
for suffix in (".png", ".exr"):
    try:
        heights = np.random.default_rng(1).random((200, 200))
        write_heightmap(Path(sys.argv[1]) / f"a{suffix}", heights, BlenderFiles())
    except InputError as error:
        print(suffix, "refused:", error)
print([image.name for image in bpy.data.images if image.source != "VIEWER"], len(bpy.data.scenes))
"""


def test_a_full_disk_is_noticed(tmp_path):
    """The limit of the file size stands for the full disk: writes beyond it fail in the same
    way.
    """
    done = blender_child.run(FULL_DISK, tmp_path)
    assert done.stdout.count("refused:") == 2 and "[] 1" in done.stdout, done.stdout + done.stderr
    assert not list(tmp_path.iterdir())


IN_LATIN_1 = r"""
from pathlib import Path
import bpy
import numpy as np
from tests.heightmaps import read_heightmap
from tests.heightmaps import write_heightmap
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.scene.terrain.image import BlenderFiles

hills = np.arange(12.0).reshape(3, 4)
for name in ("H\xfcgel.exr", "T\xe4ler.png"):
    path = Path(sys.argv[1], name)
    write_heightmap(path, hills, BlenderFiles(), (0.0, 65535.0))
    for files in (BlenderFiles(), OpenImageIOFiles()):
        assert np.array_equal(read_heightmap(path, files, (0.0, 65535.0)), hills), name
"""


def test_names_that_are_not_utf_8_are_those_of_the_same_files(tmp_path):
    folder = tmp_path / "hills"
    folder.mkdir()
    latin_1.run(IN_LATIN_1 + blender_child.END, os.fsencode(folder), locales=tmp_path)
    found = os.listdir(os.fsencode(folder))  # noqa: PTH208 - a Path is text
    assert set(found) == {name.encode("latin-1") for name in ("Hügel.exr", "Täler.png")}


@pytest.mark.parametrize("packing", [50000, 34925, 8])
@pytest.mark.parametrize("door", ["file", "packed", "color"])
def test_a_tiff_of_any_packing_is_the_same_in_both_programs(tmp_path, packing, door):
    """Blender's own reader answers ZSTD with zeros."""
    path = tmp_path / "a.tif"
    colors = np.random.default_rng(2).integers(0, 65536, (30, 40, 3)).astype("u2")
    stored = colors if door == "color" else colors[..., 0]
    path.write_bytes(packed(stored, packing, 2))
    if door == "color":
        pixels = BlenderFiles().read_color(path)
        assert np.array_equal(pixels, OpenImageIOFiles().read_color(path))
    elif door == "file":
        pixels = BlenderFiles().read(path)
        assert np.array_equal(pixels, OpenImageIOFiles().read(path))
    else:
        loaded = load(path)
        loaded.pack()
        path.unlink()
        pixels = image_heights(loaded)
    assert np.allclose(pixels[::-1] * 65535, stored, atol=0.01)
