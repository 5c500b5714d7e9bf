# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a rendered picture of a terrain."""

from dataclasses import dataclass

VIEWS = ("file", "composed", "across", "whole")
"""Cameras: the file's own; composed with foreground, depth and a leading line; from above one side,
filling the picture; from afar, showing everything.
"""

LIGHTS = ("morning", "noon", "overcast", "golden")
"""Kinds of daylight, see `scene.stage.daylight`."""

ENGINES = ("eevee", "cycles", "file")

PICTURE_FORMATS = {
    ".png": "PNG",
    ".jpg": "JPEG",
    ".jpeg": "JPEG",
    ".exr": "OPEN_EXR",
    ".tif": "TIFF",
    ".tiff": "TIFF",
}
"""Suffix of a picture → Blender's name of the format."""

PASSES_FORMATS = {".exr": "OPEN_EXR_MULTILAYER"}
"""Suffix of a picture with passes → Blender's name of the format."""


@dataclass(frozen=True)
class Picture:
    """A picture.

    size: (width, height) in pixels. view: one of VIEWS. engine: one of ENGINES. turn: degrees to
    the left around the terrain. light: one of LIGHTS; "" is the first, for missing lights only.
    plants: whether it shows any, added if missing; None: as the file does. passes: whether its file
    holds depth and normals too.
    """

    size: tuple[int, int] = (960, 540)
    samples: int = 16
    engine: str = "eevee"
    view: str = "file"
    turn: float = 0.0
    light: str = ""
    plants: bool | None = None
    passes: bool = False

    @property
    def formats(self) -> dict[str, str]:
        """Suffix of its file → Blender's name of the format."""
        return PASSES_FORMATS if self.passes else PICTURE_FORMATS
