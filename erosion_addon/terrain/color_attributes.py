# SPDX-License-Identifier: GPL-3.0-or-later
"""Color attributes of fields, for vertex paint, export and other programs: color ramps, and packed
data channels.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..base.arrays import Array
from ..grid.resample import interpolated


class Ramp(NamedTuple):
    """Color ramp of a field.

    stops: (value, linear red, green, blue), interpolated linearly; in_cells: values are in units of
    the cell size instead of the field's unit.
    """

    field: str
    stops: tuple[tuple[float, float, float, float], ...]
    in_cells: bool = False

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields that it shows, any of which is enough."""
        return (self.field,)

    def colors(self, fields: Mapping[str, Array], cell_size: float) -> Array:
        """(..., 4) float32 linear colors, opaque, of the field's (...,) values."""
        place, *channels = np.array(self.stops).T
        steps = np.linspace(place[0], place[-1], 1024)
        table = np.stack(
            [interpolated(steps, place, channel) for channel in channels] + [np.ones(1024)], -1
        )
        unit = cell_size if self.in_cells else 1.0
        index = (fields[self.field] - np.float32(place[0] * unit)) * np.float32(
            1023 / ((place[-1] - place[0]) * unit)
        )
        return np.asarray(table.astype(np.float32)[np.clip(index, 0, 1023).astype(np.int16)])


class Packed(NamedTuple):
    """Up to four fields packed into red, green, blue and alpha, each from 0 to 1.

    channels: (field, value that maps to 1, whether that value is in units of the cell size).
    """

    channels: tuple[tuple[str, float, bool], ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields that it shows, any of which is enough."""
        return tuple(field for field, _, _ in self.channels)

    def colors(self, fields: Mapping[str, Array], cell_size: float) -> Array:
        """(..., 4) float32 of the fields' (...,) values; 0 for a missing field."""
        shape = next(fields[name].shape for name in self.fields if name in fields)
        packed = np.zeros((*shape, 4), np.float32)
        for channel, (name, full, in_cells) in enumerate(self.channels):
            if name in fields:
                scale = np.float32(1 / (full * cell_size if in_cells else full))
                packed[..., channel] = np.clip(fields[name] * scale, 0, 1)
        return packed


COLORS: dict[str, Ramp | Packed] = {
    # dry straw, lush green, blue water
    "moisture_color": Ramp(
        "moisture", ((0.0, 0.45, 0.36, 0.18), (0.5, 0.07, 0.22, 0.04), (1.0, 0.02, 0.10, 0.30))
    ),
    # gray rock, sand; in cells, as what is much sediment grows with the terrain
    "sediment_color": Ramp(
        "sediment",
        ((0.0, 0.16, 0.15, 0.14), (0.02, 0.30, 0.25, 0.18), (0.2, 0.60, 0.46, 0.26)),
        in_cells=True,
    ),
    # of cells of 10 m: 1 is 2 m of sediment, 10 m of wear, 1 m of water
    "maps_color": Packed(
        (
            ("moisture", 1.0, False),
            ("sediment", 0.2, True),
            ("wear", 1.0, True),
            ("water_depth", 0.1, True),
        )
    ),
}
"""Color attribute → its recipe."""
