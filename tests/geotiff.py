# SPDX-License-Identifier: GPL-3.0-or-later
"""TIFF files with a no-data tag and a place in the Alps."""

import struct

import numpy as np

from erosion_addon.files.headers.georeference import Georeference

WEST = 664_000.0
NORTH = 5_216_000.0
CELL = 30.0
SHAPE = (31, 41)


def geotiff(path, pixels, no_data=None, order="<", big=False):
    """(rows, cols) pixels, the top row first, with the text `no_data` in the tag that GDAL
    writes.
    """
    rows, cols = pixels.shape
    data = pixels.astype(pixels.dtype.newbyteorder(order)).tobytes()
    text = b"" if no_data is None else no_data.encode("ascii") + b"\0"
    head = struct.pack(order + "2sH", b"II" if order == "<" else b"MM", 43 if big else 42)
    head += struct.pack(order + "HHQ", 8, 0, 16) if big else struct.pack(order + "I", 8)
    count, pointer = ("Q", "Q") if big else ("H", "I")
    width = struct.calcsize(order + pointer)
    tags = [
        (256, 4, cols),
        (257, 4, rows),
        (258, 3, 8 * pixels.itemsize),
        (259, 3, 1),
        (262, 3, 1),
        (273, 4, 0),
    ]
    tags += [
        (277, 3, 1),
        (278, 4, rows),
        (279, 4, len(data)),
        (339, 3, {"u": 1, "i": 2, "f": 3}[pixels.dtype.kind]),
    ]
    listed = len(tags) + (no_data is not None)
    start = len(head) + struct.calcsize(order + count) + listed * (4 + 2 * width) + width
    head += struct.pack(order + count, listed)
    for tag, kind, value in tags:
        value = start + len(text) if tag == 273 else value
        head += struct.pack(order + "HH" + pointer, tag, kind, 1)
        head += struct.pack(order + ("H" if kind == 3 else "I"), value).ljust(width, b"\0")
    if no_data is not None:
        head += struct.pack(order + "HH" + pointer, 42113, 2, len(text))
        head += (
            text.ljust(width, b"\0") if len(text) <= width else struct.pack(order + pointer, start)
        )
    path.write_bytes(head + bytes(width) + text + data)


def tiff_of(pixels, tags=(), order="<", big=False, blocks=None, others=()):
    """TIFF of (rows, cols) or (rows, cols, channels) pixels, the top row first, with more tags,
    arrays by number.

    blocks: bytes of strips or tiles instead of one strip. others: further directories, as (tags,
    blocks).
    """
    rows, cols = pixels.shape[:2]
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    number = {"u": 1, "i": 2, "f": 3}[pixels.dtype.kind]
    own = {
        256: cols,
        257: rows,
        258: [8 * pixels.itemsize] * channels,
        259: 1,
        262: 1,
        277: channels,
        278: rows,
    }
    own = {
        tag: np.atleast_1d(value).astype("u4" if tag in (256, 257, 278) else "u2")
        for tag, value in own.items()
    }
    own |= {339: np.full(channels, number, "u2"), **dict(tags)}
    images = [(own, blocks or [pixels.astype(pixels.dtype.newbyteorder(order)).tobytes()]), *others]
    pointer, width = ("Q", 8) if big else ("I", 4)
    data = bytearray(
        struct.pack(order + "2sH", b"II" if order == "<" else b"MM", 43 if big else 42)
    )
    data += struct.pack(order + "HH", 8, 0) if big else b""
    link = len(data)
    data += bytes(width)
    for known, parts in images:
        data += bytes(-len(data) % 8)
        places = [
            len(data) + sum(map(len, parts[:number])) if part else 0
            for number, part in enumerate(parts)
        ]
        data += b"".join(parts) + bytes(-len(b"".join(parts)) % 8)
        tiled = 324 in known or 322 in known
        lists = {**known, 324 if tiled else 273: np.array(places, "u8" if big else "u4")}
        lists[325 if tiled else 279] = np.array(
            [len(part) for part in parts], "u8" if big else "u4"
        )
        entries = b""
        for tag, values in sorted(lists.items()):
            kind = (
                2
                if tag in (42112, 42113, 34737)
                else {"u1": 1, "u2": 3, "u4": 4, "f8": 12, "u8": 16}[values.dtype.str[1:]]
            )
            content = values.astype(values.dtype.newbyteorder(order)).tobytes()
            place = content.ljust(width, b"\0")
            if len(content) > width:
                place = struct.pack(order + pointer, len(data))
                data += content + bytes(-len(content) % 8)
            entries += struct.pack(order + "HH" + pointer, tag, kind, len(values)) + place
        data[link : link + width] = struct.pack(order + pointer, len(data))
        data += struct.pack(order + ("Q" if big else "H"), len(lists)) + entries
        link = len(data)
        data += bytes(width)
    return bytes(data)


def array(kind, *values):
    return np.array(values, kind)


def alps(at_points=False, matrix=False, shape=SHAPE):
    """UTM zone 32 north (EPSG:32632): the corner of the first pixel, or the first point, lies at
    WEST, NORTH.
    """
    text = b"WGS 84 / UTM zone 32N|"
    keys = [1, 1, 0, 4, 1024, 0, 1, 1, 1025, 0, 1, 2 if at_points else 1, 1026, 34737, len(text), 0]
    tags = {34735: array("<u2", *keys, 3072, 0, 1, 32632), 34737: np.frombuffer(text, "u1")}
    if matrix:
        tags[34264] = array("<f8", CELL, 0, 0, WEST, 0, -CELL, 0, NORTH, 0, 0, 0, 0, 0, 0, 0, 1)
    else:
        tags[33550], tags[33922] = (
            array("<f8", CELL, CELL, 0),
            array("<f8", 0, 0, 0, WEST, NORTH, 0),
        )
    return Georeference.of(tags, shape)


def place(georeference, row, col, at_points=False):
    """Easting and northing of a pixel's center, computed as GIS programs do."""
    half = 0.0 if at_points else 0.5
    tags = georeference.tags
    if 34264 in tags:
        return tuple((tags[34264].reshape(4, 4) @ (col + half, row + half, 0, 1))[:2])
    i, j, _, x, y, _ = tags[33922][:6]
    return x + (col + half - i) * tags[33550][0], y - (row + half - j) * tags[33550][1]


def same(one, other):
    return one.shape == other.shape and all(
        np.array_equal(a, b) for (_, a), (_, b) in zip(one.entries(), other.entries(), strict=True)
    )
