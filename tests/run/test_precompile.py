# SPDX-License-Identifier: GPL-3.0-or-later
"""Precompilation: a run after it compiles nothing."""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from erosion_addon import InputError, Recipe, erode
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.run.checkpoint import Checkpoint
from erosion_addon.run.precompile import rehearse, rehearse_rest
from erosion_addon.terrain.terrain import Terrain
from tests.terrains import fractal

ROOT = Path(__file__).resolve().parents[2]

# In a process of its own, where nothing else has called a kernel. Several tiles for each of two
# threads.
STRANGERS = """
import json, sys
import numpy as np
from erosion_addon.base.kernels import jit
from erosion_addon import Recipe, Terrain, erode
from erosion_addon.run.precompile import rehearse
from tests.run.test_precompile import made
from tests.terrains import fractal

def called():
    return {(kernel.py_func.__module__, kernel.py_func.__name__, str(kind))
            for kernel in jit.KERNELS for kind in kernel.overloads}

few = {"years": 10.0, "drops_per_cell": 0.05, "particles_per_cell": 0.05, "duration": 0.0}
for name, kinds, fields, feature_size in json.loads(sys.argv[1]):
    recipe = made(name)
    for number, step in enumerate(recipe.steps, 1):
        for key in set(few) & set(step.parameters.to_dict()):
            least = 3 * step.parameters.time_step / 3600 if step.kind == "water" else 30.0
            value = least if key == "duration" else few[key]
            recipe = recipe.with_values({f"{number}.{key}": value})
        if feature_size and step.kind in ("droplet", "rill"):
            recipe = recipe.with_values({f"{number}.feature_size": feature_size})
    shape = (130, 200)
    given = {field: np.zeros(shape) for field in fields}
    if "surface_color" in given:
        given["surface_color"] = np.zeros((*shape, 3))
    masks = {kind: np.full(shape, 0.5) for kind in kinds}
    rehearse(recipe, (10.0, 10.0), kinds, fields)
    before = called()
    erode(Terrain(fractal(*shape, 300.0), 10.0, given), recipe, masks=masks, threads=2)
    print(json.dumps([name, sorted(called() - before)]))
"""

PAINTED = {
    "kind": "brush",
    "strokes": [
        {"kind": kind, "radius": 200.0, "dabs": [[1200.0, 1300.0, 1.0]]}
        for kind in ("rain", "rills", "talus", "smooth")
    ],
}
RUNS = [
    ("badlands", (), (), 0.0),
    ("dune sea", (), (), 0.0),
    ("barchan field", ("strength",), ("grass", "moisture"), 0.0),
    ("oasis", ("source",), (), 0.0),
    ("linear dunes", (), (), 0.0),
    ("river valley", (), ("soil", "grass", "moisture"), 0.0),
    ("soft downs", ("hardness",), (), 40.0),
    ("canyon", ("strength", "rain", "protect", "sediment"), ("surface_color",), 0.0),
    ("light rills", (), (), 25.0),
    ("mesas", (), (), 0.0),
    ("mountain range", ("uplift", "rain", "hardness"), (), 0.0),
    ("alpine", ("strength", "plot"), ("snow", "meltwater"), 0.0),
    (PAINTED, ("strength",), ("sediment",), 0.0),
    ({"kind": "wind"}, ("source",), ("sediment",), 0.0),
    ({"kind": "wind", "flight": "boundary layer"}, (), ("sediment", "grass"), 0.0),
]
"""All processes; recipe, or its only step, masks, fields, feature size."""


def made(what):
    """The shipped recipe, or a recipe of the one step, of a name."""
    return (
        Recipe.load(what)
        if isinstance(what, str)
        else Recipe.from_dict({"name": "test", "step": [what]})
    )


@pytest.mark.worker
@pytest.mark.compile
def test_a_run_after_a_rehearsal_calls_nothing_new():
    assert {step.kind for name, *_ in RUNS for step in made(name).steps} == set(PROCESSES)
    done = subprocess.run(
        [sys.executable, "-c", STRANGERS, json.dumps(RUNS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        [name, []] for name, *_ in RUNS
    ]


def test_nothing_is_told_where_nothing_is_compiled():
    told = []
    rehearse(Recipe.load("arcane"), (10.0, 10.0))
    rehearse(Recipe.load("arcane"), (10.0, 10.0), on_progress=lambda *said: told.append(said))
    assert told == []


def test_the_bar_of_a_compile_never_goes_back(monkeypatch):
    """Kernels are counted as their modules come in, and a kind of step may come twice."""

    @contextlib.contextmanager
    def compiling(on_progress):
        for done, left in ((0, 10), (12, 3), (13, 60), (14, 2)):
            on_progress(done, left)
        yield

    monkeypatch.setattr("erosion_addon.base.kernels.jit.compile_progress", compiling)
    told = []
    kinds = ("talus", "weather", "talus")
    recipe = Recipe.from_dict({"name": "thrice", "step": [{"kind": kind} for kind in kinds]})
    rehearse(
        recipe, (10.0, 10.0), on_progress=lambda fraction, message: told.append((fraction, message))
    )
    fractions = [fraction for fraction, _ in told]
    assert len(fractions) == 12 and fractions == sorted(fractions) and 0 < fractions[-1] <= 1
    assert told[-1][1] == "Compiling for this recipe (once), step 3 of 3"


def test_it_ends_before_the_step_that_is_not_wanted_any_more():
    asked = []
    rehearse(
        Recipe.load("alpine with scree"),
        (10.0, 10.0),
        goes_on=lambda: asked.append(1) or len(asked) < 2,
    )
    assert len(asked) == 2  # of three steps


def test_steps_that_are_off_are_not_rehearsed():
    recipe = Recipe.from_dict(
        {"name": "off", "step": [{"kind": "droplet", "enabled": False}, {"kind": "talus"}]}
    )
    asked = []
    rehearse(recipe, (10.0, 10.0), goes_on=lambda: asked.append(1) or True)
    assert len(asked) == 1


def test_what_the_run_will_refuse_is_left_to_the_run():
    step = {"kind": "water", "standing_water": "edges"}
    recipe = Recipe.from_dict({"name": "sea in a box", "edges": "closed", "step": [step]})
    with pytest.raises(InputError, match="edges"):
        erode(Terrain(fractal(12, 12, 10.0), 10.0), recipe)
    rehearse(recipe, (10.0, 10.0))


def test_a_checkpoint_is_rehearsed_with_its_masks_and_layers_and_a_damaged_one_is_left_to_the_run():
    recipe = Recipe.load("arcane").to_dict()
    arrays = {
        name: np.zeros((4, 4))
        for name in ("start/elevation", "start/soil", "state/flow", "mask/rain")
    }
    rehearse_rest(Checkpoint({"recipe": recipe, "spacing": [10.0, 10.0]}, arrays), lambda *_: None)
    for values in (
        {},
        {"recipe": 3, "spacing": [1, 1]},
        {"recipe": recipe},
        {"recipe": recipe, "spacing": None},
    ):
        rehearse_rest(Checkpoint(values, arrays), lambda *_: None)
