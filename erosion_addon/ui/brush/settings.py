# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the brush, kept with the scene: `scene.erosion_brush`."""

from typing import Any

import bpy

from ...base.parameters import specifications
from ...processes.brush.parameters import Stroke
from ..base.parameter_properties import length, property_of

_DECLARED = specifications(Stroke)


class EROSION_PG_brush(bpy.types.PropertyGroup):
    """The erosion brush"""

    __annotations__ = {
        **{
            name: property_of(_DECLARED[name])
            for name in ("kind", "strength", "falloff", "angle", "invert")
        },
        "radius": length(
            "Radius",
            "Radius of the brush on the ground",
            default=100.0,
            min=1e-3,
            max=1e6,
            soft_min=1.0,
            soft_max=2000.0,
        ),
        "use_pixels": bpy.props.BoolProperty(
            name="In Pixels",
            description="Measure the radius on the screen, so that it grows as you move away",
            default=True,  # fits land of any size
        ),
        "pixels": bpy.props.IntProperty(
            name="Radius",
            description="Radius of the brush on the screen",
            default=60,
            min=1,
            max=2000,
            subtype="PIXEL",
        ),
        "use_pressure_strength": bpy.props.BoolProperty(
            name="Pressure",
            description="Let the pressure of the pen scale the strength",
            default=True,
        ),
    }


def brush_settings(context: bpy.types.Context) -> Any:
    """The settings of the scene."""
    return context.scene.erosion_brush


def draw(layout: bpy.types.UILayout, settings: Any, is_header: bool) -> None:
    """The settings, in a row of the header or below each other."""
    layout.use_property_split = not is_header
    layout.use_property_decorate = False
    unnamed = {"text": ""} if is_header else {}
    layout.prop(settings, "kind", **unnamed)
    row = layout.row(align=True)
    row.prop(settings, "pixels" if settings.use_pixels else "radius")
    row.prop(settings, "use_pixels", text="", icon="RESTRICT_VIEW_OFF")
    row = layout.row(align=True)
    row.prop(settings, "strength")
    row.prop(settings, "use_pressure_strength", text="", icon="STYLUS_PRESSURE")
    for name in ("angle", "invert"):
        if _DECLARED[name].acts({"kind": settings.kind}):
            layout.prop(settings, name)
    layout.prop(settings, "falloff", **unnamed)


def register() -> None:
    """Give every scene its settings."""
    bpy.types.Scene.erosion_brush = bpy.props.PointerProperty(
        type=EROSION_PG_brush, name="Erosion Brush"
    )


def unregister() -> None:
    """Remove them; their values in files stay."""
    del bpy.types.Scene.erosion_brush


CLASSES = (EROSION_PG_brush,)
