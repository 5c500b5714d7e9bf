# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender calls of a module by itself: HANDLERS of its events and TIMERS, added and removed here alone."""

from collections.abc import Callable
from typing import Any

import bpy

Handlers = tuple[tuple[str, Callable[..., None]], ...]
"""(name of a list of bpy.app.handlers, handler), the latter persistent; all add-ons share these lists."""

Timers = tuple[Callable[[], float | None], ...]


def add(module: Any) -> None:
    """Add the HANDLERS of a module to their lists, each once."""
    for name, handler in getattr(module, "HANDLERS", ()):
        handlers = getattr(bpy.app.handlers, name)
        if handler not in handlers:
            handlers.append(handler)


def remove(module: Any) -> None:
    """Remove the HANDLERS of a module, as far as another add-on has not, and end its TIMERS."""
    for name, handler in getattr(module, "HANDLERS", ()):
        handlers = getattr(bpy.app.handlers, name)
        if handler in handlers:
            handlers.remove(handler)
    end(getattr(module, "TIMERS", ()))


def end(timers: Timers) -> None:
    """Have Blender call them no more."""
    for timer in timers:
        if bpy.app.timers.is_registered(timer):
            bpy.app.timers.unregister(timer)


def call_later(timer: Callable[[], float | None], seconds: float = 0.0, persistent: bool = False) -> None:
    """Have Blender call one of TIMERS, unless it does already. persistent: also after another file is opened."""
    if not bpy.app.timers.is_registered(timer):
        bpy.app.timers.register(timer, first_interval=seconds, persistent=persistent)
