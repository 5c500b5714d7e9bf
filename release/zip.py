# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the extension's zip, with the wheels it needs, by Blender's own builder; validate it and print its path.

    python release/zip.py [--python 3.13 ... | --all] [--platform linux-x64] [--output dist] [--blender blender]

Without --python the zip fits the Python that runs this script. The builder is the stand-alone script inside the bpy
wheel of that Python, or the given Blender. Wheels are downloaded once and kept in build/wheels.
"""

import argparse
import importlib.util
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BELONGS = ("__init__.py", "blender_manifest.toml", "LICENSE", "README.md", "erosion_addon", "presets")
WHEELS = {"numba": "0.68.1", "llvmlite": "0.50.0"}


@dataclass(frozen=True)
class Platform:
    """Where wheels come from for one of Blender's platforms: pip's tags, and the Pythons that Blenders there have."""

    tags: tuple[str, ...]
    pythons: tuple[str, ...]


# 3.11: Blender 4.5 and 5.0; 3.13: 5.1 and 5.2; 3.14: the Blender that Linux distributions build.
# Missing: macos-x64, for which neither these numba wheels nor a Blender after 4.5 exist.
PLATFORMS = {
    "linux-x64": Platform(("manylinux_2_27_x86_64", "manylinux_2_28_x86_64"), ("3.11", "3.13", "3.14")),
    "linux-arm64": Platform(("manylinux_2_27_aarch64", "manylinux_2_28_aarch64"), ("3.11", "3.13", "3.14")),
    "macos-arm64": Platform(("macosx_12_0_arm64",), ("3.11", "3.13")),
    "windows-x64": Platform(("win_amd64",), ("3.11", "3.13")),
    "windows-arm64": Platform(("win_arm64",), ("3.13",)),
}


def this_platform() -> str:
    """Blender's name for the machine that runs this, such as linux-x64."""
    system, machine = platform.system().lower(), platform.machine().lower()
    machines = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
    return f"{'macos' if system == 'darwin' else system}-{machines.get(machine, machine)}"


def builder(blender: str | None) -> list[str]:
    """The command to which `build` and `validate` are appended."""
    if blender:
        return [blender, "--command", "extension"]
    bpy = importlib.util.find_spec("bpy")
    if bpy is None or bpy.origin is None:
        sys.exit("zip.py: this Python has no bpy wheel, whose builder makes the zip; use another, or --blender PATH")
    script = next(Path(bpy.origin).parent.glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    return [sys.executable, str(script)]


def download_wheels(platform_name: str, pythons: list[str]) -> list[Path]:
    """Paths of the wheels for each Python, from build/wheels; those not there yet are downloaded."""
    wanted = []
    for python in pythons:
        tag = "cp" + python.replace(".", "")
        folder = ROOT / "build" / "wheels" / platform_name / tag
        if not all(list(folder.glob(f"{name}-{version}-*.whl")) for name, version in WHEELS.items()):
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--no-deps",
                       "--dest", str(folder), "--implementation", "cp", "--python-version", python, "--abi", tag]
            for pip_tag in PLATFORMS[platform_name].tags:
                command += ["--platform", pip_tag]
            subprocess.run([*command, *(f"{name}=={version}" for name, version in WHEELS.items())], check=True)
        wanted += [next(folder.glob(f"{name}-{version}-*.whl")) for name, version in WHEELS.items()]
    return wanted


def stage(folder: Path, platform_name: str, wheels: list[Path]) -> None:
    """Copy what belongs to the extension into `folder` and name platform and wheels in its manifest."""
    for name in BELONGS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(ROOT / name, folder / name)
    (folder / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy2(wheel, folder / "wheels" / wheel.name)
    manifest = folder / "blender_manifest.toml"
    names = "".join(f'  "./wheels/{wheel.name}",\n' for wheel in wheels)
    added = f'platforms = ["{platform_name}"]\nwheels = [\n{names}]\n'      # in front: tables end the top level
    manifest.write_text(added + manifest.read_text(encoding="utf-8"), encoding="utf-8")


def build_zip(platform_name: str, pythons: list[str], output: Path, blender: str | None = None) -> Path:
    """Build and validate one zip in the folder `output`; returns its path. Raises CalledProcessError."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    output.mkdir(parents=True, exist_ok=True)
    target = output / f"{manifest['id']}-{manifest['version']}-{platform_name.replace('-', '_')}.zip"
    with tempfile.TemporaryDirectory() as folder:
        stage(Path(folder), platform_name, download_wheels(platform_name, pythons))
        for words in (["build", "--source-dir", folder, "--output-filepath", str(target)], ["validate", str(target)]):
            done = subprocess.run([*builder(blender), *words], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"zip.py: `{words[0]}` failed\n{done.stdout}{done.stderr}")
    return target


def main() -> None:
    """Read the command line, build, print the path."""
    parser = argparse.ArgumentParser(description="Build the extension's zip with its wheels.")
    parser.add_argument("--platform", metavar="NAME", default=this_platform())
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--python", nargs="+", metavar="3.N", default=["{}.{}".format(*sys.version_info)])
    which.add_argument("--all", action="store_true", help="every Python that a Blender on that platform has")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="FOLDER")
    parser.add_argument("--blender", metavar="PROGRAM", help="build with this Blender")
    words = parser.parse_args()
    if words.platform not in PLATFORMS:
        parser.error(f"no wheels are known for {words.platform}; --platform takes one of {', '.join(PLATFORMS)}")
    pythons = list(PLATFORMS[words.platform].pythons) if words.all else words.python
    print(build_zip(words.platform, pythons, words.output.resolve(), words.blender))


if __name__ == "__main__":
    main()
