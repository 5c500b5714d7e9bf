# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender properties from the declarations of parameters, and the numbers that stand behind them."""

from typing import Any

import bpy
import numpy as np

from ..model.parameters import Specification


def label(name: str) -> str:
    """A name of the code as people read it."""
    return name.replace("_", " ").capitalize()


def property_of(specification: Specification) -> Any:
    """A Blender property with the default, range, unit and sentence of a declared parameter."""
    seed_name = f" ({specification.seed_name} in the source)" if specification.seed_name else ""
    unit = f" Unit: {specification.unit}." if specification.unit else ""
    shared: dict[str, Any] = {
        "name": label(specification.name),
        "description": f"{specification.sentence.rstrip('.')}{seed_name}.{unit}".rstrip("."),
        "default": specification.default,
    }
    if specification.choices:
        items = [(choice, label(choice), "") for choice in specification.choices]
        return bpy.props.EnumProperty(items=items, **shared)
    if isinstance(specification.default, bool):
        return bpy.props.BoolProperty(**shared)
    if isinstance(specification.default, int):
        return bpy.props.IntProperty(min=int(specification.low), max=int(specification.high), **shared)
    return bpy.props.FloatProperty(min=specification.low, max=specification.high, precision=3, **shared)


def meant(value: Any, loaded: Any) -> Any:
    """The number that stands behind a property. Blender keeps float32, so 0.001 comes back as 0.0010000000475: what is
    still the recipe's is taken from there, and of what was typed seven digits; so a run here gives the same terrain as
    one on the command line."""
    if not isinstance(value, float):
        return value
    return loaded if loaded is not None and np.float32(loaded) == np.float32(value) else float(f"{value:.7g}")
