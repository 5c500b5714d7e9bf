# SPDX-License-Identifier: GPL-3.0-or-later
"""Options for reading heightmaps and masks, and what the commands say about files."""

import shlex
from pathlib import Path

import numpy as np
import pytest

from erosion_addon.cli.commands import main
from erosion_addon.files.heightmap import encode_heightmap, read_heights
from erosion_addon.files.rasters.tiff_writer import Tags
from erosion_addon.landscape.storage.folder import Landscape
from tests.cli.commandline import FEW, IMAGES, listing
from tests.geotiff import alps, geotiff
from tests.land_files import COLS, FILES, LAND, ROWS
from tests.terrains import fractal

SHAPE = (24, 32)
"""Of dem.npy in the folder."""


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("no data without a tag", "--no-data"),
        ("no data with a tag", "--holes"),
        ("whole numbers with a place", "--numbers"),
        ("r32 of a Mac", "--byte-order"),
        ("floats in r16", "--depth"),
    ],
)
def test_what_a_file_leaves_open_is_said_with_the_option_that_settles_it(
    folder, capsys, name, flag
):
    path = FILES[name].write(folder)
    assert main(["erode", str(path), "out.npy", *FEW]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if str(path) in line]
    assert any(line.endswith(f"To change that: {flag}.") for line in lines)
    assert main(["erode", str(path), "out.npy", *FEW, "--quiet"]) == 0
    assert not capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("erode", "dem.npy", "out.npy", "--byte-order", "big"),
            "contains its byte order and depth",
        ),
        (
            ("convert", "gray.png", "out.npy", "--height-range", "0", "9", "--unit", "ft"),
            "shades of gray, which have",
        ),
        (
            ("analyze", "dem.npy", "--window", "0", "0", "99", "9"),
            "which has 32 columns and 24 rows",
        ),
        (("rivers", "dem.npy", "out.csv", "--every", "0"), "at least 1, not 0"),
        (("erode", "dem.npy", "out.npy", "--every", "12"), "at least 3 × 3 cells"),
        (("erode", "dem.npy", "out.npy", "--holes", "sea"), "'sea' is not a number"),
        (("erode", "dem.npy", "out.npy", "--unit", "yd"), "invalid choice: 'yd'"),
        (
            ("erode", "dem.npy", "out.npy", "--numbers", "shades", "--height-range", "0", "9"),
            "shades go from 0 to 1",
        ),
        (
            ("landscape", "make", "land", "fractal", "--size", "64x64", "--no-data", "0"),
            "leave out --no-data",
        ),
        (
            ("erode", "far.tif", "out.npy", "--mask", "strength=beside.tif"),
            "covers another area on Earth",
        ),
        (
            ("erode", "far.tif", "out.npy", "--region-mask", "beside.tif"),
            "covers another area on Earth",
        ),
        (
            ("erode", "far.tif", "out.npy", "--surface-color", "beside.tif"),
            "covers another area on Earth",
        ),
        (("analyze", "far.tif", "--outlets", "beside.tif"), "covers another area on Earth"),
        (
            ("rivers", "far.tif", "out.csv", "--headwaters", "beside.tif"),
            "covers another area on Earth",
        ),
    ],
)
def test_options_that_do_not_apply_are_refused(folder, capsys, words, sentence):
    IMAGES.write(
        Path("gray.png"), np.linspace(0, 1, 24 * 32, dtype=np.float32).reshape(SHAPE), "uint16"
    )
    here = alps(shape=SHAPE)
    encode_heightmap(Path("far.tif"), np.load("dem.npy"), IMAGES, tags=Tags(georeference=here))
    encode_heightmap(
        Path("beside.tif"),
        np.ones(SHAPE),
        IMAGES,
        tags=Tags(georeference=here.part((0, 40), (1, 1), SHAPE)),
    )
    before = listing(folder)
    assert main([*words]) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.count("\n") == 1 and listing(folder) == before


def test_a_height_range_that_does_not_count_is_said(folder, capsys):
    assert main(["analyze", "dem.npy", "--height-range", "0", "9"]) == 0
    assert (
        "holds heights, so the height range does not count. To change that: --numbers."
        in capsys.readouterr().err
    )


