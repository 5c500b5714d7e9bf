# SPDX-License-Identifier: GPL-3.0-or-later
"""Laws of all processes: mass, bounds, bytes, masks, checkpoints."""

import itertools
import os

import numpy as np
import pytest

from erosion_addon import FIELDS, Checkpoint, Recipe, Terrain, erode, resume, simulate
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.processes.shared import tile_scheduler
from erosion_addon.processes.shared.coarse_step import FeatureSizedSteps
from erosion_addon.processes.wind import shadow
from tests import limits
from tests.terrains import fractal

SEED = int(os.environ.get("TEST_SEED") or 1)

SHORT: dict[str, dict] = {kind: {} for kind in PROCESSES} | {
    "rill": {"form": "capacity"},
    "water": {"duration": 0.1, "rain": 100.0},
    "dunes": {"years": 50.0},
    "talus": {"reach": 100.0},
    "brush": {
        "strokes": [
            {
                "kind": kind,
                "radius": 100.0,
                "strength": 1.0,
                "angle": 20.0,
                "dabs": [[x, 80.0, 1.0] for x in (90, 200)],
            }
            for kind in ("talus", "rain", "smooth")
        ]
    },
}
"""Parameters with which a small terrain takes well under a second and something happens to it. A
process whose defaults do needs no line.
"""

MOVING = [kind for kind in SHORT if PROCESSES[kind].moves_ground]
"""Those that move rock, sediment or soil."""

VARIANTS = [
    *((kind, {}) for kind in SHORT),
    ("droplet", {"feature_size": 27.0}),
    ("rill", {"feature_size": 27.0}),
    ("rill", {"form": "uncapped"}),
    ("wind", {"flight": "boundary layer"}),
]
"""All processes, and those again that have another way to run."""

BRIEF = {
    "wind": {"particles_per_cell": 0.03},
    "dunes": {"years": 1.0},
    "talus": {"reach": 20.0},
    "water": {"duration": 0.03},
    "rill": {"drops_per_cell": 0.3},
}
"""Parameters of shorter steps, for ten times the cells."""

QUICK = ("droplet", "rill", "wind")
"""Processes of many parameters whose shortest steps take milliseconds."""

EDGES = ("open", "closed", "wrap")


def recipe(kind, **values):
    return Recipe.from_dict({"name": kind, "step": [{"kind": kind, **SHORT[kind], **values}]})


def hills(rows=24, cols=30, relief=120.0, cell_size=(8.0, 10.0), sand=2.0):
    return Terrain(
        fractal(rows, cols, relief=relief), cell_size, {"sediment": np.full((rows, cols), sand)}
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "given", "relief", "lands"),
    [
        ("droplet", {}, 10.0, 12),
        ("rill", {}, 10.0, 12),
        ("rill", {"form": "capacity"}, 10.0, 12),
        ("weather", {}, 0.0, 1),
    ],
)
def test_a_cone_changes_alike_all_around(kind, given, relief, lands):
    """Of rough cones together, as each has directions of its own. On mirrored terrain, axes and
    diagonals stay.
    """
    row, col = np.mgrid[-48:49, -48:49]
    distance = np.hypot(row, col)
    azimuth = np.degrees(np.arctan2(row, col))
    cone = 4.0 * np.maximum(46.0 - distance, 0.0)
    change = np.zeros(distance.shape)
    for seed in range(lands):
        terrain = Terrain(cone + fractal(97, 97, relief, seed=seed, steepness=1.0), 10.0)
        after = erode(
            terrain, Recipe.from_dict({"name": kind, "step": [{"kind": kind, **given}]}), seed=seed
        )
        change += np.abs(after.elevation - terrain.elevation)
    ring = (distance > 14) & (distance < 38)
    sectors = [
        change[ring & (np.abs((azimuth - at + 45) % 90 - 45) < 7.5)].mean()
        for at in range(0, 90, 15)
    ]
    assert max(sectors) / min(sectors) < 1.15


