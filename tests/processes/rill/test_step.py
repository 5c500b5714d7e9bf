# SPDX-License-Identifier: GPL-3.0-or-later
"""Rill step in meters: mass balance, fields, masks, and the same look at another resolution."""

import numpy as np
import pytest

from erosion_addon import FIELDS, InputError
from erosion_addon.base.arrays import EDGES
from erosion_addon.processes.rill.parameters import RillParameters
from erosion_addon.processes.rill.step import RillStep
from erosion_addon.processes.shared.cell_units import HIGHEST_RELIEF
from erosion_addon.processes.shared.state import State
from tests.terrains import fractal, plane


def state(elevation, cell_size=10.0, edges="open", masks=None, **layers):
    spacing = cell_size if isinstance(cell_size, tuple) else (cell_size, cell_size)
    layers = {"sediment": np.zeros_like(elevation), **layers}
    masks = {kind: np.asarray(values, np.float32) for kind, values in (masks or {}).items()}
    return State(elevation.copy(), layers, masks, spacing, edges)


def eroded(start, key=1, **parameters):
    """The finished step."""
    step = RillStep(start, RillParameters(**parameters), key)
    while step.advance() < 1.0:
        pass
    return step


def hills(rows=24, cols=30, relief=120.0):
    return fractal(rows, cols, relief)


def error_of(step, start):
    """Error of the mass balance in m³."""
    change = (
        (step.layers()["elevation"] - start.elevation).sum() * start.spacing[0] * start.spacing[1]
    )
    volumes = step.volumes()
    return change - volumes.added + volumes.exported


# Mass


@pytest.mark.parametrize("edges", EDGES)
def test_the_simple_form_says_what_it_makes_and_loses(edges):
    start = state(hills(), edges=edges)
    step = eroded(start)
    moved, exported, added = step.volumes()
    assert moved > 1e5 and added != 0 and exported == 0
    assert abs(error_of(step, start)) <= 1e-9 * moved


def test_filling_more_than_digging_adds_and_digging_alone_takes_away():
    start = state(hills(), edges="closed")
    fill = eroded(start, sediment_ratio=20.0).volumes()
    dig = eroded(start, sediment_ratio=0.0).volumes()
    assert dig.added == -dig.moved < fill.added


# Fields


def test_what_mass_is_counted_in_is_double_and_the_rest_as_in_the_table():
    layers = eroded(state(hills())).layers()
    assert set(layers) == {"elevation", "sediment", "flow", "moisture"}
    assert layers["elevation"].dtype == layers["sediment"].dtype == np.float64
    assert all(layers[name].dtype == FIELDS[name].dtype for name in ("flow", "moisture"))


def test_moisture_of_an_earlier_step_is_found_and_flow_starts_anew():
    wet = state(
        hills(),
        moisture=np.full((24, 30), 0.8, np.float32),
        flow=np.full((24, 30), 7.0, np.float32),
    )
    none = eroded(wet, drops_per_cell=0.0).layers()
    assert np.all(none["moisture"] == np.float32(0.8)) and np.all(none["flow"] == 0)
    assert none["elevation"].tobytes() == wet.elevation.tobytes()
    dried = eroded(wet, soil_absorption=0.0, drops_per_cell=0.5, soil_evaporation=2.0).layers()
    assert (
        np.allclose(dried["moisture"], 0.8 * np.exp(-1.0), rtol=1e-5) and dried["flow"].min() == 0
    )


def test_hollows_are_wetter_than_ridges():
    elevation = np.abs(np.arange(-12, 13.0))[:, None] * 5 + plane(25, 30, 0, 1.0)
    moisture = eroded(state(elevation), drops_per_cell=2.0).layers()["moisture"]
    assert moisture[11:14].mean() > 3 * moisture[[2, 3, -4, -3]].mean()


def test_a_key_gives_the_same_bytes_again_and_another_key_others():
    one, same, other = (eroded(state(hills()), key=key).layers() for key in (1, 1, 2))
    assert all(one[name].tobytes() == same[name].tobytes() != other[name].tobytes() for name in one)


def test_counts_are_reported():
    counts = eroded(state(hills()), drops_per_cell=0.5).counts(2.0)
    assert counts["drops"] == 360 and counts["drops_per_second"] == 180 and counts["mean_path"] > 1
    cut = eroded(state(hills(), edges="wrap"), drops_per_cell=0.5, maximum_path=0.1).counts(1.0)
    assert cut["paths_cut"] == 360 and cut["mean_path"] == 3


# Meters


def test_drops_that_nothing_slows_on_edges_that_wrap_end_after_the_longest_path():
    """Without friction and evaporation nothing else ends them: each makes at most 4 times 30 steps
    of a cell.
    """
    endless = {"friction": 0.0, "evaporation": 0.0, "minimum_volume": 0.0, "transfer_rate": 0.0}
    counts = eroded(state(hills(), edges="wrap"), **endless).counts(1.0)
    assert counts["paths_cut"] > 0.9 * counts["drops"] and 100 < counts["mean_path"] <= 120


def test_the_height_above_the_sea_does_not_matter():
    heights = np.round(hills() * 1024) / 1024  # so that adding the base rounds nothing
    low, high = (eroded(state(heights + base)).layers()["elevation"] for base in (0.0, 8192.0))
    assert np.allclose(high - 8192.0, low, rtol=0, atol=1e-9)


