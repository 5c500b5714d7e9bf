# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain erosion: for Blender as an extension, and without Blender as a command and a library."""

TYPE_CHECKING = False  # typing would be the first import of `python -m`, see __main__
if TYPE_CHECKING:
    from typing import Any

VERSION = "0.2.0"

ADDRESSES = {
    "Checkpoint": "run.checkpoint",
    "Field": "terrain.fields",
    "FIELDS": "terrain.fields",
    "InputError": "base.errors",
    "Progress": "run.progress",
    "Recipe": "recipe.recipe",
    "Results": "run.step_cache",
    "Step": "recipe.recipe",
    "Terrain": "terrain.terrain",
    "erode": "run.simulation",
    "erode_region": "run.region.rerun",
    "resume": "run.region.resuming",
    "simulate": "run.simulation",
    "simulate_region": "run.region.rerun",
}
"""Public names and where they lie; imported on first use, because Blender starts with none of
them.
"""


def __getattr__(name: str) -> "Any":
    if name not in ADDRESSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .base.doors import opened

    return opened(__name__, f"{ADDRESSES[name]}.{name}")


def __dir__() -> list[str]:
    return sorted([*globals(), *ADDRESSES])


def register() -> None:
    """Switch the extension on in Blender."""
    import gc

    collecting = gc.isenabled()
    # modules and classes stay; looking for garbage among them is an eighth of the time
    gc.disable()
    try:
        from . import ui

        ui.register()
    finally:
        if collecting:
            gc.enable()


def unregister() -> None:
    """Switch the extension off again; a run under way ends."""
    from . import ui

    ui.unregister()