@pytest.mark.slow
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize(
    ("kind", "options"), [item for item in VARIANTS if item[0] in MOVING], ids=str
)
def test_no_mass_is_lost_or_made(kind, options, edges):
    after = erode(hills(), recipe(kind, **options), seed=2, edges=edges)
    mass = after.report["mass"]
    assert mass["moved"] > 1000
    assert abs(mass["error"]) <= 1e-9 * mass["moved"]
    # Between two strokes heights are those of float32, here up to 120 m: half a step of 2^-17 m for
    # each cell.
    assert abs(mass["added"]) <= (after.elevation.size * 80 * 2**-18 if kind == "brush" else 0)
    if edges == "open":
        assert mass["exported"] > 0
    else:
        # its drops end at masks
        assert mass["exported"] <= (1e-12 * mass["moved"] if kind == "brush" else 0)


@pytest.mark.slow
@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("kind", SHORT)
def test_the_layers_stand_on_each_other(kind, edges):
    """elevation = bedrock + loose; wear and deposition are what both have changed by; nothing is
    below zero.
    """
    before = hills()
    after = erode(before, recipe(kind), seed=3, edges=edges)
    loose = after["sediment"] + after.fields.get("soil", 0.0)
    change = after.elevation - before.elevation
    np.testing.assert_allclose(change, (loose - 2.0) - after["wear"], atol=2e-4)
    np.testing.assert_allclose(after["bedrock"], after.elevation - loose, atol=1e-4)
    for name, values in after.fields.items():
        assert np.isfinite(values).all(), name
        if name not in ("velocity", "bedrock"):
            assert values.min() >= 0, name
        if FIELDS[name].unit == "0-1":
            assert values.max() <= 1, name


@pytest.mark.parametrize("kind", SHORT)
def test_the_same_seed_gives_the_same_bytes(kind):
    one, other = (erode(hills(), recipe(kind), seed=9).report["sha256"] for _ in range(2))
    assert one == other


@pytest.mark.slow
@pytest.mark.parametrize("edges", ["open", "wrap"])
@pytest.mark.parametrize(("kind", "options"), VARIANTS, ids=str)
def test_threads_and_chunks_change_no_byte(kind, options, edges, monkeypatch):
    """On several tiles and bands, with a mask; each chunk is one piece of work."""
    land = hills(70, 140)
    masks = {"strength": np.random.default_rng(1).random(land.shape, dtype=np.float32)}
    short = recipe(kind, **{**BRIEF.get(kind, {}), **options})
    whole = erode(land, short, seed=3, edges=edges, masks=masks, threads=1)
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    monkeypatch.setattr(shadow, "CELLS", 1)
    with tile_scheduler.however_small():
        again = erode(land, short, seed=3, edges=edges, masks=masks, threads=3)
    assert again.report["sha256"] == whole.report["sha256"]
    assert again.report["mass"] == whole.report["mass"]
    assert (again.elevation != land.elevation).any() == (kind in MOVING)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "options"), VARIANTS, ids=str)
