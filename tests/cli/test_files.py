# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `erode`: heights, colors and maps in all file formats."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from erosion_addon import Field, Terrain
from erosion_addon.cli.commands import main
from erosion_addon.drainage.analysis import analyze
from erosion_addon.files import maps
from erosion_addon.files.heightmap import encode_heightmap
from erosion_addon.files.maps import normals
from erosion_addon.files.rasters.tiff_writer import Tags
from erosion_addon.files.side_file import known_meters
from erosion_addon.terrain.ground_cover import COVERS
from tests.cli.commandline import DROPLET_MAPS, FEW, IMAGES, listing, png
from tests.geotiff import alps, geotiff
from tests.heightmaps import read_heightmap


@pytest.mark.parametrize("suffix,opens", [(".tif", 2), (".exr", 1), (".png", 1), (".asc", 2)])
def test_the_header_of_an_input_is_read_once(folder, monkeypatch, suffix, opens):
    """Pixels of a TIFF and numbers of a text are read by a second open, those of the others by
    libraries.
    """
    path = Path(f"dem{suffix}")
    if suffix == ".asc":
        path.write_text("ncols 8\nnrows 8\n" + "1 2 3 4 5 6 7 8\n" * 8)
    else:
        encode_heightmap(path, np.load("dem.npy"), IMAGES)
    paths = []
    original = Path.open

    def opened(self, *arguments, **options):
        paths.append(self)
        return original(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", opened)
    assert main(["convert", str(path), "out.npy", "--height-range", "0", "100"]) == 0
    assert paths.count(path) == opens


def test_an_analysis_is_among_the_maps_where_it_is_asked_for(folder, capsys):
    assert (
        main(
            ["erode", "dem.npy", "out.npy", "--maps", "maps", "--analyze", "--cell-size", "5", *FEW]
        )
        == 0
    )
    result = Terrain(np.load("out.npy"), 5.0)
    np.testing.assert_array_equal(
        IMAGES.read(Path("maps/drainage_area.exr")), analyze(result).fields["drainage_area"]
    )
    assert main(["erode", "dem.npy", "other.npy", "--analyze", *FEW]) == 2
    assert (
        "--analyze needs --maps" in capsys.readouterr().err and not (folder / "other.npy").exists()
    )


def test_maps_are_every_field_as_float32_exr(folder):
    assert main(["erode", "dem.npy", "out.npy", "--maps", "maps", *FEW]) == 0
    assert {path.name for path in (folder / "maps").iterdir()} == {
        f"{name}.exr" for name in (*DROPLET_MAPS, "normal")
    }
    assert np.array_equal(
        IMAGES.read(Path("maps/elevation.exr")), np.load("out.npy").astype(np.float32)
    )
    assert (folder / "maps/wear.exr").read_bytes()[:4] == b"\x76\x2f\x31\x01"


@pytest.mark.parametrize("command", ["erode", "analyze"])
def test_maps_of_a_geotiff_lie_where_it_lies(folder, command):
    here = alps(shape=(24, 32))
    heights = np.load("dem.npy").astype(np.float32)
    encode_heightmap(
        Path("dem.tif"), heights, IMAGES, tags=Tags(spacing=(30.0, 30.0), georeference=here)
    )
    words = (
        ["erode", "dem.tif", "out.tif", *FEW]
        if command == "erode"
        else ["analyze", "dem.tif", "--quiet"]
    )
    assert main([*words, "--maps", "maps", "--tif-maps"]) == 0
    made = sorted(Path("maps").glob("*.tif"))
    assert {path.suffix for path in Path("maps").iterdir()} <= {".tif", ".exr"} and len(made) >= 3
    for path in made:
        found = known_meters(path)
        assert found.georeference.tags.keys() == here.tags.keys() and found.spacing == (30.0, 30.0)
    if command == "erode":
        heights, result = (
            read_heightmap(path, IMAGES) for path in (Path("maps/elevation.tif"), Path("out.tif"))
        )
        assert heights.tobytes() == result.tobytes()
        assert {path.stem for path in Path("maps").glob("*.exr")} == {"normal"}


@pytest.mark.parametrize("green", ["opengl", "directx"])
def test_the_normal_map_wraps_with_the_edges_and_goes_into_a_png(folder, green):
    words = [
        "--recipe",
        "arcane",
        "--edges",
        "wrap",
        "--set",
        "droplet.drops_per_cell=0.1",
        "--quiet",
    ]
    maps_words = ["--maps", "maps", "--png-maps", "--normals", green, "--cell-size", "5"]
    assert main(["erode", "dem.npy", "out.npy", *words, *maps_words]) == 0
    expected = normals(np.load("out.npy"), (5.0, 5.0), wrap=True, green=green)
    assert np.abs(IMAGES.read_color(Path("maps/normal.png")) - expected).max() < 1e-5


def test_a_new_derived_map_is_written_without_more_than_its_entry(folder, monkeypatch):
    below = maps.DerivedMap(
        Field("below_top", "m", "height below the top"),
        lambda elevation, spacing, wrap, green: elevation.max() - elevation,
        reach=0,
    )
    monkeypatch.setitem(maps.DERIVED, "below_top", below)
    monkeypatch.setitem(maps.MAPS, "below_top", below.field)
    assert main(["make", "cone", "cone.npy", "--size", "16x20", "--maps", "maps", "--quiet"]) == 0
    cone = np.load("cone.npy")
    assert np.allclose(IMAGES.read(Path("maps/below_top.exr")), cone.max() - cone, atol=1e-3)


def test_a_vector_is_a_map_for_each_component_and_a_color_is_one_map(folder, monkeypatch):
    vectors = np.arange(24 * 32 * 2, dtype=np.float32).reshape(24, 32, 2)
    colors = np.random.default_rng(0).random((24, 32, 3)).astype(np.float32)
    fields = {"velocity": vectors, "surface_color": colors}
    result = Terrain(np.load("dem.npy"), fields=fields)
    ended = {
        "fraction": 1.0,
        "number": 0,
        "done": 1.0,
        "step": "water",
        "message": "",
        "work": (0.0, ""),
    }
    progress = SimpleNamespace(terrain=result, estimates=[1.0], **ended)
    monkeypatch.setattr("erosion_addon.cli.runs.begin", lambda *_, **__: iter([progress]))
    assert main(["erode", "dem.npy", "out.npy", "--maps", "maps", "--quiet"]) == 0
    names = {"elevation", "velocity_x", "velocity_y", "surface_color", "normal"}
    assert {path.stem for path in (folder / "maps").iterdir()} == names
    assert np.array_equal(IMAGES.read(Path("maps/velocity_y.exr")), vectors[..., 1])
    assert np.array_equal(IMAGES.read_color(Path("maps/surface_color.exr")), colors)


def test_water_carries_the_colors_of_an_image_along(folder):
    """Red above white: what comes to lie below is pink, and nothing is greener than white or bluer
    than red.
    """
    colors = np.ones((24, 32, 3), np.float32)
    high = np.load("dem.npy") > np.median(np.load("dem.npy"))
    colors[high] = (1, 0, 0)
    IMAGES.write(Path("paint.exr"), colors, "float")
    words = [
        "erode",
        "dem.npy",
        "out.npy",
        "--surface-color",
        "paint.exr",
        "--maps",
        "maps",
        "--cell-size",
        "0.05",
    ]
    assert main([*words, "--set", "droplet.drops_per_cell=20", "droplet.color_depth=0.01"]) == 0
    after = IMAGES.read_color(Path("maps/surface_color.exr"))
    laid_down = ~high & (IMAGES.read(Path("maps/deposition.exr")) > 0.02)
    assert laid_down.any() and after[laid_down][:, 1].mean() < 0.8
    assert (
        after[..., 0].min() > 1 - 1e-6
        and after[..., 1:].min() >= 0
        and after[..., 1:].max() <= 1 + 1e-6
    )


def test_strata_are_the_colors_of_the_rock(folder):
    assert (
        main(["erode", "dem.npy", "a.npy", "--surface-color", "red canyon", "--maps", "a", *FEW])
        == 0
    )
    text = 'name = "blue"\n[[layer]]\nthickness = 10\ncolor = "#0000ff"\n'
    (folder / "blue.toml").write_text(text)
    assert (
        main(["erode", "dem.npy", "b.npy", "--surface-color", "blue.toml", "--maps", "b", *FEW])
        == 0
    )
    assert IMAGES.read_color(Path("a/surface_color.exr"))[..., 0].min() > 0.02
    assert np.allclose(IMAGES.read_color(Path("b/surface_color.exr")), [0, 0, 1], atol=1e-6)
    assert np.array_equal(np.load("a.npy"), np.load("b.npy"))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("nowhere", "There are no strata 'nowhere'; choose one of "),
        ("missing.png", "missing.png does not exist."),
        (
            "bright.exr",
            "The colors of bright.exr must be from 0 to 1; at row 3, column 4 it is 2, 1, 1.",
        ),
    ],
)
def test_other_surface_colors_are_refused(folder, capsys, given, sentence):
    bright = np.ones((24, 32, 3), np.float32)
    bright[3, 4, 0] = 2
    IMAGES.write(Path("bright.exr"), bright, "float")
    before = listing(folder)
    assert main(["erode", "dem.npy", "out.npy", "--surface-color", given]) == 2
    assert sentence in capsys.readouterr().err and listing(folder) == before


