# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab "Erosion" in the 3D viewport's side panel."""

import bpy

from ...base.errors import InputError
from ...recipe.recipe import Recipe
from ...run import estimate
from ...scene.original import original
from ...scene.run import displayed_heights
from ...scene.session import session
from ...scene.terrain import grid, mesh, obstacle
from ...scene.terrain.active import active_terrain
from ...scene.terrain.checks import notes
from ...scene.terrain.lattice import StandingError
from ...scene.worker import compiled, speeds, worker_process
from ...terrain.masks import MASK_KINDS
from ..base import manual, preferences
from ..base.panel import Panel, draw_lines
from ..base.terrain_settings import sand_of
from ..base.translations import phrase
from ..masks import mask_panel, mask_watch
from ..recipe import recipes, steps
from ..terrain import advice, heightmaps, mesh_grids
from . import progress, run_panel, warmup

START = "add_terrain"
"""Remedy that stands above all else, as nothing else on the panel helps."""


class EROSION_PT_main(Panel):
    bl_label = "Erosion"

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        self.layout.emboss = "NONE"
        manual.draw_link(self.layout, "")

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        obj = active_terrain(context)
        run = session.run.task
        is_terrain = obj is not None and obj.type == "MESH"
        if is_terrain:
            recipe = steps.recipe_or_none(obj.erosion)
            description = _draw_facts(layout, obj)
            remarks = notes(obj, recipe, sand_of(obj)) if description is not None else []
            _draw_notes(layout, [note for note in remarks if note.remedy == START])
            recipes.draw_choice(layout, obj.erosion)
            warmup.notice(obj)
        else:
            _draw_start(layout, obj)
        if run is not None:
            run_panel.draw_run(layout, run, obj)
        elif is_terrain:
            problems: list[str] = []
            if description is not None:
                problems += filter(None, (mask_watch.problem(obj, kind) for kind in MASK_KINDS))
            _draw_buttons(layout, obj, _words(description, recipe), problems)
        if messages := progress.messages(obj):
            draw_lines(layout, messages, "ERROR")
        if is_terrain and description is not None:
            _draw_notes(layout, [note for note in remarks if note.remedy != START])


def _draw_start(layout: bpy.types.UILayout, obj: bpy.types.Object | None) -> None:
    """Draw the ways to get a terrain."""
    layout.label(text="Select a terrain, or begin with", icon="INFO")
    layout.operator("erosion.terrain_add", text="Add Terrain", icon="RNDCURVE")
    heightmaps.draw_buttons(layout)
    if obj is not None and obj.type in mesh_grids.SURFACES:
        layout.operator("erosion.grid_from_mesh", icon="MESH_GRID")


def _draw_facts(layout: bpy.types.UILayout, obj: bpy.types.Object) -> grid.GridDescription | None:
    """Draw the terrain's name and size, or the reason why it cannot be eroded (returns None
    then).
    """
    column = layout.column(align=True)
    name = column.row()
    name.scale_y = 0.8
    name.label(text=obj.name, icon="MESH_GRID", translate=False)
    if (kind := mask_panel.painted_kind(obj)) is not None:
        mask_panel.draw_painting(layout.box(), kind)
        return None
    obstructed = obstacle.obstacle(obj)
    if obstructed is None:
        try:
            description = grid.describe(obj)
            _draw_size(column, description)
            return description
        except InputError as error:
            remedy = "grid_from_mesh" if all(obj.matrix_world.to_scale()) else "clear_scale"
            if isinstance(error, StandingError):
                remedy = "apply_rotation"
            elif remedy == "grid_from_mesh" and mesh.may_be_grid(obj.data):
                remedy = "grid_straighten"
            obstructed = obstacle.Advice(error.sentence, remedy)
    advice.draw(layout.box(), obstructed, "ERROR")
    if obstructed.remedy in (START, "grid_straighten"):
        layout.operator("erosion.grid_from_mesh", icon="MESH_GRID")
    elif obstructed.remedy == "grid_from_mesh" or obstacle.too_few(obj):
        layout.operator("erosion.terrain_add", text="Add Terrain", icon="RNDCURVE")
    return None


