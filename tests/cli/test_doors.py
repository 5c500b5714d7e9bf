# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command takes the same file for the same land."""

from pathlib import Path

import numpy as np
import pytest

from erosion_addon.cli.commands import main
from erosion_addon.landscape.storage.folder import Landscape
from tests.cli.commandline import IMAGES
from tests.land_files import FILES, HOLES, LAND

STILL = ["--set", "droplet.drops_per_cell=0", "--recipe", "arcane", "--quiet"]


def eroded(path, words):
    assert main(["erode", str(path), "out.npy", *words, *STILL]) == 0
    return np.load("out.npy")


def converted(path, words):
    assert main(["convert", str(path), "out.npy", *words, "--quiet"]) == 0
    return np.load("out.npy").astype(float)


def varied(path, words):
    assert (
        main(
            ["variants", str(path), "page", *words, *STILL, "--seeds", "1", "--side", "8", "--full"]
        )
        == 0
    )
    return IMAGES.read(Path("page/0_1/elevation.exr")).astype(float)


def tiled(path, words, folder="land"):
    assert main(["landscape", "make", folder, str(path), *words, "--tile", "64", "--quiet"]) == 0
    landscape = Landscape(Path(folder))
    return landscape.read("start/elevation", landscape.whole).astype(float)


def tiled_from_tiles(path, words):
    path.rename(path.with_name(f"tile_x0_y0{path.suffix}"))
    return tiled(f"tile_x{{x}}_y{{y}}{path.suffix}", words, "tiles")


DOORS = {
    "erode": eroded,
    "convert": converted,
    "variants": varied,
    "landscape": tiled,
    "tiles": tiled_from_tiles,
}


@pytest.mark.parametrize("name", FILES)
def test_all_commands_take_a_file_for_the_same_land(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    file = FILES[name]
    lands = {}
    for door, read in DOORS.items():
        lands[door] = read(file.write(Path()), file.words.split())
    for door, heights in lands.items():
        difference = np.abs(heights - LAND)
        assert difference[~HOLES[::-1]].max() <= max(
            file.tolerance if not file.holes else 0.5, 2e-4
        ), (door, name)
        assert difference.max() <= file.tolerance + 2e-4, (door, name)
        # Some keep 32 bits: half of their last digit at 1500 m.
        assert np.abs(heights - lands["erode"]).max() <= 7e-5, (door, name)
