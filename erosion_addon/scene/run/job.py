# SPDX-License-Identifier: GPL-3.0-or-later
"""Job: a run on an object, from snapshot to commit. It belongs to the extension, not to an
operator.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, TypeVar

import bpy
import numpy as np

from ...base.errors import InputError, Sentence, joined, print_traceback
from ...recipe.recipe import Recipe
from ...run.frames import frame_files
from ...run.frames.frame_settings import FrameSettings
from ...run.frames.record import Record
from ...terrain.terrain import Terrain
from ...worker.messages import Message, Request
from ..derived import update_derived
from ..masks.settings import SettingsReader, default_settings
from ..original import original, transaction
from ..original.transaction import nothing_new
from ..session import session
from ..terrain import obstacle
from ..terrain.grid import TerrainSnapshot, snapshot
from ..terrain.lattice import Array, local_heights
from ..terrain.mesh import Topology, positions
from ..worker import speeds
from . import commit, preview, readiness, start_state
from .machine import State, Task
from .viewer import Viewer

AnyTask = TypeVar("AnyTask", bound=Task)


@dataclass(frozen=True, eq=False)
class JobOptions:
    """Options of a run.

    layers: initial fields that replace the object's own, None for a field to leave out. threads:
    the most to use, 0 for all processors. adds_up: whether a continued run adds to wear and
    deposition. frames: to keep. region: cells (rows, cols), 0-1, to erode as they are; None for the
    whole terrain. notes: on its inputs. settings: for everything derived from it.
    """

    continue_from_result: bool = False
    layers: Mapping[str, Any] = field(default_factory=dict)
    threads: int = 0
    adds_up: bool = False
    frames: FrameSettings | None = None
    region: Array | None = None
    notes: Sequence[str] = ()
    settings: SettingsReader = default_settings


class Job(Task):
    """A run in progress."""

    viewer: Viewer
    operator = "erosion.run"
    stops_early = True

    def __init__(
        self,
        obj: bpy.types.Object,
        base: TerrainSnapshot,
        settings: SettingsReader,
        notes: Sequence[str] = (),
    ) -> None:
        super().__init__(obj)
        self._base = base
        # Read when the result is written, as the artist may have changed them, and Undo or a
        # deletion the data they refer to.
        self._settings = settings
        self._lattice = base.lattice
        self._heights = start_state.Heights(base.heights, base.heights)
        self._matrix = obj.matrix_world.copy()
        self._paused: Array | None = None
        self._notes = list(notes)
        self._frames: FrameSettings | None = None
        self._frames_before = -1  # number of the last frame of an earlier part of the run
        self._preparing: Thread | None = None
        self._change: commit.Change | None = None
        self.viewer = Viewer(base)

    def run(
        self, mesh: bpy.types.Mesh, recipe: Recipe, masks: Mapping[str, Any], options: JobOptions
    ) -> None:
        """Start a run. An unchanged result is eroded from its original again, a region of it as it
        is.
        """
        is_local = options.region is not None
        continues = options.continue_from_result or is_local
        adds_up = options.adds_up or is_local
        frames = options.frames
        self._heights = start_state.heights(mesh, self._base, continues)
        terrain = start_state.terrain(
            mesh,
            self._lattice,
            self._heights.start,
            continues,
            options.layers,
            adds_up=adds_up,
            keeps_all=is_local,
        )
        commit.check(mesh, recipe.result_fields(terrain.fields))
        self._before = terrain.elevation
        with self.locks as locks:
            if frames is not None:
                locks.enter_context(frame_files.locked(frames.folder))
                frames.begin().require_space((self._lattice.rows, self._lattice.cols))
            self._runner.run(
                terrain,
                recipe,
                masks,
                options.threads,
                adds_up=adds_up,
                frames=frames,
                region=options.region,
            )
            self.locks = locks.pop_all()
        self._frames = frames

    def resume(self, mesh: bpy.types.Mesh, threads: int, frames: FrameSettings | None) -> None:
        """Resume the run paused on the mesh, with its frames in the folder of `frames`."""
        file = original.paused_run(mesh)
        first = original.source_heights(mesh)
        # until the worker sends the start of the run
        self._heights = start_state.Heights(first, first)
        with self.locks as locks:
            if frames is not None:
                locks.enter_context(frame_files.locked(frames.folder))
            self._runner.resume(file, threads, frames)
            self.locks = locks.pop_all()
        if frames is not None and (record := Record.read(frames.folder)) is not None:
            self._frames = FrameSettings(frames.folder, record.frames, tuple(record.fields))
            self._frames_before = record.kept

    def _begin_at(self, elevation: Array, fields: Iterable[str]) -> None:
        """Take the initial elevation of a resumed run, (rows, cols) in meters, and check that its
        result with these fields can be written.
        """
        try:
            if elevation.shape != (self._lattice.rows, self._lattice.cols):
                raise InputError(
                    "{object_name} was changed after its run was paused; run it again from the "
                    "start."
                ).format(object_name=self.object_name)
            if (obj := self.find_object()) is not None:
                commit.check(obj.data, fields)
        except InputError as error:
            self.fail(error.sentence)
            self._runner.stop()
            return
        start = self._lattice.to_vertices((elevation / self._lattice.scale_z).astype(np.float32))
        self._before = elevation
        self._heights = start_state.Heights(start, self._heights.original)

    def _receive(self, message: Message) -> None:
        if message.kind == "heights":
            self.viewer.take(message.arrays["elevation"], message.arrays.get("water_depth"))
        elif message.kind == "start":
            self._begin_at(message.arrays["elevation"], message.values["fields"])
        elif message.kind == "frames lost":
            self._notes.append(
                Sentence("{reason} The frames before it are kept.").format(
                    reason=message.values["reason"]
                )
            )
        elif message.kind == "checkpoint":
            self._take_paused(message.arrays.get("file"))
        elif message.kind == "result":
            try:
                arrays = dict(message.arrays)
                self._result = Terrain(arrays.pop("elevation"), self._lattice.spacing, arrays)
                self.report = message.values["report"]
                self._prepare(self._result)
            except InputError as error:
                self.fail(
                    Sentence(
                        "The result is not usable, so the terrain is unchanged: {error}"
                    ).format(error=error)
                )
        else:
            super()._receive(message)

    def _prepare(self, result: Terrain) -> None:
        """Prepare the change of the mesh in a thread, to keep the main thread free."""
        if (obj := self.find_object()) is not None and obstacle.why_not(obj) is None:
            self._preparing = Thread(target=self._make_change, args=(result,), daemon=True)
            self._preparing.start()

    def _make_change(self, result: Terrain) -> None:
        with suppress(MemoryError):  # reported by `_write`
            update_derived.load()
            self._change = self._change_to(result)

    def _change_to(self, result: Terrain) -> commit.Change:
        """Change of the run's mesh to a result."""
        return commit.change_to(
            result,
            self._base.topology,
            self._base.place,
            self._lattice,
            self._heights.start,
            self._before,
        )

    @property
    def _is_asking(self) -> bool:
        return super()._is_asking or self._preparing is not None

    def listen(self, seconds: float = 0.0) -> None:
        """Handle messages of the worker; once it is done, wait for the change to be made."""
        super().listen(seconds)
        if self._preparing is not None:
            self._preparing.join(seconds)
            # noticed here alone: `ready` and `commit` then agree
            if not self._preparing.is_alive():
                self._preparing = None

    def _take_paused(self, file: Array | None) -> None:
        """Take the checkpoint file of a paused run; None if the worker lacked the memory."""
        self._paused = file
        reason = None
        if file is None:
            reason = Sentence("there is not enough memory")
        elif len(file) > transaction.LARGEST:
            self._paused = None
            reason = Sentence("it takes {size:.1f} GiB").format(size=len(file) / 2**30)
        if reason:
            self._notes.append(
                Sentence(
                    "The result so far is kept, but the run cannot be resumed, because {reason}."
                ).format(reason=reason)
            )

    def finish(self) -> None:
        """End early and keep the current result."""
        self.message = "Finishing"
        self._runner.finish()

    def pause(self) -> None:
        """End early, keep the current result, and store the checkpoint with the terrain."""
        self.message = "Pausing"
        self._runner.pause()

    def cancel(self) -> None:
        """Cancel without changes; frames of this run are removed, except from before a pause."""
        was_ended = self.ended
        super().cancel()
        if not was_ended and self._frames is not None:
            frame_files.cut(self._frames.folder, self._frames.fields, self._frames_before)

    def _requests(self) -> list[Request]:
        obj = self.find_object()
        if (
            obj is None
            or obstacle.why_not(obj) is not None
            or len(obj.data.vertices) != len(self._base.place)
        ):
            # whether it is the mesh of the run to the bit is seen when the result is written
            return []
        heights = local_heights(
            self._lattice, self._heights.start, self._before, self._result.elevation
        )
        return update_derived.requests(
            obj, self._lattice, heights, self._result.fields, self._settings(obj)
        )

    def _write(self, obj: bpy.types.Object | None, result: Terrain) -> None:
        reason = self._why_not_here(obj)
        if reason is None and obj is not None:
            change = self._change or self._change_to(result)
            messages = commit.commit(
                obj.data, self._lattice, self._heights, result, self._paused, change
            )
            if self.report:
                speeds.learn(self.report)
            notes = self.report["notes"] if self.report else []
            failed = update_derived.update(obj, self._settings(obj), change.place)
            self.warnings = [*notes, *self._notes, *messages, *failed]
            outcome = Sentence("{name} is done.") if notes else Sentence("{name} is eroded.")
            self.sentence = joined([outcome.format(name=obj.name), *self.warnings])
            self.enter(State.DONE)
        else:
            self.fail(reason or "")

    def _outcome_of_failure(self) -> State:
        """A complete result goes to a new object, or is held if that fails too."""
        if self._result is None:
            return State.FAILED
        try:
            with nothing_new():
                rescued = commit.rescue(f"{self.object_name} eroded", self._result, self._matrix)
        except Exception as error:  # noqa: BLE001 - what took hours is not thrown away
            if not isinstance(error, MemoryError):
                print_traceback()
            return State.HELD
        self.sentence = Sentence("{sentence} The result went to the new object {name}.").format(
            sentence=self.sentence, name=rescued.name
        )
        return State.RESCUED

    def is_here(self) -> bool:
        """Whether the object still has the mesh of the run."""
        obj = self.find_object()
        # In another mode the mesh is not at hand; a result that does not fit it goes to a new
        # object.
        return obj is not None and (obj.mode != "OBJECT" or self._why_not_here(obj) is None)

    def _why_not_here(self, obj: bpy.types.Object | None) -> str | None:
        """Reason why the run no longer fits the object's mesh."""
        if obj is None:
            return Sentence("{object_name} was deleted while it was eroded.").format(
                object_name=self.object_name
            )
        if (reason := obstacle.why_not(obj)) is not None:
            return reason
        if obj.data.session_uid != self._base.mesh_uid or not self._is_unchanged(obj.data):
            return Sentence("The mesh of {name} was changed while it was eroded.").format(
                name=obj.name
            )
        return None

    def _is_unchanged(self, mesh: bpy.types.Mesh) -> bool:
        """Whether a mesh equals the mesh of the run bit by bit."""
        topology = Topology.of(mesh)
        room = None if self._change is None else self._change.room
        return topology.equals(self._base.topology) and np.array_equal(
            positions(mesh, room).view(np.int32), self._base.place.view(np.int32)
        )