def _draw_size(column: bpy.types.UILayout, description: grid.GridDescription) -> None:
    """Draw two short lines: meters and cells."""
    row_spacing, col_spacing = description.spacing
    cells = " × ".join(dict.fromkeys(_rounded(side) for side in (col_spacing, row_spacing)))
    size = (description.cols - 1) * col_spacing, (description.rows - 1) * row_spacing
    lines = [
        phrase(
            "{size}, {height} m high",
            size=_size_in_words(*size),
            height=_rounded(description.relief),
        ),
        phrase(
            "{cols} × {rows} vertices, {cells} m apart",
            cols=description.cols,
            rows=description.rows,
            cells=cells,
        ),
    ]
    draw_lines(column, lines, "BLANK1")


def _words(description: grid.GridDescription | None, recipe: Recipe | None) -> str:
    """Time and memory of a run in words; empty if it cannot run."""
    if description is None or recipe is None:
        return ""
    size = (description.rows, description.cols)
    compiles = not (preferences.warms_up() or compiled.is_complete())
    return estimate.in_words(
        recipe, size, description.spacing, preferences.threads(), speeds.known(), compiles
    )


def _size_in_words(width: float, length: float) -> str:
    """Both sides in a unit that keeps them short, such as "1 × 1.5 km"."""
    factor, unit = (1000.0, "km") if max(width, length) >= 999.5 else (1.0, "m")
    return f"{_rounded(width / factor)} × {_rounded(length / factor)} {unit}"


def _rounded(number: float) -> str:
    """Three significant digits without an exponent."""
    return f"{float(f'{number:.3g}'):,.10g}"


def _draw_notes(layout: bpy.types.UILayout, remarks: list[obstacle.Advice]) -> None:
    """Draw notes before a run, with buttons that fix them."""
    for note in remarks:
        advice.draw(layout.box(), note, "INFO")


def _draw_buttons(
    layout: bpy.types.UILayout, obj: bpy.types.Object, words: str, problems: list[str]
) -> None:
    """Draw the buttons of a terrain. words: of `_words`. problems: of its masks."""
    if original.is_paused(obj.data):
        run_panel.draw_paused(layout, obj)
    row = layout.row(align=True)
    row.scale_y = 1.6
    row.operator("erosion.run", icon="PLAY")
    if original.is_paused(obj.data):
        row.operator("erosion.run", text="Resume", icon="FRAME_NEXT").resume = True
    row = layout.row(align=True)
    row.prop_search(obj.erosion, "region_name", obj, "vertex_groups", text="")
    row.operator("erosion.run_region")
    _draw_worker(layout, words, problems)
    eroded = original.has_source(obj.data)
    if eroded:
        layout.prop(obj.erosion, "continue_from_result")
        if obj.erosion.continue_from_result:
            layout.prop(obj.erosion, "adds_up")
    run_panel.draw_preview(layout, obj.erosion)
    if eroded:
        is_before = displayed_heights.is_before(obj.data)
        layout.operator(
            "erosion.before", icon="HIDE_OFF" if is_before else "HIDE_ON", depress=is_before
        )
        row = layout.row(align=True)
        row.operator("erosion.restore", icon="LOOP_BACK")
        row.operator("erosion.apply", icon="CHECKMARK")
    layout.operator("erosion.look_add", icon="SHADERFX")


def _draw_worker(layout: bpy.types.UILayout, words: str, problems: list[str]) -> None:
    """Draw time and memory of a run, or the progress of compilation, or the obstacle: an error of
    the worker, or problems of masks. All in one place, so that no button moves.
    """
    if reason := worker_process.fault():
        draw_lines(layout, [reason], "ERROR")
        layout.operator("erosion.worker_restart", icon="FILE_REFRESH")
    elif problems:
        draw_lines(layout, problems, "ERROR")
    elif (compiling := worker_process.compiling()) is not None:
        fraction, message = compiling
        layout.progress(factor=fraction, text=message)
    else:
        layout.label(text=words, translate=False)


CLASSES = (EROSION_PT_main,)
