# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender with nothing but what comes with it: a Python without numba, and an empty profile."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path


def make(folder: Path) -> Path:
    """A Python in a folder that sees every package of this one, bpy among them, but neither numba
    nor llvmlite.
    """
    bpy = importlib.util.find_spec("bpy")
    assert bpy is not None and bpy.origin is not None
    packages = Path(bpy.origin).parent.parent
    links = folder / "packages"
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


def environment(profile: Path) -> dict[str, str]:
    """This environment for a Blender with such a profile."""
    others = ("PYTHON", "NUMBA", "BLENDER", "TERRAIN_EROSION")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    return kept | {"BLENDER_USER_RESOURCES": str(profile)}
