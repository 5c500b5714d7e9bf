# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a terrain, `object.erosion`, frozen for the scene."""

import bpy

from ...scene.masks.settings import MaskSettings, TerrainSettings
from ...scene.terrain.checks import SandSettings
from ...terrain.masks import MASK_KINDS


def mask_of(obj: bpy.types.Object, kind: str) -> MaskSettings:
    """Settings of an object's mask."""
    group = getattr(obj.erosion, kind)
    return MaskSettings(
        source=group.source,
        layer=group.layer,
        image=group.image,
        fit=group.fit,
        invert=group.invert,
        scale=group.scale,
        border=group.border,
    )


def settings_of(obj: bpy.types.Object) -> TerrainSettings:
    """Settings for everything derived from a terrain."""
    return TerrainSettings(
        edges=obj.erosion.edges, casters=obj.erosion.casters, outlet=mask_of(obj, "outlet")
    )


def sand_of(obj: bpy.types.Object) -> SandSettings:
    """Sources of sand for a run."""
    return SandSettings(
        anew=not obj.erosion.continue_from_result, has_mask=obj.erosion.sediment.source != "NONE"
    )


def images_of(obj: bpy.types.Object) -> list[bpy.types.Image]:
    """Images of an object's masks and surface color."""
    images = [getattr(obj.erosion, kind).image for kind in MASK_KINDS]
    images.append(obj.erosion.surface_color.image)
    return [image for image in images if image is not None]
