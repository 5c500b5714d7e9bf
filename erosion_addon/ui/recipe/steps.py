# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of a recipe as stored by Blender: property groups made from parameter declarations."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import bpy

from ...base.errors import InputError, Sentence
from ...base.parameters import Parameters, specifications
from ...processes.registry import PROCESSES
from ...recipe.recipe import LONGEST_NAME, Recipe, Step
from ...scene.session import session
from ...scene.terrain import grid
from ...scene.terrain.active import active_terrain
from ...terrain.limits import Limits
from ..base.parameter_properties import CONTEXT, exact, properties_of
from ..base.terrain_operator import allowed
from . import loaded_recipe, stroke_properties


def _settings_class(kind: str) -> type[bpy.types.PropertyGroup]:
    """Property group of one kind of step, without list parameters."""
    declared = specifications(PROCESSES[kind].parameters).values()
    annotations = properties_of(item for item in declared if not item.is_list)
    return type(
        f"EROSION_PG_step_{kind}", (bpy.types.PropertyGroup,), {"__annotations__": annotations}
    )


SETTINGS = {kind: _settings_class(kind) for kind in PROCESSES}


def _masks_class(kind: str) -> type[bpy.types.PropertyGroup]:
    """Property group of the parameter masks of one kind of step."""
    annotations = properties_of(PROCESSES[kind].scales.values())
    return type(
        f"EROSION_PG_masks_{kind}", (bpy.types.PropertyGroup,), {"__annotations__": annotations}
    )


MASKS = {kind: _masks_class(kind) for kind in PROCESSES}


class EROSION_PG_limits(bpy.types.PropertyGroup):
    """Heights and slopes on which a step works, and the greatest depth of its changes"""

    __annotations__ = properties_of(specifications(Limits).values())


class EROSION_PG_wind(bpy.types.PropertyGroup):
    """One of several winds that take turns"""

    direction: bpy.props.FloatProperty(
        name="Direction (°)",
        description="Direction in which this wind blows: 0 along x, 90 along y",
        min=-360,
        max=360,
        soft_min=-180,
        soft_max=180,
        step=100,
        precision=1,
        translation_context=CONTEXT,
    )
    weight: bpy.props.FloatProperty(
        name="Weight",
        description="Share of this wind among the winds: higher values turn the dunes to it",
        default=1.0,
        min=0,
        max=1e6,
        soft_max=10,
        step=10,
        precision=2,
        translation_context=CONTEXT,
    )


class EROSION_PG_step(bpy.types.PropertyGroup):
    """One step of the recipe"""

    __annotations__ = {
        "kind": bpy.props.EnumProperty(
            name="Process",
            description="Process of the step",
            items=[
                (kind, process.label, process.about.rstrip("."))
                for kind, process in PROCESSES.items()
            ],
        ),
        "enabled": bpy.props.BoolProperty(
            name="Enabled", description="Include this step in runs", default=True
        ),
        "winds": bpy.props.CollectionProperty(
            type=EROSION_PG_wind,
            name="Wind Rose",
            description="Several winds that take turns, instead of one",
        ),
        "strokes": bpy.props.CollectionProperty(
            type=stroke_properties.EROSION_PG_stroke,
            name="Strokes",
            description="Strokes painted with the brush",
        ),
        "painted": bpy.props.StringProperty(
            name="Painted",
            description="Mark of the mesh whose last change is the strokes",
            options={"HIDDEN"},
        ),
        "loaded": bpy.props.StringProperty(
            description="Parameters as the recipe gave them, as JSON"
        ),
        "limits": bpy.props.PointerProperty(
            type=EROSION_PG_limits,
            name="Limits",
            description="Where the step acts, and its maximum change",
        ),
        **{
            kind: bpy.props.PointerProperty(
                type=settings,
                name=PROCESSES[kind].label,
                description=PROCESSES[kind].about.rstrip("."),
            )
            for kind, settings in SETTINGS.items()
        },
        **{
            f"{kind}_masks": bpy.props.PointerProperty(
                type=settings,
                name="Parameter Masks",
                description=("Masks and maps that scale parameters from place to place"),
            )
            for kind, settings in MASKS.items()
        },
    }