@pytest.mark.parametrize("suffix", [".npy", ".exr", ".tif", ".r32", ".TIFF"])
def test_float_files_go_in_and_out_the_right_way_up(folder, suffix):
    elevation = np.load("dem.npy")
    encode_heightmap(Path(f"in{suffix}"), elevation, IMAGES)
    words = [
        "erode",
        f"in{suffix}",
        f"out{suffix}",
        "--size",
        "24x32",
        "--set",
        "droplet.drops_per_cell=0",
    ]
    assert main(words) == 0
    assert np.array_equal(
        read_heightmap(f"out{suffix}", IMAGES, size=(24, 32)), elevation.astype(np.float32)
    )


@pytest.mark.parametrize("suffix", [".png", ".r16"])
def test_sixteen_bit_files_hold_the_height_range(folder, suffix, capsys):
    assert (
        main(["erode", "dem.npy", f"a{suffix}", "--height-range", "-10", "20", "--quiet", *FEW])
        == 0
    )
    words = ["erode", f"a{suffix}", "b.npy", "--height-range", "-10", "20", "--size", "24x32"]
    assert main([*words, "--set", "droplet.drops_per_cell=0"]) == 0
    assert main(["erode", "dem.npy", "c.npy", *FEW]) == 0
    # Half a step of 30 m / 65535
    assert np.abs(np.load("b.npy") - np.load("c.npy")).max() <= 30 / 65535 / 2 * 1.001


