# SPDX-License-Identifier: GPL-3.0-or-later
"""A run on an object: snapshot, worker process, one commit. The job belongs to the extension, not to an operator.

(An operator that stayed modal for the length of a run would keep Blender from autosaving all the while.)
"""

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from ..model.errors import InputError
from ..model.messages import Message
from ..model.recipe import Recipe
from ..model.terrain import Terrain
from . import attributes, commit, follow, grid, live, paused, preview, process, queue, source
from . import start as starting
from .lattice import Array
from .viewer import Viewer

current: "Job | None" = None
"""The run under way, or None."""


class Job:
    """A run under way. `poll` it now and then until `ended`; then `sentence` says what came of it.

    state: "starting" (the worker is getting ready), "running", "waiting" (done, but the object is not in Object Mode),
    "done", "rescued" (the result went to a new object), "cancelled" or "failed". warnings: what of a run that is done
    the user should know. speed: of the step at work, in words. seconds_left: until the end, None while that is unknown.
    viewer: shows the run on the mesh.
    """

    def __init__(self, obj: bpy.types.Object) -> None:
        mesh = obj.data
        assert isinstance(mesh, bpy.types.Mesh)
        self.object_uid, self.object_name = obj.session_uid, obj.name
        self._mesh_uid = mesh.session_uid
        self._fingerprint = grid.fingerprint(mesh)
        self._lattice = grid.find_lattice(obj)
        heights = grid.heights(mesh)
        self._began = starting.Heights(heights, heights)
        self._matrix = obj.matrix_world.copy()
        self._result: Terrain | None = None
        self._paused: Array | None = None
        self.report: dict[str, Any] | None = None
        self.warnings: list[str] = []
        self._notes: list[str] = []
        self.state, self.message, self.fraction, self.sentence = "starting", "Starting", 0.0, ""
        self.speed, self.seconds_left = "", None
        self._runner = process.ready()
        self.viewer = Viewer(mesh, self._lattice)

    def run(
        self,
        mesh: bpy.types.Mesh,
        recipe: Recipe,
        masks: Mapping[str, Any],
        continue_from_result: bool,
        layers: Mapping[str, Any],
        threads: int,
        adds_up: bool,
    ) -> None:
        """Begin a run. A terrain that still is as the last one left it erodes from its source again."""
        attributes.check_names(mesh, layers)
        self._began = starting.heights(mesh, continue_from_result)
        start = self._began.start
        terrain = starting.terrain(mesh, self._lattice, start, continue_from_result, layers, adds_up)
        self._before = terrain.elevation
        self._runner.run(terrain, recipe, masks, threads, adds_up=adds_up)

    def resume(self, mesh: bpy.types.Mesh, threads: int) -> None:
        """Go on with the run that was paused on the mesh."""
        file, kept = source.paused_run(mesh), source.source_heights(mesh)
        self._began = starting.Heights(kept, kept)  # until the worker tells what the run began with
        self._runner.resume(file, threads)

    def _begin_at(self, elevation: Array) -> None:
        """Take in what the paused run began with, (rows, cols) in metres."""
        if elevation.shape != (self._lattice.rows, self._lattice.cols):
            self._fail(f"{self.object_name} was changed after its run was paused; run it again from the start.")
            self._runner.stop()
            return
        start = self._lattice.to_vertices((elevation / self._lattice.scale_z).astype(np.float32))
        self._before, self._began = elevation, starting.Heights(start, self._began.kept)

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ("done", "rescued", "cancelled", "failed")

    def poll(self, seconds: float = 0.0) -> None:
        """Take in what the worker has said, waiting up to so many seconds; commit the result when it is there."""
        if self._result is None and not self.ended:
            for message in self._runner.poll(seconds):
                self._take_in(message)
            if self.state == "starting" and (compiling := process.compiling()) is not None:
                self.fraction, self.message = compiling
            if self.state == "running" and self._result is None:
                self.viewer.turn(self.find_object(), self._runner)
        if self._result is not None and not self.ended:
            self._try_commit(self._result)

    def _take_in(self, message: Message) -> None:
        if message.kind == "progress":
            self.state = "running"
            self.fraction, self.message = message.values["fraction"], message.values["message"]
            self.speed, self.seconds_left = message.values["speed"], message.values["seconds_left"]
        elif message.kind == "heights":
            self.viewer.take(message.arrays["elevation"])
        elif message.kind == "start":
            self._begin_at(message.arrays["elevation"])
        elif message.kind == "checkpoint":
            self._take_paused(message.arrays.get("file"))
        elif message.kind == "result":
            try:
                arrays = dict(message.arrays)
                self._result = Terrain(arrays.pop("elevation"), self._lattice.spacing, arrays)
                self.report = message.values["report"]
            except InputError as error:
                self._fail(f"The result is not fit for use, so the terrain is unchanged: {error}")
        elif message.kind in ("refused", "broken", "ended"):
            self._fail(message.values["reason"])
        elif message.kind == "failed":
            print(message.values["reason"])
            self.fail_unexpectedly()

    def _take_paused(self, file: Array | None) -> None:
        """Take in the paused run, the bytes of its file; None where the worker had no memory for it."""
        self._paused, reason = file, None
        if file is None:
            reason = "there is not enough memory"
        elif len(file) > paused.LARGEST:
            self._paused, reason = None, f"it takes {len(file) / 2**30:.1f} GiB"
        if reason:
            self._notes.append(f"What is there so far is kept, but the run cannot go on later, because {reason}.")

    def fail_unexpectedly(self) -> None:
        """End with a sentence for what should not happen."""
        self._fail("Erosion failed because of an internal error; the terrain is unchanged and the console says more.")

    def _fail(self, sentence: str) -> None:
        self.state, self.sentence = "failed", sentence
        live.put_back()
        if not self._runner.alive:
            process.stop()

    def finish(self) -> None:
        """End now and keep what is there."""
        self.message = "Finishing"
        self._runner.finish()

    def pause(self) -> None:
        """End now, keep what is there, and keep with the terrain what is needed to go on later."""
        self.message = "Pausing"
        self._runner.pause()

    def cancel(self) -> None:
        """End now and leave everything as it was; the worker is gone when this returns."""
        if not self.ended:
            self.state, self.sentence = "cancelled", f"Erosion of {self.object_name} was cancelled."
            process.stop()
            live.put_back()

    def find_object(self) -> bpy.types.Object | None:
        """The object under whatever name, scene or undo step it now lives; None once it is deleted."""
        return queue.find_object(self.object_uid)

    def _try_commit(self, result: Terrain) -> None:
        live.put_back()
        obj = self.find_object()
        if obj is not None and obj.mode != "OBJECT":
            self.state, self.message = "waiting", "Done: leave " + obj.mode.replace("_", " ").title() + " Mode"
            return
        try:
            reason = self._why_not_here(obj)
            if reason is None and obj is not None:
                commit.commit(obj.data, self._lattice, self._began, self._before, result, self._paused)
                notes = self.report["notes"] if self.report else []
                self.warnings = [*notes, *self._notes, *follow.update(obj)]
                done = f"{obj.name} is done." if notes else f"{obj.name} is eroded."
                self.state, self.sentence = "done", " ".join([done, *self.warnings])
            else:
                rescued = commit.rescue(f"{self.object_name} eroded", result, self._matrix)
                self.state = "rescued"
                self.sentence = f"{reason} The result went to the new object {rescued.name}."
        except InputError as error:
            self._fail(str(error))
        except MemoryError:
            self._fail("There is not enough memory to write the result; the terrain is unchanged.")

    def _why_not_here(self, obj: bpy.types.Object | None) -> str | None:
        if obj is None:
            return f"{self.object_name} was deleted while it was eroded."
        if (reason := grid.why_not(obj)) is not None:
            return reason
        if obj.data.session_uid != self._mesh_uid or grid.fingerprint(obj.data) != self._fingerprint:
            return f"The mesh of {obj.name} was changed while it was eroded."
        return None