OPENED = Sentence(
    "The recipe wraps at the edges, but opposite edges of this terrain do not meet, so they are "
    "open."
)


def reload(settings: Any) -> None:
    """Load the steps of the named recipe; none if it does not exist."""
    settings.steps.clear()
    loaded_recipe.choose(settings.recipe_name)
    try:
        recipe = Recipe.load(settings.recipe_name)
    except InputError:
        return  # the run refuses the name
    fill(settings, recipe)


def fill(settings: Any, recipe: Recipe) -> None:
    """Load a recipe's steps and edges, and its seed if it has one."""
    settings.steps.clear()
    loaded_recipe.keep(settings, recipe)
    settings.edges = edges_of(settings, recipe)
    settings.seed = recipe.seed or settings.seed
    settings.active_step = 0
    for step in recipe.steps:
        add(settings, step)


def edges_of(settings: Any, recipe: Recipe) -> str:
    """Edges of a recipe on the object of the settings: open if it wraps and the land does
    not tile.
    """
    if (
        recipe.edges != "wrap"
        or settings.id_data.type != "MESH"
        or settings.id_data.mode != "OBJECT"
    ):
        return recipe.edges
    try:
        return recipe.edges if grid.describe(settings.id_data).seamless else "open"
    except InputError:  # the run reports it
        return recipe.edges


def opens_edges(settings: Any) -> bool:
    """Whether open edges replace the recipe's wrapped ones, see OPENED."""
    try:
        loaded = loaded_recipe.recipe(settings)
    except InputError:
        return False
    return loaded.edges == "wrap" and settings.edges == edges_of(settings, loaded) == "open"


def add(settings: Any, step: Step) -> None:
    """Append a step."""
    item = settings.steps.add()
    item.name = step.title
    item.kind = step.kind
    item.enabled = step.enabled
    group = getattr(item, step.kind)
    stroke_properties.fill(item, getattr(step.parameters, "strokes", ()))
    values = step.parameters.to_dict()
    values.pop("strokes", None)
    item.loaded = json.dumps(values)
    for name in values:
        if hasattr(group, name):
            setattr(group, name, values[name])
    for name, value in step.limits.to_dict().items():
        setattr(item.limits, name, value)
    for name, mask in step.masks.items():
        setattr(masks(item), name, mask)
    fill_winds(item, values.get("wind_rose", []))


def fill_winds(item: EROSION_PG_step, rows: Iterable[Sequence[float]]) -> None:
    """Set the winds of a wind step: rows of direction (°) and weight."""
    # sets it even if empty: unset marks a file of an earlier release
    item.winds.add()
    item.winds.clear()
    for row in rows:
        wind = item.winds.add()
        wind.direction, wind.weight = row


def winds_of(item: EROSION_PG_step) -> list[list[float]]:
    """Winds of a step as rows of direction (°) and weight."""
    loaded = _loaded(item).get("wind_rose", [])
    if not item.is_property_set("winds"):  # a file of an earlier release
        return loaded
    read = [*loaded[: len(item.winds)], *[(None, None)] * max(len(item.winds) - len(loaded), 0)]
    return [
        [exact(wind.direction, direction), exact(wind.weight, weight)]
        for wind, (direction, weight) in zip(item.winds, read, strict=True)
    ]


def ensure(settings: Any) -> None:
    """Load the recipe's steps into settings without any; seed and edges stay."""
    if settings.steps:
        return
    try:
        recipe = loaded_recipe.recipe(settings)
    except InputError:
        return  # the run refuses the name in a sentence
    for step in recipe.steps:
        add(settings, step)


def recipe_of(settings: Any, springs: list[list[float]]) -> Recipe:
    """Recipe made from the settings. springs: rows of x, y, rate, in place of the recipe's."""
    steps = tuple(step_of(item, springs) for item in settings.steps)
    loaded = loaded_recipe.recipe(settings, steps)
    return replace(loaded, steps=steps or loaded.steps, seed=settings.seed, edges=settings.edges)


