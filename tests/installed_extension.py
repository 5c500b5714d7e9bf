# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by test_package.py in a Python without numba: install the zip that argv names, use it, and
remove it again.

The last line of standard output is a JSON object of what was seen. BLENDER_USER_RESOURCES names an
empty profile.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path

import bpy
import numpy as np

MODULE = "bl_ext.user_default.terrain_erosion"
EXTENSIONS = Path(os.environ["BLENDER_USER_RESOURCES"], "extensions")


def numba_file():
    found = importlib.util.find_spec("numba")
    return found and found.origin


def positions(mesh):
    """(vertices, 3) float32."""
    values = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.attributes["position"].data.foreach_get("vector", values)
    return values.reshape(-1, 3)


def processes():
    """Processes that this one has started, where the system tells."""
    tasks = Path("/proc/self/task").glob("*/children")
    return [child for task in tasks for child in task.read_text().split()]


def registered():
    """All of Blender's lists that the extension adds to, by name with what it has added."""
    handlers = (getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers))
    functions = (one for handler in handlers if isinstance(handler, list) for one in handler)
    names = bpy.types.Object.bl_rna.properties.keys()
    return {
        "classes": [name for name in dir(bpy.types) if name.startswith("EROSION_")],
        "operators": dir(bpy.ops.erosion),
        "properties": [name for name in names if "erosion" in name],
        "handlers": [one.__name__ for one in functions if "terrain_erosion" in one.__module__],
    }


def files(folder):
    """Paths of the files below a folder of the profile, which is where the extension's things may
    lie.
    """
    found = (path for path in (EXTENSIONS / folder).rglob("*") if path.is_file())
    return sorted(path.relative_to(EXTENSIONS).as_posix() for path in found)


def compiled():
    """Files of machine code, with what they hold."""
    found = (path for path in (EXTENSIONS / ".user").rglob("*") if path.is_file())
    return {
        path.relative_to(EXTENSIONS).as_posix(): path.read_bytes()
        for path in found
        if path.suffix == ".nbc"
    }


def use_kernels():
    """Run, bake light and make levels of detail."""
    bpy.ops.erosion.run("EXEC_DEFAULT")
    bpy.ops.erosion.light_bake()
    bpy.ops.erosion.lod_add()


def enable():
    bpy.ops.preferences.addon_enable(module=MODULE)
    assert MODULE in bpy.context.preferences.addons, "the extension was refused"


seen = {"numba_before": numba_file(), "registered_before": registered()}
bpy.ops.extensions.package_install_files(
    filepath=sys.argv[1], repo="user_default", enable_on_install=False
)
enable()
seen["eager"] = [name for name in ("numba", "llvmlite") if name in sys.modules]
seen["numba_after"] = numba_file()
seen["processes_when_enabled"] = processes()

bpy.ops.mesh.primitive_grid_add(x_subdivisions=40, y_subdivisions=24, size=400.0)
terrain = bpy.context.object
before = positions(terrain.data)
before[:, 2] = 20.0 * np.sin(before[:, 0] / 40.0) * np.cos(before[:, 1] / 60.0) + 0.1 * before[:, 0]
terrain.data.attributes["position"].data.foreach_set("vector", before.ravel())
terrain.data.update()

preferences = bpy.context.preferences.addons[MODULE].preferences
seen["preferences"] = {
    name: getattr(preferences, name)
    for name in ("threads", "live_preview", "keep_worker", "warm_up", "kernel_folder")
}
bpy.ops.erosion.recipe_load(name="arcane")
terrain.erosion.steps[0].droplet.drops_per_cell = 1.0
seen["operator"] = sorted(bpy.ops.erosion.run("EXEC_DEFAULT"))
seen["largest_change"] = float(abs(positions(terrain.data) - before).max())
seen["attributes"] = [attribute.name for attribute in terrain.data.attributes]
seen["reports"] = [json.loads(terrain.erosion.report)]
preferences.threads = 1
bpy.ops.erosion.run("EXEC_DEFAULT")
seen["reports"].append(json.loads(terrain.erosion.report))
bpy.ops.erosion.restore()
seen["same_after_restore"] = positions(terrain.data).tobytes() == before.tobytes()

use_kernels()
before = compiled()
seen["compiled"] = sorted(before)
seen["compiled_anew"] = []
for _ in range(2):
    bpy.ops.erosion.worker_restart()
    use_kernels()
    seen["compiled_anew"] += sorted(name for name, _ in before.items() ^ compiled().items())
seen["in_blenders_process"] = [name for name in ("numba", "llvmlite") if name in sys.modules]
bpy.ops.erosion.kernels_clear()
seen["compiled_after_clear"] = sorted(compiled())
bpy.ops.erosion.worker_restart()
seen["processes_of_a_worker"] = processes()
preferences.keep_worker = False
seen["processes_without_it"] = processes()

for _ in range(3):
    bpy.ops.preferences.addon_disable(module=MODULE)
    seen["registered_after"] = registered()
    seen["processes_after"] = processes()
    enable()
index = next(
    i
    for i, repo in enumerate(bpy.context.preferences.extensions.repos)
    if repo.module == "user_default"
)
bpy.ops.extensions.package_uninstall(repo_index=index, pkg_id="terrain_erosion")
seen["registered_at_the_end"] = registered()
seen["numba_at_the_end"] = numba_file()
seen["files_at_the_end"] = [
    name for name in files("") if "erosion" in name or "numba" in name or "llvmlite" in name
]
print(json.dumps(seen))
sys.stdout.flush()
os._exit(0)  # Blender 4.5 as a Python module may hang at its end, see conftest.py
