# SPDX-License-Identifier: GPL-3.0-or-later
"""Bands of rows: their limits, and the same bytes on any number of threads."""

import dataclasses

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.processes.shared import slides
from erosion_addon.processes.shared import tile_scheduler as bands
from erosion_addon.processes.shared.tile_scheduler import Bands
from tests.terrains import fractal

LAND = Terrain(fractal(96, 80, relief=200.0, seed=2), 10.0)
STEEP = Terrain(fractal(96, 80, relief=900.0, seed=2), 10.0)
RECIPES = {
    "river valley": (LAND, {"water.duration": 0.1, "weather.duration": 30000.0}),
    "scree slopes": (STEEP, {"talus.reach": 30.0}),
}
"""Recipes made short, of which the steps in bands are done, and terrains on which all of those do
something.
"""


def test_bands_are_all_rows_and_large_enough_to_be_worth_a_thread():
    assert Bands((127, 128), 8).starts.tolist() == [0, 127]
    assert Bands((512, 512), 3).starts.tolist() == [0, 170, 341, 512]
    assert Bands((256, 256), 8).count == 4
    assert Bands((512, 512), 2, 4).count == 8
    assert Bands((512, 512), 1, 4).count == 1
    assert Bands((2, 2**20), 8).starts.tolist() == [0, 1, 2]


def test_all_seams_are_filled_before_a_band_is_swept():
    seams = []
    swept = []
    parts = Bands((768, 768), 3)

    def sweep(band, thread):
        assert sorted(seams) == [0, 1, 2, 3] and band == thread
        swept.append(band)

    parts.run(lambda seam, thread: seams.append(seam), sweep)
    assert sorted(swept) == [0, 1, 2]


def told(land, recipe, threads, **given):
    """Hashes and balances from the report of a run."""
    report = erode(land, recipe, **given, threads=threads).report
    return report["sha256"], report["mass"]


def in_turn(work, count, threads):
    """`in_parts` on one thread, the last part first."""
    for part in reversed(range(count)):
        work(part)


def late(parts, fill_seam, sweep):
    """`Bands.run` with seams read at the sweep, after other bands have changed them."""
    for band in range(parts.count):
        fill_seam(band, band)
        fill_seam(band + 1, band)
        sweep(band, band)


def late_slides(step):
    """`Slides._sweep` as `late`."""
    for band in range(step._bands.count):
        step._kernel.fill_seams(
            step._rock,
            step._loose,
            step.masks,
            step._constants,
            step._bands.starts,
            step._seams,
            step._rows[band],
        )
        step._sweep_band(band)


@pytest.mark.landscape
@pytest.mark.parametrize(
    "edges",
    [
        pytest.param("open", marks=pytest.mark.thorough),
        pytest.param("closed", marks=pytest.mark.thorough),
        "wrap",
    ],
)
@pytest.mark.parametrize("name", RECIPES)
def test_bands_leave_the_same_bytes_on_any_number_of_threads(name, edges, monkeypatch):
    """And where they are swept in turn from the last to the first; but not without their seams."""
    monkeypatch.setattr(bands, "CELLS", 1)
    rng, (land, values) = np.random.default_rng(1), RECIPES[name]
    whole = Recipe.load(name).with_values(values)
    masks = {
        "strength": rng.random(LAND.shape),
        "hardness": rng.random(LAND.shape),
        "rain": LAND.elevation > 100,
    }
    for kind in {step.kind for step in whole.steps} & {"water", "talus", "weather"}:
        recipe = dataclasses.replace(
            whole, steps=tuple(step for step in whole.steps if step.kind == kind)
        )
        given = {"land": land, "recipe": recipe, "edges": edges, "masks": masks}
        alone = told(**given, threads=1)
        assert all(told(**given, threads=threads) == alone for threads in (3, 8)), kind
        with monkeypatch.context() as patched:
            patched.setattr(bands, "in_parts", in_turn)
            patched.setattr(slides, "in_parts", in_turn)
            assert told(**given, threads=8) == alone, kind
        with monkeypatch.context() as patched:
            patched.setattr(Bands, "run", late)
            patched.setattr(slides.Slides, "_sweep", late_slides)
            assert told(**given, threads=8) != alone, kind
