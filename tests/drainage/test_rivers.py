# SPDX-License-Identifier: GPL-3.0-or-later
"""Rivers and lakes: rivers run down, join and end, lakes are level, both turn with the terrain."""

import math

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.drainage import beds, ribbon
from erosion_addon.drainage.outlines import outlines
from erosion_addon.drainage.parameters import RiverParameters
from erosion_addon.drainage.rivers import lake_sizes, reaches, sizes, slopes, water_of
from tests.terrains import bowl, fractal

LAND = fractal(64, 80, 300.0, seed=3)
SPACING = (10.0, 10.0)
BROOKS = RiverParameters(source_area=0.004, lake_area=500.0)


def water(land=LAND, spacing=SPACING, edges="open", parameters=BROOKS, **options):
    return water_of(land, spacing, edges, parameters, **options)


def two_pits():
    """A table 10 m high with a pit of 3 cells, 4 m deep below its pass at 8 m, and one of 1 cell, 1
    m deep.
    """
    land = np.full((9, 9), 10.0)
    land[4, 2:5] = 4.0
    land[4, 0:2] = 8.0
    land[2, 6] = 6.0
    land[1, 6] = 7.0
    land[0, 6] = 7.0
    return land


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
def test_no_river_rises_on_its_way_and_each_ends_on_another_or_at_the_end_of_the_water(edges):
    found = water(edges=edges)
    assert len(found.starts) > 10
    runs = found.following >= 0
    assert (found.place[runs, 2] >= found.place[found.following[runs], 2]).all()
    for mouth in found.starts[:-1]:
        if found.following[mouth] >= 0:
            np.testing.assert_array_equal(found.place[mouth], found.place[found.following[mouth]])
        elif edges == "open":
            x, y = found.place[mouth, :2]
            assert x in (0.0, 790.0) or y in (0.0, 630.0)


def test_rivers_lie_on_the_ground_or_on_lakes_and_not_below():
    found = water(parameters=RiverParameters(source_area=0.004, lake_area=1.0, lake_depth=1e-9))
    ground = np.array([LAND[round(y / 10), round(x / 10)] for x, y, _ in found.place])
    lies = found.inside == 0
    # A cell beside the line may be higher, and what dams it lies within a cell too.
    assert np.median(np.abs(found.place[lies, 2] - ground[lies])) < 3.0
    assert (
        found.place[found.inside > 0, 2] == found.level[found.inside[found.inside > 0] - 1]
    ).all()


def test_rivers_grow_downstream_as_their_area_does():
    found = water()
    made = sizes(found, BROOKS)
    runs = np.flatnonzero(found.following >= 0)
    below = found.following[runs]
    for name, values in {**made._asdict(), "area": found.area, "order": found.order}.items():
        assert name == "slope" or (values[below] >= values[runs]).all(), name
    np.testing.assert_allclose(made.width * made.depth * made.speed, made.discharge, rtol=1e-12)
    np.testing.assert_allclose(made.width, 5.0 * np.sqrt(0.04 / 86400.0 * found.area), rtol=1e-9)


def test_reaches_go_from_confluence_to_confluence_and_are_the_rivers_together():
    found = water()
    parts = reaches(found)
    steps = sum(len(part) - 1 for part in parts)
    assert steps == len(found.place) - (len(found.starts) - 1)
    joined = set(found.following[found.starts[:-1]].tolist())
    for part in parts:
        assert not joined & set(part[1:-1].tolist())
        assert (np.diff(found.place[part, 2]) <= 0).all()


def test_rivers_begin_where_the_area_reaches_what_is_asked():
    found = water()
    assert found.area.min() >= 0.004e6
    fewer = water(parameters=RiverParameters(source_area=0.04))
    assert len(fewer.starts) < len(found.starts) and fewer.area.min() >= 0.04e6


def test_rivers_begin_at_headwaters_where_these_are_given():
    heads = np.zeros(LAND.shape)
    heads[20, 30] = heads[40, 50] = 1.0
    found = water(headwaters=heads)
    sources = {(round(y / 10), round(x / 10)) for x, y, _ in found.place[found.starts[1:] - 1]}
    assert sources <= {(20, 30), (40, 50)} and len(sources) >= 1


