# SPDX-License-Identifier: GPL-3.0-or-later
"""Studio: a fitting camera, sun, sky and distance haze for a terrain's picture.

All sizes are relative to the terrain's width, so 100 m and 100 km look alike.
"""

import math
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...files.render_settings import LIGHTS
from ..materials import material, sky_material
from ..materials.node_trees import nodes
from ..materials.node_trees.table import Node
from ..terrain.mesh import vertex_heights
from . import startup, views
from .daylight import DAYLIGHTS, Daylight

USUAL = LIGHTS[0]
"""Default daylight."""

SUN = "Terrain Sun"
"""Mark and name of the added sun."""

HAZE = "Haze"
"""Name of the compositor node that mixes the haze in."""

FAR = "Haze at the Far End"
"""Name of the compositor node whose exponent sets how the haze grows with distance."""

MIST = 18.0
"""Distance of complete haze, in sides of the terrain."""
# Beyond the surrounding land, whose farthest pixels would pass for sky.

CLIP = 20.0
"""Far clipping distance, in sides of the terrain."""
# Beyond MIST, as the sky has the mist of this distance.

CLEAR = 0.9995
"""Minimum mist of a pixel that is all sky."""

SKY = 1e9
"""Minimum depth of sky pixels, m."""

FADES = (0.062, 0.155)
"""Mist up to which rims get the mist of the land, and from which they keep their own."""

LIGHT = "erosion_light"
"""Custom property of an added sky: its daylight."""

_FROM_5 = bpy.app.version >= (5, 0, 0)

# Compositor's node types, and the inputs of its mix node.
_ERODE = "CompositorNodeDilateErode"
_MATH = "ShaderNodeMath" if _FROM_5 else "CompositorNodeMath"
_MIX = "ShaderNodeMix" if _FROM_5 else "CompositorNodeMixRGB"
_FACTOR: str | int = "Factor" if _FROM_5 else 0
_IMAGE: str | int = "A" if _FROM_5 else 1
_COLOR: str | int = "B" if _FROM_5 else 2


@dataclass(frozen=True)
class Place:
    """Placement of a terrain: axes in the world, half width and depth, and heights, in meters."""

    matrix: Matrix
    half_width: float
    half_depth: float
    low: float
    middle: float
    high: float

    @property
    def side(self) -> float:
        """The shorter side."""
        return 2 * min(self.half_width, self.half_depth)


def place_of(terrain: bpy.types.Object) -> Place:
    """Placement of a terrain object. Its scale is in the lengths, not in the matrix."""
    _, rotation, scale = terrain.matrix_world.decompose()
    corners = np.array([corner[:] for corner in terrain.bound_box])
    low = corners.min(0)
    high = corners.max(0)
    middle = (low + high) / 2
    size = np.abs((high - low) * scale)
    turned = rotation.to_matrix().to_4x4()
    center = terrain.matrix_world @ Vector((middle[0], middle[1], 0.0))
    levels = np.percentile(vertex_heights(terrain.data), (1, 50, 99)) * scale[2]
    lowest, median, highest = sorted(map(float, levels))
    matrix = Matrix.Translation(center) @ turned
    return Place(matrix, size[0] / 2, size[1] / 2, lowest, median, highest)


def has_camera(scene: bpy.types.Scene) -> bool:
    """Whether the user has a camera for the scene."""
    return scene.camera is not None and not startup.is_untouched(scene.camera)


def has_light(scene: bpy.types.Scene, kinds: tuple[str, ...] = ("SUN",)) -> bool:
    """Whether renders show a light of the user's, of these kinds; of any kind if empty."""
    lights = [obj for obj in scene.objects if obj.type == "LIGHT" and not obj.hide_render]
    return any(
        (not kinds or obj.data.type in kinds) and not startup.is_untouched(obj) for obj in lights
    )


def has_sky(scene: bpy.types.Scene) -> bool:
    """Whether the user has a world for the scene."""
    return scene.world is not None and not startup.is_world_untouched(scene.world)


