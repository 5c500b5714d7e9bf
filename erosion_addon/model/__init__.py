# SPDX-License-Identifier: GPL-3.0-or-later
"""What a terrain is and what happens to it. Knows nothing of Blender; numba is imported when a simulation runs."""

from .checkpoint import Checkpoint
from .errors import InputError
from .fields import FIELDS, Field
from .progress import Progress
from .recipe import Recipe, Step
from .results import Results
from .simulation import erode, resume, simulate
from .terrain import Terrain

__all__ = [
    "FIELDS", "Checkpoint", "Field", "InputError", "Progress", "Recipe", "Results", "Step", "Terrain",
    "erode", "resume", "simulate",
]  # fmt: skip
