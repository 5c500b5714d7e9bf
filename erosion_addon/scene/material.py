# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrain's material: grass, rock, gravel and water by slope, moisture, sediment and wear.

Pure shader nodes, for EEVEE and Cycles: a saved file renders without the extension. The node group "Terrain" takes the
fields as inputs, beside the artist's controls; the material feeds it from the attributes. Both are found again by a
mark, so building twice gives one; a group that was edited stays as it is until a newer version of it comes along.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import bpy

MATERIAL, GROUP = "Terrain Erosion", "Terrain"

MARK = "terrain_erosion_version"
"""Custom property of our material and node group: by which version of this module they were built."""

VERSION = 1


@dataclass(frozen=True)
class Control:
    """One input of the group: a field (read from the attribute of that name) or a control of the artist's."""

    name: str
    default: Any
    sentence: str
    subtype: str = "NONE"
    low: float = 0.0
    high: float = 1.0
    attribute: str = ""


CONTROLS = (
    Control("Moisture", 0.0, "Wetness of the ground, 0-1", "FACTOR", attribute="moisture"),
    Control("Sediment", 0.0, "Thickness of loose sediment in metres", high=1e6, attribute="sediment"),
    Control("Wear", 0.0, "Rock removed, in metres", high=1e6, attribute="wear"),
    Control("Grass Dry", (0.150, 0.138, 0.060), "Ground cover where it is dry"),
    Control("Grass Lush", (0.045, 0.088, 0.020), "Ground cover where it is wet"),
    Control("Rock", (0.21, 0.185, 0.155), "Bare rock on steep ground"),
    Control("Gravel", (0.36, 0.31, 0.24), "Loose sediment"),
    Control("Water", (0.012, 0.040, 0.050), "Water where moisture is above the threshold"),
    Control("Rock Slope", math.radians(33), "Steepness above which the ground is bare rock", "ANGLE", high=math.pi / 2),
    Control("Slope Softness", math.radians(5), "Half the width of the change to rock", "ANGLE", 0.001, math.pi / 2),
    Control("Sediment Depth", 20.0, "Thickness in metres at which sediment hides what is below", low=0.001, high=1e6),
    Control("Wear Depth", 60.0, "Rock removed, in metres, at which rock is fresh, soil thin", low=0.001, high=1e6),
    Control("Wet Darkening", 0.45, "How much darker wet ground is", "FACTOR"),
    Control("Water Threshold", 0.85, "Moisture from which on water is drawn; 1 draws none", "FACTOR"),
    Control("Detail Size", 150.0, "Size of the patches that break up the borders, in metres", low=0.001, high=1e6),
    Control("Detail", 0.7, "How much the borders are broken up", "FACTOR"),
    Control("Strata", 0.35, "How clearly layers show in the rock", "FACTOR"),
    Control("Relief", 1.0, "Strength of the fine relief", high=10.0),
)


@dataclass(frozen=True)
class Node:
    """A node: inputs are numbers, or links written "node.output" ("in" is the group's input); settings are its
    properties."""

    name: str
    type: str
    inputs: dict[str | int, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)


def _math(name: str, operation: str, *operands: Any) -> Node:
    return Node(name, "Math", dict(enumerate(operands)), {"operation": operation})


def _mix(name: str, factor: Any, a: Any, b: Any, blend: str = "MIX") -> Node:
    return Node(name, "Mix", {"Factor": factor, "A": a, "B": b}, {"data_type": "RGBA", "blend_type": blend})


def _ramp(name: str, value: str, low: Any, high: Any, result: tuple[float, float] = (0.0, 1.0)) -> Node:
    """A smooth step of `value` from `low` to `high`."""
    inputs = {"Value": value, "From Min": low, "From Max": high, "To Min": result[0], "To Max": result[1]}
    return Node(name, "MapRange", inputs, {"interpolation_type": "SMOOTHSTEP"})


def _noise(name: str, place: str, detail: float) -> Node:
    return Node(name, "TexNoise", {"Vector": place, "Scale": 1.0, "Detail": detail, "Roughness": 0.66})


