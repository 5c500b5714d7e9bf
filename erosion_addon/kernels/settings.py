# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of numba's that are meant for other programs: replaced in the environment before numba reads it.

The environment counts for more than a file `.numba_config.yaml` in the current folder, which numba reads where PyYAML
is, and asks for PyYAML where it is not.
"""

import os
import warnings

_HARMLESS = ("0",)
_SETTINGS = {"NUMBA_DISABLE_JIT": _HARMLESS, "NUMBA_OPT": ("3", "max"), "NUMBA_BOUNDSCHECK": _HARMLESS}
"""Those that slow kernels down, up to 500 times, and values that do not; the first is numba's own. Most of the others
would stay in the machine code that is kept for all later runs."""


def _replace() -> None:
    for name, harmless in _SETTINGS.items():
        value = os.environ.get(name) or harmless[0]
        os.environ[name] = harmless[0]
        if value not in harmless:
            warnings.warn(f"{name}={value} is ignored, as erosion would be many times slower with it.", stacklevel=2)
    warnings.filterwarnings("ignore", "A Numba config file is found")


_replace()
