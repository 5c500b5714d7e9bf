# SPDX-License-Identifier: GPL-3.0-or-later
"""Measured speeds of this machine, stored in the extension's user folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy

from ...run import speeds
from .. import session


class _Now:
    """State of the session."""

    def __init__(self) -> None:
        self.known: dict[str, float] | None = None
        """Content of the file; None until it is read."""


_now = session.remember(_Now)


def path() -> Path | None:
    """Path of the file; None if there is no user folder."""
    package = ".".join(__package__.split(".")[:3])
    try:
        if package.startswith("bl_ext."):
            folder = bpy.utils.extension_path_user(package, create=True)
        else:
            folder = bpy.utils.user_resource("CONFIG", path="terrain_erosion", create=True)
    except (ValueError, OSError):
        return None
    return Path(folder) / "speeds.json" if folder else None  # empty where it cannot be made


def known() -> dict[str, float]:
    """Speeds by kind of step, for `estimate.seconds_needed`."""
    if _now.known is None:
        file = path()
        _now.known = speeds.load(file) if file is not None else {}
    return _now.known


def learn(report: Mapping[str, Any]) -> None:
    """Update the speeds from the report of a run."""
    _now.known = speeds.learned(known(), report)
    file = path()
    if file is not None:
        speeds.save(file, _now.known)


def forget() -> None:
    """Read the file again on next use."""
    _now.known = None
