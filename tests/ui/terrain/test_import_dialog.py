# SPDX-License-Identifier: GPL-3.0-or-later
"""Dialog of the heightmap import: it shows what becomes of a file, and which options apply, before
a mesh is made.
"""

import inspect
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.landscape.storage.folder import Landscape
from erosion_addon.scene.terrain import image_heights
from erosion_addon.ui.terrain import heightmaps
from tests.geotiff import alps, tiff_of
from tests.heightmaps import write_heightmap
from tests.terrains import fractal
from tests.ui.recipe.test_steps import Drawn

OPERATOR = heightmaps.EROSION_OT_heightmap_import


class Dialog:
    """The operator's settings with its methods, as operators cannot be made in Python."""

    def __init__(self, **chosen):
        properties = bpy.ops.erosion.heightmap_import.get_rna_type().properties
        self.__dict__.update({one.identifier: default(one) for one in properties})
        self.__dict__.update(raw_size_auto="raw_size" not in chosen, **chosen)
        self.properties = SimpleNamespace(is_property_set=lambda name: name in chosen)
        self.layout = Drawn()

    def __getattr__(self, name):
        member = inspect.getattr_static(OPERATOR, name)
        return member.__get__(self)

    def drawn(self):
        """Labels of the dialog, and its settings with whether they act."""
        image_heights.forget()
        self.check(bpy.context)
        return self.drawn_again()

    def drawn_again(self):
        """The same, of what has been read."""
        self.layout = Drawn()
        self.draw(bpy.context)
        words = [given["text"] for name, _, given in self.layout.seen["calls"] if name == "label"]
        return " ".join(words), self.layout.seen["settings"]


def default(one):
    if getattr(one, "is_array", False):
        return tuple(one.default_array)
    return getattr(one, "default", None)


@pytest.fixture
def elevation_model(tmp_path):
    """A GeoTIFF in whole meters, as agencies publish them."""
    path = tmp_path / "srtm.tif"
    land = (fractal(40, 60, 500.0) + 1000.0).round().astype("<i2")
    path.write_bytes(tiff_of(land, alps(shape=land.shape).tags))
    return path


def test_an_elevation_model_shows_its_size_heights_place_and_memory(elevation_model):
    words, settings = Dialog(filepath=str(elevation_model)).drawn()
    record = image_heights.look(elevation_model, image_heights.Reading())
    row, col = record.spacing
    assert f"{59 * col / 1000:.4g} × {39 * row / 1000:.4g} km, 60 × 40 cells" in words
    assert "Heights from 1,000 m to 1,500 m" in words and "int16, read as heights in m" in words
    assert "On Earth: EPSG:" in words and "0.3 MB of memory" in words
    assert not settings["low"] and not settings["high"] and not settings["cell_size"]
    assert "The file holds heights, so Black and White have no effect." in words
    assert "The file contains its cell size." in words


def test_a_colored_picture_is_read_before_the_drawing_in_which_blender_loads_none(
    tmp_path, monkeypatch
):
    path = tmp_path / "colors.png"
    OpenImageIOFiles().write(path, np.full((8, 9, 3), 0.5, np.float32), "uint16")
    dialog = Dialog(filepath=str(path))
    words, _ = dialog.drawn()
    assert "9 × 8 cells" in words
    image_heights.forget()
    with monkeypatch.context() as drawing:
        drawing.setattr(image_heights, "opened", None)
        words, settings = dialog.drawn_again()  # as a file browser draws a file chosen by a script
        assert "cells" not in words and settings["low"]
    for _ in range(2):  # without options, and with those that follow from its kind
        heightmaps._read()
        with monkeypatch.context() as drawing:
            drawing.setattr(image_heights, "opened", None)
            words, _ = dialog.drawn_again()
    assert "9 × 8 cells" in words


def test_what_it_shows_is_what_it_makes(elevation_model, capfd):
    """Whole meters stay, as the command line reads them; that they are steps is said."""
    assert bpy.ops.erosion.heightmap_import(filepath=str(elevation_model)) == {"FINISHED"}
    assert "terraces of 1 m" in capfd.readouterr().out
    z = np.empty(40 * 60 * 3, np.float32)
    bpy.context.object.data.vertices.foreach_get("co", z)
    assert (z[2::3].min(), z[2::3].max()) == (1000.0, 1500.0) and not (z[2::3] % 1).any()


def test_a_picture_of_shades_asks_for_black_and_white(tmp_path):
    path = tmp_path / "gray.png"
    write_heightmap(path, fractal(20, 31, 5.0), OpenImageIOFiles(), (0.0, 5.0))
    path.with_suffix(".json").unlink(missing_ok=True)
    words, settings = Dialog(filepath=str(path), low=200.0, high=700.0).drawn()
    assert "Heights from 200 m to 700 m" in words and "read as shades of gray" in words
    assert settings["low"] and settings["high"] and settings["cell_size"]
    assert "0.3 × 0.19 km, 31 × 20 cells, 10 m apart" in words


