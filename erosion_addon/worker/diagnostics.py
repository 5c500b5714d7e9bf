# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagnostics of the compiler libraries."""

from importlib import metadata

from ..base.errors import Sentence
from ..base.memory import available_memory, size_in_words

LIBRARIES = ("numba", "llvmlite", "numpy")

LEAST_MEMORY = 300_000_000
"""Bytes left below which it is memory that the libraries lack: they say so in many ways, or that a
file is missing.
"""


def versions() -> str:
    """Versions of the installed compiler libraries."""
    libraries = []
    for name in LIBRARIES:
        try:
            libraries.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            libraries.append(f"no {name}")
    return ", ".join(libraries)


def why_broken() -> str:
    """Advice where the libraries do not work: for lack of memory, or in a broken installation.
    Extensions share one folder of libraries, so another one may have replaced a file.
    """
    available = available_memory()
    if available is not None and available < LEAST_MEMORY:
        return Sentence(
            "There is not enough memory for the erosion process to start: {free} is free; close "
            "other programs, and restart Blender."
        ).format(free=size_in_words(available))
    return Sentence(
        "The libraries that erosion needs do not work together here ({versions}); another "
        "extension may have replaced one: reinstall Terrain Erosion, or disable the other "
        "extension, and restart Blender."
    ).format(versions=versions())
