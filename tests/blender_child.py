# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that use Blender in a Python of their own."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

END = "\nimport os, sys\nsys.stdout.flush()\nsys.stderr.flush()\nos._exit(0)"
"""Ends a program at once: Blender 4.5 as a Python module may hang at its end, see conftest.py."""


def run(program, *arguments, folder=ROOT):
    """Run a program that imports bpy in a folder, where it finds the extension if that is ours;
    returns what came.
    """
    command = [sys.executable, "-c", program + END, *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