def recipe_or_none(settings: Any) -> Recipe | None:
    """`recipe_of` for the panel; None if the settings name no recipe."""
    try:
        return recipe_of(settings, [])
    except InputError:
        return None


def step_of(item: EROSION_PG_step, springs: list[list[float]]) -> Step:
    """Step made from an item; springs as in `recipe_of`."""
    parameters = parameters_of(item, springs)
    name = " ".join(item.name.split())[:LONGEST_NAME]
    own_name = "" if name == PROCESSES[item.kind].label else name
    return Step(
        item.kind,
        parameters,
        item.enabled,
        own_name,
        Limits.from_dict(limits_of(item)),
        masks_of(item),
    )


def parameters_of(item: EROSION_PG_step, springs: list[list[float]]) -> Parameters:
    """Parameters made from an item; springs as in `recipe_of`."""
    return PROCESSES[item.kind].parameters.from_dict(values_of(item, springs))


def limits_of(item: EROSION_PG_step) -> dict[str, float]:
    """Limits of an item by name."""
    return {
        name: exact(getattr(item.limits, name), declaration.default)
        for name, declaration in specifications(Limits).items()
    }


def masks(item: EROSION_PG_step) -> Any:
    """Settings of an item's parameter masks."""
    return getattr(item, f"{item.kind}_masks")


def masks_of(item: EROSION_PG_step) -> dict[str, str]:
    """Parameter masks of an item by parameter, without "none"."""
    names = {name: getattr(masks(item), name) for name in PROCESSES[item.kind].scalable}
    return {name: mask for name, mask in names.items() if mask != "none"}


def _loaded(item: EROSION_PG_step) -> dict[str, Any]:
    """Parameters as loaded from the recipe; all defaults if that is damaged."""
    return dict(_checked(item.kind, item.loaded))


@session.cached(256)
def _checked(kind: str, text: str) -> dict[str, Any]:
    try:
        values = json.loads(text or "{}")
        PROCESSES[kind].parameters.from_dict(values)
    except (ValueError, TypeError, AttributeError, RecursionError, InputError):
        return {}
    return values  # type: ignore[no-any-return]


def values_of(item: EROSION_PG_step, springs: list[list[float]]) -> dict[str, Any]:
    """Parameters of an item by name, without lists that the recipe lacks. springs as in
    `recipe_of`.
    """
    declared = specifications(PROCESSES[item.kind].parameters)
    group = getattr(item, item.kind)
    values = _loaded(item)
    if springs and "springs" in declared:
        values["springs"] = springs
    if "wind_rose" in declared:
        values["wind_rose"] = winds_of(item)
    if "strokes" in declared:
        values["strokes"] = stroke_properties.strokes_of(item)
    for name in declared:
        if hasattr(group, name):
            values[name] = exact(getattr(group, name), values.get(name))
    return values


class StepOperator:
    """Base of operators on the steps of the active terrain."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, cls.why_not(active_terrain(context)))

    @classmethod
    def why_not(cls, terrain: bpy.types.Object | None) -> str | None:
        if terrain is None or terrain.type != "MESH":
            return Sentence("Select a terrain")
        if terrain.is_editable:
            return None
        return Sentence("{name} is linked from another file, which holds its settings").format(
            name=terrain.name
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = active_terrain(context).erosion
        ensure(settings)
        settings.active_step = min(settings.active_step, len(settings.steps) - 1)
        return {"FINISHED"} if self.act(settings) else {"CANCELLED"}

    def act(self, settings: Any) -> bool:
        """Change the steps; returns False if there is nothing to change."""
        raise NotImplementedError


CLASSES = (
    *stroke_properties.CLASSES,
    *SETTINGS.values(),
    *MASKS.values(),
    EROSION_PG_limits,
    EROSION_PG_wind,
    EROSION_PG_step,
)
