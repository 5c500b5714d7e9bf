# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast this machine is, kept between sessions in the extension's user folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ...run import speeds
from .. import session


@dataclass(eq=False, repr=False)
class _Now:
    """The speeds as the file says."""

    known: dict[str, float] | None = None
    """What the file says; None until it has been read."""


_now = session.remember(_Now)


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
    if _now.known is None:
        file = path()
        _now.known = speeds.load(file) if file is not None else {}
    return _now.known


def learn(report: Mapping[str, Any]) -> None:
    """Take in how long the steps of a run have taken."""
    _now.known = speeds.learned(known(), report)
    file = path()
    if file is not None:
        speeds.save(file, _now.known)


def forget() -> None:
    """Read the file again when it is needed next."""
    _now.known = None
