# SPDX-License-Identifier: GPL-3.0-or-later
"""Public names under their first address; `from erosion_addon import …` gives the same."""

from ..base.errors import InputError
from ..local.rerun import erode_region, simulate_region
from ..local.resuming import resume
from ..recipe.recipe import Recipe, Step
from ..run.checkpoint import Checkpoint
from ..run.progress import Progress
from ..run.simulation import erode, simulate
from ..run.step_cache import Results
from ..terrain.fields import FIELDS, Field
from ..terrain.terrain import Terrain

__all__ = [
    "FIELDS",
    "Checkpoint",
    "Field",
    "InputError",
    "Progress",
    "Recipe",
    "Results",
    "Step",
    "Terrain",
    "erode",
    "erode_region",
    "resume",
    "simulate",
    "simulate_region",
]