def test_what_the_shades_mean_and_what_is_cut_off_is_said(folder, capsys):
    assert main(["erode", "dem.npy", "out.png", *FEW]) == 0
    assert re.search(r"In out\.png black is \S+ m and white \S+ m\.", capsys.readouterr().err)
    assert main(["erode", "dem.npy", "out.png", "--height-range", "0", "3", *FEW]) == 0
    error = capsys.readouterr().err
    assert re.search(r"\d+ cells lay outside the height range", error) and "black" not in error


def test_eight_bit_input_is_recognized(folder, capsys):
    (folder / "in.png").write_bytes(png(8, 8, (b"\0" + bytes(range(8))) * 8, bits=8))
    assert main(["erode", "in.png", "out.npy", "--height-range", "0", "255", *FEW]) == 0
    assert "in.png has 8 bits" in capsys.readouterr().err


def test_holes_of_a_geotiff_are_filled_and_said(folder, capsys):
    pixels = np.full((24, 32), 5.0, np.float32)
    pixels[3, 4:6] = -9999.0
    geotiff(Path("dem.tif"), pixels, "-9999")
    assert main(["erode", "dem.tif", "out.npy", *FEW]) == 0
    assert (
        "dem.tif has no data (-9999) in 2 of 768 cells; they were filled" in capsys.readouterr().err
    )
    assert np.load("out.npy").min() > 4.0


def test_weights_of_the_ground_add_up_to_white(folder):
    assert main(["erode", "dem.npy", "out.npy", "--maps", "maps", "--weights", *FEW]) == 0
    shares = [IMAGES.read(Path("maps", f"weight_{cover}.png")) for cover in COVERS]
    np.testing.assert_allclose(sum(shares), 1.0, atol=1e-6)
    assert shares[0].max() == 1 and shares[3].max() > 0.5  # rock, and sand where drops laid it down


def test_weights_without_a_folder_are_refused(folder, capsys):
    assert main(["erode", "dem.npy", "out.npy", "--weights"]) == 2
    assert capsys.readouterr().err == "--weights needs --maps, the folder for them.\n"
