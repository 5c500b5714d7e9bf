# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender keeps of a run's settings: `object.erosion`, made from the declarations of the parameters."""

import json
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ..model.errors import InputError
from ..model.masks import MASK_KINDS
from ..model.parameters import Specification, specifications
from ..model.presets import shipped
from ..model.processes import PROCESSES
from ..model.recipe import EDGE_CHOICE, SEED, Recipe, Step
from . import previews

FIRST_RECIPE = "alpine"

EDGE_ITEMS = [
    ("open", "Open", "Water leaves over the edges and takes its load along"),
    ("closed", "Closed", "The edges are walls: nothing leaves"),
    ("wrap", "Wrap", "The terrain is a seamless tile: what leaves on one side comes in on the other"),
]

COLOR_ITEMS = [
    ("NONE", "Recipe", "Strata where the recipe has some, or a vertex attribute surface_color of type Color"),
    ("ATTRIBUTE", "Attribute", "A colour attribute of the mesh, such as vertex paint"),
    ("IMAGE", "Image", "An image, stretched over the terrain"),
    ("STRATA", "Strata", "Layers of rock of different colours, which erosion brings to light"),
]

MASK_ITEMS = [
    ("NONE", "None", "No mask"),
    ("VERTEX_GROUP", "Vertex Group", "The weights of a vertex group"),
    ("ATTRIBUTE", "Attribute", "An attribute of the mesh's vertices"),
    ("IMAGE", "Image", "An image, stretched over the terrain"),
]


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _property(specification: Specification) -> Any:
    """A Blender property with the default, range, unit and sentence of a declared parameter."""
    seed_name = f" ({specification.seed_name} in the source)" if specification.seed_name else ""
    unit = f" Unit: {specification.unit}." if specification.unit else ""
    shared: dict[str, Any] = {
        "name": _label(specification.name),
        "description": f"{specification.sentence.rstrip('.')}{seed_name}.{unit}".rstrip("."),
        "default": specification.default,
    }
    if specification.choices:
        items = [(choice, _label(choice), "") for choice in specification.choices]
        return bpy.props.EnumProperty(items=items, **shared)
    if isinstance(specification.default, bool):
        return bpy.props.BoolProperty(**shared)
    if isinstance(specification.default, int):
        return bpy.props.IntProperty(min=int(specification.low), max=int(specification.high), **shared)
    return bpy.props.FloatProperty(min=specification.low, max=specification.high, precision=3, **shared)


def _settings_class(kind: str) -> type[bpy.types.PropertyGroup]:
    """The property group of one kind of step. Parameters that are lists come from the scene instead."""
    declared = specifications(PROCESSES[kind].parameters).values()
    annotations = {item.name: _property(item) for item in declared if not item.row_names}
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


class EROSION_PG_mask(bpy.types.PropertyGroup):
    """Where a mask comes from"""

    source: bpy.props.EnumProperty(name="Source", items=MASK_ITEMS)
    layer: bpy.props.StringProperty(name="Layer", description="Name of the vertex group or attribute")
    image: bpy.props.PointerProperty(type=bpy.types.Image, name="Image")
    invert: bpy.props.BoolProperty(name="Invert", description="Turn the mask around: 1 becomes 0")


class EROSION_PG_surface_color(bpy.types.PropertyGroup):
    """The colours that the ground starts with"""

    source: bpy.props.EnumProperty(name="Source", items=COLOR_ITEMS)
    layer: bpy.props.StringProperty(name="Layer", description="Name of the colour attribute")
    image: bpy.props.PointerProperty(type=bpy.types.Image, name="Image")
    strata: bpy.props.StringProperty(
        name="Strata", description="Name of shipped strata, or path of a .toml file", default="red canyon",
        search=lambda settings, context, text: list(shipped("strata")), search_options={"SUGGESTION"},
    )  # fmt: skip


class EROSION_PG_object(bpy.types.PropertyGroup):
    """Erosion of an object"""

    __annotations__ = {
        "seed": bpy.props.IntProperty(
            name="Seed", description="Another number, another terrain of the same kind",
            default=SEED.default, min=int(SEED.low), max=int(SEED.high),
        ),
        "edges": bpy.props.EnumProperty(
            name="Edges", description="What lies around the terrain", items=EDGE_ITEMS, default=EDGE_CHOICE.default
        ),
        "recipe_name": bpy.props.StringProperty(
            name="Recipe", description="The kind of landscape to make", default=FIRST_RECIPE,
            update=lambda settings, context: reload(settings),
        ),
        "recipe_choice": bpy.props.EnumProperty(
            name="Recipe", description="The kind of landscape to make, by its picture", options={"SKIP_SAVE"},
            items=previews.recipe_items, get=previews.chosen, set=previews.choose,
        ),
        "steps": bpy.props.CollectionProperty(type=EROSION_PG_step),
        "springs": bpy.props.PointerProperty(
            type=bpy.types.Collection, name="Springs",
            description="Each object of this collection is a spring on the terrain below it; its scale is its rate",
        ),
        "casters": bpy.props.PointerProperty(
            type=bpy.types.Collection, name="Casters",
            description="The objects of this collection throw soft shadows on the terrain, as a few spheres each",
        ),
        "continue_from_result": bpy.props.BoolProperty(
            name="Add to Last Run",
            description="Erode the terrain as it is now, instead of starting again from the terrain before erosion",
        ),
        "surface_color": bpy.props.PointerProperty(
            type=EROSION_PG_surface_color, name="Surface Color", description="The colours that the ground starts with"
        ),
        "report": bpy.props.StringProperty(name="Report", description="Report of the last run, as JSON"),
        **{kind: bpy.props.PointerProperty(type=EROSION_PG_mask, name=_label(kind), description=meaning)
           for kind, (_, meaning) in MASK_KINDS.items()},
    }  # fmt: skip


CLASSES = (*SETTINGS.values(), EROSION_PG_step, EROSION_PG_mask, EROSION_PG_surface_color, EROSION_PG_object)


def reload(settings: EROSION_PG_object) -> None:
    """Fill the steps with those of the recipe that is named; none where there is no such recipe."""
    settings.steps.clear()
    try:
        recipe = Recipe.load(settings.recipe_name)
    except InputError:
        return  # the run refuses the name in a sentence
    fill(settings, recipe)


def fill(settings: EROSION_PG_object, recipe: Recipe) -> None:
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


def recipe_of(settings: EROSION_PG_object, springs: list[list[float]]) -> Recipe:
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
            values[name] = _meant(getattr(group, name), values.get(name))
    return Step(item.kind, parameters.from_dict(values), item.enabled)


def _meant(value: Any, loaded: Any) -> Any:
    """The number that stands behind a property. Blender keeps float32, so 0.001 comes back as 0.0010000000475: what is
    still the recipe's is taken from there, and of what was typed seven digits; so a run here gives the same terrain as
    one on the command line."""
    if not isinstance(value, float):
        return value
    return loaded if loaded is not None and np.float32(loaded) == np.float32(value) else float(f"{value:.7g}")
