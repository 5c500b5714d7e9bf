# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a recipe as Blender keeps and shows them: settings made from the declarations of the parameters."""

import json
from dataclasses import replace
from typing import Any

import bpy

from ..model.errors import InputError
from ..model.parameters import specifications
from ..model.processes import PROCESSES
from ..model.recipe import Recipe, Step
from ..scene import companions, job
from .declared import meant, property_of
from .panel import SubPanel


def _settings_class(kind: str) -> type[bpy.types.PropertyGroup]:
    """The property group of one kind of step. Parameters that are lists come from the scene instead."""
    declared = specifications(PROCESSES[kind].parameters).values()
    annotations = {item.name: property_of(item) for item in declared if not item.row_names}
    return type(f"EROSION_PG_{kind}", (bpy.types.PropertyGroup,), {"__annotations__": annotations})


SETTINGS = {kind: _settings_class(kind) for kind in PROCESSES}


class EROSION_PG_step(bpy.types.PropertyGroup):
    """One step of the recipe"""

    __annotations__ = {
        "kind": bpy.props.EnumProperty(
            name="Kind", items=[(kind, process.label, "") for kind, process in PROCESSES.items()]
        ),
        "enabled": bpy.props.BoolProperty(name="Enabled", description="Whether this step takes part", default=True),
        "loaded": bpy.props.StringProperty(description="Parameters as the recipe gave them, as JSON"),
        "show_settings": bpy.props.BoolProperty(name="Show Settings", default=True),
        **{kind: bpy.props.PointerProperty(type=settings) for kind, settings in SETTINGS.items()},
    }


def reload(settings: Any) -> None:
    """Fill the steps with those of the recipe that is named; none where there is no such recipe."""
    settings.steps.clear()
    try:
        recipe = Recipe.load(settings.recipe_name)
    except InputError:
        return  # the run refuses the name in a sentence
    fill(settings, recipe)


def fill(settings: Any, recipe: Recipe) -> None:
    """Take over a recipe's steps and edges, and its seed if it brings one."""
    settings.steps.clear()
    settings.edges = recipe.edges
    settings.seed = recipe.seed or settings.seed
    for step in recipe.steps:
        item = settings.steps.add()
        item.kind, item.enabled = step.kind, step.enabled
        group = getattr(item, step.kind)
        values = step.parameters.to_dict()
        item.loaded = json.dumps(values)
        for name in values:
            if hasattr(group, name):
                setattr(group, name, values[name])


def recipe_of(settings: Any, springs: list[list[float]]) -> Recipe:
    """The recipe that the settings stand for. springs: rows of x, y, rate; they replace those of the recipe."""
    named = Recipe.load(settings.recipe_name)
    steps = [_step_of(item, springs) for item in settings.steps] or named.steps
    return replace(named, steps=tuple(steps), seed=settings.seed, edges=settings.edges)


def _step_of(item: EROSION_PG_step, springs: list[list[float]]) -> Step:
    parameters = PROCESSES[item.kind].parameters
    group = getattr(item, item.kind)
    values = json.loads(item.loaded or "{}")
    if springs and "springs" in specifications(parameters):
        values["springs"] = springs
    for name in specifications(parameters):
        if hasattr(group, name):
            values[name] = meant(getattr(group, name), values.get(name))
    return Step(item.kind, parameters.from_dict(values), item.enabled)


class EROSION_PT_steps(SubPanel):
    bl_label = "Steps"

    def draw(self, context: bpy.types.Context) -> None:
        settings = companions.terrain_of(context.object).erosion
        self.layout.active = job.current is None
        if not settings.steps:
            self.layout.operator("erosion.recipe_load", text="Show Settings").name = settings.recipe_name
        for item in settings.steps:
            header, body = self.layout.panel_prop(item, "show_settings")
            header.prop(item, "enabled", text="")
            header.label(text=PROCESSES[item.kind].label)
            if body is not None:
                _draw_settings(body, item)


def _draw_settings(body: Any, item: Any) -> None:
    body.use_property_split = True
    body.use_property_decorate = False
    body.active = item.enabled
    for name in SETTINGS[item.kind].__annotations__:
        body.prop(getattr(item, item.kind), name)


CLASSES = (*SETTINGS.values(), EROSION_PG_step, EROSION_PT_steps)
