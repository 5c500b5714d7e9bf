# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry takes the place of an older one."""

import numpy as np

from erosion_addon.scene.terrain.attribute_values import Values
from erosion_addon.scene.terrain.mesh import NO_FACES, Geometry

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)
SQUARE = Geometry.of(
    CORNERS, np.array([(0, 1, 2, 3)]), True, {"width": Values.of_vertices(np.arange(4.0))}
)


def test_a_square_takes_the_place_of_hills_and_keeps_what_is_the_users(make_hills):
    mesh = make_hills().data
    mesh["mine"] = 3
    SQUARE.put_into(mesh)
    assert not mesh.validate() and mesh["mine"] == 3
    assert [tuple(vertex.co) for vertex in mesh.vertices] == [tuple(corner) for corner in CORNERS]
    assert mesh.polygons[0].normal.z == 1 and len(mesh.edges) == 4
    assert [value.value for value in mesh.attributes["width"].data] == [0, 1, 2, 3]
    Geometry.of(CORNERS, NO_FACES, True, {}).put_into(mesh)
    assert (len(mesh.vertices), len(mesh.edges), len(mesh.polygons)) == (
        4,
        0,
        0,
    ) and "width" not in mesh.attributes