def start(
    obj: bpy.types.Object,
    recipe: Recipe,
    masks: Mapping[str, Any],
    continue_from_result: bool = False,
    layers: Mapping[str, Any] | None = None,
    threads: int = 0,
    adds_up: bool = False,
) -> Job:
    """Begin a run on an object. layers: fields to start from in place of the object's own, None for one to go without.
    threads: the most to use, 0 for as many as there are processors. adds_up: whether a run that continues the last one
    adds to its wear and deposition.

    Raises InputError with a sentence where that cannot be.
    """
    run = _new_job(obj)
    run.run(obj.data, recipe, masks, continue_from_result, layers or {}, threads, adds_up)
    return _make_current(run)


def resume(obj: bpy.types.Object, threads: int = 0) -> Job:
    """Go on with the run that was paused on an object. Raises InputError with a sentence where that cannot be."""
    run = _new_job(obj)
    run.resume(obj.data, threads)
    return _make_current(run)


def _make_current(run: Job) -> Job:
    global current
    current = run
    return run


def _new_job(obj: bpy.types.Object) -> Job:
    if current is not None:
        raise InputError(f"{current.object_name} is being eroded; wait, or cancel that run first.")
    if (reason := grid.why_not(obj)) is not None:
        raise InputError(reason)
    if bpy.app.is_job_running("RENDER") or bpy.app.is_job_running("OBJECT_BAKE"):
        raise InputError("A render or bake is running; start the erosion when it is done.")
    preview.end()
    return Job(obj)


def clear() -> None:
    """Forget the run; one under way is cancelled."""
    global current
    if current is not None:
        current.cancel()
    current = None
