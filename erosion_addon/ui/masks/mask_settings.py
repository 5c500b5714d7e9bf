# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of masks in Blender: inputs, and treatment of their values."""

from typing import Any

import bpy

from ...processes.registry import PROCESSES
from ...scene.masks import masks
from ...scene.terrain import grid
from ...scene.terrain.lattice import Lattice
from ...terrain.masks import MASK_KINDS
from ..base.parameter_properties import length
from ..base.terrain_settings import mask_of
from ..recipe import steps

_ICONS = {
    "NONE": "RADIOBUT_OFF",
    "VERTEX_GROUP": "GROUP_VERTEX",
    "ATTRIBUTE": "SPREADSHEET",
    "IMAGE": "IMAGE_DATA",
    "SELECTION": "VERTEXSEL",
}

SOURCE_ITEMS = [
    (source, source.replace("_", " ").title(), meaning, _ICONS[source], number)
    for number, (source, meaning) in enumerate(masks.SOURCES.items())
]

FIT_ITEMS = [
    ("exact", "Unchanged", "Refuse values outside the mask's range"),
    ("clamp", "Clamp", "Move values outside the mask's range to its nearest end"),
    ("stretch", "Stretch", "Map the lowest value to 0 and the highest to 1"),
]


def _preselect(mask: Any, context: bpy.types.Context) -> None:
    """Preselect a layer or image for a new source, and unfold the settings."""
    obj = mask.id_data
    if (
        obj.type == "MESH"
        and (layer := masks.layer_for(obj, mask.source, mask.layer)) != mask.layer
    ):
        mask.layer = layer
    if mask.source == "IMAGE" and mask.image is None:
        mask.image = masks.only_image()
    mask.show_settings = mask.source != "NONE"


def _settings_class(kind: str) -> type[bpy.types.PropertyGroup]:
    """Property group of one kind of mask, with its own tooltip."""
    annotations = {
        "source": bpy.props.EnumProperty(
            name="Source",
            description=MASK_KINDS[kind].tooltip,
            items=SOURCE_ITEMS,
            update=_preselect,
        ),
        "show_settings": bpy.props.BoolProperty(
            name="Show Settings", description="Unfold the settings of the mask", options={"HIDDEN"}
        ),
        "layer": bpy.props.StringProperty(
            name="Layer", description="Name of the vertex group or attribute"
        ),
        "image": bpy.props.PointerProperty(
            type=bpy.types.Image,
            name="Image",
            description="White is 1 and black 0; its corners lie on the terrain's",
        ),
        "invert": bpy.props.BoolProperty(
            name="Invert", description="Invert the mask: 1 becomes 0 and 0 becomes 1"
        ),
        "fit": bpy.props.EnumProperty(
            name="Values",
            description="Handling of values outside the mask's range",
            items=FIT_ITEMS,
        ),
        "scale": length(
            "Thickness",
            "Thickness where the mask is 1: higher values leave more to be carried off",
            default=1.0,
            min=0.0,
            max=1e6,
            soft_max=100.0,
            step=10,
        ),
        "border": length(
            "Soft Border",
            (
                "Width of the transition inside the mask's edge: higher values blend more"
                " gently. Nothing changes beyond the edge, where the mask is 0"
            ),
            default=0.0,
            min=0.0,
            max=1e6,
            soft_max=1000.0,
            step=100,
        ),
    }
    return type(
        f"EROSION_PG_mask_{kind}", (bpy.types.PropertyGroup,), {"__annotations__": annotations}
    )


SETTINGS = {kind: _settings_class(kind) for kind in MASK_KINDS}


def arrays_of(
    obj: bpy.types.Object, lattice: Lattice | None = None, note: masks.Note | None = None
) -> dict[str, Any]:
    """Enabled masks of an object, kind → (rows, cols) float32; InputError as in `masks.read`.

    lattice: the object's, if available. note: see `masks.read`.
    """
    kinds = [kind for kind in MASK_KINDS if getattr(obj.erosion, kind).source != "NONE"]
    if kinds and lattice is None:
        lattice = grid.find_lattice(obj)
    return {kind: masks.read(obj, lattice, kind, mask_of(obj, kind), note) for kind in kinds}


def are_read(settings: Any) -> set[str]:
    """Kinds of masks that the recipe's steps read; all kinds if the steps are unknown."""
    enabled = [step for step in settings.steps if step.enabled]
    scaling = {mask for step in enabled for mask in steps.masks_of(step).values()} & set(MASK_KINDS)
    if enabled:
        return {mask for step in enabled for mask in PROCESSES[step.kind].masks} | scaling
    return set(MASK_KINDS)


CLASSES = tuple(SETTINGS.values())
