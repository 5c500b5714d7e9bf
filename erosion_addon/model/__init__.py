# SPDX-License-Identifier: GPL-3.0-or-later
"""What a terrain is and what happens to it. Knows nothing of Blender; numba is imported when a simulation runs."""

from .errors import InputError
from .fields import FIELDS, Field
from .recipe import Recipe, Step
from .simulation import Progress, erode, simulate
from .terrain import Terrain

__all__ = ["FIELDS", "Field", "InputError", "Progress", "Recipe", "Step", "Terrain", "erode", "simulate"]