def test_floats_from_0_to_1_are_asked_about_and_get_the_heights_of_somebody_who_sets_them(tmp_path):
    path = tmp_path / "gaea.exr"
    write_heightmap(path, fractal(120, 120, 1.0), OpenImageIOFiles())
    words, settings = Dialog(filepath=str(path)).drawn()
    assert (
        "numbers from 0 to 1 for land 1.2 km long" in words and "Heights from 0 m to 1 m" in words
    )
    assert settings["low"] and settings["high"] and "Change it by White." in words
    words, settings = Dialog(filepath=str(path), low=0.0, high=800.0).drawn()
    assert "Heights from 0 m to 800 m" in words and settings["low"]


def test_options_of_raw_files_are_gray_with_a_reason_for_others(tmp_path):
    (tmp_path / "a.raw").write_bytes(np.linspace(0, 65535, 400).astype("<u2").tobytes())
    words, settings = Dialog(filepath=str(tmp_path / "a.raw")).drawn()
    assert settings["byte_order"] and "20 × 20 cells" in words
    write_heightmap(tmp_path / "b.npy", fractal(20, 20, 5.0), OpenImageIOFiles())
    words, settings = Dialog(filepath=str(tmp_path / "b.npy")).drawn()
    assert (
        not settings["byte_order"] and "The file contains its size, byte order and depth." in words
    )


def test_what_cannot_be_read_is_said_in_the_dialog(tmp_path):
    (tmp_path / "text.png").write_text("no picture")
    words, settings = Dialog(filepath=str(tmp_path / "text.png")).drawn()
    assert "not a PNG" in words and "known_meters" in settings
    words, _ = Dialog(filepath=str(tmp_path / "gone.png")).drawn()
    assert "does not exist" in words


def test_what_is_too_large_offers_parts_and_a_landscape(elevation_model, monkeypatch):
    monkeypatch.setattr(heightmaps, "available_memory", lambda: 40 * 60 * 140 // 4)
    dialog = Dialog(filepath=str(elevation_model))
    words, settings = dialog.drawn()
    assert (
        "too large for the free memory: read one cell in 2, or a window of 24 × 24 cells" in words
    )
    assert settings["every"] and settings["window"]
    offered = [given[0] for name, given, _ in dialog.layout.seen["calls"] if name == "operator"]
    assert offered == ["erosion.landscape_make"]
    words, _ = Dialog(filepath=str(elevation_model), every=2).drawn()
    assert "30 × 20 cells" in words and "too large" not in words


def test_an_image_of_this_file_is_shown_too():
    image = bpy.data.images.new("hills", 30, 20, float_buffer=True, is_data=True)
    pixels = np.ones((20, 30, 4), np.float32)
    pixels[..., :3] = np.linspace(3, 90, 600).reshape(20, 30, 1)
    image.pixels.foreach_set(pixels.ravel())
    words, settings = Dialog(source="IMAGE", image="hills").drawn()
    assert (
        "Heights from 3 m to 90 m" in words
        and "known_meters" not in settings
        and not settings["low"]
    )


@pytest.mark.parametrize("chosen", [{}, {"source": "IMAGE"}, {"image": "gone"}])
def test_nothing_chosen_is_drawn_without_a_record(chosen):
    words, settings = Dialog(**chosen).drawn()
    assert "cells" not in words and "cell_size" in settings


def test_a_landscape_in_tiles_is_made_by_the_options_of_the_dialog(tmp_path):
    """The whole is shown on coarser cells; the tiles hold every cell."""
    path = tmp_path / "gray.png"
    write_heightmap(path, fractal(130, 200, 5.0), OpenImageIOFiles(), (0.0, 5.0))
    button = SimpleNamespace()
    Dialog(filepath=str(path), low=200.0, high=700.0, cell_size=5.0).copy_to(button)
    chosen = {name: value for name, value in vars(button).items() if value != default_of(name)}
    done = bpy.ops.erosion.landscape_make(
        source=str(path), folder=str(tmp_path / "tiles"), tile=64, **chosen
    )
    assert done == {"FINISHED"}
    made = Landscape(tmp_path / "tiles")
    assert (
        made.shape == (130, 200) and made.manifest.spacing == (5.0, 5.0) and made.counts == (3, 4)
    )
    before = image_heights.read(
        path, image_heights.Reading(height_range=(200.0, 700.0), spacing=(5.0, 5.0))
    )[0]
    np.testing.assert_allclose(made.read("start/elevation", made.whole), before, atol=1e-4)
    assert len(bpy.context.object.data.vertices) >= 130 * 200 / 4
    with pytest.raises(RuntimeError, match="holds a landscape already"):
        bpy.ops.erosion.landscape_make(source=str(path), folder=str(tmp_path / "tiles"), **chosen)


def default_of(name):
    return default(bpy.ops.erosion.landscape_make.get_rna_type().properties[name])
