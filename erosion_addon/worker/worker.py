# SPDX-License-Identifier: GPL-3.0-or-later
"""Worker: the process that erodes, so that no fault in it can freeze or crash Blender. It never
imports bpy.

Messages on standard input: `run`, `resume`; during a run `heights`, `finish`, `pause`, `stop`;
between runs `warm`, `compute`, `paint`. Answers on standard output: `ready`, `compiling`, `start`,
`progress`, `heights`, `frames lost`, `checkpoint`, `result`, `preview`, `computed`, `painted`,
`refused`, `failed`, `broken`, `warm`. Answers to a run carry its number.

Pipes, not shared memory: when either side dies, the system closes them, and nothing is left behind.
The worker exits as soon as its input ends. If one of its two threads ends, so does the process,
with an exit code that `client` explains.
"""

import io
import json
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, BinaryIO

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError, Sentence, print_traceback
from ..base.parameters import specifications
from ..base.threads import OnProgress
from ..grid.resample import spread
from ..recipe.recipe import Recipe
from ..run.checkpoint import Checkpoint
from ..run.frames.frame_settings import FrameSettings
from ..run.frames.sequence import Frames
from ..run.precompile import rehearse
from ..run.progress import Gauge, Progress
from ..run.region.rerun import LOCAL_MASKS, begin
from ..run.region.resuming import compile_rest, result_fields, resume
from ..run.simulation import OutOfBoundsError, RunOptions
from ..run.step_cache import Results
from ..terrain.limits import NO_LIMITS
from ..terrain.masks import MASK_KINDS
from ..terrain.terrain import Terrain
from .diagnostics import versions, why_broken
from .messages import MASK_PREFIX, NO_MEMORY, REGION, Message, Request, receive, send
from .painting import Painting
from .services import FEW, compute
from .throttle import Throttle

LOOK_SECONDS = 0.05
"""Shortest time between two snapshots of the heights."""

TELL_SECONDS = 0.05
"""Shortest time between two messages of progress: chunks are tiny where frames are kept."""

SHARE = 0.03
"""Greatest share of a run's time for making and sending snapshots."""

NICENESS = 5
"""Niceness of the worker: Blender's window has priority."""

_results = Results()
"""Cached steps of earlier runs."""

_rehearsed: set[str] = set()
"""Choices of recipes whose kernels are compiled."""

_paintings: list[Painting] = []
"""The terrain under the brush, if any."""


def main() -> None:
    """Serve until standard input ends; never returns."""
    with _last_of_the_process():
        _serve()


@contextmanager
def _last_of_the_process() -> Iterator[None]:
    """End the process at the end of the block, even after an error: the two threads need each
    other, and one alone would hang.
    """
    code = 1
    try:
        yield
        code = 0
    except MemoryError:
        code = NO_MEMORY
    except BrokenPipeError:  # nobody reads the answers any more
        code = 0
    except BaseException:  # noqa: BLE001 - whatever it is, this is the end
        print_traceback()
    finally:
        # Not even a kernel at work may hold it up, as the interpreter's own end would let it.
        os._exit(code)


def _serve() -> None:
    if sys.platform != "win32":  # where it is the starting process that says so
        os.nice(NICENESS)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # the output of libraries must not mix with the answers
    orders: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    try:
        from ..base.kernels.jit import prepare

        prepare()
    except Exception:  # noqa: BLE001 - whatever it is, Blender must hear of it
        print_traceback()
        send(answers, "broken", {"reason": why_broken()})
        return
    send(answers, "ready", {"libraries": versions()})
    while True:
        _follow(orders.get(), orders, answers)


def _follow(order: Message, orders: "queue.SimpleQueue[Message]", answers: BinaryIO) -> None:
    """Process orders; orders for a finished run are ignored."""
    if order.kind in ("run", "resume"):
        _run(order, orders, answers)
    elif order.kind == "warm":
        _warm(order, orders, answers)
    elif order.kind == "compute":
        _compute(order, answers)
    elif order.kind == "paint":
        _paint(order, answers)


def _listen(orders: "queue.SimpleQueue[Message]") -> None:
    # The process ends if Blender has ended or closed the pipe, or if the pipe fails.
    with _last_of_the_process():
        while (message := receive(sys.stdin.buffer)) is not None:
            orders.put(message)
            del message  # which may be large, while the next one may be long in coming


def _teller(answers: BinaryIO) -> OnProgress:
    return lambda fraction, message: send(
        answers, "compiling", {"fraction": fraction, "message": message}
    )


