# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command erosion erode INPUT OUT.blend`: a heightmap, or the terrain of a .blend file,
eroded without a window.
"""

import argparse
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy

from ...base.atomic_files import Outputs
from ...base.errors import InputError, reason_of
from ...cli import source
from ...cli.arguments.options import RECIPE
from ...cli.arguments.orders import SourceOrder, inputs_of, is_strata
from ...cli.arguments.reading import OPTIONS
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

_OPTIONS = ("recipe", "set", "seed", "edges", "report", "quiet", "progress", "threads", "look")
"""Options for every terrain in a .blend file."""
_OF_A_FILE = ("object",)
"""Options that apply to an existing terrain."""
_OF_A_HEIGHTMAP = (
    *OPTIONS,
    "size",
    "height_range",
    "smooth_steps",
    "mask",
    "sand",
    "surface_color",
)
"""Options that apply to a terrain from a heightmap."""


def erode(arguments: argparse.Namespace) -> None:
    """Erode a heightmap or the terrain of a .blend file as its settings and the arguments say, and
    save a new file.

    InputError for invalid arguments, and if the terrain cannot be eroded; then nothing is written.
    """
    is_file = arguments.input.suffix.lower() == ".blend"
    _require_only(arguments, is_file)
    with Outputs(inputs_of(arguments)) as outputs:
        target = outputs.plan(arguments.output, (".blend",))
        report = outputs.plan(arguments.report, (".json",)) if arguments.report else None
        terrain = _open(arguments) if is_file else _import(arguments)
        _set(terrain, arguments, arguments.recipe or ("" if is_file else RECIPE))
        task = _run(terrain, arguments)
        with _kept(target):
            if task.state is not State.DONE:
                raise InputError(task.sentence)
            if arguments.look:
                _set_up_look(terrain)
            with outputs.write(target) as path:
                _save(path)
            if report:
                with outputs.write(report) as path:
                    path.write_text(json.dumps(task.report, indent=2) + "\n", encoding="utf-8")
            published = outputs.publish()
        if not arguments.quiet:
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


def _require_only(arguments: argparse.Namespace, is_file: bool) -> None:
    """Raise InputError for an option that does not apply."""
    common = {
        *_OPTIONS,
        *(_OF_A_FILE if is_file else _OF_A_HEIGHTMAP),
        "command",
        "input",
        "output",
        "normals",
    }
    wrong = [
        name
        for name, value in vars(arguments).items()
        if name not in common and value not in (None, False, [])
    ]
    if not wrong:
        return
    option = {"go_on": "continue"}.get(wrong[0], wrong[0]).replace("_", "-")
    if wrong[0] in _OF_A_FILE:
        raise InputError(
            "--{option} chooses a terrain of a .blend file, and {input} is a heightmap."
        ).format(option=option, input=arguments.input)
    if wrong[0] in _OF_A_HEIGHTMAP:
        raise InputError(
            "--{option} is for heightmaps; the terrain of a .blend file brings its own settings."
        ).format(option=option)
    raise InputError(
        "--{option} is for an OUTPUT that is a heightmap; a .blend file holds the fields as "
        "attributes."
    ).format(option=option)


def _open(arguments: argparse.Namespace) -> bpy.types.Object:
    """Terrain of the opened .blend file."""
    render.open_file(arguments.input)
    return render.find_terrain(bpy.context.scene, arguments.object)


def _import(arguments: argparse.Namespace) -> bpy.types.Object:
    """A terrain made from the heightmap, its masks and its sand, alone in a new file."""
    order = SourceOrder.of(arguments)
    start, masks, record = source.read(order, BlenderFiles())
    masks, notes = prepare(masks, start.shape)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    terrain = make_grid_object(
        arguments.input.stem, start.elevation, start.spacing, bpy.context.scene.collection
    )
    inputs.made_from(terrain, arguments.input, record.georeference)
    lattice = grid.find_lattice(terrain)
    if arguments.sand is not None:
        attributes.write_values(terrain.data, "sediment", lattice.to_vertices(start["sediment"]))
    for kind, values in masks.items():
        attributes.write_users(terrain.data, f"mask_{kind}", lattice.to_vertices(values))
        mask = getattr(terrain.erosion, kind)
        mask.source = "ATTRIBUTE"
        mask.layer = f"mask_{kind}"
    _set_color(terrain, arguments.surface_color)
    if not arguments.quiet:
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


def _set(terrain: bpy.types.Object, arguments: argparse.Namespace, recipe_name: str) -> None:
    """Change the terrain's settings as the arguments say. recipe_name: "" for the terrain's own
    recipe.
    """
    settings = terrain.erosion
    edges = arguments.edges
    if recipe_name or arguments.set:
        if recipe_name:
            settings.recipe_name = recipe_name
        elif edges is None:
            edges = settings.edges
        recipe = Recipe.load(recipe_name) if recipe_name else own_recipes.recipe_of_terrain(terrain)
        steps.fill(settings, recipe.with_values(dict(arguments.set)))
    if arguments.seed is not None:
        settings.seed = arguments.seed
    if edges is not None:
        settings.edges = edges
    elif steps.opens_edges(settings) and not arguments.quiet:
        note(steps.OPENED)


def _run(terrain: bpy.types.Object, arguments: argparse.Namespace) -> Task:
    """The finished run; InputError if it has no result."""
    task = runs.start(terrain, threads=arguments.threads)
    line = ProgressLine(arguments.quiet)
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
