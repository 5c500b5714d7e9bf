# SPDX-License-Identifier: GPL-3.0-or-later
"""Precompilation of everything: no run of a shipped recipe compiles, whatever its masks and
layers.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.worker

ROOT = Path(__file__).resolve().parents[2]

# In a process of its own, where nothing else has called a kernel. Then each kind of mask and layer
# by itself, as an artist adds them; and real runs, of which the last are large enough for several
# threads to share.
COUNTED = """
import json
from dataclasses import replace
import numpy as np
from erosion_addon.generators.registry import make
from erosion_addon.base.kernels import jit
from erosion_addon import FIELDS, Recipe, Terrain, erode
from erosion_addon.run import precompile_all as everything
from erosion_addon.terrain.masks import MASK_KINDS
from erosion_addon.base.data_files import shipped
from erosion_addon.run.precompile import rehearse
from tests.terrains import fractal

def called():
    return {(kernel.py_func.__module__, kernel.py_func.__name__, str(kind))
            for kernel in jit.KERNELS for kind in kernel.overloads}

# What decides which kernels a step calls: its kind, choices, and which numbers are not 0.
def traits(recipe, step):
    values = step.parameters.to_dict().values()
    kinds = (value if isinstance(value, str) else bool(value) for value in values)
    return step.kind, bool(recipe.strata), *kinds

everything.compile_all()
before, seen = called(), set()
for recipe in sorted(map(Recipe.load, shipped()), key=lambda recipe: -len(recipe.steps)):
    rehearse(recipe, (3.0, 3.0), ("strength", "rain"), ("grass", "water_depth"))
    for step in recipe.steps:
        if traits(recipe, step) in seen:
            continue
        seen.add(traits(recipe, step))
        alone = replace(recipe, steps=(step,))
        for kind in MASK_KINDS:
            rehearse(alone, (10.0, 10.0), (kind,))
        for layer in set(FIELDS) - {"elevation"}:
            rehearse(alone, (20.0, 5.0), (), (layer,))
print(json.dumps(sorted(called() - before)))

few = {"droplet": {"drops_per_cell": 0.02}, "rill": {"drops_per_cell": 0.02},
       "talus": {"reach": 25.0}, "snow": {"reach": 25.0},
       "wind": {"particles_per_cell": 0.002}, "dunes": {"years": 0.5},
       "weather": {"duration": 30.0},
       "uplift": {"years": 10.0}, "water": {"duration": 0.01}}
for kinds, layers, edges in [
    ((), (), "open"), (("hardness", "rain"), ("moisture", "grass"), "wrap")
]:
    shape = (800, 700)
    masks = {kind: np.full(shape, 0.5) for kind in kinds}
    land = Terrain(fractal(*shape, 300.0), 10.0, {name: np.full(shape, 0.1) for name in layers})
    for kind, values in few.items():
        for flight in ("particles", "boundary layer") if kind == "wind" else ("",):
            step = {"kind": kind, **values, **({"flight": flight} if flight else {})}
            recipe = Recipe.from_dict({"name": "few", "edges": edges, "step": [step]})
            erode(land, recipe, masks=masks, threads=2)
make("mountains", 300, 200, values={"hardness": 0.9, "island": 0.3, "age": 0.8}, threads=2)
print(json.dumps(sorted(called() - before)))
"""


@pytest.mark.thorough
@pytest.mark.compile
def test_after_that_no_shipped_recipe_with_any_mask_or_layer_compiles_anything():
    done = subprocess.run(
        [sys.executable, "-c", COUNTED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()] == [[], []]


def child(folder):
    """The background process, with its standard input open."""
    return subprocess.Popen(
        [sys.executable, "-c", "from erosion_addon.run.precompile_all import main; main()"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        env={**os.environ, "TERRAIN_EROSION_CACHE": str(folder)},
    )


def test_the_background_process_does_nothing_where_all_is_done(tmp_path):
    from erosion_addon.run.precompile_all import MARK

    environment = {**os.environ, "TERRAIN_EROSION_CACHE": str(tmp_path)}
    code = "from erosion_addon.base.kernels.jit import CACHE; print(CACHE)"
    words = [sys.executable, "-c", code]
    told = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    folder = Path(told.stdout.strip())
    (folder / MARK).touch()
    process = child(tmp_path)
    assert process.wait(300) == 0
    process.stdin.close()
    assert [entry.name for entry in folder.iterdir()] == [MARK]


def test_the_background_process_ends_with_blender(tmp_path):
    process = child(tmp_path)
    process.stdin.close()
    assert process.wait(300) == 0
    assert not list(tmp_path.glob("*/complete"))
