# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command erosion render`: pictures of a terrain without a window.

They are rendered in a separate Blender: if graphics crash it silently, the command can still report
that.
"""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import bpy

from ...base.atomic_files import Outputs
from ...base.errors import Sentence
from ...cli.arguments.blend_orders import RenderOrder
from ...cli.terminal import signals
from ...cli.terminal.output import as_json, print_error, print_event, print_written
from ...cli.terminal.progress import ProgressLine, ShareProgress
from ...scene.stage import render

END = "TERRAIN_EROSION_END"
"""Environment variable of that process: file for its exit code."""

SENTENCE = Sentence(
    "Blender broke off while rendering; no picture was written. EEVEE needs a graphics driver: "
    "install one (without a graphics card Mesa's: libegl1 and libgl1-mesa-dri on Debian and "
    "Ubuntu), or render with --engine cycles, which needs none."
)


def make_pictures(order: RenderOrder) -> None:
    """Render as ordered. InputError for an invalid order; then nothing is written."""
    picture = order.picture
    with Outputs([order.input]) as outputs:
        planned = {outputs.plan(path, picture.formats): turn for path, turn in order.turns.items()}
        render.open_file(order.input)
        scene = bpy.context.scene
        terrain = render.find_terrain(scene, order.terrain)
        camera = render.prepare(scene, terrain, picture)
        progress = ShareProgress(ProgressLine(order.quiet))
        progress.show(0.0, "file opened")
        for number, (target, turn) in enumerate(planned.items(), 1):
            if camera is not None:
                render.aim(camera, terrain, picture, turn)
            with outputs.write(target) as path:
                render.render(scene, path, picture)
            progress.show(number / len(planned), f"picture {number} of {len(planned)}")
        print_written(outputs.publish())


def is_own_process() -> bool:
    """Whether this process was started by `run_alone`."""
    return END in os.environ


def run_alone(command: Sequence[str]) -> int:
    """Run a command that calls `report_end` in a separate process; returns its exit code, or 2 and
    a message if it crashed before.
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


def report_end(code: int) -> None:
    """Report the exit code to a waiting process, if any."""
    if is_own_process():
        Path(os.environ[END]).write_text(str(code))