def complete(scene: bpy.types.Scene, terrain: bpy.types.Object, light: str = "") -> list[str]:
    """Add a sun, sky and camera if the scene has none; returns their names.

    The user's own stay; the unchanged lamp, camera and cube of Blender's new file are removed. No
    sun is added to the user's sky, which may shine like one. light: one of LIGHTS, applied to
    existing suns and skies of ours too; "" leaves them.
    """
    place = place_of(terrain)
    added = []
    if not has_camera(scene):
        camera = add_camera(scene)
        compose(camera, terrain)
        added.append(camera.name)
    if light:
        set_light(scene, terrain, light)
    if not has_sky(scene):
        if not has_light(scene):
            added.append(
                add_sun(scene, place, heading_of(scene.camera, place), light or USUAL).name
            )
        added.append(add_sky(scene, terrain, light or USUAL).name)
        set_film(scene, light or USUAL)
        if not has_compositor(scene):
            add_haze(scene, terrain, light or USUAL)
    startup.clear(scene, terrain)
    return added


def light_of(scene: bpy.types.Scene) -> str:
    """Daylight of an added sky; "" for other skies."""
    light = scene.world.get(LIGHT) if sky_material.is_ours(scene.world) else None
    return light if light in LIGHTS else ""


def set_light(scene: bpy.types.Scene, terrain: bpy.types.Object, light: str) -> None:
    """Switch an added sky, sun and haze to another daylight; does nothing for the user's sky."""
    if not sky_material.is_ours(scene.world):
        return
    place = place_of(terrain)
    for sun in [obj for obj in scene.objects if obj.get(nodes.KIND) == SUN and obj.library is None]:
        _turn_sun(sun, place, heading_of(scene.camera, place), light)
    _set_sky(scene, terrain, light)
    _set_haze(scene, terrain, light)
    set_film(scene, light)


def add_camera(scene: bpy.types.Scene, name: str = "Terrain Camera") -> bpy.types.Object:
    """New camera, made active in the scene."""
    camera = bpy.data.objects.new(name, bpy.data.cameras.new(name))
    camera.data.sensor_fit = "HORIZONTAL"
    camera.data.lens = 38.0
    scene.collection.objects.link(camera)
    scene.camera = camera
    return camera


def aim(camera: bpy.types.Object, place: Place, view: str, turn: float) -> None:
    """Point the camera at the terrain.

    view: "across" or "whole", see `render_settings.VIEWS`. turn: radians to the left around its
    middle; at 0 it looks along the terrain's y.
    """
    side = place.side
    level = place.middle
    if view == "across":
        # From above the middle of a side. There the lens covers the land's width up to the far
        # side, whose peaks stand a little below the upper edge of the picture.
        distance = 0.52 * side
        height = level + 0.17 * side + 0.4 * (place.high - level)
        far = math.atan2(height - place.high, distance + 0.5 * side)
        target_distance = distance - side
        target_height = height - math.tan(far + 0.20) * side
    else:
        distance = 1.9 * side
        height = level + 1.05 * side
        target_height = 0.5 * (place.low + place.high)
        target_distance = 0.0
    turned = Matrix.Rotation(turn, 4, "Z")
    eye = place.matrix @ turned @ Vector((0.0, -distance, height))
    target = place.matrix @ turned @ Vector((0.0, -target_distance, target_height))
    camera.rotation_mode = "QUATERNION"
    camera.location = eye
    camera.rotation_quaternion = (target - eye).to_track_quat("-Z", "Y")
    camera.data.clip_start = side * 1e-3
    camera.data.clip_end = side * CLIP


def compose(camera: bpy.types.Object, terrain: bpy.types.Object, turn: float | None = None) -> None:
    """Place the camera at the best view of `views`; turn: preferred direction, see there."""
    place = place_of(terrain)
    view = views.compose(terrain, turn)
    x, y, z = view.eye
    axes = place.matrix @ Matrix.Rotation(view.heading, 4, "Z")
    camera.rotation_mode = "QUATERNION"
    camera.location = place.matrix @ Vector((x, y, z))
    forward = axes.to_3x3() @ Vector((0.0, math.cos(view.pitch), math.sin(view.pitch)))
    camera.rotation_quaternion = forward.to_track_quat("-Z", "Y")
    camera.data.lens = view.lens
    camera.data.sensor_width = views.SENSOR
    camera.data.clip_start = place.side * 1e-3
    camera.data.clip_end = place.side * CLIP


def heading_of(camera: bpy.types.Object | None, place: Place) -> float:
    """Heading of a camera over the land: radians to the left of the terrain's y; 0 for none."""
    if camera is None:
        return 0.0
    matrix = camera.matrix_basis if camera.parent is None else camera.matrix_world
    x, y, _ = place.matrix.to_3x3().inverted() @ (matrix.to_3x3() @ Vector((0.0, 0.0, -1.0)))
    return math.atan2(-x, y)


