# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the worker keeps compiled kernels."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import bpy

from .. import session


@dataclass(eq=False, repr=False)
class _Now:
    """What the user prefers."""

    chosen: str = ""
    """The folder that the user prefers; empty for the extension's own."""


now = session.remember(_Now)


def why_not_in(folder: str) -> str | None:
    """Why machine code is not kept in such a folder, in a sentence; None where it may be.

    Beside a .blend that somebody else made, machine code of theirs may lie.
    """
    if folder.startswith("//") or not Path(folder).expanduser().is_absolute():
        return "Compiled kernels need an absolute folder; until there is one, the extension's own is used."
    return None


def worker_environment() -> dict[str, str]:
    """Tells the worker to keep compiled kernels in the user's choice of folder, or in that of the extension.

    Nowhere if there can be none; where all programs of the user keep them if this is no extension.
    """
    package = ".".join(__package__.split(".")[:3])
    if now.chosen and why_not_in(now.chosen) is None:
        return {"TERRAIN_EROSION_CACHE": str(Path(now.chosen).expanduser())}
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


def is_complete() -> bool:
    """Whether all that shipped recipes call has been compiled."""
    from ...run.precompile_all import MARK  # here, as it brings all that runs

    kept = folder()
    return kept is not None and any(kept.glob(f"numba-*python-*/{MARK}"))


def clear() -> None:
    """Delete all compiled kernels, of all versions; whatever else lies in their folder stays."""
    kept = folder()
    if kept is not None and kept.is_dir():
        for entry in kept.glob("numba-*python-*"):
            shutil.rmtree(entry, ignore_errors=True)
