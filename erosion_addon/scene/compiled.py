# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Blender keeps compiled kernels, and kernels in Blender's own process."""

import os
import shutil
from pathlib import Path

import bpy

from ..model.errors import InputError

chosen = ""
"""The folder that the user prefers; empty for the extension's own."""


def worker_environment() -> dict[str, str]:
    """Tells the worker to keep compiled kernels in the user's choice of folder, or in that of the extension.

    Nowhere if there can be none; where all programs of the user keep them if this is no extension.
    """
    package = ".".join(__package__.split(".")[:3])
    if chosen:
        return {"TERRAIN_EROSION_CACHE": bpy.path.abspath(chosen)}
    if not package.startswith("bl_ext."):
        return {}
    try:
        return {"TERRAIN_EROSION_CACHE": bpy.utils.extension_path_user(package, path="kernels", create=True)}
    except (ValueError, OSError):
        return {"TERRAIN_EROSION_CACHE": ""}


def folder() -> Path | None:
    """The folder of compiled kernels; None where they are kept nowhere that Blender knows of."""
    named = worker_environment().get("TERRAIN_EROSION_CACHE")
    return Path(named) if named else None


def clear() -> None:
    """Delete all compiled kernels, of all versions; whatever else lies in their folder stays."""
    kept = folder()
    if kept is not None and kept.is_dir():
        for entry in kept.glob("numba-*-python-*"):
            shutil.rmtree(entry, ignore_errors=True)


def prepare_kernels(what: str) -> None:
    """Raise InputError where numba does not work in Blender's own process, naming what needs it.

    Machine code is kept where the worker keeps it.
    """
    os.environ.update(worker_environment())
    try:
        from ..kernels.compile import prepare

        prepare()
    except Exception as error:  # noqa: BLE001 - libraries that do not fit each other raise anything
        raise InputError(f"{what} needs the library numba, which does not work here: {error}") from None