def test_rivers_of_closed_land_end_at_the_outlets_of_the_mask():
    mask = np.zeros(LAND.shape)
    mask[20, 30] = 1.0
    found = water(edges="closed", outlets=mask)
    ends = found.place[found.starts[:-1]][found.following[found.starts[:-1]] < 0]
    assert {(round(y / 10), round(x / 10)) for x, y, _ in ends} == {(20, 30)}


def test_lakes_hold_what_their_pits_do():
    land = two_pits()
    found = water(land, (2.0, 3.0), parameters=RiverParameters(lake_area=1.0, lake_depth=0.1))
    made = lake_sizes(found.lakes, found.level, land, (2.0, 3.0))
    assert found.level.tolist() == [7.0, 8.0]
    assert made.depth.tolist() == [1.0, 4.0]
    assert made.area.tolist() == [6.0, 18.0] and made.volume.tolist() == [6.0, 72.0]
    assert (
        found.lakes[2, 6] == 1
        and found.lakes[4, 2:5].tolist() == [2, 2, 2]
        and found.lakes.astype(bool).sum() == 4
    )


def test_small_and_shallow_lakes_are_left_out():
    assert water(
        two_pits(), parameters=RiverParameters(lake_area=150.0, lake_depth=0.1)
    ).level.tolist() == [8.0]
    assert water(
        two_pits(), parameters=RiverParameters(lake_area=1.0, lake_depth=2.0)
    ).level.tolist() == [8.0]


def test_the_shore_of_a_lake_runs_where_the_ground_reaches_its_level():
    land = bowl(41, 41, 20.0)
    found = water(land, (1.0, 1.0), parameters=RiverParameters(lake_area=1.0))
    assert found.level.tolist() == [20.0]
    ((line,),) = outlines(found.lakes, found.level, land, (1.0, 1.0))
    assert (line[0] == line[-1]).all()
    np.testing.assert_allclose(np.sqrt(((line - 20.0) ** 2).sum(-1)), 20.0, atol=0.03)
    x, y = line.T
    area = 0.5 * float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum())
    assert area == pytest.approx(math.pi * 400.0, rel=0.01)


def test_an_island_has_a_shore_of_its_own():
    land = bowl(41, 41, 20.0)
    land[20, 20] = 30.0
    found = water(land, (1.0, 1.0), parameters=BROOKS)
    ((outer, inner),) = outlines(found.lakes, found.level, land, (1.0, 1.0))
    assert len(outer) > len(inner) == 5


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_turned_ground_has_turned_rivers(turns):
    straight = water()
    turned = water(np.rot90(LAND, turns).copy())
    place = straight.place.copy()
    rows, cols = LAND.shape
    for _ in range(turns):  # what was the last column is the first row
        place[:, 0], place[:, 1] = place[:, 1].copy(), (cols - 1) * 10.0 - place[:, 0]
        rows, cols = cols, rows
    ours = sorted(np.round(place, 6).tolist())
    np.testing.assert_allclose(sorted(np.round(turned.place, 6).tolist()), ours, atol=2e-6)
    assert sorted(turned.level.tolist()) == sorted(straight.level.tolist())


