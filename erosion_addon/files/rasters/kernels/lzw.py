# SPDX-License-Identifier: GPL-3.0-or-later
"""LZW of TIFF files.

Source: TIFF 6.0 (Adobe), section 13: codes of 9 to 12 bits, most significant bit first, each width
one code early.
"""

import numpy as np

from ....base.kernels.jit import kernel

CLEAR = 256
END = 257
FIRST = 258
MOST = 4096


@kernel
def unpack_lzw(packed, output):
    """Unpack bytes (uint8) until one of the two arrays ends; returns the number of bytes written,
    -1 if damaged.
    """
    prefix = np.zeros(MOST, np.int32)
    last = np.zeros(MOST, np.uint8)
    first = np.zeros(MOST, np.uint8)
    length = np.ones(MOST, np.int64)
    for code in range(256):
        last[code] = code
        first[code] = code
    width = 9
    following = FIRST
    previous = -1
    written = 0
    bits = 0
    available = 0
    for byte in packed:
        bits = ((bits << 8) | int(byte)) & 0xFFFFFF
        available += 8
        if available < width:
            continue
        available -= width
        code = (bits >> available) & ((1 << width) - 1)
        if code == END or written == output.size:
            break
        if code == CLEAR:
            width = 9
            following = FIRST
            previous = -1
            continue
        if (
            code > following
            or (previous < 0 and code >= CLEAR)
            or (code == following and following == MOST)
        ):
            return -1
        if previous >= 0 and following < MOST:
            prefix[following] = previous
            first[following] = first[previous]
            last[following] = first[previous] if code == following else first[code]
            length[following] = length[previous] + 1
            following += 1
            if following >= (1 << width) - 1 and width < 12:
                width += 1
        end = written + length[code]
        step = code
        for place in range(end - 1, written - 1, -1):
            if place < output.size:
                output[place] = last[step]
            step = prefix[step]
        written = min(end, output.size)
        previous = code
    return written
