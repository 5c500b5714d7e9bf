# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command erosion erode INPUT OUT.blend`: a heightmap, or the terrain of a .blend file,
eroded without a window.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy

from ...base.atomic_files import Outputs
from ...base.errors import InputError, reason_of
from ...cli import source
from ...cli.arguments.blend_orders import BlendErodeOrder
from ...cli.arguments.orders import SourceOrder, is_strata
from ...cli.keeping import keep, temporary_place
from ...cli.terminal.output import note, print_written
from ...cli.terminal.progress import ProgressLine
from ...recipe.recipe import Recipe
from ...scene.masks import inputs
from ...scene.run.machine import State, Task
from ...scene.stage import render
from ...scene.terrain import attributes, grid
from ...scene.terrain.image import BlenderFiles
from ...scene.terrain.mesh import make_grid_object
from ...terrain.masks import prepare
from ..recipe import own_recipes, steps
from ..run import modal, runs


def erode(order: BlendErodeOrder) -> None:
    """Erode a heightmap, or the terrain of a .blend file with its settings as the order changes
    them, and save a new file.

    InputError for an invalid order, and if the terrain cannot be eroded; then nothing is written.
    """
    with Outputs(order.inputs) as outputs:
        target = outputs.plan(order.output, (".blend",))
        report = outputs.plan(order.report, (".json",)) if order.report else None
        if order.source is None:
            terrain = _open(order.input, order.terrain)
        else:
            terrain = _import(order.source)
        _set(terrain, order)
        task = _run(terrain, order)
        with _kept(target):
            if task.state is not State.DONE:
                raise InputError(task.sentence)
            if order.look:
                _set_up_look(terrain)
            with outputs.write(target) as path:
                _save(path)
            if report:
                with outputs.write(report) as path:
                    path.write_text(json.dumps(task.report, indent=2) + "\n", encoding="utf-8")
            published = outputs.publish()
        if not order.quiet:
            note(task.sentence)
        print_written(published)


@contextmanager
def _kept(target: Path) -> Iterator[None]:
    """Context that saves the eroded file under another name after an error, beside `target` or
    among the temporary files.
    """
    try:
        yield
    except Exception:
        place = temporary_place(f"{target.stem}.blend")
        keep(_save, [target.with_name(place.name), place])
        raise


def _open(path: Path, name: str | None) -> bpy.types.Object:
    """Terrain of a .blend file, which is opened."""
    render.open_file(path)
    return render.find_terrain(bpy.context.scene, name)


def _import(order: SourceOrder) -> bpy.types.Object:
    """A terrain made from the heightmap, its masks and its sand, alone in a new file."""
    path = order.land.path
    start, masks, record = source.read(order, BlenderFiles())
    masks, notes = prepare(masks, start.shape)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    terrain = make_grid_object(
        path.stem, start.elevation, start.spacing, bpy.context.scene.collection
    )
    inputs.made_from(terrain, path, record.georeference)
    lattice = grid.find_lattice(terrain)
    if order.sand is not None:
        attributes.write_values(terrain.data, "sediment", lattice.to_vertices(start["sediment"]))
    for kind, values in masks.items():
        attributes.write_users(terrain.data, f"mask_{kind}", lattice.to_vertices(values))
        mask = getattr(terrain.erosion, kind)
        mask.source = "ATTRIBUTE"
        mask.layer = f"mask_{kind}"
    _set_color(terrain, order.surface_color)
    if not order.land.quiet:
        source.note_lack(order.recipe, start, masks)
        for sentence in notes:
            note(sentence)
    return terrain


def _set_color(terrain: bpy.types.Object, color: str | None) -> None:
    """Set the surface color to strata or an image."""
    settings = terrain.erosion.surface_color
    if color and is_strata(color):
        settings.source = "STRATA"
        settings.strata = color
    elif color:
        settings.source = "IMAGE"
        settings.image = bpy.data.images.load(str(Path(color).resolve()))


def _set(terrain: bpy.types.Object, order: BlendErodeOrder) -> None:
    """Change the terrain's settings as ordered."""
    settings = terrain.erosion
    edges = order.edges
    if order.recipe or order.values:
        if order.recipe:
            settings.recipe_name = order.recipe
            recipe = Recipe.load(order.recipe)
        else:
            if edges is None:
                edges = settings.edges
            recipe = own_recipes.recipe_of_terrain(terrain)
        steps.fill(settings, recipe.with_values(order.values))
    if order.seed is not None:
        settings.seed = order.seed
    if edges is not None:
        settings.edges = edges
    elif steps.opens_edges(settings) and not order.quiet:
        note(steps.OPENED)


def _run(terrain: bpy.types.Object, order: BlendErodeOrder) -> Task:
    """The finished run; InputError if it has no result."""
    task = runs.start(terrain, threads=order.threads)
    line = ProgressLine(order.quiet)
    try:
        while not task.has_halted:
            task.poll(0.1)
            line.show(task.fraction, task.message, task.seconds_left)
    except BaseException:
        task.cancel()
        raise
    finally:
        modal.finish_run(task)
    if task.state not in (State.DONE, State.RESCUED):
        raise InputError(task.sentence)
    return task


def _set_up_look(terrain: bpy.types.Object) -> None:
    """Give the terrain material, water, plants, light, sky and camera; InputError if that
    failed.
    """
    try:
        with bpy.context.temp_override(object=terrain, active_object=terrain):
            bpy.ops.erosion.look_add()  # type: ignore[attr-defined] # of the extension
    except RuntimeError as error:
        raise InputError(reason_of(error)) from None


def _save(path: Path) -> None:
    """Save a copy of the open file; InputError if Blender cannot."""
    is_private = path.exists()  # see `Outputs.write`
    path.unlink(missing_ok=True)  # otherwise Blender keeps it beside the new one
    before = (
        os.umask(0o077) if is_private else None
    )  # Blender writes a file of its own and moves it
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, check_existing=False)
    except RuntimeError as error:
        raise InputError("{path} cannot be written: {error}").format(
            path=path, error=reason_of(error)
        ) from None
    finally:
        if before is not None:
            os.umask(before)
