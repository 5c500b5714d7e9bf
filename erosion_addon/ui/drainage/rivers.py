# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add rivers, lakes and the sea of a terrain."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import bpy

from ...base.errors import Sentence
from ...base.parameters import Parameters, specifications
from ...drainage.parameters import RiverParameters, SeaParameters
from ...scene.companions import visible_water
from ...scene.derived import update_derived
from ...scene.run.errand import Plan
from ...scene.session import session
from ...scene.terrain.active import active_terrain
from ...worker.messages import Request
from ..base.parameter_properties import properties_of
from ..base.terrain_settings import settings_of
from ..recipe.steps import recipe_or_none
from ..run.modal import ParameterOperator


class _WaterOperator(ParameterOperator):
    """Base of the three. kind: one of `companions.KINDS`."""

    work = "Rivers and Lakes"
    kind = ""
    parameters: type[Parameters] = RiverParameters

    def remembered(self, terrain: bpy.types.Object) -> Parameters | None:
        return visible_water.settings_in(terrain)

    def plan(self) -> Plan:
        from ...scene.water import rivers

        kind = self.kind
        settings = self.settings()
        heads = self.headwaters_meant()
        as_curves = self.curves_meant()

        def change(terrain: bpy.types.Object) -> tuple[str, list[str]]:
            water = rivers.add(
                terrain, kind, settings(terrain), heads, as_curves, settings_of(terrain)
            )
            beside = update_derived.update_companions(
                terrain, settings_of(terrain), update_derived.BESIDE_WATER
            )
            return Sentence("Made {name}.").format(name=water.name), beside

        def requests(terrain: bpy.types.Object) -> list[Request]:
            return rivers.requests_of_add(
                terrain, kind, settings(terrain), heads, settings_of(terrain)
            )

        return Plan(requests, change)

    def headwaters_meant(self) -> str | None:
        """Vertex group or attribute where rivers begin, see `rivers.add`."""
        return None

    def curves_meant(self) -> bool | None:
        """Whether rivers are curves, see `rivers.add`."""
        return None

    def settings(self) -> Callable[[bpy.types.Object], RiverParameters]:
        """Settings of all kinds for a terrain, without references to this operator, see `plan`."""
        parameters = self.parameter_values()
        return lambda terrain: parameters


def _masks(operator: Any, context: bpy.types.Context, edit_text: str) -> list[str]:
    terrain = active_terrain(context)
    if terrain is None or terrain.type != "MESH":
        return []
    numbers = (
        attribute.name
        for attribute in terrain.data.attributes
        if (attribute.domain, attribute.data_type) == ("POINT", "FLOAT")
    )
    return [group.name for group in terrain.vertex_groups] + sorted(numbers)


class EROSION_OT_rivers_add(_WaterOperator, bpy.types.Operator):
    """Add the rivers of the terrain as ribbons of water, with width and depth by their discharge.

    They follow every run. Press again to rebuild them
    """

    bl_idname = "erosion.rivers_add"
    bl_label = "Add Rivers"
    bl_options = {"REGISTER", "UNDO"}

    kind = "rivers"

    __annotations__ = properties_of(specifications(RiverParameters).values()) | {
        "headwaters": bpy.props.StringProperty(
            name="Headwaters",
            description=(
                "Vertex group or attribute of the terrain: rivers begin where it is over 0.5. "
                "Empty: rivers begin by Source Area"
            ),
            search=_masks,
            search_options={"SUGGESTION"},
        ),
        "curves": bpy.props.BoolProperty(
            name="Curves",
            description=(
                "Make rivers a Curves object with attributes for your own Geometry Nodes; a "
                "modifier makes the ribbons. Off: a mesh, which follows the ground under "
                "narrow brooks more closely"
            ),
        ),
    }

    def headwaters_meant(self) -> str | None:
        return self.headwaters

    def curves_meant(self) -> bool | None:
        return self.curves

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if not session.modal.returning:
            from ...scene.water import rivers

            terrain = active_terrain(context)
            if not self.properties.is_property_set("headwaters"):
                self.headwaters = rivers.headwaters_in(terrain)
            if not self.properties.is_property_set("curves"):
                self.curves = rivers.are_curves(terrain)
        return super().invoke(context, event)

    def draw(self, context: bpy.types.Context) -> None:
        super().draw(context)
        self.layout.prop(self, "headwaters")
        self.layout.prop(self, "curves")


class EROSION_OT_lakes_add(_WaterOperator, bpy.types.Operator):
    """Fill the pits of the terrain with lakes, up to where they overflow.

    They follow every run. Press again to rebuild them
    """

    bl_idname = "erosion.lakes_add"
    bl_label = "Add Lakes"
    bl_options = {"REGISTER", "UNDO"}

    kind = "lakes"

    __annotations__ = properties_of(specifications(RiverParameters).values())


class EROSION_OT_sea_add(_WaterOperator, bpy.types.Operator):
    """Add a sea over all land below its level.

    Rivers end in it, and it follows every run. The default level is that of the rivers, or of the
    recipe. Press again to change it
    """

    bl_idname = "erosion.sea_add"
    bl_label = "Add Sea"
    bl_options = {"REGISTER", "UNDO"}

    work = "Sea"
    kind = "sea"
    parameters = SeaParameters

    __annotations__ = properties_of(specifications(SeaParameters).values())

    def remembered(self, terrain: bpy.types.Object) -> SeaParameters:
        return SeaParameters(sea_level=_sea_level_of(terrain))

    def settings(self) -> Callable[[bpy.types.Object], RiverParameters]:
        level = self.sea_level if self.properties.is_property_set("sea_level") else None

        def of_terrain(terrain: bpy.types.Object) -> RiverParameters:
            parameters = visible_water.settings_in(terrain) or RiverParameters()
            return replace(parameters, sea_level=_sea_level_of(terrain) if level is None else level)

        return of_terrain


def _sea_level_of(terrain: bpy.types.Object) -> float:
    """Sea level of the terrain's rivers, else of its recipe's last step with a sea; else 0."""
    parameters = visible_water.settings_in(terrain)
    if parameters is not None and parameters.sea:
        return parameters.sea_level
    recipe = recipe_or_none(terrain.erosion)
    for step in reversed(recipe.steps if recipe else ()):
        values = step.parameters.to_dict()
        if step.enabled and values.get("sea"):
            return float(values["sea_level"])
    return 0.0


CLASSES = (EROSION_OT_rivers_add, EROSION_OT_lakes_add, EROSION_OT_sea_add)
