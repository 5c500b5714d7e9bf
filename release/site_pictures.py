# SPDX-License-Identifier: GPL-3.0-or-later
"""Icon and featured image for extensions.blender.org, from the manual's pictures: `python
release/site_pictures.py`.
"""

from pathlib import Path

from PIL import Image, ImageDraw

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "release" / "site"
ICON = (256, 256)
FEATURED = (1920, 1080)
TILE = (480, 270)
LINE = TILE[1] + 28
"""Pixels of a picture of the gallery, and from one row of it to the next, with the name."""
ROUND = 40


def icon() -> Image.Image:
    """The picture of a recipe with round corners."""
    shape = Image.new("L", ICON)
    ImageDraw.Draw(shape).rounded_rectangle((0, 0, ICON[0] - 1, ICON[1] - 1), ROUND, fill=255)
    picture = Image.open(ROOT / "presets" / "previews" / "alpine.png").convert("RGB").resize(ICON)
    picture.putalpha(shape)
    return picture


def featured() -> Image.Image:
    """Sixteen landscapes of the gallery, without their names."""
    gallery = Image.open(ROOT / "docs" / "images" / "gallery.jpg")
    picture = Image.new("RGB", FEATURED)
    for number in range(16):
        left = number % 3 * TILE[0]
        top = number // 3 * LINE
        place = number % 4 * TILE[0], number // 4 * TILE[1]
        picture.paste(gallery.crop((left, top, left + TILE[0], top + TILE[1])), place)
    return picture


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    icon().save(FOLDER / "icon.png", optimize=True)
    featured().save(FOLDER / "featured.jpg", quality=88)
