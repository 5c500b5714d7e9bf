# SPDX-License-Identifier: GPL-3.0-or-later
"""Requirements of a recipe on the ground: loose sand for the wind."""

import numpy as np

from ..base.errors import Sentence, joined
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

    def lack(self, loose: float) -> Sentence | None:
        """Warning about missing sand; None if there is enough. loose: greatest thickness of the
        loose layer, m.
        """
        if loose >= SCANTY * self.sediment:
            return None
        if loose > 0:
            warning = Sentence(
                "Loose sand is at most {loose:.2g} m thick here; the recipe is made for "
                "{sediment:g} m of it."
            )
        else:
            warning = Sentence(
                "Loose sand is missing here; the recipe is made for {sediment:g} m of it."
            )
        return warning.format(loose=loose, sediment=self.sediment)


NOTHING = Needs()


def with_loose_top(terrain: Terrain, thickness: float) -> Terrain:
    """The same ground with its top meters turned into loose sediment; a thicker layer stays."""
    sediment = np.maximum(terrain.fields.get("sediment", 0.0), np.full(terrain.shape, thickness))
    return Terrain(terrain.elevation, terrain.spacing, {**terrain.fields, "sediment": sediment})


def stillness(before: Terrain, after: Terrain, needs: Needs, loose: float) -> list[Sentence]:
    """Remark on a run without a visible change, with its cause if known.

    loose: greatest thickness of the loose layer at the start, in meters.
    """
    # Row by row, so that no third array of the terrain's size is needed.
    rows = zip(before.elevation, after.elevation, strict=True)
    change = max(float(np.abs(new - old).max()) for old, new in rows)
    if change >= STILL * before.cell_size:
        return []
    if change > 0:
        remark = Sentence("The ground hardly changed, by {change:.2g} mm at most.")
        remark = remark.format(change=change * 1000)
    else:
        remark = Sentence("The ground did not change.")
    lack = needs.lack(loose)
    return [joined([remark, lack]) if lack else remark]
