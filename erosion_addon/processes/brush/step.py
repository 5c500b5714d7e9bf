# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush step: painted strokes, replayed dab by dab."""

import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from ...base.arrays import Array
from ..shared.process import Process
from ..shared.state import State, Step, Volumes, chunk_end
from .canvas import Canvas, box_of
from .parameters import BrushParameters


class BrushStep(Step):
    """Strokes under way on `state`, made of the processes `tools`: `advance` it until it returns
    1.
    """

    bytes_per_cell = 8 + 8 + 8 + 8
    """Working memory beyond terrain and result: elevation, loose layers, and copies of the cells a
    stroke changed.
    """

    evolving = ("_elevation", "_loose", "_total", "_hardness", "_done")

    def __init__(
        self, state: State, parameters: BrushParameters, key: int, tools: Mapping[str, Process]
    ) -> None:
        faded = (
            replace(stroke, strength=stroke.strength * parameters.strength)
            for stroke in parameters.strokes
        )
        self._state = state
        self._strokes = [stroke for stroke in faded if stroke.dabs]
        self._canvas = Canvas(state, tools)
        self._start = (
            self._canvas.elevation.copy(),
            [layer.copy() for layer in self._canvas.loose_layers.values()],
        )
        self._elevation = self._canvas.elevation
        self._loose = tuple(self._canvas.loose_layers.values())
        self._total = self._canvas.total
        self._hardness = self._canvas.hardness
        self._done = 0
        self._ends = [*accumulate(len(stroke.dabs) for stroke in self._strokes)]
        self.limits = {"_hardness": (0, 1), "_done": (0, self._all)}

    @property
    def _all(self) -> int:
        return self._ends[-1] if self._ends else 0

    def advance(self) -> float:
        """Do some dabs; returns the share done."""
        until = chunk_end()
        while self._done < self._all:
            self._dab()
            if time.perf_counter() >= until:
                break
        return self._done / self._all if self._done < self._all else 1.0

    def _dab(self) -> None:
        place = int(np.searchsorted(self._ends, self._done, side="right"))
        stroke = self._strokes[place]
        number = self._done - (self._ends[place - 1] if place else 0)
        if number == 0:
            self._canvas.begin()
        self._canvas.dab(stroke, number)
        self._done += 1
        if number == len(stroke.dabs) - 1 and (box := box_of(stroke, self._state)) is not None:
            self._canvas.end(box)

    def layers(self) -> dict[str, Array]:
        state = self._state
        elevation, loose = self._start
        changes = {"elevation": _changed(state.elevation, elevation, self._elevation)}
        for name, start, current in zip(self._canvas.loose_layers, loose, self._loose, strict=True):
            changes[name] = _changed(np.asarray(state.layers[name], np.float64), start, current)
        return changes

    def volumes(self) -> Volumes:
        sum_moved, exported, added = (float(total) for total in self._total)
        # Where nothing was painted the terrain keeps every bit, so what rounding added there does
        # not count.
        untouched = self._elevation == self._start[0]
        area = self._state.spacing[0] * self._state.spacing[1]
        return Volumes(
            sum_moved,
            exported,
            added - float((self._start[0] - self._state.elevation)[untouched].sum()) * area,
        )

    def counts(self, seconds: float) -> dict[str, Any]:
        return {
            "strokes": int(np.searchsorted(self._ends, self._done, side="right")),
            "dabs": self._done,
        }


class BrushSteps:
    """Maker of brush steps. tools: the processes that strokes are made of, by kind."""

    bytes_per_cell = BrushStep.bytes_per_cell
    lone = BrushStep.lone

    def __init__(self, tools: Mapping[str, Process]) -> None:
        self.tools = tools

    def __call__(self, state: State, parameters: Any, key: int) -> Step:
        """A step on `state`. The key is not used: each stroke has its seed, and stays the same at
        another place.
        """
        return BrushStep(state, parameters, key, self.tools)


def _changed(before: Array, start: Array, current: Array) -> Array:
    """Current values; cells unchanged since the start keep every bit of the values before."""
    return np.where(current == start, before, current)
