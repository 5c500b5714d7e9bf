# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rendered picture of a terrain is asked to be."""

from dataclasses import dataclass

VIEWS = ("file", "composed", "across", "whole")
"""The camera of the file; one that looks for foreground, depth and a line into the picture; from above one side, with
the land filling the picture; from afar, with all of it in it."""

LIGHTS = ("morning", "noon", "overcast", "golden")
"""Kinds of daylight, see `scene.stage.daylight`."""

ENGINES = ("eevee", "cycles", "file")

PICTURE_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".exr": "OPEN_EXR", ".tif": "TIFF", ".tiff": "TIFF"}
"""Suffix of a picture's file → Blender's name of the format."""


@dataclass(frozen=True)
class Picture:
    """size: (width, height) in pixels. view: one of VIEWS. engine: one of ENGINES. turn: degrees to the left around
    the terrain. light: one of LIGHTS; "" is the first, for what the file lacks alone."""

    size: tuple[int, int] = (960, 540)
    samples: int = 16
    engine: str = "eevee"
    view: str = "file"
    turn: float = 0.0
    light: str = ""
