# SPDX-License-Identifier: GPL-3.0-or-later
"""Rivers that come into a tile from the land around it: their water, and where it leaves."""

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
from tests.landscape.conftest import fractal

RIVERS = Recipe.from_dict({"name": "rivers", "step": [{"kind": "uplift", "years": 80000, "erodibility": 20}]})


def landscape_of(folder, heights, tile=64):
    return makers.make(folder, Manifest(*heights.shape, tile, (20.0, 20.0), "given"), makers.given(heights))


def on_coarse_cells(landscape, coarse, recipe=RIVERS):
    """Plan of an erosion whose coarse cells are done, and their cells upstream and receivers."""
    prepare(landscape.folder, recipe, coarse=coarse)
    do_one(landscape.folder, "coarse", 1)
    landscape = Landscape(landscape.folder)
    plan = Plan(landscape, landscape.manifest.erosion)
    files = (landscape.folder / "work" / "coarse" / f"{name}.npy" for name in (inflow.UPSTREAM, inflow.RECEIVER))
    return plan, [np.load(file) for file in files]


def test_all_water_of_the_land_upstream_enters_a_tile_and_leaves_it(tmp_path):
    """A valley from west to east, rising to both sides: what the western tile gathers flows through the eastern one."""
    rows, cols = np.mgrid[:128, :256]
    heights = 5.0 * np.abs(rows - 63.5) + 0.5 * (255 - cols) + 0.01 * np.sin(rows + 2.0 * cols)
    plan, (upstream, receiver) = on_coarse_cells(landscape_of(tmp_path, heights, 128), 64)
    window = plan.window(Tile(1, 0))
    ground = state(plan, window, {}, 0)["elevation"]
    entering = inflow.entering(plan, window, ground, upstream, receiver)
    assert entering.max() > 0.95 * entering.sum()  # some slopes lead over the border beside the valley
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
    assert not Plan(landscape, Landscape(landscape.folder).manifest.erosion).has_rivers_across_tiles()
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
    assert areas[:, 0].sum() == heights.size and (graph.ends == (leaving & (np.arange(30) == 0))).all()
