# SPDX-License-Identifier: GPL-3.0-or-later
"""Folder of compiled kernels."""

import shutil
from pathlib import Path

import bpy

from ...base.errors import Sentence
from ..session import session


def why_not_in(folder: str) -> str | None:
    """Reason why a folder must not hold machine code; None if it may.

    Beside a .blend file from someone else, there may be machine code of theirs.
    """
    if folder.startswith("//") or not Path(folder).expanduser().is_absolute():
        return Sentence(
            "The folder for compiled kernels must be an absolute path; the extension's own folder "
            "is used until then."
        )
    return None


def worker_environment() -> dict[str, str]:
    """Environment of the worker with the user's folder for compiled kernels, or the extension's.

    Empty path if there is none; unchanged outside of an extension.
    """
    package = ".".join(__package__.split(".")[:3])
    if session.worker.kernel_folder and why_not_in(session.worker.kernel_folder) is None:
        return {"TERRAIN_EROSION_CACHE": str(Path(session.worker.kernel_folder).expanduser())}
    if not package.startswith("bl_ext."):
        return {}
    try:
        return {
            "TERRAIN_EROSION_CACHE": bpy.utils.extension_path_user(
                package, path="kernels", create=True
            )
        }
    except (ValueError, OSError):
        return {"TERRAIN_EROSION_CACHE": ""}


def folder() -> Path | None:
    """Folder of compiled kernels; None if unknown to Blender."""
    named = worker_environment().get("TERRAIN_EROSION_CACHE")
    return Path(named) if named else None


def is_complete() -> bool:
    """Whether all kernels of the shipped recipes are compiled."""
    from ...run.precompile_all import MARK  # here, as it brings all that runs

    path = folder()
    return path is not None and any(path.glob(f"numba-*python-*/{MARK}"))


def clear() -> None:
    """Delete all compiled kernels of all versions; other files in the folder stay."""
    path = folder()
    if path is not None and path.is_dir():
        for entry in path.glob("numba-*python-*"):
            shutil.rmtree(entry, ignore_errors=True)
