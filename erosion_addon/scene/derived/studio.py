# SPDX-License-Identifier: GPL-3.0-or-later
"""What a terrain needs for its picture: a camera that fits it, a low sun, a sky, and haze in the distance.

Everything is measured by the terrain's own width, so that 100 m and 100 km look alike.
"""

import math
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..terrain.mesh import heights
from . import startup

HAZE = (0.46, 0.62, 0.86)
"""Linear color of the air in the distance, and of the sky at the horizon."""

SKY = (0.06, 0.20, 0.62)
"""Linear color of the sky overhead."""

SUN_COLOR = (1.0, 0.90, 0.76)


@dataclass(frozen=True)
class Place:
    """Where a terrain lies: its own axes in the world, half its width and depth, and heights, in meters."""

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

    def point(self, x: float, y: float, z: float) -> Vector:
        """The place in the world of local meters from the terrain's middle."""
        return self.matrix @ Vector((x, y, z))


def place_of(terrain: bpy.types.Object) -> Place:
    """Where a terrain object lies. Its scale is in the lengths, no longer in the matrix."""
    _, rotation, scale = terrain.matrix_world.decompose()
    corners = np.array([corner[:] for corner in terrain.bound_box])
    low, high = corners.min(0), corners.max(0)
    middle = (low + high) / 2
    size = np.abs((high - low) * scale)
    turned = rotation.to_matrix().to_4x4()
    center = terrain.matrix_world @ Vector((middle[0], middle[1], 0.0))
    levels = np.percentile(heights(terrain.data), (1, 50, 99)) * scale[2]
    return Place(Matrix.Translation(center) @ turned, size[0] / 2, size[1] / 2, *sorted(map(float, levels)))


def has_camera(scene: bpy.types.Scene) -> bool:
    """Whether the user has a camera for the scene."""
    return scene.camera is not None and not startup.is_untouched(scene.camera)


def has_light(scene: bpy.types.Scene, kinds: tuple[str, ...] = ("SUN",)) -> bool:
    """Whether renders show a light of the user's of one of these kinds, or any where none is named."""
    lights = [obj for obj in scene.objects if obj.type == "LIGHT" and not obj.hide_render]
    return any((not kinds or obj.data.type in kinds) and not startup.is_untouched(obj) for obj in lights)


def has_sky(scene: bpy.types.Scene) -> bool:
    """Whether the user has a world for the scene."""
    return scene.world is not None and not startup.is_world_untouched(scene.world)


def complete(scene: bpy.types.Scene, terrain: bpy.types.Object) -> list[str]:
    """Add what the scene lacks of a sun, a sky and a camera; returns the names of what was added.

    What the user has stays; the lamp, camera and cube of Blender's new file go where nobody touched them. A sky of the
    user's may shine as well as a sun, so beside one no sun is added.
    """
    place, added = place_of(terrain), []
    if not has_camera(scene):
        camera = add_camera(scene)
        aim(camera, place, "across", 0.0)
        added.append(camera.name)
    if not has_sky(scene):
        if not has_light(scene):
            added.append(add_sun(scene, place).name)
        added.append(add_sky(scene).name)
        set_film(scene)
    startup.clear(scene, terrain)
    return added


def add_camera(scene: bpy.types.Scene, name: str = "Terrain Camera") -> bpy.types.Object:
    """A new camera, which the scene then looks through."""
    camera = bpy.data.objects.new(name, bpy.data.cameras.new(name))
    camera.data.sensor_fit = "HORIZONTAL"
    camera.data.lens = 38.0
    scene.collection.objects.link(camera)
    scene.camera = camera
    return camera


def aim(camera: bpy.types.Object, place: Place, view: str, turn: float) -> None:
    """Put the camera where it sees the terrain.

    view: "across" or "whole", see `model.picture.VIEWS`. turn: radians to the left around its middle; at 0 it looks
    along the terrain's y.
    """
    side, level = place.side, place.middle
    if view == "across":
        # From above the middle of a side, where the land is as wide as the lens sees up to the far side, whose peaks
        # stand a little below the upper edge of the picture.
        distance, height = 0.52 * side, level + 0.17 * side + 0.4 * (place.high - level)
        far = math.atan2(height - place.high, distance + 0.5 * side)
        target_distance = distance - side
        target_height = height - math.tan(far + 0.20) * side
    else:
        distance, height = 1.9 * side, level + 1.05 * side
        target_height, target_distance = 0.5 * (place.low + place.high), 0.0
    turned = Matrix.Rotation(turn, 4, "Z")
    eye = place.matrix @ turned @ Vector((0.0, -distance, height))
    target = place.matrix @ turned @ Vector((0.0, -target_distance, target_height))
    camera.rotation_mode = "QUATERNION"
    camera.location = eye
    camera.rotation_quaternion = (target - eye).to_track_quat("-Z", "Y")
    camera.data.clip_start, camera.data.clip_end = side * 1e-3, side * 20


