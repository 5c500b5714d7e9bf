# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps on coarser cells: the same look at another resolution, mass balance, masks, checkpoints."""

import itertools
import os

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.base.arrays import EDGES
from erosion_addon.base.parameters import specifications
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.processes.shared import parameters as shared_parameters
from erosion_addon.processes.shared.state import State
from tests.terrains import fractal

KINDS = ("droplet", "rill")
kinds = pytest.mark.parametrize("kind", KINDS)
every_edge = pytest.mark.parametrize("edges", EDGES)


def recipe(kind, **parameters):
    return Recipe.from_dict(
        {"name": "test", "step": [{"kind": kind, "feature_size": 40.0, **parameters}]}
    )


def eroded(terrain, kind, edges="open", seed=1, masks=None, **parameters):
    return erode(terrain, recipe(kind, **parameters), seed=seed, edges=edges, masks=masks)


def hills(rows=48, cols=60, relief=120.0, cell_size=10.0, **fields):
    return Terrain(fractal(rows, cols, relief), cell_size, fields)


def balanced(terrain):
    mass = terrain.report["mass"]
    return mass["moved"] > 1000 and abs(mass["error"]) <= 1e-9 * mass["moved"]


# The same look


def waves(side, length=1280.0):
    """The same terrain of `length` meters on any grid: waves no shorter than a twelfth of it."""
    rng = np.random.default_rng(3)
    place = (np.arange(side) + 0.5) / side * 2 * np.pi
    heights = np.zeros((side, side))
    for row, col in itertools.product(range(-12, 13), range(13)):
        number = np.hypot(row, col)
        if 0 < number <= 12:
            phase = row * place[:, None] + col * place + rng.uniform(0, 2 * np.pi)
            heights += 50 * rng.standard_normal() / number**2 * np.cos(phase)
    return Terrain(heights, length / side)


def figures(before, after):
    """Eroded volume (m³) and mean slope by means over cells of 20 m, relief (m), and mean slope of
    the cells.
    """
    dug = np.maximum(before.elevation - after.elevation, 0).sum() * before.cell_area
    every = before.rows // 64
    coarse = after.elevation.reshape(64, every, 64, every).mean(axis=(1, 3))

    def slope(heights, cell_size):
        return np.hypot(*np.gradient(np.pad(heights, 1, mode="wrap"), cell_size))[1:-1, 1:-1].mean()

    return (
        dug,
        slope(coarse, 20.0),
        np.ptp(after.elevation),
        slope(after.elevation, after.cell_size),
    )


@pytest.mark.thorough
@pytest.mark.landscape
@pytest.mark.parametrize(
    "parameters", [{"kind": "droplet"}, {"kind": "rill"}, {"kind": "rill", "form": "capacity"}]
)
@pytest.mark.parametrize("feature_size", [10.0, 17.0])
def test_a_landscape_looks_the_same_whatever_the_number_of_its_cells(parameters, feature_size):
    """Within a tenth (droplets without `feature_size` lose a third of the eroded volume and gain
    twice the slope).
    """
    made = []
    for side in (128, 256, 512):
        before = waves(side)
        after = eroded(before, edges="wrap", feature_size=feature_size, **parameters)
        made.append(figures(before, after))
        print(parameters, feature_size, side, *(f"{figure:.4g}" for figure in made[-1]))
    for figure in made[:-1]:
        assert figure == pytest.approx(made[-1], rel=0.1)


@kinds
def test_on_cells_of_its_size_or_larger_ones_nothing_changes(kind):
    hashes = [
        eroded(hills(), kind, feature_size=size).report["sha256"] for size in (0.0, 3.0, 10.0)
    ]
    assert hashes[0] == hashes[1] == hashes[2]
    assert "grid" not in eroded(hills(), kind, feature_size=10.0).report["steps"][0]


