# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels of TIFFs: packings, predictors, blocks, masks, and windows of them."""

import lzma
import zlib

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.headers.image_header import file_header
from erosion_addon.files.rasters.packings import unpacked
from erosion_addon.files.rasters.raster import open_raster
from tests.geotiff import array, tiff_of

ROWS = 45
COLS = 52
HEIGHTS = (1000 + 40 * np.sin(np.arange(COLS) / 5) + 3 * np.arange(ROWS)[:, None]).astype("f4")
"""The top row first."""


def zstd(data):
    return pytest.importorskip("zstandard").ZstdCompressor().compress(data)


PACK = {1: bytes, 8: zlib.compress, 32946: zlib.compress, 34925: lzma.compress, 50000: zstd}


def predicted(numbers, predictor):
    """Bytes of (rows, cols, channels) numbers as TIFF 6.0 and Technical Note 3 encode them."""
    whole = numbers.view(numbers.dtype.byteorder + f"u{numbers.itemsize}")
    if predictor == 2:
        change = np.diff(whole, axis=1, prepend=np.zeros_like(whole[:, :1]))
        return change.astype(whole.dtype).tobytes()
    if predictor == 3:
        rows, cols, channels = numbers.shape
        big = np.ascontiguousarray(numbers.astype(numbers.dtype.newbyteorder(">")))
        planes = np.moveaxis(big.view("u1").reshape(rows, cols * channels, -1), 2, 1).reshape(
            rows, -1, channels
        )
        return np.diff(planes, axis=1, prepend=np.zeros_like(planes[:, :1])).astype("u1").tobytes()
    return numbers.tobytes()


def packed(pixels, packing, predictor=1, tile=None, strip=7, planar=False, order="<", **more):
    """A TIFF of (rows, cols) or (rows, cols, channels) pixels in strips, or in tiles of (rows,
    cols).
    """
    stored = np.atleast_3d(pixels).astype(pixels.dtype.newbyteorder(order))
    tags = {
        259: array("<u2", packing),
        317: array("<u2", predictor),
        284: array("<u2", 2 if planar else 1),
    }
    high, wide = tile or (strip, stored.shape[1])
    if tile:
        tags |= {322: array("<u2", wide), 323: array("<u2", high)}
        stored = np.pad(
            stored, ((0, -stored.shape[0] % high), (0, -stored.shape[1] % wide), (0, 0)), "edge"
        )
    else:
        tags[278] = array("<u2", strip)
    planes = [stored[..., [one]] for one in range(stored.shape[2])] if planar else [stored]
    blocks = [
        PACK[packing](
            predicted(np.ascontiguousarray(plane[row : row + high, col : col + wide]), predictor)
        )
        for plane in planes
        for row in range(0, stored.shape[0], high)
        for col in range(0, stored.shape[1], wide)
    ]
    return tiff_of(pixels, {**tags, **more.pop("tags", {})}, order, blocks=blocks, **more)


def read(tmp_path, content, window=None):
    path = tmp_path / "a.tif"
    path.write_bytes(content)
    raster = open_raster(path, file_header(path))
    return raster.read(*(window or (0, raster.header.rows, 0, raster.header.cols)))


@pytest.mark.parametrize("tile", [None, (16, 32)])
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("packing", PACK)
def test_heights_come_out_of_every_packing_as_they_went_in(tmp_path, packing, order, tile):
    numbers, valid = read(tmp_path, packed(HEIGHTS, packing, order=order, tile=tile))
    assert np.array_equal(numbers[::-1], HEIGHTS) and valid is None


