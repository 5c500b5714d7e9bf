# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters: declared once, checked against the declaration."""

import math

import numpy as np
import pytest

from erosion_addon import InputError, Recipe, Step, Terrain, erode
from erosion_addon.base.data_files import shipped
from erosion_addon.base.parameters import Parameters, groups, parameter, specifications
from erosion_addon.generators.registry import SOURCES
from erosion_addon.processes.registry import PROCESSES
from tests.processes.test_laws import SHORT
from tests.terrains import fractal


class Example(Parameters):
    """One of each kind."""

    depth: float = parameter(1.5, "How deep.", low=0, high=10, unit="m", seed_name="Kd")
    count: int = parameter(3, "How many.", low=1, high=5)
    wet: bool = parameter(True, "Whether it rains.")
    shape: str = parameter(
        "round", "Which shape.", choices={"round": "As a ball", "square": "As a box"}
    )
    places: tuple = parameter((), "Where.", low=0, high=1, row_names=("x", "y"))


def test_values_come_out_in_the_type_of_the_default():
    example = Example(depth=2, count=4.0, wet=False, shape="square", places=[[0, 1], (0.5, 0.25)])
    assert example.to_dict() == {
        "depth": 2.0,
        "count": 4,
        "wet": False,
        "shape": "square",
        "places": ((0.0, 1.0), (0.5, 0.25)),
    }
    assert (
        isinstance(example.depth, float)
        and isinstance(example.count, int)
        and isinstance(example.places[0], tuple)
    )
    assert Example.from_dict(example.to_dict()) == example


@pytest.mark.parametrize("value", [0, 10, 0.0, 10.0])
def test_both_ends_of_a_range_belong_to_it(value):
    assert Example(depth=value).depth == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("depth", value)
            for value in (
                -1e-9,
                10.001,
                math.nan,
                math.inf,
                -math.inf,
                "2",
                None,
                True,
                [],
                10**400,
            )
        ),
        *(("count", value) for value in (0, 6, 2.5, math.nan, math.inf, "2", True)),
        *(("wet", value) for value in (1, 0, "true", None)),
        *(("shape", value) for value in ("oval", 1, None, ["round"])),
        *(
            ("places", value)
            for value in (1, None, "xy", [1], [[1]], [[0, 2]], [[0, "1"]], ["01"], [[0, 1, 0]])
        ),
    ],
)
def test_what_is_of_another_type_or_out_of_range_is_refused_with_name_and_range(name, value):
    with pytest.raises(InputError) as refusal:
        Example(**{name: value})
    assert str(refusal.value).startswith(
        f"{name} must be {specifications(Example)[name].range_text}, not "
    )
    assert len(str(refusal.value)) < 200


def test_ranges_in_words():
    texts = {
        name: specification.range_text for name, specification in specifications(Example).items()
    }
    assert texts == {
        "depth": "from 0 to 10",
        "count": "a whole number from 1 to 5",
        "wet": "true or false",
        "shape": "one of round, square",
        "places": "a list of [x, y], each from 0 to 1",
    }


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(
        InputError, match="color is not a parameter here; choose one of depth, count"
    ):
        Example.from_dict({"color": 1})


@pytest.mark.parametrize("kind", PROCESSES)
def test_every_declaration_of_a_process_is_whole(kind):
    declared = specifications(PROCESSES[kind].parameters)
    assert declared
    for specification in declared.values():
        assert specification.sentence.endswith(".") and len(specification.sentence) > 15
        assert specification.checked(specification.default) == specification.default
        assert all(
            len(meaning) > 15 and not meaning.endswith(".")
            for meaning in specification.choices.values()
        )
        if not (
            specification.choices
            or specification.records
            or isinstance(specification.default, bool)
        ):
            assert math.isfinite(specification.low) and math.isfinite(specification.high)


BEYOND = {("droplet", "drops_per_cell"), ("droplet", "deposition_rate"), ("uplift", "slope_limit")}
"""Parameters of which recipes take more than a slider gives, beside others that keep needles and
heaps away, or less: a flood plain is leveled, which leaves no mountains.
"""


@pytest.mark.parametrize("kind", PROCESSES)
def test_sliders_reach_every_value_of_the_shipped_recipes_and_no_further_than_is_allowed(kind):
    recipes = [Recipe.load(path) for path in shipped().values()]
    used = [
        step.parameters.to_dict()
        for recipe in recipes
        for step in recipe.steps
        if step.kind == kind
    ]
    for name, declared in specifications(PROCESSES[kind].parameters).items():
        low, high = declared.soft_range
        assert declared.low <= low <= high <= declared.high, name
        if isinstance(declared.default, int | float) and not isinstance(declared.default, bool):
            reached = [{name: declared.default}, *(used if (kind, name) not in BEYOND else [])]
            assert all(low <= values[name] <= high for values in reached), name
            assert declared.step is None or 0 < declared.step <= (high - low) / 50, name


