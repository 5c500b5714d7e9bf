# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command erosion erode IN.blend OUT.blend`: erosion of a terrain in a file, without a window."""

import argparse
import json
from pathlib import Path

import bpy

from ...base.atomic_files import Outputs
from ...base.errors import InputError
from ...cli.terminal.output import note, print_event, print_written
from ...recipe.recipe import Recipe
from ...scene.run.task import Task
from ...scene.stage import render as pictures
from ..recipe import own_recipes, steps
from ..run import progress, runs

_OPTIONS = ("recipe", "set", "seed", "edges", "report", "quiet", "progress", "object")
"""Options that a .blend file leaves a meaning."""


def erode(given: argparse.Namespace) -> None:
    """Erode the terrain of a file as its settings and the arguments say, and save the file under another name.

    InputError for invalid arguments, and if the terrain cannot be eroded; then nothing is written.
    """
    _require_only(given)
    with Outputs([given.input]) as outputs:
        target = outputs.plan(given.output, (".blend",))
        report = outputs.plan(given.report, (".json",)) if given.report else None
        pictures.open_file(given.input)
        terrain = pictures.find_terrain(bpy.context.scene, given.object)
        _set(terrain, given)
        task = _run(terrain, given.quiet or given.progress == "json")
        with outputs.write(target) as path:
            _save(path)
        if report:
            with outputs.write(report) as path:
                path.write_text(json.dumps(task.report, indent=2) + "\n", encoding="utf-8")
        if not given.quiet:
            note(task.sentence)
        print_written(outputs.publish())


def _require_only(given: argparse.Namespace) -> None:
    """Raise InputError for an option that is for heightmaps."""
    known = {*_OPTIONS, "command", "input", "output", "normals"}
    if others := [name for name, value in vars(given).items() if name not in known and value not in (None, False, [])]:
        option = {"go_on": "continue"}.get(others[0], others[0]).replace("_", "-")
        raise InputError(f"--{option} is for heightmaps; the terrain of a .blend file brings its own settings.")


def _set(terrain: bpy.types.Object, given: argparse.Namespace) -> None:
    """Change the terrain's settings as the arguments say."""
    settings = terrain.erosion
    if given.recipe or given.set:
        if given.recipe:
            settings.recipe_name = given.recipe
        recipe = Recipe.load(given.recipe) if given.recipe else own_recipes.recipe_of_terrain(terrain)
        steps.fill(settings, recipe.with_values(dict(given.set)))
    if given.seed is not None:
        settings.seed = given.seed
    if given.edges is not None:
        settings.edges = given.edges


def _run(terrain: bpy.types.Object, quiet: bool) -> Task:
    """The run, done; InputError if it did not come to its end on this terrain."""
    task, shown = runs.start(terrain), 0.1
    try:
        while not task.ended:
            task.poll(0.1)
            print_event("progress", fraction=round(task.fraction, 6), text=task.message, seconds_left=task.seconds_left)
            if not quiet and task.fraction >= shown:
                note(f"{task.message}: {task.fraction:.0%}".replace("%", " %"))
                shown = task.fraction + 0.1
    except BaseException:
        task.cancel()
        raise
    finally:
        progress.finish_run(task)
    if task.state != "done":
        raise InputError(task.sentence)
    return task


def _save(path: Path) -> None:
    """Save a copy of the open file; InputError if Blender cannot."""
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, check_existing=False)
    except RuntimeError as error:
        reason = str(error).removeprefix("Error: ").strip()
        raise InputError(f"{path} cannot be written: {reason}") from None
