# SPDX-License-Identifier: GPL-3.0-or-later
"""Winds panel below the settings of a wind step."""

from typing import Any

import bpy

from ...base.errors import Sentence
from ...base.parameters import specifications
from ...processes.registry import PROCESSES
from ..base.parameter_properties import CONTEXT
from . import steps
from .steps import StepOperator

MOST = 36
"""Maximum winds in the panel; a recipe may have more."""


def _has_winds(kind: str) -> bool:
    return "wind_rose" in specifications(PROCESSES[kind].parameters)


class _WindOperator(StepOperator):
    """Base of operators on the winds of the active step."""

    @classmethod
    def why_not(cls, terrain: bpy.types.Object | None) -> str | None:
        if (reason := super().why_not(terrain)) is None:
            settings = terrain.erosion  # type: ignore[union-attr]
            kinds = [item.kind for item in settings.steps][settings.active_step :][:1]
            if not any(map(_has_winds, kinds)):
                reason = Sentence("Choose a step of wind or dunes")
        return reason

    def act(self, settings: Any) -> bool:
        item = settings.steps[settings.active_step]
        rows = self.changed(item, steps.winds_of(item))
        steps.fill_winds(item, rows)
        return True

    def changed(self, item: Any, rows: list[list[float]]) -> list[list[float]]:
        """New winds. rows: current winds."""
        raise NotImplementedError


class EROSION_OT_wind_add(_WindOperator, bpy.types.Operator):
    """Add a wind that takes turns with the others, at right angles to the last one"""

    bl_idname = "erosion.wind_add"
    bl_label = "Add Wind"

    @classmethod
    def why_not(cls, terrain: bpy.types.Object | None) -> str | None:
        reason = super().why_not(terrain)
        if (
            reason is None
            and len(steps.winds_of(terrain.erosion.steps[terrain.erosion.active_step])) >= MOST
        ):  # type: ignore[union-attr]
            reason = Sentence("A wind rose has at most {most} winds").format(most=MOST)
        return reason

    def changed(self, item: Any, rows: list[list[float]]) -> list[list[float]]:
        rows = rows or [[getattr(item, item.kind).direction, 1.0]]
        direction = rows[-1][0] + 90.0
        return [*rows, [direction - 360.0 if direction > 180.0 else direction, 1.0]]


class EROSION_OT_wind_remove(_WindOperator, bpy.types.Operator):
    """Remove this wind. Without any, the direction above is used"""

    bl_idname = "erosion.wind_remove"
    bl_label = "Remove Wind"

    index: bpy.props.IntProperty(
        name="Wind", description="Number of the wind, from 0", min=0, options={"HIDDEN"}
    )

    def changed(self, item: Any, rows: list[list[float]]) -> list[list[float]]:
        return rows[: self.index] + rows[self.index + 1 :]


def draw(layout: bpy.types.UILayout, item: Any) -> None:
    """Draw the winds of a step with direction and weight, and the button that adds one."""
    column = layout.column(align=True)
    column.use_property_split = False
    if item.winds:
        titles = column.row()
        for name in ("direction", "weight"):
            titles.label(text=item.winds[0].bl_rna.properties[name].name, text_ctxt=CONTEXT)
    for index, wind in enumerate(item.winds):
        row = column.row(align=True)
        row.prop(wind, "direction", text="")
        row.prop(wind, "weight", text="")
        row.operator("erosion.wind_remove", text="", icon="X").index = index
    column.operator("erosion.wind_add", icon="ADD")


CLASSES = (EROSION_OT_wind_add, EROSION_OT_wind_remove)