def test_droplet_defaults_are_the_sources():
    declared = specifications(PROCESSES["droplet"].parameters)
    found = {item.seed_name: item.default for item in declared.values() if item.seed_name}
    # ErosionParams() of the source.
    assert found == {
        "Kq": 10,
        "Kw": 0.001,
        "Kr": 0.9,
        "Kd": 0.02,
        "Ki": 0.1,
        "minSlope": 0.05,
        "g": 20,
    }
    # MAX_PATH_LEN = HMAP_SIZE * 4; the branches that are compiled in.
    assert declared["maximum_path"].default == 4
    assert (
        declared["erosion_footprint"].default == "brush" and declared["slope"].default == "tangent"
    )


def test_a_spring_outside_the_terrain_is_refused():
    with pytest.raises(InputError, match=r"springs: one lies at \(1.5, 0\), outside the terrain"):
        PROCESSES["droplet"].parameters(springs=[[0.5, 0.5, 1], [1.5, 0.0, 2]])


def test_groups_hold_every_parameter_once_and_are_short_enough_to_read():
    for process in PROCESSES.values():
        found = groups(process.parameters)
        assert next(iter(found)) == "" and found[""]
        assert sorted(item.name for group in found.values() for item in group) == sorted(
            specifications(process.parameters)
        )
        assert max(len(group) for group in found.values()) <= 10


NEEDING = [
    (kind, known)
    for kind, process in PROCESSES.items()
    for known in specifications(process.parameters).values()
    if known.needs
]

DECIDES = {
    "springs": [(), ((0.5, 0.5, 5.0),)],
    "wind_rose": [((0.0, 1.0),), ()],
    "form": ["simple", "capacity"],
    "cloud_cover": [0.0, 0.5],
    "standing_water": ["none", "everywhere"],
    "rock_erosion": [0.0, 150.0],
    "shelter": [0.0, 1.0],
    "production": [0.0, 0.08],
    "flight": ["particles", "boundary layer"],
    "drift": [0.0, 1.0],
    "uplift": [0.0, 0.5],
    "sea": [False, True],
    "abrasion": [0.0, 0.1],
    "beach_supply": [0.0, 20.0],
}
"""Parameter that decides whether others act → a value with which they do not, and one with which
they do; of the flight, half of them need the one and half the other.
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "known"), NEEDING, ids=[f"{kind}.{known.name}" for kind, known in NEEDING]
)
def test_a_parameter_acts_where_it_says_so_and_nowhere_else(kind, known):
    """Where it does not act, runs with another value of it leave the same bytes; where it does,
    others.
    """
    layers = {"sediment": np.full((24, 30), 2.0), "moisture": fractal(24, 30, relief=1.0, seed=1)}
    if known.needs == ("beach_supply",):
        layers["water_depth"] = np.repeat([[3.0, 0.0]], [8, 22], axis=1).repeat(24, axis=0)
    terrain = Terrain(fractal(24, 30, relief=120.0), 10.0, layers)
    made = PROCESSES[kind].parameters
    if known.choices:
        other = next(choice for choice in known.choices if choice != known.default)
    else:
        higher = min(known.default * 3 + 100, known.high)
        lower = max(known.default / 30, known.low)
        other = higher if known.high < 1 or higher < 1000 else lower
    expected = []
    for value in DECIDES[known.needs[0]]:
        given = {**SHORT[kind], known.needs[0]: value}
        runs = [
            Recipe("one", (Step(kind, made(**given, **more)),))
            for more in ({}, {known.name: other})
        ]
        one, another = (erode(terrain, recipe, seed=2).report["sha256"] for recipe in runs)
        acts = known.acts(made(**given).to_dict())
        assert (one != another) == acts, (
            f"{known.needs[0]} = {value}: {known.name} = {known.default}, {other}"
        )
        expected.append(acts)
    assert sorted(expected) == [False, True]


def test_when_a_parameter_acts_in_words():
    texts = {known.name: known.needs_text for _, known in NEEDING}
    assert texts["cloud_size"] == "Used only with cloud_cover."
    assert texts["water_level"] == "Used only with standing_water: edges or everywhere."
    assert texts["direction"] == "Used only with wind_rose: none."
    assert specifications(PROCESSES["talus"].parameters)["reach"].needs_text == ""


RETIRED = [
    (parameters, name)
    for parameters in (record.parameters for record in (*PROCESSES.values(), *SOURCES.values()))
    for name in parameters.retired
]


@pytest.mark.parametrize(("parameters", "name"), RETIRED)
def test_a_retired_parameter_is_accepted_at_its_value_and_refused_at_another(parameters, name):
    value, replacement = parameters.retired[name]
    assert name not in specifications(parameters)
    assert parameters.from_dict({name: value}) == parameters()
    other = not value if isinstance(value, bool) else value + 1
    with pytest.raises(InputError) as error:
        parameters.from_dict({name: other})
    assert str(error.value) == f"{name} is fixed at {value} now. {replacement}"
