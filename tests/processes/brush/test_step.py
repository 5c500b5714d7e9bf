# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush strokes: effect of each kind, and the same result wherever a layer of strokes is
applied.
"""

import numpy as np
import pytest

from erosion_addon import InputError, Recipe, Terrain, erode
from erosion_addon.processes.brush.parameters import KINDS, RUN_OUT, Stroke
from tests.terrains import fractal

SIDE = 64
CELL = 10.0
MIDDLE = 315.0
"""Meters: between the vertices of the middle."""


def hills(sand=2.0):
    return Terrain(
        fractal(SIDE, SIDE, relief=150.0), CELL, {"sediment": np.full((SIDE, SIDE), sand)}
    )


def flat(sand=0.0, side=SIDE, cell=CELL):
    return Terrain(np.full((side, side), 50.0), cell, {"sediment": np.full((side, side), sand)})


def stroke(kind, dabs=((MIDDLE, MIDDLE, 1.0),), **values):
    if kind == "wind" and len(dabs) == 1:  # it blows where the stroke goes
        dabs = [(MIDDLE - 1.0, MIDDLE, 1.0), *dabs]
    return {
        "kind": kind,
        "radius": 150.0,
        "strength": 1.0,
        "dabs": [list(dab) for dab in dabs],
        **values,
    }


def recipe(*strokes, **step):
    return Recipe.from_dict(
        {"name": "painted", "step": [{"kind": "brush", "strokes": list(strokes), **step}]}
    )


def painted(terrain, *strokes, edges="open", masks=None, **step):
    after = erode(terrain, recipe(*strokes, **step), edges=edges, masks=masks)
    mass = after.report["mass"]
    assert abs(mass["error"]) <= 1e-9 * max(mass["moved"], 1.0)
    return after


def change(before, after):
    return after.elevation - before.elevation


def volume(before, after):
    return float(change(before, after).sum()) * before.spacing[0] * before.spacing[1]


BELL = 0.3 * np.pi
"""Integral over a disc of radius 1 of 3 t² - 2 t³, where t = 1 - distance."""


@pytest.mark.parametrize("side, cell", [(64, 10.0), (127, 5.0), (32, 630 / 31)])
def test_the_ground_rises_by_the_volume_of_the_bell_at_every_resolution(side, cell):
    """0.02 m a meter of radius in the middle; float32 and the sum over cells leave 2 %."""
    before = flat(side=side, cell=cell)
    after = painted(before, stroke("raise"))
    lowered = painted(before, stroke("raise", invert=True))
    assert volume(before, after) == pytest.approx(0.02 * 150.0 * BELL * 150.0**2, rel=0.02)
    assert volume(before, lowered) == pytest.approx(-volume(before, after), rel=1e-4)
    assert after["sediment"].max() == 0  # rock rises, no sand comes


@pytest.mark.parametrize("kind", ["rain", "rills"])
def test_a_brush_may_be_much_wider_than_the_land(kind):
    assert np.isfinite(painted(hills(), stroke(kind, radius=1e5, strength=0.02)).elevation).all()


def test_half_the_pressure_is_half_the_strength():
    before = flat()
    half = painted(before, stroke("raise", [(MIDDLE, MIDDLE, 0.5)]))
    assert (
        half.elevation.tobytes()
        == painted(before, stroke("raise", strength=0.5)).elevation.tobytes()
    )


def test_sand_is_strewn_on_the_rock_and_no_more_is_taken_than_lies_there():
    before = flat(sand=1.0)
    strewn = painted(before, stroke("sand"))
    np.testing.assert_allclose(strewn["sediment"] - 1.0, change(before, strewn), atol=1e-5)
    assert strewn["sediment"].max() == pytest.approx(1.0 + 3.0, rel=0.01)
    taken = painted(before, stroke("sand", [(MIDDLE, MIDDLE, 1.0)] * 4, invert=True))
    assert change(before, taken).min() == -1.0 and taken["sediment"].min() == 0.0


def test_talus_dabs_bring_a_cliff_to_the_angle():
    cliff = Terrain(np.where(np.arange(SIDE) < 32, 60.0, 0.0) * np.ones((SIDE, 1)), CELL)
    dabs = [(MIDDLE, MIDDLE, 1.0)] * 60
    after = painted(cliff, stroke("talus", dabs, angle=30.0, falloff="constant"), edges="closed")
    before_slope, after_slope = (
        np.abs(np.diff(one.elevation[32])).max() / CELL for one in (cliff, after)
    )
    assert before_slope == 6.0
    assert after_slope == pytest.approx(np.tan(np.radians(30.0)), rel=0.05)
    assert after.elevation[2].tobytes() == cliff.elevation[2].tobytes()


@pytest.mark.parametrize("edges", ["closed", "wrap"])
def test_wind_moves_sand_along_the_stroke_and_keeps_all_of_it(edges):
    before = flat(sand=3.0)
    dabs = [(200.0 + 30 * i, MIDDLE, 1.0) for i in range(8)]
    after = painted(before, stroke("wind", dabs), edges=edges)
    moved = change(before, after)
    along = np.arange(SIDE) * CELL
    assert moved[:, along < 250].sum() < 0 < moved[:, along > 420].sum()
    assert abs(volume(before, after)) < 4096 * 100 * 2**-18  # float32 of 50 m
    assert (after["sediment"] >= 0).all() and (after["wear"] <= 1e-4).all()
    back = painted(before, stroke("wind", dabs[::-1]), edges=edges)
    assert change(before, back)[:, along < 190].sum() > 0


def test_wind_takes_sand_over_an_open_edge_and_none_from_rock():
    dabs = [(480.0 + 30 * i, MIDDLE, 1.0) for i in range(6)]
    after = painted(flat(sand=3.0), stroke("wind", dabs))
    assert after.report["mass"]["exported"] > 1000
    assert (painted(flat(), stroke("wind", dabs)).elevation == 50.0).all()


def test_wind_heaps_no_sand_up_steeper_than_it_stands():
    """Strokes over the same place would raise walls of 70° from any ripple."""
    before = Terrain(
        fractal(SIDE, SIDE, relief=10.0), CELL, {"sediment": np.full((SIDE, SIDE), 20.0)}
    )
    strokes = [stroke("wind", [(200.0 + 30 * i, MIDDLE, 1.0) for i in range(8)]) for _ in range(12)]
    after = painted(before, *strokes)
    middle = (slice(26, 38), slice(26, 40))
    slope = np.hypot(*np.gradient(after.elevation, CELL))[middle]
    assert np.percentile(slope, 95) < np.tan(np.radians(40.0))


def test_creep_smooths_and_no_volume_is_lost():
    before = hills()
    after = painted(before, stroke("smooth", [(MIDDLE, MIDDLE, 1.0)] * 3), edges="closed")
    middle = (slice(28, 36), slice(28, 36))
    rough = [np.abs(np.diff(one.elevation[middle], 2)).mean() for one in (before, after)]
    assert rough[1] < 0.3 * rough[0]
    assert abs(volume(before, after)) < 4096 * 100 * 2**-18  # float32 of up to 150 m


def test_rain_lays_down_fans_at_the_foot_of_a_cone_and_no_heaps():
    """A drop that ends with a full load leaves a heap about as high as the gullies are deep."""
    at = np.arange(96) * CELL - 475.0
    before = Terrain(np.maximum(100.0 - 0.4 * np.hypot(at[:, None], at), 0.0), CELL)
    after = painted(before, stroke("rain", [(475.0, 475.0, 1.0)] * 3, radius=300.0))
    changed = change(before, after)
    assert changed.min() < -10.0
    assert changed.max() < -0.5 * changed.min()


@pytest.mark.parametrize("kind", KINDS)
def test_a_dab_does_on_land_of_two_meters_what_it_does_on_land_of_kilometers(kind):
    done = []
    for ratio in (1.0, 1 / 320):
        before = Terrain(
            ratio * hills().elevation,
            ratio * CELL,
            {"sediment": np.full((SIDE, SIDE), 2.0 * ratio)},
        )
        x = ratio * MIDDLE
        y = ratio * (MIDDLE + 60.0)
        dabs = [(x, ratio * MIDDLE, 1.0), (x, y, 1.0)]
        after = painted(before, stroke(kind, dabs, radius=150.0 * ratio, angle=15.0))
        done.append(np.abs(change(before, after)).sum() / ratio)
    assert done[1] == pytest.approx(done[0], rel=0.03) and done[0] > 0


def test_more_strength_of_rain_wears_more_and_all_of_it_stays():
    before = hills()
    worn = []
    for strength in (0.25, 0.5, 1.0):
        dabs = [(250.0 + 20 * i, MIDDLE, 1.0) for i in range(8)]
        after = painted(before, stroke("rain", dabs, strength=strength), edges="closed")
        worn.append(float(after["wear"].sum()))
        assert abs(volume(before, after)) < 4096 * 100 * 2**-18
    assert worn[0] > 0 and worn[1] > 1.3 * worn[0] and worn[2] > 1.3 * worn[1]


@pytest.mark.parametrize("kind", ["rain", "rills", "talus", "raise", "wind", "smooth", "sand"])
def test_nothing_beyond_its_reach_changes_by_a_bit(kind):
    before = hills()
    after = painted(before, stroke(kind, radius=100.0, angle=15.0))
    row, col = np.mgrid[:SIDE, :SIDE] * CELL
    far = np.hypot(row - MIDDLE, col - MIDDLE) > 100.0 * RUN_OUT.get(kind, 1.0) + 2 * CELL
    assert (change(before, after)[far] == 0).all() and (change(before, after) != 0).any()


@pytest.mark.parametrize("kind", ["rain", "rills", "talus", "raise", "wind", "smooth", "sand"])
def test_masks_hold_and_protected_rock_is_never_lowered(kind):
    before = hills()
    inside = (slice(20, 44), slice(30, 44))
    strength = np.ones((SIDE, SIDE), np.float32)
    protect = np.zeros((SIDE, SIDE), np.float32)
    strength[inside] = 0
    protect[inside] = 1
    given = stroke(kind, angle=15.0, invert=kind in ("raise", "sand"))
    after = painted(before, given, masks={"strength": strength})
    assert (change(before, after)[inside] == 0).all() and (change(before, after) != 0).any()
    after = painted(before, given, masks={"protect": protect})
    rock = [one.elevation - one["sediment"] for one in (before, after)]
    assert (rock[1] - rock[0])[inside].min() > -1e-4


def test_a_stroke_on_a_tile_goes_over_its_edge():
    """The same bytes as in the middle of the tile, turned round by half of it."""
    before = hills()
    turned = Terrain(np.roll(before.elevation, (32, 32), (0, 1)), CELL, dict(before.fields))
    for kind in ("rain", "rills", "talus", "raise", "wind", "smooth", "sand"):
        over = painted(
            before, stroke(kind, [(0.0, 0.0, 1.0), (-10.0, 20.0, 1.0)], angle=15.0), edges="wrap"
        )
        middle = painted(
            turned,
            stroke(kind, [(320.0, 320.0, 1.0), (310.0, 340.0, 1.0)], angle=15.0),
            edges="wrap",
        )
        np.testing.assert_array_equal(np.roll(over.elevation, (32, 32), (0, 1)), middle.elevation)
        if kind != "wind":  # 630 m are the same vertex, but another way from there to blow along
            again = painted(
                before,
                stroke(kind, [(0.0, 0.0, 1.0), (630.0, 20.0, 1.0)], angle=15.0),
                edges="wrap",
            )
            np.testing.assert_array_equal(again.elevation, over.elevation)


@pytest.mark.parametrize("kind", ["rain", "rills", "talus", "raise", "wind", "smooth", "sand"])
@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
def test_a_stroke_over_the_border_is_one_over_what_is_there(kind, edges):
    dabs = [(-60.0 + 40 * i, -30.0, 1.0) for i in range(5)] + [(1e6, -1e6, 1.0)]
    after = painted(hills(), stroke(kind, dabs, angle=15.0), edges=edges)
    assert np.isfinite(after.elevation).all() and (after.elevation != hills().elevation).any()


def test_the_same_bytes_from_float32_heights_and_in_the_middle_of_a_run():
    """Strokes done one by one on what a mesh holds, as they are painted, and as the layer of a
    recipe.
    """
    dabs = [(200.0 + 30 * i, 300.0, 0.7) for i in range(4)]
    strokes = [stroke(kind, dabs, angle=20.0) for kind in ("rain", "talus")]
    strokes += [
        stroke("smooth", [(260.0, 330.0, 1.0)]),
        stroke("rain", [(300.0, 280.0, 1.0)], seed=5),
    ]
    whole = painted(hills(), *strokes)
    terrain = hills()
    for one in strokes:
        after = painted(terrain, one)
        kept = after.elevation.astype(np.float32).astype(float)
        terrain = Terrain(kept, CELL, {"sediment": after["sediment"].astype(np.float32)})
    assert (
        whole.elevation.astype(np.float32).tobytes()
        == terrain.elevation.astype(np.float32).tobytes()
    )
    assert (
        whole["sediment"].astype(np.float32).tobytes()
        == terrain["sediment"].astype(np.float32).tobytes()
    )


def test_strokes_survive_a_file_and_threads():
    written = recipe(*(stroke(kind, angle=20.0) for kind in ("rain", "talus", "rills", "smooth")))
    read = Recipe.parse(written.to_toml(), "painted.toml")
    assert read == written
    one, two = (
        erode(hills(), made, threads=threads).report["sha256"]
        for made, threads in ((written, 1), (read, 2))
    )
    assert one == two


def test_a_layer_without_strokes_leaves_every_bit():
    before = hills()
    assert painted(before).elevation.tobytes() == before.elevation.tobytes()
    assert painted(before, stroke("raise", [])).elevation.tobytes() == before.elevation.tobytes()


def test_depths_are_limited():
    before = hills()
    dabs = [(MIDDLE, MIDDLE, 1.0)] * 20
    after = painted(before, stroke("raise", dabs), limits={"max_deposition": 8.0})
    assert change(before, after).max() <= 8.0 + 3.0  # a dab of 3 m may begin just below the limit


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("radius", "cell_size"), [(1e6, 1e6), (1e-3, 1e6), (1e6, 1e-3), (1e-3, 1e-3)]
)
def test_strokes_of_the_least_and_the_greatest_radius_run_on_the_least_and_the_greatest_cells(
    kind, radius, cell_size
):
    heights = np.add.outer(np.arange(8.0) ** 2, np.arange(9.0)) * cell_size
    land = Terrain(heights, cell_size, {"sediment": np.full((8, 9), cell_size)})
    marked = recipe(
        {"kind": kind, "radius": radius, "dabs": [[3.0 * cell_size, 3.0 * cell_size, 1.0]]}
    )
    assert np.isfinite(erode(land, marked).elevation).all()


@pytest.mark.parametrize(
    "values, said",
    [
        ({"kind": "lightning"}, "strokes, number 1: kind must be one of rain"),
        ({"radius": 0.0}, "radius must be from 0.001"),
        ({"radius": float("nan")}, "radius must be"),
        ({"strength": 2.0}, "strength must be from 0 to 1"),
        ({"falloff": "round"}, "falloff must be one of"),
        ({"angle": 90.0}, "angle must be from 1 to 89"),
        ({"dabs": [[0.0, 0.0]]}, "dabs must be a list of at most 16384"),
        ({"dabs": [[0.0, float("inf"), 1.0]]}, "dabs must be"),
        ({"dabs": [[0.0, 0.0, 1.5]]}, "the pressure of dab 1 is 1.5"),
        ({"dabs": [[0.0, 0.0, 1.0]] * 16385}, "at most 16384"),
        ({"dabs": "0 0 1"}, "dabs must be"),
        ({"pen": 1}, "pen is not a parameter here"),
        ({"seed": -1}, "seed must be a whole number from 0"),
    ],
)
def test_strokes_that_are_none_are_refused(values, said):
    with pytest.raises(InputError, match="step 1") as refused:
        recipe(stroke("rain") | values)
    assert said in str(refused.value)


@pytest.mark.parametrize("strokes", ["rain", 5, [5], ["rain"], [{}] * 4097])
def test_lists_of_strokes_that_are_none_are_refused(strokes):
    with pytest.raises(InputError, match="strokes must be a list of at most 4096 tables"):
        Recipe.from_dict({"name": "painted", "step": [{"kind": "brush", "strokes": strokes}]})


def test_a_share_is_full_in_the_middle_and_nothing_at_the_rim():
    distance = np.array([0.0, 0.5, 1.0, 2.0])
    halves = {"smooth": 0.5, "sphere": 0.75**0.5, "linear": 0.5, "sharp": 0.25, "constant": 1.0}
    for name, half in halves.items():
        np.testing.assert_allclose(Stroke(falloff=name).share(distance), [1.0, half, 0.0, 0.0])
