# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mask or color takes first when its source is chosen, so that nothing is left to name."""

import bpy

from ..terrain import attributes
from .masks import READABLE


def layer_for(obj: bpy.types.Object, source: str, layer: str) -> str:
    """Name for a mask of this source: `layer` where it names one, else the active group or the only
    attribute.
    """
    if source == "VERTEX_GROUP" and layer not in obj.vertex_groups:
        active = obj.vertex_groups.active
        return active.name if active is not None else layer
    if (
        source == "ATTRIBUTE"
        and attributes.users_attribute(obj.data, layer) not in obj.data.attributes
    ):
        names = [
            attribute.name
            for attribute in obj.data.attributes
            if attribute.domain == "POINT"
            and attribute.data_type in READABLE
            and not attribute.is_internal
        ]
        return names[0] if len(names) == 1 else layer
    return layer


def color_layer_for(obj: bpy.types.Object, layer: str) -> str:
    """Name of a color attribute: `layer` where it names one, else the active one."""
    colors = obj.data.color_attributes
    if layer in colors or colors.active_color is None:
        return layer
    return str(colors.active_color.name)


def only_image() -> bpy.types.Image | None:
    """The only image of the file; None where there are several."""
    images = [
        image for image in bpy.data.images if image.type not in ("RENDER_RESULT", "COMPOSITING")
    ]
    return images[0] if len(images) == 1 else None
