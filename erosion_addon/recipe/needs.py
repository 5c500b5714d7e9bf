# SPDX-License-Identifier: GPL-3.0-or-later
"""Requirements of a recipe on the ground: loose sand for the wind."""

import numpy as np

from ..base.parameters import Parameters, parameter
from ..terrain.terrain import Terrain

SCANTY = 0.1
"""Share of the required thickness below which a layer counts as missing."""

STILL = 1e-3
"""Greatest invisible change of height, as a share of the cell size."""


class Needs(Parameters):
    """Requirements of a recipe with suitable amounts; 0 for none."""

    sediment: float = parameter(
        0.0,
        "Thickness of loose sediment, such as sand, that the recipe is made for.",
        low=0,
        high=1e6,
        unit="m",
    )

    def lack(self, loose: float) -> str:
        """Warning about missing sand, empty if there is enough. loose: greatest thickness of the
        loose layer, m.
        """
        if loose >= SCANTY * self.sediment:
            return ""
        state = f"is at most {loose:.2g} m thick" if loose > 0 else "is missing"
        return f"Loose sand {state} here; the recipe is made for {self.sediment:g} m of it."


NOTHING = Needs()


def with_loose_top(terrain: Terrain, thickness: float) -> Terrain:
    """The same ground with its top meters turned into loose sediment; a thicker layer stays."""
    sediment = np.maximum(terrain.fields.get("sediment", 0.0), np.full(terrain.shape, thickness))
    return Terrain(terrain.elevation, terrain.spacing, {**terrain.fields, "sediment": sediment})


def stillness(before: Terrain, after: Terrain, needs: Needs, loose: float) -> list[str]:
    """Remark on a run without a visible change, with its cause if known.

    loose: greatest thickness of the loose layer at the start, in meters.
    """
    # Row by row, so that no third array of the terrain's size is needed.
    rows = zip(before.elevation, after.elevation, strict=True)
    change = max(float(np.abs(new - old).max()) for old, new in rows)
    if change >= STILL * before.cell_size:
        return []
    if change > 0:
        most = f"hardly changed: no height by more than {change * 1000:.2g} mm"
    else:
        most = "did not change"
    return [f"The ground {most}. {needs.lack(loose)}".strip()]
