# SPDX-License-Identifier: GPL-3.0-or-later
"""Strata: rock layers of different colors and hardness, exposed by erosion."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import Array, loose_of
from ..base.data_files import linear_color, read, shipped, tables
from ..base.errors import InputError
from ..base.kernels.elementary import sincos, tan
from ..base.parameters import Parameters, parameter
from ..base.threads import in_bands
from ..grid.resample import interpolated
from .fields import RISE

MOST_LAYERS = 64
COVER = 0.5
"""Meters of sediment that hide half of the rock's color, and of worn rock that expose half of
it.
"""

_WAVES = ((1.0, 0.31, 1.0), (1.7, 1.83, 0.45), (2.9, 4.02, 0.2))
"""Waves of the undulation: (frequency, direction in radians, height), without a common period."""


class _Layer(Parameters):
    """One layer."""

    thickness: float = parameter(
        10.0, "Thickness of the layer.", low=0.01, high=1e6, unit="m", width_power=1
    )
    hardness: float = parameter(
        0.0, "Resistance of the rock to erosion: 0 none, 1 complete.", low=0, high=1
    )


class _Bedding(Parameters):
    """Orientation and undulation of the layers."""

    dip: float = parameter(0.0, "Slope of the layers.", low=0, high=89, unit="°")
    dip_direction: float = parameter(
        270.0,
        "Direction in which the layers dip: 0 along x, 90 along y.",
        low=-360,
        high=360,
        unit="°",
    )
    undulation: float = parameter(
        0.0, "Height of the waves of the layers.", low=0, high=1e6, unit="m", width_power=1
    )
    wavelength: float = parameter(
        1000.0, "Length of these waves.", low=1e-3, high=1e9, unit="m", width_power=1
    )
    blend: float = parameter(
        0.0,
        "Height over which one layer passes into the next.",
        low=0,
        high=1e6,
        unit="m",
        width_power=1,
    )


_LEVEL = _Bedding()


@dataclass(frozen=True)
class Strata:
    """Repeating sequence of layers, bottom to top; the first begins at elevation 0 in the middle of
    the terrain. They rise with the land.

    layers: (thickness in meters, color "#rrggbb" in sRGB). hardness: of each layer, 0-1; empty for
    0 everywhere. middle: (row, col) m from the middle of the whole land to the middle of the
    terrain, for a part of a land.
    """

    name: str
    layers: tuple[tuple[float, str], ...]
    description: str = ""
    bedding: _Bedding = _LEVEL
    hardness: tuple[float, ...] = ()
    middle: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def load(cls, name: str | Path) -> "Strata":
        """Shipped strata by name, or strata from a file by its path (ending in .toml)."""
        if isinstance(name, str) and not name.lower().endswith(".toml"):
            path = shipped("strata").get(name)
            if path is None:
                raise InputError("There are no strata {name:.80}; choose one of {strata}.").format(
                    name=repr(name), strata=", ".join(shipped("strata"))
                )
        else:
            path = Path(name)
        table = tables(read(path, "file of strata"), str(path), "file of strata")
        try:
            return cls.from_dict(table)
        except InputError as error:
            raise InputError("{path}: {error}").format(path=path, error=error) from None

    @classmethod
    def from_dict(cls, table: dict[str, Any]) -> "Strata":
        """Strata from plain tables, as in TOML or JSON; InputError for unknown keys or values out
        of range.
        """
        values = dict(table)
        name = values.pop("name", "")
        description = values.pop("description", "")
        for key, text in (("name", name), ("description", description)):
            if (
                not isinstance(text, str)
                or len(text) > 1000
                or (key == "name" and not text.strip())
            ):
                raise InputError(
                    "{key} must be text of at most 1000 characters, not {text:.60}."
                ).format(key=key, text=repr(text))
        layers = values.pop("layer", [])
        if not isinstance(layers, list) or not all(isinstance(layer, dict) for layer in layers):
            raise InputError("layer must be written as [[layer]] tables.")
        if not 1 <= len(layers) <= MOST_LAYERS:
            raise InputError("Strata need from 1 to {most} layers; these have {count}.").format(
                most=MOST_LAYERS, count=len(layers)
            )
        checked = [_layer(number, layer) for number, layer in enumerate(layers, 1)]
        bedding = _Bedding.from_dict(values)
        hardness = tuple(layer.hardness for layer, _ in checked)
        colored = tuple((layer.thickness, color) for layer, color in checked)
        return cls(name, colored, description, bedding, hardness if any(hardness) else ())

    def scaled(self, ratio: float) -> "Strata":
        """Strata for land of `ratio` times the width."""
        layers = tuple(
            (_Layer(thickness).scaled(ratio).thickness, color) for thickness, color in self.layers
        )
        return replace(self, layers=layers, bedding=self.bedding.scaled(ratio))

    def to_dict(self) -> dict[str, Any]:
        """Plain tables, the inverse of `from_dict`; a part of a land keeps its place to itself."""
        hard_layers = [{"hardness": hardness} for hardness in self.hardness] or [{}] * len(
            self.layers
        )
        return {
            "name": self.name,
            "description": self.description,
            **self.bedding.to_dict(),
            "layer": [
                {"thickness": thickness, "color": color, **hard}
                for (thickness, color), hard in zip(self.layers, hard_layers, strict=True)
            ],
        }

    def colors(self, elevation: Array, spacing: tuple[float, float]) -> Array:
        """Linear colors of the rock at elevations (rows, cols) in meters: (rows, cols, 3) float32.

        spacing: (row, col) meters.
        """
        # Each color is the mean over the height of the blend, or over the height span of the cell
        # if that is larger, so that thin layers do not alias on slopes: a difference of the colors'
        # integral.
        height = elevation + self._rise(elevation.shape, spacing)
        down, right = (np.abs(fall) for fall in np.gradient(height))
        tops = np.cumsum([0.0, *(thickness for thickness, _ in self.layers)])
        colors = np.array([linear_color("color", color) for _, color in self.layers], np.float32)
        half = np.maximum(np.maximum(down, right), max(self.bedding.blend, 1e-6 * tops[-1])) / 2
        result = np.empty((*elevation.shape, 3), np.float32)
        places = [np.divmod(height + side, tops[-1]) for side in (half, -half)]
        for channel in range(3):
            integral = np.cumsum([0.0, *(np.diff(tops) * colors[:, channel])])
            above, below = (
                round_ * integral[-1] + interpolated(place, tops, integral)
                for round_, place in places
            )
            result[..., channel] = (above - below) / (2 * half)
        return np.clip(result, colors.min(axis=0), colors.max(axis=0), out=result)

    def resistance(self, rock: Array, spacing: tuple[float, float], threads: int = 1) -> Array:
        """Hardness of the layers at the top of the rock, (rows, cols) float32 0-1, averaged like
        colors.

        rock: (rows, cols) m; spacing: (row, col) m.
        """
        from .kernels import beds

        rock = np.ascontiguousarray(rock, np.float64)
        tops = np.cumsum([0.0, *(thickness for thickness, _ in self.layers)])
        hardness = np.array(self.hardness)
        result = np.empty(rock.shape, np.float32)
        integral = np.cumsum([0.0, *(np.diff(tops) * hardness)])
        offsets = self._offsets(rock.shape, spacing)
        layers = beds.Layers(tops, hardness, integral, self.bedding.blend / 2)
        in_bands(
            lambda first, last: beds.resistance(rock, offsets, layers, first, last, result),
            len(rock),
            threads,
        )
        return result

    def brought_to_light(
        self, fields: dict[str, Array], spacing: tuple[float, float], carried: bool
    ) -> Array:
        """Surface colors after erosion, (rows, cols, 3): the previous ones, and the rock's where it
        is worn and bare.

        fields: `surface_color`, and `elevation`, `wear`, `deposition`, `sediment` in meters, and
        `soil` and `uplift` if present. carried: whether deposits brought their colors; otherwise
        they get the mean of all layers.
        """
        color = fields["surface_color"]
        worn = fields["wear"]
        cover = np.maximum(loose_of(fields), 0.0)
        if not carried:
            thickness = [layer[0] for layer in self.layers]
            mean = np.average(
                [linear_color("color", layer[1]) for layer in self.layers],
                axis=0,
                weights=thickness,
            )
            color = color + _share(fields["deposition"]) * (mean - color)
        rock = self.colors(fields["elevation"] - cover - fields.get(RISE, 0.0), spacing)
        return np.asarray(color + _share(worn) * (1 - _share(cover)) * (rock - color), np.float32)

    def _rise(self, shape: tuple[int, ...], spacing: tuple[float, float]) -> Array:
        """Vertical offset of the layers at each cell relative to the middle, (rows, cols) m,
        positive downward.
        """
        terms = (
            row[:, np.newaxis] * col
            for row, col in zip(*self._offsets(shape, spacing), strict=True)
        )
        return np.asarray(sum(terms))

    def _offsets(self, shape: tuple[int, ...], spacing: tuple[float, float]) -> tuple[Array, Array]:
        """Factors of the offsets by row, (terms, rows), and by column, (terms, cols): their
        products add up to `_rise`.

        A wave along any direction is sin (a + b) = sin a cos b + cos a sin b, with a of the row and
        b of the column.
        """
        y = (np.arange(shape[0]) - (shape[0] - 1) / 2) * spacing[0] + self.middle[0]
        x = (np.arange(shape[1]) - (shape[1] - 1) / 2) * spacing[1] + self.middle[1]
        bedding = self.bedding
        sine, cosine = sincos(math.radians(bedding.dip_direction))
        fall = tan(math.radians(bedding.dip))
        rows = [fall * sine * y, np.ones_like(y)]
        cols = [np.ones_like(x), fall * cosine * x]
        if bedding.undulation > 0:
            for frequency, turn, height in _WAVES:
                sine, cosine = sincos(turn)
                number = 2 * math.pi * frequency / bedding.wavelength
                row_wave = sincos(number * sine * y + turn)
                col_wave = sincos(number * cosine * x)
                rows += [bedding.undulation * height * wave for wave in row_wave]
                cols += col_wave[::-1]
        return np.array(rows), np.array(cols)


def _share(thickness: Array) -> Array:
    """Opacity of a cover of some thickness in meters, (rows, cols, 1)."""
    return np.asarray(thickness / (thickness + COVER), np.float32)[..., np.newaxis]


def _layer(number: int, table: dict[str, Any]) -> tuple[_Layer, str]:
    values = dict(table)
    color = values.pop("color", None)
    try:
        linear_color("color", color)
        return _Layer.from_dict(values), str(color)
    except InputError as error:
        raise InputError("layer {number}: {error}").format(number=number, error=error) from None
