# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator that makes levels of detail."""

import bpy

from ..model.errors import InputError
from ..scene import companions
from .terrain_operator import TerrainOperator


class EROSION_OT_lod_add(TerrainOperator, bpy.types.Operator):
    """Make simpler meshes of the terrain and of its water for game engines: TERRAIN_LOD1 and so on, hidden. Runs keep
    them up to date"""

    bl_idname = "erosion.lod_add"
    bl_label = "Levels of Detail"
    bl_options = {"REGISTER", "UNDO"}

    levels: bpy.props.IntProperty(
        name="Levels", description="How many meshes to make, one simpler than the other", default=3, min=1, max=8
    )
    error: bpy.props.FloatProperty(
        name="Error",
        description="How many metres the finest of them may be off the terrain: more makes it simpler; 0 is a tenth "
        "of a cell",
        min=0, max=1e6, soft_max=10, step=10, precision=5, unit="LENGTH",
    )  # fmt: skip
    factor: bpy.props.FloatProperty(
        name="Factor", description="How many times further the next one may be off: more makes it simpler",
        default=4.0, min=1.1, max=100, soft_max=16, step=10,
    )  # fmt: skip

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
