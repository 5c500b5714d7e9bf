# SPDX-License-Identifier: GPL-3.0-or-later
"""The packaged extension: manifest, zip, and one erosion in an empty profile."""

import ast
import hashlib
import json
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from hatchling.builders.wheel import WheelBuilder

from erosion_addon import VERSION
from erosion_addon.base.threads import processors
from tests import bare_python

ROOT = Path(__file__).resolve().parents[1]
# blender_ext.py checks the values of these keys and ignores all others.
KNOWN_KEYS = {
    "schema_version",
    "id",
    "version",
    "name",
    "tagline",
    "maintainer",
    "type",
    "license",
    "blender_version_min",
    "blender_version_max",
    "website",
    "copyright",
    "tags",
    "platforms",
    "wheels",
    "permissions",
    "build",
}
KNOWN_PLATFORMS = {
    "linux-x64",
    "linux-arm64",
    "macos-x64",
    "macos-arm64",
    "windows-x64",
    "windows-arm64",
}


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
    """See `bare_python.make`."""
    return bare_python.make(tmp_path_factory.mktemp("bare"))


def test_pip_installs_every_file_of_the_package_and_the_presets():
    wheel = WheelBuilder(str(ROOT))
    installed = {file.distribution_path for file in wheel.recurse_included_files()}
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "erosion_addon").rglob("*.*")}
    presets = {
        f"erosion_addon/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / "presets").rglob("*.*")
    }
    assert installed == {path for path in package | presets if "__pycache__" not in path}


def test_the_root_module_is_short_and_imports_nothing_when_it_is_imported():
    source = (ROOT / "__init__.py").read_text()
    assert len(source.splitlines()) <= 16
    kinds = {type(statement) for statement in ast.parse(source).body[1:]}  # after the docstring
    assert kinds == {ast.FunctionDef}


def test_the_manifest_says_only_what_blender_knows(packed):
    _, manifest = packed
    assert set(manifest) <= KNOWN_KEYS
    assert set(manifest["permissions"]) == {"files"}
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


@pytest.fixture(scope="module")
def packer():
    """Definitions of release/zip.py."""
    return runpy.run_path(str(ROOT / "release" / "zip.py"))


def changed(zip_path, target, change):
    """A copy of a zip in which `change` has done something to the contents by name."""
    with zipfile.ZipFile(zip_path) as archive:
        content = {
            name: archive.read(name) if not name.endswith(".whl") else b""
            for name in archive.namelist()
        }
    change(content)
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return target


def test_the_packer_finds_nothing_wrong_with_its_zip(packer, zip_path):
    python = "{}.{}".format(*sys.version_info)
    assert packer["faults"](zip_path, packer["this_platform"](), [python]) == []


@pytest.mark.parametrize("part", ["numba", "llvmlite", "LICENSE", "presets/"])
def test_the_packer_finds_what_is_missing(packer, zip_path, tmp_path, part):
    def take_out(content):
        for name in [name for name in content if name.removeprefix("wheels/").startswith(part)]:
            del content[name]

    less = changed(zip_path, tmp_path / "less.zip", take_out)
    faults = packer["faults"](less, packer["this_platform"](), ["{}.{}".format(*sys.version_info)])
    assert any(part.rstrip("/") in fault for fault in faults)


def test_the_packer_finds_wheels_of_another_python_or_platform(packer, zip_path):
    python = "{}.{}".format(*sys.version_info)
    platform = packer["this_platform"]()
    other = "windows-x64" if platform != "windows-x64" else "linux-x64"
    assert any(
        "for Python 3.9 is missing" in fault
        for fault in packer["faults"](zip_path, platform, [python, "3.9"])
    )
    assert any("is missing" in fault for fault in packer["faults"](zip_path, other, [python]))


