# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that make rivers and lakes of a terrain."""

import bpy

from ...base.parameters import specifications
from ...drainage.rivers import RiverParameters
from ...scene.run.errand import Plan
from ..base.parameter_properties import properties_of
from ..run.errand_operator import ParameterOperator


class _WaterOperator(ParameterOperator):
    """What both operators share. kind: of `companions.KINDS`."""

    work = "Rivers and Lakes"
    kind = ""
    parameters = RiverParameters

    def remembered(self, terrain: bpy.types.Object) -> RiverParameters | None:
        from ...scene.derived import rivers  # few sessions need it

        return rivers.settings_in(terrain)

    def plan(self) -> Plan:
        from ...scene.derived import rivers

        kind, parameters = self.kind, self.given()

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

    __annotations__ = properties_of(specifications(RiverParameters).values())


class EROSION_OT_lakes_add(_WaterOperator, bpy.types.Operator):
    """Fill the pits of the terrain with lakes, up to where they overflow. They follow every run. Again: make them
    anew"""

    bl_idname = "erosion.lakes_add"
    bl_label = "Add Lakes"
    bl_options = {"REGISTER", "UNDO"}

    kind = "lakes"

    __annotations__ = properties_of(specifications(RiverParameters).values())


CLASSES = (EROSION_OT_rivers_add, EROSION_OT_lakes_add)
