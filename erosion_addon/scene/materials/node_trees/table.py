# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of sockets and nodes, and the most frequent nodes."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

EXISTS = "exists"
"""Socket channel: 1 if the object's mesh has the attribute, else 0."""

OF_OBJECT, VECTOR_OF_OBJECT = "object", "vector of object"
"""Socket channels that read a custom property of the object or its mesh, a number or three; 0 if it
is missing.
"""

OF_INSTANCE = "instance"
"""Socket channel that reads a color of the instance, not of its mesh."""


class Socket(NamedTuple):
    """One input or output of a group.

    kind: socket type; by default that of the `default`: a number, or three for a color. low, high,
    subtype: of numbers. attribute: mesh attribute that feeds the input in a material. channel: its
    output: Fac, Color, Vector, Alpha, or EXISTS (a missing attribute reads 0); or one of the object
    or instance channels.
    """

    name: str
    default: Any
    sentence: str
    subtype: str = "NONE"
    low: float = 0.0
    high: float = 1.0
    panel: str = ""
    attribute: str = ""
    channel: str = "Fac"
    kind: str = ""
    output: bool = False


class Text(str):
    """Text value of an input, as opposed to a link."""


class Node(NamedTuple):
    """A node.

    inputs: values, or links written "node.output" ("in" is the group's input, "node" alone its
    first enabled output). settings: its properties, "part.property" for nested ones, or a list of
    items to add to a collection. type: Blender's, "ShaderNode" may be omitted.
    """

    name: str
    type: str
    inputs: Mapping[Any, Any] = MappingProxyType({})
    settings: Mapping[str, Any] = MappingProxyType({})


Table = Sequence[Node] | Mapping[str, Sequence[Node]]
"""Nodes; or parts of a tree by title, each with a frame except the untitled one."""


def math_node(name: str, operation: str, *operands: Any) -> Node:
    """Math node with up to three inputs; output Value."""
    return Node(name, "Math", dict(enumerate(operands)), {"operation": operation})


def mix(name: str, factor: Any, a: Any, b: Any, blend: str = "MIX") -> Node:
    """Mix node of two colors; output Result."""
    return Node(
        name, "Mix", {"Factor": factor, "A": a, "B": b}, {"data_type": "RGBA", "blend_type": blend}
    )


def ramp(name: str, value: str, low: Any, high: Any, result: tuple[Any, Any] = (0.0, 1.0)) -> Node:
    """Smoothstep of `value` from `low` to `high`, between two results; output Result."""
    inputs = {
        "Value": value,
        "From Min": low,
        "From Max": high,
        "To Min": result[0],
        "To Max": result[1],
    }
    return Node(name, "MapRange", inputs, {"interpolation_type": "SMOOTHSTEP"})


def noise(name: str, place: str, detail: float, roughness: float = 0.66) -> Node:
    """Fractal noise, mostly within 0.35-0.65; outputs Fac and Color."""
    return Node(
        name, "TexNoise", {"Vector": place, "Scale": 1.0, "Detail": detail, "Roughness": roughness}
    )


def scaled(name: str, vector: str, scale: object) -> Node:
    """A vector times a number; output Vector."""
    return Node(name, "VectorMath", {0: vector, "Scale": scale}, {"operation": "SCALE"})


def times(name: str, vector: str, factor: object) -> Node:
    """A vector times another, component by component; output Vector."""
    return Node(name, "VectorMath", {0: vector, 1: factor}, {"operation": "MULTIPLY"})


def centered(name: str, color: str) -> Node:
    """A noise's color as a direction, around 0; output Vector."""
    return Node(name, "VectorMath", {0: color, 1: (0.5, 0.5, 0.5)}, {"operation": "SUBTRACT"})
