# SPDX-License-Identifier: GPL-3.0-or-later
"""Erosion of a landscape: the same bytes in any order and after any interruption, no seams,
balanced mass.
"""

import json
import os
import shutil
import signal
import threading
from dataclasses import replace

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.drainage.analysis import analyze
from erosion_addon.drainage.parameters import AnalysisParameters
from erosion_addon.landscape import make as makers
from erosion_addon.landscape.cluster import cluster
from erosion_addon.landscape.erode import Alone, _may_be_of, erode, prepare
from erosion_addon.landscape.journal import Journal
from erosion_addon.landscape.plan import Plan, order
from erosion_addon.landscape.storage.folder import Landscape, Tile, Window
from erosion_addon.landscape.storage.manifest import Manifest
from erosion_addon.landscape.tasks import WORK, run, state, tasks_of
from erosion_addon.landscape.window import put_back, take
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.recipe.recipe import Recipe
from erosion_addon.run.simulation import erode as erode_whole
from erosion_addon.terrain.strata import Strata
from erosion_addon.terrain.terrain import Terrain
from tests.landscape.conftest import Backwards, Ending, EndsError, fractal
from tests.terrains import windows_of


def test_lengths_go_by_the_width_of_the_landscape_not_of_a_tile(landscape):
    recipe = replace(
        Recipe.load("alpine"), width=2.0 * max(landscape.shape) * landscape.manifest.spacing[0]
    )
    ordered = Recipe.from_dict(order(landscape, recipe, None, None, 80).recipe)
    assert ordered == recipe.scaled_to(0.5 * recipe.width) and ordered.width == 0.0


def test_gullies_are_as_wide_on_tiles_as_in_one_piece_and_springs_lie_where_they_do(
    landscape, recipe
):
    springs = ((0.1, 0.1, 1.0), (0.9, 0.9, 1.0))
    given = {"droplet.detail": 240, "droplet.springs": springs, "uplift.hillslope_length": 0.0}
    recipe = recipe.with_values(given)
    plan = Plan(landscape, order(landscape, recipe, None, None, 80))
    for tile in (landscape.tiles()[0], landscape.tiles()[-1]):
        rivers, drops, _ = plan.recipe_on(tile, plan.tile_recipe()).steps
        assert drops.parameters.detail == max(plan.window(tile).shape)
        assert rivers.parameters.hillslope_length == 240 * 20.0 / 400
        (x, y, _), window = drops.parameters.springs[0], plan.window(tile)
        there = (window.left + x * window.shape[1]) / 240, (window.top + y * window.shape[0]) / 160
        assert there == pytest.approx(springs[0 if tile.x == 0 else 1][:2])


@pytest.mark.thorough
@pytest.mark.slow
def test_drops_that_coarse_cells_can_hold_do_not_fall_again_on_tiles(landscape, recipe):
    done = erode(landscape.folder, recipe.with_values({"droplet.detail": 80}), Alone(), coarse=80)
    plan = Plan(done, done.manifest.erosion)
    assert [step.kind for step in plan.coarse_recipe().steps] == ["uplift", "droplet", "uplift"]
    assert [step.kind for step in plan.tile_recipe().steps] == ["uplift", "uplift"]
    flow = done.read("flow", done.whole)
    assert flow.min() >= 0 and flow.max() > 20 * np.median(flow)
    assert (
        0 <= done.read("moisture", done.whole).min() < done.read("moisture", done.whole).max() <= 1
    )


def test_the_snow_line_is_that_of_the_whole_land(tmp_path):
    heights = np.tile(np.linspace(0.0, 200.0, 240), (160, 1))
    landscape = makers.make(
        tmp_path, Manifest(160, 240, 80, (20.0, 20.0), "slope"), windows_of(heights)
    )
    recipe = Recipe.from_dict(
        {**Recipe.load("alpine").to_dict(), "step": [{"kind": "snow", "softness": 0}]}
    )
    snow = erode(landscape.folder, recipe, Alone(), coarse=80).read("snow", landscape.whole)
    assert not snow[:, :118].any() and snow[:, 122:].min() > 0.5