def add_sun(scene: bpy.types.Scene, place: Place, name: str = "Terrain Sun") -> bpy.types.Object:
    """A low sun from the left of the view at turn 0, which shows relief best."""
    sun = bpy.data.objects.new(name, bpy.data.lights.new(name, "SUN"))
    sun.data.energy, sun.data.angle, sun.data.color = 7.0, math.radians(0.6), SUN_COLOR
    towards = place.matrix.to_3x3() @ Vector((-0.85, 0.10, 0.44))
    sun.rotation_mode = "QUATERNION"
    sun.rotation_quaternion = towards.to_track_quat("Z", "Y")
    scene.collection.objects.link(sun)
    return sun


def add_sky(scene: bpy.types.Scene, name: str = "Terrain Sky") -> bpy.types.World:
    """A clear sky, pale at the horizon and below it."""
    world = bpy.data.worlds.new(name)
    if bpy.app.version < (5, 0, 0):
        world.use_nodes = True
    tree = world.node_tree
    background = tree.nodes["Background"]
    place = tree.nodes.new("ShaderNodeTexCoord")
    parts = tree.nodes.new("ShaderNodeSeparateXYZ")
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    tree.links.new(place.outputs["Generated"], parts.inputs[0])
    tree.links.new(parts.outputs["Z"], ramp.inputs[0])
    tree.links.new(ramp.outputs["Color"], background.inputs["Color"])
    ends = ramp.color_ramp.elements
    ends[0].position, ends[0].color = 0.0, (*HAZE, 1.0)
    ends[1].position, ends[1].color = 0.45, (*SKY, 1.0)
    for column, node in enumerate((place, parts, ramp, background)):
        node.location = (220 * column - 660, 300)
    background.inputs["Strength"].default_value = 0.6
    scene.world = world
    return world


def set_film(scene: bpy.types.Scene) -> None:
    """Exposure and contrast of a photograph in the open, where the user has chosen none."""
    view = scene.view_settings
    if (view.view_transform, view.look, view.exposure) != ("AgX", "None", 0.0):
        return
    scene.view_settings.view_transform, scene.view_settings.look = "AgX", "AgX - Medium High Contrast"
    scene.view_settings.exposure = 0.2


def add_haze(scene: bpy.types.Scene, place: Place, strength: float = 0.28) -> None:
    """Air that pales the distance, by the mist pass and a compositor node. strength: share at the far end, 0-1."""
    world = scene.world
    world.mist_settings.start, world.mist_settings.depth = 0.4 * place.side, 1.2 * place.side
    world.mist_settings.falloff = "LINEAR"
    for layer in scene.view_layers:
        layer.use_pass_mist = True
    tree, out = _compositor(scene)
    layers, mix = tree.nodes.new("CompositorNodeRLayers"), tree.nodes.new(_MIX[0])
    share = tree.nodes.new(_MATH)
    share.operation = "MULTIPLY"
    share.inputs[1].default_value = strength
    if _MIX[0] == "ShaderNodeMix":
        mix.data_type = "RGBA"
    tree.links.new(layers.outputs["Mist"], share.inputs[0])
    tree.links.new(share.outputs[0], mix.inputs[_MIX[1]])
    tree.links.new(layers.outputs["Image"], mix.inputs[_MIX[2]])
    mix.inputs[_MIX[3]].default_value = (*HAZE, 1.0)
    tree.links.new(mix.outputs[_MIX[4]], out.inputs[0])
    for column, node in enumerate((layers, share, mix, out)):
        node.location = (260 * column, 0)


_FROM_5 = bpy.app.version >= (5, 0, 0)

_MIX: tuple[Any, ...] = (
    ("ShaderNodeMix", "Factor", "A", "B", "Result") if _FROM_5 else ("CompositorNodeMixRGB", 0, 1, 2, 0)
)
"""The compositor's mixing node: its type, and its factor, inputs and output."""

_MATH = "ShaderNodeMath" if _FROM_5 else "CompositorNodeMath"


def has_compositor(scene: bpy.types.Scene) -> bool:
    """Whether the scene composites its renders already."""
    return scene.compositing_node_group is not None if _FROM_5 else bool(scene.use_nodes and scene.node_tree.nodes)


def _compositor(scene: bpy.types.Scene) -> tuple[Any, Any]:
    """The scene's compositor, emptied, and the node that is its output."""
    if not _FROM_5:
        scene.use_nodes = True
        scene.node_tree.nodes.clear()
        return scene.node_tree, scene.node_tree.nodes.new("CompositorNodeComposite")
    tree = bpy.data.node_groups.new("Terrain Haze", "CompositorNodeTree")
    tree.interface.new_socket("Image", in_out="OUTPUT", socket_type="NodeSocketColor")
    scene.compositing_node_group = tree
    return tree, tree.nodes.new("NodeGroupOutput")
