# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of drawn curves, of both of Blender's kinds."""

from typing import Any

import bpy
import numpy as np

from ...base.errors import InputError
from ..terrain import attribute_values
from ..terrain.lattice import Array

_CATMULL_ROM, _POLY, _BEZIER, _NURBS = range(4)
"""Types of hair curves by their number."""

_DETAIL = 12
"""Default number of points of a hair curve between two control points."""

_ORDER = 4
"""Default order of a NURBS hair curve."""


def lines_of(curve: bpy.types.Object) -> list[Array]:
    """Splines of a Curve or hair curves as lines (points, 3) in world space, without thickness and
    modifiers; a cyclic one ends where it begins. InputError for an object of another type.
    """
    if curve.type not in ("CURVE", "CURVES"):
        kind = curve.bl_rna.properties["type"].enum_items[curve.type].name
        raise InputError(
            "{name} has the type {kind}; draw the river as a Curve object: Add, Curve, Path."
        ).format(name=curve.name, kind=kind)
    curve.update_from_editmode()  # otherwise edits in progress are missing
    data = curve.data.copy() if curve.type == "CURVE" else _curve_of(curve.data)
    data.dimensions = "3D"
    data.bevel_depth = 0.0
    data.extrude = 0.0
    data.bevel_object = data.taper_object = None
    bare = bpy.data.objects.new("Bare Curve", data)
    try:
        mesh = bare.to_mesh()
        if mesh is None:  # of a curve without points
            return []
        local = np.empty(3 * len(mesh.vertices), np.float32)
        edges = np.empty(2 * len(mesh.edges), np.int32)
        mesh.vertices.foreach_get("co", local)
        mesh.edges.foreach_get("vertices", edges)
    finally:
        bare.to_mesh_clear()
        bpy.data.objects.remove(bare)
        bpy.data.curves.remove(data)
    matrix = np.array(curve.matrix_world, np.float64)
    world = local.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    follows = np.zeros(len(world), bool)  # whether a vertex continues the line
    pairs = edges.reshape(-1, 2)
    closing = pairs[:, 1] < pairs[:, 0]
    follows[pairs[~closing, 1]] = True
    begins = np.flatnonzero(~follows)
    rings = set(pairs[closing, 1].tolist())
    lines = np.split(world, begins[1:]) if len(world) else []
    return [
        np.concatenate([line, line[:1]]) if begin in rings else line
        for begin, line in zip(begins.tolist(), lines, strict=True)
    ]


def _curve_of(hair: Any) -> bpy.types.Curve:
    """Curve with the splines of hair curves; Catmull-Rom splines become Bézier splines of the same
    form.
    """
    result = bpy.data.curves.new(hair.name, "CURVE")
    count = len(hair.points)
    curves = len(hair.curves)
    place = np.empty((count, 3), np.float32)
    hair.position_data.foreach_get("vector", place.ravel())
    handles = [_values(hair, f"handle_{side}", place) for side in ("left", "right")]
    weights = _values(hair, "nurbs_weight", np.ones((count, 1)))
    kinds, cyclic, detail, orders, knots = (
        _values(hair, name, np.full((curves, 1), usual))[:, 0].tolist()
        for name, usual in (
            ("curve_type", _CATMULL_ROM),
            ("cyclic", 0),
            ("resolution", _DETAIL),
            ("nurbs_order", _ORDER),
            ("knots_mode", 0),
        )
    )
    for index, curve in enumerate(hair.curves):
        span = slice(curve.first_point_index, curve.first_point_index + curve.points_length)
        kind = int(kinds[index])
        points = place[span]
        spline = result.splines.new({_POLY: "POLY", _NURBS: "NURBS"}.get(kind, "BEZIER"))
        spline.use_cyclic_u = bool(cyclic[index])
        spline.resolution_u = int(max(detail[index], 1))
        if kind in (_POLY, _NURBS):
            spline.points.add(len(points) - 1)
            spline.points.foreach_set(
                "co", np.hstack([points, weights[span]]).astype(np.float32).ravel()
            )
            spline.order_u = int(orders[index])
            spline.use_endpoint_u = bool(int(knots[index]) & 1)
            spline.use_bezier_u = bool(int(knots[index]) & 2)
            continue
        if kind == _BEZIER:
            left, right = (side[span] for side in handles)
        else:
            left, right = _catmull_rom(points, bool(cyclic[index]))
        spline.bezier_points.add(len(points) - 1)
        for side in ("left", "right"):
            # free
            spline.bezier_points.foreach_set(f"handle_{side}_type", np.zeros(len(points), np.int32))
        for name, values in (("co", points), ("handle_left", left), ("handle_right", right)):
            spline.bezier_points.foreach_set(name, np.ascontiguousarray(values, np.float32).ravel())
    return result


def _values(hair: Any, name: str, usual: Array) -> Array:
    """(elements, numbers) of an attribute of hair curves; `usual` where they have none such."""
    attribute = hair.attributes.get(name)
    if (
        attribute is None
        or attribute.data_type not in attribute_values.MEMBERS
        or len(attribute.data) != len(usual)
    ):
        return usual
    values = attribute_values.read(attribute)
    return values if values.shape[1] == usual.shape[1] else usual


def _catmull_rom(points: Array, cyclic: bool) -> tuple[Array, Array]:
    """Handles of the Bézier spline that equals the Catmull-Rom spline through points (count, 3)."""
    padded = np.pad(points, ((1, 1), (0, 0)), mode="wrap" if cyclic else "edge")
    way = (padded[2:] - padded[:-2]) / 6.0
    return points - way, points + way