@pytest.mark.parametrize(
    ("shape", "spacing", "size", "expected"),
    [
        ((48, 60), (10.0, 10.0), 40.0, (12, 15)),
        ((48, 60), (10.0, 10.0), 33.0, (15, 18)),
        ((48, 60), (10.0, 10.0), 1e6, (3, 4)),
        ((48, 60), (5.0, 20.0), 10.0, (24, 60)),  # the columns are coarser already
        ((48, 60), (5.0, 20.0), 40.0, (6, 30)),
        ((3, 60), (10.0, 10.0), 40.0, (3, 60)),
    ],
)
def test_drops_run_on_cells_of_the_wanted_meters(shape, spacing, size, expected):
    after = eroded(Terrain(fractal(*shape), spacing), "droplet", feature_size=size)
    grid = after.report["steps"][0].get("grid", {"rows": shape[0], "cols": shape[1]})
    assert (grid["rows"], grid["cols"]) == expected
    assert after.report["steps"][0]["drops"] == expected[0] * expected[1]


def test_detail_stays_where_no_water_comes_and_is_buried_where_much_is_laid_down():
    """A rough roof within walls, where it rains on the left side alone."""
    rng = np.random.default_rng(0)
    col = np.arange(96)
    before = Terrain(200 - 3.0 * np.abs(col - 48) + rng.uniform(-0.5, 0.5, (96, 96)), 5.0)
    rain = np.broadcast_to(col < 40, (96, 96))
    after = eroded(
        before, "droplet", "closed", masks={"rain": rain}, feature_size=20.0, evaporation=0.3
    )
    assert after.elevation[:, 60:].tobytes() == before.elevation[:, 60:].tobytes()
    assert after["deposition"][:, :4].min() > 5
    rough, buried = (
        np.diff(after.elevation[:, part], 2, axis=0).std()
        for part in (slice(60, None), slice(0, 4))
    )
    assert buried < 0.1 * rough


def test_the_change_is_smooth():
    """On a smooth hill the change in cells of 40 m comes to cells of 5 m without steps."""
    row, col = np.mgrid[0:128, 0:128] / 128 * 2 * np.pi
    before = Terrain(60 * np.cos(row) * np.cos(col), 5.0)
    change = eroded(before, "droplet", edges="wrap").elevation - before.elevation
    blocks = np.diff(change[4::8, 4::8], axis=1)
    # an eighth, were it linear
    assert np.abs(np.diff(change, axis=1)).max() < 0.35 * np.abs(blocks).max()


# Mass


@pytest.mark.parametrize("case", range(40))
def test_no_mass_is_lost_for_any_parameters_in_range(case, monkeypatch):
    """Parameters drawn from their declarations, grids, layers, masks and edges too; TEST_SEED
    repeats a run.
    """
    monkeypatch.setattr(shared_parameters, "COARSEST", 4)
    seed = int(os.environ.get("TEST_SEED") or 1)
    print(f"TEST_SEED={seed}, case {case}")
    rng = np.random.default_rng(seed + case)
    kind = KINDS[case % 2]
    edges = EDGES[case % 3]
    drawn = {}
    for name, item in specifications(PROCESSES[kind].parameters).items():
        if item.choices:
            drawn[name] = str(rng.choice(list(item.choices)))
        elif isinstance(item.default, bool):
            drawn[name] = bool(rng.integers(2))
        elif not item.row_names:
            low = item.low
            high = min(item.high, 2000.0)
            value = float(rng.choice([low, high, rng.uniform(low, high), item.default]))
            drawn[name] = round(value) if isinstance(item.default, int) else value
    shape = tuple(int(side) for side in rng.integers(4, 40, 2))
    cell_size = 10.0 ** rng.uniform(-2, 3)
    spacing = (cell_size, cell_size * float(rng.choice([1.0, 0.2, 7.0])))
    drawn["drops_per_cell"], drawn["maximum_path"] = 3.0, min(drawn["maximum_path"], 4.0)
    drawn["feature_size"] = min(float(cell_size * 10 ** rng.uniform(0, 1.5)), 1e6)
    relief = cell_size * 10 ** rng.uniform(-3, 3)
    layers = {
        name: relief * rng.random(shape) * (rng.random(shape) < 0.5)
        for name in ("sediment", "soil")
    }
    terrain = Terrain(fractal(*shape, relief, case) + sum(layers.values()), spacing, layers)
    masks = {
        name: np.clip(rng.normal(0.5, 1.0, shape), 0, 1)
        for name in ("strength", "hardness", "protect", "plot")
        if rng.random() < 0.5
    }
    after = eroded(terrain, kind, edges, seed=case, masks=masks, **drawn)
    mass = after.report["mass"]
    # The heights themselves round to 10⁻¹⁶ of the relief in each cell.
    rounding = 1e-14 * relief * terrain.cell_area * terrain.elevation.size
    assert abs(mass["error"]) <= 1e-9 * mass["moved"] + rounding
    for name in after.fields:
        assert np.isfinite(after[name]).all(), name
    assert min(after[name].min() for name in ("sediment", "soil", "flow", "moisture")) >= 0
    assert after["moisture"].max() <= 1
    bedrock = {
        name: at.elevation - at["sediment"] - at["soil"]
        for name, at in (("old", terrain), ("new", after))
    }
    risen = bedrock["new"] - bedrock["old"]
    assert risen.max() <= 1e-6 * relief
    if "strength" in masks:
        off = masks["strength"] == 0
        assert after.elevation[off].tobytes() == terrain.elevation[off].tobytes()
    if "protect" in masks:
        ground = [at.elevation - at["sediment"] for at in (terrain, after)]  # both float32
        assert np.all((ground[1] - ground[0])[masks["protect"] == 1] >= -1e-6 * relief)
    if "plot" in masks:
        kept = masks["plot"] == 1
        assert after.elevation[kept].tobytes() == terrain.elevation[kept].tobytes()
    if "hardness" in masks:
        assert np.all(risen[masks["hardness"] == 1] >= -1e-6 * relief)


