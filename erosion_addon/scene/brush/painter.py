# SPDX-License-Identifier: GPL-3.0-or-later
"""A stroke of the brush under way on a mesh: dabs go to the worker, their changes are displayed,
and written at its end. Nothing blocks: `tick` takes in new answers and sends new dabs. Until
`commit` the mesh only shows the stroke, so that giving it up leaves every byte.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Thread
from typing import Any

import bpy
import numpy as np

from ...base.arrays import loose_of, mean_cell_size
from ...base.errors import InputError, Sentence, printable_lines
from ...processes.brush.parameters import MOST_DABS, Stroke
from ...processes.brush.window import Box, united
from ...processes.shared.state import thickness
from ...terrain.color_attributes import COLORS
from ...worker.messages import MASK_PREFIX, Message
from ..original import original
from ..original.transaction import COLOR, all_or_nothing
from ..run import commit, displayed_heights, job
from ..terrain import attributes, grid, obstacle
from ..terrain.lattice import Array
from ..terrain.mesh import Topology, positions, write_positions
from ..worker import worker_process
from . import ground as grounds

MOST_SHOWN = 4_000_000
"""Vertices up to which a stroke is shown while it is painted."""

DELETED = Sentence("The terrain under the brush was deleted.")
INTERNAL_ERROR = Sentence("The brush failed because of an internal error; see the system console.")


class Painter:
    """A stroke on an object with this ground. stroke: without dabs. masks: kind → (rows, cols).
    strata: as a table, or None.

    Raises InputError where it cannot begin. is_last: whether no more dabs come. ended: whether the
    worker has done all of it. fault: why it cannot go on.
    """

    def __init__(
        self,
        obj: bpy.types.Object,
        ground: grounds.Ground,
        stroke: Stroke,
        masks: Mapping[str, Array],
        strata: dict[str, Any] | None,
        edges: str,
        threads: int,
    ) -> None:
        job.check(obj)
        self.object_uid = obj.session_uid
        self.stroke = replace(stroke, dabs=())
        self.ended = False
        self.fault = ""
        self._ground = ground
        commit.check(obj.data, ("wear", "deposition", "bedrock", *self._ground.loose_layers))
        self._runner = worker_process.ready()
        self._around: dict[str, Any] = {"edges": edges, "strata": strata, "threads": threads}
        self._masks = self._to_send(obj, masks)
        self._waiting: list[tuple[float, ...]] = []
        self._is_begun = self._is_asked = self.is_last = False
        self._heights = self._ground.place[:, 2].copy()
        self._boxes: list[Box] = []
        self._changed: set[str] = set()
        self._preparing: Thread | None = None
        self._after: Array | None = None
        self._digest = ""
        self._colors: dict[str, attributes.Colors] = {}
        self._is_shown = len(self._heights) <= MOST_SHOWN

    def _to_send(
        self, obj: bpy.types.Object, masks: Mapping[str, Array]
    ) -> dict[str, Array] | None:
        """The terrain and its masks, where the worker does not have them; None where it does."""
        ground = self._ground
        used = {kind: np.asarray(mask, np.float32) for kind, mask in masks.items()}
        if "sediment" in attributes.ours(obj.data):
            used.pop("sediment", None)  # the rest of it is already part of the terrain
        same = ground.masks.keys() == used.keys() and all(
            np.array_equal(ground.masks[kind], used[kind]) for kind in used
        )
        if ground.sent == (self._runner, *self._around.items()) and same:
            return None
        ground.masks, ground.sent = used, (self._runner, *self._around.items())
        arrays = {**ground.initial, **ground.loose_layers, "elevation": self._precise(ground)}
        return {**arrays, **{MASK_PREFIX + kind: mask for kind, mask in used.items()}}

    def _precise(self, ground: grounds.Ground) -> Array:
        """The elevation as the mesh has it, (rows, cols) float64 m."""
        return grid.terrain_of(ground.lattice, ground.place[:, 2]).elevation

    @property
    def dabs(self) -> tuple[tuple[float, ...], ...]:
        """Those so far."""
        return self.stroke.dabs

    @property
    def has_changed(self) -> bool:
        """Whether the stroke has changed anything so far."""
        return bool(self._changed) or not np.array_equal(self._heights, self._ground.place[:, 2])

    def dab(self, x: float, y: float, pressure: float = 1.0) -> None:
        """Add a dab at a place in meters from the first vertex of the grid."""
        if len(self.dabs) < MOST_DABS:
            self._waiting.append((x, y, pressure))
            object.__setattr__(self.stroke, "dabs", (*self.stroke.dabs, (x, y, pressure)))

    def end(self) -> None:
        """Add no more dabs; the stroke has ended once the worker has done all of it."""
        self.is_last = True

    def tick(self, seconds: float = 0.0) -> None:
        """Receive the worker's messages, waiting up to `seconds`, show changes, and send new
        dabs.
        """
        changed = False
        for message in self._runner.poll(seconds) if self._is_asked else ():
            changed |= self._receive(message)
        if (
            not self._is_asked
            and not self.ended
            and not self.fault
            and (self._waiting or self.is_last)
        ):
            self._hand_over()
        if changed and self._is_shown and not self.ended:
            self.show()

    def is_settled(self) -> bool:
        """Whether `commit` has all that it needs at hand, for a stroke that has ended. Call it
        until then: a thread makes the new positions and colors and their fingerprint.
        """
        obj = self.find_object()
        if obj is None or obj.data.is_editmode:
            return True
        if self._preparing is None:
            arguments = Topology.of(obj.data), self._colors_to_write(obj.data)
            self._preparing = Thread(target=self._prepare, args=arguments, daemon=True)
            self._preparing.start()
        return not self._preparing.is_alive()

    def _colors_to_write(self, mesh: bpy.types.Mesh) -> dict[str, bool]:
        """Color attributes that the stroke changes, and whether the mesh has them, so that only its
        box is new.
        """
        names = attributes.ours(mesh)
        names = attributes.attribute_names(self._fields(mesh))
        return {
            name: name in names and attributes.holds(mesh, name) for name in names if name in COLORS
        }

    def _prepare(self, topology: Topology, colors: dict[str, bool]) -> None:
        ground = self._ground
        cell_size = mean_cell_size(ground.lattice.spacing)
        fields = {**ground.fields, **ground.loose_layers}
        inside = self._inside()
        part = {name: field[inside] for name, field in fields.items()}
        for name, is_there in colors.items():
            if is_there:
                self._colors[name] = attributes.Colors(
                    ground.cells[inside], COLORS[name].colors(part, cell_size)
                )
            else:
                self._colors[name] = attributes.Colors(None, COLORS[name].colors(fields, cell_size))
        if ground.room is None:  # memory that is there before it is needed
            ground.room = np.ones(COLOR * len(self._heights), np.uint8)
        after = ground.place.copy() if ground.spare is None else ground.spare
        after[:, 2] = self._heights
        self._digest = topology.fingerprint(after)
        self._after = after

    def _inside(self) -> tuple[slice, slice]:
        """Rows and columns of all that has changed."""
        box = united(self._boxes) or (0, 0, 0, 0)
        return slice(box[0], box[1]), slice(box[2], box[3])

    def _fields(self, mesh: bpy.types.Mesh) -> dict[str, Array]:
        """Fields to write: changed ones, and ones missing on the mesh."""
        fields = {**self._ground.fields, **self._ground.loose_layers}
        names = attributes.ours(mesh)
        present = {name for name in names if attributes.holds(mesh, name)}
        return {
            name: field
            for name, field in fields.items()
            if name in self._changed or name not in present
        }

    def show(self) -> None:
        """Show the stroke on the mesh."""
        obj = self.find_object()
        if obj is None:
            self.fault = DELETED
        elif not displayed_heights.show(obj.data, self._heights):
            self.fault = Sentence("The mesh was changed during the stroke; it stays as it is.")

    def find_object(self) -> bpy.types.Object | None:
        """The object that is painted; None once it is deleted."""
        return next((obj for obj in bpy.data.objects if obj.session_uid == self.object_uid), None)

    def _hand_over(self) -> None:
        values: dict[str, Any] = {"dabs": self._waiting, "end": self.is_last}
        if not self._is_begun:
            values["stroke"] = {**self.stroke.to_dict(), "dabs": []}
        if self._masks is not None:
            values |= {"spacing": self._ground.lattice.spacing, **self._around}
        self._runner.paint(values, self._masks)
        self._waiting = []
        self._masks = None
        self._is_begun = True
        self._is_asked = True

    def _receive(self, message: Message) -> bool:
        """Receive a message of the worker; returns whether heights have changed."""
        if message.kind == "painted":
            self._is_asked = False
            self.ended = bool(message.values["ended"])
            if message.values["box"] is not None:
                self._take(message.values["box"], message.arrays)
            return message.values["box"] is not None
        if message.kind in ("refused", "failed", "broken", "ended"):
            unknown = message.kind == "failed"
            self.fault = INTERNAL_ERROR if unknown else message.values["reason"]
            if unknown:
                print(printable_lines(message.values["reason"]))
        return False

    def _take(self, box: list[int], arrays: Mapping[str, Array]) -> None:
        """Take in the layers of a box."""
        inside = (slice(box[0], box[1]), slice(box[2], box[3]))
        ground = self._ground
        self._boxes.append((box[0], box[1], box[2], box[3]))
        part = arrays["elevation"]
        window = ground.elevation[inside]
        changed = part != window
        cells = ground.cells[inside][changed]
        self._heights[cells] = (part[changed] / ground.lattice.scale_z).astype(np.float32)
        for name, layer in arrays.items():
            if name != "elevation":
                self._put(ground.loose_layers[name][inside], name, layer)
        window[...] = part
        ground.levels = (
            min(ground.levels[0], float(part.min())),
            max(ground.levels[1], float(part.max())),
        )
        if len(arrays) > 1:
            self._measure(inside)

    def _measure(self, inside: tuple[slice, slice]) -> None:
        """Bring wear, deposition and bedrock of a box up to date."""
        ground = self._ground
        fields = self._ground.fields
        loose = loose_of({name: layer[inside] for name, layer in ground.loose_layers.items()})
        elevation = ground.elevation[inside].astype(np.float64)
        gained = loose - ground.start_loose[inside]
        measured = {
            "deposition": thickness(gained),
            "wear": thickness(gained + ground.start[inside] - elevation),
            "bedrock": elevation - loose,
        }
        for name, values in measured.items():
            self._put(fields[name][inside], name, values)

    def _put(self, part: Array, name: str, values: Array) -> None:
        """Set part of a field."""
        before = part.copy()
        part[...] = values
        if not np.array_equal(before, part):
            self._changed.add(name)

    def commit(self, keep: Callable[[], None] | None = None) -> None:
        """Write the stroke to the mesh, with the data for Restore, or nothing and InputError if
        that is impossible.

        keep: called once the mesh is written, to store the stroke elsewhere; an error in it takes
        the mesh back.
        """
        try:
            self._write(keep)
        except BaseException:
            grounds.forget()  # which has the stroke
            raise

    def _write(self, keep: Callable[[], None] | None) -> None:
        obj = self.find_object()
        ground = self._ground
        displayed_heights.put_back()
        if obj is None or (reason := obstacle.why_not(obj)) is not None:
            raise InputError(DELETED if obj is None else reason or "")
        mesh = obj.data
        if not np.array_equal(positions(mesh, ground.room), ground.place):
            raise InputError(
                "The mesh of {name} was changed during the stroke; it stays as it is."
            ).format(name=obj.name)
        if self._after is None:
            self._prepare(Topology.of(mesh), self._colors_to_write(mesh))
        after: Any = self._after
        with all_or_nothing(mesh, ground.place):
            if ground.heights.is_new:
                original.set_aside(mesh)
            original.keep_source(mesh, ground.heights.original)
            attributes.write_fields(
                mesh, ground.lattice, self._fields(mesh), self._colors, ground.room
            )
            write_positions(mesh, after, ground.place, ground.room)
            original.mark_result(mesh, None, after, self._digest)
            if keep is not None:
                keep()
        ground.place, ground.spare, ground.digest = after, ground.place, self._digest
        ground.original = ground.heights.original
        ground.heights = ground.heights._replace(start=after[:, 2], is_new=False)

    def leave(self) -> None:
        """End a stroke that has changed nothing."""
        displayed_heights.put_back()

    def cancel(self) -> None:
        """Give the stroke up: the mesh has every byte that it had."""
        displayed_heights.put_back()
        grounds.forget()
        if not self._runner.alive:
            worker_process.stop()
