# SPDX-License-Identifier: GPL-3.0-or-later
"""Strokes of the brush as they are painted: a terrain is sent once, then dabs, and each answer
holds the changes.

The bytes are those of the step `brush` of a recipe, however the dabs are divided into portions.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.threads import granted
from ..processes.brush.canvas import Canvas
from ..processes.brush.parameters import Stroke
from ..processes.brush.window import Box, united
from ..processes.registry import PROCESSES
from ..processes.shared.shares import protected_soil
from ..processes.shared.state import State
from ..terrain.masks import MASK_KINDS, prepare
from ..terrain.strata import Strata
from ..terrain.terrain import Terrain
from .messages import MASK_PREFIX


class Painting:
    """A terrain under the brush. values: spacing, edges, threads, and strata as a table or None;
    arrays: elevation, fields and masks, as of a run. Raises InputError if they are invalid.
    """

    def __init__(self, values: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
        fields = {name: array for name, array in arrays.items() if not name.startswith(MASK_PREFIX)}
        terrain = Terrain(fields.pop("elevation"), tuple(values["spacing"]), fields)
        settings = {
            kind: arrays[MASK_PREFIX + kind] for kind in MASK_KINDS if MASK_PREFIX + kind in arrays
        }
        masks, _ = prepare(settings, terrain.shape)
        sediment = masks.get("sediment", terrain.fields.get("sediment", np.zeros(terrain.shape)))
        layers = {**terrain.fields, "sediment": np.asarray(sediment, dtype=np.float64)}
        strata = Strata.from_dict(values["strata"]) if values["strata"] else None
        fixed = protected_soil(layers, masks)
        edges = values["edges"]
        self._state = State(
            terrain.elevation,
            layers,
            masks,
            terrain.spacing,
            edges,
            granted(values["threads"]),
            fixed,
            strata,
        )
        process: Any = PROCESSES["brush"].step
        self._canvas = Canvas(self._state, process.tools)
        self._stroke: Stroke | None = None
        self._box: Box | None = None

    def begin(self, table: dict[str, Any]) -> None:
        """Begin a stroke, given without its dabs."""
        self._stroke = Stroke.from_dict(table)
        self._box = None
        self._canvas.begin()

    def dab(self, dabs: list[list[float]]) -> tuple[Box | None, dict[str, Array]]:
        """Continue the stroke; returns the box that has changed, and the heights in it."""
        if self._stroke is None:
            raise InputError("The brush stroke was never started; paint it again.")
        count = len(self._stroke.dabs)
        self._stroke = replace(
            self._stroke, dabs=(*self._stroke.dabs, *(tuple(dab) for dab in dabs))
        )
        windows = [
            self._canvas.dab(self._stroke, number) for number in range(count, count + len(dabs))
        ]
        box = united([window.box for window in windows if window is not None])
        self._box = united([area for area in (self._box, box) if area is not None])
        return box, {} if box is None else {"elevation": _part(self._canvas.elevation, box)}

    def end(self) -> tuple[Box | None, dict[str, Array]]:
        """End the stroke; returns the box that has changed in all of it, and heights and loose
        layers in it.
        """
        box = self._box
        self._stroke = None
        if box is None:
            return None, {}
        self._canvas.end(box)
        layers = {"elevation": self._canvas.elevation, **self._canvas.loose_layers}
        return box, {name: _part(layer, box) for name, layer in layers.items()}


def _part(layer: Array, box: Box) -> Array:
    row, end_row, col, end_col = box
    return layer[row:end_row, col:end_col].astype(np.float32)
