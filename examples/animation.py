# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation of 48 frames: a plain rises, and rivers cut it into mountains, played by Geometry Nodes
in a plain Blender.

Writes build/examples/animation.webp; with --keep, the picture of the manual, docs/images/time.jpg.
EEVEE renders it.
"""

import shutil
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import erosion_addon  # noqa: E402
from erosion_addon import Recipe  # noqa: E402
from erosion_addon.scene.materials import material, sky_material  # noqa: E402
from erosion_addon.scene.stage import studio  # noqa: E402
from erosion_addon.scene.stage.daylight import DAYLIGHTS  # noqa: E402
from erosion_addon.scene.terrain.mesh import make_grid_object  # noqa: E402
from erosion_addon.ui.recipe import steps  # noqa: E402

OUT = ROOT / "build" / "examples"
TARGET = ROOT / "docs" / "images" / "time.jpg"
SIDE = 192
CELL_SIZE = 60.0
RELIEF = 150.0
FRAMES = 48
PICTURE = (480, 270)
SAMPLES = 4
RISE = {"kind": "uplift", "years": 600_000.0, "uplift": 3.0, "pattern": "terrain"}
PALETTE = "alpine"


def noise(seed: int, exponent: float, side: int = SIDE) -> np.ndarray:
    """Fractal noise from 0 to 1, (side, side)."""
    waves = np.fft.fft2(np.random.default_rng(seed).standard_normal((side, side)))
    frequency = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.fftfreq(side))
    frequency[0, 0] = np.inf
    heights = np.fft.ifft2(waves / frequency**exponent).real
    return (heights - heights.min()) / np.ptp(heights)


def play(folder: Path) -> tuple[bpy.types.Scene, bpy.types.Object]:
    """A scene, and its terrain, eroded with frames in the folder, with their playback."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    erosion_addon.register()
    scene = bpy.context.scene
    scene.frame_start = 0
    scene.frame_end = FRAMES
    heights = noise(7, 2.1) * RELIEF
    terrain = make_grid_object("Terrain", heights, (CELL_SIZE, CELL_SIZE), scene.collection)
    bpy.context.view_layer.objects.active = terrain
    terrain.select_set(True)
    steps.fill(terrain.erosion, Recipe.from_dict({"name": "Rise", "step": [RISE]}))
    settings = terrain.erosion.frames
    settings.folder = str(folder)
    settings.count = FRAMES
    settings.keep = True
    bpy.ops.erosion.run()
    material.assign(terrain, PALETTE)
    bpy.ops.erosion.playback_add()
    return scene, terrain


def set_stage(scene: bpy.types.Scene, terrain: bpy.types.Object, height: float, aim: float) -> None:
    """Camera above the south, and the sun, sky and haze of Set Up Look. height, aim: of the camera,
    and of what it looks at above the middle, in widths of the land.
    """
    width = SIDE * CELL_SIZE
    place = Vector((0.0, -0.8 * width, height * width))
    target = Vector((0.0, 0.0, aim * width))
    camera = studio.add_camera(scene)
    camera.data.lens = 50.0
    camera.data.clip_start = 10.0
    camera.data.clip_end = studio.CLIP * width
    camera.location = place
    camera.rotation_euler = (target - place).to_track_quat("-Z", "Y").to_euler()
    bpy.context.view_layer.update()
    studio.complete(scene, terrain)
    # No land goes on behind the terrain, which changes from frame to frame: haze does.
    haze = studio.haze_of(terrain, studio.USUAL)
    day = DAYLIGHTS[studio.USUAL]
    sky_material.set_sky(scene.world, {"Below": haze}, day.strength)
    set_render(scene)


def set_render(scene: bpy.types.Scene) -> None:
    """EEVEE at the size of the pictures."""
    render = scene.render
    render.engine = "BLENDER_EEVEE" if bpy.app.version >= (5, 0, 0) else "BLENDER_EEVEE_NEXT"
    render.resolution_x, render.resolution_y = PICTURE
    render.image_settings.file_format = "PNG"
    scene.eevee.taa_render_samples = SAMPLES


def picture(scene: bpy.types.Scene, frame: int, path: Path) -> Image.Image:
    """The scene at a frame."""
    scene.frame_set(frame)
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    with Image.open(path) as image:
        return image.convert("RGB")


def main(arguments: list[str]) -> None:
    """Make the animation, or with --keep four of its frames as the manual's picture."""
    work = OUT / "animation"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    scene, terrain = play(work / "frames")
    set_stage(scene, terrain, 0.19, 0.01)
    keep = "--keep" in arguments
    numbers = (0, 12, 24, 48) if keep else range(FRAMES + 1)
    pictures = [picture(scene, frame, work / f"{frame:04d}.png") for frame in numbers]
    if keep:
        width, height = PICTURE
        sheet = Image.new("RGB", (2 * width, 2 * height))
        for number, image in enumerate(pictures):
            sheet.paste(image, (number % 2 * width, number // 2 * height))
        sheet.save(TARGET, quality=88)
        print(TARGET)
        return
    path = OUT / "animation.webp"
    pictures[0].save(
        path, save_all=True, append_images=pictures[1:], duration=80, loop=0, quality=70
    )
    print(path, f"{path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