def test_loose_material_is_taken_where_it_lies_and_rock_below_it_stays():
    patches = 2.0 * (np.random.default_rng(0).random((48, 60)) < 0.3)
    before = hills(sediment=patches)
    after = eroded(before, "droplet", masks={"hardness": np.ones((48, 60))})
    assert balanced(after)
    bedrock = after.elevation - after["sediment"]
    # sediment is float32 in the result
    assert np.allclose(bedrock, before.elevation - patches, rtol=0, atol=1e-5)
    lost = before["sediment"] - after["sediment"]
    assert lost.max() > 0.5 and np.all(lost[patches == 0] <= 0)


# Masks


@kinds
def test_strength_0_keeps_every_bit(kind):
    strength = np.zeros((48, 60))
    strength[:, 31:] = 1.0  # an edge inside a coarse cell
    before = hills(
        cell_size=7.3, surface_color=np.random.default_rng(0).random((48, 60, 3), np.float32)
    )
    after = eroded(before, kind, masks={"strength": strength}, feature_size=29.0)
    for name in ("elevation", "surface_color"):
        assert after[name][:, :31].tobytes() == before[name][:, :31].tobytes()
    assert (
        np.abs(after.elevation - before.elevation)[:, 31:].max() > 1
        and after["sediment"][:, :31].max() == 0
    )
    assert abs(after.report["mass"]["error"]) <= 1e-9 * after.report["mass"]["moved"]


@every_edge
@kinds
def test_protected_cells_are_never_dug_and_may_receive_sediment(kind, edges):
    protect = np.zeros((48, 60))
    protect[:, 25:38] = 1.0
    form = {"form": "capacity"} if kind == "rill" else {}
    after = eroded(hills(), kind, edges, masks={"protect": protect}, **form)
    change = (after.elevation - hills().elevation)[:, 25:38]
    assert change.min() >= 0 and change.max() > 0.01 and balanced(after)


def test_a_terrain_protected_everywhere_stays_as_it_is():
    after = eroded(hills(), "rill", masks={"protect": np.ones((48, 60))}, form="capacity")
    assert after.elevation.tobytes() == hills().elevation.tobytes()


# Layers


@kinds
def test_fields_are_those_of_a_step_on_the_terrain_itself(kind):
    fields = {"surface_color": np.full((48, 60, 3), 0.5), "moisture": np.full((48, 60), 0.8)}
    fine, coarse = (eroded(hills(**fields), kind, feature_size=size) for size in (0.0, 40.0))
    assert set(fine.fields) == set(coarse.fields)
    for name in fine.fields:
        assert coarse[name].dtype == fine[name].dtype and coarse[name].shape == fine[name].shape
    assert coarse["flow"].max() > 3 * coarse["flow"].mean() > 0


def test_moisture_of_an_earlier_step_keeps_its_detail_and_dries():
    wet = np.random.default_rng(0).uniform(0.4, 0.6, (48, 60)).astype(np.float32)
    after = eroded(
        hills(moisture=wet), "rill", soil_absorption=0.0, drops_per_cell=0.5, soil_evaporation=0.2
    )
    assert np.allclose(after["moisture"] - wet, 0.5 * (np.exp(-0.1) - 1), atol=0.01)


