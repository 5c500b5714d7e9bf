# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker: a process of its own that erodes, so that nothing it does can freeze or crash Blender.

It never imports bpy. It takes messages on standard input (`run`, `resume`, `finish`, `pause`) and answers on
standard output (`ready`, `progress`, `checkpoint`, `result`, `refused`, `failed`, `broken`). Pipes rather than shared
memory: whichever side dies, however it dies, the system closes them, and nothing is left behind. When its input ends,
the worker ends at once.
"""

import os
import queue
import sys
import threading
import traceback
from collections.abc import Iterator
from importlib import metadata
from typing import BinaryIO

from .checkpoint import Checkpoint
from .errors import InputError
from .masks import MASK_KINDS
from .messages import MASK_PREFIX, Message, receive, send
from .recipe import Recipe
from .simulation import Progress, resume, simulate
from .terrain import Terrain


def main() -> None:
    """Serve until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not end up among the answers
    orders: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    try:
        from ..kernels.compile import prepare

        prepare()
    except Exception:  # noqa: BLE001 - whatever it is, Blender must hear of it
        traceback.print_exc()
        send(answers, "broken", {"reason": _why_broken()})
        os._exit(1)
    send(answers, "ready")
    while True:
        order = orders.get()
        if order.kind in ("run", "resume"):
            _run(order, orders, answers)


def _listen(orders: "queue.SimpleQueue[Message]") -> None:
    while (message := receive(sys.stdin.buffer)) is not None:
        orders.put(message)
    os._exit(0)  # Blender is gone, or wants this process gone: not even a kernel at work may hold it up


def _why_broken() -> str:
    """Extensions share one folder of libraries, so another one may have replaced a file that numba relies on."""
    versions = []
    for name in ("numba", "llvmlite", "numpy"):
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            versions.append(f"no {name}")
    return (
        f"The libraries that erosion needs do not work together here ({', '.join(versions)}); another extension may "
        "have replaced one: reinstall Terrain Erosion, or disable the other extension, and restart Blender."
    )


def _run(order: Message, orders: "queue.SimpleQueue[Message]", answers: BinaryIO) -> None:
    try:
        for progress in _simulation(order):
            send(answers, "progress", {"fraction": progress.fraction, "message": progress.message})
            if not orders.empty():  # only `finish` and `pause` come during a run
                if orders.get().kind == "pause" and progress.fraction < 1:
                    checkpoint = progress.checkpoint
                    send(answers, "checkpoint", checkpoint.values, checkpoint.arrays)
                break
        after = progress.terrain
        send(answers, "result", {"report": after.report}, {"elevation": after.elevation, **after.fields})
    except InputError as error:
        send(answers, "refused", {"reason": str(error)})
    except MemoryError:
        send(answers, "refused", {"reason": "There is not enough memory for this terrain; use fewer cells."})
    except Exception:  # noqa: BLE001 - whatever it is, Blender must hear of it
        send(answers, "failed", {"reason": traceback.format_exc()})


def _simulation(order: Message) -> Iterator[Progress]:
    """A run from the start, or from where it was paused."""
    values, arrays = order.values, order.arrays
    if order.kind == "resume":
        return resume(Checkpoint(values, arrays), values["threads"])
    # Popped, so that what the terrain copies is not held twice.
    masks = {kind: arrays.pop(MASK_PREFIX + kind) for kind in MASK_KINDS if MASK_PREFIX + kind in arrays}
    terrain = Terrain(arrays.pop("elevation"), tuple(values["spacing"]), arrays)
    return simulate(terrain, Recipe.from_dict(values["recipe"]), masks=masks, threads=values["threads"])
