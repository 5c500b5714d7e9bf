# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps panel: the list with its buttons, and the settings of the active step."""

from typing import Any

import bpy

from ...base.errors import Sentence
from ...base.parameters import Specification, groups, specifications
from ...processes.registry import PROCESSES
from ...recipe.recipe import MOST_STEPS, Step
from ...scene.session import session
from ...scene.terrain.active import active_terrain
from ...terrain.limits import Limits
from ..base import handlers
from ..base.panel import SubPanel, redraw_panels
from ..base.parameter_properties import CONTEXT, draw_value
from . import steps, stroke_properties, wind_rose
from .steps import StepOperator


class EROSION_UL_steps(bpy.types.UIList):
    """Steps of the recipe, first to last. Double-click a step to rename it"""

    def draw_item(
        self,
        context: Any,
        layout: bpy.types.UILayout,
        data: Any,
        item: Any,
        icon: int,
        active_data: Any,
        active_name: str,
    ) -> None:
        row = layout.row(align=True)
        row.prop(item, "enabled", text="")
        name = row.row(align=True)
        name.active = item.enabled
        if item.name:
            name.prop(item, "name", text="", emboss=False, icon=PROCESSES[item.kind].icon)
        else:  # made by a script, or by an earlier release
            name.label(text=PROCESSES[item.kind].label, icon=PROCESSES[item.kind].icon)

    def draw_filter(self, context: Any, layout: bpy.types.UILayout) -> None:
        """Disabled: the list shows the order of execution."""


class _AddingOperator(StepOperator):
    """Base of operators that insert a step below the active one and make it active."""

    @classmethod
    def why_not(cls, terrain: bpy.types.Object | None) -> str | None:
        if (reason := super().why_not(terrain)) is None and len(
            terrain.erosion.steps
        ) >= MOST_STEPS:  # type: ignore[union-attr]
            reason = Sentence("A recipe has at most {most} steps").format(most=MOST_STEPS)
        return reason

    def act(self, settings: Any) -> bool:
        self.append(settings)
        place = settings.active_step + 1 if len(settings.steps) > 1 else 0
        settings.steps.move(len(settings.steps) - 1, place)
        settings.active_step = place
        return True

    def append(self, settings: Any) -> None:
        """Append the step."""
        raise NotImplementedError


class EROSION_OT_step_add(_AddingOperator, bpy.types.Operator):
    """Add a step below the active one"""

    bl_idname = "erosion.step_add"
    bl_label = "Add Step"

    kind: bpy.props.EnumProperty(
        name="Process",
        description="Process of the step",
        items=[
            (kind, process.label, process.about.rstrip("."), process.icon, number)
            for number, (kind, process) in enumerate(PROCESSES.items())
        ],
    )

    def append(self, settings: Any) -> None:
        steps.add(settings, Step(self.kind, PROCESSES[self.kind].parameters()))


class EROSION_OT_step_duplicate(_AddingOperator, bpy.types.Operator):
    """Add a copy of the active step below it"""

    bl_idname = "erosion.step_duplicate"
    bl_label = "Duplicate Step"

    def append(self, settings: Any) -> None:
        copy = settings.steps.add()
        # looked up again: add() may move items
        item = settings.steps[settings.active_step]
        copy.name = item.name
        copy.kind = item.kind
        copy.enabled = item.enabled
        copy.loaded = item.loaded
        steps.fill_winds(copy, steps.winds_of(item))
        stroke_properties.fill(copy, stroke_properties.strokes_of(item))
        group = getattr(item, item.kind)
        for name in specifications(PROCESSES[item.kind].parameters):
            if hasattr(group, name):  # lists are stored elsewhere
                setattr(getattr(copy, item.kind), name, getattr(group, name))
        for name, value in steps.limits_of(item).items():
            setattr(copy.limits, name, value)
        for name, mask in steps.masks_of(item).items():
            setattr(steps.masks(copy), name, mask)


class EROSION_OT_step_remove(StepOperator, bpy.types.Operator):
    """Remove the active step"""

    bl_idname = "erosion.step_remove"
    bl_label = "Remove Step"

    @classmethod
    def why_not(cls, terrain: bpy.types.Object | None) -> str | None:
        if (reason := super().why_not(terrain)) is None and len(terrain.erosion.steps) == 1:  # type: ignore[union-attr]
            reason = Sentence(
                "A recipe needs at least one step; add another one first, or switch this one off"
            )
        return reason

    def act(self, settings: Any) -> bool:
        if len(settings.steps) < 2:
            return False
        settings.steps.remove(settings.active_step)
        settings.active_step = min(settings.active_step, len(settings.steps) - 1)
        return True


class EROSION_OT_step_move(StepOperator, bpy.types.Operator):
    """Move the active step, so that it runs earlier or later"""

    bl_idname = "erosion.step_move"
    bl_label = "Move Step"

    direction: bpy.props.EnumProperty(
        name="Direction",
        description="Direction in which the step moves",
        items=[("UP", "Up", "Move it earlier"), ("DOWN", "Down", "Move it later")],
    )

    def act(self, settings: Any) -> bool:
        place = settings.active_step + (1 if self.direction == "DOWN" else -1)
        if not 0 <= place < len(settings.steps):
            return False
        settings.steps.move(settings.active_step, place)
        settings.active_step = place
        return True