def add_sun(
    scene: bpy.types.Scene, place: Place, heading: float = 0.0, light: str = USUAL, name: str = SUN
) -> bpy.types.Object:
    """New sun to the left of a view with this heading."""
    sun = bpy.data.objects.new(name, bpy.data.lights.new(name, "SUN"))
    sun[nodes.KIND] = SUN
    _turn_sun(sun, place, heading, light)
    scene.collection.objects.link(sun)
    return sun


def _turn_sun(sun: bpy.types.Object, place: Place, heading: float, light: str) -> None:
    day = DAYLIGHTS[light]
    sun.data.energy = day.sun
    sun.data.angle = day.angle
    sun.data.color = day.sun_color
    sun.rotation_mode = "QUATERNION"
    sun.rotation_quaternion = _towards_sun(place, heading, day).to_track_quat("Z", "Y")


def _towards_sun(place: Place, heading: float, day: Daylight) -> Vector:
    """Unit vector to the sun in the world."""
    low, high = day.elevation
    # Relief from a twentieth of the side (dunes) to a fifth (mountains).
    steep = min(max(((place.high - place.low) / place.side - 0.05) / 0.15, 0.0), 1.0)
    up = low + steep * (high - low)
    left = heading + day.side
    flat = math.cos(up)
    return place.matrix.to_3x3() @ Vector(
        (-flat * math.sin(left), flat * math.cos(left), math.sin(up))
    )


def add_sky(
    scene: bpy.types.Scene, terrain: bpy.types.Object, light: str = USUAL
) -> bpy.types.World:
    """New sky with the sun's glow and clouds, with the landscape's haze at the horizon."""
    scene.world = sky_material.sky_world("Terrain Sky")
    _set_sky(scene, terrain, light)
    return scene.world


def _set_sky(scene: bpy.types.Scene, terrain: bpy.types.Object, light: str) -> None:
    day = DAYLIGHTS[light]
    place = place_of(terrain)
    suns = [
        obj
        for obj in scene.objects
        if obj.type == "LIGHT" and obj.data.type == "SUN" and not obj.hide_render
    ]
    towards = _towards_sun(place, heading_of(scene.camera, place), day)
    if suns:  # the user's own too: the glow surrounds it
        if suns[0].get(nodes.KIND) == SUN:
            rotation = suns[0].rotation_quaternion
        else:
            rotation = suns[0].matrix_world.to_quaternion()
        towards = rotation @ Vector((0.0, 0.0, 1.0))
    colors = material.palette_of(terrain).values
    soil = colors.get("Sediment Color", (0.2, 0.18, 0.15, 1.0))[:3]
    values = {
        "Zenith": day.zenith,
        "Horizon": haze_of(terrain, light),
        "Below": tuple(0.5 * share * haze for share, haze in zip(soil, day.haze, strict=True)),
        "Glow Color": day.glow_color,
        "Glow": day.glow,
        "Clouds": day.clouds,
        "Cloud Color": day.cloud_color,
        "Cloud Shade": day.cloud_shade,
        "Sun Direction": tuple(towards),
    }
    sky_material.set_sky(scene.world, values, day.strength)
    scene.world[LIGHT] = light


def haze_of(terrain: bpy.types.Object, light: str) -> tuple[float, ...]:
    """Linear color of the haze: the palette's, in this daylight."""
    return tuple(
        a * b for a, b in zip(material.palette_of(terrain).haze, DAYLIGHTS[light].haze, strict=True)
    )


FILM = ("AgX", "AgX - High Contrast")


def set_film(scene: bpy.types.Scene, light: str = USUAL) -> None:
    """Set exposure and contrast for an outdoor photograph, unless the user has chosen them."""
    view = scene.view_settings
    exposures = {round(day.exposure, 3) for day in DAYLIGHTS.values()}
    untouched = (view.view_transform, view.look, view.exposure) == ("AgX", "None", 0.0)
    if not untouched and not (
        (view.view_transform, view.look) == FILM and round(view.exposure, 3) in exposures
    ):
        return
    view.view_transform, view.look = FILM
    view.exposure = DAYLIGHTS[light].exposure


def add_haze(scene: bpy.types.Scene, terrain: bpy.types.Object, light: str = USUAL) -> None:
    """Add distance haze in the landscape's color, by mist pass and compositor, except on the sky.

    It replaces the compositing nodes.
    """
    place = place_of(terrain)
    if scene.world is not None:
        scene.world.mist_settings.start = 0.1 * place.side
        scene.world.mist_settings.depth = MIST * place.side
        scene.world.mist_settings.falloff = "LINEAR"
    for layer in scene.view_layers:
        layer.use_pass_mist = layer.use_pass_z = True
    nodes.build(_compositor(scene), _haze_nodes(place.side))
    _set_haze(scene, terrain, light)


