# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters whose value 0 means a choice: the panel shows its label."""

import bpy
import pytest

from erosion_addon import ui
from erosion_addon.base.parameters import specifications
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.ui.base import parameter_properties as declared
from erosion_addon.ui.recipe.steps import SETTINGS
from tests.ui.recipe.test_steps import Drawn

AUTOMATIC = [
    (kind, known)
    for kind, process in PROCESSES.items()
    for known in specifications(process.parameters).values()
    if known.zero
]
OPERATORS = [
    ("lod_add", "error"),
    ("water_add", "threshold"),
    ("foliage_add", "height"),
    ("light_bake", "radius"),
    ("analyze", "channel_area"),
    ("heightmap_export", "size"),
    ("heightmap_import", "raw_size"),
]


def drawn(owner, name):
    """Properties drawn in the row."""
    layout = Drawn()
    declared.draw_value(layout, owner, name)
    return [given[1] for called, given, _ in layout.seen["calls"] if called == "prop"]


@pytest.mark.parametrize(
    ("kind", "known"), AUTOMATIC, ids=[f"{kind}.{known.name}" for kind, known in AUTOMATIC]
)
def test_a_parameter_that_is_found_by_itself_says_auto_and_not_0(terrain_object, kind, known):
    item = terrain_object.erosion.steps.add()
    item.kind = kind
    settings = getattr(item, kind)
    switch = f"{known.name}{declared.SWITCH}"
    assert getattr(settings, switch) == (known.default == 0)
    setattr(settings, switch, True)
    assert drawn(settings, known.name) == [switch]
    assert settings.bl_rna.properties[switch].name == known.zero
    setattr(settings, switch, False)
    assert getattr(settings, known.name) == known.usual > 0 and drawn(settings, known.name) == [
        known.name,
        switch,
    ]
    another = 3 if isinstance(known.default, int) else min(3.5, known.high)
    setattr(settings, known.name, another)
    setattr(settings, switch, False)
    assert getattr(settings, known.name) == another
    setattr(settings, switch, True)
    assert getattr(settings, known.name) == 0.0


def test_a_parameter_whose_0_is_a_number_has_no_switch():
    for kind, process in PROCESSES.items():
        for name, known in specifications(process.parameters).items():
            assert (f"{name}{declared.SWITCH}" in SETTINGS[kind].bl_rna.properties) == bool(
                known.zero
            )
            assert known.zero == "" or known.low == 0 < known.usual <= known.soft_range[1]
            assert known.zero == "" or known.default in (0, known.usual)


@pytest.mark.parametrize(("operator", "name"), OPERATORS)
def test_operators_have_the_switch_too(operator, name):
    given = getattr(bpy.ops.erosion, operator).get_rna_type().properties
    assert given[f"{name}{declared.SWITCH}"].name == "Auto" and "Auto: " in given[name].description


def test_no_tooltip_of_ours_says_that_0_is_something_else():
    """That is declared instead, so that it is shown."""
    operators = [
        cls
        for module in ui._MODULES
        for cls in module.CLASSES
        if issubclass(cls, bpy.types.Operator)
    ]
    filled_in = {"erosion.grid_from_mesh", "erosion.steps_smooth"}  # they show what they have found
    for cls in operators:
        group, name = cls.bl_idname.split(".")
        known = getattr(getattr(bpy.ops, group), name).get_rna_type().properties
        said = [item.description for item in known if item.type in ("INT", "FLOAT")]
        assert cls.bl_idname in filled_in or not [
            text for text in said if "; 0 is" in text or "; 0: " in text
        ]


def test_a_duplicated_step_keeps_what_is_automatic(terrain_object):
    settings = terrain_object.erosion
    bpy.ops.erosion.step_add(kind="rill")
    for size in (12.5, 0.0):
        settings.steps[settings.active_step].rill.feature_size = size
        bpy.ops.erosion.step_duplicate()
        assert settings.steps[settings.active_step].rill.feature_size == size


def test_all_threads_are_called_so():
    threads = declared.switch("threads", "All", 4)["threads_auto"]
    assert threads.keywords["name"] == "All"
    assert "threads_auto" in ui.preferences.EROSION_AP_preferences.__annotations__
