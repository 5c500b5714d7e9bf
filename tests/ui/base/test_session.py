# SPDX-License-Identifier: GPL-3.0-or-later
"""Session state: kept in one place, cleared when the extension is switched off."""

import ast
import importlib
from collections.abc import MutableMapping, MutableSequence, MutableSet
from contextlib import ExitStack
from pathlib import Path

import bpy
import pytest

import erosion_addon
from erosion_addon.scene.session import Session, session
from erosion_addon.ui.base.translations import sentence

PACKAGE = Path(erosion_addon.__file__).parent
MODULES = [path for room in ("scene", "ui") for path in sorted((PACKAGE / room).rglob("*.py"))]
CHANGING = {
    "add",
    "append",
    "clear",
    "discard",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "setdefault",
    "update",
}


def name_of(path):
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
        ".__init__"
    )


def memory(path):
    """(name, value) of mutable state in a module, except its constants."""
    for name, value in vars(importlib.import_module(name_of(path))).items():
        own = getattr(value, "__module__", name_of(path)) == name_of(path)
        if name.startswith("__") or not own or name.strip("_").isupper():
            continue
        if isinstance(value, MutableMapping | MutableSequence | MutableSet | ExitStack) or hasattr(
            value, "cache_info"
        ):
            yield name, value


@pytest.fixture
def switched_off(terrain_object):
    """The extension switched off after use."""
    bpy.ops.erosion.run("EXEC_DEFAULT")
    bpy.ops.erosion.before()
    bpy.ops.erosion.mask_from_field(kind="rain", field="wear")
    bpy.ops.erosion.mask_show(kind="rain")
    sentence("Terrain is eroded.")
    erosion_addon.unregister()
    yield
    erosion_addon.register()


def test_nothing_is_remembered_once_the_extension_is_off(switched_off):
    for name, part in vars(session).items():
        assert name == "_caches" or part == type(part)(), name
    for path in MODULES:
        for name, value in memory(path):
            if isinstance(value, ExitStack):
                assert not value._exit_callbacks, (path, name)
            else:
                size = value.cache_info().currsize if hasattr(value, "cache_info") else len(value)
                assert size == 0, (path, name)


def changed_in(tree):
    """Names that functions of a module declare global, assign items of, or call a changing method
    of.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from node.names
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield getattr(node.value, "id", "")
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in CHANGING
        ):
            yield getattr(node.func.value, "id", "")


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_what_a_module_holds_beside_that_is_constant(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    held = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    inside = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    changed = {name for function in inside for name in changed_in(function)}
    assert path.stem == "session" or not held & changed


def test_a_new_file_begins_with_what_belongs_to_files_reset():
    state = Session()
    before = dict(vars(state))
    state.begin_file()
    reset = {name for name, part in vars(state).items() if part is not before[name]}
    assert reset == {"progress", "live", "brush", "steps", "frames"}
