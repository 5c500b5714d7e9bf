# SPDX-License-Identifier: GPL-3.0-or-later
"""Bands of rows for threads: what they are, and that steps in bands leave the same bytes on any number of threads."""

import dataclasses
import threading

import numpy as np
import pytest

from erosion_addon.model import Recipe, Terrain, bands, erode
from erosion_addon.model.bands import Bands
from erosion_addon.model.threads import Team
from tests.terrains import fractal

LAND = Terrain(fractal(96, 80, relief=200.0, seed=2), 10.0)
WATER = {
    "river valley": {"water.duration": 0.1, "droplet.drops_per_cell": 0.1}, "flood plain": {"water.duration": 0.1}
}  # fmt: skip
"""Recipes made short."""


def test_bands_are_all_rows_and_large_enough_to_be_worth_a_thread():
    assert Bands((255, 256), 8).starts.tolist() == [0, 255]
    assert Bands((512, 512), 3).starts.tolist() == [0, 170, 341, 512]
    assert Bands((512, 512), 8).count == 4
    assert Bands((2, 2**20), 8).starts.tolist() == [0, 1, 2]


def test_all_seams_are_looked_over_before_a_band_is_swept_and_each_band_has_its_thread():
    seams, swept, threads = [], [], set()
    parts = Bands((768, 768), 3)

    def sweep(band, thread):
        assert sorted(seams) == [0, 1, 2, 3] and band == thread
        swept.append(band)
        threads.add(threading.current_thread())

    parts.run(lambda seam, thread: seams.append(seam), sweep)
    assert sorted(swept) == [0, 1, 2] and len(threads) == 3


def assert_the_same(land, recipe, monkeypatch, **given):
    """On any number of threads, and with the bands swept in turn from the last to the first."""
    monkeypatch.setattr(bands, "CELLS", 1)
    one, *others = (erode(land, recipe, **given, threads=threads).report for threads in (1, 2, 3, 8))
    monkeypatch.setattr(Team, "run", lambda team, work: [work(place) for place in reversed(range(team.size))])
    for other in (*others, erode(land, recipe, **given, threads=8).report):
        assert other["sha256"] == one["sha256"] and other["mass"] == one["mass"]


@pytest.mark.parametrize("recipe", WATER)
@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
def test_water_leaves_the_same_bytes_on_any_number_of_threads(recipe, edges, monkeypatch):
    rng = np.random.default_rng(1)
    masks = {"strength": rng.random(LAND.shape), "hardness": rng.random(LAND.shape), "rain": LAND.elevation > 100}
    quick = Recipe.load(recipe).with_values(WATER[recipe])
    assert_the_same(LAND, quick, monkeypatch, edges=edges, masks=masks)


@pytest.mark.parametrize(("edges", "masked"), [("open", True), ("closed", True), ("wrap", True)])
def test_talus_leaves_the_same_bytes_on_any_number_of_threads(edges, masked, monkeypatch):
    rng, steep = np.random.default_rng(1), Terrain(fractal(96, 80, relief=900.0, seed=2), 10.0)
    masks = {kind: rng.random(LAND.shape) for kind in ("strength", "hardness")} if masked else {}
    recipe = Recipe.load("scree slopes")
    quick = dataclasses.replace(recipe, steps=recipe.steps[:1])
    assert_the_same(steep, quick, monkeypatch, edges=edges, masks=masks)
