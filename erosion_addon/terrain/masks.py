# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks: strength of erosion, rock hardness, rain, loose sediment."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError, Sentence
from ..grid.distance_transform import distance_to
from ..grid.sampling import bilinear


class MaskKind(NamedTuple):
    """One kind of mask.

    highest: its maximum; the minimum is 0. unpainted: neutral initial value. label and tooltip are
    for artists.
    """

    highest: float
    meaning: str
    label: str
    unpainted: float
    tooltip: str
    unit: str = ""


def _area(letter: str) -> MaskKind:
    return MaskKind(
        1.0,
        "factor of the parameters that use it, from 0 to 1",
        f"Area {letter}",
        1.0,
        (
            "Factor of the parameters that use it under Parameter Masks: at 0 they are 0, at 1 "
            "they keep their full value"
        ),
    )


MASK_KINDS: dict[str, MaskKind] = {
    "strength": MaskKind(
        1.0,
        "where erosion may act: 0 nowhere, 1 fully",
        "Strength",
        1.0,
        "Strength of erosion: full at 1, gentler at lower values. 0 leaves the terrain unchanged",
    ),
    "hardness": MaskKind(
        1.0,
        "resistance of the rock: 0 none, 1 never wears",
        "Hardness",
        0.0,
        "Hardness of the rock: higher values stand longer, as ridges, steps and walls in softer "
        "rock. At 1 it never wears",
    ),
    "rain": MaskKind(
        1e9,
        "rain relative to elsewhere",
        "Rain",
        1.0,
        "Where it rains: twice as much on 2 as on 1, none on 0. Rivers start where it rains; the "
        "rain as a whole stays the same",
    ),
    "sediment": MaskKind(
        1e9,
        "thickness of loose sediment at the start, in meters",
        "Sediment",
        0.0,
        "Thickness of loose sand or gravel at the start: higher values leave more for water and "
        "wind to carry off before they reach the rock",
        "m",
    ),
    "source": MaskKind(
        1e9,
        "supply of wind-blown sand relative to elsewhere",
        "Sand Supply",
        0.0,
        "Supply of wind-blown sand, such as a beach: more sand starts where values are higher. "
        "Without this mask it enters over the windward edge",
    ),
    "protect": MaskKind(
        1.0,
        "ground that is not eroded: 1 keeps its rock and soil; loose sediment comes and goes",
        "Protection",
        0.0,
        "Ground that is not eroded, such as a road: higher values wear less rock and soil. Loose "
        "sediment is deposited there and carried on as elsewhere",
    ),
    "plot": MaskKind(
        1.0,
        "ground that keeps its height: at 1 nothing is eroded or deposited",
        "Building Plot",
        0.0,
        "Ground that keeps its height, such as a building plot: at 1 nothing is eroded or "
        "deposited. Water, wind and their load pass over it; slides onto it are cleared away and "
        "count as exported",
    ),
    "uplift": MaskKind(
        1e9,
        "how fast the land rises, relative to elsewhere",
        "Uplift",
        1.0,
        (
            "How fast the land rises: twice as fast on 2 as on 1, not at all on 0. Mountains grow "
            "where it is painted"
        ),
    ),
    "outlet": MaskKind(
        1.0,
        "where water leaves the land, as at open edges: from 0.5 on; the ground stands there",
        "Outlets",
        0.0,
        "Where rivers leave the land, such as a gate in closed edges, a coast or a sinkhole: "
        "from 0.5 on. The ground keeps its height there, and rivers cut down to it",
    ),
    "area_a": _area("A"),
    "area_b": _area("B"),
    "area_c": _area("C"),
}
"""All mask kinds by name."""

GRASS_PROTECTION = 0.8
"""Share of all erosion that full grass prevents."""

AREAS = ("area_a", "area_b", "area_c")
"""Masks that only scale the parameters that a step assigns to them."""

FACTOR_FIELDS = ("moisture", "grass", "wind_path", "sky_light", "sun_light")
"""Fields from 0 to 1 that may also scale parameters; they are read when the step begins."""

FACTORS = {
    "none": "Nothing scales it",
    **{
        area: f"The mask {MASK_KINDS[area].label}: 0 where that is 0, the whole value where it is 1"
        for area in AREAS
    },
    **{name: f"The map {name}, as it is when the step begins" for name in FACTOR_FIELDS},
}
"""Possible scale factors of a parameter, each in half a sentence."""


