# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain: finite numbers in meters, in arrays of its own."""

import numpy as np
import pytest

from erosion_addon import FIELDS, InputError, Terrain


def test_a_terrain_knows_its_size():
    terrain = Terrain(np.arange(12).reshape(3, 4), cell_size=10.0)
    assert (terrain.shape, terrain.rows, terrain.cols) == ((3, 4), 3, 4)
    assert (terrain.spacing, terrain.cell_size, terrain.cell_area) == ((10.0, 10.0), 10.0, 100.0)
    assert terrain.relief == 11.0 and terrain.report is None


def test_elevation_is_float64_in_c_order_whatever_it_came_from():
    for values in (np.ones((4, 3), np.float32).T, np.ones((4, 3), np.int16).T, [[1, 1, 1, 1]] * 3):
        elevation = Terrain(values).elevation
        assert (
            elevation.dtype == np.float64
            and elevation.flags.c_contiguous
            and elevation.shape == (3, 4)
        )


def test_cells_that_are_not_square_have_rows_first():
    terrain = Terrain(np.zeros((3, 4)), cell_size=(20.0, 5.0))
    assert (
        terrain.spacing == (20.0, 5.0) and terrain.cell_size == 10.0 and terrain.cell_area == 100.0
    )


def test_a_terrain_owns_its_arrays():
    elevation = np.zeros((3, 4))
    wear = np.zeros((3, 4), np.float32)
    terrain = Terrain(elevation, fields={"wear": wear})
    elevation[0, 0] = wear[0, 0] = 1.0
    assert terrain.elevation[0, 0] == 0.0 and terrain["wear"][0, 0] == 0.0


def test_fields_are_looked_up_by_name():
    terrain = Terrain(
        np.ones((3, 4)), fields={"wear": np.zeros((3, 4)), "surface_color": np.zeros((3, 4, 3))}
    )
    assert "elevation" in terrain and "wear" in terrain and "flow" not in terrain
    assert terrain["elevation"] is terrain.elevation
    assert terrain["wear"].dtype == FIELDS["wear"].dtype and terrain["surface_color"].shape == (
        3,
        4,
        3,
    )


@pytest.mark.parametrize(
    ("elevation", "words"),
    [
        ([], "at least 3 rows"),
        (5.0, "a single number"),
        ([1, 2, 3], "at least 3 rows"),
        (np.zeros((2, 9)), "2 × 9"),
        (np.zeros((9, 2)), "9 × 2"),
        (np.zeros((3, 3, 3)), "3 × 3 × 3"),
        (np.zeros((0, 5)), "0 × 5"),
        ([[1, 2], [3]], "rectangle"),
        ("hills", "rectangle"),
        (None, "single number|rectangle"),
        ([[object()] * 3] * 3, "rectangle"),
        (np.full((3, 3), np.nan), "9 values that are not finite"),
        (np.full((3, 3), 1e300), "not finite or beyond"),
        (np.full((3, 3), -2e9), "not finite or beyond"),
    ],
)
def test_what_is_no_terrain_is_refused_in_a_sentence(elevation, words):
    with pytest.raises(InputError, match=words):
        Terrain(elevation)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_place_of_a_bad_value_is_named(bad):
    elevation = np.zeros((5, 6))
    elevation[3, 2] = bad
    with pytest.raises(InputError, match="row 3, column 2"):
        Terrain(elevation)


@pytest.mark.parametrize(
    "cell_size",
    [
        0,
        -1,
        1e-7,
        1e7,
        np.nan,
        np.inf,
        "wide",
        None,
        (1, 2, 3),
        (10, -10),
        (),
        (1.0, 8.1),
        (8.1, 1.0),
    ],
)
def test_impossible_cells_are_refused_in_a_sentence(cell_size):
    with pytest.raises(InputError, match="cell"):
        Terrain(np.zeros((3, 3)), cell_size)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"ash": np.zeros((3, 3))}, "no field ash; choose one of elevation"),
        ({"wear": np.zeros((3, 4))}, "wear is 3 × 4 and the grid 3 × 3"),
        ({"surface_color": np.zeros((3, 3))}, "3 × 3 × 3"),
        ({"wear": np.full((3, 3), np.nan)}, "wear has 9 values"),
        ({"wear": np.full((3, 3), 1e300)}, "wear has 9 values"),
        ({"sediment": np.full((3, 3), -0.1)}, "sediment is negative"),
    ],
)
def test_fields_that_do_not_fit_are_refused_in_a_sentence(fields, words):
    with pytest.raises(InputError, match=words):
        Terrain(np.zeros((3, 3)), fields=fields)


def test_every_field_says_what_it_is():
    for name, field in FIELDS.items():
        assert field.name == name and field.unit and field.meaning and field.components in (1, 2, 3)


def test_a_river_of_wide_land_carries_more_than_a_height_may_be():
    """A meter of rain on 200 km × 200 km is 4e10 m³."""
    flow = np.full((3, 3), 4e10, np.float32)
    assert Terrain(np.zeros((3, 3)), 1e5, {"flow": flow})["flow"].max() == np.float32(4e10)
    with pytest.raises(InputError, match="flow has 9 values that are not finite or beyond"):
        Terrain(np.zeros((3, 3)), 1e5, {"flow": np.full((3, 3), np.inf)})
    with pytest.raises(InputError, match="water_depth has 9 values"):
        Terrain(np.zeros((3, 3)), 1e5, {"water_depth": flow})
