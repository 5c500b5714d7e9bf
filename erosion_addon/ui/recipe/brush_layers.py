# SPDX-License-Identifier: GPL-3.0-or-later
"""Step of the recipe that keeps a stroke: a layer of strokes that the mesh shows, or a new one."""

from typing import Any

import bpy

from ...base.errors import InputError, Sentence
from ...processes.brush.parameters import MOST_STROKES, BrushParameters, Stroke
from ...recipe.recipe import MOST_STEPS, Step
from ...scene.original import original
from ...terrain.limits import NO_LIMITS
from . import steps, stroke_properties

KIND = "brush"


def layer_of(terrain: bpy.types.Object, digest: str | None = None) -> Any | None:
    """The step whose strokes are the last change of the mesh; None before the first stroke, and if
    the step is full.

    digest: fingerprint of the mesh, if known. InputError if stored strokes are not on the mesh.
    """
    mark = terrain.data.get(original.RESULT)
    layers = [
        item
        for item in terrain.erosion.steps
        if item.kind == KIND and item.enabled and item.painted
    ]
    current = [item for item in layers if item.painted == mark]
    if layers and not (current and original.is_untouched_result(terrain.data, digest)):
        raise InputError(
            "The mesh of {name} was changed after its strokes were painted, as {layer}; run the "
            "recipe, or switch off or remove that step."
        ).format(name=terrain.name, layer=layers[-1].name)
    return next(
        (item for item in current if _is_plain(item) and len(item.strokes) < MOST_STROKES), None
    )


def _is_plain(item: Any) -> bool:
    """Whether a step applies its strokes as painted."""
    plain = abs(item.brush.strength - BrushParameters.strength) < 1e-6
    return plain and not steps.masks_of(item) and steps.step_of(item, []).limits == NO_LIMITS


def layer_shown(terrain: bpy.types.Object, mark: str) -> Any | None:
    """Layer whose strokes are on a mesh with this mark."""
    steps_here = terrain.erosion.steps
    return next(
        (
            item
            for item in steps_here
            if item.kind == KIND and item.enabled and item.painted == mark
        ),
        None,
    )


def why_full(terrain: bpy.types.Object) -> str | None:
    """Why no layer can be added; None if one can."""
    if len(terrain.erosion.steps) >= MOST_STEPS:
        return Sentence("A recipe has at most {most} steps").format(most=MOST_STEPS)
    return None


def keep(terrain: bpy.types.Object, was_result: bool, layer: Any | None, stroke: Stroke) -> None:
    """Keep a stroke that was written to the mesh, in a layer or in a new one: the first thing that
    happens to a terrain that was no result of a run, or the last. was_result: whether it was one.

    After an error the recipe is as it was.
    """
    mark = terrain.data[original.RESULT]
    if layer is None:
        _add_layer(terrain.erosion, was_result, stroke, mark)
        return
    count = len(layer.strokes)
    try:
        stroke_properties.append(layer, stroke)
        layer.painted = mark
    except BaseException:
        _cut(layer.strokes, count)
        raise


def _add_layer(settings: Any, is_last: bool, stroke: Stroke, mark: str) -> None:
    """Add a layer with one stroke as the last step or the first, or nothing."""
    count = len(settings.steps)
    try:
        steps.ensure(settings)
        steps.add(settings, Step(KIND, BrushParameters()))
        last = len(settings.steps) - 1
        stroke_properties.append(settings.steps[last], stroke)
        settings.steps[last].painted = mark
    except BaseException:
        _cut(settings.steps, count)
        raise
    place = last if is_last else 0
    settings.steps.move(last, place)
    settings.active_step = place


def _cut(collection: Any, count: int) -> None:
    """Remove the items of a collection after the first `count`."""
    while len(collection) > count:
        collection.remove(len(collection) - 1)


def mark(terrain: bpy.types.Object) -> None:
    """Mark the steps after a run on the terrain: new strokes may continue its last step; strokes of
    earlier steps are part of the result.
    """
    at_work = [item for item in terrain.erosion.steps if item.enabled]
    for item in at_work:
        if item.kind == KIND:
            item.painted = str(terrain.data.get(original.RESULT, "")) if item == at_work[-1] else ""


def forget(terrain: bpy.types.Object) -> None:
    """Make the strokes of all steps part of the ground, after *Apply*."""
    for item in terrain.erosion.steps:
        if item.kind == KIND:
            item.painted = ""
