# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmap files for tests."""

from erosion_addon.base.atomic_files import Outputs
from erosion_addon.files import heightmap
from erosion_addon.files.formats import SUFFIXES
from erosion_addon.files.heightmap import encode_heightmap, read_heights
from erosion_addon.files.reading.record import Reading


def write_heightmap(path, elevation, image_files, *settings, **named):
    """Write (rows, cols) values to a file, complete or not at all; see `encode_heightmap`."""
    with Outputs() as outputs:
        with outputs.write(outputs.plan(path, SUFFIXES)) as temporary:
            written = encode_heightmap(temporary, elevation, image_files, *settings, **named)
        outputs.publish()
    return written


def read_heightmap(path, image_files, height_range=None, size=None, note=None):
    """Elevation of `read_heights`, whose doubts go to `note` as sentences."""
    options = Reading(height_range=height_range, size=size)
    elevation, record = read_heights(path, image_files, options)
    if note:
        for doubt in record.doubts:
            note(doubt.sentence)
    return elevation


def inspect(path, options, image_files):
    """Record of a file by its header, its side file and a sample."""
    numbers, record = heightmap.opened(path, image_files, options)
    return heightmap.looked_at(numbers, record, options, [heightmap.sample(numbers, record)])
