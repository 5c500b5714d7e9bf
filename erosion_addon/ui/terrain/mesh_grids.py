# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh tools: conversion to a grid, straightening, and removal of terracing."""

import bpy

from ...base.errors import InputError, Sentence
from ...scene.run import preview, readiness
from ...scene.terrain import grid, obstacle
from ...scene.terrain.active import active_terrain
from ...scene.terrain.lattice import local_heights
from ...scene.terrain.mesh import vertex_heights, write_heights
from ..base import views
from ..base.parameter_properties import length
from ..base.terrain_operator import TerrainOperator, allowed, reports_refusals, select_only
from ..base.translations import report

SURFACES = {"MESH", "CURVE", "SURFACE", "META", "FONT"}
"""Object types with faces."""


def _why_no_grid(obj: bpy.types.Object | None) -> str | None:
    if reason := readiness.why_busy():
        return reason
    if obj is None or obj.type not in SURFACES:
        return Sentence("Select an object with faces.")
    return None if obj.mode == "OBJECT" else Sentence("Switch to Object Mode first.")


class EROSION_OT_grid_from_mesh(bpy.types.Operator):
    """Convert the object to a terrain: a new, even grid of its surface as seen from above"""

    bl_idname = "erosion.grid_from_mesh"
    bl_label = "Make Grid from Mesh"
    bl_options = {"REGISTER", "UNDO"}

    cell_size: length(
        "Cell Size",
        "Meters from one vertex of the grid to the next: "
        "lower values keep finer detail; 0 is about as fine as "
        "the mesh itself",
        min=0.0,
        max=1e6,
        soft_max=100.0,
        step=10,
        options={"SKIP_SAVE"},
    )
    hide_original: bpy.props.BoolProperty(
        name="Hide Original",
        description="Hide the object, so it does not overlap the new terrain",
        default=True,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, _why_no_grid(context.object))

    @reports_refusals("There is not enough memory for so many cells; use larger ones.")
    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...scene.terrain import from_mesh

        obj = context.object
        grid_object, cell_size, holes = from_mesh.make(
            obj, self.cell_size, context.collection, context.evaluated_depsgraph_get()
        )
        self.cell_size = cell_size
        if self.hide_original:
            obj.hide_set(True)
            obj.hide_render = True
        select_only(context, grid_object)
        views.show_isolated(context, grid_object)
        lattice = grid.describe(grid_object)
        if holes:
            text = Sentence(
                "{name}: {cols} × {rows} vertices, {cell_size:.4g} m apart; {holes} outside the "
                "mesh were filled from their neighbors"
            )
        else:
            text = Sentence("{name}: {cols} × {rows} vertices, {cell_size:.4g} m apart")
        report(
            self,
            {"INFO"},
            text.format(
                name=grid_object.name,
                cols=lattice.cols,
                rows=lattice.rows,
                cell_size=cell_size,
                holes=holes,
            ),
        )
        return {"FINISHED"}


class _VertexOperator:
    """Base of operators that prepare a terrain by moving its vertices."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = active_terrain(context)
        return allowed(cls, readiness.why_busy() or obstacle.why_not(terrain))

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        preview.end()
        self.change(context, terrain)
        return {"FINISHED"}

    def change(self, context: bpy.types.Context, terrain: bpy.types.Object) -> None:
        """Change the terrain and report it."""
        raise NotImplementedError


class EROSION_OT_rotation_apply(_VertexOperator, bpy.types.Operator):
    """Turn and scale the vertices instead of the object, so that heights are along its local Z
    axis.

    Nothing moves in the scene, even with transformed parents
    """

    bl_idname = "erosion.rotation_apply"
    bl_label = "Apply Rotation"

    def change(self, context: bpy.types.Context, terrain: bpy.types.Object) -> None:
        grid.apply_rotation(terrain)
        context.view_layer.update()
        report(self, {"INFO"}, Sentence("{name}: heights are along Z").format(name=terrain.name))


class EROSION_OT_grid_straighten(_VertexOperator, bpy.types.Operator):
    """Move vertices back to their rows and columns, from which sculpting pushed them, and keep the
    surface.

    Aligned vertices stay
    """

    bl_idname = "erosion.grid_straighten"
    bl_label = "Straighten Grid"

    def change(self, context: bpy.types.Context, terrain: bpy.types.Object) -> None:
        count = grid.straighten(terrain)
        report(
            self,
            {"INFO"},
            Sentence("{name}: {count:,} vertices were put back in line").format(
                name=terrain.name, count=count
            ),
        )


class EROSION_OT_steps_smooth(TerrainOperator, bpy.types.Operator):
    """Remove the terracing of a terrain made from an 8-bit image.

    No vertex moves by more than half a step, so cliffs and peaks stay
    """

    bl_idname = "erosion.steps_smooth"
    bl_label = "Remove Terracing"
    bl_options = {"REGISTER", "UNDO"}

    step: length(
        "Step",
        "Meters from one terrace to the next: higher values smooth more; 0 finds it",
        min=0.0,
        max=1e6,
        soft_max=100.0,
        step=10,
        options={"SKIP_SAVE"},
    )

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        from ...grid.dequantize import smooth_steps, step_of

        obj = active_terrain(context)
        terrain, lattice = grid.read_terrain(obj)
        step = self.step or step_of(terrain.elevation, fewest=2)
        if step is None:
            raise InputError("{name} has no terraces to smooth away.").format(name=obj.name)
        before = vertex_heights(obj.data)
        smooth = smooth_steps(terrain.elevation, step)
        write_heights(obj.data, local_heights(lattice, before, terrain.elevation, smooth))
        self.step = step
        grid.forget(obj.data)
        report(
            self,
            {"INFO"},
            Sentence("Terraces of {step:.3g} m were smoothed away").format(step=step),
        )
        return {"FINISHED"}


def draw_convert(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the entry in Object ▸ Convert."""
    self.layout.separator()
    self.layout.operator(EROSION_OT_grid_from_mesh.bl_idname, text="Terrain Grid", icon="MESH_GRID")


def register() -> None:
    """Add the entry to Object ▸ Convert."""
    bpy.types.VIEW3D_MT_object_convert.append(draw_convert)


def unregister() -> None:
    """Remove the entry."""
    bpy.types.VIEW3D_MT_object_convert.remove(draw_convert)


CLASSES = (
    EROSION_OT_grid_from_mesh,
    EROSION_OT_rotation_apply,
    EROSION_OT_grid_straighten,
    EROSION_OT_steps_smooth,
)
