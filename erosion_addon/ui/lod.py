# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that makes levels of detail."""

import bpy

from ..model.errors import InputError
from ..model.parameters import Specification
from ..scene import companions
from .declared import draw_values, properties_of
from .terrain_operator import TerrainOperator

_DECLARED = (
    Specification("levels", 3, "How many meshes to make, one simpler than the other.", low=1, high=8),
    Specification(
        "error", 0.0,
        "How far the finest of them may be off the terrain: more makes it simpler. Auto: a tenth of a cell.",
        low=0, high=1e6, soft_high=10, unit="m", zero="Auto", usual=1.0,
    ),
    Specification(
        "factor", 4.0, "How many times further the next one may be off: more makes it simpler.",
        low=1.1, high=100, soft_high=16, step=0.1,
    ),
)  # fmt: skip


class EROSION_OT_lod_add(TerrainOperator, bpy.types.Operator):
    """Make simpler meshes of the terrain and of its water for game engines: TERRAIN_LOD1 and so on, hidden. Runs keep
    them up to date"""

    bl_idname = "erosion.lod_add"
    bl_label = "Levels of Detail"
    bl_options = {"REGISTER", "UNDO"}

    __annotations__ = properties_of(_DECLARED)

    def draw(self, context: bpy.types.Context) -> None:
        draw_values(self.layout, self, [known.name for known in _DECLARED])

    def execute(self, context: bpy.types.Context) -> set[str]:
        from ..scene import lod  # here, as few sessions of Blender make any

        try:
            made = lod.add(companions.terrain_of(context.object), self.levels, self.error, self.factor)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        except MemoryError:
            self.report({"ERROR"}, "There is not enough memory for levels of detail.")
            return {"CANCELLED"}
        counts = ", ".join(f"{level.name} {len(level.data.polygons):,} triangles" for level in made)
        self.report({"INFO"}, counts)
        return {"FINISHED"}


CLASSES = (EROSION_OT_lod_add,)
