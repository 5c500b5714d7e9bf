# SPDX-License-Identifier: GPL-3.0-or-later
"""A landscape of tiles, eroded on a cluster of this machine while a worker is killed, and once more
undisturbed.

`python examples/landscape.py --cells 4096 --tile 1024 --workers 2`. Prints whether the hashes of
all tiles are equal, and leaves pictures of the whole and of a corner where four tiles meet in
build/landscape/.
"""

import argparse
import os
import shutil
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.landscape import export, make
from erosion_addon.landscape.cluster import cluster
from erosion_addon.landscape.erode import Alone, Workers, erode
from erosion_addon.landscape.plan import COARSE
from erosion_addon.landscape.storage.folder import Landscape, Tile, Window
from erosion_addon.landscape.storage.manifest import Manifest
from erosion_addon.recipe.recipe import Recipe

OUT = Path(__file__).resolve().parents[1] / "build" / "landscape"
CELL = 4.0
"""Meters."""

AT_WORK = 0.5
"""Seconds after which a worker is in the middle of its next task."""

CORNER = 256
"""Cells to each side of the corner that is shown."""


def start(folder: Path, cells: int, tile: int) -> Landscape:
    """The landscape before erosion, made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    heights = make.generated("fractal", (cells, cells), CELL, 3, {"relief": 1500.0}, None)
    return make.make(folder, Manifest(cells, cells, tile, (CELL, CELL), "fractal, seed 3"), heights)


def eroded(
    folder: Path, recipe: str, coarse: int, workers: Workers, killed: list[int]
) -> Landscape:
    """The landscape eroded. coarse: see `erode`. killed: processes to kill after the first task."""

    def on_progress(fraction: float, message: str) -> None:
        print(f"  {fraction:4.0%}  {message}", flush=True)
        if killed:
            time.sleep(AT_WORK)
            process = killed.pop()
            print(f"  killing worker {process}")
            os.kill(process, signal.SIGKILL)

    begin = time.perf_counter()
    landscape = erode(folder, Recipe.load(recipe), workers, coarse=coarse, on_progress=on_progress)
    cells = landscape.manifest.rows * landscape.manifest.cols
    print(f"  {cells / (time.perf_counter() - begin) / 1e6:.2f} million cells a second")
    return landscape


def main() -> None:
    """The whole example."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--cells", type=int, default=4096)
    words.add_argument("--tile", type=int, default=1024)
    words.add_argument("--coarse", type=int, default=COARSE)
    words.add_argument("--workers", type=int, default=2)
    words.add_argument("--recipe", default="alpine with scree")
    arguments = words.parse_args()
    print("One worker is killed on the way:")
    start(OUT / "killed", arguments.cells, arguments.tile)
    with cluster(workers=arguments.workers) as workers:
        disturbed = eroded(
            OUT / "killed", arguments.recipe, arguments.coarse, workers, workers.processes()[:1]
        )
    print("In this process:")
    start(OUT / "calm", arguments.cells, arguments.tile)
    calm = eroded(OUT / "calm", arguments.recipe, arguments.coarse, Alone(), [])
    same = calm.manifest.layers == disturbed.manifest.layers
    print(f"The hashes of all tiles are {'equal' if same else 'NOT EQUAL'}.")
    corner = calm.window(Tile(1, 1))
    aside = min(CORNER, arguments.tile)
    detail = Window(
        corner.top - aside, corner.top + aside, corner.left - aside, corner.left + aside
    )
    images = OpenImageIOFiles()
    images.write(OUT / "whole.png", export.picture(calm, 1024), "uint16")
    images.write(OUT / "corner.png", export.close_up(calm, detail), "uint16")
    print(f"Pictures: {OUT / 'whole.png'}, {OUT / 'corner.png'}")
    sys.exit(not same)


if __name__ == "__main__":
    main()
