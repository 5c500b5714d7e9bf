# SPDX-License-Identifier: GPL-3.0-or-later
"""Child processes beside Blender, which never import bpy."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_START = """
import sys
sys.path[:0] = [sys.argv[2]]
sys.path += sys.argv[3:]
from importlib import import_module
import_module("erosion_addon." + sys.argv[1]).main()
"""


def start(
    module: str, environment: Mapping[str, str], stdout: int, priority: str
) -> "subprocess.Popen[bytes]":
    """Start a process that runs `main` of a module beside this one; its standard input is a pipe.

    environment: additional variables. priority: niceness on Windows; other systems set it in the
    child. Raises OSError if it cannot be started.
    """
    package_folder = str(Path(__file__).resolve().parents[2])
    # -I: neither the user's environment nor the current folder decides what the process imports.
    program = [sys.executable, "-I", "-X", "utf8", "-c", _START, module]
    windows: dict[str, Any] = {}
    if sys.platform == "win32":
        quietly = subprocess.CREATE_NO_WINDOW | getattr(subprocess, f"{priority}_PRIORITY_CLASS")
        windows = {"creationflags": quietly, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(
        [*program, package_folder, *filter(os.path.isdir, sys.path)],
        stdin=subprocess.PIPE,
        stdout=stdout,
        env={**os.environ, **environment},
        **windows,
    )