def start(
    obj: bpy.types.Object,
    recipe: Recipe,
    masks: Mapping[str, Any],
    options: JobOptions | None = None,
    base: TerrainSnapshot | None = None,
) -> Job:
    """Start a run on an object; InputError if impossible.

    base: snapshot of the mesh after `check`, if taken already.
    """
    if base is None:
        check(obj)
        base = snapshot(obj)
    options = options or JobOptions()
    job = Job(obj, base, options.settings, options.notes)
    job.run(obj.data, recipe, masks, options)
    return begin(job)


def resume(
    obj: bpy.types.Object,
    threads: int = 0,
    frames: FrameSettings | None = None,
    settings: SettingsReader = default_settings,
) -> Job:
    """Resume the run paused on an object, with its frames in the folder of `frames`. InputError if
    impossible.
    """
    check(obj)
    job = Job(obj, snapshot(obj), settings)
    job.resume(obj.data, threads, frames)
    return begin(job)


def check(obj: bpy.types.Object) -> None:
    """End previews and check that work on an object can begin; InputError if not. Call it before
    making the task.
    """
    if reason := readiness.why_not(obj, readiness.START):
        raise InputError(reason)
    preview.end()


def begin(task: AnyTask) -> AnyTask:
    """Make a task the current one."""
    session.run.task = task
    return task


def clear() -> None:
    """Cancel and forget the current task."""
    if session.run.task is not None:
        session.run.task.cancel()
        session.run.task.locks.close()
    session.run.task = None