def _warm(order: Message, orders: "queue.SimpleQueue[Message]", answers: BinaryIO) -> None:
    """Compile the kernels of a recipe until another order arrives."""
    values = order.values
    try:
        recipe = Recipe.from_dict(values["recipe"])
        spacing = tuple(values["spacing"])
        rehearse(recipe, spacing, values["masks"], values["fields"], _teller(answers), orders.empty)
    except Exception:  # noqa: BLE001 - if it matters, the run will say so
        print_traceback()
    send(answers, "warm")


def _compute(order: Message, answers: BinaryIO) -> None:
    """Answer a request; it can only be cut short by killing the process."""
    lock = threading.Lock()
    number = order.values["run"]

    def answer(kind: str, values: dict[str, Any], arrays: dict[str, Array] | None = None) -> None:
        with lock:  # several threads report progress
            send(answers, kind, {"run": number, **values}, arrays)

    def on_progress(fraction: float, message: str) -> None:
        answer(
            "progress",
            {"fraction": fraction, "message": message, "speed": "", "seconds_left": None},
        )

    def tell_of_compiling(count: int, left: int) -> None:
        answer(
            "compiling", {"fraction": count / max(count + 1, FEW), "message": "Compiling (once)"}
        )

    with _explained(answer):
        request = Request(order.values["service"], order.values["values"], order.arrays)
        with _compiling(tell_of_compiling):
            result = compute(request, order.values["threads"], on_progress)
        answer("computed", {}, result)


def _compiling(on_progress: Callable[[int, int], None]) -> AbstractContextManager[None]:
    """Context that reports compiled kernels, see `compile_progress`."""
    from ..base.kernels.jit import compile_progress

    return compile_progress(on_progress)


def _paint(order: Message, answers: BinaryIO) -> None:
    """Do some dabs of a stroke."""
    values = order.values

    def answer(kind: str, content: dict[str, Any], arrays: dict[str, Array] | None = None) -> None:
        send(answers, kind, {"run": values["run"], **content}, arrays)

    def on_progress(count: int, left: int) -> None:
        fraction = count / max(count + left, FEW)
        answer("compiling", {"fraction": fraction, "message": "Compiling for the brush (once)"})

    with _explained(answer), _compiling(on_progress):
        if order.arrays:
            _paintings[:] = [Painting(values, order.arrays)]
        if not _paintings:
            raise InputError("The terrain under the brush is gone; paint the stroke again.")
        painting = _paintings[0]
        if "stroke" in values:
            painting.begin(values["stroke"])
        box, changed = painting.dab(values["dabs"])
        if values["end"]:
            box, changed = painting.end()
        answer(
            "painted", {"box": box, "ended": values["end"], "dabs": len(values["dabs"])}, changed
        )


@contextmanager
def _explained(answer: Callable[..., None]) -> Iterator[None]:
    """Report an error as the answer."""
    try:
        yield
    except InputError as error:
        answer("refused", {"reason": error.sentence})
    except MemoryError:
        _results.clear()
        reason = Sentence("There is not enough memory for this terrain; use fewer cells.")
        answer("refused", {"reason": reason})
    except Exception:  # noqa: BLE001 - whatever it is, Blender must hear of it
        answer("failed", {"reason": traceback.format_exc()})


def _run(order: Message, orders: "queue.SimpleQueue[Message]", answers: BinaryIO) -> None:
    def answer(kind: str, values: dict[str, Any], arrays: dict[str, Array] | None = None) -> None:
        send(answers, kind, {"run": order.values["run"], **values}, arrays)

    shape = order.values.get("preview")
    before = order.arrays["elevation"] if shape is not None else None
    with _explained(answer):
        try:
            progress, word = _erode(_simulation(order, _teller(answers), answer), orders, answer)
        except OutOfBoundsError as error:
            if error.progress is None or shape is not None:
                raise
            progress = error.progress
            word = ""
        if word == "pause" and progress.fraction < 1:
            answer("checkpoint", {}, _file_of(progress))
        if word in ("finish", "pause"):
            progress.drain()
        if shape is not None and word != "stop":
            answer("preview", {}, {"change": spread(progress.elevation - before, shape)})
        elif word != "stop":
            after = progress.result
            answer(
                "result", {"report": after.report}, {"elevation": after.elevation, **after.fields}
            )


