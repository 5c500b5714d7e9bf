# SPDX-License-Identifier: GPL-3.0-or-later
"""Folder of the user's recipes: in the extension's user folder, unless the environment names
another.
"""

import os
from pathlib import Path

import bpy

from ...base.data_files import OWN_FOLDER
from .. import session


class _Now:
    """State of the session."""

    def __init__(self) -> None:
        self.set_here: list[str] = []
        """Folder set by `offer`, if any."""


_now = session.remember(_Now)


def recipes() -> Path:
    """Recipe folder, which may not exist yet; in Blender's own user folder without an installed
    extension.
    """
    package = ".".join(__package__.split(".")[:3])
    if package.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(package, path="recipes"))
    return Path(bpy.utils.user_resource("CONFIG", path="terrain_erosion/recipes"))


def offer() -> None:
    """Set the environment variable for the command line and the worker."""
    if not os.environ.get(OWN_FOLDER):
        os.environ[OWN_FOLDER] = str(recipes())
        _now.set_here.append(os.environ[OWN_FOLDER])


def withdraw() -> None:
    """Undo `offer`."""
    if _now.set_here and os.environ.get(OWN_FOLDER) == _now.set_here.pop():
        del os.environ[OWN_FOLDER]
