# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that carve drawn rivers, and rivers of the terrain."""

import bpy

from ...base.errors import Sentence
from ...base.parameters import specifications
from ...drainage.parameters import BedParameters, CutParameters
from ...scene.companions import companions
from ...scene.run.errand import Plan
from ...scene.terrain.active import active_terrain
from ...worker.messages import Request
from ..base.parameter_properties import properties_of
from ..base.terrain_settings import settings_of
from ..run.modal import ParameterOperator


class EROSION_OT_river_carve(ParameterOperator, bpy.types.Operator):
    """Carve the selected curves into the terrain as river beds, which never run uphill.

    Each river begins at the first point of its curve. Restore brings back the previous ground
    """

    bl_idname = "erosion.river_carve"
    bl_label = "Carve River"
    bl_options = {"REGISTER", "UNDO"}

    work = "River"

    parameters = BedParameters
    __annotations__ = properties_of(specifications(BedParameters).values()) | {
        "curve": bpy.props.StringProperty(
            name="Curve", description="Name of the curve object. Empty: all selected curves"
        )
    }

    def draw(self, context: bpy.types.Context) -> None:
        self.layout.prop_search(self, "curve", bpy.data, "objects")
        super().draw(context)

    def plan(self) -> Plan:
        from ...scene.run import carving

        parameters = self.parameter_values()
        # The plan may outlive this operator, so it has no reference to it.
        is_named = bool(self.curve)
        names = [self.curve] if is_named else [obj.name for obj in bpy.context.selected_objects]

        def curves() -> list[bpy.types.Object]:
            objects = [
                obj for obj in (bpy.data.objects.get(name) for name in names) if obj is not None
            ]
            if is_named:
                return objects
            return [obj for obj in objects if obj.type in ("CURVE", "CURVES")]

        def requests(terrain: bpy.types.Object) -> list[Request]:
            request = carving.of_curves(terrain, curves(), parameters)
            return carving.requests_of_carve(terrain, request, settings_of(terrain))

        def change(terrain: bpy.types.Object) -> tuple[str, list[str]]:
            request = carving.of_curves(terrain, curves(), parameters)
            notes = carving.carve(terrain, request, settings_of(terrain))
            return Sentence("{name} has a new river bed.").format(name=terrain.name), notes

        return Plan(requests, change)


class EROSION_OT_beds_carve(ParameterOperator, bpy.types.Operator):
    """Carve the beds of the terrain's rivers into it, as wide and deep as their water.

    They never run uphill, and lakes keep their level. Restore brings back the ground before
    """

    bl_idname = "erosion.beds_carve"
    bl_label = "Carve Beds"
    bl_options = {"REGISTER", "UNDO"}

    work = "Rivers and Lakes"

    parameters = CutParameters
    __annotations__ = properties_of(specifications(CutParameters).values())

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        terrain = active_terrain(context)
        reason = super().why_not(context)
        if reason is None and not companions.find(terrain, "rivers"):
            reason = Sentence("{name} has no rivers; press Add Rivers first.").format(
                name=terrain.name
            )
        return reason

    def plan(self) -> Plan:
        from ...scene.run import carving

        parameters = self.parameter_values()

        def requests(terrain: bpy.types.Object) -> list[Request]:
            settings = settings_of(terrain)
            request = carving.of_rivers(terrain, parameters, settings)
            return carving.requests_of_carve(terrain, request, settings)

        def change(terrain: bpy.types.Object) -> tuple[str, list[str]]:
            settings = settings_of(terrain)
            request = carving.of_rivers(terrain, parameters, settings)
            notes = carving.carve(terrain, request, settings)
            return Sentence("The rivers of {name} have beds.").format(name=terrain.name), notes

        return Plan(requests, change)


CLASSES = (EROSION_OT_river_carve, EROSION_OT_beds_carve)