def _erode(
    simulation: Iterator[Progress],
    orders: "queue.SimpleQueue[Message]",
    answer: Callable[..., None],
) -> tuple[Progress, str]:
    """Work until the end, or an order to `finish`, `pause` or `stop`; returns the progress and the
    order.
    """
    gauge = Gauge()
    throttle = Throttle(SHARE, LOOK_SECONDS)
    is_due = False
    telling = Throttle(SHARE, TELL_SECONDS)
    for progress in simulation:
        if telling.due:
            start = time.perf_counter()
            values = {
                "fraction": progress.fraction,
                "message": progress.message,
                "speed": gauge.speed(progress),
            }
            answer("progress", {**values, "seconds_left": gauge.seconds_left(progress)})
            telling.record(time.perf_counter() - start)
        while not orders.empty():
            word = orders.get().kind
            if word == "heights":
                is_due = True
            elif word == "warm":
                answer("warm", {})  # too late: a run compiles its kernels when it begins
            else:
                return progress, word
        if is_due and throttle.due:
            start = time.perf_counter()
            is_due = False
            snapshot = {"elevation": progress.elevation, "water_depth": progress.water_depth}
            answer(
                "heights",
                {},
                {
                    name: np.float32(values)
                    for name, values in snapshot.items()
                    if values is not None
                },
            )
            throttle.record(time.perf_counter() - start)
    return progress, ""


def _rehearse(
    recipe: Recipe, terrain: Terrain, masks: Iterable[str], on_progress: OnProgress
) -> None:
    """Compile a recipe's kernels, unless one of the same choices ran here before, as a rehearsal
    takes time.

    The kernels of a recipe depend on words, switches and parameters that are 0 or at their limit.
    """
    steps = [
        (step.kind, _choices(step.parameters), step.limits != NO_LIMITS) for step in recipe.steps
    ]
    masks = sorted(masks)
    fields = sorted(terrain.fields)
    key = json.dumps([steps, recipe.edges, bool(recipe.strata), masks, fields])
    if key not in _rehearsed:
        rehearse(recipe, terrain.spacing, masks, fields, on_progress)
        _rehearsed.add(key)


def _choices(parameters: Any) -> list[Any]:
    """Values of parameters; numbers and lists count only as 0, empty or highest, as a limit of 90°
    is.
    """
    pairs = (
        (getattr(parameters, name), declaration.high)
        for name, declaration in specifications(parameters).items()
    )
    return [
        value if isinstance(value, str | bool) else [bool(value), value == high]
        for value, high in pairs
    ]


def _file_of(progress: Progress) -> dict[str, Array]:
    """Checkpoint of a run as the bytes of its file; empty if memory does not suffice."""
    content = io.BytesIO()
    try:
        progress.checkpoint.write(content)
        return {"file": np.frombuffer(content.getbuffer(), np.uint8)}
    except MemoryError:
        return {}


def _simulation(
    order: Message, on_progress: OnProgress, answer: Callable[..., None]
) -> Iterator[Progress]:
    """Simulation from the start, or from a checkpoint, with its kernels compiled first.

    For a resumed run, the first answer is the elevation that it began with, and the fields of its
    result.
    """
    values = order.values
    arrays = order.arrays

    def lost(reason: str) -> None:
        answer("frames lost", {"reason": reason})

    if order.kind == "resume":
        checkpoint = Checkpoint.read(io.BytesIO(arrays.pop("file").data), "The paused run")
        start = checkpoint.part("start")["elevation"]
        frame_settings = FrameSettings.from_json(values["frames"])
        frames = frame_settings and Frames.of_paused_run(frame_settings.folder, start)
        compile_rest(checkpoint, on_progress)
        run = resume(checkpoint, values["threads"], _results)
        answer("start", {"fields": sorted(result_fields(checkpoint))}, {"elevation": start})
        return frames.keep(run, lost=lost) if frames else run
    # Popped, so that arrays copied by the terrain are not held twice.
    region = arrays.pop(REGION, None)
    masks = {
        kind: arrays.pop(MASK_PREFIX + kind) for kind in MASK_KINDS if MASK_PREFIX + kind in arrays
    }
    terrain = Terrain(arrays.pop("elevation"), tuple(values["spacing"]), arrays)
    recipe = Recipe.from_dict(values["recipe"])
    edges = recipe.edges  # the artist's, who sees them in the panel
    frame_settings = FrameSettings.from_json(values["frames"])
    frames = frame_settings and frame_settings.begin()
    local: frozenset[str] = frozenset() if region is None else LOCAL_MASKS
    _rehearse(recipe, terrain, local.union(masks), on_progress)
    options = RunOptions(
        edges=edges,
        masks=masks,
        threads=values["threads"],
        # a step from memory has no states on the way, and no window is the same again
        results=None if frames or region is not None else _results,
        adds_up=values["adds_up"],
    )
    run = begin(terrain, recipe, options, region)
    return frames.keep(run, terrain, lost) if frames else run
