# SPDX-License-Identifier: GPL-3.0-or-later
"""Rendering in a separate Blender: if graphics crash it silently, the command can still report
that.
"""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from ...base.errors import Sentence
from ...cli.terminal import signals
from ...cli.terminal.output import as_json, print_error, print_event

END = "TERRAIN_EROSION_END"
"""Environment variable of that process: file for its exit code."""

SENTENCE = Sentence(
    "Blender broke off while rendering; no picture was written. EEVEE needs a graphics driver: "
    "install one (without a graphics card Mesa's: libegl1 and libgl1-mesa-dri on Debian and "
    "Ubuntu), or render with --engine cycles, which needs none."
)


def is_here() -> bool:
    """Whether this process is the one that renders."""
    return END in os.environ


def run(command: Sequence[str]) -> int:
    """Run a command that calls `tell`; returns its exit code, or 2 and a message if it crashed
    before.
    """
    with tempfile.TemporaryDirectory() as folder, signals.handled():
        file = Path(folder) / "end"
        with subprocess.Popen(command, env={**os.environ, END: str(file)}) as process:
            try:
                process.wait()
            except KeyboardInterrupt:  # the terminal sends it to both
                process.wait()
            except signals.Ended as order:
                process.terminate()
                process.wait()
                return order.code
        if file.exists():
            return int(file.read_text())
    with as_json("--progress=json" in command or ("--progress", "json") in pairwise(command)):
        print_error(SENTENCE)
        print_event("end", code=2)
    return 2


def tell(code: int) -> None:
    """Report the exit code to a waiting process, if any."""
    if is_here():
        Path(os.environ[END]).write_text(str(code))
