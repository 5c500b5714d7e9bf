# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a terrain was made from or reads, whose place no export may take; and where on Earth it lies."""

from pathlib import Path

import bpy

from ...files.headers.georeference import Georeference
from ...terrain.masks import MASK_KINDS

MADE_FROM = "erosion_made_from"
"""Custom property of a terrain: absolute path of the file that it was imported from."""
GEOREFERENCE = "erosion_georeference"
"""Custom property of a terrain: the georeference of that file, as text."""


def made_from(terrain: bpy.types.Object, path: Path, georeference: Georeference | None = None) -> None:
    """Remember the file that a terrain was imported from, and where on Earth that lies."""
    terrain[MADE_FROM] = str(path.absolute())
    if georeference is not None:
        terrain[GEOREFERENCE] = georeference.to_text()


def georeference_of(terrain: bpy.types.Object) -> Georeference | None:
    """Where on Earth the heightmap lies that a terrain was imported from; None where that is not known."""
    return Georeference.from_text(terrain.get(GEOREFERENCE))


def of(terrain: bpy.types.Object) -> list[Path]:
    """The files of a terrain: the one that it was imported from, and the images of its masks and its surface color."""
    settings = getattr(terrain, "erosion", None)  # there is none while the extension is off
    images = [settings.surface_color.image, *(getattr(settings, kind).image for kind in MASK_KINDS)] if settings else []
    paths = [bpy.path.abspath(image.filepath, library=image.library) for image in images if image is not None]
    paths.append(terrain.get(MADE_FROM))
    # A path in somebody's file may name a machine, which must not be called.
    return [Path(path) for path in paths if path and isinstance(path, str) and not path.startswith(("\\\\", "//"))]
