# SPDX-License-Identifier: GPL-3.0-or-later
"""Session state of the modules of scene and interface, cleared in one place."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

Remembered = TypeVar("Remembered")
Function = TypeVar("Function", bound=Callable[..., Any])

_remembered: list[Any] = []
_of_file: list[Any] = []
_caches: list[Any] = []


def remember(kind: type[Remembered], of_file: bool = False) -> Remembered:
    """Single instance of a class without arguments, made anew by `clear`.

    of_file: whether it belongs to the open file, and is made anew with the next one. Resources of
    Blender do not.
    """
    made = kind()
    _remembered.append(made)
    if of_file:
        _of_file.append(made)
    return made


def begin_file() -> None:
    """Reset what belongs to the file before."""
    for made in _of_file:
        made.__init__()


def cached(size: int | None = None) -> Callable[[Function], Function]:
    """`lru_cache` that `clear` empties."""

    def decorate(function: Function) -> Function:
        made = lru_cache(size)(function)
        _caches.append(made)
        return made  # type: ignore[return-value]

    return decorate


def clear() -> None:
    """Reset all session state. Release Blender's resources, such as timers and pictures, before."""
    for made in _remembered:
        made.__init__()
    for cache in _caches:
        cache.cache_clear()
