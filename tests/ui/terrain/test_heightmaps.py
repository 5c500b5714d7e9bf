# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmap import and export operators, called by scripts and menus."""

import inspect
import json

import bpy
import numpy as np
import pytest

from erosion_addon.files.headers.image_header import read_header
from erosion_addon.files.rasters.tiff_writer import Tags, write_tiff
from erosion_addon.scene.masks import inputs
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.image import BlenderFiles
from erosion_addon.scene.terrain.mesh import write_heights
from erosion_addon.ui.export import heightmap_export
from erosion_addon.ui.terrain import heightmaps
from tests.geotiff import alps, geotiff, same
from tests.heightmaps import write_heightmap
from tests.terrains import fractal
from tests.ui.conftest import activate, z_of


def terrain_of(obj):
    return grid.read_terrain(obj)[0]


def active():
    return terrain_of(bpy.context.object)


def side_of(path):
    return json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def eight_bits(path, heights):
    """A gray PNG of 8 bits, black at 0 and white at 1."""
    rows, cols = heights.shape
    image = bpy.data.images.new("gray", cols, rows)
    image.colorspace_settings.name = "Non-Color"
    pixels = np.ones((rows, cols, 4), np.float32)
    pixels[..., :3] = heights[..., None]
    image.pixels.foreach_set(pixels.ravel())
    image.filepath_raw = str(path)
    image.file_format = "PNG"
    image.save()
    bpy.data.images.remove(image)


@pytest.mark.parametrize("suffix", [".png", ".exr", ".tif", ".r16", ".raw", ".r32"])
@pytest.mark.parametrize("engine", ["NONE", "UNREAL", "UNITY"])
def test_an_exported_terrain_comes_back_with_its_meters(terrain_object, tmp_path, suffix, engine):
    before = terrain_of(terrain_object).elevation
    path = tmp_path / f"land{suffix}"
    done = bpy.ops.erosion.heightmap_export(
        filepath=str(path), engine=engine, size=(48, 64), flip=engine == "UNREAL"
    )
    assert done == {"FINISHED"}
    assert bpy.ops.erosion.heightmap_import(filepath=str(path)) == {"FINISHED"}
    back = active()
    assert bpy.context.object is not terrain_object and back.spacing == pytest.approx((10.0, 10.0))
    assert np.abs(back.elevation - before).max() <= (
        200 / 65535 if suffix in (".png", ".r16", ".raw") else 1e-4
    )


@pytest.mark.parametrize(
    ("given", "side", "suffix"),
    [
        ({"engine": "UNREAL"}, 505, ".png"),
        ({"engine": "UNREAL", "unreal_size": "1009"}, 1009, ".png"),
        ({"engine": "UNITY"}, 129, ".raw"),
        ({"engine": "UNITY", "unity_size": "257"}, 257, ".raw"),
        ({}, None, ".exr"),
    ],
)
def test_engines_have_their_sizes(terrain_object, tmp_path, given, side, suffix):
    path = tmp_path / f"land{suffix}"
    assert bpy.ops.erosion.heightmap_export(filepath=str(path), **given) == {"FINISHED"}
    about = side_of(path)
    assert (about["width"], about["height"]) == ((side, side) if side else (64, 48))
    assert about["size"] == pytest.approx([630, 470])


def test_maps_and_tiles_go_beside_the_heights(terrain_object, tmp_path):
    lattice = grid.find_lattice(terrain_object)
    fields = {
        "wear": fractal(48, 64, 3.0).astype(np.float32),
        "moisture": fractal(48, 64, 1.0).astype(np.float32),
    }
    attributes.write_fields(terrain_object.data, lattice, fields)
    done = bpy.ops.erosion.heightmap_export(
        filepath=str(tmp_path / "a.r32"), tiles=(1, 3), maps={"wear", "moisture"}, size=(48, 22)
    )
    assert done == {"FINISHED"}
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {"a.json"} | {
        f"a{name}_x{x}_y0.r32" for name in ("", "_wear", "_moisture") for x in range(3)
    }
    tiles = [
        np.fromfile(tmp_path / f"a_wear_x{x}_y0.r32", "<f4").reshape(48, 22)[::-1] for x in range(3)
    ]
    whole = np.concatenate([tiles[0], tiles[1][:, 1:], tiles[2][:, 1:]], axis=1)
    assert np.array_equal(whole, fields["wear"])


