# SPDX-License-Identifier: GPL-3.0-or-later
"""Advice about a terrain in the panel, with buttons that fix the problem."""

from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...base.errors import InputError, reason_of
from ...processes.registry import PROCESSES
from ...scene.companions import companions
from ...scene.terrain import checks, grid, obstacle
from ...scene.terrain.active import active_terrain
from ..base import handlers, views
from ..base.panel import draw_lines
from ..base.parameter_properties import length
from ..base.terrain_operator import reports_refusals, select_only
from ..recipe import steps

REMEDIES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "object_mode": ("object.mode_set", "Object Mode", {"mode": "OBJECT"}),
    "make_local": ("object.make_local", "Make Local", {"type": "SELECT_OBDATA"}),
    "make_single_user": (
        "object.make_single_user",
        "Make Single User",
        {"object": True, "obdata": True},
    ),
    "apply_modifiers": ("object.convert", "Apply Modifiers", {"target": "MESH"}),
    "apply_shape_keys": (
        "object.shape_key_remove",
        "Apply Shape Keys",
        {"all": True, "apply_mix": True},
    ),
    "apply_scale": (
        "object.transform_apply",
        "Apply Scale",
        {"location": False, "rotation": False, "scale": True},
    ),
    "apply_rotation": ("erosion.rotation_apply", "Apply Rotation", {}),
    "clear_scale": ("object.scale_clear", "Reset Scale", {}),
    "clear_rotation": ("object.rotation_clear", "Clear Rotation", {}),
    "move_origin": (
        "object.origin_set",
        "Origin to Terrain",
        {"type": "ORIGIN_GEOMETRY", "center": "BOUNDS"},
    ),
    "grid_from_mesh": ("erosion.grid_from_mesh", "Make Grid", {}),
    "grid_straighten": ("erosion.grid_straighten", "Straighten Grid", {}),
    "add_terrain": ("erosion.terrain_add", "Add Terrain", {}),
    "smooth_steps": ("erosion.steps_smooth", "Remove Terracing", {}),
    "unit_scale": (
        "wm.context_set_float",
        "Unit Scale 1",
        {"data_path": "scene.unit_settings.scale_length", "value": 1.0},
    ),
    "open_edges": (
        "wm.context_set_enum",
        "Open Edges",
        {"data_path": "object.erosion.edges", "value": "open"},
    ),
    "enlarge": ("erosion.terrain_enlarge", "Scale to 2 km", {}),
    "sand_add": ("erosion.sand_add", "Add Sand", {}),
    "shorten_time_step": ("erosion.time_step_shorten", "Shorten Time Step", {}),
}
"""Name of a remedy → operator, button text, operator properties."""


def draw(layout: bpy.types.UILayout, advice: obstacle.Advice, icon: str) -> None:
    """Draw an advice, and the button below it."""
    draw_lines(layout, [advice.sentence], icon)
    if advice.remedy:
        operator, text, properties = REMEDIES[advice.remedy]
        row = layout.row()
        row.separator(factor=2.0)
        # which acts on the selection, for example a level of detail
        if operator.startswith("object."):
            row.operator(EROSION_OT_remedy.bl_idname, text=text).remedy = advice.remedy
            return
        button = row.operator(operator, text=text)
        for name, value in properties.items():
            setattr(button, name, value)


