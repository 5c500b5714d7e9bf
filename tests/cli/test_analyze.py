# SPDX-License-Identifier: GPL-3.0-or-later
"""The command analyze."""

import json

import numpy as np

from erosion_addon.cli.commands import main
from tests.cli.commandline import listing
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
