# SPDX-License-Identifier: GPL-3.0-or-later
"""Rivers and streams that come into a tile from the land around it: their water, and where it
leaves.
"""

import numpy as np
import pytest

from erosion_addon.drainage.flow_graph import FlowGraph
from erosion_addon.landscape import inflow
from erosion_addon.landscape import make as makers
from erosion_addon.landscape.erode import Alone, do_one, erode, prepare
from erosion_addon.landscape.plan import Plan
from erosion_addon.landscape.storage.folder import Landscape, Tile
from erosion_addon.landscape.storage.manifest import Manifest
from erosion_addon.landscape.tasks import state
from erosion_addon.recipe.recipe import Recipe
from erosion_addon.run.simulation import erode as erode_whole
from erosion_addon.terrain.terrain import Terrain
from tests.landscape.conftest import Backwards, fractal
from tests.terrains import windows_of

RIVERS = Recipe.from_dict(
    {"name": "rivers", "step": [{"kind": "uplift", "years": 80000, "erodibility": 20}]}
)


def landscape_of(folder, heights, tile=64):
    return makers.make(
        folder, Manifest(*heights.shape, tile, (20.0, 20.0), "given"), windows_of(heights)
    )


def on_coarse_cells(landscape, coarse, recipe=RIVERS):
    """Plan of an erosion whose coarse cells are done, and their cells upstream and receivers, if
    there are.
    """
    prepare(landscape.folder, recipe, coarse=coarse)
    do_one(landscape.folder, "coarse", 1)
    landscape = Landscape(landscape.folder)
    plan = Plan(landscape, landscape.manifest.erosion)
    files = (
        landscape.folder / "work" / "coarse" / f"{name}.npy"
        for name in (inflow.UPSTREAM, inflow.RECEIVER)
    )
    return plan, [np.load(file) for file in files if file.exists()]


def test_all_water_of_the_land_upstream_enters_a_tile_and_leaves_it(tmp_path):
    """A valley from west to east, rising to both sides: what the western tile gathers flows through
    the eastern one.
    """
    rows, cols = np.mgrid[:128, :256]
    heights = 5.0 * np.abs(rows - 63.5) + 0.5 * (255 - cols) + 0.01 * np.sin(rows + 2.0 * cols)
    plan, (upstream, receiver) = on_coarse_cells(landscape_of(tmp_path, heights, 128), 64)
    window = plan.window(Tile(1, 0))
    ground = state(plan, window, {}, 0)["elevation"]
    entering = inflow.entering(plan, window, ground, upstream, receiver)
    # some slopes lead over the border beside the valley
    assert entering.max() > 0.95 * entering.sum()
    assert entering.sum() == pytest.approx(128 * window.left, rel=0.15)
    row, col = np.unravel_index(entering.argmax(), entering.shape)
    assert abs(row - 63.5) < 8 and 0 < col <= 2 * plan.factor  # in the valley, behind the border
    leaving = inflow.leaving(plan, window, upstream, receiver) > 0
    assert leaving[:, -1].all() and leaving[0].all() and leaving[-1].all()  # edges of the landscape
    assert not leaving[40:88, 0].any() and not leaving[1:-1, 1:-1].any()


def test_a_plan_with_no_rivers_on_tiles_needs_no_water_from_beyond(tmp_path):
    landscape = fractal(tmp_path / "land")
    talus = Recipe.from_dict({"name": "talus", "step": [{"kind": "talus"}]})
    prepare(landscape.folder, talus, coarse=80)
    assert not Plan(
        landscape, Landscape(landscape.folder).manifest.erosion
    ).has_rivers_across_tiles()
    do_one(landscape.folder, "coarse", 1)
    assert not (landscape.folder / "work" / "coarse" / f"{inflow.UPSTREAM}.npy").exists()


@pytest.mark.slow
def test_a_basin_over_four_tiles_drains_over_its_rim(tmp_path):
    """Its floor lies where the tiles meet; each of them would let the water out into the next."""
    rows, cols = np.mgrid[:256, :256]
    away = np.hypot(rows - 127.5, cols - 127.5)
    heights = np.minimum(2.0 * away, 120.0) - 0.4 * np.maximum(away - 60.0, 0.0)
    heights += np.random.default_rng(3).normal(0.0, 2.0, heights.shape)
    done = erode(landscape_of(tmp_path, heights, 128).folder, RIVERS, Alone(), coarse=64)
    ground = done.read("elevation", done.whole)
    graph = FlowGraph(ground.shape, (20.0, 20.0))
    flat = graph.padded(ground)
    graph.route(flat)
    depth = graph.inside(graph.filled(flat)) - ground
    assert depth.max() < 0.01 * np.ptp(ground)