class EROSION_OT_remedy(bpy.types.Operator):
    """Fix the problem above on the terrain"""

    bl_idname = "erosion.remedy"
    bl_label = "Fix Terrain"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    remedy: bpy.props.EnumProperty(
        name="Remedy",
        description="Change to make",
        items=[
            (name, text, "")
            for name, (operator, text, _) in REMEDIES.items()
            if operator.startswith("object.")
        ],
        options={"HIDDEN", "SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return active_terrain(context) is not None

    @classmethod
    def description(cls, context: bpy.types.Context, properties: Any) -> str:
        return str(_function(properties.remedy).get_rna_type().description)

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        try:
            if context.mode != "OBJECT":
                bpy.ops.object.mode_set(mode="OBJECT")
            select_only(context, terrain)
            companions.put_in_place(terrain)
            result = set(_function(self.remedy)("EXEC_DEFAULT", **REMEDIES[self.remedy][2]))
            context.view_layer.update()
            companions.put_in_place(terrain)
            return result
        except RuntimeError as error:
            # the terrain is on no view layer, or Blender's operator refuses
            raise InputError(reason_of(error)) from None


def _function(remedy: str) -> Any:
    """Blender's own operator of a remedy."""
    group, name = REMEDIES[remedy][0].split(".")
    return getattr(getattr(bpy.ops, group), name)


class _MendingOperator:
    """Base of operators that fix an obstacle to a run on the active terrain."""

    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        terrain = active_terrain(context)
        return terrain is not None and obstacle.obstacle(terrain) is None


class EROSION_OT_terrain_enlarge(_MendingOperator, bpy.types.Operator):
    """Scale the terrain evenly, including heights, to the width of real land.

    Wind and water then work on larger forms
    """

    bl_idname = "erosion.terrain_enlarge"
    bl_label = "Enlarge Terrain"

    width: bpy.props.FloatProperty(
        name="Width",
        description="Length of the longer side: higher values make eroded forms look smaller",
        default=2000.0,
        min=1.0,
        max=1e6,
        soft_max=20_000.0,
        step=1000,
        precision=5,
        subtype="DISTANCE",
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        result = self.execute(context)
        terrain = active_terrain(context)
        select_only(context, terrain)
        views.frame(context, terrain)
        return result

    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        lattice = grid.describe(terrain)
        width = max(
            (lattice.rows - 1) * lattice.spacing[0], (lattice.cols - 1) * lattice.spacing[1]
        )
        terrain.scale *= self.width / width
        return {"FINISHED"}


class EROSION_OT_sand_add(_MendingOperator, bpy.types.Operator):
    """Turn the top meters of the ground into loose sand for wind and water to move. Heights do not
    change
    """

    bl_idname = "erosion.sand_add"
    bl_label = "Add Sand"

    thickness: length(
        "Thickness",
        "Thickness of the sand: higher values expose the rock later. 0: the thickness for"
        " the recipe",
        default=0.0,
        min=0.0,
        max=1e6,
        soft_max=100.0,
        step=100,
        options={"SKIP_SAVE"},
    )

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        recipe = steps.recipe_or_none(terrain.erosion)
        thickness = self.thickness or (recipe.needs.sediment if recipe else 0.0)
        if not thickness:
            raise InputError("The recipe needs no sand; set a thickness.")
        self.thickness = thickness
        checks.add_sand(terrain, thickness, not terrain.erosion.continue_from_result)
        return {"FINISHED"}


class EROSION_OT_time_step_shorten(_MendingOperator, bpy.types.Operator):
    """Shorten the water's time step to suit the cells, so that the ground keeps up with the
    water
    """

    bl_idname = "erosion.time_step_shorten"
    bl_label = "Shorten Time Step"

    def execute(self, context: bpy.types.Context) -> set[str]:
        terrain = active_terrain(context)
        spacing = grid.describe(terrain).spacing
        for item in terrain.erosion.steps:
            small = PROCESSES[item.kind].small_steps(steps.parameters_of(item, []), spacing)
            if small > checks.FINE_ENOUGH:
                getattr(item, item.kind).time_step *= checks.FINE_ENOUGH / small
        return {"FINISHED"}


@persistent
def _meshes_are_others(*_: Any) -> None:
    """Clear the cache of grid checks after opening a file or undo."""
    grid.forget()


CLASSES = (
    EROSION_OT_remedy,
    EROSION_OT_terrain_enlarge,
    EROSION_OT_sand_add,
    EROSION_OT_time_step_shorten,
)

HANDLERS: handlers.Handlers = (
    ("depsgraph_update_post", grid.forget_changed),
    ("load_post", _meshes_are_others),
    ("undo_post", _meshes_are_others),
    ("redo_post", _meshes_are_others),
)
