# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush strokes as stored by Blender: JSON in the items of a step."""

import json
from collections.abc import Iterable
from typing import Any

import bpy

from ...base.errors import InputError
from ...processes.brush.parameters import Stroke
from ...scene.session import session
from ..base.translations import phrase


class EROSION_PG_stroke(bpy.types.PropertyGroup):
    """One stroke of the brush"""

    data: bpy.props.StringProperty(name="Stroke", description="The stroke as JSON")


def fill(item: Any, strokes: Iterable[Stroke]) -> None:
    """Replace the strokes of a step."""
    item.strokes.clear()
    for stroke in strokes:
        append(item, stroke)


def append(item: Any, stroke: Stroke) -> None:
    """Add a stroke to a step."""
    item.strokes.add().data = json.dumps(stroke.to_dict(), separators=(",", ":"))


def strokes_of(item: Any) -> tuple[Stroke, ...]:
    """Strokes of a step without damaged ones."""
    strokes = (_stroke(entry.data) for entry in item.strokes)
    return tuple(stroke for stroke in strokes if stroke is not None)


@session.cached(4096)
def _stroke(text: str) -> Stroke | None:
    try:
        return Stroke.from_dict(json.loads(text))
    except (ValueError, TypeError, AttributeError, RecursionError, InputError):
        return None


def draw(layout: bpy.types.UILayout, item: Any) -> None:
    """Draw the number of strokes."""
    count = len(item.strokes)
    if count == 0:
        layout.label(text="No strokes yet")
    elif count == 1:
        layout.label(text="1 stroke")
    else:
        layout.label(text=phrase("{count} strokes", count=count), translate=False)


CLASSES = (EROSION_PG_stroke,)
