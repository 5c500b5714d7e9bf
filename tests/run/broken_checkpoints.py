# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints with something wrong in them, each taken up again: `python -m
tests.run.broken_checkpoints SEED COUNT`.

A process of its own, so that a crash is seen: it ends with 0 and says how many were refused and how
many ran. A sentence is a refusal; anything else that is raised, and a run that never comes to its
next chunk, ends it otherwise.
"""

import faulthandler
import io
import itertools
import json
import sys
import warnings
from collections import Counter

import numpy as np

from erosion_addon import Checkpoint, InputError, Recipe, Terrain, resume, simulate
from erosion_addon.processes.shared import state
from tests.terrains import fractal

SHAPE = (70, 90)  # four tiles
STEPS = {
    "droplet": {"drops_per_cell": 2.0},
    "rill": {"drops_per_cell": 2.0, "form": "capacity"},
    "coarse": {"kind": "droplet", "drops_per_cell": 4.0, "feature_size": 25.0},
    "water": {"duration": 0.1, "cloud_cover": 0.5, "springs": [[0.5, 0.5, 2.0]]},
    "wind": {"particles_per_cell": 0.5},
    "dunes": {"years": 20.0},
    "talus": {"reach": 200.0, "sediment_angle": 10.0, "rock_angle": 20.0},
    "weather": {"duration": 5000.0},
    "snow": {"reach": 200.0},
    "uplift": {"years": 20000.0, "uplift": 0.5, "deposition": 0.5},
    "slides": {"kind": "droplet", "drops_per_cell": 2.0, "slope_limit": 30.0, "creep": 0.01},
}
ODD = (
    -1e15,
    1e15,
    -1.0,
    0.5,
    1e300,
    -1e300,
    float("nan"),
    float("inf"),
    2**31,
    2**63,
    -(2**63),
    1e-320,
)
TEXTS = (
    None,
    True,
    "",
    "x" * 2000,
    [],
    {},
    [[]],
    {"kind": []},
    -1,
    0,
    1,
    1e308,
    10**400,
    [1, 2],
    "droplet",
    [{}],
)
WAIT = 500
"""Seconds."""


def started(kind, edges):
    """A run of two steps, of which the second is under way."""
    step = {"kind": kind, **STEPS[kind]}  # "coarse" and "slides" name their own
    recipe = Recipe.from_dict({"name": kind, "step": [{"kind": "talus", "reach": 20.0}, step]})
    terrain = Terrain(
        fractal(*SHAPE, relief=200.0), 10.0, {"surface_color": np.full((*SHAPE, 3), 0.5)}
    )
    masks = {"hardness": np.full(SHAPE, 0.3), "sediment": np.full(SHAPE, 0.5)}
    for number, progress in enumerate(simulate(terrain, recipe, seed=5, edges=edges, masks=masks)):
        if progress.number == 1 and 0 < progress.done < 1 and number > 2:
            break
    content = io.BytesIO()
    progress.checkpoint.write(content)
    return Checkpoint.read(io.BytesIO(content.getvalue()), kind), content.getvalue()


def broken_array(rng, array):
    """The array with a value, its shape or its kind of numbers changed."""
    how = rng.integers(6)
    if how == 0:
        return array.astype(rng.choice(["f4", "f8", "i8", "u1", "b1", ">f8", "i2"]))
    if how == 1:
        return np.zeros(rng.choice([0, 1, 3, 7, 200], rng.integers(0, 4)), array.dtype)
    if how == 2 and array.ndim:
        return np.repeat(array, 2, axis=rng.integers(array.ndim))
    if how == 3 and array.ndim:
        return np.moveaxis(array, 0, -1)
    broken = array.copy()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = np.array(rng.choice(ODD)).astype(array.dtype)
    if how == 4 or broken.ndim == 0 or not broken.size:
        broken[...] = value
    else:
        for _ in range(rng.integers(1, 4)):
            broken[tuple(rng.integers(broken.shape))] = value
    return broken


def places(values, path=()):
    """Where in tables and lists there is anything."""
    yield path
    for key in (
        values
        if isinstance(values, dict)
        else range(len(values))
        if isinstance(values, list)
        else ()
    ):
        yield from places(values[key], (*path, key))


def broken_values(rng, values):
    """The values with one of them exchanged, taken out, or put in."""
    broken = json.loads(json.dumps(values))
    path = list(places(broken))[1:]
    path = path[rng.integers(len(path))]
    holder = broken
    for key in path[:-1]:
        holder = holder[key]
    how = rng.integers(4)
    if how == 0:
        del holder[path[-1]]
    elif how == 1 and isinstance(holder, dict):
        holder["x"] = 1
    else:
        odd = (*TEXTS, *ODD)
        holder[path[-1]] = odd[rng.integers(len(odd))]
    return broken


def broken(rng, checkpoint):
    """A checkpoint with one thing wrong."""
    values = checkpoint.values
    arrays = dict(checkpoint.arrays)
    name = rng.choice(sorted(arrays))
    how = rng.integers(8)
    if how < 2:
        values = broken_values(rng, values)
    elif how == 2:
        arrays[f"{name}{rng.choice(['x', '/0', ''])}"] = (
            arrays.pop(name) if rng.random() < 0.7 else arrays[name]
        )
    else:
        if rng.random() < 0.3 and "step/_run/drops" in arrays:
            name = "step/_run/drops"
        arrays[name] = broken_array(rng, arrays[name])
    return Checkpoint(values, arrays)


def broken_bytes(rng, content):
    """The bytes of a file with some of them changed, or cut off."""
    changed = np.frombuffer(content, np.uint8).copy()
    changed[rng.integers(len(changed), size=rng.integers(1, 20))] = rng.integers(256)
    return changed.tobytes()[: rng.integers(len(changed)) if rng.random() < 0.2 else None]


def fate(given):
    """What becomes of a checkpoint, or of the bytes of one: "refused" or "ran", for a while or to
    its end.
    """
    faulthandler.dump_traceback_later(WAIT, exit=True)
    try:
        checkpoint = (
            Checkpoint.read(io.BytesIO(given), "The file") if isinstance(given, bytes) else given
        )
        for progress in itertools.islice(resume(checkpoint), 6):
            progress.terrain  # noqa: B018 - a look at it is what may fail
    except InputError as error:
        assert str(error).endswith("."), error
        return "refused"
    finally:
        faulthandler.cancel_dump_traceback_later()
    return "ran"


def main(seed, count):
    faulthandler.enable()
    warnings.simplefilter("ignore")
    state.CHUNK_SECONDS = 0.01
    rng = np.random.default_rng(seed)
    fates = Counter()
    for kind, edges in zip(STEPS, itertools.cycle(["wrap", "open", "closed"]), strict=False):
        checkpoint, content = started(kind, edges)
        assert fate(checkpoint) == "ran", kind
        for number in range(count):
            if number % 8 == 7:
                fates["bytes " + fate(broken_bytes(rng, content))] += 1
            else:
                fates[fate(broken(rng, checkpoint))] += 1
    print(dict(fates))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
