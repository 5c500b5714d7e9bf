# SPDX-License-Identifier: GPL-3.0-or-later
"""Contents of Blender's new file: lamp, camera, cube and gray world, for a scene of ten meters.

Moved, renamed or edited, they belong to the user.
"""

import bpy
import numpy as np

_PLACES = {
    "Camera": (7.358891, -6.925791, 4.958309),
    "Light": (4.076245, 1.005454, 5.903862),
    "Cube": (0.0, 0.0, 0.0),
}

_GREY = 0.050876
"""Linear color of the world."""


def is_untouched(obj: bpy.types.Object) -> bool:
    """Whether an object of the new file is unchanged."""
    place = _PLACES.get(obj.name)
    if place is None or obj.data is None or obj.data.name != obj.name or obj.library is not None:
        return False
    changed = (
        obj.parent,
        obj.children,
        obj.animation_data,
        obj.data.animation_data,
        *obj.constraints,
        *obj.modifiers,
    )
    stands = np.allclose(obj.location, place, atol=1e-4) and np.allclose(obj.scale, 1.0)
    return stands and not any(changed) and _is_plain(obj)


def _is_plain(obj: bpy.types.Object) -> bool:
    if obj.type == "LIGHT":
        return obj.data.type == "POINT" and obj.data.energy == 1000.0
    if obj.type == "CAMERA":
        return obj.data.type == "PERSP" and obj.data.lens == 50.0
    corners = [abs(number) for vertex in obj.data.vertices[:9] for number in vertex.co]
    return (
        len(corners) == 24
        and set(corners) == {1.0}
        and obj.data.materials.keys() in ([], ["Material"])
    )


def is_world_untouched(world: bpy.types.World) -> bool:
    """Whether a world is the unchanged one of the new file."""
    nodes = list(world.node_tree.nodes) if world.node_tree else []
    background = next((node for node in nodes if node.type == "BACKGROUND"), None)
    if background is None or {node.type for node in nodes} != {"BACKGROUND", "OUTPUT_WORLD"}:
        return False
    color = background.inputs["Color"]
    strength = background.inputs["Strength"]
    plain = np.allclose(color.default_value[:3], _GREY, atol=1e-5) and strength.default_value == 1.0
    return (
        plain
        and world.library is None
        and not (world.animation_data or world.node_tree.animation_data)
    )


def clear(scene: bpy.types.Scene, terrain: bpy.types.Object) -> list[str]:
    """Delete the unchanged objects of the new file except the terrain; returns their names."""
    spare = [obj for obj in scene.objects if obj != terrain and is_untouched(obj)]
    names = [obj.name for obj in spare]
    for obj in spare:
        bpy.data.objects.remove(obj)
    return names
