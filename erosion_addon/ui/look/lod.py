# SPDX-License-Identifier: GPL-3.0-or-later
"""Operator that makes levels of detail."""

import bpy

from ...base.errors import Sentence, joined
from ...base.parameters import Specification
from ...scene.run.errand import Plan
from ..base.parameter_properties import draw_values, properties_of
from ..run.modal import ErrandOperator

_DECLARED = (
    Specification(
        "levels", 3, "Number of meshes, each simpler than the one before.", low=1, high=8
    ),
    Specification(
        "error",
        0.0,
        (
            "Maximum error of the finest level: higher values make it simpler. Auto: a tenth of a "
            "cell."
        ),
        low=0,
        high=1e6,
        soft_high=10,
        unit="m",
        zero="Auto",
        usual=1.0,
    ),
    Specification(
        "factor",
        4.0,
        "Factor from the error of one level to that of the next: higher values make it simpler.",
        low=1.1,
        high=100,
        soft_high=16,
        step=0.1,
    ),
)


class EROSION_OT_lod_add(ErrandOperator, bpy.types.Operator):
    """Make simpler meshes of the terrain and its water for game engines: TERRAIN_LOD1 and so on,
    hidden.

    Runs keep them up to date
    """

    bl_idname = "erosion.lod_add"
    bl_label = "Levels of Detail"
    bl_options = {"REGISTER", "UNDO"}

    work = "Levels of Detail"

    __annotations__ = properties_of(_DECLARED)

    def draw(self, context: bpy.types.Context) -> None:
        draw_values(self.layout, self, [declaration.name for declaration in _DECLARED])

    def plan(self) -> Plan:
        from ...scene.derived import lod

        count = self.levels
        error = self.error
        factor = self.factor

        def change(terrain: bpy.types.Object) -> tuple[str, list[str]]:
            levels = lod.add(terrain, count, error, factor)
            sentence = Sentence("{name} {count:,} triangles")
            sentences = [
                sentence.format(name=level.name, count=len(level.data.polygons)) for level in levels
            ]
            return joined(sentences, ", "), []

        return Plan(lambda terrain: lod.requests_of_add(terrain, count, error, factor), change)


CLASSES = (EROSION_OT_lod_add,)