@pytest.mark.slow
def test_a_grid_of_half_the_cells_gives_the_same_volumes_relief_and_moisture():
    """A band-limited terrain of 640 m in cells of 10 m and 5 m: within 20 %. (Mean slope is not:
    rills are as narrow as the cells, so finer ones are steeper.)
    """
    side = np.linspace(0, 2 * np.pi, 128, endpoint=False)
    fine = 40 * (
        np.sin(side)[:, None] * np.cos(2 * side)
        + 0.5 * np.cos(3 * side + 1)[:, None] * np.sin(side + 2)
    )
    for form in ("simple", "capacity"):
        steps = [
            eroded(state(fine[::skip, ::skip], 5.0 * skip, "wrap"), form=form) for skip in (1, 2)
        ]
        layers = [step.layers() for step in steps]
        for figure in (
            [step.volumes().moved for step in steps],
            [np.ptp(layer["elevation"]) for layer in layers],
            [layer["moisture"].mean(dtype=float) for layer in layers],
        ):
            assert figure[1] == pytest.approx(figure[0], rel=0.2), form


# Masks


def test_strength_0_keeps_every_bit():
    strength = np.zeros((24, 30))
    strength[:, 15:] = 1.0
    for form in ("simple", "capacity"):
        start = state(hills() + 1234.5678, 7.3, masks={"strength": strength})
        step = eroded(start, form=form)
        after = step.layers()["elevation"]
        assert after[:, :15].tobytes() == start.elevation[:, :15].tobytes()
        assert np.abs(after - start.elevation)[:, 15:].max() > 1
        assert abs(error_of(step, start)) <= 1e-9 * step.volumes().moved


def test_hard_rock_is_never_dug_and_loose_material_on_it_is():
    start = state(hills(), masks={"hardness": np.ones((24, 30))}, sediment=np.full((24, 30), 0.2))
    layers = eroded(start, form="capacity").layers()
    bedrock = layers["elevation"] - layers["sediment"]
    assert (
        np.allclose(bedrock, start.elevation - 0.2, rtol=0, atol=1e-9)
        and layers["sediment"].min() < 0.01
    )


def test_no_drop_starts_where_the_rain_is_zero():
    rain = np.zeros((24, 30))
    rain[5:8, 10:] = 1.0
    flow = eroded(
        state(hills(), masks={"rain": rain}), drops_per_cell=10.0, maximum_path=0.01
    ).layers()["flow"]
    assert flow[rain == 0].max() == 0 and flow[rain > 0].min() > 0


def test_a_spring_on_a_summit_fans_out_to_all_sides():
    """Rain on one cell: drops start anywhere in it. (Where they dig, the first rill takes most of
    the water.)
    """
    y, x = np.mgrid[:41, :41] - 20.0
    rain = (np.hypot(x, y) < 1).astype(np.float64)
    flow = eroded(
        state(200.0 - 5.0 * np.hypot(x, y), masks={"rain": rain}), transfer_rate=0.0
    ).layers()["flow"]
    quadrants = [
        flow[rows, cols].sum()
        for rows in (slice(20), slice(21, 41))
        for cols in (slice(20), slice(21, 41))
    ]
    assert np.array(quadrants) / sum(quadrants) == pytest.approx(0.25, abs=0.1)


def test_a_spring_in_the_corner_of_a_terrain_that_wraps_is_one_like_any_other():
    """The same land, moved by 7 rows and 9 columns: half a cell before row 0 lies the last row."""
    rain = np.zeros((24, 30))
    rain[0, 0] = 1.0
    moved = [np.roll(values, (7, 9), (0, 1)) for values in (hills(), rain)]
    corner, inside = (
        eroded(
            state(land, edges="wrap", masks={"rain": wet}), drops_per_cell=0.5, transfer_rate=0.0
        ).layers()["flow"]
        for land, wet in ((hills(), rain), moved)
    )
    # All but the drops that a last digit sends another way; with none before row 0 the difference
    # is 38 %.
    assert np.abs(np.roll(corner, (7, 9), (0, 1)) - inside).sum() < 0.02 * inside.sum()


@pytest.mark.parametrize("form", ["simple", "capacity", "uncapped"])
def test_protected_rock_is_never_dug_and_drops_run_over_it(form):
    protect = np.zeros((24, 30))
    protect[:, 12:18] = 1.0
    start = state(hills(), edges="closed", masks={"protect": protect})
    step = eroded(start, form=form)
    layers = step.layers()
    change = layers["elevation"] - start.elevation
    assert (
        change[:, 12:18].min() >= -1e-12 and change[:, :12].min() < -1 and change[:, 18:].min() < -1
    )
    assert change[:, 12:18].max() > 0.01 and layers["flow"][:, 12:18].max() > 0
    assert abs(error_of(step, start)) <= 1e-9 * step.volumes().moved


def test_a_terrain_protected_everywhere_stays_as_it_is():
    step = eroded(state(hills(), masks={"protect": np.ones((24, 30))}), form="capacity")
    assert (
        step.layers()["elevation"].tobytes() == hills().tobytes() and step.counts(1.0)["drops"] > 0
    )


# Refusals and smallest terrains


def test_relief_beyond_all_measure_is_refused():
    heights = np.zeros((5, 5))
    heights[2, 2] = HIGHEST_RELIEF * 1.01
    with pytest.raises(InputError, match="relief is more than 1e\\+07 times the cell size"):
        eroded(state(heights, 1.0))


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("shape", [(3, 3), (3, 40), (40, 3)])
@pytest.mark.parametrize("spacing", [(1.0, 1.0), (1.0, 8.0), (8.0, 1.0)])
def test_the_smallest_terrains_with_the_longest_cells_are_eroded(shape, edges, spacing):
    start = state(fractal(*shape, 4.0), spacing, edges)
    for form in ("simple", "capacity"):
        step = eroded(start, form=form, drops_per_cell=10.0)
        assert abs(error_of(step, start)) <= 1e-9 * max(step.volumes().moved, 1e-3)