def test_the_masks_of_the_panel_go_along(terrain_object, tmp_path):
    weights = np.linspace(0, 1, 48 * 64, dtype=np.float32)
    terrain_object.data.attributes.new("Hard", "FLOAT", "POINT").data.foreach_set("value", weights)
    terrain_object.erosion.hardness.source = "ATTRIBUTE"
    terrain_object.erosion.hardness.layer = "Hard"
    bpy.ops.erosion.heightmap_export(filepath=str(tmp_path / "a.r16"), masks=True)
    assert {path.name for path in tmp_path.iterdir()} == {"a.r16", "a_mask_hardness.r16", "a.json"}
    gray = np.fromfile(tmp_path / "a_mask_hardness.r16", "<u2").reshape(48, 64)[::-1]
    assert np.abs(gray.ravel() / 65535 - weights).max() < 1e-5
    about = side_of(tmp_path / "a.r16")["maps"]
    assert about == {
        "mask_hardness": {"files": ["a_mask_hardness.r16"], "unit": "0-1", "range": [0, 1]}
    }


def test_a_given_range_is_kept_and_what_is_cut_off_is_said(terrain_object, tmp_path, capfd):
    path = tmp_path / "a.png"
    bpy.ops.erosion.heightmap_export(filepath=str(path), own_range=False, low=0.0, high=150.0)
    assert side_of(path)["height_range"] == [0, 150]
    count = int((terrain_of(terrain_object).elevation > 150).sum())
    assert count and f"{count} points lay outside the height range" in capfd.readouterr().out


def test_a_name_without_a_suffix_gets_the_format_s(terrain_object, tmp_path):
    bpy.ops.erosion.heightmap_export(filepath=str(tmp_path / "land"), file_format=".r16")
    assert {path.name for path in tmp_path.iterdir()} == {"land.r16", "land.json"}


def test_what_cannot_be_exported_is_said_and_nothing_is_written(terrain_object, tmp_path):
    with pytest.raises(RuntimeError, match="has no field 'wear'; it has elevation"):
        bpy.ops.erosion.heightmap_export(filepath=str(tmp_path / "a.exr"), maps={"wear"})
    with pytest.raises(RuntimeError, match="No file is chosen"):
        bpy.ops.erosion.heightmap_export()
    with pytest.raises(RuntimeError, match="must end in"):
        bpy.ops.erosion.heightmap_export(filepath=str(tmp_path / "a.jpg"))
    with pytest.raises(RuntimeError, match="does not exist"):
        bpy.ops.erosion.heightmap_export(filepath=str(tmp_path / "missing" / "a.exr"))
    with pytest.raises(RuntimeError, match="lower to a higher"):
        bpy.ops.erosion.heightmap_export(
            filepath=str(tmp_path / "a.png"), own_range=False, low=5.0, high=5.0
        )
    assert not list(tmp_path.iterdir())
    bpy.ops.mesh.primitive_uv_sphere_add()
    with pytest.raises(RuntimeError, match="grid"):
        bpy.ops.erosion.heightmap_export(filepath=str(tmp_path / "a.exr"))


def test_the_size_can_be_the_width_of_the_whole(tmp_path):
    write_heightmap(tmp_path / "a.npy", fractal(20, 31, 5.0), BlenderFiles())
    bpy.ops.erosion.heightmap_import(filepath=str(tmp_path / "a.npy"), measure="WIDTH", width=600.0)
    assert active().spacing == (20.0, 20.0)


def test_an_imported_geotiff_is_exported_to_where_it_lies_on_earth(tmp_path):
    heights = fractal(20, 31, 5.0).astype("f4")
    write_tiff(tmp_path / "in.tif", heights, Tags(None, alps(shape=heights.shape)))
    assert bpy.ops.erosion.heightmap_import(filepath=str(tmp_path / "in.tif")) == {"FINISHED"}
    assert bpy.ops.erosion.heightmap_export(filepath=str(tmp_path / "out.tif")) == {"FINISHED"}
    assert same(read_header(tmp_path / "out.tif").georeference, alps(shape=heights.shape))
    bpy.context.object[inputs.GEOREFERENCE] = "somebody's own text"
    assert bpy.ops.erosion.heightmap_export(filepath=str(tmp_path / "out.tif")) == {"FINISHED"}
    assert read_header(tmp_path / "out.tif").georeference is None


def test_a_geotiff_tells_its_meters_unless_one_knows_better(tmp_path, capfd):
    write_tiff(tmp_path / "a.tif", fractal(20, 31, 5.0), Tags((30.0, 25.0)))
    bpy.ops.erosion.heightmap_import(filepath=str(tmp_path / "a.tif"))
    assert (
        active().spacing == (30.0, 25.0)
        and "a.tif has pixels of 25 × 30 m" in capfd.readouterr().out
    )
    bpy.ops.erosion.heightmap_import(
        filepath=str(tmp_path / "a.tif"), known_meters=False, cell_size=3.0
    )
    assert active().spacing == (3.0, 3.0)
    geotiff(tmp_path / "b.tif", fractal(20, 31, 5.0).astype("f4"))
    bpy.ops.erosion.heightmap_import(filepath=str(tmp_path / "b.tif"), cell_size=3.0)
    assert active().spacing == (3.0, 3.0)


