# SPDX-License-Identifier: GPL-3.0-or-later
"""TIFF files with the tag in which elevation models say what number stands for no data, made by hand."""

import struct


def geotiff(path, pixels, no_data=None, order="<", big=False):
    """(rows, cols) pixels, the top row first, with the text `no_data` in the tag that GDAL writes."""
    rows, cols = pixels.shape
    data = pixels.astype(pixels.dtype.newbyteorder(order)).tobytes()
    text = b"" if no_data is None else no_data.encode("ascii") + b"\0"
    head = struct.pack(order + "2sH", b"II" if order == "<" else b"MM", 43 if big else 42)
    head += struct.pack(order + "HHQ", 8, 0, 16) if big else struct.pack(order + "I", 8)
    count, pointer = ("Q", "Q") if big else ("H", "I")
    width = struct.calcsize(order + pointer)
    tags = [(256, 4, cols), (257, 4, rows), (258, 3, 8 * pixels.itemsize), (259, 3, 1), (262, 3, 1), (273, 4, 0)]
    tags += [(277, 3, 1), (278, 4, rows), (279, 4, len(data)), (339, 3, {"u": 1, "i": 2, "f": 3}[pixels.dtype.kind])]
    listed = len(tags) + (no_data is not None)
    start = len(head) + struct.calcsize(order + count) + listed * (4 + 2 * width) + width
    head += struct.pack(order + count, listed)
    for tag, kind, value in tags:
        value = start + len(text) if tag == 273 else value
        head += struct.pack(order + "HH" + pointer, tag, kind, 1)
        head += struct.pack(order + ("H" if kind == 3 else "I"), value).ljust(width, b"\0")
    if no_data is not None:
        head += struct.pack(order + "HH" + pointer, 42113, 2, len(text))
        head += text.ljust(width, b"\0") if len(text) <= width else struct.pack(order + pointer, start)
    path.write_bytes(head + bytes(width) + text + data)
