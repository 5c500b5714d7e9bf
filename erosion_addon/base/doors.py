# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects imported at their first use, so Blender starts without them."""

from collections.abc import Callable
from importlib import import_module
from typing import Any


def opened(package: str, where: str) -> Any:
    """Object at "module.name" below a package, such as "run.simulation.erode"."""
    module, _, name = where.rpartition(".")
    return getattr(import_module(f"{package}.{module}"), name)


def door(package: str, where: str) -> Callable[[], Any]:
    """Function that opens it, for a record."""
    return lambda: opened(package, where)
