# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled loops: arrays in, arrays out, one process a module. Importing one imports numba; nothing above may be."""

import os
import warnings

_HARMLESS = ("", "0")
_SETTINGS = {"NUMBA_DISABLE_JIT": _HARMLESS, "NUMBA_OPT": ("", "3", "max"), "NUMBA_BOUNDSCHECK": _HARMLESS}
"""Settings of numba's that slow kernels down, up to 500 times, and values that do not. Most would stay in the compiled
code that is kept for all later runs."""


def _ignore_settings() -> None:
    """Take them out of the environment before numba reads it, and say so."""
    for name, harmless in _SETTINGS.items():
        value = os.environ.pop(name, "")
        if value not in harmless:
            warnings.warn(f"{name}={value} is ignored, as erosion would be many times slower with it.", stacklevel=2)


_ignore_settings()
