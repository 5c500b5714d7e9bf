# SPDX-License-Identifier: GPL-3.0-or-later
"""Operator that bakes light on a terrain."""

import bpy

from ...bake.parameters import LightParameters
from ...base.errors import Sentence
from ...base.parameters import specifications
from ...scene.derived import light
from ...scene.run import readiness
from ...scene.run.errand import Plan
from ...scene.terrain.active import active_terrain
from ...worker.messages import Request
from ..base.parameter_properties import properties_of
from ..base.terrain_operator import allowed
from ..run.modal import ParameterOperator


class EROSION_OT_light_bake(ParameterOperator, bpy.types.Operator):
    """Bake how much light of the sky and of up to three suns reaches the terrain, with soft shadows
    of its casters
    """

    bl_idname = "erosion.light_bake"
    bl_label = "Bake Light"
    bl_options = {"REGISTER", "UNDO"}

    work = "Light"

    parameters = LightParameters
    __annotations__ = properties_of(specifications(LightParameters).values())

    def remembered(self, terrain: bpy.types.Object) -> LightParameters | None:
        return light.settings_of(terrain.data)

    def plan(self) -> Plan:
        parameters = self.parameter_values()

        def requests(terrain: bpy.types.Object) -> list[Request]:
            return light.requests_of_bake(
                terrain, parameters, terrain.erosion.casters, terrain.erosion.edges
            )

        def change(terrain: bpy.types.Object) -> tuple[str, list[str]]:
            return light.bake_light(
                terrain, parameters, terrain.erosion.casters, terrain.erosion.edges
            ), []

        return Plan(requests, change)


class EROSION_OT_light_remove(bpy.types.Operator):
    """Remove the baked light from the terrain"""

    bl_idname = "erosion.light_remove"
    bl_label = "Remove Light"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = active_terrain(context)
        reason = readiness.why_not(terrain)
        if reason is None and terrain is not None and light.settings_of(terrain.data) is None:
            reason = Sentence("{name} has no baked light.").format(name=terrain.name)
        return allowed(cls, reason)

    def execute(self, context: bpy.types.Context) -> set[str]:
        light.remove(active_terrain(context).data)
        return {"FINISHED"}


CLASSES = (EROSION_OT_light_bake, EROSION_OT_light_remove)
