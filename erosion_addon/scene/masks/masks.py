# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks from the scene: vertex groups, attributes, images, the selection."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import bpy
import numpy as np

from ...base.errors import InputError, Sentence
from ...grid.sampling import bilinear
from ...terrain.fields import ANALYZED, WATERS
from ...terrain.masks import MASK_KINDS, fitted, inverted, prepare, softened
from ..terrain import attribute_values, attributes, grid
from ..terrain.lattice import Array, Lattice
from ..terrain.mesh import positions, vertex_heights
from . import inputs
from .settings import MaskSettings

READABLE = ("FLOAT", "INT", "INT8", "BOOLEAN", "FLOAT_COLOR", "BYTE_COLOR")
"""Attribute types that can be a mask."""

_LUMINANCE = (0.2126, 0.7152, 0.0722)  # Rec. 709, linear


SOURCES = {
    "NONE": "No mask",
    "VERTEX_GROUP": "The weights of a vertex group, as in Weight Paint",
    "ATTRIBUTE": "An attribute of the mesh's vertices: a number, or the brightness of a color",
    "IMAGE": "The brightness of an image, stretched over the terrain",
    "SELECTION": "The selected vertices",
}
"""Inputs of a mask, with their descriptions."""


Note = Callable[[str], object]


def read(
    obj: bpy.types.Object, lattice: Lattice, kind: str, mask: MaskSettings, note: Note | None = None
) -> Array:
    """An object's mask as a run gets it, (rows, cols) float32.

    note: called with doubts about an image. InputError for a missing input or invalid
    values.
    """
    scale = mask.scale if MASK_KINDS[kind].unit else 1.0
    fit = mask.fit if mask.source in ("ATTRIBUTE", "IMAGE") else "exact"
    name = mask.image if mask.source == "IMAGE" else mask.layer
    adjustment = Adjustment(fit, mask.invert, scale, mask.border)
    array = read_mask(obj, lattice, kind, mask.source, name, adjustment, note)
    prepare({kind: array}, (lattice.rows, lattice.cols))
    if kind == "strength" and not array.any():
        raise InputError(
            "The strength mask of {name} is 0 everywhere, so nothing would be eroded; paint where "
            "erosion may act, or set the mask to None."
        ).format(name=obj.name)
    return array


def read_outlets(obj: bpy.types.Object, lattice: Lattice, mask: MaskSettings) -> Array | None:
    """Mask of an object's outlets, (rows, cols) float32; None without one. InputError as
    in `read`.
    """
    return None if mask.source == "NONE" else read(obj, lattice, "outlet", mask)


class Adjustment(NamedTuple):
    """Changes of a mask's values, in this order; see the functions of `terrain.masks`."""

    fit: str = "exact"
    invert: bool = False
    scale: float = 1.0
    border: float = 0.0
    """Width of the soft border in m."""


UNADJUSTED = Adjustment()


def read_mask(
    obj: bpy.types.Object,
    lattice: Lattice,
    kind: str,
    source: str,
    name: str | bpy.types.Image | None = None,
    adjustment: Adjustment = UNADJUSTED,
    note: Note | None = None,
) -> Array:
    """Mask on the cells of the lattice, (rows, cols) float32.

    kind: one of `terrain.masks.MASK_KINDS`. source: one of SOURCES but "NONE". name: of the group
    or attribute, or the image. Raises InputError for a missing or unsuitable input; the run checks
    the range of values.
    """
    if obj.data.is_editmode:
        raise InputError(
            "Leave Edit Mode first: the {kind} mask of {name} cannot be read meanwhile."
        ).format(kind=_label(kind), name=obj.name)
    if source == "IMAGE":
        mask = _image(obj, kind, name, (lattice.rows, lattice.cols), note)
    elif source == "VERTEX_GROUP":
        mask = lattice.to_grid(_weights(obj, _label(kind), str(name or "")))
    elif source == "SELECTION":
        mask = lattice.to_grid(_selection(obj, _label(kind)))
    else:
        mask = lattice.to_grid(_attribute(obj, _label(kind), str(name or "")))
    mask = fitted(mask, kind, adjustment.fit)
    if adjustment.invert:
        mask = inverted(mask, kind)
    if adjustment.scale != 1.0:
        mask = mask * np.float32(adjustment.scale)
    return softened(mask, lattice.spacing, adjustment.border)


def read_selection(obj: bpy.types.Object, lattice: Lattice) -> Array:
    """Selected vertices, (rows, cols) float32, 0 or 1; InputError if none is selected."""
    selected = _selected(obj)
    if not selected.any():
        raise InputError(
            "Nothing is selected on {name}; select vertices in Edit Mode, or choose a vertex group."
        ).format(name=obj.name)
    return lattice.to_grid(selected.astype(np.float32))


