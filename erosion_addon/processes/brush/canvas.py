# SPDX-License-Identifier: GPL-3.0-or-later
"""A terrain under the brush: each dab computes a window around itself and changes nothing beyond.

Between two strokes heights and loose layers are numbers of float32, as a mesh and its attributes
keep them. So a stroke has the same result on a mesh and in the middle of a run.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.arrays import LOOSE, Array, loose_of
from ...base.parameters import specifications
from ...terrain.fields import RISE
from ...terrain.limits import NO_LIMITS
from ..shared.process import Process
from ..shared.shares import shares_in_depth, under_grass
from ..shared.state import State, Step, Volumes
from .dabs import HEIGHT, SPREADING, Ground, blown, crept, raised, strewn
from .parameters import HOP, RUN_OUT, Stroke
from .window import Box, Window, distances, united, window_at

DROPS = {"rain": 0.4, "rills": 0.2}
"""Drops on each cell of the disc in a dab of full strength."""

CAPACITY = 5.0
"""Capacity of a drop of rain: half of the process's, as the rest of its load lies in a heap at the
end of its path.
"""

SLIDES = 24
"""Passes of talus in a dab."""

SOLID = 90.0
"""Slope (°) of rock under wind, which does not slide."""

FADE = {"rain": 6.907755278982137, "rills": 4.605170185988091}
"""Exponential loss of a drop's water along its path. A thousandth of rain is left at its end, and a
hundredth of the light drops of rills, so both have deposited their load.
"""


class Canvas:
    """The terrain of a state, of which it has copies of elevation and loose layers, changed in
    place.

    tools: the processes that dabs are made of, by kind. total: `Volumes` of all strokes so far.
    hardness: of the rock that lay bare when the stroke began, where layers of rock have one.
    """

    def __init__(self, state: State, tools: Mapping[str, Process]) -> None:
        self._state = under_grass(state)
        self._tools = tools
        self.elevation = _rounded_to_float32(state.elevation)
        self.loose_layers = {
            name: _rounded_to_float32(state.layers[name]) for name in LOOSE if name in state.layers
        }
        self.total = np.zeros(3)
        self._count_rounding(state.elevation)
        self.hardness = np.zeros(state.elevation.shape if state.hardness_changes else 0, np.float32)

    def begin(self) -> None:
        """Begin a stroke: look which layers of rock lie bare."""
        if self._state.hardness_changes:
            strata: Any = self._state.strata
            bare = self.elevation - loose_of(self.loose_layers) - self._state.layers.get(RISE, 0.0)
            hardness = strata.resistance(bare, self._state.spacing, self._state.threads)
            mask = self._state.masks.get("hardness", np.float32(0.0))
            self.hardness[...] = np.float32(1.0) - (np.float32(1.0) - mask) * (
                np.float32(1.0) - hardness
            )

    def dab(self, stroke: Stroke, number: int) -> Window | None:
        """Do the dab of this number; returns the window that it has changed, None where that is off
        the terrain.
        """
        x, y, pressure = stroke.dabs[number]
        state = self._state
        wraps = self._state.edges == "wrap"
        strength = stroke.strength * pressure
        reach = stroke.radius * RUN_OUT.get(stroke.kind, 1.0)
        rows, cols = state.elevation.shape
        window = window_at((y, x), reach, (rows, cols), state.spacing, wraps)
        if window is None or strength == 0.0:
            return None
        distance = distances(window, (y, x), state.spacing, wraps) / stroke.radius
        share = stroke.share(distance)
        if not share.any():
            return None
        part = self._part(window)
        self._do(stroke, number, strength, window, part, share, distance)
        return window

    def end(self, box: Box) -> None:
        """End a stroke that has changed no cell outside a box, see `Window.box`."""
        row, end_row, col, end_col = box
        inside = (slice(row, end_row), slice(col, end_col))
        before = self.elevation[inside].copy()
        for layer in (self.elevation, *self.loose_layers.values()):
            layer[inside] = _rounded_to_float32(layer[inside])
        self._count_rounding(before, inside)

    def _count_rounding(self, elevation: Array, inside: Any = ...) -> None:
        """Add the change by rounding to the totals. elevation: before it."""
        area = self._state.spacing[0] * self._state.spacing[1]
        self.total[2] += float((self.elevation[inside] - elevation).sum()) * area

    def _part(self, window: Window) -> State:
        """The current terrain in a window, as a separate terrain."""
        state = self._state
        masks = {kind: window.cut(mask) for kind, mask in state.masks.items()}
        if state.hardness_changes:
            masks["hardness"] = window.cut(self.hardness)
        part = replace(
            state,
            elevation=window.cut(self.elevation),
            layers={name: window.cut(layer) for name, layer in self.loose_layers.items()},
            masks=masks,
            # At the sides of a window that lie within the terrain nothing arrives.
            edges=state.edges if window.complete or state.edges != "wrap" else "closed",
            fixed=None if state.fixed is None else window.cut(state.fixed),
            strata=None,
            limits=NO_LIMITS,
        )
        return self._in_depth(part, window) if state.limits.depth else part

    def _in_depth(self, part: State, window: Window) -> State:
        """The same with less to do the nearer the ground is to its limits of depth."""
        start = replace(
            part, elevation=window.cut(self._state.elevation), limits=self._state.limits, masks={}
        )
        ground = Ground(part.elevation, part.loose(), Volumes(0.0, 0.0))
        left = shares_in_depth(start, ground)  # type: ignore[arg-type]
        both = left.filled("dug", part.elevation.shape) * left.filled("laid", part.elevation.shape)
        masks = {**part.masks, "strength": both * part.masks.get("strength", np.float32(1.0))}
        return replace(part, masks=masks)

    def _do(
        self,
        stroke: Stroke,
        number: int,
        strength: float,
        window: Window,
        part: State,
        share: Array,
        distance: Array,
    ) -> None:
        """Let the part change by a dab, and put it back."""
        sign = -1.0 if stroke.invert else 1.0
        key = (stroke.seed << 32) + number
        if stroke.kind in _BY_PROCESS:
            step = _BY_PROCESS[stroke.kind](
                self._tools, stroke, key, strength, part, share, distance
            )
            if step is None:
                return
            volumes, elevation, loose = _completed(step, part)
        else:
            if stroke.kind == "smooth":
                ground = crept(part, share, SPREADING * strength * stroke.radius * stroke.radius)
            elif stroke.kind == "wind":
                x, y = (HOP * stroke.radius * along for along in stroke.way(number))
                ground = blown(part, share, HEIGHT * strength * stroke.radius, (x, y))
            else:
                change = raised if stroke.kind == "raise" else strewn
                ground = change(part, share, sign * HEIGHT * strength * stroke.radius)
            volumes = ground.volumes
            elevation = ground.elevation
            loose = {**part.layers, **part.split_loose(ground.loose, name="sediment")}
            if stroke.kind == "wind":  # heaps that are too steep slide
                piled = replace(part, elevation=elevation, layers=loose)
                slid, elevation, loose = _completed(
                    _slides(self._tools, stroke, key, strength, piled, share, distance), piled
                )
                volumes = volumes.plus(slid)
        self.total += volumes
        window.put(self.elevation, elevation)
        for name, layer in self.loose_layers.items():
            window.put(layer, loose[name])


def _rounded_to_float32(values: Array) -> Array:
    """The nearest numbers of float32, as float64."""
    return np.asarray(values, np.float32).astype(np.float64)


def box_of(stroke: Stroke, state: State) -> Box | None:
    """The box that holds all that a stroke changes, see `Window.box`; None if it changes
    nothing.
    """
    reach = stroke.radius * RUN_OUT.get(stroke.kind, 1.0)
    wraps = state.edges == "wrap"
    shape: Any = state.elevation.shape
    windows = (window_at((y, x), reach, shape, state.spacing, wraps) for x, y, _ in stroke.dabs)
    return united([window.box for window in windows if window is not None])


def _holding(part: State, share: Array) -> State:
    """The part with a mask, 0-1, of how far a dab may dig."""
    mask = 1.0 - share * (1.0 - part.masks.get("held", np.float32(0.0)))
    return replace(part, masks={**part.masks, "held": np.asarray(mask, np.float32)})


def _within(part: State, share: Array) -> State:
    """The part with a mask, 0-1, of how far a dab may act."""
    strength = share * part.masks.get("strength", np.float32(1.0))
    return replace(part, masks={**part.masks, "strength": np.asarray(strength, np.float32)})


def _drops(
    tools: Mapping[str, Process],
    stroke: Stroke,
    key: int,
    strength: float,
    part: State,
    share: Array,
    distance: Array,
) -> Step | None:
    """Drops that fall on the disc, run for as long as its radius at most, and end within the
    window.
    """
    cells = stroke.radius / part.cell_size
    steps = max(1, int(cells))
    size = part.elevation.size
    rain = np.asarray(share * part.masks.get("rain", np.float32(1.0)), np.float32)
    part = _holding(part, np.clip(2.0 * (1.5 - distance), 0.0, 1.0))
    part = replace(part, masks={**part.masks, "rain": rain})
    values: dict[str, Any] = {
        "drops_per_cell": min(strength * DROPS[stroke.kind] * float(share.sum()) / size, 1000.0),
        "maximum_path": min(max(steps / max(part.elevation.shape), 0.01), 100.0),
    }
    if not rain.any():
        return None
    fade = FADE[stroke.kind]
    if stroke.kind == "rain":
        values |= {
            "evaporation": min(fade / steps, 0.5),
            "deposition_rate": 0.1,
            "capacity": CAPACITY,
        }
        return _step(tools["droplet"], part, values, key)
    # As the process's defaults on a disc of 100 m, so that rills look alike on land of any size.
    lengths = {"evaporation": fade, "gravity": 1.0, "friction": 0.5}
    values |= {name: min(value / stroke.radius, 1000.0) for name, value in lengths.items()}
    values |= {"form": "capacity", "capacity": stroke.radius}
    return _step(tools["rill"], part, values, key)


def _completed(step: Step, part: State) -> tuple[Volumes, Array, dict[str, Array]]:
    """A step run to its end on a part: volumes, elevation and loose layers."""
    while step.advance() < 1.0:
        pass
    volumes = step.volumes()
    layers = step.release()
    return (
        volumes,
        layers["elevation"],
        {name: layers.get(name, part.layers[name]) for name in part.layers},
    )


def _slides(
    tools: Mapping[str, Process],
    stroke: Stroke,
    key: int,
    strength: float,
    part: State,
    share: Array,
    distance: Array,
) -> Step:
    """A few passes of talus, within the disc."""
    row, col = part.spacing
    reach = np.sqrt(SLIDES / (8 * (1 / (row * row) + 1 / (col * col))))
    rock = SOLID if stroke.kind == "wind" else stroke.angle
    # which is less on the largest cells
    farthest = specifications(tools["talus"].parameters)["reach"].high
    values = {
        "sediment_angle": stroke.angle,
        "rock_angle": rock,
        "collapse": 0.5,
        "reach": min(float(reach), farthest),
    }
    return _step(tools["talus"], _within(part, share * strength), values, key)


def _step(process: Process, part: State, values: dict[str, Any], key: int) -> Step:
    return process.step(part, process.parameters.from_dict(values), key)


_BY_PROCESS = {"rain": _drops, "rills": _drops, "talus": _slides}
"""Kind of stroke → factory of the step of a dab."""
