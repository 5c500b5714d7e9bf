# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the extension's zip, with the wheels it needs, by Blender's own builder; validate it and
print its path.

    python release/zip.py [--python 3.13 ... | --all | --distributions] [--platform linux-x64 ... |
    all] [--output dist]
                          [--blender blender]

Without --python the zip fits the Python that runs this script; --all makes it fit Blender's own
releases, and --distributions the Blender that Linux distributions build, under a name of its own.
The builder is the stand-alone script inside the bpy wheel of that Python, or the given Blender.
Wheels are downloaded once and kept in build/wheels; each has to have a hash of release/wheels.txt.
In a checkout only files known to git are packed. The same sources give the same bytes;
SOURCE_DATE_EPOCH dates the files (else 1980).
"""

import argparse
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from release import manual_pages  # noqa: E402 - the root has to be on the path first

BELONGS = ("__init__.py", "blender_manifest.toml", "LICENSE", "docs", "erosion_addon", "presets")
PINNED = ROOT / "release" / "wheels.txt"
WHEELS = dict(re.findall(r"(?m)^([a-z]+)==([0-9.]+)", PINNED.read_text(encoding="utf-8")))
HASHES = set(re.findall(r"sha256:([0-9a-f]{64})", PINNED.read_text(encoding="utf-8")))
LARGEST = 140_000_000
"""Bytes of a zip; extensions.blender.org takes 200 MB, and artists download it."""
FIRST_DATE = 315532800
"""1 January 1980, before which there are no dates in a zip."""


@dataclass(frozen=True)
class Platform:
    """Where wheels come from for one of Blender's platforms: pip's tags, and the Pythons that
    Blender's own releases and those of Linux distributions have there.
    """

    tags: tuple[str, ...]
    pythons: tuple[str, ...]
    distributions: tuple[str, ...] = ()


# 3.11: Blender 4.5 and 5.0; 3.13: 5.1 and 5.2; 3.14: Debian's and other distributions' Blender.
# Missing, as these versions of numba have no wheels for them: macos-x64 (nor is there a Blender
# after 4.5), and Python 3.11 on windows-arm64, so that it takes Blender 5.1 there.
PLATFORMS = {
    "linux-x64": Platform(
        ("manylinux_2_27_x86_64", "manylinux_2_28_x86_64"), ("3.11", "3.13"), ("3.14",)
    ),
    "linux-arm64": Platform(
        ("manylinux_2_27_aarch64", "manylinux_2_28_aarch64"), ("3.11", "3.13"), ("3.14",)
    ),
    "macos-arm64": Platform(("macosx_12_0_arm64",), ("3.11", "3.13")),
    "windows-x64": Platform(("win_amd64",), ("3.11", "3.13")),
    "windows-arm64": Platform(("win_arm64",), ("3.13",)),
}


def this_platform() -> str:
    """Blender's name for the machine that runs this, such as linux-x64."""
    system = platform.system().lower()
    machine = platform.machine().lower()
    machines = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}
    return f"{'macos' if system == 'darwin' else system}-{machines.get(machine, machine)}"


def builder(blender: str | None) -> list[str]:
    """The command to which `build` and `validate` are appended."""
    if blender:
        return [blender, "--command", "extension"]
    bpy = importlib.util.find_spec("bpy")
    if bpy is None or bpy.origin is None:
        sys.exit(
            "zip.py: this Python has no bpy wheel, whose builder makes the zip; use another, or "
            "--blender PATH"
        )
    script = next(Path(bpy.origin).parent.glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    return [sys.executable, str(script)]


def download_wheels(platform_name: str, pythons: list[str]) -> list[Path]:
    """Paths of the wheels for each Python, from build/wheels; those not there yet are
    downloaded.
    """
    wheels = []
    for python in pythons:
        tag = "cp" + python.replace(".", "")
        folder = ROOT / "build" / "wheels" / platform_name / tag
        if not all(
            list(folder.glob(f"{name}-{version}-*.whl")) for name, version in WHEELS.items()
        ):
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--only-binary=:all:",
                "--no-deps",
                "--dest",
                str(folder),
                "--implementation",
                "cp",
                "--python-version",
                python,
                "--abi",
                tag,
            ]
            for pip_tag in PLATFORMS[platform_name].tags:
                command += ["--platform", pip_tag]
            subprocess.run([*command, "--require-hashes", "--requirement", str(PINNED)], check=True)
        wheels += [next(folder.glob(f"{name}-{version}-*.whl")) for name, version in WHEELS.items()]
    return wheels


