# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of mountains eroded by water: before, the ground after, and water, soil and grass on it.

Writes build/examples/water_*.png: rain alone, rain under drifting clouds, a spring in dry land, a
sea that rises.
"""

import sys
from pathlib import Path

import matplotlib.image
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from erosion_addon import Recipe, Terrain, erode  # noqa: E402

OUT = ROOT / "build" / "examples"
SIDE = 256
CELL_SIZE = 20.0
RELIEF = 500.0

SCENES = {
    "valley": {},
    "clouds": {"cloud_cover": 0.3, "cloud_size": 2000.0, "wind_speed": 3.0, "rain": 80.0},
    "spring": {"rain": 0.0, "springs": [[0.35, 0.85, 60.0], [0.9, 0.6, 30.0]], "drying": 0.1},
    "sea": {"standing_water": "edges", "water_level": 165.0, "pipe_depth": 20.0},
}
"""Parameters of the water step by name of the picture."""


def mountains() -> np.ndarray:
    """Fractal heights in meters, (rows, cols)."""
    noise = np.fft.fft2(np.random.default_rng(7).standard_normal((SIDE, SIDE)))
    frequency = np.hypot(np.fft.fftfreq(SIDE)[:, None], np.fft.fftfreq(SIDE))
    frequency[0, 0] = np.inf
    heights = np.fft.ifft2(noise / frequency**2.1).real
    return (heights - heights.min()) / np.ptp(heights) * RELIEF


def shaded(elevation: np.ndarray) -> np.ndarray:
    """Hillshade (rows, cols, 1), light from the north-west, 40° high."""
    slope_y, slope_x = np.gradient(elevation, CELL_SIZE)
    sun = np.radians(40.0)
    light = (slope_x - slope_y) * np.sqrt(0.5) * np.cos(sun) + np.sin(sun)
    return np.clip(light / np.sqrt(slope_x**2 + slope_y**2 + 1.0), 0.0, 1.0)[..., None]


def colors(terrain: Terrain) -> np.ndarray:
    """Hillshade under soil (ochre), grass (green) and water (blue, darker where deeper)."""
    light = shaded(terrain.elevation)
    color = np.ones(3) * 0.95
    for share, tint in (
        (np.clip((terrain["soil"] + terrain["sediment"]) / 2.0, 0, 1) * 0.5, (0.85, 0.70, 0.45)),
        (terrain["grass"] * 0.8, (0.35, 0.65, 0.20)),
    ):
        color = color + share[..., None] * (np.array(tint) - color)
    depth = terrain["water_depth"][..., None]
    water = np.where(depth > 0.05, 0.4 + 0.5 * np.clip(depth / 3.0, 0, 1), 0.0)
    return light * color * (1 - water) + np.array([0.12, 0.32, 0.75]) * water * (0.6 + 0.4 * light)


def main() -> None:
    """Erode the mountains in each way and write the pictures."""
    OUT.mkdir(parents=True, exist_ok=True)
    before = Terrain(mountains(), CELL_SIZE)
    for name, parameters in SCENES.items():
        recipe = Recipe.from_dict(
            {"name": name, "step": [{"kind": "water", "duration": 4.0, **parameters}]}
        )
        after = erode(before, recipe)
        panels = [
            shaded(before.elevation).repeat(3, 2),
            shaded(after.elevation).repeat(3, 2),
            colors(after),
        ]
        picture = np.ascontiguousarray(np.clip(np.hstack(panels)[::-1], 0, 1))
        matplotlib.image.imsave(OUT / f"water_{name}.png", picture.repeat(2, 0).repeat(2, 1))
        print(OUT / f"water_{name}.png", after.report["mass"], after.report["steps"][0])


if __name__ == "__main__":
    main()
