# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender properties generated from parameter declarations."""

import math
from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

from ...base.parameters import Specification

CONTEXT = "Erosion"
"""Translation context of parameter names, as Edges, Capacity or Creep mean something else in
Blender.
"""

SHOWN = {"m": "LENGTH", "m/s": "VELOCITY", "m/s²": "ACCELERATION"}
"""Units that Blender displays itself; stored values do not change."""

SWITCH = "_auto"
"""Suffix of the switch for the value 0."""

NAMED = {"°", "s", "h", "mm/h", "m/h", "years", "mm/year", "mm/day", "m²/year", "m²", "km²", "m³"}
"""Units that are part of the setting's name instead. Angles are among them, as Blender stores its
own in radians.
"""


def label(name: str) -> str:
    """Display name of an identifier: Drops per Cell."""
    words = name.replace("_", " ").split(" ")
    return " ".join(word if word in ("per", "of") else word.capitalize() for word in words)


def length(name: str, description: str, **options: Any) -> Any:
    """Property of a length in meters. options: those of FloatProperty."""
    return bpy.props.FloatProperty(
        name=name, description=description, precision=5, unit="LENGTH", **options
    )


def shade_height(name: str, description: str, default: float = 0.0) -> Any:
    """Property of the height of black or white in an image, in meters."""
    return length(name, description, default=default, soft_min=-1000.0, soft_max=9000.0, step=100)


def property_of(specification: Specification, **accessors: Any) -> Any:
    """Blender property with the default, range, unit and tooltip of a declared parameter.

    accessors: `get` and `set`, with the options that they need.
    """
    seed_name = f" ({specification.seed_name} in the source)" if specification.seed_name else ""
    unit = f" Unit: {specification.unit}." if specification.unit else ""
    needs = ""
    if specification.needs:
        needs = f" {specification.needs_text}".replace(*_as_labeled(specification))
    named = f" ({specification.unit})" if specification.unit in NAMED else ""
    shared: dict[str, Any] = {
        "name": label(specification.name) + named,
        "description": f"{specification.sentence.rstrip('.')}{seed_name}.{unit}{needs}".rstrip("."),
        "default": specification.default,
        "translation_context": CONTEXT,
        **accessors,
    }
    if specification.choices:
        items = [
            (choice, label(choice), meaning) for choice, meaning in specification.choices.items()
        ]
        return bpy.props.EnumProperty(items=items, **shared)
    if isinstance(specification.default, bool):
        return bpy.props.BoolProperty(**shared)
    if specification.is_file:
        beside = {"ANIMATABLE", "PATH_SUPPORTS_BLEND_RELATIVE"}
        return bpy.props.StringProperty(subtype="FILE_PATH", options=beside, **shared)
    shared |= {"min": specification.low, "max": specification.high}
    soft_low, soft_high = specification.soft_range
    if isinstance(specification.default, int):
        shared |= {"min": int(specification.low), "max": int(specification.high)}
        return bpy.props.IntProperty(soft_min=int(soft_low), soft_max=int(soft_high), **shared)
    return bpy.props.FloatProperty(
        soft_min=soft_low, soft_max=soft_high, **_drawn(specification), **shared
    )


def properties_of(specifications: Iterable[Specification]) -> dict[str, Any]:
    """Properties of declared parameters by name: values, and switches for a 0 with a label."""
    properties = {}
    for declaration in specifications:
        properties[declaration.name] = property_of(declaration)
        if declaration.zero:
            properties |= switch(
                declaration.name, declaration.zero, type(declaration.default)(declaration.usual)
            )
    return properties


def switch(name: str, word: str, usual: Any) -> dict[str, Any]:
    """Switch that is on while the property `name` is 0. usual: value of the property when it is
    switched off.
    """

    def get(owner: Any) -> bool:
        return not np.any(getattr(owner, name))

    def choose(owner: Any, on: bool) -> None:
        if on != get(owner):
            setattr(owner, name, np.multiply(usual, 0).tolist() if on else usual)

    prop = bpy.props.BoolProperty(
        name=word,
        get=get,
        set=choose,
        options={"SKIP_SAVE"},
        translation_context=CONTEXT,
        description=f"{word} in place of a value; 0 in scripts",
    )
    return {f"{name}{SWITCH}": prop}


def draw_values(layout: bpy.types.UILayout, owner: Any, names: Iterable[str]) -> None:
    """Draw the properties of an operator with their names."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    for name in names:
        draw_value(layout, owner, name)


def draw_value(layout: bpy.types.UILayout, owner: Any, name: str, text: str | None = None) -> None:
    """Draw a property in its own row, with its label in place of a labeled 0."""
    switch_name = f"{name}{SWITCH}"
    if not hasattr(owner, switch_name):
        layout.prop(owner, name, text=text)
    elif getattr(owner, switch_name):
        row = layout.row(heading=label(name) if text is None else "", heading_ctxt=CONTEXT)
        row.use_property_split = text is None  # else it would take half of the width only
        row.prop(owner, switch_name, toggle=True)
    else:
        row = layout.row(align=True)
        row.prop(owner, name, text=text)
        row.prop(owner, switch_name, text="", icon="X")


def _as_labeled(specification: Specification) -> tuple[str, str]:
    """Required parameter, by its identifier and its display name."""
    return specification.needs[0], label(specification.needs[0])


def _drawn(specification: Specification) -> dict[str, Any]:
    """Display options of a number: unit, slider for shares, step."""
    low, high = specification.soft_range
    exponent = math.floor(round(math.log10(specification.step or (high - low) / 50), 9))
    drawn: dict[str, Any] = {
        "step": 100 * (specification.step or 10.0**exponent),  # Blender counts hundredths
        "precision": min(max(1 - exponent, 1), 6),
    }
    if specification.unit in SHOWN:
        # with a unit Blender counts digits, not decimals
        drawn |= {"unit": SHOWN[specification.unit], "precision": 5}
    elif low == 0 and high == specification.high <= 1 and specification.step is None:
        drawn["subtype"] = "FACTOR"
    return drawn


def exact(value: Any, loaded: Any) -> Any:
    """Exact value of a property: undoes Blender's rounding to float32.

    The recipe's value if unchanged, else 7 significant digits (0.001, not 0.0010000000475). So a
    run gives the same terrain here and on the command line.
    """
    if not isinstance(value, float):
        return value
    if loaded is not None and np.float32(loaded) == np.float32(value):
        return loaded
    return float(f"{value:.7g}")
