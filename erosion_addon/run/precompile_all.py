# SPDX-License-Identifier: GPL-3.0-or-later
"""Background process that compiles all kernels of start terrains and shipped recipes ahead of time.

The kernels of a run depend on its recipe, and on the masks and layers of the terrain: without this,
another recipe or a first mask would mean another wait. The process runs at low priority, leaves the
machine code in the cache, where workers find it, and ends with its standard input.
"""

import itertools
import os
import sys
import threading
from pathlib import Path

from ..base.data_files import shipped
from ..base.errors import print_traceback
from ..base.parameters import specifications
from ..generators.registry import SOURCES, make
from ..processes.registry import PROCESSES
from ..processes.shared.process import Process
from ..recipe.recipe import Recipe
from ..terrain.fields import FIELDS
from ..terrain.masks import MASK_KINDS
from .precompile import SIDE, rehearse

SPACING = (10.0, 10.0)

MASKS: tuple[tuple[str, ...], ...] = ((), tuple(MASK_KINDS))
"""A kernel takes all masks in one array or none; the rain mask for starting drops is another
array.
"""

_ALL = tuple(name for name in FIELDS if name != "elevation")
LAYERS: tuple[tuple[str, ...], ...] = ((), tuple(name for name in _ALL if name != "grass"), _ALL)
"""Without layers, and with all but grass, which acts as a mask."""

MARK = "complete"
"""Marker file in a complete cache."""


def compile_all() -> None:
    """Make start terrains of compiled kernels, and rehearse every shipped recipe, and every process
    by itself, with all combinations of masks and layers.
    """
    for kind in (kind for kind, source in SOURCES.items() if source.compiled):
        make(kind, SIDE, SIDE)
    alone = [
        _step(kind, **values) for kind, process in PROCESSES.items() for values in _forms(process)
    ]
    for recipe, masks, layers in itertools.product(
        [*map(Recipe.load, shipped()), *alone], MASKS, LAYERS
    ):
        rehearse(recipe, SPACING, masks, layers)


def _step(kind: str, **values: object) -> Recipe:
    return Recipe.from_dict({"name": kind, "step": [{"kind": kind, **values}]})


def _forms(process: Process) -> list[dict[str, object]]:
    """The process with its defaults, and with each other choice by itself."""
    forms: list[dict[str, object]] = [{}]
    for name, item in specifications(process.parameters).items():
        alternatives = (not item.default,) if isinstance(item.default, bool) else item.choices
        forms += [
            {name: alternative} for alternative in alternatives if alternative != item.default
        ]
    return forms


def main() -> None:
    """Compile the missing kernels; never returns."""
    if sys.platform != "win32":  # on Windows the starting process sets the priority
        os.nice(19)
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        from ..base.kernels.jit import CACHE

        if CACHE is not None and not (CACHE / MARK).exists():
            compile_all()
            Path(CACHE / MARK).touch()
    except Exception:  # noqa: BLE001 - if it matters, the worker will say so
        print_traceback()
    finally:
        os._exit(0)


def _end_with_input() -> None:
    try:
        sys.stdin.buffer.read()
    finally:
        os._exit(0)
