# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators share that change a terrain with the worker's help: light, levels of detail, rivers, analysis."""

from typing import Any

import bpy

from ...base.errors import InputError
from ...base.parameters import Parameters, specifications
from ...scene.derived import companions
from ...scene.run import job
from ...scene.run.errand import Errand, Plan
from ...scene.run.task import Task
from ..base.parameter_properties import draw_values, meant
from ..base.terrain_operator import why_no_run
from . import attendance
from .task_operator import TaskOperator


class ErrandOperator(TaskOperator):
    """For operators on the terrain of the active object: subclasses have `work`, how that is called, and `plan`.

    Where the worker need not be asked anything they change the terrain at once, as other operators do.
    """

    work = ""

    def plan(self) -> Plan:
        """What the worker is asked, and what then happens. It refers to nothing of this operator: another one may
        carry it out."""
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
    """For those whose settings are parameters: subclasses have `parameters`, the class, and its properties."""

    parameters: type[Parameters]

    def remembered(self, terrain: bpy.types.Object) -> Parameters | None:
        """The settings of the last time, which the operator begins with; None for the defaults."""
        return None

    def given(self) -> Any:
        """The settings as an instance of `parameters`."""
        names = specifications(self.parameters)
        return self.parameters.from_dict({name: meant(getattr(self, name), None) for name in names})

    def invoke(self: Any, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        known = None if attendance.now.returning else self.remembered(companions.terrain_of(context.object))
        for name, value in known.to_dict().items() if known else ():
            if not self.properties.is_property_set(name):
                setattr(self, name, value)
        return super().invoke(context, event)

    def draw(self: Any, context: bpy.types.Context) -> None:
        draw_values(self.layout, self, specifications(self.parameters))
