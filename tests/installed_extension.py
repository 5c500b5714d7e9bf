# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by test_package.py in a Python without numba: install the zip that argv names, erode, print what was seen.

The last line of standard output is a JSON object. BLENDER_USER_RESOURCES names an empty profile.
"""

import importlib.util
import json
import sys

import bpy
import numpy as np

MODULE = "bl_ext.user_default.terrain_erosion"


def numba_file():
    found = importlib.util.find_spec("numba")
    return found and found.origin


def positions(mesh):
    """(vertices, 3) float32."""
    values = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.attributes["position"].data.foreach_get("vector", values)
    return values.reshape(-1, 3)


seen = {"numba_before": numba_file()}
bpy.ops.extensions.package_install_files(filepath=sys.argv[1], repo="user_default", enable_on_install=False)
bpy.ops.preferences.addon_enable(module=MODULE)
assert MODULE in bpy.context.preferences.addons, "the extension was refused"
seen["eager"] = [name for name in ("numba", "llvmlite") if name in sys.modules]
seen["numba_after"] = numba_file()

bpy.ops.mesh.primitive_grid_add(x_subdivisions=40, y_subdivisions=24, size=400.0)
terrain = bpy.context.object
before = positions(terrain.data)
before[:, 2] = 20.0 * np.sin(before[:, 0] / 40.0) * np.cos(before[:, 1] / 60.0) + 0.1 * before[:, 0]
terrain.data.attributes["position"].data.foreach_set("vector", before.ravel())
terrain.data.update()

bpy.ops.erosion.recipe_load(name="arcane")
terrain.erosion.steps[0].droplet.drops_per_cell = 1.0
seen["operator"] = sorted(bpy.ops.erosion.run("EXEC_DEFAULT"))
seen["largest_change"] = float(abs(positions(terrain.data) - before).max())
seen["attributes"] = [attribute.name for attribute in terrain.data.attributes]
bpy.ops.erosion.restore()
seen["same_after_restore"] = positions(terrain.data).tobytes() == before.tobytes()
print(json.dumps(seen))