def test_a_wheel_with_another_hash_is_not_packed(packer, tmp_path, monkeypatch):
    """Neither one that the index sends, which pip refuses, nor one that somebody put among those
    kept.
    """
    pythons = sum(
        len(known.pythons + known.distributions) for known in packer["PLATFORMS"].values()
    )
    assert len(packer["HASHES"]) == 2 * pythons
    assert set(packer["WHEELS"]) == {"numba", "llvmlite"}
    wheels = [
        tmp_path / f"{name}-{version}-cp313-cp313-any.whl"
        for name, version in packer["WHEELS"].items()
    ]
    for wheel in wheels:
        wheel.write_bytes(b"something else")
    monkeypatch.setitem(packer["build_zip"].__globals__, "download_wheels", lambda *_: wheels)
    with pytest.raises(SystemExit, match=r"numba-.* is not the wheel"):
        packer["build_zip"]("linux-x64", ["3.13"], tmp_path)
    assert not list(tmp_path.glob("*.zip"))


@pytest.mark.skipif(not shutil.which("git"), reason="there is no git")
@pytest.mark.parametrize("checkout", [True, False])
def test_in_a_checkout_only_what_git_knows_is_packed(
    packer, tmp_path, monkeypatch, capsys, checkout
):
    for name in (
        "__init__.py",
        "erosion_addon/terrain/fields.py",
        "tests/x.py",
        "erosion_addon/__pycache__/x.pyc",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    known = ["__init__.py", "erosion_addon/terrain/fields.py"]
    if checkout:
        (tmp_path / ".gitignore").write_text("__pycache__/")
        for words in (["init", "-q"], ["add", "."]):
            subprocess.run(["git", *words], cwd=tmp_path, check=True)
        (tmp_path / "erosion_addon" / "secret.txt").write_text("")
    monkeypatch.setitem(packer["sources"].__globals__, "ROOT", tmp_path)
    assert sorted(path.as_posix() for path in packer["sources"]()) == known
    assert ("secret.txt" in capsys.readouterr().err) == checkout


def test_the_same_sources_give_the_same_zip(packer, zip_path, tmp_path):
    """Also where the builder comes upon the files in another order, at another time."""
    again = tmp_path / "again.zip"
    with (
        zipfile.ZipFile(zip_path) as archive,
        zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED) as other,
    ):
        for name in reversed(archive.namelist()):
            other.writestr(zipfile.ZipInfo(name, (2020, 2, 2, 2, 2, 2)), archive.read(name))
    packer["normalize"](again)
    assert again.read_bytes() == zip_path.read_bytes()


def test_libraries_are_pinned_in_one_place(packer):
    """Every other file that names a version of numba gives a least one, for those who install with
    pip.
    """
    for path in (ROOT / "Makefile", ROOT / "blender_manifest.toml", ROOT / "pyproject.toml"):
        for version in packer["WHEELS"].values():
            assert version not in path.read_text(encoding="utf-8")


def test_the_zip_holds_the_extension_and_nothing_else(packed):
    names, _ = packed
    top = {name.split("/")[0] for name in names}
    assert top == {
        "__init__.py",
        "blender_manifest.toml",
        "LICENSE",
        "docs",
        "erosion_addon",
        "presets",
        "wheels",
    }
    assert not [
        name for name in names if "__pycache__" in name or "/." in name or name.endswith(".pyc")
    ]
    shipped = {path.relative_to(ROOT).as_posix() for path in (ROOT / "presets").glob("*.toml")}
    shipped |= {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "erosion_addon").rglob("*.py")
    }
    shipped |= {f"docs/images/{path.name}" for path in (ROOT / "docs" / "images").iterdir()}
    shipped |= {
        path.relative_to(ROOT).with_suffix(".html").as_posix()
        for path in (ROOT / "docs").rglob("*.md")
        if path.parent.name != "changes"
    }
    assert shipped <= set(names)


PACKED = {
    "__init__.py": {".py"},
    "blender_manifest.toml": {".toml"},
    "LICENSE": {""},
    "docs": {".html", ".jpg", ".png"},
    "erosion_addon": {".py", ".json"},
    "presets": {".toml", ".png"},
    "wheels": {".whl"},
}
"""What lies at the top of a zip -> the endings of its files."""


