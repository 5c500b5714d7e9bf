# SPDX-License-Identifier: GPL-3.0-or-later
"""Queue of objects to erode after the current run, with their settings at that time."""

from typing import NamedTuple

import bpy

from ..session import session


class Waiting(NamedTuple):
    """An object in the queue.

    name: last known; resume: whether to resume its paused run; animation: whether to run each frame
    of the scene; replace: whether its frames may replace others.
    """

    uid: int
    name: str
    resume: bool
    animation: bool
    replace: bool

    def find(self) -> bpy.types.Object | None:
        """The object under its current name; None if deleted."""
        return find_object(self.uid)


def find_object(uid: int) -> bpy.types.Object | None:
    """Object with a session_uid, which survives renaming and undo; None if deleted."""
    # What lies in no collection is deleted as far as the user sees: foliage that looks at it keeps
    # it in the file.
    return next(
        (obj for obj in bpy.data.objects if obj.session_uid == uid and obj.users_collection), None
    )


def add(
    obj: bpy.types.Object, resume: bool = False, animation: bool = False, replace: bool = False
) -> None:
    """Append an object, once."""
    if not waits(obj):
        session.run.queue.append(Waiting(obj.session_uid, obj.name, resume, animation, replace))


def waits(obj: bpy.types.Object) -> bool:
    """Whether the object is in the queue."""
    return any(entry.uid == obj.session_uid for entry in session.run.queue)


def waiting() -> list[Waiting]:
    """Queued objects in order, without deleted ones."""
    return [
        entry._replace(name=obj.name)
        for entry in session.run.queue
        if (obj := entry.find()) is not None
    ]


def take() -> Waiting | None:
    """Remove and return the next object; None if the queue is empty."""
    entries = waiting()
    if not entries:
        session.run.queue.clear()
        return None
    remove(entries[0].uid)
    return entries[0]


def remove(uid: int) -> None:
    """Remove an object."""
    session.run.queue[:] = [entry for entry in session.run.queue if entry.uid != uid]


def clear() -> None:
    """Empty the queue."""
    session.run.queue.clear()
