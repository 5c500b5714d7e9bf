# SPDX-License-Identifier: GPL-3.0-or-later
"""Start of runs from objects' settings: at once, or from the queue."""

from pathlib import Path
from typing import Any

import bpy

from ...bake.parameters import Lighting
from ...base.errors import InputError, Sentence, print_traceback
from ...recipe.recipe import Recipe
from ...scene.derived import light
from ...scene.frames.animated_run import AnimatedRun, Animation, at_each_frame
from ...scene.masks import masks, surface_color
from ...scene.run import job, preview, run_queue, start_state
from ...scene.session import session
from ...scene.terrain.grid import TerrainSnapshot, snapshot
from ...scene.terrain.lattice import Array, Lattice
from ..base import preferences
from ..base.terrain_settings import settings_of
from ..masks import mask_settings
from ..recipe import steps
from . import frame_choice


def start(
    obj: bpy.types.Object, resume: bool = False, local: bool = False, threads: int | None = None
) -> "job.Job":
    """Start a run on an object or on its region, or resume its paused one; InputError if
    impossible.

    threads: the most to use; None for the number in the preferences.
    """
    threads = preferences.threads() if threads is None else threads
    frames = frame_choice.settings_of(obj)
    if resume:
        return job.resume(obj, threads, frames, settings_of)
    job.check(obj)
    settings = obj.erosion
    base = snapshot(obj)
    notes: list[str] = []
    masks_by_kind = mask_settings.arrays_of(obj, base.lattice, notes.append)
    recipe, layers = _start_of(obj, base)
    options = job.JobOptions(
        continue_from_result=settings.continue_from_result,
        layers=layers,
        threads=threads,
        adds_up=settings.adds_up,
        frames=frames,
        region=_region(obj, base.lattice) if local else None,
        notes=notes,
        settings=settings_of,
    )
    return job.start(obj, recipe, masks_by_kind, options, base)


def _start_of(obj: bpy.types.Object, base: TerrainSnapshot) -> surface_color.Start:
    """Recipe of the object's settings, and the layers that it begins with."""
    settings = obj.erosion
    recipe = steps.recipe_of(settings, masks.spring_rows(obj, settings.springs, base.place))
    color = settings.surface_color
    return surface_color.start(
        obj, recipe, color.source, color.layer, color.image, color.strata, base.lattice
    )


def _region(obj: bpy.types.Object, lattice: Lattice) -> Array:
    """Cells of the region, (rows, cols) 0-1: a vertex group or attribute, or the selection."""
    if name := obj.erosion.region_name:
        return masks.read_named(obj, lattice, name, "region")
    return masks.read_selection(obj, lattice)


def start_animation(obj: bpy.types.Object, replace: bool = False) -> AnimatedRun:
    """Start a run for each frame of the scene, with the settings as they are animated.

    InputError if impossible, or if it would replace frames and may not.
    """
    job.check(obj)
    return job.begin(AnimatedRun(obj, animation_of(obj), preferences.threads(), replace))


def frames_to_replace(obj: bpy.types.Object) -> tuple[Path, int]:
    """Frame folder, and number of frames that an animated run on the object would replace.

    InputError if that is impossible.
    """
    record = frame_choice.record_of(obj)
    if record is None or not record.orders:
        return frame_choice.folder_of(obj.erosion.frames), 0
    if session.run.task is None:
        preview.end()
    animation = animation_of(obj)
    return animation.folder, animation.replaced()


def animation_of(obj: bpy.types.Object) -> Animation:
    """Inputs of an animated run on the object, by the settings at each frame; InputError if
    impossible.
    """
    settings = obj.erosion
    base = snapshot(obj)
    folder = frame_choice.folder_of(settings.frames)
    fields = frame_choice.animated_fields_of(obj)
    layers: dict[str, Any] = {}
    baked = light.settings_of(obj.data)

    def order() -> tuple[Recipe, Lighting | None]:
        recipe, initial = _start_of(obj, base)
        layers.update(initial)
        if baked is None:
            return recipe, None
        return recipe, light.lighting(obj, baked, settings.casters)

    recipes, lights = zip(*at_each_frame(bpy.context.scene, order), strict=True)
    continued = settings.continue_from_result
    heights = start_state.heights(obj.data, base, continued).start
    terrain = start_state.terrain(obj.data, base.lattice, heights, continued, layers)
    arrays = mask_settings.arrays_of(obj, base.lattice)
    return Animation(folder, fields, terrain, recipes, arrays, lights if baked else ())


def start_next() -> list[tuple[int, str]]:
    """Start the next run of the queue; returns session_uid and message of each skipped object."""
    messages: list[tuple[int, str]] = []
    while (turn := run_queue.take()) is not None:
        obj = turn.find()
        try:
            if obj is not None:
                start_animation(obj, turn.replace) if turn.animation else start(obj, turn.resume)
                break
        except InputError as error:
            sentence = Sentence("{name} was not eroded: {error}")
            messages.append((turn.uid, sentence.format(name=turn.name, error=error)))
        except Exception:  # noqa: BLE001 - the others of the queue have done nothing wrong
            print_traceback()
            sentence = Sentence(
                "{name} was not eroded because of an internal error; see the system console."
            ).format(name=turn.name)
            messages.append((turn.uid, sentence))
    return messages
