# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferences for all terrains: Edit ▸ Preferences ▸ Add-ons ▸ Terrain Erosion."""

from typing import Any

import bpy

from ...base.errors import Sentence
from ...base.parameters import Specification
from ...base.threads import processors
from ...scene.run import readiness
from ...scene.session import all_processors, session
from ...scene.worker import compiled, worker_process
from ...worker.diagnostics import versions
from . import manual
from .panel import draw_lines
from .parameter_properties import draw_value, properties_of
from .terrain_operator import allowed, reports_refusals
from .translations import report, sentence

ADDON = (
    ".".join(__package__.split(".")[:3]) if __package__.startswith("bl_ext.") else "erosion_addon"
)
"""Module name of the extension in Blender."""


def _folder_chosen(preferences: Any, context: bpy.types.Context) -> None:
    session.worker.kernel_folder = preferences.kernel_folder


def _keeping_chosen(preferences: Any, context: bpy.types.Context) -> None:
    if not preferences.keep_worker and session.run.task is None:
        worker_process.stop()


_THREADS = properties_of(
    [
        Specification(
            "threads",
            0,
            "Maximum number of processors: higher values are faster, lower ones leave some to "
            "other programs. The result is the same.",
            low=0,
            high=1024,
            zero="All",
            usual=float(processors()),
        )
    ]
)


class EROSION_AP_preferences(bpy.types.AddonPreferences):
    """Preferences of the extension"""

    bl_idname = ADDON

    threads: _THREADS["threads"]
    threads_auto: _THREADS["threads_auto"]  # type: ignore[name-defined]
    live_preview: bpy.props.BoolProperty(
        name="Live Preview",
        default=False,
        description=(
            "Show a coarse preview on the terrain while its settings are dragged, unless the "
            "terrain has its own setting"
        ),
    )
    keep_worker: bpy.props.BoolProperty(
        name="Keep Worker Running",
        default=True,
        update=_keeping_chosen,
        description=(
            "Keep the worker process for the next run, so that runs start at once. Off: it ends "
            "with each run and frees its memory, and each run starts about a second later"
        ),
    )
    warm_up: bpy.props.BoolProperty(
        name="Compile Early",
        default=True,
        description=(
            "Start the erosion process and compile the recipe's kernels while you set "
            "parameters. Off: both happen when you press Run"
        ),
    )
    kernel_folder: bpy.props.StringProperty(
        name="Compiled Kernels",
        subtype="DIR_PATH",
        update=_folder_chosen,
        description=(
            "Folder for compiled machine code, so that it is compiled only once. It must be "
            "writable by you alone. Empty: the extension's own folder"
        ),
    )

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        draw_value(layout, self, "threads")
        layout.prop(self, "live_preview")
        column = layout.column(heading="Worker")
        column.prop(self, "keep_worker", text="Keep Running")
        row = column.row()
        row.active = self.keep_worker
        row.prop(self, "warm_up")
        row = layout.row()
        row.prop(self, "kernel_folder")
        row.operator("erosion.kernels_clear", text="Clear")
        if self.kernel_folder and (reason := compiled.why_not_in(self.kernel_folder)) is not None:
            draw_lines(layout, [reason], "ERROR", 90)
        _draw_worker(layout)
        manual.draw_link(layout.row())


def _draw_worker(layout: bpy.types.UILayout) -> None:
    """Draw the state of the worker process and its compiler libraries."""
    row = layout.row()
    text = sentence(Sentence("Worker: {condition}").format(condition=worker_process.condition()))
    row.label(text=text, icon="ERROR" if worker_process.fault() else "INFO", translate=False)
    row.operator("erosion.worker_restart")
    text = sentence(
        Sentence("Libraries: {libraries}").format(
            libraries=worker_process.libraries() or _versions()
        )
    )
    layout.label(text=text, icon="BLANK1", translate=False)
    if reason := worker_process.fault():
        draw_lines(layout, [reason], "ERROR", 90)


_versions = session.cached()(versions)


class EROSION_OT_worker_restart(bpy.types.Operator):
    """End the worker process, start a new one, and test its libraries again"""

    bl_idname = "erosion.worker_restart"
    bl_label = "Restart"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return allowed(cls, readiness.why_busy())

    @reports_refusals()
    def execute(self, context: bpy.types.Context) -> set[str]:
        worker_process.restart()
        return {"FINISHED"}


class EROSION_OT_kernels_clear(bpy.types.Operator):
    """Delete the compiled simulation. The next run compiles it again, which takes some seconds"""

    bl_idname = "erosion.kernels_clear"
    bl_label = "Clear Compiled Kernels"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        folder = compiled.folder()
        reason = readiness.why_busy()
        if reason is None and (folder is None or not folder.is_dir()):
            reason = Sentence("Nothing has been compiled yet")
        return allowed(cls, reason)

    def execute(self, context: bpy.types.Context) -> set[str]:
        worker_process.stop()
        worker_process.stop_compiling()
        compiled.clear()
        report(
            self, {"INFO"}, "The compiled kernels are deleted; the next run compiles them again."
        )
        return {"FINISHED"}


def _preferred(name: str) -> Any:
    """Value of a preference, or its default if Blender stores none, as in a script that registered
    the package.
    """
    addon = bpy.context.preferences.addons.get(ADDON)
    if addon is not None and addon.preferences is not None:
        return getattr(addon.preferences, name)
    return EROSION_AP_preferences.bl_rna.properties[name].default


def threads() -> int:
    """Maximum number of threads, 0 for one per processor."""
    return int(_preferred("threads"))


def previews_live() -> bool:
    """Default of the live preview for terrains without their own choice."""
    return bool(_preferred("live_preview"))


def keeps_worker() -> bool:
    """Whether the worker process stays alive between runs."""
    return bool(_preferred("keep_worker"))


def warms_up() -> bool:
    """Whether the worker compiles before a run is started."""
    return keeps_worker() and bool(_preferred("warm_up"))


def register() -> None:
    """Apply the stored preferences."""
    session.worker.kernel_folder = _preferred("kernel_folder")
    session.worker.threads = threads


def unregister() -> None:
    """Reset to the extension's own folder and all processors."""
    session.worker.kernel_folder = ""
    session.worker.threads = all_processors


CLASSES = (EROSION_AP_preferences, EROSION_OT_worker_restart, EROSION_OT_kernels_clear)
