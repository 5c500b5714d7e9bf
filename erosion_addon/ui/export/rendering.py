# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command erosion render`: pictures of a terrain without a window."""

import argparse
from pathlib import Path

import bpy

from ...base.atomic_files import Outputs
from ...cli.terminal.output import print_written
from ...cli.terminal.progress import ProgressLine, ShareProgress
from ...files.render_settings import Picture
from ...scene.stage import render


def make_pictures(arguments: argparse.Namespace) -> None:
    """Render as the arguments say. InputError for invalid ones; then nothing is written."""
    turns = arguments.turntable and arguments.view == "file"
    view = "whole" if turns else arguments.view
    picture = Picture(
        arguments.size,
        arguments.samples,
        arguments.engine,
        view,
        arguments.turn,
        arguments.light or "",
        arguments.plants,
        arguments.passes,
    )
    if arguments.turntable:
        frames = _turn(arguments.output, arguments.turntable)
    else:
        frames = {arguments.output: 0.0}
    with Outputs([arguments.input]) as outputs:
        planned = {outputs.plan(path, picture.formats): turn for path, turn in frames.items()}
        render.open_file(arguments.input)
        scene = bpy.context.scene
        terrain = render.find_terrain(scene, arguments.object)
        camera = render.prepare(scene, terrain, picture)
        progress = ShareProgress(ProgressLine(arguments.quiet))
        progress.show(0.0, "file opened")
        for number, (target, turn) in enumerate(planned.items(), 1):
            if camera is not None:
                render.aim(camera, terrain, picture, turn)
            with outputs.write(target) as path:
                render.render(scene, path, picture)
            progress.show(number / len(planned), f"picture {number} of {len(planned)}")
        print_written(outputs.publish())


def _turn(path: Path, frames: int) -> dict[Path, float]:
    """Files of a turntable, and the angle of each in degrees."""
    names = (f"{path.stem}_{number:04d}{path.suffix}" for number in range(1, frames + 1))
    return {path.with_name(name): 360 * frame / frames for frame, name in enumerate(names)}
