# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of the interface: every button and every setting has a description."""

import bpy
import pytest

from erosion_addon import ui
from erosion_addon.base.parameters import specifications
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.recipe.recipe import Recipe
from erosion_addon.ui.recipe.steps import SETTINGS, recipe_of

CLASSES = [cls for module in ui._MODULES for cls in module.CLASSES]
OPERATORS = [cls for cls in CLASSES if issubclass(cls, bpy.types.Operator)]
GROUPS = [
    cls for cls in CLASSES if issubclass(cls, bpy.types.PropertyGroup | bpy.types.AddonPreferences)
]
OF_BLENDER = {"rna_type", "name", "filepath", "directory", "files", "check_existing", "filter_glob"}
"""Properties that Blender brings, or knows by itself."""


def rna_of(operator):
    group, name = operator.bl_idname.split(".")
    return getattr(getattr(bpy.ops, group), name).get_rna_type()


def unexplained(rna):
    """Properties that an artist sees without a tooltip, or with a full stop, which Blender adds."""
    shown = [
        prop for prop in rna.properties if prop.identifier not in OF_BLENDER and not prop.is_hidden
    ]
    wrong = [
        prop.identifier for prop in shown if not prop.description or prop.description.endswith(".")
    ]
    choices = [(prop, item) for prop in shown if prop.type == "ENUM" for item in prop.enum_items]
    return wrong + [
        f"{prop.identifier} = {item.name}" for prop, item in choices if not item.description
    ]


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda cls: cls.bl_idname)
def test_every_button_says_what_it_does(operator):
    said = rna_of(operator).description
    assert (
        operator.bl_label and len(said.split()) >= 4 and not said.endswith(".") and "\n" not in said
    )
    assert unexplained(rna_of(operator)) == []


@pytest.mark.parametrize("group", GROUPS, ids=lambda cls: cls.__name__)
def test_every_setting_says_what_it_does(group):
    own = [
        name for name in unexplained(group.bl_rna) if name.split(" = ")[0] in group.__annotations__
    ]
    assert own == []


@pytest.mark.parametrize("kind", PROCESSES)
def test_the_tooltip_of_a_parameter_has_its_unit_and_the_name_that_its_source_gives_it(kind):
    for name, declared in specifications(PROCESSES[kind].parameters).items():
        if name in SETTINGS[kind].__annotations__:
            tooltip = SETTINGS[kind].bl_rna.properties[name].description
            assert declared.sentence.rstrip(".") in tooltip
            assert declared.unit in tooltip and declared.seed_name in tooltip


@pytest.mark.parametrize("kind", PROCESSES)
def test_the_smallest_values_of_the_recipes_can_be_read_and_dragged(kind):
    """Blender shows so many decimals, and more only of what would be all zeros; a drag by a pixel
    adds a step.
    """
    for name, declared in specifications(PROCESSES[kind].parameters).items():
        if isinstance(declared.default, float):
            shown = SETTINGS[kind].bl_rna.properties[name]
            assert (shown.soft_min, shown.soft_max) == pytest.approx(declared.soft_range)
            # as Blender writes it
            form = f".{shown.precision}{'f' if shown.unit == 'NONE' else 'g'}"
            assert float(format(declared.default, form)) == pytest.approx(
                declared.default, rel=5e-4
            ), name
            assert shown.step / 100 <= max(
                declared.default, (shown.soft_max - shown.soft_min) / 50
            ), name


@pytest.mark.parametrize("cls", OPERATORS + GROUPS, ids=lambda cls: cls.__name__)
def test_numbers_with_units_show_their_digits(cls):
    """Of these Blender shows so many digits in all: with its usual 2, 12.5 m would be 12 m."""
    rna = rna_of(cls) if cls in OPERATORS else cls.bl_rna
    shown = [prop for prop in rna.properties if prop.type == "FLOAT" and prop.unit != "NONE"]
    assert [prop.identifier for prop in shown if prop.precision < 5] == []


def test_units_stand_beside_numbers_or_in_their_names():
    talus = SETTINGS["talus"].bl_rna.properties
    water = SETTINGS["water"].bl_rna.properties
    assert (water["cloud_size"].unit, water["wind_speed"].unit, water["gravity"].unit) == (
        "LENGTH",
        "VELOCITY",
        "ACCELERATION",
    )
    # degrees for scripts
    assert talus["rock_angle"].unit == "NONE" and talus["rock_angle"].name == "Rock Angle (°)"
    assert (water["rain"].name, water["duration"].name) == ("Rain (mm/h)", "Duration (h)")
    assert water["cloud_cover"].subtype == "FACTOR"


def test_the_units_of_the_scene_change_no_number_of_a_recipe(terrain_object):
    shown = bpy.context.scene.unit_settings
    shown.system = "IMPERIAL"
    shown.scale_length = 0.01
    terrain_object.erosion.recipe_name = "soft downs"
    assert recipe_of(terrain_object.erosion, []).steps == Recipe.load("soft downs").steps


@pytest.mark.parametrize("cls", [*OPERATORS, *GROUPS], ids=lambda cls: cls.__name__)
def test_every_path_may_begin_beside_the_file(cls):
    """Blender prints a warning for // in other properties. The folder of compiled kernels belongs
    to no file.
    """
    rna = rna_of(cls) if cls in OPERATORS else cls.bl_rna
    paths = [
        prop
        for prop in rna.properties
        if prop.type == "STRING" and prop.subtype in ("FILE_PATH", "DIR_PATH")
    ]
    assert [p.identifier for p in paths if not p.is_path_supports_blend_relative] in (
        [],
        ["kernel_folder"],
    )
