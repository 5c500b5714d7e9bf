# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the user's own recipes lie: in the extension's user folder, unless the environment names another one."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import bpy

from ...base.data_files import OWN_FOLDER
from .. import session


@dataclass(eq=False, repr=False)
class _Now:
    """What was set in the environment."""

    set_here: list[str] = field(default_factory=list)
    """The folder that `offer` has named, if it has."""


_now = session.remember(_Now)


def recipes() -> Path:
    """The folder for recipes, which need not be there yet. Blender's own folder serves what is no extension."""
    package = ".".join(__package__.split(".")[:3])
    if package.startswith("bl_ext."):
        return Path(bpy.utils.extension_path_user(package, path="recipes"))
    return Path(bpy.utils.user_resource("CONFIG", path="terrain_erosion/recipes"))


def offer() -> None:
    """Let the model, the command line and the worker find the user's recipes."""
    if not os.environ.get(OWN_FOLDER):
        os.environ[OWN_FOLDER] = str(recipes())
        _now.set_here.append(os.environ[OWN_FOLDER])


def withdraw() -> None:
    """Take back what `offer` did."""
    if _now.set_here and os.environ.get(OWN_FOLDER) == _now.set_here.pop():
        del os.environ[OWN_FOLDER]
