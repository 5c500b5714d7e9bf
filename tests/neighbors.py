# SPDX-License-Identifier: GPL-3.0-or-later
"""Extensions that bring other versions of the same libraries: `make neighbors`.

All extensions of a Blender share one folder of libraries, in which the highest version of each
stays. A neighbor is installed before or after this extension, with older or newer libraries, real
ones or such as do not work. A mesh is eroded then, after a restart, and after the neighbor was
removed: each time it is eroded, or a sentence names the libraries and the mesh is as it was. Once
the neighbor is gone it is eroded.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests import bare_python

ROOT = Path(__file__).resolve().parents[1]
MODULES = [f"bl_ext.user_default.{name}" for name in ("neighbor", "terrain_erosion")]
TAG = "cp{}{}".format(*sys.version_info)
KERNELS = "NEIGHBORS_KERNELS"
"""Environment variable with the folder in which all trials keep their compiled kernels."""

WHEELS = {"numba": "0.61.2", "llvmlite": "0.44.0"}
NUMPY = {"numpy": "2.1.3"}
"""Real wheels of other versions, for both Pythons. This numpy is newer than that of Blender 4.5,
older than of 5.2.
"""

MANIFEST = """schema_version = "1.0.0"
id = "neighbor"
version = "1.0.0"
name = "Neighbor"
tagline = "Brings libraries"
maintainer = "Test"
type = "add-on"
license = ["SPDX:GPL-3.0-or-later"]
blender_version_min = "4.5.0"
wheels = {wheels}
"""


def real_wheels(folder: Path, versions: dict[str, str]) -> list[Path]:
    """Wheels of these versions, downloaded."""
    words = [f"{name}=={version}" for name, version in versions.items()]
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--dest",
        folder,
    ]
    subprocess.run([*command, *words], check=True)
    return sorted(folder.glob("*.whl"))


def broken_wheel(folder: Path, name: str, version: str) -> Path:
    """A wheel of a library that raises when it is imported."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}/__init__.py": "raise ImportError('made for something else')\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": (
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        ),
    }
    files[f"{info}/RECORD"] = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
    return path


def neighbor(folder: Path, wheels: list[Path]) -> Path:
    """The zip of an extension that brings wheels and does nothing."""
    path = folder / "neighbor.zip"
    with zipfile.ZipFile(path, "w") as archive:
        names = [f"./wheels/{wheel.name}" for wheel in wheels]
        archive.writestr("blender_manifest.toml", MANIFEST.format(wheels=json.dumps(names)))
        archive.writestr("__init__.py", "def register(): pass\ndef unregister(): pass\n")
        for wheel in wheels:
            archive.write(wheel, f"wheels/{wheel.name}")
    return path


# In Blender


def act(words: list[str]) -> None:
    """Install zips, or `remove` the neighbor, or leave `both` or one `alone`, and erode; prints
    what comes of it.
    """
    import bpy
    import numpy as np

    for word in words:
        if word in ("both", "alone"):
            continue
        if word == "remove":
            repos = bpy.context.preferences.extensions.repos
            index = next(i for i, repo in enumerate(repos) if repo.module == "user_default")
            bpy.ops.extensions.package_uninstall(repo_index=index, pkg_id="neighbor")
        else:
            bpy.ops.extensions.package_install_files(
                filepath=word, repo="user_default", enable_on_install=True
            )
    for module in MODULES[1:] if "remove" in words or "alone" in words else MODULES:
        bpy.ops.preferences.addon_enable(module=module)
    bpy.context.preferences.addons[MODULES[1]].preferences.kernel_folder = os.environ[KERNELS]
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=40, y_subdivisions=24, size=400.0)
    mesh = bpy.context.object.data
    place = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.attributes["position"].data.foreach_get("vector", place)
    place[2::3] = 20.0 * np.sin(place[::3] / 40.0) + 0.1 * place[1::3]
    mesh.attributes["position"].data.foreach_set("vector", place)
    bpy.ops.erosion.recipe_load(name="arcane")
    bpy.context.object.erosion.steps[0].droplet.drops_per_cell = 1.0
    said = ""
    try:
        bpy.ops.erosion.run()
    except RuntimeError as error:
        said = str(error).strip()
    now = np.empty_like(place)
    mesh.attributes["position"].data.foreach_get("vector", now)
    told = {
        "said": said,
        "same": now.tobytes() == place.tobytes(),
        "sha": hashlib.sha256(now).hexdigest(),
    }
    print("\n" + json.dumps(told), flush=True)
    bpy.ops.wm.save_userpref()
    bpy.ops.preferences.addon_disable(module=MODULES[1])
    os._exit(0)  # Blender 4.5 as a Python module may hang at its end, see conftest.py


