# SPDX-License-Identifier: GPL-3.0-or-later
"""Strokes of the erosion brush on a fractal terrain, painted by a script: rain, a ridge with rills,
creep.

Writes build/examples/brush.png, before and after; with --keep, the picture of the manual,
docs/images/brush.jpg.
"""

import sys

import bpy
from animation import CELL_SIZE, OUT, ROOT, SIDE, noise, picture, set_stage
from PIL import Image

import erosion_addon
from erosion_addon.grid.sampling import bilinear
from erosion_addon.scene.terrain.mesh import make_grid_object

RELIEF = 1500.0
CELLS = 512
WIDTH = SIDE * CELL_SIZE
STROKES = (  # kind, radius, strength, from and to as shares of the width from the middle
    ("rain", 1500.0, 0.4, (-0.20, -0.32), (-0.02, -0.02)),
    ("raise", 800.0, 1.0, (0.06, -0.30), (0.32, -0.10)),
    ("raise", 800.0, 1.0, (0.32, -0.10), (0.06, -0.30)),
    ("rills", 1500.0, 0.4, (0.06, -0.30), (0.32, -0.10)),
    ("smooth", 1200.0, 0.3, (-0.34, -0.05), (-0.16, 0.22)),
)


def paint(
    kind: str, radius: float, strength: float, start: tuple[float, float], end: tuple[float, float]
) -> None:
    """Paint a stroke on the active terrain, a dab every quarter of the radius."""
    settings = bpy.context.scene.erosion_brush
    settings.kind = kind
    settings.radius = radius
    settings.strength = strength
    count = round(4 * WIDTH * max(abs(a - b) for a, b in zip(start, end, strict=True)) / radius) + 1
    shares = [number / (count - 1) for number in range(count)]
    places = [
        tuple(WIDTH * (a + share * (b - a)) for a, b in zip(start, end, strict=True))
        for share in shares
    ]
    dabs = [{"name": "", "location": (*place, 0.0), "pressure": 1.0} for place in places]
    bpy.ops.erosion.brush_stroke(stroke=dabs)


def set_clay(terrain: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Plain brown ground in a low sun, so that its relief shows."""
    clay = bpy.data.materials.new("Clay")
    if bpy.app.version < (5, 0, 0):
        clay.use_nodes = True
    inputs = clay.node_tree.nodes["Principled BSDF"].inputs
    inputs["Base Color"].default_value = (0.20, 0.14, 0.09, 1.0)
    inputs["Roughness"].default_value = 0.9
    inputs["Specular IOR Level"].default_value = 0.1
    terrain.data.materials.append(clay)
    set_stage(scene, terrain, 0.42, 0.02)
    scene.render.resolution_x = 800
    scene.render.resolution_y = 420


def main(arguments: list[str]) -> None:
    """Paint the strokes, and render the terrain before and after."""
    OUT.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    erosion_addon.register()
    scene = bpy.context.scene
    heights = bilinear(noise(7, 2.1) * RELIEF, (CELLS, CELLS))
    cell_size = WIDTH / CELLS
    terrain = make_grid_object("Terrain", heights, (cell_size, cell_size), scene.collection)
    bpy.context.view_layer.objects.active = terrain
    set_clay(terrain, scene)
    before = picture(scene, 1, OUT / "brush_before.png")
    for stroke in STROKES:
        paint(*stroke)
    after = picture(scene, 1, OUT / "brush_after.png")
    sheet = Image.new("RGB", (before.width, 2 * before.height))
    for number, image in enumerate((before, after)):
        sheet.paste(image, (0, number * before.height))
    path = ROOT / "docs" / "images" / "brush.jpg" if "--keep" in arguments else OUT / "brush.png"
    sheet.save(path, quality=88)
    print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