def test_soil_and_sediment_both_go_down_and_what_comes_is_sediment():
    after = eroded(hills(soil=np.full((48, 60), 0.5), sediment=np.full((48, 60), 0.1)), "droplet")
    assert (
        balanced(after)
        and after["soil"].max() <= 0.5
        and after["soil"].min() < 0.4
        and after["sediment"].max() > 1
    )


# Stops


@pytest.mark.parametrize("layers", [("sediment",), ("sediment", "soil")])
def test_looking_at_the_layers_changes_nothing(layers):
    loose = {name: np.full((48, 60), 0.3) for name in layers}
    state = State(fractal(48, 60, 120.0), loose, {}, (10.0, 10.0), "open")
    before = [array.copy() for array in (state.elevation, *loose.values())]
    process = PROCESSES["droplet"]
    step = process.step(state, process.parameters(feature_size=40.0), 1)
    while step.advance() < 1.0:
        pass
    looks = [step.layers() for _ in range(2)]
    assert all(array.tobytes() == looks[1][name].tobytes() for name, array in looks[0].items())
    for old, new in zip(before, (state.elevation, *loose.values()), strict=True):
        assert np.array_equal(old, new)


@every_edge
@pytest.mark.parametrize("shape", [(3, 3), (3, 40), (40, 3), (9, 9)])
@pytest.mark.parametrize("spacing", [(1.0, 1.0), (1.0, 8.0), (8.0, 1.0)])
def test_the_smallest_terrains_with_the_longest_cells_are_eroded(shape, edges, spacing):
    for kind in KINDS:
        after = eroded(
            Terrain(fractal(*shape, 4.0), spacing),
            kind,
            edges,
            feature_size=1e6,
            drops_per_cell=20.0,
        )
        assert abs(after.report["mass"]["error"]) <= 1e-9 * max(after.report["mass"]["moved"], 1e-3)


def test_memory_is_estimated_above_that_of_the_step_itself():
    state = State(fractal(48, 60), {"sediment": np.zeros((48, 60))}, {}, (10.0, 10.0), "open")
    process = PROCESSES["droplet"]
    step = process.step(state, process.parameters(feature_size=40.0), 1)
    assert step.bytes_per_cell == process.step.bytes_per_cell > process.step.step.bytes_per_cell


@pytest.mark.parametrize("kind", KINDS)
def test_detail_is_a_width_by_the_size_of_the_terrain(kind):
    """30 channels along 600 m are 20 m wide; what is given in meters counts before it."""
    terrain = hills()
    values = {"detail": 30, "feature_size": 0.0}
    by_detail = eroded(terrain, kind, **values).report
    assert by_detail["sha256"] == eroded(terrain, kind, feature_size=20.0).report["sha256"]
    assert by_detail["steps"][0]["grid"]["cols"] == 30
    both = eroded(terrain, kind, detail=30, feature_size=40.0).report
    assert both["sha256"] == eroded(terrain, kind, feature_size=40.0).report["sha256"]
    assert "grid" not in eroded(terrain, kind, detail=60, feature_size=0.0).report["steps"][0]


def test_larger_cells_than_the_detail_get_fewer_drops():
    step = eroded(hills(), "droplet", detail=960, feature_size=0.0).report["steps"][0]
    assert step["drops"] == 48 * 60 // 2  # the fourth root of 60 / 960 of those of each cell


@pytest.mark.thorough
@pytest.mark.slow
def test_a_recipe_changes_the_land_as_much_at_half_the_resolution():
    """Within a tenth, where both grids are coarser than the recipe's detail and where both are
    finer.
    """
    for detail, sides in ((128, (64, 128)), (64, (64, 128))):
        changes = []
        for side in sides:
            before = waves(side)
            recipe = Recipe.load("alpine")
            recipe = recipe.with_values({"droplet.detail": detail})
            after = erode(before, recipe, seed=1, edges="wrap")
            changes.append(np.abs(after.elevation - before.elevation).mean())
        print(detail, changes)
        assert changes[0] == pytest.approx(changes[1], rel=0.1)