def test_the_terraces_of_8_bits_are_smoothed_on_the_way_in(tmp_path, capfd):
    # A slope of 400 m over 160 pixels in 256 steps of 3.92 m: terraces of one or two pixels.
    slope = np.tile(np.linspace(0.05, 0.45, 160), (40, 1))
    eight_bits(tmp_path / "gray.png", slope)
    given = {"filepath": str(tmp_path / "gray.png"), "low": 0.0, "high": 1000.0}
    bpy.ops.erosion.heightmap_import(**given)
    assert "Smoothed away terraces of 3.92 m" in capfd.readouterr().out
    smooth = active().elevation
    assert np.abs(np.diff(smooth, axis=1)[:, 8:-8] - 400 / 159).max() < 0.2
    bpy.ops.erosion.heightmap_import(**given, smooth_steps=False)
    assert "has terraces of 3.92 m: it has few levels of height" in capfd.readouterr().out
    stepped = active().elevation
    assert (
        len(np.unique(stepped)) < 110 and np.abs(smooth - stepped).max() <= 1000 / 255 / 2 * 1.0001
    )


def test_heights_of_16_bits_or_floats_are_taken_as_they_are(tmp_path, capfd):
    write_heightmap(tmp_path / "a.png", fractal(40, 40, 1.0), BlenderFiles(), (0.0, 1.0))
    bpy.ops.erosion.heightmap_import(filepath=str(tmp_path / "a.png"), low=0.0, high=1.0)
    assert np.abs(active().elevation - fractal(40, 40, 1.0)).max() < 1e-5
    assert "steps" not in capfd.readouterr().out


def test_an_image_of_8_bits_in_the_file_is_smoothed_too():
    image = bpy.data.images.new("Gray", 90, 40)
    image.colorspace_settings.name = "Non-Color"
    levels = np.tile(np.round(np.arange(90) * 0.4) / 255, (40, 1)).astype(np.float32)
    image.pixels.foreach_set(np.repeat(levels, 4))
    bpy.ops.erosion.heightmap_import(image="Gray", low=0.0, high=255.0, cell_size=1.0)
    assert np.abs(np.diff(active().elevation, axis=1)[:, 6:-6] - 0.4).max() < 0.05


def test_a_raw_file_that_is_not_square_is_read_with_its_size(tmp_path):
    np.arange(35, dtype="<u2").tofile(tmp_path / "a.r16")
    with pytest.raises(RuntimeError, match="give its size"):
        bpy.ops.erosion.heightmap_import(filepath=str(tmp_path / "a.r16"))
    bpy.ops.erosion.heightmap_import(
        filepath=str(tmp_path / "a.r16"), raw_size=(5, 7), low=0.0, high=65535.0
    )
    assert np.array_equal(active().elevation[::-1].ravel(), np.arange(35))


def test_what_cannot_be_imported_is_said():
    with pytest.raises(RuntimeError, match="No file is chosen"):
        bpy.ops.erosion.heightmap_import()
    with pytest.raises(RuntimeError, match="No image is chosen"):
        bpy.ops.erosion.heightmap_import(source="IMAGE")
    with pytest.raises(RuntimeError, match="no image Missing"):
        bpy.ops.erosion.heightmap_import(image="Missing")
    assert not bpy.data.objects


def test_heightmaps_can_be_dropped_into_the_viewport():
    handler = bpy.types.EROSION_FH_heightmap
    assert handler.bl_import_operator == "erosion.heightmap_import"
    dropped = set(handler.bl_file_extensions.split(";"))
    assert (
        {".png", ".exr", ".tif", ".tiff", ".npy", ".r16", ".raw"}
        <= dropped
        == set(heightmaps.READ_SUFFIXES)
    )
    assert not {".jpg", ".toml"} & dropped
    operator = bpy.ops.erosion.heightmap_import.get_rna_type()
    assert (
        operator.properties["filepath"].subtype == "FILE_PATH"
        and operator.properties["filepath"].is_skip_save
    )


def test_a_mesh_that_is_no_grid_becomes_one(capfd):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=50, segments=64, ring_count=32)
    sphere = bpy.context.object
    assert bpy.ops.erosion.grid_from_mesh(cell_size=2.0) == {"FINISHED"}
    made = bpy.context.object
    assert (
        made.name == "Sphere Grid"
        and made.select_get()
        and sphere.hide_get()
        and sphere.hide_render
    )
    terrain = active()
    assert terrain.shape == (51, 51) and terrain.spacing == (2.0, 2.0)
    y, x = np.mgrid[-50:51:2, -50:51:2]
    top = np.sqrt(np.maximum(2500.0 - x**2 - y**2, 0))
    inside = np.hypot(x, y) < 40
    # its faces lie below the ball by a few decimeters
    assert np.abs(terrain.elevation - top)[inside].max() < 0.5
    assert "outside the mesh were filled from their neighbors" in capfd.readouterr().out
    bpy.context.view_layer.objects.active = sphere
    assert bpy.ops.erosion.grid_from_mesh(hide_original=False) == {"FINISHED"}


