# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension as a user gets it: its manifest, its zip, and one erosion in an empty profile with nothing else."""

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from erosion_addon import VERSION

ROOT = Path(__file__).resolve().parent.parent
# blender_ext.py checks the values of these keys and ignores all others.
KNOWN_KEYS = {
    "schema_version", "id", "version", "name", "tagline", "maintainer", "type", "license", "blender_version_min",
    "blender_version_max", "website", "copyright", "tags", "platforms", "wheels", "permissions", "build",
}
KNOWN_PERMISSIONS = {"files", "network", "clipboard", "camera", "microphone"}
KNOWN_PLATFORMS = {"linux-x64", "linux-arm64", "macos-x64", "macos-arm64", "windows-x64", "windows-arm64"}


@pytest.fixture(scope="module")
def zip_path(tmp_path_factory):
    """The zip for the running Python, made and validated by release/zip.py."""
    output = tmp_path_factory.mktemp("dist")
    command = [sys.executable, ROOT / "release" / "zip.py", "--output", output]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return Path(done.stdout.strip())


@pytest.fixture(scope="module")
def packed(zip_path):
    """Names of the files in the zip, and the manifest there."""
    with zipfile.ZipFile(zip_path) as archive:
        return archive.namelist(), tomllib.loads(archive.read("blender_manifest.toml").decode())


@pytest.fixture(scope="module")
def python_without_numba(tmp_path_factory):
    """A Python that sees every package of this one, bpy among them, but neither numba nor llvmlite."""
    folder = tmp_path_factory.mktemp("bare")
    packages, links = Path(importlib.util.find_spec("bpy").origin).parent.parent, folder / "packages"
    links.mkdir()
    for entry in packages.iterdir():
        if not entry.name.startswith(("numba", "llvmlite")) and entry.suffix != ".pth":
            (links / entry.name).symlink_to(entry)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    scripts = "Scripts" if os.name == "nt" else "bin"
    python = folder / "venv" / scripts / Path(sys.executable).name
    command = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    own = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    (Path(own) / "packages.pth").write_text(f"{links}\n")
    return python


def test_the_root_module_is_short_and_imports_nothing_when_it_is_imported():
    source = (ROOT / "__init__.py").read_text()
    assert len(source.splitlines()) <= 15
    kinds = {type(statement) for statement in ast.parse(source).body[1:]}  # after the docstring
    assert kinds == {ast.FunctionDef}


def test_the_manifest_says_only_what_blender_knows(packed):
    _, manifest = packed
    assert set(manifest) <= KNOWN_KEYS
    assert set(manifest["permissions"]) <= KNOWN_PERMISSIONS
    assert set(manifest["build"]) <= {"paths_exclude_pattern"}
    assert set(manifest["platforms"]) <= KNOWN_PLATFORMS
    assert manifest["license"] == ["SPDX:GPL-3.0-or-later"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", manifest["blender_version_min"])


def test_the_committed_manifest_names_no_wheels():
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text())
    assert "wheels" not in manifest and "platforms" not in manifest


def test_the_manifest_has_the_version_of_the_package(packed):
    _, manifest = packed
    assert manifest["version"] == VERSION


def test_every_wheel_of_the_manifest_is_in_the_zip_and_no_other(packed):
    names, manifest = packed
    in_zip = {"./" + name for name in names if name.endswith(".whl")}
    assert set(manifest["wheels"]) == in_zip
    assert {Path(wheel).name.split("-")[0] for wheel in in_zip} == {"numba", "llvmlite"}


def test_the_zip_holds_the_extension_and_nothing_else(packed):
    names, _ = packed
    top = {name.split("/")[0] for name in names}
    assert top == {"__init__.py", "blender_manifest.toml", "LICENSE", "README.md", "erosion_addon", "presets", "wheels"}
    assert not [name for name in names if "__pycache__" in name or "/." in name or name.endswith(".pyc")]
    shipped = {path.relative_to(ROOT).as_posix() for path in (ROOT / "presets").glob("*.toml")}
    shipped |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "erosion_addon").rglob("*.py")}
    assert shipped <= set(names)


def test_the_installed_zip_erodes_a_mesh_with_the_numba_it_brought(zip_path, python_without_numba, tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA", "BLENDER"))}
    done = subprocess.run(
        [python_without_numba, ROOT / "tests" / "installed_extension.py", zip_path],
        env=kept | {"BLENDER_USER_RESOURCES": str(tmp_path)}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    seen = json.loads(done.stdout.strip().splitlines()[-1])
    assert seen["numba_before"] is None
    assert Path(seen["numba_after"]).is_relative_to(tmp_path / "extensions" / ".local")
    assert seen["operator"] == ["FINISHED"]
    assert seen["largest_change"] > 0.0
    assert {"wear", "deposition", "erosion_source"} <= set(seen["attributes"])
    assert seen["same_after_restore"]
    assert seen["eager"] == []