def unknown(wheels: Iterable[Path]) -> list[Path]:
    """Wheels without a pinned hash."""
    return [
        wheel for wheel in wheels if hashlib.sha256(wheel.read_bytes()).hexdigest() not in HASHES
    ]


def sources() -> list[Path]:
    """Files of the extension, relative to its root: in a checkout those known to git, else all."""
    if not (ROOT / ".git").exists():
        paths = (path for name in BELONGS for path in (ROOT / name, *(ROOT / name).rglob("*")))
        return [
            path.relative_to(ROOT)
            for path in paths
            if path.is_file() and "__pycache__" not in path.parts
        ]
    if untracked := _git_files("--others", "--exclude-standard"):
        print(
            f"zip.py: not packed, as git does not know them: {', '.join(map(str, untracked))}",
            file=sys.stderr,
        )
    return _git_files("--cached")


def _git_files(*words: str) -> list[Path]:
    """Files of the extension by `git ls-files`. (The checkout may belong to another user.)"""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", *words, "--", *BELONGS]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    if listing.returncode:
        sys.exit(f"zip.py: git cannot name the files to pack: {listing.stderr.strip()}")
    return [Path(name) for name in listing.stdout.split("\0") if name]


def stage(folder: Path, platform_name: str, wheels: list[Path]) -> None:
    """Copy the extension into `folder`, its manual as HTML, with platform and wheels in its
    manifest.
    """
    for name in sources():
        path = ROOT / name
        if path.is_relative_to(manual_pages.FRAGMENTS):
            continue
        if path.is_relative_to(manual_pages.DOCS) and path.suffix == ".md":
            manual_pages.write(path, folder / "docs")
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, folder / name)
    (folder / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy2(wheel, folder / "wheels" / wheel.name)
    manifest = folder / "blender_manifest.toml"
    names = "".join(f'  "./wheels/{wheel.name}",\n' for wheel in wheels)
    # in front: tables end the top level
    head = f'platforms = ["{platform_name}"]\nwheels = [\n{names}]\n'
    manifest.write_text(head + manifest.read_text(encoding="utf-8"), encoding="utf-8")


def normalize(target: Path) -> None:
    """Rewrite the zip with sorted files and equal dates, so that the same sources give the same
    bytes.
    """
    date = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_DATE)), FIRST_DATE))[:6]
    with zipfile.ZipFile(target) as archive:
        content = {name: archive.read(name) for name in sorted(archive.namelist())}
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name, date)
            entry.create_system = 3  # a file of a POSIX system, for all to read
            entry.external_attr = 0o100644 << 16
            if name.endswith(".whl"):
                entry.compress_type = zipfile.ZIP_STORED
            else:
                entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)


def faults(target: Path, platform_name: str, pythons: list[str]) -> list[str]:
    """Faults of a zip that Blender's own validation does not find; each a sentence."""
    with zipfile.ZipFile(target) as archive:
        names = set(archive.namelist())
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode("utf-8"))
    messages = [
        f"{name} is missing." for name in BELONGS if not any(n.split("/")[0] == name for n in names)
    ]
    listed = set(manifest["wheels"])
    wheels = {f"./{name}" for name in names if name.endswith(".whl")}
    messages += [
        f"{wheel} is in the manifest or in the zip, but not in both."
        for wheel in sorted(listed ^ wheels)
    ]
    for name, version in WHEELS.items():
        missing = (
            python
            for python in pythons
            if not any(_fits(path, name, version, python, platform_name) for path in wheels)
        )
        messages += [f"{name} {version} for Python {python} is missing." for python in missing]
    if len(wheels) != len(WHEELS) * len(pythons):
        messages.append(
            f"There are {len(wheels)} wheels, and {len(WHEELS) * len(pythons)} were wanted."
        )
    if manifest["platforms"] != [platform_name]:
        messages.append(f"The platforms are {manifest['platforms']}.")
    if target.stat().st_size > LARGEST:
        messages.append(
            f"It is larger than the {LARGEST / 1e6:.0f} MB that extensions.blender.org takes."
        )
    return messages