@pytest.mark.parametrize("tile", [None, (16, 32)])
@pytest.mark.parametrize("order,big", [("<", False), (">", False), ("<", True)])
@pytest.mark.parametrize(
    "kind,predictor",
    [("f4", 3), ("f8", 3), ("f2", 3), ("f4", 2), ("i2", 2), ("u1", 2), ("i4", 2), ("f8", 2)],
)
def test_a_predictor_is_undone_to_the_last_bit(tmp_path, kind, predictor, order, big, tile):
    heights = (HEIGHTS - 900).astype(kind)
    numbers, _ = read(tmp_path, packed(heights, 50000, predictor, tile, order=order, big=big))
    assert numbers.dtype == kind and np.array_equal(numbers[::-1], heights)


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("predictor", [1, 2, 3])
def test_gray_in_three_channels_is_read_and_colors_are_refused(tmp_path, planar, predictor):
    gray = np.repeat(HEIGHTS[..., None], 3, 2)
    numbers, _ = read(tmp_path, packed(gray, 50000, predictor, planar=planar))
    assert np.array_equal(numbers[::-1], HEIGHTS)
    gray[3, 4, 1] += 1
    with pytest.raises(InputError, match="color image"):
        read(tmp_path, packed(gray, 50000, predictor, planar=planar))


@pytest.mark.parametrize("packing", ["lzw", "packbits", "zip"])
@pytest.mark.parametrize("tile", [0, 16])
def test_another_program_packs_it_too(tmp_path, packing, tile):
    oiio = pytest.importorskip("OpenImageIO")
    noise = np.random.default_rng(5).integers(0, 60000, (300, 200)).astype("u2")
    noise[100:200] //= 5000  # so that codes of LZW become long, and their table full
    spec = oiio.ImageSpec(200, 300, 1, "uint16")
    spec.attribute("compression", packing)
    spec.tile_width = spec.tile_height = tile
    image = oiio.ImageOutput.create(str(tmp_path / "b.tif"))
    assert (
        image.open(str(tmp_path / "b.tif"), spec)
        and image.write_image(noise[..., None])
        and image.close()
    )
    raster = open_raster(tmp_path / "b.tif", file_header(tmp_path / "b.tif"))
    assert (
        raster.header.packing == {"lzw": "LZW", "packbits": "PackBits", "zip": "Deflate"}[packing]
    )
    assert np.array_equal(raster.read(0, 300, 0, 200)[0][::-1], noise)


def test_lzw_of_the_specification_is_unpacked():
    """The example of TIFF 6.0, page 60: 7 7 7 8 8 7 7 6 6 as Clear 7 258 8 8 258 6 6 End, 9 bits
    each.
    """
    codes = [256, 7, 258, 8, 8, 258, 6, 6, 257]
    bits = "".join(f"{code:09b}" for code in codes)
    content = int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")
    assert list(unpacked(content, 5, 9)) == [7, 7, 7, 8, 8, 7, 7, 6, 6]


@pytest.mark.parametrize("packing,tile", [(50000, None), (8, (16, 32)), (1, None)])
@pytest.mark.parametrize("turned", [1, 2, 3, 4])
def test_a_window_is_that_part_of_the_whole(tmp_path, packing, tile, turned):
    content = packed(HEIGHTS, packing, tile=tile, tags={274: array("<u2", turned)})
    whole, _ = read(tmp_path, content)
    upright = HEIGHTS[:: 1 if turned in (3, 4) else -1, :: -1 if turned in (2, 3) else 1]
    assert np.array_equal(whole, upright)
    for window in ((0, 45, 0, 52), (3, 4, 5, 6), (10, 40, 20, 52)):
        top, bottom, left, right = window
        assert np.array_equal(read(tmp_path, content, window)[0], whole[top:bottom, left:right])


def test_blocks_that_a_file_leaves_out_hold_no_data(tmp_path):
    blocks = [
        zlib.compress(np.ascontiguousarray(HEIGHTS[row : row + 9]).tobytes())
        for row in range(0, ROWS, 9)
    ]
    blocks[1] = b""
    tags = {259: array("<u2", 8), 278: array("<u2", 9)}
    numbers, valid = read(tmp_path, tiff_of(HEIGHTS, tags, blocks=blocks))
    expected = np.ones((ROWS, COLS), bool)
    expected[9:18] = False
    assert np.array_equal(valid[::-1], expected) and np.array_equal(
        numbers[valid], HEIGHTS[::-1][valid]
    )


def test_a_file_without_any_block_is_damaged(tmp_path):
    with pytest.raises(InputError, match="some of its pixels are missing"):
        read(tmp_path, tiff_of(HEIGHTS, {278: array("<u2", 9)}, blocks=[b""] * 5))