def test_water_leaves_through_the_given_part_of_the_border_alone():
    heights = np.random.default_rng(2).random((20, 30))
    leaving = np.zeros(heights.shape, bool)
    leaving[:, 0] = True
    leaving[10, 10] = True  # inside nothing leaves
    graph = FlowGraph(heights.shape, (1.0, 1.0), "open", None, 1, leaving)
    graph.route(graph.padded(heights))
    areas = graph.inside(graph.drainage_area())
    assert (
        areas[:, 0].sum() == heights.size and (graph.ends == (leaving & (np.arange(30) == 0))).all()
    )


TILE = 64
CELL = 20.0
RATE = 50.0
STILL = {"rock_erosion": 0.0, "pick_up": 0.0, "evaporation": 0.0}


def winding_valley(slope=0.1):
    """Valley that falls along three tiles from west to east, with sides of 10 %."""
    rows, cols = np.mgrid[:TILE, : 3 * TILE]
    away = rows - (TILE - 1) / 2 - 4.0 * np.sin(cols * (2.0 * np.pi / 48))
    return CELL * (0.1 * np.abs(away) + slope * (cols.max() - cols))


def river(hours, **more):
    """A spring of 50 m³/s near the upper end of the valley, and no rain."""
    step = {"kind": "water", "duration": hours, "rain": 0.0, "springs": [[0.08, 0.5, RATE]], **more}
    return Recipe.from_dict({"name": "river", "edges": "open", "step": [step]})


def through(fields):
    """Water (m³/s) that flows through each column."""
    depth, velocity = (np.asarray(fields[name], float) for name in ("water_depth", "velocity"))
    return (depth * velocity[..., 0]).sum(axis=0) * CELL


def on_tiles(folder, recipe, coarse, workers=None):
    """Water through each column of the tiled valley, and the eroded landscape."""
    done = erode(
        landscape_of(folder, winding_valley(), TILE).folder,
        recipe,
        workers or Alone(1),
        coarse=coarse,
    )
    return through(
        {name: done.read(name, done.whole) for name in ("water_depth", "velocity")}
    ), done


@pytest.mark.thorough
def test_a_river_keeps_its_water_over_three_tiles_and_reaches_each_in_time(tmp_path):
    """Its front is on the second tile after 0.4 h, and after 0.8 h all of it is steady. Where tiles
    knew nothing of the land upstream, a fifth of it was left at their borders.
    """
    for hours, coarse in ((0.4, 96), (0.8, 48)):
        whole = through(erode_whole(Terrain(winding_valley(), CELL), river(hours, **STILL)).fields)
        found, _ = on_tiles(tmp_path / f"{hours}", river(hours, **STILL), coarse)
        fronts = [np.flatnonzero(flow > 0.5 * RATE).max() for flow in (whole, found)]
        assert fronts[1] == pytest.approx(fronts[0], rel=0.05)
    steady = slice(20, 180)
    np.testing.assert_allclose(whole[steady], RATE, rtol=0.03)
    np.testing.assert_allclose(found[steady], whole[steady], rtol=0.1)


def test_streams_balance_and_leave_the_same_bytes_in_any_order(tmp_path):
    """Soil that a river brings into a tile counts as added."""
    _, done = on_tiles(tmp_path / "one", river(0.25), 96)
    _, other = on_tiles(tmp_path / "two", river(0.25), 96, Backwards())
    assert other.manifest.layers == done.manifest.layers
    mass = done.manifest.report["mass"]
    assert mass["added"] > 0.0 and abs(mass["error"]) <= 1e-9 * mass["moved"]


def test_streams_enter_where_water_comes_and_nowhere_else(tmp_path):
    """From the west alone, behind the border at the river, and not before it is there; dry tiles
    have open borders.
    """
    plan, _ = on_coarse_cells(
        landscape_of(tmp_path, winding_valley(), TILE), 96, river(0.3, **STILL)
    )

    def read(name, shape):
        return np.load(plan.landscape.folder / "work" / "coarse" / f"{name}.npy").reshape(shape)

    entering = []
    for x in range(3):
        window = plan.window(Tile(x, 0))
        entering.append(
            inflow.streams(
                plan, window, winding_valley()[:, window.left : window.right], 0, read
            ).streams
        )
    first, second, third = entering
    assert (
        not first.cells.size
        and not third.cells.size
        and not np.concatenate(first.walls + third.walls).any()
    )
    rows, cols = np.divmod(second.cells, plan.window(Tile(1, 0)).shape[1])
    assert (cols <= 2 * plan.factor).all() and np.ptp(rows) <= 16
    assert not second.water[:4].any() and not second.load.any()
    assert second.water[-1].sum() == pytest.approx(RATE, rel=0.1)
    assert [walls.any() for walls in second.walls] == [False, False, True, False]
