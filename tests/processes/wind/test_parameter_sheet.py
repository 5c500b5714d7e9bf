# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameter sheet of McDonald's article: its rows as recipes, checked against the article's
statements.
"""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.generators.registry import make

SHEET = Path(__file__).resolve().parents[3] / "examples" / "wind sheet"
ROWS = {
    "base": {},
    "settling x 4": {"settling": 4.0},
    "settling x 0.2": {"settling": 0.2},
    "roughness x 2": {"repose_angle": 2.0},
    "suspension x 10": {"suspension": 10.0},
    "suspension x 0.1": {"suspension": 0.1},
    "wind x 0.25": {"wind_speed": 0.25},
}
"""Row → what of the base case it multiplies."""


def row(name):
    return Recipe.load(str(SHEET / f"{name}.toml"))


@cache
def blown(name):
    """A row of the sheet, shortened, on the published seed's steep sand; elevation, lifted and slid
    volume in m³.
    """
    recipe = row(name)
    start = make("fractal", 64, 64, 10.0, recipe.seed, {"relief": 300.0}).elevation
    after = erode(Terrain(start, 10.0, {"sediment": np.full(start.shape, 300.0)}), recipe)
    counts = after.report["steps"][0]
    return after.elevation, counts["lifted"], counts["slid"]


def slope(name):
    """95th percentile."""
    return np.percentile(np.hypot(*np.gradient(blown(name)[0], 10.0)), 95)


def texture(name):
    """Mean curvature, 1/m."""
    down, right = np.gradient(blown(name)[0], 10.0)
    return np.abs(np.gradient(down, 10.0, axis=0) + np.gradient(right, 10.0, axis=1)).mean()


def test_the_sheet_has_the_rows_of_the_article():
    assert {path.stem for path in SHEET.glob("*.toml")} == set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_a_row_differs_from_the_base_case_by_its_factor_alone(name):
    recipe = row(name)
    base = row("base")
    assert recipe.seed == 1606266249 and (recipe.edges, recipe.needs) == (base.edges, base.needs)
    found, start = (one.steps[0].parameters.to_dict() for one in (recipe, base))
    for parameter, value in found.items():
        if parameter not in ROWS[name]:
            assert value == start[parameter]
        elif parameter == "repose_angle":  # roughness is the tangent
            assert np.tan(np.radians(value)) == pytest.approx(
                2 * np.tan(np.radians(start[parameter])), rel=1e-3
            )
        else:
            assert value == pytest.approx(ROWS[name][parameter] * start[parameter], rel=1e-6)


@pytest.mark.slow
def test_settling_and_roughness_make_dunes_lower_or_higher():
    assert slope("settling x 4") < 0.95 * slope("base") < 0.8 * slope("settling x 0.2")
    assert slope("roughness x 2") > 1.3 * slope("base") and texture(
        "roughness x 2"
    ) > 1.5 * texture("base")


def test_more_suspension_moves_more_and_less_leaves_the_land_to_slides():
    def share_lifted(name):
        _, lifted, slid = blown(name)
        return lifted / (lifted + slid)

    assert blown("suspension x 10")[1] > 2 * blown("base")[1]
    assert (
        share_lifted("suspension x 0.1")
        < 0.2 * share_lifted("base")
        < 0.2 * share_lifted("suspension x 10")
    )


@pytest.mark.slow
def test_less_wind_moves_less_sand_and_less_far():
    assert blown("wind x 0.25")[1] < 0.5 * blown("base")[1]
