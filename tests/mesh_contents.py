# SPDX-License-Identifier: GPL-3.0-or-later
"""Contents of a mesh, for tests that compare them before and after."""

import numpy as np

_MEMBERS = {
    "FLOAT": ("value", np.float32, 1),
    "INT": ("value", np.int32, 1),
    "INT8": ("value", np.int32, 1),
    "BOOLEAN": ("value", np.bool_, 1),
    "FLOAT2": ("vector", np.float32, 2),
    "FLOAT_VECTOR": ("vector", np.float32, 3),
    "INT32_2D": ("value", np.int32, 2),
    "FLOAT_COLOR": ("color", np.float32, 4),
    "BYTE_COLOR": ("color", np.float32, 4),
}


def everything(mesh):
    """All that a mesh holds, as bytes by name, to compare before and after."""
    held = {}
    for attribute in mesh.attributes:
        member, dtype, count = _MEMBERS[attribute.data_type]
        values = np.empty(len(attribute.data) * count, dtype)
        if len(values):
            attribute.data.foreach_get(member, values)
        held[attribute.name, attribute.data_type, attribute.domain] = values.tobytes()
    held["counts"] = (len(mesh.vertices), len(mesh.edges), len(mesh.loops), len(mesh.polygons))
    held["materials"] = [material.name for material in mesh.materials]
    held["groups"] = [
        tuple((entry.group, entry.weight) for entry in vertex.groups) for vertex in mesh.vertices
    ]
    held["properties"] = {key: str(mesh[key]) for key in mesh.keys()}  # noqa: SIM118 - a mesh is no dict
    active = mesh.attributes.active
    held["active"] = (
        active.name if active else "",
        mesh.color_attributes.active_color_name,
        mesh.color_attributes.default_color_name,
        mesh.uv_layers.active.name if mesh.uv_layers.active else "",
    )
    return held
