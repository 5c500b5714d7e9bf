# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a terrain as the scene gets them. The interface stores them in the .blend file."""

from collections.abc import Callable
from dataclasses import dataclass

import bpy


@dataclass(frozen=True)
class MaskSettings:
    """Input of a mask, one of `masks.SOURCES`, and changes of its values, in this order; see the
    functions of `terrain.masks`.

    layer: vertex group or attribute. border: width of the soft border in m.
    """

    source: str = "NONE"
    layer: str = ""
    image: bpy.types.Image | None = None
    fit: str = "exact"
    invert: bool = False
    scale: float = 1.0
    border: float = 0.0


@dataclass(frozen=True)
class TerrainSettings:
    """Settings for everything derived from a terrain.

    casters: objects that shade it beside the land. Use it at once: Blender's data may be deleted
    later.
    """

    edges: str = "open"
    casters: bpy.types.Collection | None = None
    outlet: MaskSettings = MaskSettings()


DEFAULTS = TerrainSettings()

SettingsReader = Callable[[bpy.types.Object], TerrainSettings]
"""Function that reads the current settings of a terrain."""


def default_settings(_: bpy.types.Object) -> TerrainSettings:
    """`SettingsReader` that returns the defaults."""
    return DEFAULTS