def _haze_nodes(side: float) -> tuple[Node, ...]:
    """Compositor nodes that mix the haze into the picture. side: of the terrain in meters."""
    fade = 1 / (FADES[1] - FADES[0])
    return (
        Node("layers", "CompositorNodeRLayers"),
        # Pixels that are partly sky get the mist of the land beside them, weighted by their share
        # of land, else crests have dark or pale rims. A rim is two pixels wide, like the film's
        # filter. The sky itself keeps its colors.
        Node("mist_eroded", _ERODE, {0: "layers.Mist", "Size": -2}),
        Node("mist_dilated", _ERODE, {0: "layers.Mist", "Size": 2}),
        _math("near_sky", "GREATER_THAN", "mist_dilated", CLEAR),
        # Distant land behind a crest is no rim: only pixels that are close or sky count.
        _math("close", "LESS_THAN", "layers.Depth", (0.1 + FADES[1] * MIST) * side),
        _math("sky_mask", "GREATER_THAN", "layers.Depth", SKY),
        _math("close_or_sky", "MAXIMUM", "close", "sky_mask"),
        _math("rim_mask", "MULTIPLY", "close_or_sky", "near_sky"),
        # Far away the mist grows within the rim, and the sky has the haze's color: there the
        # pixel's own mist is right.
        _math("nearness", "MULTIPLY_ADD", "mist_eroded", -fade, FADES[1] * fade, clamp=True),
        _math("rim_weight", "MULTIPLY", "nearness", "rim_mask"),
        _math("mist_difference", "SUBTRACT", "mist_eroded", "layers.Mist"),
        _math("land_mist", "MULTIPLY_ADD", "rim_weight", "mist_difference", "layers.Mist"),
        # The mist pass is linear; a power of the transparency reaches full haze at the horizon,
        # as air does.
        _math("transparency", "SUBTRACT", 1.0, "land_mist"),
        _math(FAR, "POWER", "transparency"),
        _math("strength", "SUBTRACT", 1.0, FAR),
        _math("clear_share", "SUBTRACT", 1.0, "layers.Mist"),
        _math("land_share", "DIVIDE", "clear_share", "transparency", clamp=True),
        _math("haze_share", "MULTIPLY", "strength", "land_share"),
        Node(
            HAZE,
            _MIX,
            {_FACTOR: "haze_share", _IMAGE: "layers.Image"},
            {"data_type": "RGBA"} if _FROM_5 else {},
        ),
        Node("out", "NodeGroupOutput" if _FROM_5 else "CompositorNodeComposite", {0: HAZE}),
    )


def _math(name: str, operation: str, *operands: float | str, clamp: bool = False) -> Node:
    settings = {"operation": operation, "use_clamp": clamp}
    return Node(name, _MATH, dict(enumerate(operands)), settings)


def _set_haze(scene: bpy.types.Scene, terrain: bpy.types.Object, light: str) -> None:
    """Set color and strength of the haze in the compositor."""
    if not has_compositor(scene):
        return
    tree = scene.compositing_node_group if _FROM_5 else scene.node_tree
    if not {HAZE, FAR} <= set(tree.nodes.keys()):
        return
    day = DAYLIGHTS[light]
    tree.nodes[FAR].inputs[1].default_value = math.log(1 - day.far) / math.log(1 - 1.4 / MIST)
    color = [day.strength * part for part in haze_of(terrain, light)]
    tree.nodes[HAZE].inputs[_COLOR].default_value = (*color, 1.0)


def has_compositor(scene: bpy.types.Scene) -> bool:
    """Whether the scene uses compositing already."""
    if _FROM_5:
        return scene.compositing_node_group is not None
    return bool(scene.use_nodes and scene.node_tree.nodes)


def _compositor(scene: bpy.types.Scene) -> bpy.types.NodeTree:
    """The scene's compositor, emptied."""
    if not _FROM_5:
        scene.use_nodes = True
        scene.node_tree.nodes.clear()
        return scene.node_tree
    tree = bpy.data.node_groups.new("Terrain Haze", "CompositorNodeTree")
    tree.interface.new_socket("Image", in_out="OUTPUT", socket_type="NodeSocketColor")
    scene.compositing_node_group = tree
    return tree
