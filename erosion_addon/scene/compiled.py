# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Blender keeps compiled kernels, and kernels in Blender's own process."""

import os

import bpy

from ..model.errors import InputError


def worker_environment() -> dict[str, str]:
    """Tells the worker to keep compiled kernels in the extension's user folder, or nowhere if there is none."""
    package = ".".join(__package__.split(".")[:3])
    if not package.startswith("bl_ext."):
        return {}
    try:
        return {"TERRAIN_EROSION_CACHE": bpy.utils.extension_path_user(package, path="kernels", create=True)}
    except (ValueError, OSError):
        return {"TERRAIN_EROSION_CACHE": ""}


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
