# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `analyze`."""

import json
from xml.etree import ElementTree

import numpy as np

from erosion_addon.cli import plot
from erosion_addon.cli.commands import main
from erosion_addon.drainage.analysis import analyze
from erosion_addon.drainage.parameters import AnalysisParameters
from erosion_addon.terrain.fields import ANALYZED
from erosion_addon.terrain.terrain import Terrain
from tests.cli.commandline import IMAGES, listing
from tests.terrains import bowl, fractal


def test_the_figures_are_told_and_written(folder, capsys):
    np.save("land.npy", fractal(96, 96, 300.0))
    assert main(["analyze", "land.npy", "--cell-size", "30", "--report", "figures.json"]) == 0
    told = capsys.readouterr().out
    figures = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    assert f"{figures['free_drainage']:.1%}" in told and "figures.json" in told
    assert 0 < figures["pits"] < 1 and figures["measured_at"] == 30.0


def test_land_that_is_too_small_is_told_so(folder, capsys):
    np.save("land.npy", bowl(9, 9))
    assert main(["analyze", "land.npy"]) == 0
    assert "too little land to measure" in capsys.readouterr().out


def test_the_input_is_never_written(folder, capsys):
    np.save("land.npy", bowl(9, 9))
    before = listing(folder)
    assert main(["analyze", "land.npy", "--report", "land.npy"]) == 2
    assert listing(folder) == before and capsys.readouterr().err


def test_the_maps_are_the_fields(folder):
    heights = fractal(40, 50, 300.0)
    np.save("land.npy", heights)
    words = [
        "--cell-size",
        "30",
        "--maps",
        "maps",
        "--channel-area",
        "0.05",
        "--sea-level",
        "80",
        "--threads",
        "1",
    ]
    assert main(["analyze", "land.npy", *words]) == 0
    parts = [name for name in ANALYZED if name != "flow_direction"]
    names = {*parts, "flow_direction_x", "flow_direction_y"}
    assert {path.name for path in (folder / "maps").iterdir()} == {f"{name}.exr" for name in names}
    parameters = AnalysisParameters(channel_area=0.05, sea=True, sea_level=80.0)
    expected = analyze(Terrain(heights, 30.0), parameters).fields
    for name in parts:
        np.testing.assert_array_equal(IMAGES.read(folder / f"maps/{name}.exr"), expected[name])


def test_what_cannot_be_analyzed_is_said_and_nothing_is_written(folder, capsys):
    np.save("land.npy", bowl(9, 9))
    before = listing(folder)
    for words, said in (
        (["--sea-level", "99"], "lower the sea"),
        (["--channel-area", "-1"], "channel_area"),
    ):
        assert main(["analyze", "land.npy", "--maps", "maps", "--report", "r.json", *words]) == 2
        assert listing(folder) == before and said in capsys.readouterr().err


def test_closed_edges_and_flat_ground_are_noted(folder, capsys):
    np.save("land.npy", np.zeros((9, 9)))
    assert main(["analyze", "land.npy", "--edges", "closed"]) == 0
    error = capsys.readouterr().err
    assert "is flat" in error and "No edge is open" in error


def test_the_plot_is_a_drawing_of_three_diagrams(folder):
    np.save("<land> & co.npy", fractal(96, 96, 300.0))
    assert main(["analyze", "<land> & co.npy", "--cell-size", "30", "--plot", "land.svg"]) == 0
    drawing = ElementTree.parse(folder / "land.svg").getroot()
    texts = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Channels", "Hypsometry", "Slopes", "<land> & co.npy", "0.2"} <= set(texts)
    line = next(drawing.iter("{http://www.w3.org/2000/svg}polyline")).get("points").split()
    heights = [float(point.split(",")[1]) for point in line]
    assert (
        len(heights) == 101
        and heights == sorted(heights)
        and (heights[0], heights[-1]) == (0.0, plot.HEIGHT)
    )


def test_land_with_nothing_to_draw_says_so(folder):
    np.save("flat.npy", np.zeros((9, 9)))
    assert main(["analyze", "flat.npy", "--plot", "flat.svg"]) == 0
    assert (folder / "flat.svg").read_text(encoding="utf-8").count("too little land") == 2
    assert main(["analyze", "flat.npy", "--plot", "flat.png"]) == 2
