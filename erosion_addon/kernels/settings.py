# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of numba's that are meant for other programs: taken out of the environment before numba reads it."""

import os
import warnings

_HARMLESS = ("", "0")
_SETTINGS = {"NUMBA_DISABLE_JIT": _HARMLESS, "NUMBA_OPT": ("", "3", "max"), "NUMBA_BOUNDSCHECK": _HARMLESS}
"""Those that slow kernels down, up to 500 times, and values that do not. Most would stay in the machine code that is
kept for all later runs."""


def _ignore() -> None:
    for name, harmless in _SETTINGS.items():
        value = os.environ.pop(name, "")
        if value not in harmless:
            warnings.warn(f"{name}={value} is ignored, as erosion would be many times slower with it.", stacklevel=2)


_ignore()