def read_named(obj: bpy.types.Object, lattice: Lattice, name: str, label: str) -> Array:
    """Vertex group or attribute of that name as a mask, (rows, cols) float32; InputError, with the
    mask's `label`, if missing.
    """
    read = _weights if name in obj.vertex_groups else _attribute
    return lattice.to_grid(read(obj, label, name))


def _label(kind: str) -> str:
    """Name of a mask in a sentence, in the language of the interface."""
    label = MASK_KINDS[kind].label
    translation = bpy.app.translations.pgettext_iface(label)
    return translation if translation != label else label.lower()


def _image(
    obj: bpy.types.Object, kind: str, image: object, shape: tuple[int, int], note: Note | None
) -> Array:
    from ...files.reading.record import Record
    from ..terrain.image_heights import mask

    if not isinstance(image, bpy.types.Image):
        raise InputError(
            "No image is chosen for the {kind} mask; choose one, or set the mask to None."
        ).format(kind=_label(kind))
    values, doubts = mask(
        image, Record(obj.name, "float32", shape, shape, georeference=inputs.georeference_of(obj))
    )
    for doubt in doubts if note else ():
        note(doubt.sentence)
    values = np.asarray(values, np.float32)
    return values if values.shape == shape else bilinear(values, shape)


def _selection(obj: bpy.types.Object, label: str) -> Array:
    """Selection, (vertices,) float32, 0 or 1."""
    selected = _selected(obj)
    if not selected.any():
        raise InputError(
            "Nothing is selected on {name}; select vertices in Edit Mode, or set the {label} mask "
            "to None."
        ).format(name=obj.name, label=label)
    return selected.astype(np.float32)


def _selected(obj: bpy.types.Object) -> Array:
    """Selection, (vertices,) bool."""
    selected = np.zeros(len(obj.data.vertices), np.bool_)
    if (attribute := obj.data.attributes.get(".select_vert")) is not None:
        attribute.data.foreach_get("value", selected)
    return selected


def _attribute(obj: bpy.types.Object, label: str, name: str) -> Array:
    """(vertices,) float32 of an attribute; the luminance of a color."""
    if not name:
        raise InputError("Choose an attribute for the {label} mask.").format(label=label)
    mesh = obj.data
    attribute = mesh.attributes.get(attributes.users_attribute(mesh, name))
    if attribute is None:
        raise InputError(
            "{obj} has no attribute {name} for the {label} mask; choose another one."
        ).format(obj=obj.name, name=repr(name), label=label)
    if attribute.domain != "POINT" or attribute.data_type not in READABLE:
        raise InputError(
            "The attribute {name} for the {label} mask is a {data_type} per {domain}; convert it "
            "to a number or color per point (Object Data > Attributes)."
        ).format(
            name=name,
            label=label,
            data_type=attribute.data_type.lower(),
            domain=attribute.domain.lower(),
        )
    if not attribute.data_type.endswith("_COLOR"):
        return attribute_values.read(attribute)[:, 0].astype(np.float32)
    colors: Array = np.empty((len(mesh.vertices), 4), np.float32)
    attribute.data.foreach_get("color", colors.ravel())  # linear
    return (colors[:, :3] @ np.array(_LUMINANCE)).astype(np.float32)


def _weights(obj: bpy.types.Object, label: str, name: str) -> Array:
    """(vertices,) float32 weights in a vertex group, 0 outside it.

    Blender has no array access to weights, and a loop takes a second for a million vertices.
    Geometry Nodes copy the group to an attribute, in a temporary scene (6 ms).
    """
    if not name:
        raise InputError("Choose a vertex group for the {label} mask.").format(label=label)
    mesh = obj.data
    if name not in obj.vertex_groups:
        raise InputError(
            "{obj} has no vertex group {name} for the {label} mask; choose another one."
        ).format(obj=obj.name, name=repr(name), label=label)
    if name in mesh.attributes:
        raise InputError(
            "{obj} has an attribute and a vertex group {name}; rename one of them."
        ).format(obj=obj.name, name=name)
    weights = np.empty(len(mesh.vertices), np.float32)
    copied = "terrain_erosion_weights"
    with _evaluated(mesh, name, copied) as evaluated:
        evaluated.attributes[copied].data.foreach_get("value", weights)
    return weights


@contextmanager
def _evaluated(mesh: bpy.types.Mesh, group: str, attribute: str) -> Iterator[bpy.types.Mesh]:
    """Context with the mesh and a vertex group copied to an attribute."""
    tree = bpy.data.node_groups.new(attribute, "GeometryNodeTree")
    obj = bpy.data.objects.new(attribute, mesh)
    scene = bpy.data.scenes.new(attribute)
    try:
        _build(tree, group, attribute)
        obj.modifiers.new(attribute, "NODES").node_group = tree
        scene.collection.objects.link(obj)
        layer = scene.view_layers[0]
        layer.update()
        yield obj.evaluated_get(layer.depsgraph).data
    finally:
        bpy.data.scenes.remove(scene)
        bpy.data.objects.remove(obj)
        bpy.data.node_groups.remove(tree)


