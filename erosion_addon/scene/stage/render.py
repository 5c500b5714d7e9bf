# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders of a terrain: a picture or a turntable."""

import math
from pathlib import Path

import bpy

from ...base.errors import InputError, reason_of
from ...files.render_settings import Picture
from ..companions import companions
from ..original import original
from ..plants import plants
from ..terrain import grid, obstacle
from . import startup, studio

ENGINES = {
    "eevee": "BLENDER_EEVEE" if bpy.app.version >= (5, 0, 0) else "BLENDER_EEVEE_NEXT",
    "cycles": "CYCLES",
}


def open_file(path: Path) -> None:
    """Open a .blend file without running its scripts. InputError if Blender cannot."""
    if not path.is_file():
        raise InputError("There is no file {path}.").format(path=path)
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=False, use_scripts=False)
    except RuntimeError:
        raise InputError("{path} is not a .blend file that this Blender can open.").format(
            path=path
        ) from None


def find_terrain(scene: bpy.types.Scene, name: str | None) -> bpy.types.Object:
    """Object of that name; by default the largest eroded terrain visible in renders, or the largest
    grid.

    InputError if there is none, or it is not visible in renders.
    """
    rendered = _visible_objects(scene)
    meshes = [obj for obj in scene.objects if obj.type == "MESH" and obj in rendered]
    if name is not None:
        if name not in scene.objects or scene.objects[name].type != "MESH":
            raise InputError("There is no mesh {name:.80} in the scene {scene}.").format(
                name=repr(name), scene=scene.name
            )
        if scene.objects[name] not in meshes:
            raise InputError(
                "{name} is hidden in renders; show it, and its collection, in the Outliner."
            ).format(name=name)
        return scene.objects[name]
    for fits in (
        lambda obj: original.has_source(obj.data),
        lambda obj: obstacle.why_not(obj) is None and _is_grid(obj),
    ):
        if terrains := [obj for obj in meshes if fits(obj)]:
            return max(terrains, key=lambda obj: len(obj.data.vertices))
    raise InputError(
        "Renders of the scene {name} show no terrain; name the object with --object."
    ).format(name=scene.name)


def _visible_objects(scene: bpy.types.Scene) -> set[bpy.types.Object]:
    """Objects visible in renders, by themselves and by a collection."""
    objects = set()
    inside = [layer.layer_collection for layer in scene.view_layers if layer.use]
    while inside:
        at = inside.pop()
        if not at.collection.hide_render:
            inside += at.children
            if not at.exclude:
                objects |= {obj for obj in at.collection.objects if not obj.hide_render}
    return objects


def _is_grid(obj: bpy.types.Object) -> bool:
    try:
        grid.describe(obj)
    except InputError:
        return False
    return True


def prepare(
    scene: bpy.types.Scene, terrain: bpy.types.Object, picture: Picture
) -> bpy.types.Object | None:
    """Prepare the scene for a picture: existing camera, light and sky are kept, missing ones are
    added.

    Returns an added camera, which may be moved; None if the file's own is used.
    """
    ours = picture.view != "file" or not studio.has_camera(scene)
    camera = studio.add_camera(scene) if ours else None
    if camera is not None:
        aim(camera, terrain, picture)
    if picture.view in ("across", "whole"):  # views from outside, of the terrain alone
        for land in companions.find(terrain, "surroundings"):
            land.hide_render = True
    if picture.engine != "file":
        scene.render.engine = ENGINES[picture.engine]
    _show_plants(terrain, picture.plants, camera is not None)
    place = studio.place_of(terrain)
    light = picture.light or studio.light_of(scene) or studio.USUAL
    heading = studio.heading_of(scene.camera, place)
    hazy = False
    if not studio.has_light(scene, kinds=()):
        studio.add_sun(scene, place, heading, light)
    if not studio.has_sky(scene):
        studio.add_sky(scene, terrain, light)
        studio.set_film(scene, light)
        hazy = scene.render.engine in ENGINES.values() and not studio.has_compositor(scene)
    else:
        studio.set_light(scene, terrain, light)
    if hazy and picture.view != "whole":
        studio.add_haze(scene, terrain, light)
    startup.clear(scene, terrain)
    if picture.passes:
        for layer in scene.view_layers:
            layer.use_pass_z = layer.use_pass_normal = True
    scene.eevee.taa_render_samples = picture.samples
    if scene.render.engine == "CYCLES":
        scene.cycles.samples = picture.samples
    scene.render.resolution_x, scene.render.resolution_y = picture.size
    scene.render.resolution_percentage = 100
    scene.render.use_border = scene.render.use_multiview = scene.render.use_file_extension = False
    return camera


def _show_plants(terrain: bpy.types.Object, visible: bool | None, has_moved: bool) -> None:
    """Add or hide plants, and place them again for a moved camera. visible: None leaves them.

    InputError if they should be visible and none grow.
    """
    objects = companions.find(terrain, plants.KIND)
    if visible is False:
        for item in objects:
            item.hide_render = True
        return
    bpy.context.view_layer.update()  # updates the camera's position
    if visible and not objects:
        plants.add(terrain)
    for item in objects:
        item.hide_render &= not visible
        if has_moved:
            plants.update(terrain, item)


def aim(
    camera: bpy.types.Object, terrain: bpy.types.Object, picture: Picture, turn: float = 0.0
) -> None:
    """Aim the added camera at the terrain, rotated by an angle in degrees."""
    turned = math.radians(picture.turn + turn)
    if picture.view in ("file", "composed"):
        studio.compose(camera, terrain, turned or None)
    else:
        studio.aim(camera, studio.place_of(terrain), picture.view, turned)


def render(scene: bpy.types.Scene, path: Path, picture: Picture) -> None:
    """Render a picture to a file, with all passes if it wants them. InputError if Blender
    cannot.
    """
    settings = scene.render.image_settings
    if bpy.app.version >= (5, 0, 0):
        settings.media_type = "MULTI_LAYER_IMAGE" if picture.passes else "IMAGE"
    settings.file_format = picture.formats[path.suffix.lower()]
    if picture.passes:  # exact: distances need more than 16 bits, and normals no lossy compression
        settings.color_depth = "32"
        settings.exr_codec = "ZIP"
    scene.render.filepath = str(path)
    try:
        bpy.ops.render.render(write_still=True, scene=scene.name)
    except RuntimeError as error:
        raise InputError("Blender could not render {path}: {error}").format(
            path=path, error=reason_of(error)
        ) from None
