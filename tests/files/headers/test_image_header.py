# SPDX-License-Identifier: GPL-3.0-or-later
"""Headers of image files, made by hand from the specifications."""

import os
import random
import struct
import zlib

import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.headers.image_header import ImageHeader, read_header


def chunk(tag, data):
    return struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))


def png(cols, rows, bits=16, color=0, pixels=None):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}.get(color, 1)
    if pixels is None:
        pixels = zlib.compress((b"\0" + bytes((cols * bits * channels + 7) // 8)) * rows)
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", cols, rows, bits, color, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def tiff(
    cols, rows, order="<", big=False, bits=16, number=1, samples=1, photometric=1, pixels=None
):
    pixels = bytes(cols * rows * samples * bits // 8) if pixels is None else pixels
    values = [
        (256, 4, cols),
        (257, 4, rows),
        (258, 3, bits),
        (259, 3, 1),
        (262, 3, photometric),
        (273, 4, 0),
    ]
    values += [(277, 3, samples), (278, 4, rows), (279, 4, len(pixels)), (339, 3, number)]
    head = struct.pack(order + "2sH", b"II" if order == "<" else b"MM", 43 if big else 42)
    head += struct.pack(order + "HHQ", 8, 0, 16) if big else struct.pack(order + "I", 8)
    count, pointer = ("Q", "Q") if big else ("H", "I")
    width = struct.calcsize(order + pointer)
    start = len(head) + struct.calcsize(order + count) + len(values) * (4 + 2 * width) + width
    data = head + struct.pack(order + count, len(values))
    for tag, kind, value in values:
        value = start if tag == 273 else value
        field = struct.pack(order + ("H" if kind == 3 else "I"), value).ljust(width, b"\0")
        data += struct.pack(order + "HH" + pointer, tag, kind, 1) + field
    return data + bytes(width) + pixels


def exr(cols, rows, channels=("Y",), kind=2, flags=0, sampling=1):
    def attribute(name, what, value):
        return name + b"\0" + what + b"\0" + struct.pack("<I", len(value)) + value

    listed = (
        b"".join(
            c.encode() + b"\0" + struct.pack("<iIii", kind, 0, sampling, sampling) for c in channels
        )
        + b"\0"
    )
    window = struct.pack("<iiii", 0, 0, cols - 1, rows - 1)
    head = struct.pack("<II", 20000630, 2 | flags)
    head += attribute(b"channels", b"chlist", listed) + attribute(
        b"compression", b"compression", b"\0"
    )
    head += attribute(b"dataWindow", b"box2i", window) + attribute(
        b"displayWindow", b"box2i", window
    )
    head += attribute(b"lineOrder", b"lineOrder", b"\0") + attribute(
        b"pixelAspectRatio", b"float", b"\0\0\x80?"
    )
    head += attribute(b"screenWindowCenter", b"v2f", bytes(8))
    head += attribute(b"screenWindowWidth", b"float", b"\0\0\x80?") + b"\0"
    row = cols * len(channels) * (2 if kind == 1 else 4)
    start = len(head) + 8 * max(rows, 0)
    table = b"".join(struct.pack("<Q", start + y * (8 + row)) for y in range(rows))
    return head + table + b"".join(struct.pack("<ii", y, row) + bytes(row) for y in range(rows))


def header_of(tmp_path, data, name="hills and é.bin"):
    path = tmp_path / name
    path.write_bytes(data)
    return read_header(path)


def refusal(tmp_path, data):
    with pytest.raises(InputError) as caught:
        header_of(tmp_path, data)
    message = str(caught.value)
    assert "hills and é.bin" in message and message.endswith(".") and "\n" not in message
    return message


@pytest.mark.parametrize("bits,kind", [(1, "uint8"), (8, "uint8"), (16, "uint16")])
@pytest.mark.parametrize("color,channels", [(0, 1), (2, 3), (4, 2), (6, 4)])
def test_a_png_says_its_size_channels_and_bits(tmp_path, bits, kind, color, channels):
    assert header_of(tmp_path, png(7, 5, bits, color)) == ImageHeader(5, 7, channels, kind)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize(
    "number,bits,kind", [(1, 16, "uint16"), (2, 16, "int16"), (3, 32, "float32")]
)
def test_a_tiff_of_either_byte_order_and_size_says_what_it_holds(
    tmp_path, order, big, number, bits, kind
):
    assert header_of(tmp_path, tiff(7, 5, order, big, bits, number)) == ImageHeader(5, 7, 1, kind)


@pytest.mark.parametrize("kind,name", [(1, "float16"), (2, "float32")])
@pytest.mark.parametrize(
    "channels", [("Y",), ("height",), ("A", "Y"), ("B", "G", "R"), ("A", "B", "G", "R")]
)
def test_an_exr_says_its_channels(tmp_path, channels, kind, name):
    assert header_of(tmp_path, exr(7, 5, channels, kind)) == ImageHeader(
        5, 7, len(channels), name, channels
    )


def test_a_74_byte_png_that_claims_57_gigabytes_is_refused(tmp_path):
    data = png(120_000, 120_000, 16, 6, zlib.compress(b"\0" * 30, 9)[:17].ljust(17, b"\0"))
    assert len(data) == 74
    assert "claims 120000 × 120000" in refusal(tmp_path, data)


@pytest.mark.parametrize("make", [png, tiff, exr])
@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_image_is_refused_in_a_sentence(tmp_path, make, cut):
    data = make(40, 30)
    assert "cut off" in refusal(tmp_path, data[: int(len(data) * cut)])


def test_an_exr_with_an_empty_table_of_chunks_needs_all_its_chunks(tmp_path):
    data = exr(7, 5)
    start = len(data) - 5 * (8 + 28)
    data = data[: start - 40] + bytes(40) + data[start:]
    assert header_of(tmp_path, data) == ImageHeader(5, 7, 1, "float32", ("Y",))
    assert "cut off" in refusal(tmp_path, data[:-1])
    assert "cut off" in refusal(tmp_path, data[:-36])


@pytest.mark.parametrize("make", [png, tiff, exr])
@pytest.mark.parametrize("cols,rows", [(0, 5), (5, 0), (0, 0)])
def test_an_image_without_pixels_is_refused(tmp_path, make, cols, rows):
    refusal(tmp_path, make(cols, rows))


@pytest.mark.parametrize(
    "data,words",
    [
        (png(5, 5, 8, 3), "palette"),
        (png(5, 5, 8, 1), "color type 1"),
        (tiff(5, 5, bits=8, photometric=3), "palette"),
        (tiff(5, 5, bits=64, number=2), "not supported"),
        (tiff(5, 5, samples=5), "5 channels"),
        (tiff(500, 500, pixels=bytes(100)), "holds 100 bytes"),
        (exr(5, 5, ("hills.Y",)), "layers (hills.Y)"),
        (exr(5, 5, ("X", "Y", "Z")), "channels X, Y, Z"),
        (exr(5, 5, kind=0), "EXR of integers"),
        (exr(5, 5, sampling=2), "subsampled"),
        (exr(5, 5, flags=0x1000), "several parts"),
        (exr(5, 5, flags=0x800), "deep"),
        (b"\xff\xd8\xff\xe0 a photograph", "not a PNG"),
        (b"x", "not a PNG"),
    ],
)
def test_an_image_that_holds_no_heights_is_refused_with_the_reason(tmp_path, data, words):
    assert words in refusal(tmp_path, data)


@pytest.mark.parametrize("far", [2**40, 2**63, 2**64 - 1])
def test_a_bigtiff_whose_directory_lies_beyond_what_a_seek_can_reach_is_refused(tmp_path, far):
    data = bytearray(tiff(9, 7, big=True))
    data[8:16] = struct.pack("<Q", far)  # where the first directory begins
    assert "its end is missing" in refusal(tmp_path, bytes(data))


def test_what_is_not_a_file_with_bytes_is_refused(tmp_path):
    (tmp_path / "empty.png").touch()
    os.mkfifo(tmp_path / "pipe.png")  # opening it would wait for ever
    for name, words in [
        ("absent.png", "does not exist"),
        ("empty.png", "is empty"),
        (".", "is a folder"),
        ("pipe.png", "is a pipe"),
        ("a" * 300, "cannot be read"),
        ("empty.png/x", "cannot be read"),
        ("nul\0.png", "not a usable file name"),
        ("\udcff.png", "not a usable file name"),
    ]:
        with pytest.raises(InputError, match=words):
            read_header(tmp_path / name)


@pytest.mark.fuzz
def test_mutated_headers_give_a_header_or_a_sentence(tmp_path):
    seed = 20240
    print("seed", seed)
    chance = random.Random(seed)
    originals = [
        png(9, 7),
        tiff(9, 7),
        tiff(9, 7, ">", big=True),
        exr(9, 7),
        exr(9, 7, ("A", "B", "G", "R"), 1),
    ]
    for _ in range(3000):
        data = bytearray(chance.choice(originals))
        for _ in range(chance.randint(1, 6)):
            data[chance.randrange(min(len(data), 360))] = chance.choice(
                [0, 1, 127, 128, 255, chance.randrange(256)]
            )
        try:
            header = header_of(
                tmp_path, bytes(data[: chance.choice([len(data), chance.randrange(len(data))])])
            )
        except InputError:
            continue
        assert header.rows > 0 and header.cols > 0 and 1 <= header.channels <= 4
