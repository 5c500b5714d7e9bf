# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmap files for tests."""

from erosion_addon.base.atomic_files import Outputs
from erosion_addon.files.formats import SUFFIXES
from erosion_addon.files.heightmap import encode_heightmap


def write_heightmap(path, elevation, image_files, *settings, **named):
    """Write (rows, cols) values to a file, complete or not at all; see `encode_heightmap`."""
    with Outputs() as outputs:
        with outputs.write(outputs.plan(path, SUFFIXES)) as temporary:
            written = encode_heightmap(temporary, elevation, image_files, *settings, **named)
        outputs.publish()
    return written