def _fits(wheel: str, name: str, version: str, python: str, platform_name: str) -> bool:
    """Whether a wheel is that of a library for a Python and a platform."""
    python_tag, tag, _, system = Path(wheel).stem.rsplit("-", 3)
    return (
        python_tag == f"{name}-{version}"
        and tag == "cp" + python.replace(".", "")
        and any(platform_tag in system.split(".") for platform_tag in PLATFORMS[platform_name].tags)
    )


def build_zip(
    platform_name: str,
    pythons: list[str],
    output: Path,
    blender: str | None = None,
    suffix: str = "",
) -> Path:
    """Build and validate one zip in the folder `output`; returns its path, whose name ends with
    `suffix`.

    Raises CalledProcessError where a wheel cannot be had, and ends the program where the zip is not
    right.
    """
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    output.mkdir(parents=True, exist_ok=True)
    target = (
        output
        / f"{manifest['id']}-{manifest['version']}-{platform_name.replace('-', '_')}{suffix}.zip"
    )
    with tempfile.TemporaryDirectory() as folder:
        wheels = download_wheels(platform_name, pythons)
        if strange := unknown(wheels):
            sys.exit(
                f"zip.py: {strange[0]} is not the wheel that release/wheels.txt names; delete it "
                "to get that one"
            )
        stage(Path(folder), platform_name, wheels)
        _run_builder(blender, "build", "--source-dir", folder, "--output-filepath", str(target))
    normalize(target)
    _run_builder(blender, "validate", str(target))
    if wrong := faults(target, platform_name, pythons):
        sys.exit(f"zip.py: {target} is not right. {' '.join(wrong)}")
    return target


def _run_builder(blender: str | None, *words: str) -> None:
    result = subprocess.run([*builder(blender), *words], capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"zip.py: `{words[0]}` failed\n{result.stdout}{result.stderr}")


def main() -> None:
    """Command line: build, and print paths and sizes."""
    parser = argparse.ArgumentParser(description="Build the extension's zip with its wheels.")
    parser.add_argument(
        "--platform", nargs="+", metavar="NAME", default=[this_platform()], help="several, or all"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--python", nargs="+", metavar="3.N", default=["{}.{}".format(*sys.version_info)]
    )
    which.add_argument(
        "--all", action="store_true", help="the Pythons of Blender's own releases for that platform"
    )
    which.add_argument(
        "--distributions", action="store_true", help="those of Linux distributions' Blender"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="FOLDER")
    parser.add_argument("--blender", metavar="PROGRAM", help="build with this Blender")
    arguments = parser.parse_args()
    platforms = list(PLATFORMS) if arguments.platform == ["all"] else arguments.platform
    for name in platforms:
        if name not in PLATFORMS:
            parser.error(
                f"no wheels are known for {name}; --platform takes all, or some of "
                f"{', '.join(PLATFORMS)}"
            )
    for name in platforms:
        target_platform = PLATFORMS[name]
        suffix = "_distributions" if arguments.distributions else ""
        if suffix:
            pythons = list(target_platform.distributions)
        elif arguments.all:
            pythons = list(target_platform.pythons)
        else:
            pythons = list(arguments.python)
        if not pythons:
            continue  # distributions build no Blender for that platform
        target = build_zip(name, pythons, arguments.output.resolve(), arguments.blender, suffix)
        print(target, flush=True)
        print(
            f"    {target.stat().st_size / 1e6:.1f} MB, for Python {', '.join(pythons)}",
            file=sys.stderr,
            flush=True,
        )


if __name__ == "__main__":
    main()
