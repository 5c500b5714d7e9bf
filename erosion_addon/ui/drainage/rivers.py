# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that make rivers and lakes of a terrain."""

from typing import Any

import bpy

from ...base.parameters import specifications
from ...drainage.rivers import RiverParameters
from ...scene.derived import companions
from ...scene.run.errand import Plan
from ..base.parameter_properties import draw_values, meant, properties_of
from ..run import attendance
from ..run.errand_operator import ErrandOperator

_SPECIFICATIONS = specifications(RiverParameters)


class _WaterOperator(ErrandOperator):
    """What both operators share. kind: of `companions.KINDS`."""

    work = "Rivers and Lakes"
    kind = ""

    def invoke(self: Any, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Begin with the settings of the last time."""
        from ...scene.derived import rivers  # few sessions need it

        known = None if attendance.returning else rivers.settings_in(companions.terrain_of(context.object))
        for name, value in known.to_dict().items() if known else ():
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        return super().invoke(context, event)

    def draw(self: Any, context: bpy.types.Context) -> None:
        draw_values(self.layout, self, _SPECIFICATIONS)

    def plan(self: Any) -> Plan:
        from ...scene.derived import rivers

        kind = self.kind
        parameters = RiverParameters.from_dict({name: meant(getattr(self, name), None) for name in _SPECIFICATIONS})

        def change(terrain: bpy.types.Object) -> tuple[str, list[str]]:
            made = rivers.add(terrain, kind, parameters)
            return f"Made {made.name}.", []

        return Plan(lambda terrain: rivers.requests_of_add(terrain, parameters), change)


class EROSION_OT_rivers_add(_WaterOperator, bpy.types.Operator):
    """Show the rivers that the terrain would have as ribbons of water, as wide and deep as their discharge makes them.
    They follow every run. Again: make them anew"""

    bl_idname = "erosion.rivers_add"
    bl_label = "Add Rivers"
    bl_options = {"REGISTER", "UNDO"}

    kind = "rivers"

    __annotations__ = properties_of(_SPECIFICATIONS.values())


class EROSION_OT_lakes_add(_WaterOperator, bpy.types.Operator):
    """Fill the pits of the terrain with lakes, up to where they overflow. They follow every run. Again: make them
    anew"""

    bl_idname = "erosion.lakes_add"
    bl_label = "Add Lakes"
    bl_options = {"REGISTER", "UNDO"}

    kind = "lakes"

    __annotations__ = properties_of(_SPECIFICATIONS.values())


CLASSES = (EROSION_OT_rivers_add, EROSION_OT_lakes_add)
