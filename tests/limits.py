# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes at random with every parameter from one hard limit to the other: `python -m tests.limits
--count 10000`.

Each case is drawn from its number: steps, masks, layers, edges, threads, regions, and land from 3 ×
3 cells, of any relief and cell size. A failure is a crash, a hang, anything raised but a sentence,
a number that is not finite, or mass beyond 1e-9 of what moved and the rounding of heights. Cases
run in a process of their own, with a time bound each. What fails is made as short as it still
fails, and printed as a recipe with its land.
"""

import argparse
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from erosion_addon import InputError, Recipe, Terrain, simulate
from erosion_addon.base.data_files import shipped
from erosion_addon.base.parameters import Specification, specifications
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.recipe.recipe import Step
from erosion_addon.run.estimate import seconds_of
from erosion_addon.run.region.rerun import simulate_region
from erosion_addon.terrain.fields import FIELDS
from erosion_addon.terrain.limits import Limits
from erosion_addon.terrain.masks import FACTORS, MASK_KINDS
from tests.terrains import fractal

ROOT = Path(__file__).resolve().parents[1]
SHAPES = (
    (3, 3),
    (3, 4),
    (5, 3),
    (3, 60),
    (3, 200),
    (60, 3),
    (7, 9),
    (16, 16),
    (17, 31),
    (24, 30),
    (33, 33),
    (40, 23),
)
EDGES = ("open", "closed", "wrap")
LONGEST_STEP = 0.1
"""Seconds of a step by the estimate, beyond which its parameters return to their defaults."""
PATIENCE = 2.0
"""Seconds after which a run that goes on is ended, and its state taken for the result."""
HANG = 300.0
"""Seconds without a word from a case that are a hang."""
ROUNDINGS = 1e4
"""Sums at each height that mass may lose to rounding, in units of the last place."""

SIGNED = ("elevation", "bedrock", "velocity", "wind_flow", "sand_flow")
"""Heights and vectors, which may be negative."""

Case = dict[str, Any]


def number_between(chance: np.random.Generator, known: Specification) -> float:
    """A limit, an end of the slider, or anything between, often by its magnitude."""
    low = max(known.low, -1e9)
    high = min(known.high, 1e9)
    match chance.integers(7):
        case 0:
            return low
        case 1:
            return high
        case 2:
            return float(chance.choice(known.soft_range))
        case 3:
            return float(chance.uniform(low, high))
        case 4:
            return float(min(max(low, 10.0 ** chance.uniform(-6, np.log10(max(high, 1e-5)))), high))
        case _:
            usual = known.default if isinstance(known.default, int | float) else 1.0
            return float(min(max(low, usual * 10.0 ** chance.uniform(-1, 1)), high))


def value_of(chance: np.random.Generator, known: Specification) -> Any:
    """A value of a parameter within its hard limits."""
    if known.choices:
        return str(chance.choice(list(known.choices)))
    if known.records is not None:
        return [values_of(chance, known.records, 1.0) for _ in range(chance.integers(1, 4))]
    if known.row_names:
        names = known.row_names
        within = {
            "direction": (-360.0, 360.0),
            "pressure": (0.0, 1.0),
            "x": (0.0, 1.0),
            "y": (0.0, 1.0),
        }
        if "pressure" in names:
            within |= {"x": (-50.0, 500.0), "y": (-50.0, 500.0)}
        return [
            [
                float(chance.uniform(*within.get(name, (0.0, 10.0 ** chance.uniform(-3, 6)))))
                for name in names
            ]
            for _ in range(chance.integers(1, 4))
        ]
    if isinstance(known.default, bool):
        return bool(chance.integers(2))
    number = number_between(chance, known)
    return int(number) if isinstance(known.default, int) else number


def values_of(chance: np.random.Generator, parameters: Any, share: float) -> dict[str, Any]:
    """Values of a share of the parameters."""
    return {
        name: value_of(chance, known)
        for name, known in specifications(parameters).items()
        if not known.is_file and chance.random() < share
    }


def bounded(
    chance: np.random.Generator, step: dict[str, Any], shape: tuple[int, int], cell: Any, edges: str
) -> None:
    """Return values of a step to their defaults, one by one, until the estimate allows it."""
    names = [name for name in step if name not in ("kind", "limits", "masks")]
    chance.shuffle(names)
    table = {key: value for key, value in step.items() if key not in ("kind", "limits", "masks")}
    while names:
        with contextlib.suppress(InputError, OverflowError):
            made = Step(step["kind"], PROCESSES[step["kind"]].parameters.from_dict(table))
            if seconds_of(made, shape, cell, edges) <= LONGEST_STEP:
                break
        name = names.pop()
        del step[name], table[name]


def step_of(
    chance: np.random.Generator,
    shape: tuple[int, int],
    cell: tuple[float, float],
    edges: str,
    kind: str = "",
) -> Case:
    """A step of a process, or of any."""
    kind = kind or str(chance.choice(list(PROCESSES)))
    step = {
        "kind": kind,
        **values_of(chance, PROCESSES[kind].parameters, float(chance.choice([0.2, 0.5, 1.0]))),
    }
    bounded(chance, step, shape, cell, edges)
    if chance.random() < 0.15:
        step["limits"] = ordered(values_of(chance, Limits, 0.4))
    if chance.random() < 0.15 and PROCESSES[kind].scalable:
        scaled = str(chance.choice(list(PROCESSES[kind].scalable)))
        step["masks"] = {
            scaled: str(chance.choice([name for name in FACTORS if name.startswith("area")]))
        }
    return step


def ordered(limits: dict[str, Any]) -> dict[str, Any]:
    """Limits whose lower end lies below the upper one, which else are left out."""
    ends = {**Limits().to_dict(), **limits}
    for low, high in (("lowest", "highest"), ("flattest", "steepest")):
        if ends[low] >= ends[high]:
            limits.pop(low, None)
            limits.pop(high, None)
    return limits


def case_of(number: int, seed: int, kind: str = "") -> Case:
    """The case of a number. kind: of a process, for steps of that one alone."""
    chance = np.random.default_rng([seed, number])
    rows, cols = SHAPES[chance.integers(len(SHAPES))]
    cell = float(
        10.0 ** (chance.uniform(-6, 6) if chance.random() < 0.2 else chance.uniform(-1, 2.3))
    )
    aside = cell * float(chance.choice([1.0, 1.0, 1.0, 0.6, 7.9]))
    spacing = (min(cell, 1e6), min(max(aside, 1e-6), 1e6, 7.9 * cell))
    relief = (
        float(10.0 ** chance.uniform(-9, 9))
        if chance.random() < 0.2
        else 30.0 * cell * float(chance.random())
    )
    edges = str(chance.choice(EDGES))
    if not kind and chance.random() < 0.1:
        recipe = Recipe.load(str(chance.choice(sorted(shipped())))).to_dict()
    else:
        steps = [
            step_of(chance, (rows, cols), spacing, edges, kind)
            for _ in range(1 if kind else chance.integers(1, 4))
        ]
        recipe = {"name": f"case {number}", "step": steps}
    contents = ["zero", "one", "noise", "half"]
    masks = {name: str(chance.choice(contents)) for name in MASK_KINDS if chance.random() < 0.12}
    if masks.get("rain") == "zero":  # where no drop can fall, nothing begins
        masks["rain"] = "half"
    masks |= {mask: "noise" for step in recipe["step"] for mask in step.get("masks", {}).values()}
    fields = {
        name: str(chance.choice(contents))
        for name in ("sediment", "soil", "grass")
        if chance.random() < 0.25
    }
    return {
        "recipe": recipe,
        "rows": rows,
        "cols": cols,
        "spacing": spacing,
        "form": str(chance.choice(["fractal", "flat", "terraces", "noise", "spike", "slope"])),
        "relief": min(relief, 9e8),
        "base": float(chance.choice([0.0, 0.0, -50.0, 1e5])),
        "edges": edges,
        "masks": masks,
        "fields": fields,
        "seed": int(chance.integers(1000)),
        "threads": int(chance.integers(1, 3)),
        "region": bool(chance.random() < 0.1),
    }


def heights_of(case: Case) -> Any:
    """Heights of the land, (rows, cols) m."""
    rows = case["rows"]
    cols = case["cols"]
    relief = case["relief"]
    chance = np.random.default_rng(case["seed"])
    rough = fractal(rows, cols, 1.0, seed=case["seed"])
    forms = {
        "fractal": rough,
        "flat": np.zeros((rows, cols)),
        "terraces": np.floor(4.0 * rough) / 4.0,
        "noise": chance.uniform(0, 1, (rows, cols)),
        "spike": (np.arange(rows * cols).reshape(rows, cols) == rows * cols // 2).astype(float),
        "slope": np.add.outer(np.arange(rows), 0.3 * np.arange(cols)) / (rows + cols),
    }
    return case["base"] + relief * forms[case["form"]]


def layer_of(content: str, case: Case, depth: float) -> Any:
    """A layer of a mask or field: 0, a depth, noise up to it, or the depth on one half."""
    shape = case["rows"], case["cols"]
    layers = {
        "zero": np.zeros(shape),
        "one": np.full(shape, depth),
        "noise": depth * np.random.default_rng(case["seed"] + 1).uniform(0, 1, shape),
        "half": np.where(np.arange(shape[1]) < shape[1] // 2, 0.0, depth) * np.ones(shape),
    }
    return layers[content]


def run(case: Case) -> str:
    """Run a case; returns a sentence that refuses it, or nothing. AssertionError for a result that
    cannot be.
    """
    depths = {"sediment": 0.1 * case["relief"], "soil": 0.01 * case["relief"], "grass": 1.0}
    try:
        fields = {
            name: layer_of(content, case, depths[name]) for name, content in case["fields"].items()
        }
        masks = {name: layer_of(content, case, 1.0) for name, content in case["masks"].items()}
        terrain = Terrain(heights_of(case), tuple(case["spacing"]), fields)
        recipe = Recipe.from_dict(case["recipe"])
        options = {
            "seed": case["seed"],
            "edges": case["edges"],
            "masks": masks,
            "threads": case["threads"],
        }
        if case["region"]:
            share = np.zeros(terrain.shape)
            share[: -(-case["rows"] // 2), : -(-case["cols"] // 2)] = 1.0
            going = simulate_region(terrain, recipe, share, **options)
        else:
            going = simulate(terrain, recipe, **options)
        until = time.monotonic() + PATIENCE
        for progress in going:
            last = progress
            if time.monotonic() > until:
                break
        after = last.terrain
    except InputError as refusal:
        assert str(refusal).endswith((".", "?")), refusal
        return str(refusal)
    for name, values in {"elevation": after.elevation, **after.fields}.items():
        assert np.isfinite(values).all(), f"{name} is not finite"
        if name not in SIGNED:
            assert values.min() >= 0, f"{name} is negative"
            assert FIELDS[name].unit != "0-1" or values.max() <= 1, f"{name} is over 1"
    # rock rises, or sand is supplied
    if not {"uplift", "wind", "dunes"}.intersection(
        step["kind"] for step in case["recipe"]["step"]
    ):
        rounding = 1e-4 + 1e-6 * float(np.abs(terrain.elevation).max())
        loose = sum(values.max() for values in fields.values()) + ("sediment" in masks)
        raised = (after.elevation.max() - terrain.elevation.max()) - after["deposition"].max()
        lowered = (terrain.elevation.min() - after.elevation.min()) - after["wear"].max() - loose
        assert max(raised, lowered) <= rounding, (raised, lowered)
    mass = after.report["mass"]
    heights = np.abs(terrain.elevation).sum() + np.abs(after.elevation).sum()
    rounding = ROUNDINGS * 2.0**-53 * float(heights) * terrain.cell_area
    assert all(np.isfinite(value) for value in mass.values()), mass
    assert abs(mass["error"]) <= 1e-9 * mass["moved"] + rounding, mass
    return ""


def verdict(case: Case) -> str:
    """What came of a case in this process: nothing, a refusal, or a failure with its traceback."""
    try:
        with np.errstate(all="ignore"):
            refusal = run(case)
    except BaseException:  # noqa: BLE001 - whatever it is, it is not a sentence
        return "failed: " + traceback.format_exc(limit=-2)
    return f"refused: {refusal}" if refusal else "done"


def serve() -> None:
    """Run cases that come as lines of JSON; each is answered by a line."""
    for line in sys.stdin:
        print(json.dumps(verdict(json.loads(line))), flush=True)


class Child:
    """A process that runs cases."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.limits", "--serve"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, cwd=ROOT, env=os.environ, text=True, **pipes)
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()

    def _listen(self, answers: IO[str]) -> None:
        for line in answers:
            self._answers.put(line)
        self._answers.put("")

    def verdict(self, case: Case, seconds: float = HANG) -> str:
        """`verdict` of a case, also if it crashes or hangs, after which the process is gone."""
        try:
            self._process.stdin.write(json.dumps(case) + "\n")
            self._process.stdin.flush()
            answer = self._answers.get(timeout=seconds)
        except (queue.Empty, BrokenPipeError):
            answer = None
        if answer:
            return json.loads(answer)
        self.end()
        return "hung" if answer is None else f"crashed: exit code {self._process.returncode}"

    @property
    def alive(self) -> bool:
        """Whether it can run another case."""
        return self._process.poll() is None

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def is_bad(answer: str) -> bool:
    """Whether a verdict is a failure."""
    return not answer.startswith(("done", "refused"))


def shorter(case: Case) -> Iterator[Case]:
    """Cases with one thing less."""
    table = case["recipe"]
    for place, step in enumerate(table["step"]):
        others = table["step"][:place] + table["step"][place + 1 :]
        if others:
            yield {**case, "recipe": {**table, "step": others}}
        for name in step:
            if name != "kind":
                less = {key: value for key, value in step.items() if key != name}
                steps = [less if at == place else other for at, other in enumerate(table["step"])]
                yield {**case, "recipe": {**table, "step": steps}}
    for key in [key for key in table if key not in ("name", "step")]:
        yield {**case, "recipe": {name: value for name, value in table.items() if name != key}}
    for part in ("masks", "fields"):
        for name in case[part]:
            yield {**case, part: {key: value for key, value in case[part].items() if key != name}}
    plain = {
        "region": False,
        "threads": 1,
        "base": 0.0,
        "edges": "open",
        "form": "flat",
        "spacing": [1.0, 1.0],
    }
    plain |= {"rows": 3, "cols": 3, "seed": 0}
    for key, value in plain.items():
        if case[key] != value:
            yield {**case, key: value}


def shortest(case: Case, answer: str, seconds: float) -> Case:
    """The case with everything left out without which it fails in the same way."""
    kind = answer.split(":")[0]
    until = time.monotonic() + seconds
    child = Child()
    again = True
    while again and time.monotonic() < until:
        again = False
        for less in shorter(case):
            if not child.alive:
                child = Child()
            if child.verdict(less).split(":")[0] == kind:
                case = less
                again = True
                break
    child.end()
    return case


def told(case: Case) -> str:
    """A case as a recipe and its land."""
    land = {key: value for key, value in case.items() if key != "recipe"}
    try:
        recipe = Recipe.from_dict(case["recipe"]).to_toml()
    except InputError:
        recipe = ""
    return f"# {json.dumps(land)}\n# {json.dumps(case['recipe'])}\n{recipe}"


def search(numbers: range, seed: int, seconds: float = 120.0) -> int:
    """Run the cases of some numbers; returns how many failed. seconds: for making each failure
    short.
    """
    child = Child()
    bad = 0
    refused = 0
    for number in numbers:
        case = case_of(number, seed)
        if not child.alive:
            child = Child()
        answer = child.verdict(case)
        if answer == "hung":  # if it was not the compiler's time
            child = Child()
            answer = child.verdict(case)
        refused += answer.startswith("refused")
        if is_bad(answer):
            bad += 1
            print(f"case {number}: {answer}\n{told(shortest(case, answer, seconds))}", flush=True)
        count = number + 1 - numbers.start
        if count % 100 == 0 or count == len(numbers):
            print(f"{count} recipes, {refused} refused in a sentence, {bad} failures", flush=True)
    child.end()
    return bad


def main() -> int:
    """Search as asked; returns how many failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve", action="store_true", help="run cases from standard input")
    given = parser.parse_args()
    if given.serve:
        serve()
        return 0
    return search(range(given.first, given.first + given.count), given.seed)


if __name__ == "__main__":
    sys.exit(main() > 0)
