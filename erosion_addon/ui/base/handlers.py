# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's lists of handlers, which all add-ons share: another one may have cleared them."""

from collections.abc import Iterable
from typing import Any


def add(pairs: Iterable[tuple[Any, Any]]) -> None:
    """Add handlers to their lists, each once; pairs: (list, handler)."""
    for handlers, handler in pairs:
        if handler not in handlers:
            handlers.append(handler)


def remove(pairs: Iterable[tuple[Any, Any]]) -> None:
    """Take handlers out of their lists, as far as they are still there."""
    for handlers, handler in pairs:
        if handler in handlers:
            handlers.remove(handler)
