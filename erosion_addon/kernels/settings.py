# SPDX-License-Identifier: GPL-3.0-or-later
"""numba settings meant for other programs, overridden in the environment before numba reads it.

The environment takes precedence over a file `.numba_config.yaml` in the current folder.
"""

import os
import warnings

_HARMLESS = ("0",)
_SETTINGS = {"NUMBA_DISABLE_JIT": _HARMLESS, "NUMBA_OPT": ("3", "max"), "NUMBA_BOUNDSCHECK": _HARMLESS}
"""Settings that slow kernels down by up to 500 times, with harmless values. Most others would persist in the cached
machine code.
"""


def _replace() -> None:
    for name, harmless in _SETTINGS.items():
        value = os.environ.get(name) or harmless[0]
        os.environ[name] = harmless[0]
        if value not in harmless:
            warnings.warn(f"{name}={value} is ignored, because it makes erosion many times slower.", stacklevel=2)
    warnings.filterwarnings("ignore", "A Numba config file is found")


_replace()
