# SPDX-License-Identifier: GPL-3.0-or-later
"""Architecture: imports point downward, forbidden calls, one version number."""

import ast
import functools
import graphlib
import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import erosion_addon.model

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "erosion_addon"
MODULES = sorted(PACKAGE.rglob("*.py"))
LAYERS = (
    "base",
    "grid",
    "terrain",
    "drainage",
    "processes",
    "recipe",
    "files",
    "bake",
    "generators",
    "run",
    "landscape",
    "worker",
    "cli",
    "scene",
    "ui",
)
"""From the bottom to the top: a module imports from its own room and from those before it."""
PROCESSES = sorted(path.parent.name for path in (PACKAGE / "processes").glob("*/step.py"))
WITH_BLENDER = ("scene", "ui")
MOST_MODULES = 12
"""In a folder; more are a list in which nobody finds anything."""


def name_of(path):
    """Dotted name of a module of the package."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def package_of(path):
    """Dotted name of the folder that a module lies in."""
    return ".".join(path.relative_to(ROOT).parent.parts) or "__init__"


@functools.cache
def tree_of(text):
    """Syntax tree of a source, parsed once for all tests."""
    return ast.parse(text)


def imports_of(path):
    """(full dotted name, whether it runs at import) of everything a module imports."""
    return imports_in(path.read_text(encoding="utf-8"), package_of(path))


@functools.cache
def imports_in(text, package):
    tree = tree_of(text)
    later = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for inner in ast.walk(node)
    }
    never = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    found = []
    for node in ast.walk(tree):
        if node in never:
            continue
        if isinstance(node, ast.Import):
            found += [(alias.name, node not in later) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            found += [(f"{source}.{alias.name}", node not in later) for alias in node.names]
    return found


def all_imports():
    """(module, full dotted name, whether it runs at import) of everything that modules of the
    package import.
    """
    for path in MODULES:
        for imported, at_once in imports_of(path):
            yield path, imported, at_once


def room_of(dotted):
    """Room of a dotted name of the package; None outside the rooms."""
    parts = dotted.split(".")
    return (
        parts[1] if parts[0] == "erosion_addon" and len(parts) > 1 and parts[1] in LAYERS else None
    )


def within(dotted, *packages):
    return any(dotted == package or dotted.startswith(package + ".") for package in packages)


def test_every_folder_is_a_room_with_a_place_in_the_order():
    assert {
        path.name for path in PACKAGE.iterdir() if path.is_dir() and list(path.glob("*.py"))
    } == set(LAYERS)


def test_imports_only_go_down():
    beside = {("scene", "cli"), ("cli", "worker")}
    for path, imported, _ in all_imports():
        room = room_of(name_of(path))
        below = room_of(imported)
        if room is not None and below is not None:
            assert LAYERS.index(below) <= LAYERS.index(room), f"{name_of(path)} imports {imported}"
            assert (room, below) not in beside, f"{name_of(path)} imports {imported}"


def test_the_scene_gets_the_settings_of_objects_as_arguments():
    """They are properties that the interface registers, so reading them is an import upward."""
    for path in (PACKAGE / "scene").rglob("*.py"):
        for node in ast.walk(tree_of(path.read_text(encoding="utf-8"))):
            is_read = isinstance(node, ast.Attribute) and node.attr == "erosion"
            is_asked = isinstance(node, ast.Call) and any(
                isinstance(argument, ast.Constant) and argument.value == "erosion"
                for argument in node.args[1:]
            )
            if is_read or (is_asked and dotted_name(node.func) == "getattr"):
                pytest.fail(f"{name_of(path)}:{node.lineno} reads the settings of an object")


def test_processes_know_nothing_of_each_other():
    for path, imported, _ in all_imports():
        parts = name_of(path).split(".")
        if parts[1:2] == ["processes"] and parts[2:3] != ["registry"]:
            others = [
                f"erosion_addon.processes.{name}"
                for name in (*PROCESSES, "registry")
                if name != [*parts, ""][2]
            ]
            assert not within(imported, *others), f"{name_of(path)} imports {imported}"


@pytest.mark.slow
def test_neither_folders_nor_modules_import_each_other_in_a_circle():
    """Late imports count too. The doors of the package and of the interface name what lies below
    them.
    """
    packages = {}
    modules = {}
    names = {name_of(path): package_of(path) for path in MODULES}
    for path in MODULES:
        name = name_of(path)
        package = package_of(path)
        if package == "erosion_addon" or name == "erosion_addon.ui":
            continue
        for imported, _ in imports_of(path):
            module = imported if imported in names else imported.rpartition(".")[0]
            if names.get(module) not in (None, package, "erosion_addon"):
                packages.setdefault(package, set()).add(names[module])
            if module in names and module not in (name, package):
                modules.setdefault(name, set()).add(module)
    for graph in (packages, modules):
        graphlib.TopologicalSorter(graph).prepare()  # CycleError names the circle


def test_no_folder_is_a_long_list():
    for folder in {path.parent for path in MODULES}:
        assert (
            len([path for path in folder.glob("*.py") if path.stem != "__init__"]) <= MOST_MODULES
        ), folder


def test_measurements_lie_in_the_folders_of_what_they_measure():
    bench = ROOT / "bench"
    assert {path.name for path in bench.iterdir() if path.is_dir() and list(path.glob("*.py"))} <= {
        *LAYERS,
        "shared",
    }
    assert {path.stem for path in (bench / "processes").glob("*.py")} <= {*PROCESSES, "__init__"}
    called = re.findall(r'_child\("(.+?)"', (bench / "bench.py").read_text(encoding="utf-8"))
    assert len(called) >= 6 and all((bench / script).is_file() for script in called)


def is_kernel(dotted):
    return "kernels" in dotted.split(".")


def test_kernels_know_nothing_of_the_project_above_and_little_else():
    for path, imported, _ in all_imports():
        if is_kernel(name_of(path)):
            others = within(imported, "numpy", "numba", "llvmlite", *sys.stdlib_module_names)
            kernels = within(imported, "erosion_addon") and is_kernel(imported)
            assert others or kernels, f"{name_of(path)} imports {imported}"


def test_blender_is_imported_by_scene_and_ui_alone():
    blender = ("bpy", "bpy_extras", "bmesh", "mathutils", "gpu", "idprop", "blf")
    for path, imported, at_once in all_imports():
        if within(imported, *blender):
            late = room_of(name_of(path)) in (None, "cli") and not at_once
            assert room_of(name_of(path)) in WITH_BLENDER or late, (
                f"{name_of(path)} imports {imported}"
            )


PLAIN = tuple(
    f"erosion_addon.base.kernels.{name}" for name in ("elementary", "splitmix", "interruption")
)
"""Without numba: arithmetic that all rooms share and kernels call, and what ends the wait for a
kernel.
"""


def test_numba_is_imported_by_kernels_alone_and_kernels_only_where_they_run():
    for path, imported, at_once in all_imports():
        if is_kernel(name_of(path)) and name_of(path) not in PLAIN:
            continue
        compiled = (
            within(imported, "erosion_addon")
            and is_kernel(imported)
            and not within(imported, *PLAIN)
        )
        assert not within(imported, "numba", "llvmlite"), f"{name_of(path)} imports {imported}"
        assert not (at_once and compiled), f"{name_of(path)} imports {imported}"


@pytest.mark.parametrize("name", ["__init__", "__main__"])
def test_nothing_is_imported_with_the_package_itself(name):
    """Blender imports it at every start; the doors import what they lead to when they are used."""
    for imported, at_once in imports_of(PACKAGE / f"{name}.py"):
        if name == "__init__":
            assert not (at_once and within(imported, "erosion_addon")), (
                f"importing the package imports {imported}"
            )
        else:
            assert room_of(imported) in (None, "cli"), f"{name} imports {imported}"


PUBLIC = {
    "Checkpoint",
    "FIELDS",
    "Field",
    "InputError",
    "Progress",
    "Recipe",
    "Results",
    "Step",
    "Terrain",
    "erode",
    "erode_region",
    "resume",
    "simulate",
    "simulate_region",
}


def test_public_names_are_reached_through_the_door_and_with_a_warning_at_their_old_address():
    assert set(erosion_addon.ADDRESSES) == PUBLIC
    for name in PUBLIC:
        with pytest.warns(DeprecationWarning, match=f"use `from erosion_addon import {name}`"):
            assert getattr(erosion_addon.model, name) is getattr(erosion_addon, name)
    with pytest.raises(AttributeError):
        erosion_addon.something_else  # noqa: B018 - asking is the test


def test_imports_inside_the_package_are_relative():
    """As an extension the package is called bl_ext.<repository>.<id>.erosion_addon."""
    for path in MODULES:
        for node in ast.walk(tree_of(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += (
                [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
            )
            assert not any(within(name, "erosion_addon") for name in names), name_of(path)


@pytest.mark.parametrize(
    "module", ["erosion_addon", "erosion_addon.model", "erosion_addon.worker.worker"]
)
def test_importing_imports_neither_numba_nor_blender(module):
    program = f"import sys, {module}; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-B", "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert module in loaded and not loaded & {"numba", "llvmlite", "bpy", "OpenImageIO"}
    kernels = {name for name in loaded if name.startswith("erosion_addon.") and is_kernel(name)}
    assert kernels <= {*PLAIN, "erosion_addon.base.kernels"}


def test_simulating_imports_no_blender():
    program = (
        "import sys, numpy; from erosion_addon import Recipe, Terrain, erode;"
        "erode(Terrain(numpy.eye(5)), Recipe.load('arcane')); print(*sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "erosion_addon.processes.droplet.kernels.droplet" in loaded
    assert not loaded & {"bpy", "erosion_addon.scene", "erosion_addon.ui"}


FORBIDDEN_CALLS = {
    "exec",
    "eval",
    "compile",
    "__import__",
    "execfile",
    "os.system",
    "os.popen",
    "runpy.run_path",
}
FORBIDDEN_MODULES = {
    "pickle",
    "cPickle",
    "cloudpickle",
    "dill",
    "marshal",
    "shelve",
    "socket",
    "socketserver",
    "ssl",
    "http",
    "urllib",
    "ftplib",
    "smtplib",
    "asyncio",
    "multiprocessing",
    "requests",
    "pip",
    "webbrowser",
    "xmlrpc",
    "runpy",
}


def dotted_name(node):
    if isinstance(node, ast.Attribute):
        return f"{dotted_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def shown_faults(path):
    """Forbidden uses in a module, as (line, words)."""
    for node in ast.walk(tree_of(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            if dotted_name(node.func) in FORBIDDEN_CALLS:
                yield node.lineno, dotted_name(node.func)
            for word in node.keywords:
                if word.arg in ("allow_pickle", "shell") and not (
                    isinstance(word.value, ast.Constant) and word.value.value is False
                ):
                    yield node.lineno, f"{word.arg} that is not False"
        elif isinstance(node, ast.Attribute) and dotted_name(node) == "sys.excepthook":
            yield node.lineno, "sys.excepthook"
        elif isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield node.lineno, "import *"
    for imported, _ in imports_of(path):
        if imported.partition(".")[0] in FORBIDDEN_MODULES:
            yield 0, imported


def test_nothing_forbidden_is_used():
    faults = {name_of(path): list(shown_faults(path)) for path in [ROOT / "__init__.py", *MODULES]}
    assert {name: found for name, found in faults.items() if found} == {}


def test_the_scan_finds_what_is_forbidden(tmp_path):
    package = tmp_path / "erosion_addon"
    package.mkdir()
    path = package / "bad.py"
    lines = [
        "import pickle",
        "from urllib import request",
        "import socket",
        "exec('1')",
        "eval('1')",
        "os.system('ls')",
        "numpy.load('x', allow_pickle=True)",
        "subprocess.run('ls', shell=yes)",
        "sys.excepthook = print",
        "from os import *",
    ]
    for line in lines:
        path.write_text(line)
        assert list(faults_at(path, tmp_path)), line


def faults_at(path, root):
    """`shown_faults` of a file below another root."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[__name__], "ROOT", root)
        return list(shown_faults(path))


def test_every_module_has_its_licence_and_a_docstring():
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert text.startswith("# SPDX-License-Identifier: GPL-3.0-or-later\n"), path
        assert ast.get_docstring(tree_of(text)), path
        assert path.stem not in ("utils", "common", "helpers", "misc"), path


def test_the_version_is_the_same_everywhere():
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert manifest["version"] == erosion_addon.VERSION
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {erosion_addon.VERSION}\n" in citation
    source = project["tool"]["hatch"]["version"]
    assert (
        re.search(source["pattern"], (ROOT / source["path"]).read_text())["version"]
        == erosion_addon.VERSION
    )
