# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the Geometry Nodes group that plays frames: sockets and nodes.

Blender reads the images itself, so that the file plays without the extension.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import bpy

from ...terrain.fields import FIELDS
from ..materials.node_trees.table import Node, Socket, Text, math_node

MOST = 1e6
"""Bound on frame numbers."""


def sockets(last: int, meters: float) -> tuple[Socket, ...]:
    """Inputs and outputs for frames 0 to `last`. meters: of a unit of the terrain's local z."""
    return (
        Socket(
            "Geometry", None, "The terrain at the frame", kind="NodeSocketGeometry", output=True
        ),
        Socket("Geometry", None, "The terrain", kind="NodeSocketGeometry"),
        Socket("Start", 1.0, "Scene frame at which playback begins", low=-MOST, high=MOST),
        Socket(
            "Speed",
            1.0,
            "Kept frames per scene frame. At 0 only Frame counts",
            low=-1000,
            high=1000,
        ),
        Socket(
            "Frame",
            0.0,
            "First kept frame. Animate it, with a speed of 0, for a custom pace",
            high=last,
        ),
        Socket("Blend", True, "Blend between two kept frames"),
        Socket(
            "Meters",
            meters,
            "Meters of a unit along the terrain's own Z axis",
            low=-MOST,
            high=MOST,
        ),
    )


def nodes(
    images: Mapping[str, bpy.types.Image], fields: Iterable[str], last: int
) -> dict[str, list[Node]]:
    """Nodes that show the heights and fields of the frames 0 to `last`. images: by map name."""
    table = {"When": _when(last), "Where: the pixel of a vertex": _where(images["elevation"])}
    heights = "elevation.Result"
    table["Heights"] = [
        *_sample("elevation", images["elevation"]),
        math_node("height", "DIVIDE", heights, "in.Meters"),
        Node("apart", "SeparateXYZ", {"Vector": "position.Position"}),
        Node("place", "CombineXYZ", {"X": "apart.X", "Y": "apart.Y", "Z": "height.Value"}),
        Node(
            "terrain",
            "GeometryNodeSetPosition",
            {"Geometry": "in.Geometry", "Position": "place.Vector"},
        ),
    ]
    geometry = "terrain.Geometry"
    for name in fields:
        table[name.replace("_", " ").title()] = _field(name, images, geometry)
        geometry = f"store {name}.Geometry"
    table[""] = [Node("out", "NodeGroupOutput", {"Geometry": geometry})]
    return table


def _when(last: int) -> list[Node]:
    """Nodes for the two frames and the share of the second: outputs "first", "second" and
    "share".
    """
    return [
        Node("time", "GeometryNodeInputSceneTime"),
        math_node("since", "SUBTRACT", "time.Frame", "in.Start"),
        math_node("played", "MULTIPLY_ADD", "since.Value", "in.Speed", "in.Frame"),
        math_node("not before", "MAXIMUM", "played.Value", 0.0),
        # a frame without a file would read 0
        math_node("now", "MINIMUM", "not before.Value", float(last)),
        math_node("first", "FLOOR", "now.Value"),
        math_node("next", "ADD", "first.Value", 1.0),
        math_node("second", "MINIMUM", "next.Value", float(last)),
        math_node("rest", "SUBTRACT", "now.Value", "first.Value"),
        math_node("share", "MULTIPLY", "rest.Value", "in.Blend"),
    ]


def _vector(name: str, operation: str, *operands: Any) -> Node:
    return Node(name, "VectorMath", dict(enumerate(operands)), {"operation": operation})


def _where(image: bpy.types.Image) -> list[Node]:
    """Nodes for the pixel center of a vertex, 0-1: output "pixel". Any vertex order, size and
    place.
    """
    return [
        Node("position", "GeometryNodeInputPosition"),
        Node("bounds", "GeometryNodeBoundBox", {"Geometry": "in.Geometry"}),
        _vector("extent", "SUBTRACT", "bounds.Max", "bounds.Min"),
        _vector("from corner", "SUBTRACT", "position.Position", "bounds.Min"),
        _vector("relative", "DIVIDE", "from corner.Vector", "extent.Vector"),
        Node("file", "GeometryNodeImageInfo", {"Image": image}),
        Node("pixels", "CombineXYZ", {"X": "file.Width", "Y": "file.Height", "Z": 1.0}),
        _vector("last pixel", "SUBTRACT", "pixels.Vector", (1.0, 1.0, 1.0)),
        _vector("exact", "MULTIPLY_ADD", "relative.Vector", "last pixel.Vector", (0.5, 0.5, 0.5)),
        _vector("whole", "FLOOR", "exact.Vector"),
        _vector("center", "ADD", "whole.Vector", (0.5, 0.5, 0.5)),
        _vector("pixel", "DIVIDE", "center.Vector", "pixels.Vector"),
    ]


def _field(name: str, images: Mapping[str, bpy.types.Image], geometry: str) -> list[Node]:
    """Nodes that store a field as the attribute of its name."""
    components = FIELDS[name].components
    parts = FIELDS[name].images
    table = [node for part in parts for node in _sample(part, images[part], color=components == 3)]
    value = f"{parts[0]}.Result"
    if components == 2:
        table.append(
            Node(
                f"both {name}", "CombineXYZ", {"X": f"{parts[0]}.Result", "Y": f"{parts[1]}.Result"}
            )
        )
        value = f"both {name}.Vector"
    data_type = {1: "FLOAT", 2: "FLOAT2", 3: "FLOAT_COLOR"}[components]
    inputs = {"Geometry": geometry, "Name": Text(name), "Value": value}
    settings = {"data_type": data_type, "domain": "POINT"}
    return [*table, Node(f"store {name}", "GeometryNodeStoreNamedAttribute", inputs, settings)]


def _sample(name: str, image: bpy.types.Image, color: bool = False) -> list[Node]:
    """Nodes that read an image sequence at "now": output Result of the node `name`."""
    table = []
    for which in ("first", "second"):
        inputs = {"Image": image, "Vector": "pixel.Vector", "Frame": f"{which}.Value"}
        settings = {"interpolation": "Closest", "extension": "EXTEND"}
        table.append(Node(f"{name}: {which}", "GeometryNodeImageTexture", inputs, settings))
        if not color:  # a color converted to a number is its rounded brightness
            table.append(
                Node(
                    f"{name}: {which} red",
                    "FunctionNodeSeparateColor",
                    {"Color": f"{name}: {which}.Color"},
                )
            )
    a, b = (
        f"{name}: {which}.Color" if color else f"{name}: {which} red.Red"
        for which in ("first", "second")
    )
    settings = {"data_type": "RGBA" if color else "FLOAT"}
    return [*table, Node(name, "Mix", {"Factor": "share.Value", "A": a, "B": b}, settings)]
