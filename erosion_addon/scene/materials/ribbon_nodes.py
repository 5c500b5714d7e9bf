# SPDX-License-Identifier: GPL-3.0-or-later
"""Table of the Geometry Nodes group that makes ribbons of water along the centerlines of rivers."""

import bpy

from .node_trees import nodes
from .node_trees.table import Node, Socket, Text, math_node, scaled

GROUP = "River Ribbons"
VERSION = 1

RADIUS, DEPTH, DISTANCE, LEFT, RIGHT = "radius", "depth", "distance", "bank_left", "bank_right"
"""Attributes of the points: half the width in the object's own units, depth and distance to the
mouth in meters, and height of the edges above the middle, in the object's own units.
"""

HALF_WIDTH, UV = "half_width", "UVMap"
"""Attributes of the ribbons: half their width in the object's own units; the UV map."""

SOCKETS = (
    Socket("Geometry", None, "The ribbons", kind="NodeSocketGeometry", output=True),
    Socket("Geometry", None, "Centerlines, downstream", kind="NodeSocketGeometry"),
    Socket("Meters", 1.0, "Meters in one of the object's own units", low=0.0, high=1e9),
    Socket("Upside Down", False, "The object is mirrored from top to bottom"),
)


def _read(name: str, data_type: str = "FLOAT") -> Node:
    return Node(
        name, "GeometryNodeInputNamedAttribute", {"Name": Text(name)}, {"data_type": data_type}
    )


def _store(
    node: str, geometry: str, name: str, value: str, data_type: str = "FLOAT", domain: str = "POINT"
) -> Node:
    return Node(
        node,
        "GeometryNodeStoreNamedAttribute",
        {"Geometry": geometry, "Name": Text(name), "Value": value},
        {"data_type": data_type, "domain": domain},
    )


def _vector(name: str, operation: str, first: object, second: object) -> Node:
    return Node(name, "VectorMath", {0: first, 1: second}, {"operation": operation})


NODES = (
    # The profile carries its place across, from 1 at the left edge to -1 at the right.
    Node(
        "line",
        "GeometryNodeCurvePrimitiveLine",
        {"Start": (1.0, 0.0, 0.0), "End": (-1.0, 0.0, 0.0)},
    ),
    Node("profile", "GeometryNodeResampleCurve", {"Curve": "line.Curve", "Count": 5}),
    Node("place", "GeometryNodeInputPosition"),
    Node("parts", "SeparateXYZ", {0: "place.Position"}),
    _store("marked", "profile.Curve", "across", "parts.X"),
    Node("tangent", "GeometryNodeInputTangent"),
    _store("directed", "in.Geometry", "flow_direction", "tangent.Tangent", "FLOAT_VECTOR"),
    Node(RADIUS, "GeometryNodeInputRadius"),  # not transferred to the mesh otherwise
    _store("wide", "directed.Geometry", HALF_WIDTH, f"{RADIUS}.Radius"),
    # All vertices of a row begin in the middle, as a profile turns with its curve.
    Node(
        "rows",
        "GeometryNodeCurveToMesh",
        {"Curve": "wide.Geometry", "Profile Curve": "marked.Geometry", "Scale": 0},
    ),
    _read("flow_direction", "FLOAT_VECTOR"),
    _read("across"),
    _read(HALF_WIDTH),
    _read(LEFT),
    _read(RIGHT),
    _read(DEPTH),
    _read(DISTANCE),
    _vector("left", "CROSS_PRODUCT", (0.0, 0.0, 1.0), "flow_direction.Attribute"),
    Node("side", "VectorMath", {0: "left.Vector"}, {"operation": "NORMALIZE"}),
    math_node("off", "MULTIPLY", "across.Attribute", f"{HALF_WIDTH}.Attribute"),
    scaled("moved", "side.Vector", "off.Value"),
    math_node("is left", "GREATER_THAN", "across.Attribute", 0.75),
    math_node("is right", "LESS_THAN", "across.Attribute", -0.75),
    math_node("up left", "MULTIPLY", "is left.Value", f"{LEFT}.Attribute"),
    math_node("up", "MULTIPLY_ADD", "is right.Value", f"{RIGHT}.Attribute", "up left.Value"),
    Node("risen", "CombineXYZ", {2: "up.Value"}),
    _vector("offset", "ADD", "moved.Vector", "risen.Vector"),
    Node("ribbon", "GeometryNodeSetPosition", {"Geometry": "rows.Mesh", "Offset": "offset.Vector"}),
    # Depth is 0 at both edges; U runs across from 0 to 1 and V is the distance to the mouth in
    # meters.
    math_node("square", "MULTIPLY", "across.Attribute", "across.Attribute"),
    math_node("hollow", "SUBTRACT", 1.0, "square.Value"),
    math_node("deep", "MULTIPLY", "hollow.Value", f"{DEPTH}.Attribute"),
    _store("with depth", "ribbon.Geometry", "water_depth", "deep.Value"),
    math_node("half across", "MULTIPLY_ADD", "across.Attribute", -0.5, 0.5),
    Node("uv", "CombineXYZ", {0: "half across.Value", 1: f"{DISTANCE}.Attribute"}),
    _store("mapped", "with depth.Geometry", UV, "uv.Vector", "FLOAT2", "CORNER"),
    math_node("meters across", "MULTIPLY", "off.Value", "in.Meters"),
    _store("measured", "mapped.Geometry", "across", "meters across.Value"),
    Node(
        "flipped",
        "GeometryNodeFlipFaces",
        {"Mesh": "measured.Geometry", "Selection": "in.Upside Down"},
    ),
    Node("smooth", "GeometryNodeSetShadeSmooth", {0: "flipped.Mesh"}),
    Node("out", "NodeGroupOutput", {"Geometry": "smooth"}),
)


def ribbon_group() -> bpy.types.NodeTree:
    """Geometry Nodes group "River Ribbons": the existing one, updated if older, or a new one."""
    return nodes.node_group(GROUP, VERSION, SOCKETS, NODES, "GeometryNodeTree")
