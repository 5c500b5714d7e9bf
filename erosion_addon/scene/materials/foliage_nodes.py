# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the Geometry Nodes group "Foliage Shells": sockets and nodes."""

from typing import Any

import bpy

from ...terrain.fields import FIELDS
from .node_trees.table import Node, Socket, Text, math_node

VERSION = 2

DENSITY = "foliage_density"
"""Attribute of the terrain and the shells: density of plants, 0-1."""

ROOT, SHELL = "foliage_root", "foliage_shell"
"""Attributes of the shells: position on the ground in plant widths, and relative height."""

_METERS: dict[str, Any] = {"subtype": "DISTANCE", "high": 1e5}

SOCKETS = (
    Socket("Geometry", None, "The shells", kind="NodeSocketGeometry", output=True),
    Socket("Terrain", None, "Terrain under the plants", kind="NodeSocketObject"),
    Socket("Shells", 32, "Number of shells in renders: more show finer forms", low=1, high=256),
    Socket("Viewport Shells", 8, "Number of shells in the viewport", low=1, high=256),
    Socket("Height", 5.0, "Height of the tallest plants in meters", **_METERS),
    Socket("Width", 4.0, "Width of a plant in meters", low=0.001, **_METERS),
    Socket("Least Density", 0.1, "Ground with a lower density of plants has no shells", "FACTOR"),
    Socket("Material", None, "Material of the plants", kind="NodeSocketMaterial"),
)


def _vector(name: str, operation: str, *operands: Any, **more: Any) -> Node:
    return Node(name, "VectorMath", {**dict(enumerate(operands)), **more}, {"operation": operation})


def _read(name: str) -> Node:
    return Node(
        name, "GeometryNodeInputNamedAttribute", {"Name": Text(name)}, {"data_type": "FLOAT"}
    )


def _store(
    name: str, geometry: str, value: str, data_type: str = "FLOAT", domain: str = "POINT"
) -> Node:
    inputs = {"Geometry": geometry, "Name": Text(name), "Value": value}
    return Node(
        f"store {name}",
        "GeometryNodeStoreNamedAttribute",
        inputs,
        {"data_type": data_type, "domain": domain},
    )


def _remove(start: str, geometry: str) -> Node:
    """Node that removes the attributes with a given initial; captured attributes have no name."""
    name = f"without {start}"
    inputs = {"Geometry": geometry, "Name": Text(f"{start}*")}
    if bpy.app.version < (5, 0, 0):
        return Node(name, "GeometryNodeRemoveAttribute", inputs, {"pattern_mode": "WILDCARD"})
    return Node(name, "GeometryNodeRemoveAttribute", inputs | {"Pattern Mode": Text("Wildcard")})


_STARTS = sorted({name[0] for name in FIELDS} | {"U"})
"""Initials of fields and UV maps. (The pattern * alone would try to remove the position.)"""

NODES = (
    # The ground where plants grow, in our own axes, which differ from the terrain's once its scale
    # is applied.
    Node(
        "terrain",
        "GeometryNodeObjectInfo",
        {"Object": "in.Terrain"},
        {"transform_space": "RELATIVE"},
    ),
    Node("self", "GeometryNodeSelfObject"),
    Node(
        "axes",
        "GeometryNodeObjectInfo",
        {"Object": "self.Self Object"},
        {"transform_space": "ORIGINAL"},
    ),
    _read(DENSITY),
    _read("moisture"),
    Node(
        "bare",
        "FunctionNodeCompare",
        {"A": f"{DENSITY}.Attribute", "B": "in.Least Density"},
        {"data_type": "FLOAT", "operation": "LESS_EQUAL"},
    ),
    Node(
        "ground",
        "GeometryNodeDeleteGeometry",
        {"Geometry": "terrain.Geometry", "Selection": "bare.Result"},
        {"domain": "FACE"},
    ),
    # Where a plant stands and which way it grows, in meters, whatever the object's scale.
    Node("position", "GeometryNodeInputPosition"),
    Node("normal", "GeometryNodeInputNormal"),
    _vector("meters", "MULTIPLY", "position.Position", "axes.Scale"),
    _vector("root", "DIVIDE", "meters.Vector", "in.Width"),
    _vector("steep", "DIVIDE", "normal.Normal", "axes.Scale"),
    _vector("up", "NORMALIZE", "steep.Vector"),
    _vector("tallest", "SCALE", "up.Vector", Scale="in.Height"),
    _vector("tall", "SCALE", "tallest.Vector", Scale=f"{DENSITY}.Attribute"),
    _vector("top", "DIVIDE", "tall.Vector", "axes.Scale"),
    # Only attributes that the material needs, because every shell has a copy.
    Node(
        "kept",
        "GeometryNodeCaptureAttribute",
        {
            "Geometry": "ground.Geometry",
            "top": "top.Vector",
            "root": "root.Vector",
            "density": f"{DENSITY}.Attribute",
            "moisture": "moisture.Attribute",
        },
        {
            "capture_items": [
                ("VECTOR", "top"),
                ("VECTOR", "root"),
                ("FLOAT", "density"),
                ("FLOAT", "moisture"),
            ]
        },
    ),
    *(
        _remove(at, f"without {before}.Geometry" if before else "kept.Geometry")
        for before, at in zip(["", *_STARTS], _STARTS, strict=False)
    ),
    # One copy a shell, each raised by its share of the height.
    Node("viewport", "GeometryNodeIsViewport"),
    Node(
        "count",
        "GeometryNodeSwitch",
        {"Switch": "viewport.Is Viewport", "False": "in.Shells", "True": "in.Viewport Shells"},
        {"input_type": "INT"},
    ),
    Node("line", "GeometryNodeMeshLine", {"Count": "count.Output", "Offset": (0.0, 0.0, 0.0)}),
    Node(
        "copies",
        "GeometryNodeInstanceOnPoints",
        {"Points": "line.Mesh", "Instance": f"without {_STARTS[-1]}.Geometry"},
    ),
    Node("index", "GeometryNodeInputIndex"),
    math_node("number", "ADD", "index.Index", 1.0),
    math_node("share", "DIVIDE", "number.Value", "count.Output"),
    _store(SHELL, "copies.Instances", "share.Value", domain="INSTANCE"),
    Node("shells", "GeometryNodeRealizeInstances", {"Geometry": f"store {SHELL}.Geometry"}),
    _read(SHELL),
    _vector("offset", "SCALE", "kept.top", Scale=f"{SHELL}.Attribute"),
    Node(
        "raised",
        "GeometryNodeSetPosition",
        {"Geometry": "shells.Geometry", "Offset": "offset.Vector"},
    ),
    _store(ROOT, "raised.Geometry", "kept.root", "FLOAT_VECTOR"),
    _store(DENSITY, f"store {ROOT}.Geometry", "kept.density"),
    _store("moisture", f"store {DENSITY}.Geometry", "kept.moisture"),
    Node(
        "plants",
        "GeometryNodeSetMaterial",
        {"Geometry": "store moisture.Geometry", "Material": "in.Material"},
    ),
    Node("out", "NodeGroupOutput", {"Geometry": "plants.Geometry"}),
)
