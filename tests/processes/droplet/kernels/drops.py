# SPDX-License-Identifier: GPL-3.0-or-later
"""Droplet kernel and plain reference behind the same calls."""

import itertools
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from erosion_addon.base.kernels import ghost_cells
from erosion_addon.processes.droplet.kernels import droplet
from erosion_addon.processes.shared.kernels.mask_layers import DUG, LAID, SOFT
from tests.base.kernels.one_tile import ALL, OneTile
from tests.processes.droplet.kernels import reference
from tests.processes.droplet.kernels.reference import Rules

EDGES = {"open": ghost_cells.OPEN, "closed": ghost_cells.CLOSED, "wrap": ghost_cells.WRAP}


@dataclass
class Scene:
    """A ground in cells, what may lie over it, and where the drops start (None: anywhere; else
    weights of cells).
    """

    height: np.ndarray
    loose: np.ndarray | None = None
    strength: np.ndarray | None = None
    hardness: np.ndarray | None = None
    color: np.ndarray | None = None
    rain: np.ndarray | None = None


def at(row, col, shape):
    """Rain on one cell alone."""
    rain = np.zeros(shape)
    rain[row, col] = 1.0
    return rain


def constants_of(rules):
    """Constants of the kernel."""
    return droplet.Constants(
        float(rules.Kq),
        float(rules.Kw),
        float(rules.Kr),
        float(rules.Kd),
        float(rules.Ki),
        float(rules.minSlope),
        float(rules.g),
        rules.max_path_len,
        rules.brush,
        rules.sine,
        float(rules.color_depth),
        EDGES[rules.edges],
        float(rules.row_step),
        float(rules.col_step),
        deposit_limit=float(rules.cap),
        quarters=rules.quarters,
    )


def by_kernel(scene, rules, drops, first=0, key=1, side=ALL):
    """Run the drops from `first` to before `drops`. side: cells along a tile."""
    ground = np.stack(
        [scene.height, np.zeros_like(scene.height) if scene.loose is None else scene.loose], -1
    )
    ground = np.ascontiguousarray(ground, np.float64)
    flow = np.zeros(scene.height.shape, np.float32)
    color = None if scene.color is None else scene.color.astype(np.float32)
    masks = None
    if scene.strength is not None or scene.hardness is not None:
        masks = np.ones((*scene.height.shape, 4), np.float32)
        masks[..., DUG] = masks[..., LAID] = 1 if scene.strength is None else scene.strength
        masks[..., SOFT] = 1 if scene.hardness is None else 1 - scene.hardness
    constants = constants_of(rules)
    tile = OneTile(droplet, scene.height.shape, EDGES[rules.edges], side)
    started = _cumulated(scene), np.uint64(key), first, drops, np.zeros(0, np.int64), rules.anywhere
    totals = tile.run(started, (ground, flow, color, masks, constants))
    return SimpleNamespace(
        height=ground[..., 0],
        loose=ground[..., 1],
        flow=flow,
        color=color,
        eroded=totals.eroded.sum(),
        exported=totals.exported.sum(),
        moves=int(totals.steps.sum()),
        long_paths=int(totals.paths_cut.sum()),
        random_directions=int(totals.random_directions.sum()),
    )


def by_reference(scene, rules, drops, first=0, key=1):
    """The same in plain Python; also the `path` of the drop that started last."""
    rows, cols = scene.height.shape
    loose = np.zeros((rows, cols)) if scene.loose is None else scene.loose
    masked = scene.strength is not None or scene.hardness is not None
    strength = np.ones((rows, cols)) if masked and scene.strength is None else scene.strength
    softness = None if scene.hardness is None else 1 - scene.hardness
    ground = reference.Ground(
        scene.height.tolist(),
        loose.tolist(),
        *(None if array is None else array.tolist() for array in (strength, softness, scene.color)),
    )
    sums = _cumulated(scene)

    def begun():
        for drop in range(first, drops):
            draw = map(
                reference.uniform, itertools.repeat(key), itertools.repeat(drop), itertools.count()
            ).__next__
            chance = draw()
            even = int(chance * rows * cols)
            cell = even if sums is None else next(i for i, sum_ in enumerate(sums) if sum_ > chance)
            run = reference.run_drop(
                ground, rules, _place(rules, divmod(cell, cols), (rows, cols), draw), draw
            )
            next(run)
            yield run

    waiting = begun()
    pair = [next(waiting, None), next(waiting, None)]  # the kernel lets two run, step by step
    while any(pair):
        for place, run in enumerate(pair):
            if run and next(run, "over") == "over":
                pair[place] = next(waiting, None)
    for name in ("height", "loose", "flow", "color"):
        setattr(
            ground, name, None if getattr(ground, name) is None else np.array(getattr(ground, name))
        )
    return ground


def _place(rules, cell, shape, draw):
    """Where a drop starts."""
    if not rules.anywhere:
        return cell
    places = [at + draw() - 0.5 for at in cell]
    if rules.edges == "wrap":
        return [place % count for place, count in zip(places, shape, strict=True)]
    return [min(max(place, 0.0), count - 1) for place, count in zip(places, shape, strict=True)]


def _cumulated(scene):
    return None if scene.rain is None else np.cumsum(scene.rain.ravel() / scene.rain.sum())


__all__ = ["EDGES", "Rules", "Scene", "at", "by_kernel", "by_reference", "constants_of"]
