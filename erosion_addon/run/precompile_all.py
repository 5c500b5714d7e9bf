# SPDX-License-Identifier: GPL-3.0-or-later
"""All that runs by shipped recipes call, compiled before anybody waits for it, in a process of its own.

Which kernels a run calls depends on its recipe, on the masks and on the layers that the terrain has: whoever chooses
another recipe or paints a first mask would wait again. The process steps back behind all others, leaves the machine
code in the user's folder, where workers find it, and ends with its standard input.
"""

import itertools
import os
import sys
import threading
import traceback
from pathlib import Path

from ..base.data_files import shipped
from ..base.parameters import specifications
from ..processes.registry import PROCESSES
from ..processes.shared.process import Process
from ..recipe.recipe import Recipe
from ..terrain.fields import FIELDS
from ..terrain.masks import MASK_KINDS
from .precompile import rehearse

SPACING = (10.0, 10.0)

MASKS: tuple[tuple[str, ...], ...] = ((), tuple(MASK_KINDS))
"""A kernel takes all masks in one array or none at all, and where drops start in another one."""

_ALL = tuple(name for name in FIELDS if name != "elevation")
LAYERS: tuple[tuple[str, ...], ...] = ((), tuple(name for name in _ALL if name != "grass"), _ALL)
"""Once all but grass, which is a mask too."""

MARK = "complete"
"""File among the machine code where nothing is missing."""


def compile_all() -> None:
    """Rehearse every shipped recipe, and every process by itself, with masks and layers of every kind."""
    alone = [_step(kind, **given) for kind, process in PROCESSES.items() for given in _forms(process)]
    for recipe, masks, layers in itertools.product([*map(Recipe.load, shipped()), *alone], MASKS, LAYERS):
        rehearse(recipe, SPACING, masks, layers)


def _step(kind: str, **given: object) -> Recipe:
    return Recipe.from_dict({"name": kind, "step": [{"kind": kind, **given}]})


def _forms(process: Process) -> list[dict[str, object]]:
    """The process as it is, and with each other choice, switched each by itself."""
    forms: list[dict[str, object]] = [{}]
    for name, item in specifications(process.parameters).items():
        others = (not item.default,) if isinstance(item.default, bool) else item.choices
        forms += [{name: other} for other in others if other != item.default]
    return forms


def main() -> None:
    """Compile what is missing; never returns."""
    if sys.platform != "win32":  # where it is the starting process that says so
        os.nice(19)
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        from ..kernels.compile import CACHE

        if CACHE is not None and not (CACHE / MARK).exists():
            compile_all()
            Path(CACHE / MARK).touch()
    except Exception:  # noqa: BLE001 - if it matters, the worker will say so
        traceback.print_exc()
    finally:
        os._exit(0)


def _end_with_input() -> None:
    try:
        sys.stdin.buffer.read()
    finally:
        os._exit(0)
