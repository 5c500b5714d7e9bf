# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of a terrain as image files, and as images in the .blend file."""

from collections.abc import Collection, Iterable
from pathlib import Path

import bpy
import numpy as np
from idprop.types import IDPropertyGroup

from ...base.atomic_files import Outputs
from ...base.errors import InputError
from ...files import maps
from ...files.maps import DERIVED
from ...terrain.fields import FIELDS
from ...terrain.terrain import Terrain
from ..masks import inputs
from ..terrain import attributes, grid
from ..terrain.image import BlenderFiles
from ..terrain.lattice import Array

MARK = "erosion_map"
"""Custom property of an image: name of its map."""

FOLLOWS = "erosion_follows"
"""Custom property of an image: whether a terrain ever pointed to it. Images of release 0.1.0 are
found by name.
"""

IMAGES = "erosion_images"
"""Custom property of a terrain: pointers to its images by map name."""


def names_of(mesh: bpy.types.Mesh) -> list[str]:
    """Names of the fields on the mesh."""
    return ["elevation", *(name for name in FIELDS if attributes.holds(mesh, name))]


def fields_of(terrain: bpy.types.Object, names: Collection[str] = ()) -> dict[str, Array]:
    """Named fields of a terrain, or all of them; InputError for a missing one."""
    available = names_of(terrain.data)
    for name in names:
        if name not in available:
            raise InputError("{terrain} has no field {name:.60}; it has {available}.").format(
                terrain=terrain.name, name=repr(name), available=", ".join(available)
            )
    selection = names or available
    read, lattice = grid.read_terrain(terrain)
    fields = attributes.read_fields(
        terrain.data, lattice, [name for name in selection if name != "elevation"]
    )
    return {"elevation": read.elevation, **fields} if "elevation" in selection else fields


def terrain_with(obj: bpy.types.Object, names: Collection[str]) -> Terrain:
    """Terrain of the object with some of its fields; InputError for a missing one."""
    _, lattice = grid.read_terrain(obj)
    fields = fields_of(obj, ["elevation", *names])
    return Terrain(fields.pop("elevation"), lattice.spacing, fields)


def export(
    terrain: bpy.types.Object,
    folder: Path,
    names: Collection[str] = (),
    png: bool = False,
    green: str = "opengl",
    wrap: bool = False,
    images: Iterable[bpy.types.Image] = (),
) -> list[Path]:
    """Write fields as FIELD.exr (float32) into a folder, and the normal map, all or none; returns
    the files.

    png: 16-bit PNG for fields from 0 to 1, and normals. green, wrap: see `normals`. images: read by
    the terrain. InputError if a file cannot be written, or is one of its inputs.
    """
    fields = _maps_of(terrain, names, green, wrap)
    with Outputs(inputs.of(terrain, images)) as outputs:
        planned = maps.plan(outputs, folder, fields, png)
        maps.write(outputs, planned, fields, BlenderFiles())
        return outputs.publish()


def _maps_of(
    terrain: bpy.types.Object, names: Collection[str], green: str, wrap: bool
) -> dict[str, Array]:
    """`fields_of`, and the derived maps."""
    stored = [name for name in names if name not in DERIVED]
    derived = [name for name in DERIVED if name in names or not names]
    fields = fields_of(terrain, stored) if stored or not names else {}
    if derived:
        ground, lattice = grid.read_terrain(terrain)
        fields |= maps.derive(derived, ground.elevation, lattice.spacing, wrap, green)
    return fields


def send(terrain: bpy.types.Object, names: Collection[str] = ()) -> list[bpy.types.Image]:
    """Store each field as an image TERRAIN FIELD, packed into the .blend file; existing ones are
    updated, even if renamed.

    Values are in the field's own unit (color space Non-Color); the bottom row is the smallest y.
    """
    images = images_of(terrain)
    filled = []
    for name, values in maps.images(fields_of(terrain, names)):
        images[name] = _filled(images.get(name), f"{terrain.name} {name}", name, values)
        filled.append(images[name])
    terrain[IMAGES] = images
    return filled


def update(terrain: bpy.types.Object) -> None:
    """Update the images of the terrain made by `send`; black for a missing field."""
    images = images_of(terrain)
    names = [
        name
        for name in names_of(terrain.data)
        if any(image in images for image in FIELDS[name].images)
    ]
    filled = send(terrain, names) if names else []
    for image in images.values():
        if image not in filled:
            _fill(image, np.zeros((image.size[1], image.size[0]), np.float32))


def images_of(terrain: bpy.types.Object) -> dict[str, bpy.types.Image]:
    """Images of the terrain by map name, without images that a copied terrain shares with its
    original.
    """
    mine = _stored_images(terrain) or _named_after(terrain)
    elder = [
        obj
        for obj in bpy.data.objects
        if obj.session_uid < terrain.session_uid and obj.users_collection and IMAGES in obj
    ]
    theirs = [image for obj in elder for image in _stored_images(obj).values()]
    return {name: image for name, image in mine.items() if image not in theirs}


def _stored_images(terrain: bpy.types.Object) -> dict[str, bpy.types.Image]:
    """Images that the terrain points to, ignoring invalid content."""
    images = terrain.get(IMAGES)
    existing = _map_images()
    if not isinstance(images, IDPropertyGroup):
        return {}
    return {name: image for name, image in images.items() if image in existing}


def _named_after(terrain: bpy.types.Object) -> dict[str, bpy.types.Image]:
    """Images of release 0.1.0 with this terrain's name and no terrain pointing to them."""
    pointed = [image for obj in bpy.data.objects for image in _stored_images(obj).values()]
    return {
        image[MARK]: image
        for image in _map_images()
        if FOLLOWS not in image
        and image.name == f"{terrain.name} {image[MARK]}"
        and image not in pointed
    }


def forget_pixels() -> None:
    """Reload our images from their packed files after undo and redo, which do not restore
    pixels.
    """
    for image in _map_images():
        if not image.is_dirty:  # otherwise the user is painting on it
            image.buffers_free()


def _map_images() -> list[bpy.types.Image]:
    return [image for image in bpy.data.images if MARK in image and not image.library]


def _filled(
    image: bpy.types.Image | None, name: str, map_name: str, values: Array
) -> bpy.types.Image:
    rows, cols = values.shape[:2]
    if image is None:
        image = bpy.data.images.new(name, cols, rows, alpha=False, float_buffer=True, is_data=True)
        image[MARK] = map_name
        image.use_half_precision = False
        image.use_fake_user = True  # otherwise lost on saving unless a material uses it
    elif tuple(image.size) != (cols, rows):
        image.scale(cols, rows)
    image[FOLLOWS] = True
    _fill(image, values)
    return image


def _fill(image: bpy.types.Image, values: Array) -> None:
    """Set the pixels of an image from (rows, cols) or (rows, cols, 3), and pack it."""
    rows, cols = values.shape[:2]
    pixels = np.ones((rows, cols, image.channels), np.float32)
    pixels[..., :3] = values.reshape(rows, cols, -1)
    image.pixels.foreach_set(pixels.ravel())
    image.update()
    image.pack()  # otherwise lost on saving