def test_a_part_of_a_geotiff_keeps_its_place(folder):
    """Each second cell from the fifth column and third row of the south on: 20 rows reach the 22nd
    from the north.
    """
    here = alps(shape=SHAPE)
    encode_heightmap(Path("land.tif"), np.load("dem.npy"), IMAGES, tags=Tags(georeference=here))
    still = ["--set", "droplet.drops_per_cell=0"]
    assert (
        main(
            [
                "erode",
                "land.tif",
                "out.tif",
                "--window",
                "4",
                "2",
                "16",
                "20",
                "--every",
                "2",
                *still,
            ]
        )
        == 0
    )
    heights, record = read_heights("out.tif", IMAGES)
    assert np.array_equal(heights, np.load("dem.npy")[2:22:2, 4:20:2].astype(np.float32))
    assert record.spacing == (60.0, 60.0)
    # Its top row is the 21st of the south, with three rows of 24 to the north of it.
    assert record.georeference.placement.at(0.5, 0.5) == pytest.approx(here.placement.at(3.5, 4.5))


def test_masks_of_gis_programs_protect_what_they_mark(folder):
    """Bytes of 0 and 1: half of the land may not change."""
    left = np.broadcast_to(np.arange(32) < 16, SHAPE)
    geotiff(Path("mask.tif"), left[::-1].astype(np.uint8))
    assert (
        main(
            ["erode", "dem.npy", "out.npy", "--mask", "strength=mask.tif", "--cell-size", "5", *FEW]
        )
        == 0
    )
    change = np.abs(np.load("out.npy") - np.load("dem.npy"))
    assert change[:, 17:].max() == 0.0 < change[:, :16].max()


def test_the_page_of_variants_tells_how_the_file_was_read(folder):
    path = FILES["r16 of a Mac"].write(folder)
    words = [
        "--height-range",
        "900",
        "1600",
        "--byte-order",
        "big",
        "--window",
        "0",
        "0",
        "40",
        "30",
        "--flip-rows",
    ]
    assert (
        main(
            ["variants", str(path), "page", *words, "--seeds", "1", "--side", "16", "--quiet", *FEW]
        )
        == 0
    )
    page = Path("page/index.html").read_text()
    for option in (
        "--byte-order big",
        "--window 0 0 40 30",
        "--flip-rows",
        "--height-range 900.0 1600.0",
    ):
        assert option in page
    command = page[page.index("python -m erosion_addon erode") :].partition("</code>")[0]
    assert main([*shlex.split(command)[3:], "--quiet"]) == 0
    assert read_heights("OUTPUT.exr", IMAGES)[0].shape == (30, 40)


def landscape(*words):
    assert main(["landscape", "make", "land", *words, "--tile", "64", "--quiet"]) == 0
    land = Landscape(Path("land"))
    return land.read("start/elevation", land.whole)


def test_tiles_of_one_land_have_one_byte_order(folder):
    """A flat tile is as smooth in either order; its neighbors tell."""
    shades = np.full((72, 3 * 72), 258.0)
    shades[:, :72] = np.round(fractal(72, 72, 60000.0))
    for x in range(3):
        shades[::-1, 72 * x : 72 * x + 72].astype(">u2").tofile(f"tile_{x}_0.r16")
    assert np.array_equal(landscape("tile_{x}_{y}.r16", "--height-range", "0", "65535"), shades)


def test_holes_across_tiles_are_filled_as_in_one_file(folder):
    land = np.hstack([LAND, LAND[:, ::-1]])
    land[20:50, COLS - 9 : COLS + 12] = np.nan
    np.save("whole.npy", land)
    for x in range(2):
        np.save(f"tile_{x}_0.npy", land[:, COLS * x : COLS * (x + 1)])
    filled = read_heights("whole.npy", IMAGES)[0]
    np.testing.assert_allclose(landscape("tile_{x}_{y}.npy"), filled, atol=7e-5)


def test_a_landscape_takes_the_sea_and_masks_as_other_commands_do(folder):
    land = LAND.astype(np.float32)
    land[:50] = -9999.0
    geotiff(Path("island.tif"), land[::-1], "-9999")
    geotiff(Path("mask.tif"), np.broadcast_to(np.arange(COLS) < 9, (ROWS, COLS)).astype(np.uint8))
    heights = landscape("island.tif", "--holes", "-3", "--mask", "hardness=mask.tif")
    assert (heights[:50] == -3.0).all() and np.array_equal(
        heights[50:], LAND[50:].astype(np.float32)
    )
    tiles = Landscape(Path("land"))
    hardness = tiles.read("mask/hardness", tiles.whole)
    assert (hardness[:, :9] == 1.0).all() and (hardness[:, 9:] == 0.0).all()
