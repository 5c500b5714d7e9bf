# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside Blender (blender --python agent.py -- SOCKET): answers the questions that window.py
asks, and keeps time.

A question is Python text that is run here on the main thread, between two turns of Blender's main
loop; the value of a last expression goes back as JSON. The functions below are its vocabulary.
"""

import ast
import hashlib
import itertools
import json
import socket
import sys
import time
import traceback
from importlib import import_module

import bpy
import numpy as np

EXTENSION = "bl_ext.user_default.terrain_erosion"
TICK = 0.01  # seconds between two looks at the socket


class Clock:
    """Looks at the time and at the run in every turn of Blender's main loop (time.monotonic,
    seconds).

    turns: seconds of each turn since `restart`, our own answers not counted; longest: the longest
    of them; last_job: the last run; idle_since: when it was seen gone; drawn: when the viewport was
    drawn last.
    """

    def __init__(self):
        self.turns = []
        self.longest = 0.0
        self.asleep_since = None
        self.last_job = None
        self.idle_since = 0.0
        self.drawn = time.monotonic()

    def wake(self):
        now = time.monotonic()
        if self.asleep_since is not None:
            self.turns.append(now - self.asleep_since - TICK)
            self.longest = max(self.longest, self.turns[-1])
        if running():
            self.last_job = job()
            self.idle_since = None
        elif self.idle_since is None:
            self.idle_since = now

    def sleep(self):
        self.asleep_since = time.monotonic()

    def restart(self):
        self.turns.clear()
        self.longest = 0.0

    def histogram(self):
        """Number of turns by length, and the longest, in words."""
        limits = (5, 10, 20, 50, 100, 200, 500)
        counts, _ = np.histogram(1000 * np.array(self.turns), (-np.inf, *limits, np.inf))
        names = [*(f"<{limit}" for limit in limits), f"≥{limits[-1]}"]
        parts = [f"{name} ms {count}" for name, count in zip(names, counts, strict=True) if count]
        return f"{len(self.turns)} turns: {', '.join(parts)}; longest {1000 * self.longest:.0f} ms"

    def draw(self):
        self.drawn = time.monotonic()

    def rest(self):
        """Seconds in which the viewport was not drawn: it is drawn anew while shaders compile and
        samples come in.
        """
        return time.monotonic() - self.drawn


# What is on the screen


def window():
    return bpy.context.window_manager.windows[0]


def viewport():
    return next(area for area in window().screen.areas if area.type == "VIEW_3D")


def region(kind):
    return next(region for region in viewport().regions if region.type == kind)


def rectangle(kind):
    """Left, bottom, width and height of a region of the viewport, in pixels of the window."""
    found = region(kind)
    return [found.x, found.y, found.width, found.height]


def hovered(kind):
    """What the button under the mouse does, as Python ("bpy.ops.…" or a data path); None where
    there is no button.

    Blender's own "copy" operators can run only while the mouse is over a button.
    """
    with bpy.context.temp_override(window=window(), area=viewport(), region=region(kind)):
        for copy in (bpy.ops.ui.copy_python_command_button, bpy.ops.ui.copy_data_path_button):
            if copy.poll():
                copy()
                return bpy.context.window_manager.clipboard
    return None


def open_panels(*names, options=frozenset()):
    """Let these panels of the extension be open from the start; ask before they are drawn for the
    first time.
    """
    for name in names:
        panel = getattr(bpy.types, name)
        bpy.utils.unregister_class(panel)
        panel.bl_options = set(options)
        bpy.utils.register_class(panel)


def close_panels(*names):
    """Let these panels be closed from the start, so that those below have room."""
    open_panels(*names, options={"DEFAULT_CLOSED"})


def simulate(kind, value, x, y, **modifiers):
    window().event_simulate(type=kind, value=value, x=x, y=y, **modifiers)


# The extension


def session():
    """State of the session."""
    return import_module(EXTENSION + ".erosion_addon.scene.session").session


def job():
    return session().run.task


def preview():
    return session().run.preview


def queue():
    return import_module(EXTENSION + ".erosion_addon.scene.run.run_queue")


def water():
    """The water that is drawn over a run; None where none is."""
    return session().display.water


def running():
    return job() is not None


def asking():
    """Whether a second Esc would cancel the run."""
    return import_module(EXTENSION + ".erosion_addon.ui.run.progress").is_asking()


def eroding():
    """Whether a run has begun to erode; before, it may have to compile."""
    return running() and job().state == "running" and job().fraction > 0.0


def outcome():
    """State of the last run and the sentence about it, also when the extension has forgotten the
    run.
    """
    return clock.last_job.state, clock.last_job.sentence


# The terrain

seeds = itertools.count(1)


def activate(name):
    """Make an object the active one, and the only one selected."""
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj.name == name)
    bpy.context.view_layer.objects.active = bpy.data.objects[name]


def new_terrain(rows, columns, drops_per_cell, name="Terrain"):
    """Nothing in the scene but one grid of hills, 10 m a cell, with a recipe of one droplet step;
    then an undo step.
    """
    for old in list(bpy.data.objects):
        bpy.data.objects.remove(old)
    with bpy.context.temp_override(window=window(), area=viewport(), region=region("WINDOW")):
        bpy.ops.mesh.primitive_grid_add(
            x_subdivisions=columns - 1, y_subdivisions=rows - 1, size=10.0
        )
        terrain = bpy.context.object
        terrain.name = terrain.data.name = name
        positions = np.empty((rows * columns, 3), dtype=np.float32)
        place = terrain.data.attributes["position"].data
        place.foreach_get("vector", positions.reshape(-1))
        positions[:, 0] *= columns - 1
        positions[:, 1] *= rows - 1
        x = positions[:, 0] / (rows * 2.0)
        y = positions[:, 1] / (rows * 2.0)
        hills = np.sin(1.3 * x + 0.4) * np.cos(1.7 * y) + 0.3 * np.sin(5.0 * x) * np.cos(
            4.0 * y + x
        )
        positions[:, 2] = rows * (1.5 + hills)
        place.foreach_set("vector", positions.reshape(-1))
        terrain.data.update()
        bpy.ops.erosion.recipe_load(name="arcane")
        terrain.erosion.steps[0].droplet.drops_per_cell = drops_per_cell
        # or the worker would have the result of an earlier scene ready
        terrain.erosion.seed = next(seeds)
        bpy.ops.view3d.view_selected()
        viewport().spaces.active.clip_end = 1.0e6
        bpy.ops.ed.undo_push(message="Terrain")


def heights(name="Terrain"):
    positions = np.empty((len(bpy.data.objects[name].data.vertices), 3), dtype=np.float32)
    bpy.data.objects[name].data.attributes["position"].data.foreach_get(
        "vector", positions.reshape(-1)
    )
    return positions[:, 2]


def terrain_heights(name="Terrain"):
    """The heights of the terrain, where others may be shown on its mesh."""
    return import_module(EXTENSION + ".erosion_addon.scene.terrain.mesh").vertex_heights(
        bpy.data.objects[name].data
    )


def attributes(name="Terrain"):
    return sorted(attribute.name for attribute in bpy.data.objects[name].data.attributes)


def materials(name="Terrain"):
    return [material.name for material in bpy.data.objects[name].data.materials]


def fingerprint(name="Terrain", without=()):
    """A hash over everything the mesh holds: all attributes with their names, kinds and bytes, and
    the faces.

    without: names of attributes that do not count.
    """
    mesh = bpy.data.objects[name].data
    digest = hashlib.sha256(
        repr((len(mesh.vertices), len(mesh.polygons), mesh.shape_keys)).encode()
    )
    starts = np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    digest.update(starts.tobytes())
    for attribute in sorted(mesh.attributes, key=lambda one: one.name):
        if attribute.name in without:
            continue
        digest.update(repr((attribute.name, attribute.domain, attribute.data_type)).encode())
        key, kind, size = STORED[attribute.data_type]
        values = np.empty(len(attribute.data) * size, dtype=kind)
        attribute.data.foreach_get(key, values)
        digest.update(values.tobytes())
    return digest.hexdigest()


STORED = {  # data type: property, dtype, numbers an element
    "FLOAT": ("value", np.float32, 1),
    "INT": ("value", np.int32, 1),
    "INT8": ("value", np.int32, 1),
    "BOOLEAN": ("value", np.bool_, 1),
    "FLOAT2": ("vector", np.float32, 2),
    "FLOAT_VECTOR": ("vector", np.float32, 3),
    "FLOAT_COLOR": ("color", np.float32, 4),
    "BYTE_COLOR": ("color", np.float32, 4),
    "INT32_2D": ("value", np.int32, 2),
}


# Questions and answers


def answer(text):
    statements = ast.parse(text).body
    last = statements.pop() if statements and isinstance(statements[-1], ast.Expr) else None
    exec(compile(ast.Module(statements, []), "<question>", "exec"), globals())  # noqa: S102 -- its purpose
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "<question>", "eval"), globals())  # noqa: S307


def tick():
    clock.wake()
    try:
        connection, _ = listener.accept()
    except BlockingIOError:
        clock.sleep()
        return TICK
    with connection:
        connection.settimeout(10.0)
        question = b"".join(iter(lambda: connection.recv(65536), b""))
        try:
            reply = {"value": answer(question.decode())}
        except Exception:  # noqa: BLE001 -- whatever went wrong is the answer
            reply = {"error": traceback.format_exc()}
        connection.sendall(json.dumps(reply, default=repr).encode())
    clock.sleep()
    return TICK


clock = Clock()
listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(sys.argv[-1])
listener.listen(4)
listener.setblocking(False)

bpy.types.SpaceView3D.draw_handler_add(clock.draw, (), "WINDOW", "POST_PIXEL")
bpy.context.scene.eevee.taa_samples = 1  # software draws each for seconds
bpy.context.preferences.view.show_splash = False
bpy.context.preferences.use_preferences_save = False
# a second window may land outside the screen
bpy.context.preferences.view.filebrowser_display_type = "SCREEN"
bpy.app.timers.register(tick, first_interval=0.0, persistent=True)
