# SPDX-License-Identifier: GPL-3.0-or-later
"""Session state of scene and interface: all that is remembered between two calls, on one page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from ..base.errors import InputError

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    import bpy

    from ..files.reading.record import Reading
    from ..worker.client import Runner
    from ..worker.messages import Request
    from .brush.ground import Ground
    from .masks.overlay import MaskOverlay
    from .run.machine import Task
    from .run.preview import Preview
    from .run.run_queue import Waiting
    from .run.water_overlay import Water
    from .terrain.grid import CachedLattice, GridDescription
    from .terrain.lattice import Array
    from .worker.computing import Answer

Function = TypeVar("Function", bound=Callable[..., Any])

NEVER = float("-inf")
"""Time before all others."""


def all_processors() -> int:
    """Default of `Worker.threads`: all processors."""
    return 0


@dataclass
class Run:
    """task: in progress. queue: objects to erode after it. preview: computed or on display."""

    task: Task | None = None
    queue: list[Waiting] = field(default_factory=list)
    preview: Preview | None = None


@dataclass
class Modal:
    """The modal operator of the task.

    returning: whether it is called to attend a running task, not to start one. timers: by number of
    an operator. last_number: given so far. present: number of the operator that attends, 0 for
    none. since: when it began. away: updates that its pause still lasts.
    """

    returning: bool = False
    timers: dict[int, bpy.types.Timer] = field(default_factory=dict)
    last_number: int = 0
    present: int = 0
    since: float = 0.0
    away: int = 0


@dataclass
class Progress:
    """Messages of runs, and the question of Esc.

    messages: by session_uid of the object, since the user started a run on it. asked_at: time at
    which the question was asked or, once it is drawn, seen. turns_left: of the main loop that it
    lasts at least. repeated: operator to repeat in the next turn of the main loop, with its
    properties.
    """

    messages: dict[int, str] = field(default_factory=dict)
    asked_at: float = NEVER
    turns_left: int = 0
    is_question_seen: bool = True
    repeated: tuple[str, dict[str, Any]] | None = None


@dataclass
class Display:
    """Temporary heights and water on terrains.

    positions: session_uid of a mesh → positions (vertices, 3) as last written. before: meshes of
    `positions` that display the terrain before erosion. seconds_per_vertex: measured cost on this
    machine. water_handles: of its draw handler.
    """

    positions: dict[int, Array] = field(default_factory=dict)
    before: set[int] = field(default_factory=set)
    seconds_per_vertex: float = 0.0
    water: Water | None = None
    water_handles: list[Any] = field(default_factory=list)


@dataclass
class Live:
    """Settings that the live preview watches.

    problems: session_uid of an object → reason for its missing preview. settings: of an object at
    the last check. due: time of its last change, while a preview is due. changed: time of the last
    change of the active terrain. note: status of the preview as last drawn.
    """

    problems: dict[int, str] = field(default_factory=dict)
    settings: dict[int, Any] = field(default_factory=dict)
    due: dict[int, float] = field(default_factory=dict)
    changed: float = 0.0
    note: str = ""


@dataclass
class Worker:
    """The worker process.

    fault: reason why it does not work. compiler: process that compiles in the background, running
    or ended. kernel_folder: set by the user; empty for the extension's own. threads: returns the
    maximum number; 0 for all processors. answers: computed ahead. speeds: by kind of step; None
    until the file is read.
    """

    runner: Runner | None = None
    fault: str = ""
    compiler: subprocess.Popen[bytes] | None = None
    kernel_folder: str = ""
    threads: Callable[[], int] = all_processors
    answers: list[tuple[Request, Answer]] = field(default_factory=list)
    speeds: dict[str, float] | None = None


@dataclass
class Warmup:
    """Compilation ahead of a run.

    terrain: session_uid of the object last shown. request: the last one, which is made once: a
    worker ended by Cancel starts again with the next run.
    """

    terrain: int = 0
    request: str = ""


@dataclass
class Terrains:
    """descriptions: session_uid of a mesh → dependencies of its description, and the description or
    the error. lattice: the last one found. unread: file or name of an image that a dialog could not
    draw yet, and how to read it.
    """

    descriptions: dict[int, tuple[Any, GridDescription | InputError]] = field(default_factory=dict)
    lattice: CachedLattice | None = None
    unread: tuple[Path | str, Reading] | None = None


@dataclass
class Brush:
    """ground: of the last stroke."""

    ground: Ground | None = None


@dataclass
class Masks:
    """Masks as read and displayed. A key of a mask is (session_uid of a terrain, kind).

    readings: dependencies of a mask at its last reading, and its problem. due: masks to be read.
    changes: session_uid of a mesh → number of observed changes; 0 → those of everything else.
    handles: of the overlay's draw handlers.
    """

    readings: dict[tuple[int, str], tuple[Any, str | None]] = field(default_factory=dict)
    due: set[tuple[int, str]] = field(default_factory=set)
    displayed: tuple[int, str] | None = None
    changes: dict[int, int] = field(default_factory=dict)
    overlay: MaskOverlay | None = None
    handles: list[Any] = field(default_factory=list)


@dataclass
class Recipes:
    """trusted: paths of recipes chosen by the user in this session. Other paths come from a file,
    perhaps someone else's; neither panels nor timers may access them, as they may lead into a
    network. pictures: Blender's preview collection. folders: set by `offer`, one at most.
    """

    trusted: set[str] = field(default_factory=set)
    pictures: Any = None
    folders: list[str] = field(default_factory=list)


@dataclass
class Steps:
    """without_steps: session_uid of terrains that were drawn before they had steps."""

    without_steps: set[int] = field(default_factory=set)


@dataclass
class Frames:
    """target: session_uid of the object whose slider moved, and the frame it points to."""

    target: tuple[int, int] | None = None


@dataclass
class Variants:
    """result: last variants made. items: entries of the menu, as Blender keeps no texts of its
    own.
    """

    result: Any = None
    pictures: Any = None
    items: list[tuple[str, str, str]] = field(default_factory=list)


class Session:
    """State of the session in typed parts.

    progress, live, brush, steps and frames belong to the open file.
    """

    def __init__(self) -> None:
        self._caches: list[Any] = []
        self.clear()

    def clear(self) -> None:
        """Reset all. Release Blender's resources, such as timers and pictures, before."""
        self.run = Run()
        self.modal = Modal()
        self.display = Display()
        self.worker = Worker()
        self.warmup = Warmup()
        self.terrain = Terrains()
        self.masks = Masks()
        self.recipes = Recipes()
        self.variants = Variants()
        self.begin_file()
        for cache in self._caches:
            cache.cache_clear()

    def begin_file(self) -> None:
        """Reset the state of the previous file."""
        self.progress = Progress()
        self.live = Live()
        self.brush = Brush()
        self.steps = Steps()
        self.frames = Frames()

    def cached(self, size: int | None = None) -> Callable[[Function], Function]:
        """`lru_cache` that `clear` empties."""

        def decorate(function: Function) -> Function:
            cache = lru_cache(size)(function)
            self._caches.append(cache)
            return cache  # type: ignore[return-value]

        return decorate


session = Session()
