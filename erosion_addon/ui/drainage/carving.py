# SPDX-License-Identifier: GPL-3.0-or-later
"""Operator that carves a drawn river."""

from typing import Any

import bpy

from ...base.parameters import specifications
from ...drainage.parameters import BedParameters
from ...scene.run.errand import Plan
from ...worker.messages import Request
from ..base.parameter_properties import properties_of
from ..run.errand_operator import ParameterOperator


class EROSION_OT_river_carve(ParameterOperator, bpy.types.Operator):
    """Carve the selected curves into the terrain as river beds, which never run uphill.

    Each river begins at the first point of its curve. Restore brings back the ground before
    """

    bl_idname = "erosion.river_carve"
    bl_label = "Carve River"
    bl_options = {"REGISTER", "UNDO"}

    work = "River"

    parameters = BedParameters
    __annotations__ = properties_of(specifications(BedParameters).values()) | {
        "curve": bpy.props.StringProperty(
            name="Curve", description="Name of the Curve object; empty: all that are selected beside the terrain"
        )
    }

    def draw(self: Any, context: bpy.types.Context) -> None:
        self.layout.prop_search(self, "curve", bpy.data, "objects")
        super().draw(context)

    def plan(self: Any) -> Plan:
        from ...scene.run import carving  # few sessions need it

        parameters = self.given()
        wanted = [self.curve] if self.curve else [obj.name for obj in bpy.context.selected_objects]

        def curves() -> list[bpy.types.Object]:
            there = [obj for obj in map(bpy.data.objects.get, wanted) if obj is not None]
            return there if self.curve else [obj for obj in there if obj.type in ("CURVE", "CURVES")]

        def requests(terrain: bpy.types.Object) -> list[Request]:
            return carving.requests_of_carve(terrain, curves(), parameters)

        def change(terrain: bpy.types.Object) -> tuple[str, list[str]]:
            return f"{terrain.name} has a new river bed.", carving.carve(terrain, curves(), parameters)

        return Plan(requests, change)


CLASSES = (EROSION_OT_river_carve,)
