# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that bakes light on a terrain."""

import bpy

from ..model.errors import InputError
from ..model.light import LightParameters
from ..model.parameters import specifications
from ..scene import companions, light
from .declared import draw_values, meant, properties_of
from .terrain_operator import TerrainOperator, allowed, why_no_run

_SPECIFICATIONS = specifications(LightParameters)


class EROSION_OT_light_bake(TerrainOperator, bpy.types.Operator):
    """Bake how much light of the sky and of up to three suns reaches the terrain, with soft shadows of its casters"""

    bl_idname = "erosion.light_bake"
    bl_label = "Bake Light"
    bl_options = {"REGISTER", "UNDO"}

    __annotations__ = properties_of(_SPECIFICATIONS.values())

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Begin with the settings of the last time."""
        known = light.settings_of(companions.terrain_of(context.object).data)
        for name, value in known.to_dict().items() if known else ():
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        return self.execute(context)

    def draw(self, context: bpy.types.Context) -> None:
        draw_values(self.layout, self, _SPECIFICATIONS)

    def execute(self, context: bpy.types.Context) -> set[str]:
        obj = companions.terrain_of(context.object)
        values = {name: meant(getattr(self, name), None) for name in _SPECIFICATIONS}
        try:
            parameters = LightParameters.from_dict(values)
            sentence = light.bake_light(obj, parameters, obj.erosion.casters, obj.erosion.edges)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except MemoryError:
            self.report({"ERROR"}, "There is not enough memory for the light; use Half Resolution or a smaller radius.")
            return {"CANCELLED"}
        self.report({"INFO"}, sentence)
        return {"FINISHED"}


class EROSION_OT_light_remove(bpy.types.Operator):
    """Take the baked light away from the terrain"""

    bl_idname = "erosion.light_remove"
    bl_label = "Remove Light"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = companions.terrain_of(context.object)
        reason = why_no_run(terrain)
        if reason is None and terrain is not None and light.settings_of(terrain.data) is None:
            reason = f"{terrain.name} has no baked light."
        return allowed(cls, reason)

    def execute(self, context: bpy.types.Context) -> set[str]:
        light.remove(companions.terrain_of(context.object).data)
        return {"FINISHED"}


CLASSES = (EROSION_OT_light_bake, EROSION_OT_light_remove)