NODES = (
    # Noise in metres of the world, most of it within 0.35-0.65; `patches` is about -1 to 1 times the detail.
    Node("geometry", "NewGeometry"),
    _math("per metre", "DIVIDE", 1.0, "in.Detail Size"),
    Node("scaled", "VectorMath", {0: "geometry.Position", "Scale": "per metre.Value"}, {"operation": "SCALE"}),
    _noise("noise", "scaled.Vector", 9.0),
    _math("centred", "SUBTRACT", "noise.Fac", 0.5),
    _math("contrast", "MULTIPLY", "in.Detail", 6.0),
    _math("patches", "MULTIPLY", "centred.Value", "contrast.Value"),
    _ramp("shade", "noise.Fac", 0.3, 0.7, (0.55, 1.45)),
    # Slope from the normal; worn ground turns to rock earlier.
    Node("normal", "SeparateXYZ", {0: "geometry.Normal"}),
    _math("slope", "ARCCOSINE", "normal.Z"),
    _ramp("worn", "in.Wear", 0.0, "in.Wear Depth"),
    _math("slope worn", "MULTIPLY_ADD", "worn.Result", 0.2, "slope.Value"),
    _math("slope patchy", "MULTIPLY_ADD", "patches.Value", 0.18, "slope worn.Value"),
    _math("rock from", "SUBTRACT", "in.Rock Slope", "in.Slope Softness"),
    _math("rock to", "ADD", "in.Rock Slope", "in.Slope Softness"),
    _ramp("bare", "slope patchy.Value", "rock from.Value", "rock to.Value"),
    # Ground cover by moisture.
    _math("moist", "MULTIPLY_ADD", "patches.Value", 0.15, "in.Moisture"),
    _ramp("lush", "moist.Value", 0.1, 0.5),
    _mix("grass", "lush.Result", "in.Grass Dry", "in.Grass Lush"),
    # Sediment: gravel where it is thick and nothing grows, for want of water or for too much of it: on fans and banks.
    _math("thickness", "DIVIDE", "in.Sediment", "in.Sediment Depth"),
    _math("thickness patchy", "MULTIPLY_ADD", "patches.Value", 0.3, "thickness.Value"),
    _ramp("covered", "thickness patchy.Value", 0.15, 1.0),
    _math("dry fan", "MULTIPLY_ADD", "lush.Result", -0.8, 1.0),
    _ramp("bank", "in.Moisture", 0.74, 0.86),
    _math("barren", "MAXIMUM", "dry fan.Value", "bank.Result"),
    _math("gravelly", "MULTIPLY", "covered.Result", "barren.Value"),
    _mix("soil", "gravelly.Value", "grass.Result", "in.Gravel"),
    # Rock in layers, paler where it is fresh.
    Node("flattened", "VectorMath", {0: "scaled.Vector", 1: (0.3, 0.3, 7.0)}, {"operation": "MULTIPLY"}),
    _noise("layers", "flattened.Vector", 3.0),
    _ramp("layer shade", "layers.Fac", 0.35, 0.65, (0.55, 1.45)),
    _mix("layer rock", 1.0, "in.Rock", "layer shade.Result", "MULTIPLY"),
    _mix("layered", "in.Strata", "in.Rock", "layer rock.Result"),
    _math("fresh", "MULTIPLY_ADD", "worn.Result", 0.45, 0.85),
    _mix("rock", 1.0, "layered.Result", "fresh.Value", "MULTIPLY"),
    _mix("dry ground", "bare.Result", "soil.Result", "rock.Result"),
    _mix("shaded ground", 1.0, "dry ground.Result", "shade.Result", "MULTIPLY"),
    # Wet ground is darker and smoother, and above the threshold it is water.
    _ramp("wet", "in.Moisture", 0.35, 0.9),
    _math("darkening", "MULTIPLY", "wet.Result", "in.Wet Darkening"),
    _mix("ground", "darkening.Value", "shaded ground.Result", (0.0, 0.0, 0.0)),
    _math("water to", "ADD", "in.Water Threshold", 0.02),
    _ramp("water", "in.Moisture", "in.Water Threshold", "water to.Value"),
    _mix("color", "water.Result", "ground.Result", "in.Water"),
    _ramp("ground roughness", "in.Moisture", 0.35, 1.0, (0.95, 0.7)),
    _ramp("roughness of water", "water.Result", 0.0, 1.0, (0.0, -0.6)),
    _math("roughness", "ADD", "ground roughness.Result", "roughness of water.Result"),
    # Fine relief, on rock more than on grass, none on water.
    _math("relief", "MULTIPLY_ADD", "bare.Result", 0.7, 0.3),
    _math("dry", "SUBTRACT", 1.0, "water.Result"),
    _math("relief on land", "MULTIPLY", "relief.Value", "dry.Value"),
    _math("bend strength", "MULTIPLY", "relief on land.Value", "in.Relief"),
    # A bent normal, as EEVEE weaves a pattern into bump maps where triangles are as small as pixels.
    _noise("rough", "scaled.Vector", 6.0),
    Node("rough centred", "VectorMath", {0: "rough.Color", 1: (0.5, 0.5, 0.5)}, {"operation": "SUBTRACT"}),
    Node("bend", "VectorMath", {0: "rough centred.Vector", "Scale": "bend strength.Value"}, {"operation": "SCALE"}),
    Node("bent", "VectorMath", {0: "geometry.Normal", 1: "bend.Vector"}, {"operation": "ADD"}),
    Node("bent normal", "VectorMath", {0: "bent.Vector"}, {"operation": "NORMALIZE"}),
    Node(
        "surface", "BsdfPrincipled",
        {"Base Color": "color.Result", "Roughness": "roughness.Value", "Normal": "bent normal.Vector",
         "Specular IOR Level": 0.35},
    ),
    Node("out", "NodeGroupOutput", {"BSDF": "surface.BSDF"}),
)  # fmt: skip


