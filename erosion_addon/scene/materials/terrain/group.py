# SPDX-License-Identifier: GPL-3.0-or-later
"""All nodes of the group "Terrain", by the titles of its parts."""

from .cover import COVER
from .place import PLACE
from .ripples import RIPPLES
from .rock import ROCK
from .surface import SURFACE
from .water import WATER

VERSION = 17

NODES = {
    "Place and Noise": PLACE,
    "Sediment, Rock and Plants": COVER,
    "Rock": ROCK,
    "Wet Ground, Snow, Water": WATER,
    "Ripples": RIPPLES,
    "Light and Surface": SURFACE,
}
