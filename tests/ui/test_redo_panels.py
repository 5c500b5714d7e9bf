# SPDX-License-Identifier: GPL-3.0-or-later
"""Adjust Last Operation: options that an artist may change, and none that are for scripts or for a
button to set.
"""

import bpy
import pytest

from erosion_addon import ui
from erosion_addon.base.parameters import specifications
from erosion_addon.generators.registry import SOURCES

OPERATORS = {
    cls.bl_idname: cls
    for module in ui._MODULES
    for cls in module.CLASSES
    if issubclass(cls, bpy.types.Operator) and "REGISTER" in getattr(cls, "bl_options", ())
}

SHOWN = {
    "erosion.terrain_enlarge": {"width"},
    "erosion.sand_add": {"thickness"},
    "erosion.step_add": {"kind"},
    "erosion.step_move": {"direction"},
    "erosion.variants": {"seeds", "vary", "values", "lowest", "highest"},
    "erosion.mask_paint": {"kind"},
    "erosion.mask_image": {"kind"},
    "erosion.mask_from_field": {"kind", "field", "low", "high"},
    "erosion.apply": {"remove_maps"},
    "erosion.how_far": {"frame"},
    "erosion.landscape_import": {"part", "longest", "first", "size"},
    "erosion.grid_from_mesh": {"cell_size", "hide_original"},
    "erosion.steps_smooth": {"step"},
    "erosion.terrain_add": {"kind", "size_x", "size_y", "resolution", "seed"}
    | {
        f"{kind}_{name}"
        for kind, source in SOURCES.items()
        for name in specifications(source.parameters)
    },
    "erosion.companion_remove": {"kind"},
    "erosion.material_add": {"palette", "replace"},
    "erosion.look_add": {
        "smooth",
        "water",
        "light",
        "foliage",
        "plants",
        "passes",
        "surroundings",
        "stage",
        "sky",
    },
    "erosion.lod_add": {"levels", "error", "factor"},
    "erosion.water_add": {"threshold"},
    "erosion.foliage_add": {"shells", "height"},
    "erosion.plants_add": {"trees", "shrubs", "grass", "boulders", "density", "size", "limit"},
    "erosion.rivers_add": {"headwaters", "curves"},
    "erosion.river_carve": {"curve"},
}
"""Options beside parameters; operators that are not named here have none. A new one belongs here or
is HIDDEN.
"""

ELSEWHERE = {"erosion.heightmap_import"}
"""Operators whose dialog has a test of its own."""


@pytest.mark.parametrize("name", sorted(OPERATORS.keys() - ELSEWHERE))
def test_the_redo_panel_shows_what_an_artist_may_change(name):
    cls = OPERATORS[name]
    group, function = name.split(".")
    known = getattr(getattr(bpy.ops, group), function).get_rna_type().properties
    shown = {one.identifier for one in known if one.identifier != "rna_type" and not one.is_hidden}
    parameters = getattr(cls, "parameters", None)
    declared = set(specifications(parameters)) if parameters else set()
    shown = {option.removesuffix("_auto") for option in shown} - declared
    assert shown == SHOWN.get(name, set())


def test_the_table_names_operators_that_there_are():
    assert SHOWN.keys() <= OPERATORS.keys()
