# SPDX-License-Identifier: GPL-3.0-or-later
"""numba settings meant for other programs, overridden in the environment before numba reads it.

A file `.numba_config.yaml` in the current folder, which may be a stranger's, is not read.
"""

import os
import sys
import warnings

_HARMLESS = ("0",)
_SETTINGS = {
    "NUMBA_DISABLE_JIT": _HARMLESS,
    "NUMBA_OPT": ("3", "max"),
    "NUMBA_BOUNDSCHECK": _HARMLESS,
}
"""Settings that slow kernels down by up to 500 times, with harmless values. Most others would
persist in the cached machine code.
"""


def _replace() -> None:
    for name, harmless in _SETTINGS.items():
        value = os.environ.get(name) or harmless[0]
        os.environ[name] = harmless[0]
        if value not in harmless:
            warnings.warn(
                f"{name}={value} is ignored, because it makes erosion many times slower.",
                stacklevel=2,
            )
    warnings.filterwarnings("ignore", "A Numba config file is found")


def _import_without_yaml() -> None:
    """Import numba, which reads the file in the current folder when it is imported and at each
    compilation.
    """
    yaml = sys.modules.pop("yaml", None)
    sys.modules["yaml"] = None  # type: ignore[assignment]  # its import fails
    try:
        import numba.core.config as config
    finally:
        del sys.modules["yaml"]
        if yaml is not None:
            sys.modules["yaml"] = yaml
    config._HAVE_YAML = False  # also where another program has imported it


_replace()
_import_without_yaml()
