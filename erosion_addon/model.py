# SPDX-License-Identifier: GPL-3.0-or-later
"""Old address of the public names: warns, and leads to `from erosion_addon import …`."""

import warnings
from typing import Any

from . import ADDRESSES
from .base.doors import opened

__all__ = list(ADDRESSES)


def __getattr__(name: str) -> Any:
    if name not in ADDRESSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    package = __name__.rpartition(".")[0]
    warnings.warn(
        f"{__name__} is an old address: use `from {package} import {name}`.",
        DeprecationWarning,
        stacklevel=2,
    )
    return opened(package, f"{ADDRESSES[name]}.{name}")
