# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain erosion: for Blender as an extension, and without Blender as a command and a library."""

VERSION = "0.1.0"


def register() -> None:
    """Switch the extension on in Blender."""
    from . import ui

    ui.register()


def unregister() -> None:
    """Switch the extension off again; a run under way ends."""
    from . import ui

    ui.unregister()