def prepare(
    masks: Mapping[str, Any] | None, shape: tuple[int, int]
) -> tuple[dict[str, Array], list[Sentence]]:
    """Validated float32 masks of `shape` (rows, cols), and a note for each resampled one.

    Raises InputError for an unknown kind, a wrong shape, and values that are not finite or out of
    range.
    """
    prepared: dict[str, Array] = {}
    notes: list[Sentence] = []
    for kind, values in (masks or {}).items():
        if kind not in MASK_KINDS:
            raise InputError("There is no mask {kind}; choose one of {mask_kinds}.").format(
                kind=kind, mask_kinds=", ".join(MASK_KINDS)
            )
        highest = MASK_KINDS[kind].highest
        meaning = MASK_KINDS[kind].meaning
        try:
            with np.errstate(over="ignore"):
                array = np.asarray(values, dtype=np.float32)
        except (TypeError, ValueError):
            raise InputError("The {kind} mask is not a rectangle of numbers.").format(
                kind=kind
            ) from None
        if array.ndim != 2 or array.size == 0:
            raise InputError(
                "The {kind} mask has the shape {shape}; it must have rows and columns."
            ).format(kind=kind, shape=array.shape)
        bad = ~((array >= 0) & (array <= highest))  # NaN fails too
        if bad.any():
            row, col = np.argwhere(bad)[0]
            raise InputError(
                "The {kind} mask ({meaning}) must be from 0 to {highest:g}; at row {row}, column "
                "{col} it is {array:g}."
            ).format(
                kind=kind, meaning=meaning, highest=highest, row=row, col=col, array=array[row, col]
            )
        if array.shape != shape:
            notes.append(
                Sentence("The {kind} mask was resampled from {size} to {new_size}.").format(
                    kind=kind,
                    size=f"{array.shape[0]} × {array.shape[1]}",
                    new_size=f"{shape[0]} × {shape[1]}",
                )
            )
            array = bilinear(array, shape)
        if kind == "rain" and not array.any():
            raise InputError(
                "The rain mask is zero everywhere, so no drop can fall; paint rain somewhere."
            )
        prepared[kind] = array
    return prepared, notes


def inverted(mask: Array, kind: str) -> Array:
    """Inverted mask: 1 becomes 0. Where values above 1 are allowed, the largest present value
    becomes 0.
    """
    highest = 1.0 if MASK_KINDS[kind].highest == 1.0 else max(1.0, float(mask.max()))
    turned: Array = np.float32(highest) - mask
    return turned


def fitted(mask: Array, kind: str, fit: str) -> Array:
    """Mask whose values out of range are kept ("exact"), cut off ("clamp"), or stretched to 0-1
    ("stretch").

    The run refuses kept ones, and values that are not numbers, which always stay.
    """
    if fit == "clamp":
        return mask.clip(0.0, MASK_KINDS[kind].highest).astype(np.float32)
    if fit == "stretch" and np.isfinite(mask).all():
        low = float(mask.min())
        high = float(mask.max())
        return ((mask.astype(np.float64) - low) / ((high - low) or 1.0)).astype(np.float32)
    return mask


def softened(mask: Array, spacing: tuple[float, float], border: float) -> Array:
    """Mask with a soft border: a rise over `border` meters from cells of 0 to its own values.

    The rise is 3 t² - 2 t³, so neither end shows as a crease. The edge of the terrain is no border.
    mask: (rows, cols) float32. spacing: (row, col) m. Zeros stay.
    """
    # so what is no mask (below 0, not a number) stays in it, for the run to refuse
    inside = mask != 0
    if border <= 0 or not inside.any() or inside.all():
        return mask
    # Beyond a frame of one cell around all that is inside, nothing can be nearer than that frame.
    part = tuple(
        slice(max(int(np.argmax(line)) - 1, 0), len(line) - max(int(np.argmax(line[::-1])) - 1, 0))
        for line in (inside.any(axis=1), inside.any(axis=0))
    )
    share = distance_to(~inside[part], spacing, border)
    share /= np.float32(border)
    share *= share * (np.float32(3) - np.float32(2) * share)
    soft = np.zeros_like(mask)
    soft[part] = mask[part] * share
    return soft
