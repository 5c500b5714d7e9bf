# SPDX-License-Identifier: GPL-3.0-or-later
"""Reason why a stroke of the brush changes nothing."""

import math
from collections.abc import Mapping

import bpy
import numpy as np

from ...base.arrays import Array
from ...base.errors import Sentence
from ...grid.stencils import steepest
from ...processes.brush.parameters import RUN_OUT, Stroke
from ...terrain.masks import MASK_KINDS
from ..terrain import obstacle
from .ground import Ground

ON_SLOPES = ("rain", "rills", "smooth")
"""Kinds that do nothing on level ground."""

HOLDING = {"strength": 0.0, "plot": 1.0, "rain": 0.0}
"""Masks that prevent a stroke at this value; rain only strokes of rain."""


def why_still(
    obj: bpy.types.Object, ground: Ground, stroke: Stroke, masks: Mapping[str, Array]
) -> str:
    """Reason in a sentence; `masks` as for the stroke."""
    inside = _under(ground, stroke)
    if inside is None:
        return Sentence("The stroke lies beside {name}.").format(name=obj.name)
    if stroke.strength * max(pressure for _, _, pressure in stroke.dabs) == 0:
        return Sentence("The strength of the stroke is 0; raise the brush's strength.")
    for kind, value in HOLDING.items():
        holds = kind != "rain" or stroke.kind in ("rain", "rills")
        if holds and kind in masks and np.all(masks[kind][inside] == np.float32(value)):
            label = MASK_KINDS[kind].label
            return Sentence("The mask {label} prevents all changes there.").format(label=label)
    reason = _of_land(ground, stroke, inside)
    if names := obstacle.shapers(obj):
        return Sentence(
            "{reason} The brush paints on the mesh below the modifiers, and {names} acts on top of "
            "it."
        ).format(reason=reason, names=names)
    return reason


def _of_land(ground: Ground, stroke: Stroke, inside: tuple[slice, slice]) -> str:
    slope = steepest(ground.elevation[inside].astype(np.float64), ground.lattice.spacing)
    if stroke.kind == "talus" and slope <= stroke.angle:
        return Sentence(
            "No slope there is steeper than {slope}°, and the brush leaves {angle:.0f}°; lower its "
            "angle."
        ).format(slope=math.ceil(slope), angle=stroke.angle)
    if stroke.kind in ON_SLOPES and slope == 0:
        return Sentence("The ground there is level, so that nothing runs down it.")
    takes = stroke.kind == "wind" or (stroke.kind == "sand" and stroke.invert)
    if takes and not any(layer[inside].any() for layer in ground.loose_layers.values()):
        return Sentence("No loose material lies there.")
    return Sentence("The stroke changes nothing there.")


def _under(ground: Ground, stroke: Stroke) -> tuple[slice, slice] | None:
    """Rows and columns that the stroke may change; None beside the terrain."""
    reach = stroke.radius * RUN_OUT.get(stroke.kind, 1.0)
    places = np.array([(y, x) for x, y, _ in stroke.dabs]).reshape(-1, 2)
    low = np.floor((places.min(0) - reach) / ground.lattice.spacing).astype(int)
    high = np.ceil((places.max(0) + reach) / ground.lattice.spacing).astype(int) + 1
    rows, cols = (
        slice(max(first, 0), min(last, side))
        for first, last, side in zip(low, high, ground.elevation.shape, strict=True)
    )
    return (rows, cols) if rows.start < rows.stop and cols.start < cols.stop else None
