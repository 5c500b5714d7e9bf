# SPDX-License-Identifier: GPL-3.0-or-later
"""Measured speeds of this machine, stored in the extension's user folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy

from ...run import speeds
from ..session import session


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
    if session.worker.speeds is None:
        file = path()
        session.worker.speeds = speeds.load(file) if file is not None else {}
    return session.worker.speeds


def learn(report: Mapping[str, Any]) -> None:
    """Update the speeds from the report of a run."""
    session.worker.speeds = speeds.learned(known(), report)
    file = path()
    if file is not None:
        speeds.save(file, session.worker.speeds)
