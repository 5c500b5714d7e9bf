# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks before a run: notes for the artist, with remedies."""

import math
from typing import NamedTuple

import bpy
import numpy as np

from ...base.arrays import LOOSE, longer_side
from ...base.errors import InputError, Sentence
from ...processes.registry import PROCESSES
from ...recipe.recipe import Recipe
from . import attributes, grid
from .obstacle import Advice, shapers


class SandSettings(NamedTuple):
    """Sources of sand for a run.

    anew: whether it starts from the terrain before erosion, not from the last result. has_mask:
    whether it has a sediment mask.
    """

    anew: bool = True
    has_mask: bool = False


NO_SAND = SandSettings()


def sand_lack(obj: bpy.types.Object, recipe: Recipe, settings: SandSettings) -> Sentence | None:
    """Message about missing loose material for the recipe; None if there is enough, or a sediment
    mask.
    """
    if not recipe.needs.sediment or settings.has_mask:
        return None
    layers = (attributes.read_values(obj.data, name, settings.anew) for name in LOOSE)
    return recipe.needs.lack(
        max((float(values.max()) for values in layers if values is not None), default=0.0)
    )


def add_sand(obj: bpy.types.Object, thickness: float, anew: bool = True) -> None:
    """Turn the top meters of the ground into loose sand for the next run; thicker layers and all
    heights stay.

    anew: see `SandSettings`. InputError if the attribute name is taken.
    """
    sand = attributes.read_values(obj.data, "sediment", anew)
    layer = np.full(len(obj.data.vertices), thickness, np.float32)
    attributes.write_values(
        obj.data, "sediment", layer if sand is None else np.maximum(layer, sand), anew
    )
    obj.data.update()


SMALL = 100.0
"""Width in meters below which the unit is probably another than the meter."""

LEVEL = 1.0
"""Tilt in degrees that counts as level."""

FINE_ENOUGH = 60
"""Maximum useful number of small steps in a time step; with more, the ground lags behind
the water.
"""


def notes(
    obj: bpy.types.Object, recipe: Recipe | None = None, sand: SandSettings = NO_SAND
) -> list[Advice]:
    """Notes on an erodible mesh, and with a recipe also on their fit."""
    try:
        lattice = grid.describe(obj)
    except InputError:
        return _of_shape(obj, None, recipe)
    advice = _of_shape(obj, lattice, recipe) + _of_units() + _of_scale(obj, lattice) + _of_tilt(obj)
    if recipe is not None and recipe.edges == "wrap" and not lattice.seamless:
        advice.append(
            Advice(
                Sentence(
                    "Opposite edges of the terrain do not meet, so wrapping tears it along them."
                ),
                "open_edges",
            )
        )
    if lattice.resolution > 1e-3 * min(lattice.spacing):
        advice.append(
            Advice(
                Sentence(
                    "The mesh is so far from its origin that its heights come in steps of "
                    "{resolution:.2g} m."
                ).format(resolution=lattice.resolution),
                "move_origin",
            )
        )
    if lattice.step is not None:
        advice.append(
            Advice(
                Sentence(
                    "The heights are terraced in steps of {step:.3g} m, as in 8-bit images: water "
                    "will pool on the terraces."
                ).format(step=lattice.step),
                "smooth_steps",
            )
        )
    return advice + (
        _of_recipe(lattice, recipe) + _of_sand(obj, recipe, sand) if recipe is not None else []
    )


def _of_shape(
    obj: bpy.types.Object, lattice: grid.GridDescription | None, recipe: Recipe | None
) -> list[Advice]:
    """Checks that the mesh is displayed unmodified, and that it has slopes."""
    is_flat = lattice is not None and lattice.relief == 0
    if names := shapers(obj):
        if is_flat:
            text = Sentence(
                "The mesh below the modifiers is eroded, and it is flat; {names} acts on top of "
                "it. Apply to erode the visible shape."
            )
        else:
            text = Sentence(
                "The mesh below the modifiers is eroded; {names} acts on top of it. Apply to erode "
                "the visible shape."
            )
        text = text.format(names=names)
        return [Advice(text, "apply_modifiers")]
    steps = recipe.steps if recipe is not None else ()
    if is_flat and not any(
        step.enabled and PROCESSES[step.kind].works_on_flat_land(step.parameters) for step in steps
    ):
        text = Sentence(
            "{name} is flat, so nothing runs down it; sculpt it, or begin with another terrain."
        ).format(name=obj.name)
        return [Advice(text, "add_terrain")]
    return []


def _of_units() -> list[Advice]:
    unit = bpy.context.scene.unit_settings.scale_length
    if abs(unit - 1) < 1e-6:
        return []
    text = Sentence(
        "The scene's unit scale is {unit:.3g}: what Blender shows as {unit:.3g} m is 1 m to "
        "erosion."
    ).format(unit=unit)
    return [Advice(text, "unit_scale")]


def _of_scale(obj: bpy.types.Object, lattice: grid.GridDescription) -> list[Advice]:
    advice = []
    scale = [abs(value) for value in obj.matrix_world.to_scale()]
    if max(scale) > 1.001 * min(scale):
        text = Sentence("The scale {x:.3g} × {y:.3g} × {z:.3g} is taken into account.").format(
            x=scale[0], y=scale[1], z=scale[2]
        )
        advice.append(Advice(text, "apply_scale"))
    row_spacing, col_spacing = lattice.spacing
    if abs(row_spacing / col_spacing - 1) > 1e-3:
        advice.append(
            Advice(
                Sentence(
                    "The cells are not square: {col_spacing:.4g} m × {row_spacing:.4g} m."
                ).format(col_spacing=col_spacing, row_spacing=row_spacing)
            )
        )
    return advice


def _of_tilt(obj: bpy.types.Object) -> list[Advice]:
    """An upside-down mesh counts as level: its heights are read from the other side."""
    up = obj.matrix_world.col[2].xyz.normalized()
    tilt = math.degrees(math.acos(min(abs(up.z), 1.0)))
    if tilt < LEVEL:
        return []
    text = Sentence(
        "The terrain is tilted by {tilt:.0f}°, but it is eroded as if it lay level: down is along "
        "its own Z axis."
    ).format(tilt=tilt)
    return [Advice(text, "clear_rotation")]


def _of_recipe(lattice: grid.GridDescription, recipe: Recipe) -> list[Advice]:
    steps = [step for step in recipe.steps if step.enabled]
    width = longer_side((lattice.rows, lattice.cols), lattice.spacing)
    advice = []
    processes = [PROCESSES[step.kind] for step in steps]
    if width < SMALL and not all(
        kind.works_in_cells or (recipe.width and kind.follows_width) for kind in processes
    ):
        advice.append(
            Advice(
                Sentence(
                    "The terrain is only {width:.3g} m across, but {name} is made for land of "
                    "several kilometers."
                ).format(width=width, name=recipe.name),
                "enlarge",
            )
        )
    for step in steps:
        process = PROCESSES[step.kind]
        small = process.small_steps(step.parameters, lattice.spacing)
        if small > FINE_ENOUGH:
            advice.append(
                Advice(
                    Sentence(
                        "On cells this small the {label} takes {small:,} short steps between two "
                        "updates of the ground, too many for the ground to follow."
                    ).format(label=process.label.lower(), small=small),
                    "shorten_time_step",
                )
            )
    return advice


def _of_sand(obj: bpy.types.Object, recipe: Recipe, settings: SandSettings) -> list[Advice]:
    lack = sand_lack(obj, recipe, settings)
    return [Advice(lack, "sand_add")] if lack else []
