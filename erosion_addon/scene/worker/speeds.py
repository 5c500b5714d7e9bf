# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast this machine is, kept between sessions in the extension's user folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import bpy

from ...run import speeds

_known: dict[str, float] | None = None
"""What the file says; None until it has been read."""


def path() -> Path | None:
    """The file; None where there is no place for it."""
    package = ".".join(__package__.split(".")[:3])
    try:
        if package.startswith("bl_ext."):
            return Path(bpy.utils.extension_path_user(package, create=True)) / "speeds.json"
        return Path(bpy.utils.user_resource("CONFIG", path="terrain_erosion", create=True)) / "speeds.json"
    except (ValueError, OSError):
        return None


def known() -> dict[str, float]:
    """The speeds by kind of step, as of `estimate.seconds_needed`."""
    global _known
    if _known is None:
        file = path()
        _known = speeds.load(file) if file is not None else {}
    return _known


def learn(report: Mapping[str, Any]) -> None:
    """Take in how long the steps of a run have taken."""
    global _known
    _known = speeds.learned(known(), report)
    file = path()
    if file is not None:
        speeds.save(file, _known)


def forget() -> None:
    """Read the file again when it is needed next."""
    global _known
    _known = None