class EROSION_PT_steps(SubPanel):
    bl_label = "Steps"
    bl_options = set()

    def draw(self, context: bpy.types.Context) -> None:
        terrain = active_terrain(context)
        settings = terrain.erosion
        if not settings.steps:
            _fill_soon(terrain)
            return
        _draw_list(self.layout, settings)
        item = settings.steps[min(settings.active_step, len(settings.steps) - 1)]
        if item.name not in ("", PROCESSES[item.kind].label):
            self.layout.label(text=PROCESSES[item.kind].label, icon=PROCESSES[item.kind].icon)
        _draw_settings(self.layout, item, bool(settings.springs and settings.springs.all_objects))


def _draw_list(layout: bpy.types.UILayout, settings: Any) -> None:
    row = layout.row()
    row.template_list(
        "EROSION_UL_steps", "", settings, "steps", settings, "active_step", rows=6, sort_lock=True
    )
    column = row.column(align=True)
    column.operator_menu_enum("erosion.step_add", "kind", text="", icon="ADD")
    column.operator("erosion.step_remove", text="", icon="REMOVE")
    column.separator()
    column.operator("erosion.step_move", text="", icon="TRIA_UP").direction = "UP"
    column.operator("erosion.step_move", text="", icon="TRIA_DOWN").direction = "DOWN"
    column.separator()
    column.operator("erosion.step_duplicate", text="", icon="DUPLICATE")


def _draw_settings(layout: bpy.types.UILayout, item: Any, has_springs: bool) -> None:
    """Draw the settings of a step by group; groups without effect are hidden."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    process = PROCESSES[item.kind]
    values = {
        **process.parameters().to_dict(),
        **steps.values_of(item, [[]] if has_springs else []),
    }
    for group, declared in groups(process.parameters).items():
        # springs are empties of the scene
        group_rows = [declaration for declaration in declared if declaration.name != "springs"]
        if any(declaration.acts(values) for declaration in group_rows):
            _draw_group(layout, item, group, group_rows, values)
    _draw_limits(layout, item)
    _draw_masks(layout, item, values)


def _draw_masks(layout: bpy.types.UILayout, item: Any, values: dict[str, Any]) -> None:
    """Draw the masks of parameters that act with these values."""
    header, body = layout.panel("erosion_step_masks", default_closed=True)
    header.label(text="Parameter Masks")
    if body is not None:
        declared = specifications(PROCESSES[item.kind].parameters)
        for name, declaration in PROCESSES[item.kind].scales.items():
            row = body.row()
            row.active = item.enabled and declared[name].acts(values)
            _draw_setting(row, steps.masks(item), declaration)


def _draw_limits(layout: bpy.types.UILayout, item: Any) -> None:
    """Draw the limits of a step, the same for every process."""
    header, body = layout.panel("erosion_step_limits", default_closed=True)
    header.label(text="Limits")
    if body is not None:
        body.active = item.enabled
        for declaration in specifications(Limits).values():
            _draw_setting(body.row(), item.limits, declaration)


def _draw_group(
    layout: bpy.types.UILayout,
    item: Any,
    group: str,
    group_rows: list[Specification],
    values: dict[str, Any],
) -> None:
    if group:
        header, body = layout.panel(f"erosion_{item.kind}_{group}", default_closed=True)
        header.label(text=group)
    else:
        body = layout.column()
    if body is not None:
        for declaration in group_rows:
            row = body.row()
            row.active = item.enabled and declaration.acts(values)
            if declaration.name == "wind_rose":
                wind_rose.draw(row, item)
            elif declaration.name == "strokes":
                stroke_properties.draw(row, item)
            else:
                _draw_setting(row, getattr(item, item.kind), declaration)


def _draw_setting(row: bpy.types.UILayout, settings: Any, declaration: Specification) -> None:
    """Draw a setting with half the width for its name, as many names end in a unit."""
    if isinstance(declaration.default, bool):
        row.prop(settings, declaration.name)
        return
    halves = row.split(factor=0.52)
    name = halves.row()
    name.alignment = "RIGHT"
    name.label(text=settings.bl_rna.properties[declaration.name].name, text_ctxt=CONTEXT)
    draw_value(halves, settings, declaration.name, "")


def _fill_soon(terrain: bpy.types.Object) -> None:
    """Load a terrain's steps after drawing, as nothing may be written while Blender draws."""
    session.steps.without_steps.add(terrain.session_uid)
    handlers.call_later(_fill)


def _fill() -> None:
    for obj in bpy.data.objects:
        if obj.session_uid in session.steps.without_steps and obj.is_editable:
            steps.ensure(obj.erosion)
            if obj.erosion.steps:  # otherwise the panel is redrawn forever
                redraw_panels()
    session.steps.without_steps.clear()


CLASSES = (
    EROSION_UL_steps,
    EROSION_OT_step_add,
    EROSION_OT_step_duplicate,
    EROSION_OT_step_remove,
    EROSION_OT_step_move,
    EROSION_PT_steps,
)

TIMERS: handlers.Timers = (_fill,)
