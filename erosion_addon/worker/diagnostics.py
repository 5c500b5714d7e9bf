# SPDX-License-Identifier: GPL-3.0-or-later
"""Which libraries compile the kernels here, and what to do where they do not fit each other."""

from importlib import metadata

LIBRARIES = ("numba", "llvmlite", "numpy")


def versions() -> str:
    """The libraries with their versions, as they are found here."""
    found = []
    for name in LIBRARIES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"no {name}")
    return ", ".join(found)


def why_broken() -> str:
    """Extensions share one folder of libraries, so another one may have replaced a file that numba relies on."""
    return (
        f"The libraries that erosion needs do not work together here ({versions()}); another extension may "
        "have replaced one: reinstall Terrain Erosion, or disable the other extension, and restart Blender."
    )
