# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators on the steps of a recipe."""

from typing import Any

import bpy

from ...scene.companions import companions
from ..base.terrain_operator import allowed
from . import steps


class StepOperator:
    """Base of operators on the steps of the active terrain."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, cls.why_not(companions.terrain_of(context.object)))

    @classmethod
    def why_not(cls, terrain: bpy.types.Object | None) -> str | None:
        if terrain is None or terrain.type != "MESH":
            return "Select a terrain"
        return (
            None
            if terrain.is_editable
            else f"{terrain.name} is linked from another file, which holds its settings"
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = companions.terrain_of(context.object).erosion
        steps.ensure(settings)
        settings.active_step = min(settings.active_step, len(settings.steps) - 1)
        return {"FINISHED"} if self.act(settings) else {"CANCELLED"}

    def act(self, settings: Any) -> bool:
        """Change the steps; returns False if there is nothing to change."""
        raise NotImplementedError