def test_what_makes_no_grid_is_said():
    with pytest.raises(RuntimeError, match="Select an object with faces"):
        bpy.ops.erosion.grid_from_mesh()
    bpy.ops.mesh.primitive_plane_add(size=10, rotation=(np.pi / 2, 0, 0))
    with pytest.raises(RuntimeError, match="Plane cannot become a terrain"):
        bpy.ops.erosion.grid_from_mesh()
    assert len(bpy.data.objects) == 1 and not bpy.context.object.hide_get()


def test_steps_are_smoothed_on_the_mesh(terrain_object):
    slope = np.tile(np.arange(64) * 1.3, (48, 1)).astype(np.float32)
    stepped = np.round(slope / 4) * 4
    write_heights(terrain_object.data, stepped.ravel())
    assert bpy.ops.erosion.steps_smooth() == {"FINISHED"}
    smooth = z_of(terrain_object).reshape(48, 64)
    assert np.abs(smooth - stepped).max() <= 2 + 1e-4
    assert np.abs(np.diff(smooth, axis=1)[:, 6:-6] - 1.3).max() < 0.1
    with pytest.raises(RuntimeError, match="has no terraces"):
        bpy.ops.erosion.steps_smooth()
    assert np.array_equal(z_of(terrain_object).reshape(48, 64), smooth)


def test_steps_of_a_scaled_object_are_smoothed_in_meters(terrain_object):
    stepped = np.round(np.tile(np.arange(64) * 0.3, (48, 1))).astype(np.float32)
    write_heights(terrain_object.data, stepped.ravel())
    terrain_object.scale = (2, 2, 5)
    bpy.context.view_layer.update()
    activate(terrain_object)
    assert bpy.ops.erosion.steps_smooth() == {"FINISHED"}
    assert np.abs(z_of(terrain_object).reshape(48, 64) - stepped).max() <= 0.5 + 1e-5


class Drawn:
    """A layout that remembers what is shown in it."""

    def __init__(self, shown=None):
        self.shown = [] if shown is None else shown

    def column(self, **_):
        return Drawn(self.shown)

    row = column

    def prop(self, owner, name, **_):
        assert name in owner.declared() or name == "size_auto"
        self.shown.append(name)

    def label(self, text, icon="NONE", translate=True):
        self.shown.append(text)

    def prop_enum(self, owner, name, value):
        self.shown.append(f"{name}.{value}")


class Settings:
    """What an operator is set to, with its draw function, as operators cannot be made in Python."""

    def __init__(self, cls, **given):
        self._cls = cls
        self.__dict__.update(given)

    def declared(self):
        return {name for cls in self._cls.__mro__ for name in inspect.get_annotations(cls)}

    def __getattr__(self, name):
        return getattr(self._cls, name).__get__(self)


def test_the_export_asks_only_what_matters(terrain_object):
    attributes.write_fields(
        terrain_object.data,
        grid.find_lattice(terrain_object),
        {"wear": np.ones((48, 64), np.float32)},
    )
    shown = {}
    for engine, file_format in [("NONE", ".exr"), ("UNREAL", ".png"), ("UNITY", ".raw")]:
        drawn = Drawn()
        cls = heightmap_export.EROSION_OT_heightmap_export
        settings = Settings(
            cls,
            engine=engine,
            file_format=file_format,
            own_range=False,
            low=0.0,
            high=9.0,
            flip=False,
            unreal_size="1009",
            unity_size="NEAREST",
            size=(0, 0),
            tiles=(1, 1),
            layout=drawn,
        )
        cls.draw(settings, bpy.context)
        shown[engine] = drawn.shown
    assert {"size", "maps.wear"} <= set(shown["NONE"]) and not {"low", "own_range"} & set(
        shown["NONE"]
    )
    assert {"unreal_size", "low", "high"} <= set(shown["UNREAL"]) and "size" not in shown["UNREAL"]
    # 64 columns of 10 m cells are 630 m wide.
    assert (
        "48 × 64 points, 10 m apart" in shown["NONE"]
        and "1009 × 1009 points, 0.625 m apart" in shown["UNREAL"]
    )
    assert "unity_size" in shown["UNITY"] and "maps.moisture" not in shown["UNITY"]