# From outside


def blender(python: Path, profile: Path, words: list[str]) -> dict[str, object]:
    """A start of Blender; returns what it has told."""
    done = subprocess.run(
        [python, "-W", "ignore", Path(__file__), "--act", *words],
        env=bare_python.environment(profile)
        | {"PYTHONPATH": str(ROOT), KERNELS: str(profile.with_name("kernels"))},
        capture_output=True,
        text=True,
        timeout=600,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    told: dict[str, object] = (
        json.loads(lines[-1]) if lines else {"said": "", "same": False, "sha": ""}
    )
    told["rest"] = "" if lines else (done.stdout + done.stderr)[-3000:]
    return told


def main() -> int:
    """Try all neighbors in both orders; returns how many failures there are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--act", nargs="+", metavar="WORD", help="in Blender: zips, remove, both or alone"
    )
    parser.add_argument(
        "--only", metavar="WORDS", help="neighbors with these words in their name alone"
    )
    given = parser.parse_args()
    if given.act is not None:
        act(given.act)
    failures = trials = 0
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text).resolve()
        python = bare_python.make(folder)
        command = [sys.executable, ROOT / "release" / "zip.py", "--output", folder / "dist"]
        ours = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        made = folder / "made"
        made.mkdir()
        neighbors = {
            f"older numba and llvmlite ({', '.join(WHEELS.values())})": real_wheels(
                folder / "real", WHEELS
            ),
            f"another numpy ({NUMPY['numpy']})": real_wheels(folder / "numpy", NUMPY),
            "a newer llvmlite that does not work": [broken_wheel(made, "llvmlite", "99.0.0")],
            "a newer numba that does not work": [broken_wheel(made, "numba", "99.0.0")],
            "a newer numpy that does not work": [broken_wheel(made, "numpy", "99.0.0")],
        }
        if given.only:
            neighbors = {name: wheels for name, wheels in neighbors.items() if given.only in name}
        for name, wheels in neighbors.items():
            theirs = str(neighbor(folder, wheels))
            for order, zips in (("before", [theirs, ours]), ("after", [ours, theirs])):
                profile = folder / f"profile {trials}"
                trials += 1
                told = [
                    blender(python, profile, zips),
                    blender(python, profile, ["both"]),
                    blender(python, profile, ["remove"]),
                    blender(python, profile, ["alone"]),
                ]
                is_well = not told[-1]["said"] and all(
                    one["same"] == bool(one["said"]) for one in told
                )
                is_well = is_well and not any(
                    "Traceback" in f"{one['said']}{one['rest']}" for one in told
                )
                failures += not is_well
                words = ["a sentence" if one["said"] else "eroded" for one in told]
                print(
                    f"{name}, {order}: {', '.join(words)}: {'well' if is_well else 'FAILED'}",
                    flush=True,
                )
                for one in told:
                    if one["said"] or not is_well:
                        print(f"    {one['said']}{one['rest']}")
    print(f"{trials} neighbors, 4 starts of Blender each, {failures} failures")
    return failures


if __name__ == "__main__":
    sys.exit(main() > 0)
