# SPDX-License-Identifier: GPL-3.0-or-later
"""Node layout: columns from left to right by dependence, each part of the tree in a frame."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import bpy

GAP, FRAME_GAP = 60.0, 120.0
"""Gaps between columns and between parts, in Blender's units of the node editor."""

_COLLAPSED, _HEAD, _ROW = 40.0, 110.0, 22.0
"""Heights of a collapsed node, of a node without its sockets, and of a socket."""


def arrange(
    tree: bpy.types.NodeTree,
    built: Mapping[str, Any],
    parts: Mapping[str, Sequence[Any]],
    sources: dict[str, list[str]],
) -> None:
    """Place nodes.

    built: nodes by table name; "in" is the group's input. parts: names of nodes by title. sources:
    inputs of each node.
    """
    left = built["in"].width + GAP if "in" in built else 0.0
    places = {}
    for part in parts.values():
        for column in _columns([node.name for node in part], sources):
            top = 0.0
            for name in column:
                places[built[name].name] = (left, top)
                top -= height(built[name])
            left += max(built[name].width for name in column) + GAP
        left += FRAME_GAP
    # All at once: Blender updates the whole tree after each moved node.
    tree.nodes.foreach_set(
        "location", [part for node in tree.nodes for part in places.get(node.name, node.location)]
    )
    for title, part in parts.items():
        if title:
            frame = tree.nodes.new("NodeFrame")
            frame.name = frame.label = title
            for node in part:
                built[node.name].parent = frame


def height(node: bpy.types.Node) -> float:
    """Approximate height of a node; Blender knows it only after drawing."""
    if node.hide:
        return _COLLAPSED
    sockets = [*(s for s in node.inputs if s.enabled), *(s for s in node.outputs if s.enabled)]
    return _HEAD + _ROW * len(sockets)


def _columns(names: Sequence[str], sources: dict[str, list[str]]) -> list[list[str]]:
    """Names by column: each node lies to the right of its inputs."""

    @cache
    def column(name: str) -> int:
        return 1 + max((column(source) for source in sources[name] if source in names), default=-1)

    placed: dict[int, list[str]] = {}
    for name in names:
        placed.setdefault(column(name), []).append(name)
    return [placed[at] for at in sorted(placed)]
