# SPDX-License-Identifier: GPL-3.0-or-later
"""Tile scheduler: the same bytes on any number of threads, no drop lost, and the same landscape as
drops run singly.
"""

import itertools
import threading
from dataclasses import replace

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode, resume, simulate
from erosion_addon.base.kernels import ghost_cells
from erosion_addon.processes.droplet.step import DropletStep
from erosion_addon.processes.shared import tile_scheduler as tile_run
from erosion_addon.processes.shared.kernels import particle_queues as queues
from erosion_addon.processes.shared.kernels import tiles
from erosion_addon.run.checkpoint import Checkpoint
from tests.terrains import fractal

ARCANE = Recipe.load("arcane").with_values({"droplet.drops_per_cell": 0.25})
HILLS = Terrain(fractal(200, 333, relief=600.0, seed=2), 10.0)


@pytest.mark.slow
def test_the_same_bytes_on_any_number_of_threads():
    """Of more tiles than threads; fewer tiles and other edges are tried in test_laws."""
    hashes = [
        erode(HILLS, ARCANE, seed=3, edges="wrap", threads=threads).report["sha256"]
        for threads in (1, 8)
    ]
    assert hashes[0] == hashes[1]


def test_colors_and_masks_too():
    rng = np.random.default_rng(1)
    colored = Terrain(
        HILLS.elevation, 10.0, {"surface_color": rng.random((*HILLS.shape, 3)).astype(np.float32)}
    )
    masks = {
        "strength": rng.random(HILLS.shape),
        "hardness": rng.random(HILLS.shape),
        "protect": HILLS.elevation > 500,
    }
    one, four = (
        erode(colored, ARCANE, masks=masks, threads=threads).report["sha256"] for threads in (1, 4)
    )
    assert one == four and "surface_color" in one


def test_whichever_tile_is_worked_first(monkeypatch):
    expected = erode(HILLS, ARCANE, threads=1).report["sha256"]
    rng = np.random.default_rng(5)
    as_they_come = tile_run.TileRun._work

    def shuffled(run, worked, *rest):
        as_they_come(run, rng.permutation(worked), *rest)

    monkeypatch.setattr(tile_run.TileRun, "_work", shuffled)
    # What is handed on is sorted by tile, not by who was first, so the order does not show.
    assert erode(HILLS, ARCANE, threads=1).report["sha256"] == expected


def by_order(backward, monkeypatch, **given):
    """Hashes of a run with the tiles of a phase in forward or reverse order."""
    as_they_come = tile_run.TileRun._work

    def ordered(run, worked, *rest):
        as_they_come(run, worked[::-1].copy() if backward else worked, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(tile_run.TileRun, "_work", ordered)
        return erode(HILLS, ARCANE, threads=1, **given).report["sha256"]


def all_at_once(patched):
    """Process neighboring tiles in one phase."""
    patched.setattr(tiles, "colors", lambda cut, edges: [np.concatenate(COLORS(cut, ghost_cells))])


def too_small(patched):
    """Tiles about a cell smaller than the reach of drops from both sides."""
    patched.setattr(tile_run, "SIDE", 2 * tiles.REACH)


def shared_sum(patched):
    """Let tiles add to one number, as racing threads would."""
    run_tiles = DropletStep._work

    def racing(step, worked, cut, pool):
        run_tiles(step, worked, cut, pool)
        for tile in worked:
            step._flow[0, 0] += np.float32(1 / (1 + tile))

    patched.setattr(DropletStep, "_work", racing)


COLORS = tiles.colors


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [None, all_at_once, too_small, shared_sum])
def test_a_wrong_scheme_would_not_go_unnoticed(wrong, monkeypatch):
    """The order of tiles on one thread stands for what many threads do by chance."""
    if wrong is not None:
        wrong(monkeypatch)
    forward, backward = (by_order(direction, monkeypatch) for direction in (False, True))
    assert (forward == backward) == (wrong is None)


def test_a_kernel_that_raises_stops_all_threads_with_one_error():
    run = tile_run.TileRun((512, 512), ghost_cells.OPEN, 1000, 2, 2)
    begun = []

    def start(pool, cut, first, last):
        for number in range(first, last):
            queues.enter(pool, cut, np.uint64(number), float(number % 512), float(number * 7 % 512))

    def work(worked, cut, pool):
        begun.append(len(worked))
        raise ValueError("broken")

    for turn in (1, 2):  # the threads are fit for another try
        with pytest.raises(ValueError, match="broken"):
            run.turn(start, work)
        assert len(begun) <= 2 * turn  # of 16 hands: each thread at most one


