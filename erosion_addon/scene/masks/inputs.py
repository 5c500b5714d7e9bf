# SPDX-License-Identifier: GPL-3.0-or-later
"""Input files of a terrain (no export may overwrite them), and its georeference."""

from collections.abc import Iterable
from pathlib import Path

import bpy

from ...base.regular_files import is_in_network
from ...files.headers.georeference import Georeference

MADE_FROM = "erosion_made_from"
"""Custom property of a terrain: absolute path of the imported file."""
GEOREFERENCE = "erosion_georeference"
"""Custom property of a terrain: georeference of that file, as text."""


def made_from(
    terrain: bpy.types.Object, path: Path, georeference: Georeference | None = None
) -> None:
    """Store the imported file of a terrain, and its georeference."""
    terrain[MADE_FROM] = str(path.absolute())
    if georeference is not None:
        terrain[GEOREFERENCE] = georeference.to_text()


def georeference_of(terrain: bpy.types.Object) -> Georeference | None:
    """Georeference of the terrain's heightmap; None if unknown."""
    return Georeference.from_text(terrain.get(GEOREFERENCE))


def of(terrain: bpy.types.Object, images: Iterable[bpy.types.Image]) -> list[Path]:
    """Input files of a terrain: imported heightmap, and files of its images."""
    paths = [bpy.path.abspath(image.filepath, library=image.library) for image in images]
    paths.append(terrain.get(MADE_FROM))
    return [
        Path(path) for path in paths if path and isinstance(path, str) and not is_in_network(path)
    ]