def test_the_zip_holds_plain_files_of_known_kinds_below_its_root(zip_path):
    with zipfile.ZipFile(zip_path) as archive:
        entries = archive.infolist()
    for entry in entries:
        name = PurePosixPath(entry.filename)
        assert name.suffix in PACKED[name.parts[0]], name
        assert (
            not name.is_absolute()
            and ".." not in name.parts
            and "\\" not in entry.filename
            and ":" not in name.name
        )
        assert entry.external_attr >> 16 == 0o100644, (
            f"{name} is a link, a program, or writable by others"
        )
    assert len({entry.filename.casefold() for entry in entries}) == len(entries)


def test_the_wheels_in_the_zip_are_those_of_the_index_to_the_byte(packer, zip_path):
    with zipfile.ZipFile(zip_path) as archive:
        wheels = [name for name in archive.namelist() if name.endswith(".whl")]
        assert {hashlib.sha256(archive.read(name)).hexdigest() for name in wheels} <= set(
            packer["HASHES"]
        )
    assert len(wheels) == len(packer["WHEELS"])


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    """An empty folder as Blender's user folder."""
    return tmp_path_factory.mktemp("profile")


@pytest.fixture(scope="module")
def seen(zip_path, python_without_numba, profile):
    """Findings of installed_extension.py in the empty profile."""
    done = subprocess.run(
        [python_without_numba, ROOT / "tests" / "installed_extension.py", zip_path],
        env=bare_python.environment(profile),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


def test_the_installed_zip_erodes_a_mesh_with_the_numba_it_brought(seen, profile):
    assert seen["numba_before"] is None
    assert Path(seen["numba_after"]).is_relative_to(profile / "extensions" / ".local")
    assert seen["eager"] == [] and seen["processes_when_enabled"] == []
    assert seen["operator"] == ["FINISHED"]
    assert seen["largest_change"] > 0.0
    assert {"wear", "deposition", "erosion_source"} <= set(seen["attributes"])
    assert seen["same_after_restore"]


def test_the_defaults_of_the_preferences_need_no_change(seen):
    assert seen["preferences"] == {
        "threads": 0,
        "live_preview": False,
        "keep_worker": True,
        "warm_up": True,
        "kernel_folder": "",
    }


def test_the_preference_for_threads_reaches_the_run(seen):
    every, one = seen["reports"]
    assert (every["threads"], one["threads"]) == (processors(), 1)
    assert every["sha256"] == one["sha256"]


def test_compiled_kernels_lie_in_the_extensions_user_folder_and_can_be_cleared(seen):
    assert seen["compiled"]
    assert all(
        name.startswith(".user/user_default/terrain_erosion/kernels/numba-")
        for name in seen["compiled"]
    )
    assert seen["compiled_after_clear"] == []


def test_kernels_are_compiled_once_for_runs_light_and_levels_of_detail_in_every_worker(seen):
    assert any("/refine." in name for name in seen["compiled"]) and any(
        "/sky." in name for name in seen["compiled"]
    )
    assert seen["compiled_anew"] == []


def test_nothing_compiled_is_loaded_into_blenders_own_process(seen):
    assert seen["in_blenders_process"] == []


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="reads /proc")
def test_the_worker_is_one_process_that_ends_when_it_is_not_wanted(seen):
    assert len(seen["processes_of_a_worker"]) == 1
    assert seen["processes_without_it"] == seen["processes_after"] == []


def test_nothing_is_left_when_it_is_disabled_or_removed(seen):
    nothing = {"classes": [], "operators": [], "properties": [], "handlers": []}
    assert (
        seen["registered_before"]
        == seen["registered_after"]
        == seen["registered_at_the_end"]
        == nothing
    )
    assert seen["numba_at_the_end"] is None
    assert seen["files_at_the_end"] == []


def test_pictures_and_tagline_fit_the_extensions_site():
    pictures = pytest.importorskip("PIL.Image")
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert len(manifest["tagline"]) <= 64 and manifest["tagline"][-1].isalnum()
    assert all(len(reason) <= 64 for reason in manifest["permissions"].values())
    for name, size in (("icon.png", (256, 256)), ("featured.jpg", (1920, 1080))):
        with pictures.open(ROOT / "release" / "site" / name) as picture:
            assert picture.size == size