def test_a_flood_of_a_share_of_the_land_has_one_level_on_all_tiles(tmp_path):
    """On each tile a share of its own would stand at another height, also where the slope
    begins.
    """
    heights = np.tile(np.linspace(0.0, 200.0, 240), (160, 1))
    landscape = makers.make(
        tmp_path, Manifest(160, 240, 80, (20.0, 20.0), "slope"), windows_of(heights)
    )
    flood = {
        "kind": "water",
        "standing_water": "everywhere",
        "flooded": 0.25,
        "duration": 0.01,
        "rain": 0,
    }
    done = erode(
        landscape.folder, Recipe.from_dict({"name": "flood", "step": [flood]}), Alone(), coarse=80
    )
    depth = done.read("water_depth", done.whole)
    np.testing.assert_allclose((depth + heights)[:, :58], heights[0, 60], atol=3.0)
    assert depth[:, 64:].max() < 0.1


def test_springs_whose_rivers_end_at_a_halo_are_told(landscape, recipe):
    """Tiles of 80 cells of 20 m have a halo of 10 cells. Those of Water go on over all tiles."""
    springing = recipe.with_values({"droplet.springs": ((0.1, 0.1, 1.0),)})
    for given, coarse, said in (
        (springing, 80, True),
        (springing, 240, False),
        (recipe, 80, False),
        (Recipe.load("flood plain"), 80, False),
    ):
        sentences = Plan(landscape, order(landscape, given, None, None, coarse)).notes()
        begin = f"Springs of the step {PROCESSES['droplet'].label} reach 200 m beyond their tile"
        assert [sentence.startswith(begin) for sentence in sentences] == [True] * said


def test_a_recipe_that_wraps_runs_with_open_edges_on_tiles_and_says_so(landscape):
    """A landscape has no opposite edges that meet; an edge that the user names is not spoken of
    twice.
    """
    plan = Plan(landscape, order(landscape, Recipe.load("dune sea"), None, None, 80))
    assert plan.erosion.edges == "open"
    assert [sentence.startswith("dune sea wraps at the edges") for sentence in plan.notes()] == [
        True
    ]
    assert order(landscape, Recipe.load("dune sea"), None, "closed", 80).edges == "closed"


def test_springs_have_their_drops_and_tiles_without_one_no_more_rain(landscape, recipe):
    springs = ((0.1, 0.1, 1.0), (0.9, 0.9, 3.0))
    recipe = recipe.with_values({"droplet.springs": springs, "droplet.spring_share": 0.25})
    plan = Plan(landscape, order(landscape, recipe, None, None, 80))
    for tile, rising in zip(landscape.tiles(), (0.25 / 4, 0, 0, 0, 0, 0.75 / 4), strict=True):
        given = plan.recipe_on(tile, plan.tile_recipe()).steps[1].parameters
        rows, cols = plan.window(tile).shape
        drops = given.drops_per_cell * rows * cols
        assert (
            drops * given.spring_share == pytest.approx(0.1 * 160 * 240 * rising)
            or not given.springs
        )
        rain = drops * (1.0 - given.spring_share) if given.springs else drops
        assert rain == pytest.approx(0.1 * 0.75 * rows * cols)


def test_strengths_add_up_to_one_and_tiles_of_a_color_never_touch(landscape, recipe):
    plan = Plan(landscape, order(landscape, recipe, None, None, 80))
    total = np.zeros(landscape.shape)
    for tile in landscape.tiles():
        total[plan.window(tile).within(landscape.whole)] += plan.weight(tile)
        same = [
            other
            for other in landscape.tiles()
            if plan.color_of(other) == plan.color_of(tile) and other != tile
        ]
        assert not any(plan.window(tile).meet(plan.window(other)) for other in same)
    np.testing.assert_allclose(total, 1.0, atol=1e-15)


