# SPDX-License-Identifier: GPL-3.0-or-later
"""Step cache: results of steps, reused by later runs that begin alike.

The key of a result is a digest of all inputs that determine its bytes, so nothing needs to be
invalidated: start terrain with its layers, masks, cell size, seed, edges, strata, and all steps so
far.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.memory import available_memory
from ..processes.shared.state import Volumes
from ..recipe.recipe import Step
from ..terrain.limits import NO_LIMITS
from ..terrain.terrain import Terrain

SHARE = 0.125
"""Share of the free memory (counted without the cache) that results may use."""

Key = bytes


@dataclass(frozen=True)
class Result:
    """State at the end of a step: ground, layers, reports of the steps so far, and their volumes.

    Arrays are shared with later steps, none of which writes to its input.
    """

    elevation: Array
    layers: dict[str, Array]
    reports: tuple[dict[str, Any], ...]
    volumes: Volumes


class Results:
    """Recent results by key. limit: bytes of all arrays together; None for `SHARE` of the
    memory.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._kept: dict[Key, Result] = {}  # the last used one comes last

    def longest(self, keys: Iterable[Key]) -> tuple[int, Result | None]:
        """Cached result of the most steps, and its number of steps. keys: of the first step, the
        first two, …

        0 and None if none of them is cached.
        """
        match: tuple[int, Result | None] = 0, None
        for number, key in enumerate(keys, 1):
            if key in self._kept:
                match = number, self._kept.pop(key)
                self._kept[key] = match[1]  # type: ignore[assignment]
        return match

    def keep(self, key: Key, result: Result) -> None:
        """Add a result, and drop the least recently used ones beyond the limit."""
        self._kept.pop(key, None)
        self._kept[key] = result
        limit = self._most_bytes()
        while self._kept and self.nbytes > limit:
            self._drop_oldest()

    def make_room(self, size: int) -> None:
        """Drop the oldest results until `size` bytes are free, so that the cache never makes a
        run fail.
        """
        while self._kept and (available_memory() or size) < size:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        del self._kept[next(iter(self._kept))]

    def clear(self) -> None:
        """Drop all results."""
        self._kept.clear()

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays; shared arrays count once."""
        arrays = (
            array
            for result in self._kept.values()
            for array in (result.elevation, *result.layers.values())
        )
        return sum({id(array): array.nbytes for array in arrays}.values())

    def _most_bytes(self) -> float:
        if self._limit is not None:
            return self._limit
        return SHARE * ((available_memory() or 0) + self.nbytes)


def keys_of(
    terrain: Terrain, masks: Mapping[str, Array], settings: Any, steps: Iterable[Step]
) -> list[Key]:
    """Key of each step's end. settings: other inputs that determine the bytes, for JSON."""
    digest = hashlib.blake2b(json.dumps([terrain.spacing, settings]).encode(), digest_size=32)
    arrays = {
        "elevation": terrain.elevation,
        **terrain.fields,
        **{f"{kind} mask": masks[kind] for kind in masks},
    }
    for name, array in sorted(arrays.items()):
        digest.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        digest.update(np.ascontiguousarray(array).data)
    keys = []
    for step in steps:
        limits = [step.limits.to_dict()] if step.limits != NO_LIMITS else []
        scaled = [dict(step.masks)] if step.masks else []
        digest.update(json.dumps([step.kind, step.parameters.to_dict(), *limits, *scaled]).encode())
        keys.append(digest.digest())
    return keys
