# SPDX-License-Identifier: GPL-3.0-or-later
"""Start states of steps, steps run to their end, and runs stopped on the way."""

import itertools

import numpy as np

from erosion_addon import Terrain, erode
from erosion_addon.processes.shared.state import State
from erosion_addon.run.checkpoint import Checkpoint
from erosion_addon.run.region.resuming import resume
from erosion_addon.run.simulation import simulate


def state(elevation, spacing=10.0, edges="closed", masks=None, **layers):
    """State on a terrain without sediment, unless `layers` give some."""
    terrain = Terrain(elevation, spacing)
    layers = {"sediment": np.zeros(terrain.shape), **layers}
    masks = {kind: np.asarray(mask, np.float32) for kind, mask in (masks or {}).items()}
    return State(terrain.elevation, layers, masks, terrain.spacing, edges)


def to_end(step):
    """Run a step to its end; returns it."""
    while step.advance() < 1.0:
        pass
    return step


def assert_goes_on(terrain, recipe, chunks):
    """A run that is stopped after some chunks and resumed leaves the bytes of a whole one on three
    threads.
    """
    whole = erode(terrain, recipe, seed=4, threads=3)
    *_, last = itertools.islice(simulate(terrain, recipe, seed=4), chunks)
    *_, end = resume(Checkpoint(last.checkpoint.values, last.checkpoint.arrays))
    assert end.terrain.report["sha256"] == whole.report["sha256"]