@pytest.mark.slow
def test_where_nothing_is_coarser_it_is_the_run_of_the_whole(landscape, recipe):
    done = erode(landscape.folder, recipe, Alone(), coarse=240)
    start = Terrain(landscape.read("start/elevation", landscape.whole), 20.0)
    whole = erode_whole(start, recipe)
    for name, array in {"elevation": whole.elevation, **whole.fields}.items():
        if name not in ("wear", "deposition", "bedrock"):
            np.testing.assert_array_equal(
                done.read(name, done.whole), array.astype(np.float32), err_msg=name
            )
        else:
            np.testing.assert_allclose(done.read(name, done.whole), array, atol=1e-3, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("coarse", [80, 97])
def test_beds_that_dip_lie_on_every_tile_as_on_the_whole(tmp_path, coarse):
    """No rock slides here, so all that is seen are the beds at the start.

    The outermost cells of a tile's window, of which 1e-4 counts, know the slope on one side only.
    """
    landscape = fractal(tmp_path / "land", shape=(150, 230))
    beds = Strata.from_dict(
        {**Strata.load("red canyon").to_dict(), "dip": 20.0, "undulation": 30.0}
    )
    recipe = replace(
        Recipe.from_dict({"name": "r", "step": [{"kind": "talus", "rock_angle": 90.0}]}),
        strata=beds,
    )
    done = erode(landscape.folder, recipe, Alone(), coarse=coarse)
    start = landscape.read("start/elevation", landscape.whole)
    np.testing.assert_array_equal(done.read("elevation", done.whole), start.astype(np.float32))
    colors = beds.colors(start, landscape.manifest.spacing)
    np.testing.assert_allclose(done.read("surface_color", done.whole), colors, atol=1e-3)


def test_the_whole_on_coarse_cells_has_the_beds_of_the_landscape(tmp_path, recipe):
    """150 rows in blocks of 4 make 38 coarse ones, the last of which goes on beyond the land."""
    landscape = fractal(tmp_path / "land", shape=(150, 240))
    plan = Plan(
        landscape,
        order(landscape, replace(recipe, strata=Strata.load("mesa beds")), None, None, 60),
    )
    coarse = plan.coarse_recipe()
    assert plan.factor == 4 and coarse.strata.middle == (0.5 * (4 * 38 - 150) * 20.0, 0.0)


@pytest.fixture(scope="module")
def eroded_landscape(tmp_path_factory):
    """A landscape eroded without interruption, and copies of it before erosion."""
    folder = tmp_path_factory.mktemp("eroded") / "land scape"
    fractal(folder)
    shutil.copytree(folder, folder.with_name("start"))
    recipe = Recipe.load("alpine").with_values(
        {"droplet.drops_per_cell": 0.1, "uplift.years": 2000}
    )
    return erode(folder, recipe, Alone(), coarse=80)


@pytest.fixture
def again(eroded_landscape, tmp_path):
    """The same landscape before erosion."""
    return Landscape(
        shutil.copytree(eroded_landscape.folder.with_name("start"), tmp_path / "again")
    ).folder


@pytest.mark.thorough
def test_the_order_of_tiles_and_the_threads_do_not_show(eroded_landscape, again, recipe):
    assert (
        erode(again, recipe, Backwards(), coarse=80).manifest.layers
        == eroded_landscape.manifest.layers
    )


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 4, 9, 15])
def test_a_run_that_was_ended_goes_on_to_the_same_bytes(eroded_landscape, again, recipe, after):
    with pytest.raises(EndsError):
        erode(again, recipe, Ending(after), coarse=80)
    tasks = [
        task.name for task in tasks_of(Plan(eroded_landscape, eroded_landscape.manifest.erosion))
    ]
    done = []
    result = erode(
        again,
        recipe,
        Alone(),
        coarse=80,
        on_progress=lambda fraction, message: done.append(message),
    )
    assert result.manifest.layers == eroded_landscape.manifest.layers
    assert len(done) == len(tasks) - after
    assert not (again / WORK).exists()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "harm", ["damaged", "missing", "journal cut off", "journal of another run"]
)
def test_work_that_was_damaged_is_done_again(eroded_landscape, again, recipe, harm):
    with pytest.raises(EndsError):
        erode(again, recipe, Ending(5), coarse=80)
    file = again / WORK / "shape_x0_y0" / "elevation.npy"
    journal = again / WORK / "journal.jsonl"
    match harm:
        case "damaged":
            file.write_bytes(file.read_bytes()[:-1] + b"\x55")
        case "missing":
            shutil.rmtree(file.parent)
        case "journal cut off":
            journal.write_bytes(journal.read_bytes()[:-40])
        case "journal of another run":
            journal.write_text(json.dumps({"key": "0" * 64}) + "\n")
    assert (
        erode(again, recipe, Alone(), coarse=80).manifest.layers == eroded_landscape.manifest.layers
    )


