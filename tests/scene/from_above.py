# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of a row of tiles from above under a white sky, with the values that the renderer
has.
"""

import bpy

APART = 20.0
"""Meters from the middle of a tile to that of the next, along x."""


def look_down(scene, engine, tiles, pixels, samples, path):
    """Camera, sky and settings for a row of square tiles. pixels: a side of a tile. samples: of
    Cycles.
    """
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type = "ORTHO"
    camera.data.ortho_scale = APART * tiles
    camera.location = (APART / 2 * (tiles - 1), 0.0, 50.0)
    scene.collection.objects.link(camera)
    scene.camera, scene.world = camera, bpy.data.worlds.new("Sky")
    if bpy.app.version < (5, 0, 0):
        scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (1.0, 1.0, 1.0, 1.0)
    scene.render.engine = engine
    scene.eevee.taa_render_samples = 2
    scene.cycles.samples = samples
    scene.cycles.use_denoising = False
    scene.render.resolution_x = pixels * tiles
    scene.render.resolution_y = pixels
    scene.view_settings.view_transform = "Raw"
    if bpy.app.version >= (5, 0, 0):
        scene.render.image_settings.media_type = "IMAGE"
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.filepath = str(path)
