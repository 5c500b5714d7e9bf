# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual's lines of code for Blender run as they stand there."""

import re
import runpy

import bpy
import pytest

from erosion_addon.scene.materials.palette import Palette
from tests.readme import ROOT, blocks

PLACES = ("/renders/", "/game/", "/shots/")
"""Folders that the manual's scripts write to."""


@pytest.mark.parametrize("text", blocks("blender"))
def test_a_script_for_blender_runs(terrain_object, tmp_path, text):
    for place in PLACES:
        (tmp_path / place.strip("/")).mkdir(exist_ok=True)
        text = text.replace(f'"{place}', f'"{tmp_path.as_posix()}{place}')
    script = tmp_path / "script.py"
    script.write_text(text, encoding="utf-8")
    runpy.run_path(str(script), {"bpy": bpy, "obj": terrain_object})
    assert list(tmp_path.rglob("wear.exr")) and list(tmp_path.rglob("valley.png"))
    assert "wear" in terrain_object.data.attributes


@pytest.mark.parametrize("text", blocks("palette"))
def test_a_palette_of_the_manual_is_one(text):
    assert Palette.parse(text, "the manual", "the manual").values


def test_the_operators_of_the_manual_have_the_arguments_that_it_names():
    text = (ROOT / "docs" / "scripting" / "python.md").read_text(encoding="utf-8")
    listed = text[text.index("The other operators:") :].split("\n\n")[0]
    found = re.findall(r"`(\w+)\(([^)`]*)\)`", listed)
    assert len(found) > 15
    for name, arguments in found:
        properties = getattr(bpy.ops.erosion, name).get_rna_type().properties.keys()
        for argument in re.findall(r"(\w+)=", arguments):
            assert argument in properties, (name, argument)
