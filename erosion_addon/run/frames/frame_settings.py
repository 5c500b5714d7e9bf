# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a frame sequence, which the scene sends to the worker."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import VERSION
from ...bake.parameters import Lighting
from ...base.arrays import Array
from ...recipe.recipe import Recipe
from ...terrain.terrain import Terrain
from .record import Record

if TYPE_CHECKING:
    from .sequence import Frames


@dataclass(frozen=True)
class FrameSettings:
    """Frames to keep: folder, number, and fields besides the elevation."""

    folder: Path
    count: int
    fields: tuple[str, ...]

    def begin(self) -> "Frames":
        """Frames of a new run; InputError as for `Frames`."""
        from .sequence import Frames  # only the worker writes frames

        return Frames(self.folder, self.count, self.fields)

    def to_json(self) -> dict[str, Any]:
        """Values of a message to the worker."""
        return {"folder": str(self.folder), "count": self.count, "fields": list(self.fields)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any] | None) -> "FrameSettings | None":
        """Settings from the values of a message."""
        if values is None:
            return None
        return cls(Path(values["folder"]), values["count"], tuple(values["fields"]))


def replaced(record: Record | None, orders: Sequence[str]) -> int:
    """Number of frames that an animation with these orders replaces. record: of the folder, None
    for none.
    """
    recorded = record.orders if record is not None else []
    return sum(old != order for old, order in zip(recorded, orders, strict=False))


def digests_of(
    terrain: Terrain,
    masks: Mapping[str, Array],
    recipes: Sequence[Recipe],
    lights: Sequence[Lighting],
) -> list[str]:
    """Digest of all that the bytes of each frame of an animation depend on.

    masks: of the terrain. lights: of each frame, or none.
    """
    start = hashlib.blake2b(json.dumps([VERSION, terrain.spacing]).encode(), digest_size=16)
    arrays = {
        "elevation": terrain.elevation,
        **terrain.fields,
        **{f"{kind} mask": masks[kind] for kind in masks},
    }
    for name, array in sorted(arrays.items()):
        start.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        start.update(np.ascontiguousarray(array).data)
    digests = []
    for number, recipe in enumerate(recipes):
        order = start.copy()
        order.update(json.dumps(recipe.to_dict()).encode())
        if lights:
            light = lights[number]
            order.update(json.dumps([light.parameters.to_dict(), light.suns]).encode())
            order.update(np.ascontiguousarray(light.casters, np.float64).data)
        digests.append(order.hexdigest())
    return digests
