# SPDX-License-Identifier: GPL-3.0-or-later
"""Handlers and timers of the modules, registered in one place."""

from collections.abc import Callable
from typing import Any

import bpy

Handlers = tuple[tuple[str, Callable[..., None]], ...]
"""(name of a list in bpy.app.handlers, handler). Handlers must be persistent; all add-ons share
these lists.
"""

Timers = tuple[Callable[[], float | None], ...]


def add(module: Any) -> None:
    """Add the HANDLERS of a module to their lists, each once."""
    for name, handler in getattr(module, "HANDLERS", ()):
        handlers = getattr(bpy.app.handlers, name)
        if handler not in handlers:
            handlers.append(handler)


def remove(module: Any) -> None:
    """Remove the HANDLERS of a module, if still present, and end its TIMERS."""
    for name, handler in getattr(module, "HANDLERS", ()):
        handlers = getattr(bpy.app.handlers, name)
        if handler in handlers:
            handlers.remove(handler)
    end(getattr(module, "TIMERS", ()))


def end(timers: Timers) -> None:
    """Unregister timers."""
    for timer in timers:
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)


def call_later(
    timer: Callable[[], float | None], seconds: float = 0.0, persistent: bool = False
) -> None:
    """Register one of TIMERS, unless it is registered already. persistent: survives opening another
    file.
    """
    if not bpy.app.timers.is_registered(timer):
        bpy.app.timers.register(timer, first_interval=seconds, persistent=persistent)
