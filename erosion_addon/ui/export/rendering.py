# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command erosion render`: pictures of a terrain without a window."""

import bpy

from ...base.atomic_files import Outputs
from ...cli.arguments.blend_orders import RenderOrder
from ...cli.terminal.output import print_written
from ...cli.terminal.progress import ProgressLine, ShareProgress
from ...scene.stage import render


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