LIES = [
    {"files": {"../../land": "0" * 64}},
    {"files": {"elevation/x0_y0": "0" * 64}},
    {"files": [], "mass": None},
    {"mass": {}},
    {"seconds": "1"},
    {"name": ["coarse"]},
]


def test_a_journal_of_somebody_else_is_believed_in_nothing(again, recipe):
    with pytest.raises(EndsError):
        erode(again, recipe, Ending(2), coarse=80)
    landscape = Landscape(again)
    tasks = tasks_of(Plan(landscape, landscape.manifest.erosion))
    key = Plan(landscape, landscape.manifest.erosion).key
    journal = again / WORK / "journal.jsonl"
    first, line, *_ = journal.read_text().splitlines()
    assert [*Journal(again, WORK, key, _may_be_of).sound(tasks)] == ["coarse", tasks[1].name]
    for lie in (*(json.dumps({**json.loads(line), **lie}) for lie in LIES), "[" * 5000, "\0"):
        journal.write_text(f"{first}\n{lie}\n")
        assert not Journal(again, WORK, key, _may_be_of).sound(tasks)


@pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="there are no pipes and links as on POSIX systems"
)
@pytest.mark.parametrize("name", ["work/journal.jsonl", "elevation/x0_y0.npy"])
def test_a_landscape_of_somebody_else_leads_to_no_other_file(again, recipe, tmp_path, name):
    mine = tmp_path / "mine"
    mine.write_text("mine")
    (again / name).parent.mkdir(parents=True, exist_ok=True)
    (again / name).symlink_to(mine)
    with pytest.raises(InputError, match="is a link"):
        erode(again, recipe, Alone(), coarse=80)
    assert mine.read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes as on POSIX systems")
@pytest.mark.parametrize("name", ["lock", "work/journal.jsonl", "start/elevation/x0_y0.npy"])
def test_nobody_waits_for_a_pipe_in_a_landscape(eroded_landscape, again, recipe, name):
    path = again / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    try:
        result = erode(again, recipe, Alone(), coarse=80).manifest.layers
    except InputError as error:
        assert name in ("lock", "start/elevation/x0_y0.npy") and str(path.parent) in str(error)
    else:
        assert result == eroded_landscape.manifest.layers


def test_a_landscape_that_is_eroded_already_is_left_alone(eroded_landscape, recipe):
    before = {path: path.stat().st_mtime_ns for path in eroded_landscape.folder.rglob("*.npy")}
    erode(eroded_landscape.folder, recipe, None, coarse=80)
    assert {
        path: path.stat().st_mtime_ns for path in eroded_landscape.folder.rglob("*.npy")
    } == before


@pytest.mark.thorough
def test_another_seed_begins_at_the_start(eroded_landscape, again, recipe):
    with pytest.raises(EndsError):
        erode(again, recipe, Ending(3), seed=9, coarse=80)
    assert (
        erode(again, recipe, Alone(), coarse=80).manifest.layers == eroded_landscape.manifest.layers
    )


def test_wear_deposition_and_bedrock_of_a_window_follow_when_it_is_put_back(
    eroded_landscape, tmp_path
):
    """A pit of 30 m with 2 m of sand in it: rock wears where the window was dug, whatever it was
    before.
    """
    folder = tmp_path / "land"
    shutil.copytree(eroded_landscape.folder, folder)
    window = Window(40, 120, 40, 160)
    terrain, stamp = take(Landscape(folder), window)
    dug = terrain.elevation.copy()
    sand = terrain.fields["sediment"].copy()
    dug[30:50, 40:80] -= 30.0
    sand[30:50, 40:80] = 2.0
    put_back(folder, window, stamp, dug, sand)
    land = Landscape(folder)
    start = eroded_landscape
    now = {
        name: land.read(name, window)
        for name in ("elevation", "sediment", "bedrock", "wear", "deposition")
    }
    before = start.read("start/elevation", window)
    np.testing.assert_allclose(now["bedrock"], now["elevation"] - now["sediment"], atol=1e-3)
    pit = np.s_[30:50, 40:80]
    np.testing.assert_allclose(now["deposition"][pit], 2.0, atol=1e-5)
    np.testing.assert_allclose(
        now["wear"][pit], np.maximum(before - now["bedrock"], 0.0)[pit], atol=1e-3
    )
    for name in ("wear", "deposition"):
        # the border stays
        np.testing.assert_allclose(now[name][:3], start.read(name, window)[:3], atol=1e-3)


