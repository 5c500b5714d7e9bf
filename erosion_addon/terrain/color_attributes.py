# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields as colors, for vertex paint, export and other programs: ramps to look at, and channels to compute with."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..base.arrays import Array
from ..grid.resample import interpolated


@dataclass(frozen=True)
class Ramp:
    """A field as colors. stops: (value, linear red, green, blue), evenly mixed between; in_cells: the values are
    shares of the cell's side and not in the field's unit."""

    field: str
    stops: tuple[tuple[float, float, float, float], ...]
    in_cells: bool = False

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that it shows, any of which will do."""
        return (self.field,)

    def colors(self, fields: Mapping[str, Array], cell_size: float) -> Array:
        """(..., 4) float32 linear colors, opaque, of the field's (...,) values."""
        place, *channels = np.array(self.stops).T
        steps = np.linspace(place[0], place[-1], 1024)
        table = np.stack([interpolated(steps, place, channel) for channel in channels] + [np.ones(1024)], -1)
        unit = cell_size if self.in_cells else 1.0
        index = (fields[self.field] - np.float32(place[0] * unit)) * np.float32(1023 / ((place[-1] - place[0]) * unit))
        return np.asarray(table.astype(np.float32)[np.clip(index, 0, 1023).astype(np.int16)])


@dataclass(frozen=True)
class Packed:
    """Up to four fields as red, green, blue and alpha, each from 0 to 1. channels: (field, the value that is 1, and
    whether that is a share of the cell's side)."""

    channels: tuple[tuple[str, float, bool], ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that it shows, any of which will do."""
        return tuple(field for field, _, _ in self.channels)

    def colors(self, fields: Mapping[str, Array], cell_size: float) -> Array:
        """(..., 4) float32 of the fields' (...,) values; 0 for a field that is not there."""
        shape = next(fields[name].shape for name in self.fields if name in fields)
        packed = np.zeros((*shape, 4), np.float32)
        for channel, (name, full, in_cells) in enumerate(self.channels):
            if name in fields:
                scale = np.float32(1 / (full * cell_size if in_cells else full))
                packed[..., channel] = np.clip(fields[name] * scale, 0, 1)
        return packed


COLORS: dict[str, Ramp | Packed] = {
    # dry straw, lush green, blue water
    "moisture_color": Ramp("moisture", ((0.0, 0.45, 0.36, 0.18), (0.5, 0.07, 0.22, 0.04), (1.0, 0.02, 0.10, 0.30))),
    # gray rock, sand; in cells, as what is much sediment grows with the terrain
    "sediment_color": Ramp(
        "sediment", ((0.0, 0.16, 0.15, 0.14), (0.02, 0.30, 0.25, 0.18), (0.2, 0.60, 0.46, 0.26)), in_cells=True
    ),
    # of cells of 10 m: 1 is 2 m of sediment, 10 m of wear, 1 m of water
    "maps_color": Packed(
        (("moisture", 1.0, False), ("sediment", 0.2, True), ("wear", 1.0, True), ("water_depth", 0.1, True))
    ),
}
"""Color attribute → what makes it."""