@pytest.mark.parametrize("limited", [False, True])
def test_the_bytes_are_the_same_on_any_number_of_threads(limited):
    parameters = RiverParameters(
        source_area=0.004, lake_area=500.0, limited_water=limited, rain=300.0
    )
    one = water(parameters=parameters, threads=1)
    for threads in (2, 3, 8):
        other = water(parameters=parameters, threads=threads)
        for name in ("place", "starts", "following", "area", "order", "inside", "lakes", "level"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


def test_level_ground_and_drowned_ground_are_refused():
    with pytest.raises(InputError, match="level, so no water runs"):
        water(np.full((8, 8), 3.0))
    with pytest.raises(InputError, match="below the sea"):
        water(parameters=RiverParameters(sea=True, sea_level=301.0))


def test_islands_of_one_cell_in_the_sea_are_counted_without_a_word_from_numpy():
    land = np.full((30, 30), -5.0)
    land[15, 15] = 3.0
    with np.errstate(all="raise"):
        found = water(land, parameters=RiverParameters(sea=True))
    assert not len(found.place) and not len(found.level)


def test_rivers_end_in_the_sea():
    found = water(parameters=RiverParameters(source_area=0.004, sea=True, sea_level=120.0))
    assert found.place[:, 2].min() >= 120.0
    ends = found.place[found.starts[:-1]][found.following[found.starts[:-1]] < 0]
    assert (ends[:, 2] == 120.0).any()


def test_too_little_land_has_no_river():
    found = water(parameters=RiverParameters(source_area=10.0))
    assert len(found.starts) == 1 and len(found.place) == 0 and reaches(found) == []
    assert not len(ribbon.ribbons(found, sizes(found, BROOKS), LAND, SPACING).faces)
    assert not beds.masks(found, sizes(found, BROOKS), SPACING, "open")["river"].any()


def test_ribbons_face_up_are_as_wide_as_the_river_and_float_nowhere():
    found = water()
    made = sizes(found, BROOKS)
    sheet = ribbon.ribbons(found, made, LAND, SPACING)
    a, b, c, _ = (sheet.place[sheet.faces[:, corner]] for corner in range(4))
    up = np.cross(b - a, c - a)[:, 2]
    assert (up >= -1e-9).mean() > 0.98  # in hairpins narrower than the river it is folded
    rows = sheet.place.reshape(-1, 5, 3)
    wide = np.sqrt(((rows[:, 0] - rows[:, -1])[:, :2] ** 2).sum(-1))
    width = sheet.layers["width"][::5]
    assert (wide == 0).sum() == len(found.starts) - 1  # where they begin
    assert (wide <= width * (1 + 1e-6)).all() and (wide >= 0.999 * width).mean() > 0.9
    drawn = sheet.faces.reshape(-1, 4, 4)[:, 0, 0] // 5  # rows that are no lake
    off = rows[drawn, 2, 2] - ground_at(LAND, SPACING, 1, *rows[drawn, 2, :2].T)
    assert np.percentile(off, 95) < 0.5


def ground_at(land, spacing, split, x, y):
    """Height of the triangles that faces are displayed as."""
    row = y / spacing[0]
    col = x / spacing[1]
    low, left = (
        np.clip(np.floor(at).astype(int), 0, side - 2)
        for at, side in zip((row, col), land.shape, strict=True)
    )
    up = row - low
    right = col - left
    a = land[low, left]
    b = land[low, left + 1]
    c = land[low + 1, left + 1]
    d = land[low + 1, left]
    if split > 0:
        return np.where(
            right > up, a + right * (b - a) + up * (c - b), a + up * (d - a) + right * (c - d)
        )
    beyond = c + (1 - right) * (d - c) + (1 - up) * (b - c)
    return np.where(right + up < 1, a + right * (b - a) + up * (d - a), beyond)


@pytest.mark.parametrize("split", [1, -1])
@pytest.mark.parametrize("lakes", [True, False])
def test_no_middle_of_a_brook_lies_under_the_displayed_ground(split, lakes):
    """Nor does any place between two of its points, nor half of its width more than a hundredth of
    a cell.
    """
    spacing = (10.0, 14.0)
    found = water(spacing=spacing)
    sheet = ribbon.ribbons(found, sizes(found, BROOKS), LAND, spacing, lakes, split)
    rows = sheet.place.reshape(-1, 5, 3)
    begins = sheet.faces.reshape(-1, 4, 4)[:, 0, 0] // 5
    for share in np.linspace(0.0, 1.0, 9):
        lie = (1 - share) * rows[begins, 1:4] + share * rows[begins + 1, 1:4]
        off = lie[..., 2] - ground_at(LAND, spacing, split, lie[..., 0], lie[..., 1])
        assert off[:, 1].min() > -1e-9 and off.min() > -0.01 * 12.0
    assert (np.abs(np.linalg.norm(sheet.layers["flow_direction"], axis=-1) - 1) < 1e-5).all()


def test_lakes_are_level_to_the_bit_and_reach_under_their_shores():
    found = water(two_pits(), parameters=RiverParameters(lake_area=1.0, lake_depth=0.1))
    sheet = ribbon.sheets(found.lakes, found.level, two_pits(), SPACING)
    for number, level in enumerate(found.level, 1):
        chosen = sheet.layers["lake"] == number
        assert set(sheet.place[chosen, 2]) == {level}
        assert (sheet.layers["water_depth"][chosen] <= 0).any() and (
            sheet.layers["water_depth"][chosen] > 0
        ).any()
    assert ((sheet.layers["water_depth"] > 0) == (sheet.layers["shore"] == 0)).all()


def test_each_lake_tells_its_depth_area_and_volume():
    found = water(two_pits(), parameters=RiverParameters(lake_area=1.0, lake_depth=0.1))
    layers = ribbon.sheets(found.lakes, found.level, two_pits(), SPACING).layers
    lakes = sorted(
        set(zip(*(layers[name].tolist() for name in ("depth", "area", "volume")), strict=True))
    )
    assert lakes == [(1.0, 100.0, 100.0), (4.0, 300.0, 1200.0)]


def test_masks_cover_what_rivers_and_lakes_cover():
    found = water()
    made = sizes(found, BROOKS)
    covers = beds.masks(found, made, SPACING, "open")
    steps = np.sqrt(((found.place - found.place[found.following])[:, :2] ** 2).sum(-1))
    runs = found.following >= 0
    wanted = (steps * np.maximum(made.width, 10.0))[runs].sum() / 100.0
    assert covers["river"].sum() == pytest.approx(wanted, rel=0.3)
    assert (covers["lake"].astype(bool) == (found.lakes > 0)).all()
    assert not covers["bank"][found.lakes > 0].any() and covers["bank"].max() <= 1


def test_the_bank_of_a_brook_is_a_cell_wide_beside_a_wide_river_too():
    found = water()
    made = sizes(found, BROOKS)
    broad = made.width.copy()
    broad[: found.starts[1]] = 80.0
    narrow, beside = (
        beds.masks(found, made._replace(width=width), SPACING, "open")
        for width in (made.width, broad)
    )
    row, col = np.indices(LAND.shape)
    main = found.place[: found.starts[1], :2]
    far = (np.hypot(10.0 * col[..., None] - main[:, 0], 10.0 * row[..., None] - main[:, 1])).min(
        axis=-1
    ) > 130.0
    assert (narrow["bank"][far] > 0).sum() > 100
    np.testing.assert_array_equal(beside["bank"][far], narrow["bank"][far])


def test_foam_does_not_flicker_along_a_river():
    """From cell to cell the water falls in steps; foam by each of them made dashes."""
    found = water()
    sheet = ribbon.ribbons(found, sizes(found, BROOKS), LAND, SPACING)
    foam = sheet.layers["foam"].reshape(-1, 5)[:, 0]
    begins = sheet.faces.reshape(-1, 4, 4)[:, 0, 0] // 5
    assert foam.max() > 0.9 and np.percentile(np.abs(foam[begins + 1] - foam[begins]), 99) < 0.5


def test_rivers_bend_instead_of_turning_by_the_corners_of_cells():
    """Way from cell to cell turns by 45° at a time; a river's bends are spread along it."""
    found = water()
    turns = []
    for first, last in zip(found.starts[:-1] + 1, found.starts[1:] - 1, strict=False):
        way = np.diff(found.place[first:last, :2], axis=0)
        angle = np.unwrap(np.arctan2(way[:, 1], way[:, 0]))
        turns += np.abs(np.diff(angle)).tolist()
    assert len(turns) > 200 and np.percentile(turns, 95) < math.radians(30)


def test_a_river_falls_at_its_mouth_as_it_does_just_above():
    found = water()
    fall = slopes(found)
    ends = [
        mouth
        for mouth in found.starts[:-1]
        if found.following[mouth] < 0 and found.following[mouth + 1] == mouth
    ]
    assert ends and all(fall[mouth] == fall[mouth + 1] for mouth in ends)
    assert max(fall[mouth] for mouth in ends) > 0


def test_rivers_that_reach_the_border_end_there():
    found = water(edges="open")
    on_border = (found.place[:, 0] <= 0) | (found.place[:, 1] <= 0)
    on_border |= (found.place[:, 0] >= 790) | (found.place[:, 1] >= 630)
    mouths = found.starts[:-1]
    assert (found.following[mouths][on_border[mouths]] < 0).all() and on_border[mouths].sum() > 3
