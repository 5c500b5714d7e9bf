# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators that change a terrain with the worker's help: light, levels of detail, rivers,
analysis.
"""

from typing import Any

import bpy

from ...base.errors import InputError
from ...base.parameters import Parameters, specifications
from ...scene.companions import companions
from ...scene.run import job
from ...scene.run.errand import Errand, Plan
from ...scene.run.task import Task
from ..base.parameter_properties import draw_values, exact
from ..base.terrain_operator import why_no_run
from . import attendance
from .task_operator import TaskOperator


class ErrandOperator(TaskOperator):
    """Base of operators on the active terrain. Subclasses define `work`, its name, and `plan`.

    Without a need for the worker they change the terrain at once, as other operators do.
    """

    work = ""

    def plan(self) -> Plan:
        """Request to the worker and its follow-up, without references to this operator: another one
        may execute it.
        """
        raise NotImplementedError

    @classmethod
    def why_not(cls, context: bpy.types.Context) -> str | None:
        return why_no_run(companions.terrain_of(context.object))

    def takes_time(self, context: bpy.types.Context) -> bool:
        try:
            return bool(self.plan().requests(companions.terrain_of(context.object)))
        except InputError:
            return False

    def begin(self: Any, context: bpy.types.Context) -> Task:
        terrain = companions.terrain_of(context.object)
        job.check(terrain)
        return job.begin(Errand(terrain, self.work, self.plan()))


class ParameterOperator(ErrandOperator):
    """Base of operators whose settings are parameters.

    Subclasses define `parameters`, the class, and its properties.
    """

    parameters: type[Parameters]

    def remembered(self, terrain: bpy.types.Object) -> Parameters | None:
        """Last settings, used as defaults; None if there are none."""
        return None

    def given(self) -> Any:
        """Settings as an instance of `parameters`."""
        names = specifications(self.parameters)
        return self.parameters.from_dict({name: exact(getattr(self, name), None) for name in names})

    def invoke(self: Any, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        known = (
            None
            if attendance.now.returning
            else self.remembered(companions.terrain_of(context.object))
        )
        for name, value in known.to_dict().items() if known else ():
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        return super().invoke(context, event)

    def draw(self: Any, context: bpy.types.Context) -> None:
        draw_values(self.layout, self, specifications(self.parameters))
