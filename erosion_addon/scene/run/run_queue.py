# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that wait for the run under way to end, to be eroded then by the settings that they have then."""

from dataclasses import dataclass, field

import bpy

from .. import session


@dataclass(frozen=True)
class Waiting:
    """An object in the queue. name: as it was called last; resume: whether its paused run goes on."""

    uid: int
    name: str
    resume: bool

    def find(self) -> bpy.types.Object | None:
        """The object under whatever name it now lives; None once it is deleted."""
        return find_object(self.uid)


@dataclass(eq=False, repr=False)
class _Now:
    """The queue of this session."""

    waiting: list[Waiting] = field(default_factory=list)


_now = session.remember(_Now)


def find_object(uid: int) -> bpy.types.Object | None:
    """The object of a session_uid, which it keeps through renaming and undo; None once it is deleted."""
    # What lies in no collection is deleted as far as the user sees: foliage that looks at it keeps it in the file.
    return next((obj for obj in bpy.data.objects if obj.session_uid == uid and obj.users_collection), None)


def add(obj: bpy.types.Object, resume: bool = False) -> None:
    """Let an object wait for its turn; once is enough."""
    if not waits(obj):
        _now.waiting.append(Waiting(obj.session_uid, obj.name, resume))


def waits(obj: bpy.types.Object) -> bool:
    """Whether the object is in the queue."""
    return any(one.uid == obj.session_uid for one in _now.waiting)


def waiting() -> list[Waiting]:
    """Who waits, the next one first; deleted objects have left."""
    return [Waiting(one.uid, obj.name, one.resume) for one in _now.waiting if (obj := one.find()) is not None]


def take() -> Waiting | None:
    """The next one, which waits no longer; None where there is none."""
    there = waiting()
    if not there:
        _now.waiting.clear()
        return None
    remove(there[0].uid)
    return there[0]


def remove(uid: int) -> None:
    """Let one wait no longer."""
    _now.waiting[:] = [one for one in _now.waiting if one.uid != uid]


def clear() -> None:
    """Let nobody wait any longer."""
    _now.waiting.clear()
