# SPDX-License-Identifier: GPL-3.0-or-later
"""What modules of scene and interface remember from one call to the next, so that all of it can be cleared."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

Remembered = TypeVar("Remembered")
Function = TypeVar("Function", bound=Callable[..., Any])

_remembered: list[Any] = []
_caches: list[Any] = []


def remember(kind: type[Remembered]) -> Remembered:
    """The one instance of a dataclass whose fields all have defaults, to which `clear` sets them back."""
    made = kind()
    _remembered.append(made)
    return made


def cached(size: int | None = None) -> Callable[[Function], Function]:
    """`lru_cache` of that size, which `clear` empties."""

    def decorate(function: Function) -> Function:
        made = lru_cache(size)(function)
        _caches.append(made)
        return made  # type: ignore[return-value]

    return decorate


def clear() -> None:
    """Remember nothing. What Blender keeps, as timers and pictures, is to be given back before."""
    for made in _remembered:
        made.__init__()
    for cache in _caches:
        cache.cache_clear()
