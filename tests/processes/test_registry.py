# SPDX-License-Identifier: GPL-3.0-or-later
"""Process record: all that the program needs to know, so that a new process is a folder and a
line.
"""

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, resume, simulate
from erosion_addon.base.parameters import Parameters, parameter
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.processes.shared.process import MASKS, Process
from erosion_addon.processes.shared.state import State, Step, Volumes
from erosion_addon.run.estimate import bytes_needed, in_words, seconds_needed, seconds_to_compile
from erosion_addon.run.preview import fitted
from erosion_addon.run.report import in_words as report_in_words
from erosion_addon.run.report import is_step_report
from erosion_addon.terrain.fields import FIELDS
from erosion_addon.terrain.masks import MASK_KINDS
from tests.processes.test_laws import SHORT
from tests.terrains import fractal


class LoweringParameters(Parameters):
    """Ground is lowered by as much everywhere."""

    depth: float = parameter(4.0, "How much lower the ground gets.", low=0, high=100, unit="m")


class LoweringStep(Step):
    """A quarter of the depth a chunk; all else is as in every step."""

    bytes_per_cell = 1000
    evolving = ("_ground", "_done")

    def __init__(self, state, parameters, key):
        self._ground = state.elevation.copy()
        self._depth = parameters.depth
        self._done = 0

    def advance(self):
        self._ground -= self._depth / 4
        self._done += 1
        return self._done / 4

    def layers(self):
        return {"elevation": self._ground.copy()}

    def volumes(self):
        volume = self._done * self._depth / 4 * self._ground.size
        return Volumes(volume, volume)

    def counts(self, seconds):
        return {"quarters": self._done}


LOWERING = Process(
    "lowering",
    "Lowering",
    LoweringParameters,
    lambda: LoweringStep,
    icon="TRIA_DOWN",
    seconds=lambda given, shape, spacing, edges: 40.0,
    seconds_to_compile=5.0,
    work=("quarters", "quarters"),
    summarized=("quarters",),
    summary=lambda counts: [f"{counts['quarters']} quarters lower"],
)


@pytest.fixture
def recipe(monkeypatch):
    """Recipe with a process that was just added."""
    monkeypatch.setitem(PROCESSES, "lowering", LOWERING)
    return Recipe.parse('name = "pit"\n[[step]]\nkind = "lowering"\ndepth = 8.0\n', "pit")


def test_a_record_is_all_that_a_new_process_needs(recipe):
    terrain = Terrain(np.add.outer(np.arange(6.0), np.zeros(5)))
    assert recipe.steps[0].title == "Lowering" and Recipe.from_dict(recipe.to_dict()) == recipe
    looks = list(simulate(terrain, recipe))
    assert len(looks) == 4 and looks[-1].fraction == 1.0
    after = looks[-1].terrain
    assert (
        np.array_equal(after.elevation, terrain.elevation - 8.0)
        and abs(after.report["mass"]["error"]) < 1e-9
    )
    assert is_step_report(after.report["steps"][0]) and "4 quarters lower" in report_in_words(
        after.report
    )


def test_a_new_process_is_timed_watched_and_resumed(recipe):
    terrain = Terrain(np.zeros((6, 5)))
    look = next(simulate(terrain, recipe))
    assert look.work == (1.0, "quarters") and np.array_equal(
        look.elevation, terrain.elevation - 2.0
    )
    checkpoint = look.checkpoint
    look.drain()
    *_, last = resume(checkpoint)
    assert np.array_equal(last.terrain.elevation, terrain.elevation - 8.0)
    assert (
        seconds_needed(recipe, (64, 64), (1.0, 1.0), 1) == 40.0
        and seconds_to_compile(recipe) == 5.0
    )
    assert bytes_needed(recipe, 100) >= 100 * 1000
    assert in_words(recipe, (64, 64), (1.0, 1.0), 1).startswith("About 40 s")
    assert fitted(recipe, 1000.0, 1.0, 4.0) == recipe


@pytest.mark.parametrize("kind", PROCESSES)
def test_a_record_names_what_there_is(kind):
    process = PROCESSES[kind]
    needed = MASKS if process.moves_ground else ("strength", "sediment", "plot")
    assert process.kind == kind and set(needed) <= set(process.masks) <= set(MASK_KINDS)
    assert {*process.reads, *process.writes} <= set(FIELDS)
    assert process.seconds(process.parameters(), (64, 64), (10.0, 10.0), "open") > 0


def all_fields():
    """Every field that a step may continue from, all nonzero."""
    names = {name for process in PROCESSES.values() for name in process.reads} | {
        "sediment",
        "soil",
    }
    layers = {}
    for name in names:
        components = FIELDS[name].components
        shape = (24, 24) if components == 1 else (24, 24, components)
        layers[name] = np.full(
            shape, 0.25, np.float64 if name in ("sediment", "soil") else FIELDS[name].dtype
        )
    return layers


WRITING = {"water": {"cloud_cover": 0.5}, "uplift": {"uplift": 1.0}, "wind": {"flow_maps": True}}
"""Parameters without which a process does not write all its fields."""


@pytest.mark.parametrize("kind", PROCESSES)
def test_a_process_writes_the_fields_that_its_record_says(kind):
    process = PROCESSES[kind]
    given = SHORT[kind] | WRITING.get(kind, {})
    parameters = process.parameters.from_dict({**process.parameters().to_dict(), **given})
    step = process.step(
        State(fractal(24, 24, relief=50.0), all_fields(), {}, (10.0, 10.0), "open", 1),
        parameters,
        1,
    )
    solid = {"elevation", "sediment", "soil"} if process.moves_ground else {"elevation"}
    assert set(step.layers()) == solid | set(process.writes)
