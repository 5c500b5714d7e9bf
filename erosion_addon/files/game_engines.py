# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmap conventions of game engines: sizes, order of rows, names of tiles, and values for
import dialogs.

Sources: Epic, "Landscape Technical Guide" (recommended sizes; heights from -256 to 255.992 for a Z
scale of 1, in 16 bits around 32768; Z scale = centimeters / 512), "Importing and Exporting
Landscape Heightmaps" and the engine's LandscapeDataAccess.h (LANDSCAPE_ZSCALE 1/128) and
LandscapeFileFormatRaw.cpp (raw files are little-endian, and the .json beside one tells width,
height and bpp). Unity, "Working with Heightmaps" and TerrainData.heightmapResolution (2ⁿ + 1),
Terrain Tools, "Import Heightmap" (tiles end in _X_Z), and the reference source TerrainWizards.cs (a
raw file's first row lies at z = 0, and 65536, one more than white, is the height of the terrain).
"""

from typing import Any, NamedTuple

WHITE = 65535
_UNREAL_MIDDLE = 32768
_UNREAL_STEPS = 128
"""Gray levels per unit of height in a landscape with a Z scale of 1, where the unit is a
centimeter.
"""


class Engine(NamedTuple):
    """Conventions of an engine. tile: pattern of tile names with `name`, `x` and `y`.

    bottom_first: whether raw files and tile numbers start at the smallest y.
    """

    label: str
    sizes: tuple[int, ...]
    tile: str = "{name}_x{x}_y{y}"
    bottom_first: bool = False

    def nearest(self, side: int) -> int:
        """Size with the least stretching of a number of points."""
        return min(self.sizes, key=lambda size: max(size / side, side / size), default=side)


ANY = Engine("any program", ())
ENGINES = {
    "unreal": Engine("Unreal", (505, 1009, 2017, 4033, 8129)),
    "unity": Engine(
        "Unity", (129, 257, 513, 1025, 2049, 4097), "{name}_{x}_{y}", bottom_first=True
    ),
}


def unreal_values(
    spacing: tuple[float, float], height_range: tuple[float, float]
) -> dict[str, Any]:
    """Scale and location for Unreal, in centimeters; spacing: (row, col) m, height_range: m of
    black and white.

    v stands for (v - 32768) / 128 · scale z + location z, so that black and white lie 65535 / 128
    scales apart.
    """
    low, high = height_range
    scale_z = 100 * (high - low) * _UNREAL_STEPS / WHITE
    return {
        "scale": [100 * spacing[1], 100 * spacing[0], scale_z],
        "location_z": 100 * low + _UNREAL_MIDDLE / _UNREAL_STEPS * scale_z,
    }


def unity_values(
    shape: tuple[int, int],
    spacing: tuple[float, float],
    height_range: tuple[float, float],
    bottom_first: bool,
) -> dict[str, Any]:
    """Terrain size and position for Unity, in meters, for a heightmap of (rows, cols) points; v
    stands for v / 65536 · height.
    """
    low, high = height_range
    return {
        "terrain_width": (shape[1] - 1) * spacing[1],
        "terrain_length": (shape[0] - 1) * spacing[0],
        "terrain_height": (high - low) * (WHITE + 1) / WHITE,
        "position_y": low,
        "heightmap_resolution": shape[1],
        "depth": "16 bit",
        "byte_order": "Windows",
        "flip_vertically": not bottom_first,
    }