def test_two_runs_in_threads_of_their_own_give_the_bytes_of_one_alone():
    expected = erode(HILLS, ARCANE, seed=3, threads=1).report["sha256"]
    hashes = []
    runs = [
        threading.Thread(
            target=lambda: hashes.append(erode(HILLS, ARCANE, seed=3, threads=2).report["sha256"])
        )
        for _ in range(2)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert hashes == [expected, expected]


def test_mass_is_there_while_drops_are_under_way(monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    for progress in simulate(HILLS, ARCANE, edges="closed"):
        mass = progress.terrain.report["mass"]
        assert abs(mass["error"]) <= 1e-9 * max(mass["moved"], 1.0)
        assert abs(mass["before"] - mass["after"]) <= 1e-9 * max(mass["moved"], 1.0)
        if progress.fraction > 0.3:
            break
    assert 0.3 < progress.fraction < 1.0 and progress.simulation._running._run.under_way > 10


def test_a_run_stopped_with_drops_under_way_goes_on_to_the_same_bytes(tmp_path, monkeypatch):
    expected = erode(HILLS, ARCANE, seed=9).report["sha256"]
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    *_, stopped = itertools.islice(simulate(HILLS, ARCANE, seed=9), 10)
    assert stopped.simulation._running._run.under_way > 10
    stopped.checkpoint.save(tmp_path / "run.npz")
    *_, last = resume(Checkpoint.load(tmp_path / "run.npz"))
    assert last.terrain.report["sha256"] == expected


def landscape(elevation):
    """Visible statistics: percentiles of height and slope, and the share of water in the largest
    rivers.
    """
    slope = np.hypot(*np.gradient(elevation.elevation, 10.0))
    flow = np.sort(elevation["flow"].ravel())
    return np.array(
        [
            *np.percentile(elevation.elevation, (5, 25, 50, 75, 95)),
            *np.percentile(slope, (50, 90, 99)),
            flow[-len(flow) // 100 :].sum() / flow.sum(),
        ]
    )


@pytest.fixture(params=["alpine", "arcane"], scope="module")
def tiled_and_alone(request):
    """The hills eroded on tiles, and by drops one after another on a single one."""
    recipe = Recipe.load(request.param)
    recipe = replace(recipe, steps=tuple(step for step in recipe.steps if step.kind == "droplet"))
    with pytest.MonkeyPatch.context() as patched:
        tiled = erode(HILLS, recipe)
        patched.setattr(tile_run, "SIDE", 10**6)
        return tiled, erode(HILLS, recipe)


@pytest.mark.landscape
def test_the_landscape_is_that_of_drops_one_after_another(tiled_and_alone):
    """Bounds: 2 % of the relief for heights, 5 % for slopes and paths; what rivers carry hangs on
    few of them: 15 %.
    """
    tiled, alone = (landscape(terrain) for terrain in tiled_and_alone)
    assert np.abs(tiled - alone)[:5].max() < 0.02 * 600
    assert (np.abs(tiled / alone - 1)[5:8] < 0.05).all(), tiled / alone
    assert abs(tiled[8] / alone[8] - 1) < 0.15, tiled / alone
    paths = [terrain.report["steps"][0]["mean_path"] for terrain in tiled_and_alone]
    assert paths[0] == pytest.approx(paths[1], rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize(
    "shift", [-tiles.REACH - 1, 0, tiles.REACH + 1], ids=["before", "at", "behind"]
)
def test_no_wall_grows_along_the_borders_of_tiles(tiled_and_alone, shift):
    """The curvature across the columns beside borders, or where drops are handed on, is what it is
    without tiles.
    """
    borders = tiles.cut(*HILLS.shape, 64, ghost_cells.OPEN).col_edges[1:-1]

    def roughness(terrain):
        curvature = np.abs(np.diff(terrain.elevation, 2, axis=1))
        near = np.concatenate([borders + shift + place for place in (-2, -1, 0, 1)])
        beside = np.isin(np.arange(1, HILLS.cols - 1), near)
        return curvature[:, beside].mean() / curvature[:, ~beside].mean()

    tiled, alone = tiled_and_alone
    assert roughness(tiled) < 1.1 * roughness(alone)


def test_two_runs_at_once_do_not_touch_each_other():
    expected = erode(HILLS, ARCANE, seed=3, threads=2).report["sha256"]
    runs = [simulate(HILLS, ARCANE, seed=3, threads=2) for _ in range(2)]
    last = [list(pair) for pair in itertools.zip_longest(*runs)][-1]
    ends = [progress for progress in last if progress is not None]
    assert all(progress.terrain.report["sha256"] == expected for progress in ends)