def _build(tree: bpy.types.NodeTree, group: str, attribute: str) -> None:
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
    group_input = tree.nodes.new("NodeGroupInput")
    result = tree.nodes.new("NodeGroupOutput")
    weights = tree.nodes.new("GeometryNodeInputNamedAttribute")
    store = tree.nodes.new("GeometryNodeStoreNamedAttribute")
    weights.data_type = store.data_type = "FLOAT"
    store.domain = "POINT"
    weights.inputs["Name"].default_value = group
    store.inputs["Name"].default_value = attribute
    tree.links.new(group_input.outputs["Geometry"], store.inputs["Geometry"])
    tree.links.new(weights.outputs["Attribute"], store.inputs["Value"])
    tree.links.new(store.outputs["Geometry"], result.inputs["Geometry"])


def spring_rows(
    obj: bpy.types.Object, collection: bpy.types.Collection | None, place: Array | None = None
) -> list[list[float]]:
    """[x, y, rate] of each object in the collection: position on the terrain of `obj`, 0-1, and
    scale as rate.

    place: positions of the terrain's vertices, if known already.
    """
    if collection is None or not collection.all_objects:
        return []
    ground = (positions(obj.data) if place is None else place)[:, :2]
    low = ground.min(axis=0)
    high = ground.max(axis=0)
    to_local = obj.matrix_world.inverted()
    rows = []
    for spring in collection.all_objects:
        local = to_local @ spring.matrix_world.translation
        x, y = ((local[axis] - low[axis]) / (high[axis] - low[axis]) for axis in (0, 1))
        if not (0 <= x <= 1 and 0 <= y <= 1):
            raise InputError("The spring {name} does not lie above {obj}; move it there.").format(
                name=spring.name, obj=obj.name
            )
        rows.append(
            [float(x), float(y), float(max(abs(scale) for scale in spring.matrix_world.to_scale()))]
        )
    return rows


def layer_for(obj: bpy.types.Object, source: str, layer: str) -> str:
    """Name for a mask of this source: `layer` if it names one, else the active group or the only
    attribute.
    """
    if source == "VERTEX_GROUP" and layer not in obj.vertex_groups:
        active = obj.vertex_groups.active
        return active.name if active is not None else layer
    if (
        source == "ATTRIBUTE"
        and attributes.users_attribute(obj.data, layer) not in obj.data.attributes
    ):
        names = [
            attribute.name
            for attribute in obj.data.attributes
            if attribute.domain == "POINT"
            and attribute.data_type in READABLE
            and not attribute.is_internal
        ]
        return names[0] if len(names) == 1 else layer
    return layer


def color_layer_for(obj: bpy.types.Object, layer: str) -> str:
    """Name of a color attribute: `layer` if it names one, else the active one."""
    colors = obj.data.color_attributes
    if layer in colors or colors.active_color is None:
        return layer
    return str(colors.active_color.name)


def only_image() -> bpy.types.Image | None:
    """The only image of the file; None if there are several."""
    images = [
        image for image in bpy.data.images if image.type not in ("RENDER_RESULT", "COMPOSITING")
    ]
    return images[0] if len(images) == 1 else None


def field_values(obj: bpy.types.Object, lattice: Lattice, name: str) -> Array:
    """Current field of the terrain, (rows, cols) or (rows, cols, components); InputError if it is
    missing.
    """
    if name == "elevation":
        return grid.terrain_of(lattice, vertex_heights(obj.data)).elevation
    fields = attributes.read_fields(obj.data, lattice, [name])
    if name not in fields:
        if name in ANALYZED:
            remedy = Sentence("analyze it first")
        elif name in WATERS:
            remedy = Sentence("add rivers first")
        else:
            remedy = Sentence("run a recipe that makes it")
        raise InputError("{name} has no {field}; {remedy}.").format(
            name=obj.name, field=name.replace("_", " "), remedy=remedy
        )
    return fields[name]


def fill(obj: bpy.types.Object, kind: str, name: str, low: float, high: float) -> str:
    """Write a mask attribute from a field: 0 at `low`, 1 at `high`; equal values mean the field's
    own range.

    Returns its name, one for each mask; InputError if impossible. The next run may change the
    field, but not this copy.
    """
    lattice = grid.find_lattice(obj)
    values = field_values(obj, lattice, name).astype(np.float64)
    if low == high:
        low = float(values.min())
        high = float(values.max())
    share = np.clip((values - low) / ((high - low) or 1.0), 0.0, 1.0)
    attribute = f"{MASK_KINDS[kind].label} from {name}"
    attributes.check_no_vertex_group(obj.data, attribute)
    attributes.write_users(obj.data, attribute, lattice.to_vertices(share.astype(np.float32)))
    return attribute