def test_a_stopped_run_goes_on_to_the_same_bytes(kind, options, monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    whole = erode(hills(), recipe(kind, **options), seed=4)
    for chunks in (1, 3):
        *_, last = itertools.islice(simulate(hills(), recipe(kind, **options), seed=4), chunks)
        checkpoint = last.checkpoint
        *_, end = resume(Checkpoint(checkpoint.values, checkpoint.arrays))
        assert end.terrain.report["sha256"] == whole.report["sha256"]
        assert end.terrain.report["mass"] == whole.report["mass"]


FREE = [kind for kind in SHORT if kind != "brush"]
"""Those that may start from any height; strokes of the brush start from what float32 holds."""

FARTHEST = 8e6
"""Meters above or below height 0 of land that is far from it; the heights of float64 there are 1e-9
m apart.
"""


@pytest.mark.slow
@pytest.mark.parametrize("height", [FARTHEST, -FARTHEST])
@pytest.mark.parametrize(
    "kind, options",
    [*((kind, {}) for kind in FREE), ("wind", {"flight": "boundary layer"})],
    ids=str,
)
def test_land_far_from_height_0_comes_out_the_same(kind, options, height):
    """To rounding: droplets, rills, wind, water and snow give the same bits of all layers but what
    is counted from heights, the others differ by 4e-8 m at most. Water had differed by 0.5 m.
    """
    # float64 holds them at any of the heights
    low = np.round(fractal(24, 30, relief=120.0) * 256) / 256 + 1.0
    layers = {"sediment": np.full(low.shape, 2.0)}
    found, moved = (
        erode(Terrain(bed, (8.0, 10.0), layers), recipe(kind, **options), seed=3)
        for bed in (low, low + height)
    )
    np.testing.assert_allclose(moved.elevation - height, found.elevation, rtol=0, atol=1e-6)
    for name in set(found.fields) - {"bedrock"}:
        np.testing.assert_allclose(moved[name], found[name], rtol=0, atol=1e-5, err_msg=name)
    assert (found.elevation != low).any() == (kind in MOVING)


@pytest.mark.parametrize("kind", MOVING)
def test_a_strength_of_zero_leaves_every_bit(kind):
    strength = np.zeros((24, 30), np.float32)
    strength[:, 12:] = 1
    before = hills()
    after = erode(before, recipe(kind), seed=5, masks={"strength": strength})
    if kind == "water":  # what floats in from elsewhere comes to lie there all the same
        assert (after.elevation[:, :12] >= before.elevation[:, :12]).all()
    else:
        assert (after.elevation[:, :12] == before.elevation[:, :12]).all()
    assert (after.elevation != before.elevation).any()
    assert abs(after.report["mass"]["error"]) <= 1e-9 * after.report["mass"]["moved"]


@pytest.mark.parametrize("kind", MOVING)
def test_protected_rock_is_never_lowered(kind):
    protect = np.zeros((24, 30), np.float32)
    protect[8:16, 10:20] = 1
    before = hills()
    after = erode(before, recipe(kind), seed=6, masks={"protect": protect})
    inside = (slice(8, 16), slice(10, 20))
    rock = [at.elevation - at["sediment"] - at.fields.get("soil", 0.0) for at in (before, after)]
    np.testing.assert_allclose(rock[1][inside], rock[0][inside], atol=2e-4)  # layers are float32
    assert (after.elevation < before.elevation).any()
    assert abs(after.report["mass"]["error"]) <= 1e-9 * after.report["mass"]["moved"]


@pytest.mark.parametrize("kind", SHORT)
def test_the_hardest_rock_is_not_worn(kind):
    before = Terrain(hills().elevation, (8.0, 10.0))
    after = erode(before, recipe(kind), seed=7, masks={"hardness": np.ones((24, 30))})
    assert after["wear"].max() <= 1e-4
    np.testing.assert_allclose(after.elevation, before.elevation, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "case"), [(kind, case) for kind in SHORT for case in range(24 if kind in QUICK else 6)]
)
def test_no_parameters_in_range_break_a_process(kind, case):
    """A step from one hard limit of every parameter to the other, as `make limits` draws them."""
    print(f"TEST_SEED={SEED}, {kind}, case {case}")
    drawn = limits.case_of(case, SEED, kind)
    verdict = limits.verdict(drawn)
    assert not limits.is_bad(verdict), f"{verdict}\n{limits.told(drawn)}"


@pytest.mark.slow
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize("kind", MOVING)
def test_grass_protects_the_ground(kind, coarse):
    """All over green, the ground loses less than bare, and nothing where grass holds all; no grass
    changes no byte.

    Slides end where the ground stands, which grass puts off.
    """
    if coarse and not isinstance(PROCESSES[kind].step, FeatureSizedSteps):
        pytest.skip("runs on the terrain's own cells")
    values = {"feature_size": 20.0} if coarse else {"reach": 20.0} if kind == "talus" else {}
    bare = hills()
    fields = hills().fields
    lost = {}
    for cover in (None, 0.0, 1.0):
        grass = {} if cover is None else {"grass": np.full(bare.shape, cover, np.float32)}
        after = erode(
            Terrain(bare.elevation, bare.spacing, fields | grass), recipe(kind, **values), seed=2
        )
        lost[cover] = np.maximum(bare.elevation - after.elevation, 0.0)
        if cover == 0.0:
            assert np.array_equal(lost[0.0], lost[None])
    assert lost[1.0].sum() < 0.8 * lost[None].sum()
    # which have their own tests, and the wind nothing to lose as it is
    if kind not in ("water", "wind", "dunes"):
        assert lost[1.0].sum() > 0
