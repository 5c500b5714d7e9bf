# SPDX-License-Identifier: GPL-3.0-or-later
"""Starting colors of a terrain, which droplets transport: painted, from an image, or of its
strata.
"""

import dataclasses
from typing import NamedTuple

import bpy
import numpy as np

from ...base.errors import InputError
from ...recipe.recipe import Recipe
from ...terrain.strata import Strata
from ..terrain import attributes, grid
from ..terrain.lattice import Array, Lattice

FIELD = "surface_color"

_COLORS = {"FLOAT_COLOR": ("color", 4), "BYTE_COLOR": ("color", 4), "FLOAT_VECTOR": ("vector", 3)}
"""Attribute type → linear property of its elements, and numbers per element."""


class Start(NamedTuple):
    """Recipe with the chosen strata, and layers that replace the terrain's own; None removes a
    layer.
    """

    recipe: Recipe
    layers: dict[str, Array | None]


def start(
    terrain: bpy.types.Object,
    recipe: Recipe,
    source: str,
    layer: str,
    image: bpy.types.Image | None,
    strata: str,
    lattice: Lattice | None = None,
) -> Start:
    """Apply the user's choice.

    source: "NONE" (the recipe's strata, or a painted attribute surface_color), "ATTRIBUTE" (named
    `layer`), "IMAGE" or "STRATA" (a shipped name, or a .toml file). lattice: the terrain's, if
    known already. Raises InputError for a missing or unsuitable input.
    """
    if source == "NONE":
        return Start(recipe, {})
    if source == "STRATA":
        path = bpy.path.abspath(strata) if strata.lower().endswith(".toml") else strata
        return Start(dataclasses.replace(recipe, strata=Strata.load(path)), {FIELD: None})
    from ...files.maps import fitted_color
    from ..terrain.image import image_colors

    lattice = grid.find_lattice(terrain) if lattice is None else lattice
    shape = (lattice.rows, lattice.cols)
    if source == "ATTRIBUTE":
        color = fitted_color(
            lattice.to_grid(_attribute_colors(terrain, layer)), shape, f"the attribute {layer}"
        )
    elif image is None:
        raise InputError(
            "No image is chosen for the surface color; choose one, or set its source to Recipe."
        )
    else:
        color = fitted_color(image_colors(image), shape, f"the image {image.name}")
    return Start(dataclasses.replace(recipe, strata=None), {FIELD: color})


def _attribute_colors(terrain: bpy.types.Object, name: str) -> Array:
    """Linear colors by vertex (vertices, 3) float32 from an attribute of vertices, faces or
    corners.
    """
    if not name:
        raise InputError("Choose a color attribute for the surface color.")
    mesh = terrain.data
    attribute = mesh.attributes.get(attributes.users_attribute(mesh, name))
    if attribute is None:
        raise InputError(
            "{terrain} has no attribute {name} for the surface color; choose another one."
        ).format(terrain=terrain.name, name=repr(name))
    if attribute.data_type not in _COLORS or attribute.domain not in ("POINT", "CORNER", "FACE"):
        raise InputError(
            "The attribute {name} for the surface color holds no colors; choose a color attribute."
        ).format(name=name)
    member, count = _COLORS[attribute.data_type]
    values = np.empty((len(attribute.data), count), np.float32)
    attribute.data.foreach_get(member, values.ravel())
    values = values[:, :3]
    if attribute.domain == "POINT":
        return values
    vertex = np.empty(len(mesh.loops), np.int32)
    mesh.attributes[".corner_vert"].data.foreach_get("value", vertex)
    if attribute.domain == "FACE":
        sizes = np.empty(len(mesh.polygons), np.int32)
        mesh.polygons.foreach_get("loop_total", sizes)
        values = values.repeat(sizes, axis=0)
    corners = np.maximum(np.bincount(vertex, minlength=len(mesh.vertices)), 1)
    sums = [np.bincount(vertex, values[:, channel], len(mesh.vertices)) for channel in range(3)]
    return (np.stack(sums, axis=-1) / corners[:, None]).astype(np.float32)