def terrain_material() -> bpy.types.Material:
    """The material "Terrain Erosion": the one in the file, or a new one."""
    group = terrain_group()
    material = _ours(bpy.data.materials)
    if material is None:
        material = bpy.data.materials.new(MATERIAL)
        material[MARK] = VERSION
        material.diffuse_color = (0.20, 0.18, 0.10, 1.0)
        if bpy.app.version < (5, 0, 0):
            material.use_nodes = True
        _fill_material(material.node_tree, group)
    return material


def terrain_group() -> bpy.types.NodeTree:
    """The node group "Terrain": the one in the file, brought up to date where it is older, or a new one."""
    group = _ours(bpy.data.node_groups)
    if group is None:
        group = bpy.data.node_groups.new(GROUP, "ShaderNodeTree")
    if group.get(MARK, 0) < VERSION:
        group.nodes.clear()
        _declare(group)
        _build(group, NODES, "NodeGroupInput")
        group[MARK] = VERSION
    return group


def assign(obj: bpy.types.Object, replace: bool = False) -> bool:
    """Give the object the material; returns whether its faces show it.

    An object without materials gets it as its only one. Otherwise it becomes one slot more and the faces keep what
    they have, unless `replace` turns all of them over to it; the other slots stay in either case.
    """
    material = terrain_material()
    slots = obj.material_slots
    used = [slot.material for slot in slots]
    replace = replace or not any(used)
    if material not in used:
        if slots and not any(used):
            slots[0].material = material
        else:
            obj.data.materials.append(material)
    index = [slot.material for slot in slots].index(material)
    if replace:
        obj.data.polygons.foreach_set("material_index", [index] * len(obj.data.polygons))
        obj.data.update()
    return replace or used == [material]


def _ours(collection: Any) -> Any:
    """The marked one of the file's own materials or node groups; None where there is none."""
    return next((item for item in collection if MARK in item and item.library is None), None)


def _declare(group: bpy.types.NodeTree) -> None:
    """Give the group its sockets. Those that are there stay, with what is linked to them."""
    known = {item.name for item in group.interface.items_tree}
    if "BSDF" not in known:
        group.interface.new_socket("BSDF", in_out="OUTPUT", socket_type="NodeSocketShader")
    for control in CONTROLS:
        if control.name in known:
            continue
        is_color = isinstance(control.default, tuple)
        kind = "NodeSocketColor" if is_color else "NodeSocketFloat"
        socket = group.interface.new_socket(control.name, in_out="INPUT", socket_type=kind)
        socket.description = control.sentence
        if is_color:
            socket.default_value = (*control.default, 1.0)
        else:
            socket.subtype = control.subtype
            socket.min_value, socket.max_value = control.low, control.high
            socket.default_value = control.default


def _fill_material(tree: bpy.types.NodeTree, group: bpy.types.NodeTree) -> None:
    tree.nodes.clear()
    fields = [control for control in CONTROLS if control.attribute]
    nodes = [Node(c.attribute, "Attribute", settings={"attribute_name": c.attribute}) for c in fields]
    nodes.append(Node(GROUP, "Group", {c.name: f"{c.attribute}.Fac" for c in fields}, {"node_tree": group}))
    nodes.append(Node("out", "OutputMaterial", {"Surface": f"{GROUP}.BSDF"}))
    _build(tree, nodes)


def _build(tree: bpy.types.NodeTree, table: Any, source: str = "") -> None:
    """Add the nodes of a table, set and link their inputs, and lay them out from left to right."""
    made = {"in": tree.nodes.new(source)} if source else {}
    for node in table:
        kind = node.type if node.type.startswith("NodeGroup") else f"ShaderNode{node.type}"
        made[node.name] = tree.nodes.new(kind)
        made[node.name].name = made[node.name].label = node.name
        for name, value in node.settings.items():
            setattr(made[node.name], name, value)
    for node in table:
        for key, value in node.inputs.items():
            socket = made[node.name].inputs[key]
            if isinstance(value, str):
                name, _, output = value.partition(".")
                tree.links.new(made[name].outputs[output], socket)
            else:
                socket.default_value = (*value, 1.0) if socket.type == "RGBA" else value
    for column, names in _columns(table):
        for row, name in enumerate(names):
            made[name].location = (220 * column, -210 * row)


def _columns(table: Any) -> Iterator[tuple[int, list[str]]]:
    """(column, names of nodes in it): each node stands right of all that it reads."""
    sources = {node.name: [v.partition(".")[0] for v in node.inputs.values() if isinstance(v, str)] for node in table}

    @cache
    def column(name: str) -> int:
        return 1 + max((column(source) for source in sources.get(name, ())), default=-1)

    placed: dict[int, list[str]] = {}
    for name in sources:
        placed.setdefault(column(name) + 1, []).append(name)
    yield from placed.items()
