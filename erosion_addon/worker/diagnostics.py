# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagnostics of the compiler libraries."""

from importlib import metadata

LIBRARIES = ("numba", "llvmlite", "numpy")


def versions() -> str:
    """Versions of the installed compiler libraries."""
    found = []
    for name in LIBRARIES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join(found)


def why_broken() -> str:
    """Advice for a broken installation. Extensions share one folder of libraries, so another one may have replaced a
    file.
    """
    return (
        f"The libraries that erosion needs do not work together here ({versions()}); another extension may "
        "have replaced one: reinstall Terrain Erosion, or disable the other extension, and restart Blender."
    )