def test_flow_and_snow_of_a_window_are_put_back_with_its_heights(eroded_landscape, tmp_path):
    folder = tmp_path / "land"
    shutil.copytree(eroded_landscape.folder, folder)
    window = Window(40, 120, 40, 160)
    terrain, stamp = take(Landscape(folder), window)
    covers = {
        "flow": np.full(window.shape, 7.0),
        "snow": np.zeros(window.shape),
        "grass": np.ones(window.shape),
    }
    put_back(folder, window, stamp, terrain.elevation, covers=covers)
    land = Landscape(folder)
    inside = Window(55, 105, 55, 145)
    assert (land.read("flow", inside) == 7.0).all() and not land.read("snow", inside).any()
    np.testing.assert_array_equal(
        land.read("flow", window)[0], eroded_landscape.read("flow", window)[0]
    )
    assert not land.has("grass") and not land.faults()


def test_a_damaged_start_is_refused_before_any_work(again, recipe):
    (again / "start" / "elevation" / "x1_y1.npy").unlink()
    with pytest.raises(InputError, match=r"x1_y1\.npy is missing; make the landscape again"):
        erode(again, recipe, None, coarse=80)


def test_masses_add_up_over_all_tiles(eroded_landscape):
    mass = eroded_landscape.manifest.report["mass"]
    assert mass["moved"] > 0 and abs(mass["error"]) <= 1e-9 * mass["moved"]
    gained = mass["added"] + mass["leveled"] - mass["exported"] - mass["suspended"]
    balance = mass["before"] + gained - mass["error"] - mass["after"]
    assert abs(balance) <= 1e-9 * mass["before"]
    whole = eroded_landscape.read("elevation", eroded_landscape.whole)
    assert whole.sum() * 400 == pytest.approx(mass["after"], rel=1e-7)  # float32
    assert abs(mass["leveled"]) < 0.1 * mass["exported"]
    loose = eroded_landscape.read("sediment", eroded_landscape.whole)
    assert loose.min() >= 0
    np.testing.assert_allclose(
        eroded_landscape.read("bedrock", eroded_landscape.whole) + loose, whole, atol=1e-3
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
def test_the_rim_of_a_halo_stays_as_it_is_and_changes_set_in_gently(tmp_path, number):
    """Rivers lower the edge of what they run on, and coarser cells spread it: a bend along the
    halo's end.
    """
    whole = Recipe.load("alpine")
    folder = fractal(tmp_path / "land", 128, (256, 256)).folder
    prepare(folder, replace(whole, steps=whole.steps[number : number + 1]), coarse=64)
    landscape = Landscape(folder)
    tile = Tile(1, 1)
    plan = Plan(landscape, landscape.manifest.erosion)
    window = plan.window(tile)
    run(str(folder), "coarse")
    before = state(plan, window, {}, 0)["elevation"]
    run(str(folder), f"shape_{tile.name}")
    after = np.load(folder / WORK / f"shape_{tile.name}" / "elevation.npy").reshape(window.shape)
    changes = np.abs(after - before)
    for change in (changes.mean(axis=0), changes.mean(axis=1)):
        assert (change[:2] == 0.0).all() and change[24:].mean() > 0.1  # m
        assert change[2] < 0.01 * change[24:].mean()


@pytest.mark.slow
def test_no_seam_shows_between_tiles(tmp_path):
    """Bends of the ground across borders of tiles are as strong as elsewhere, but for chance."""
    landscape = fractal(tmp_path / "land", 128, (256, 384))
    recipe = Recipe.load("alpine").with_values({"snow.amount": 0})
    done = erode(landscape.folder, recipe, Alone(), coarse=128)
    heights = done.read("elevation", done.whole)
    ratios = []
    for ground in (heights, heights.T):
        bend = np.abs(ground[:-2] - 2 * ground[1:-1] + ground[2:]).mean(axis=1)
        borders = range(128, len(ground), 128)
        at = np.mean([bend[row - 5 : row + 3].mean() for row in borders])
        ratios.append(at / bend[32:-32].mean())
    assert min(ratios) > 0.8 and max(ratios) < 1.25  # half a strength on both sides made it 1.35
    assert analyze(Terrain(heights, 20.0), AnalysisParameters()).figures["pits"] < 0.02


@pytest.mark.thorough
@pytest.mark.slow
def test_all_of_a_range_drains_freely_over_its_tiles(tmp_path):
    """Alpine may not: a trunk river in a narrow gorge meets the next tile a little beside it,
    behind a dam.
    """
    landscape = fractal(tmp_path / "land", 128, (512, 512))
    done = erode(landscape.folder, Recipe.load("mountain range"), Alone(), coarse=128)
    figures = analyze(
        Terrain(done.read("elevation", done.whole), 20.0), AnalysisParameters()
    ).figures
    assert figures["free_drainage"] >= 0.95 and figures["pits"] < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("name", ["arcane", "light rills"])
def test_drops_make_borders_of_tiles_neither_drier_nor_wetter(tmp_path, name):
    """On an even slope along three tiles as many drops run down each column, and wet it as in one
    piece. Weighting what had half of the drops by a half left a third less flow and a tenth to a
    quarter less moisture there.
    """
    kind, still = {"arcane": ("droplet", "erosion_rate"), "light rills": ("rill", "transfer_rate")}[
        name
    ]
    recipe = Recipe.load(name).with_values({f"{kind}.{still}": 0.0, f"{kind}.drops_per_cell": 4.0})
    recipe = replace(recipe, steps=tuple(step for step in recipe.steps if step.kind == kind))

    def slope(window):
        rows = np.arange(window.top, window.bottom, dtype=float)[:, None]
        return {"elevation": np.broadcast_to(4.0 * rows, window.shape)}

    found = []
    for folder, coarse in ((tmp_path / "tiles", 60), (tmp_path / "whole", 240)):
        manifest = Manifest(80, 240, 80, (20.0, 20.0), "slope")
        makers.make(folder, manifest, slope)
        done = erode(folder, recipe, Alone(), coarse=coarse)
        away = np.abs(np.arange(240) - 119.5)
        borders = np.abs(away - 40) < 5
        others = (away < 25) | ((away > 55) & (away < 100))
        for layer in ("flow", "moisture"):
            values = done.read(layer, Window(10, 70, 0, 240))
            found.append((values[:, borders].mean(), values[:, others].mean()))
    (flow, moisture), (_, whole) = found[:2], found[2:]
    assert flow[0] == pytest.approx(flow[1], rel=0.05) and moisture[0] == pytest.approx(
        moisture[1], rel=0.05
    )
    assert np.mean(moisture) == pytest.approx(np.mean(whole[1]), rel=0.05)


@pytest.mark.worker
@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_leaves_the_same_bytes(eroded_landscape, again, recipe):
    pytest.importorskip("cryptography")
    killed = []
    with cluster(workers=2) as workers:
        processes = workers.processes()

        def told(fraction, message):
            if not killed:
                killed.append(processes[0])
                threading.Timer(0.05, os.kill, (processes[0], signal.SIGKILL)).start()

        done = erode(again, recipe, workers, coarse=80, on_progress=told)
        assert processes[0] not in workers.processes()
    assert done.manifest.layers == eroded_landscape.manifest.layers


@pytest.mark.thorough
@pytest.mark.parametrize("number", [1, 5])
def test_a_cluster_of_any_size_leaves_the_same_bytes(eroded_landscape, again, recipe, number):
    pytest.importorskip("cryptography")
    with cluster(workers=number) as workers:
        assert len(workers.processes()) == number
        done = erode(again, recipe, workers, coarse=80)
    assert done.manifest.layers == eroded_landscape.manifest.layers


@pytest.mark.slow
def test_a_cluster_that_does_not_answer_is_told(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("erosion_addon.landscape.cluster._PATIENCE", "0.2s")
    with (
        pytest.raises(InputError, match=r"The cluster tcp://127\.0\.0\.1:1 does not answer"),
        cluster("tcp://127.0.0.1:1"),
    ):
        pass


@pytest.mark.parametrize(
    ("values", "edges", "sentence"),
    [
        ({}, "wrap", "cannot wrap"),
        ({"droplet.masks.erosion_rate": "area_a"}, None, "which the landscape does not have"),
    ],
)
def test_what_tiles_cannot_do_is_refused(landscape, recipe, values, edges, sentence):
    with pytest.raises(InputError, match=sentence):
        erode(landscape.folder, recipe.with_values(values), None, edges=edges)


def masked(folder):
    """A fractal landscape of which the left fifth stays, a plot and a road too, and half of the
    rock is hard.
    """
    cols, rows = np.meshgrid(np.arange(240), np.arange(160))
    masks = {
        "strength": (cols >= 48).astype(float),
        "plot": ((rows > 60) & (rows < 100) & (cols > 100) & (cols < 140)).astype(float),
        "protect": (np.abs(rows - 40) < 4).astype(float),
        "hardness": 0.9 * (rows >= 120),
        "outlet": ((rows == 20) & (cols == 81)).astype(float),
    }
    start = makers.generated("fractal", (160, 240), 20.0, 3, {"relief": 900.0}, None)
    windows = {
        name: lambda window, mask=mask: windows_of(mask)(window)["elevation"]
        for name, mask in masks.items()
    }
    return makers.make(
        folder, Manifest(160, 240, 80, (20.0, 20.0), "fractal"), start, masks=windows
    ), masks


@pytest.mark.thorough
@pytest.mark.slow
def test_masks_hold_on_tiles_and_leave_the_same_bytes_in_any_order(tmp_path, recipe):
    landscape, masks = masked(tmp_path / "land")
    other, _ = masked(tmp_path / "other")
    done = erode(landscape.folder, recipe, Alone(), coarse=80)
    assert (
        erode(other.folder, recipe, Backwards(), coarse=80).manifest.layers == done.manifest.layers
    )
    change = done.read("elevation", done.whole) - landscape.read("start/elevation", done.whole)
    assert not change[masks["strength"] == 0].any() and not change[masks["plot"] == 1].any()
    assert change[masks["protect"] == 1].min() >= -1e-3
    free = (masks["strength"] == 1) & (masks["plot"] == 0) & (masks["protect"] == 0)
    soft, hard = (
        np.abs(change[free & (masks["hardness"] == hardness)]).mean() for hardness in (0.0, 0.9)
    )
    assert hard < 0.6 * soft and soft > 1.0
    mass = done.manifest.report["mass"]
    assert abs(mass["error"]) <= 1e-9 * mass["moved"]
    assert Landscape(landscape.folder).manifest == done.manifest and not done.faults()


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["dune sea", "river valley", "old hills", "scree slopes", "canyon", "coast dunes"]
)
def test_recipes_of_all_kinds_run_on_tiles(tmp_path, name):
    landscape = fractal(tmp_path / "land", 64, (128, 128))
    recipe = Recipe.load(name)
    done = erode(landscape.folder, recipe, Alone(), edges="open", coarse=64)
    mass = done.manifest.report["mass"]
    assert abs(mass["error"]) <= 1e-9 * mass["moved"]
    assert np.isfinite(done.read("elevation", done.whole)).all()


ADDRESSES = (
    "-",
    "{}",
    "tcp://",
    "tcp://:1",
    "tcp://host",
    "ucx://host:1",
    "inproc://x",
    "a b:1",
    "tcp://h:1\x1b",
    "",
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_is_no_address_of_a_scheduler_is_refused_at_once(address):
    pytest.importorskip("distributed", reason="the extra farm is not installed")
    sentence = r"is not the address of a Dask scheduler, as tcp://host:8786 is\.$"
    with pytest.raises(InputError, match=sentence), cluster(address):
        pass
