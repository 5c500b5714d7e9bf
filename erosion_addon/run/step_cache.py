# SPDX-License-Identifier: GPL-3.0-or-later
"""What steps left, kept for the next run: one that begins alike goes on from there instead of running them again.

A result is known by a digest of everything that decides its bytes, so that nothing has to be told what has changed:
start terrain with its layers, masks, cell size, seed, edges, strata, and all steps up to there.
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
"""Of the memory that would be free without them, which results may take."""

Key = bytes


@dataclass(frozen=True)
class Result:
    """A simulation at the end of a step: the ground, its layers, the reports of the steps so far, and their volumes.

    The arrays are those that later steps start from, and no step writes to what it starts from.
    """

    elevation: Array
    layers: dict[str, Array]
    reports: tuple[dict[str, Any], ...]
    volumes: Volumes


class Results:
    """The last results of runs, by key. limit: bytes of all arrays together; None for `SHARE` of the memory."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._kept: dict[Key, Result] = {}  # the last used one comes last

    def longest(self, keys: Iterable[Key]) -> tuple[int, Result | None]:
        """The result of the longest run of steps among `keys` (those of the first step, the first two, …), and its
        number of steps; 0 and None where not even that of the first is kept."""
        found: tuple[int, Result | None] = 0, None
        for number, key in enumerate(keys, 1):
            if key in self._kept:
                found = number, self._kept.pop(key)
                self._kept[key] = found[1]  # type: ignore[assignment]
        return found

    def keep(self, key: Key, result: Result) -> None:
        """Keep a result, and drop the ones unused for longest where there are too many bytes of them."""
        self._kept.pop(key, None)
        self._kept[key] = result
        limit = self._most_bytes()
        while self._kept and self.bytes > limit:
            self._drop_oldest()

    def make_room(self, needed: int) -> None:
        """Drop the oldest results until `needed` bytes are free: kept results must not make a run fail."""
        while self._kept and (available_memory() or needed) < needed:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        del self._kept[next(iter(self._kept))]

    def clear(self) -> None:
        """Drop all of them."""
        self._kept.clear()

    @property
    def bytes(self) -> int:
        """Bytes of all arrays; one that several results share counts once."""
        arrays = (array for kept in self._kept.values() for array in (kept.elevation, *kept.layers.values()))
        return sum({id(array): array.nbytes for array in arrays}.values())

    def _most_bytes(self) -> float:
        if self._limit is not None:
            return self._limit
        return SHARE * ((available_memory() or 0) + self.bytes)


def keys_of(terrain: Terrain, masks: Mapping[str, Array], given: Any, steps: Iterable[Step]) -> list[Key]:
    """The key of each step's end. given: what else decides the bytes, as values for JSON."""
    digest = hashlib.blake2b(json.dumps([terrain.spacing, given]).encode(), digest_size=32)
    arrays = {"elevation": terrain.elevation, **terrain.fields, **{f"{kind} mask": masks[kind] for kind in masks}}
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