@pytest.mark.parametrize("bits", [1, 8])
def test_a_mask_in_the_file_says_where_there_is_data(tmp_path, bits):
    there = np.ones((ROWS, COLS), np.uint8)
    there[5:9, 7:20] = 0
    content = np.packbits(there, axis=1).tobytes() if bits == 1 else (there * 255).tobytes()
    mask = {256: COLS, 257: ROWS, 258: bits, 259: 8, 262: 4, 277: 1, 278: ROWS, 254: 4}
    tags = {tag: array("<u2", value) for tag, value in mask.items()}
    numbers, valid = read(tmp_path, tiff_of(HEIGHTS, others=[(tags, [zlib.compress(content)])]))
    assert np.array_equal(valid[::-1], there == 1) and np.array_equal(numbers[::-1], HEIGHTS)


def test_a_mask_beside_the_file_says_where_there_is_data(tmp_path):
    there = np.full((ROWS, COLS), 255, np.uint8)
    there[5:9, 7:20] = 0
    (tmp_path / "a.tif.msk").write_bytes(packed(there, 8))
    numbers, valid = read(tmp_path, packed(HEIGHTS, 8))
    assert np.array_equal(valid[::-1], there > 0) and np.array_equal(numbers[::-1], HEIGHTS)
    (tmp_path / "a.tif.msk").write_bytes(packed(there[:9], 8))  # of another image
    assert read(tmp_path, packed(HEIGHTS, 8))[1] is None


@pytest.mark.parametrize("planar", [False, True])
def test_an_alpha_channel_says_where_there_is_data(tmp_path, planar):
    pixels = np.stack([HEIGHTS, np.full_like(HEIGHTS, 255)], axis=2)
    pixels[2:4, 5:9, 1] = 0
    content = packed(pixels, 50000, planar=planar, tags={338: array("<u2", 2)})
    numbers, valid = read(tmp_path, content)
    assert np.array_equal(numbers[::-1], HEIGHTS) and np.array_equal(
        valid[::-1], pixels[..., 1] > 0
    )


@pytest.mark.parametrize("packing", [8, 34925, 50000])
def test_damaged_blocks_are_a_sentence(tmp_path, packing):
    content = bytearray(packed(HEIGHTS, packing))
    content[8:2000] = bytes(range(256)) * 7 + bytes(200)
    with pytest.raises(InputError, match="is damaged or cut off"):
        read(tmp_path, bytes(content))


def test_a_block_that_unpacks_to_gigabytes_is_refused(tmp_path):
    """A tile of 64 000 × 64 000 bytes in 4 MB of Deflate."""
    pack = zlib.compressobj(9)
    content = b"".join(pack.compress(bytes(1 << 20)) for _ in range(64)) + pack.flush()
    tags = {259: array("<u2", 8), 322: array("<u4", 64_000), 323: array("<u4", 64_000)}
    with pytest.raises(InputError, match="although the file has only"):
        read(tmp_path, tiff_of(HEIGHTS.astype("u1"), tags, blocks=[content]))


@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_small_tiff_that_unpacks_to_gigabytes_is_refused_and_its_windows_are_read(
    tmp_path, monkeypatch, is_sparse
):
    """20,000² cells in rows of 41 bytes each, or of none, where the file has no number for them."""
    side = 20_000
    row = b"" if is_sparse else zlib.compress(bytes(side), 9)
    tags = {
        256: array("u4", side),
        257: array("u4", side),
        278: array("u4", 1),
        259: array("u2", 8),
    }
    (tmp_path / "a.tif").write_bytes(
        tiff_of(np.zeros((2, 2), "u1"), tags, blocks=[row] * (side - 1) + [b"x" + row])
    )
    monkeypatch.setattr("erosion_addon.base.memory.available_memory", lambda: 10**12)
    raster = open_raster(tmp_path / "a.tif", file_header(tmp_path / "a.tif"))
    with pytest.raises(
        InputError,
        match=r"needs about 6\.4 GB of memory, although the file has only [0-9.]+ MB; save",
    ):
        raster.read(0, side, 0, side)
    numbers, _ = raster.read(5000, 5010, 300, 400)
    assert numbers.shape == (10, 100) and not numbers.any()
