# SPDX-License-Identifier: GPL-3.0-or-later
"""Elevation data of numbers and one block: .hgt, .bil and .flt with .hdr, .asc, .pfm."""

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.headers.image_header import file_header
from erosion_addon.files.rasters.raster import open_raster

ROWS = 30
COLS = 20
HEIGHTS = (1000 + 3 * np.arange(COLS) + 7 * np.arange(ROWS)[:, None]).astype("f4")
"""Row 0 in the south."""
UTM = (
    'PROJCS["WGS_1984_UTM_Zone_32N",GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,'
    '298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],'
    'PARAMETER["Central_Meridian",9.0],UNIT["Meter",1.0]]'
)
LOWER_LEFT = "xllcorner 600000\nyllcorner 5198080\ncellsize 30\n"
MIDDLE = "ULXMAP 600015\nULYMAP 5198965\nXDIM 30\nYDIM 30\n"
"""The same place by the middle of the upper left cell."""
ENVI = (
    "ENVI\ndescription = {\nhills}\nsamples = 20\nlines   = 30\nbands   = 1\nheader offset = "
    "0\ninterleave = bil\n"
)
MAP = "map info = {UTM, 1, 1, 600000, 5198980, 30, 30, 32, North,WGS-84}\n"


def read(path):
    raster = open_raster(path, file_header(path))
    numbers, valid = raster.read(0, raster.header.rows, 0, raster.header.cols)
    assert valid is None
    return raster.header, numbers


def described(tmp_path, name, words, dtype="<f4", lead=b""):
    """A file of the heights with a .hdr and a .prj beside it."""
    path = tmp_path / name
    path.write_bytes(lead + HEIGHTS[::-1].astype(dtype).tobytes())
    path.with_suffix(".hdr").write_text(words, encoding="utf-8")
    path.with_suffix(".prj").write_text(UTM, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "name,words,dtype,kind",
    [
        ("a.flt", f"ncols 20\nnrows 30\n{LOWER_LEFT}byteorder LSBFIRST", "<f4", "float32"),
        ("a.flt", f"NCOLS 20\nNROWS 30\n{LOWER_LEFT}BYTEORDER MSBFIRST", ">f4", "float32"),
        (
            "a.bil",
            f"NROWS 30\nNCOLS 20\nNBITS 16\nPIXELTYPE SIGNEDINT\nBYTEORDER M\n{MIDDLE}",
            ">i2",
            "int16",
        ),
        (
            "a.bip",
            f"nrows = 30\nncols = 20\nnbits = 16\npixeltype = UNSIGNEDINT\n{MIDDLE}",
            "<u2",
            "uint16",
        ),
        (
            "a.bsq",
            f"NROWS 30\nNCOLS 20\nNBITS 32\nPIXELTYPE FLOAT\nBYTEORDER I\n{MIDDLE}",
            "<f4",
            "float32",
        ),
        ("a.bil", f"{ENVI}data type = 4\nbyte order = 0\n{MAP}", "<f4", "float32"),
        ("a.bsq", f"{ENVI}data type = 2\nbyte order = 1\n{MAP}", ">i2", "int16"),
        ("a.bil", f"{ENVI}data type = 5\nbyte order = 0\n{MAP}", "<f8", "float64"),
    ],
)
def test_a_block_is_read_by_the_header_beside_it(tmp_path, name, words, dtype, kind):
    header, numbers = read(described(tmp_path, name, words, dtype))
    assert np.array_equal(numbers, HEIGHTS) and header.kind == kind and numbers.dtype == kind
    assert header.spacing == (30.0, 30.0) and header.length_unit == 1.0 and header.doubts == ()
    place = header.georeference.placement
    assert place.system.code == 32632 and place.corner == (600000.0, 5198980.0)


def test_rows_of_a_block_may_have_more_bytes_than_numbers(tmp_path):
    wide = np.pad(HEIGHTS[::-1], ((0, 0), (0, 3)))
    path = described(
        tmp_path,
        "a.bil",
        f"NROWS 30\nNCOLS 20\nNBITS 32\nPIXELTYPE F\nTOTALROWBYTES 92\nSKIPBYTES 8\n{MIDDLE}",
    )
    path.write_bytes(bytes(8) + wide.astype("<f4").tobytes())
    assert np.array_equal(read(path)[1], HEIGHTS)


@pytest.mark.parametrize("word", ["NODATA -9999", "NODATA_VALUE -9999.0", "nodata_value -9999,0"])
def test_a_header_names_the_number_of_no_data(tmp_path, word):
    path = described(
        tmp_path, "a.bil", f"NROWS 30\nNCOLS 20\nNBITS 32\nPIXELTYPE FLOAT\n{word}\n{MIDDLE}"
    )
    assert read(path)[0].no_data == -9999.0


def test_a_sign_that_a_header_leaves_open_is_a_doubt(tmp_path):
    path = described(tmp_path, "a.bil", f"NROWS 30\nNCOLS 20\nNBITS 16\n{MIDDLE}", "<i2")
    (doubt,) = read(path)[0].remarks
    assert "whether its numbers are signed" in doubt


@pytest.mark.parametrize(
    "words,sentence",
    [
        ("", "needs its header a.hdr beside it"),
        (
            "NROWS 31\nNCOLS 20\nNBITS 32\nPIXELTYPE FLOAT",
            "claims 31 × 20 cells, 2480 bytes, and has 2400",
        ),
        (
            "NROWS 999999999\nNCOLS 99999\nNBITS 32\nPIXELTYPE FLOAT",
            "claims 999999999 × 99999 cells",
        ),
        ("NROWS 30\nNBITS 32", "its header lacks ncols"),
        ("NROWS 30\nNCOLS x\nNBITS 32", "its header says ncols 'x'"),
        ("NROWS 0\nNCOLS 20\nNBITS 32", "claims 0 × 20 cells"),
        ("NROWS 30\nNCOLS 20\nNBITS 24", "unsupported kind of number"),
        ("NROWS 30\nNCOLS 20\nNBITS 8\nNBANDS 3", "has 3 bands"),
        ("NROWS 30\nNCOLS 20\nNBITS 8\nSKIPBYTES -5", "its header says skipbytes"),
        (f"{ENVI}data type = 6", "unsupported kind of number"),
    ],
)
def test_a_header_that_does_not_fit_its_file_is_refused(tmp_path, words, sentence):
    with pytest.raises(InputError, match=sentence):
        file_header(described(tmp_path, "a.bil", words))


def test_an_srtm_tile_lies_where_its_name_says(tmp_path):
    """N46E010: 1201 heights a side, three seconds apart; at 46.5° a column is 63.78 m wide, a row
    92.66 m high.
    """
    heights = (np.arange(1201)[:, None] + np.zeros(1201)).astype(">i2")
    heights[5, 7] = -32768
    (tmp_path / "N46E010.SRTMGL3.hgt").write_bytes(heights.tobytes())
    header, numbers = read(tmp_path / "N46E010.SRTMGL3.hgt")
    assert np.array_equal(numbers[::-1], heights) and numbers.dtype == "i2"
    assert (header.no_data, header.unit) == (-32768.0, 1.0)
    assert header.spacing == pytest.approx((92.663, 63.785), abs=1e-3)
    place = header.georeference.placement
    assert place.system.code == 4326
    assert place.at(1200.5, 0.5) == pytest.approx((10.0, 46.0)) and place.at(
        0.5, 1200.5
    ) == pytest.approx((11.0, 47.0))


def test_a_southern_and_western_tile_lies_there(tmp_path):
    (tmp_path / "s33w071.hgt").write_bytes(bytes(2 * 1201 * 1201))
    assert read(tmp_path / "s33w071.hgt")[0].georeference.placement.at(
        1200.5, 0.5
    ) == pytest.approx((-71.0, -33.0))


@pytest.mark.parametrize("shape", [(3601, 1801), (1201, 1201)])
def test_a_tile_without_its_name_has_cells_of_the_equator_and_a_doubt(tmp_path, shape):
    (tmp_path / "alps.hgt").write_bytes(bytes(2 * shape[0] * shape[1]))
    header = file_header(tmp_path / "alps.hgt").header
    assert (header.rows, header.cols) == shape and header.georeference is None
    assert (
        header.spacing[0] == pytest.approx(111195 / (shape[0] - 1), 1e-4)
        and "gives no location" in header.doubts[0]
    )


def test_an_srtm_file_of_another_size_is_refused(tmp_path):
    (tmp_path / "N46E010.hgt").write_bytes(bytes(1000))
    with pytest.raises(InputError, match="has 1000 bytes, which is not"):
        file_header(tmp_path / "N46E010.hgt")


def grid(words, heights=HEIGHTS, end="\n", comma=False):
    lines = end.join(" ".join(f"{height:.2f}" for height in row) for row in heights[::-1])
    text = words.replace("\n", end) + lines + end
    return text.replace(".", ",") if comma else text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("comma", [False, True])
@pytest.mark.parametrize(
    "place",
    [
        "xllcorner 600000\nyllcorner 5198080\n",
        "XLLCENTER 600015\nYLLCENTER 5198095\n",
        "yllcorner 5198080\nxllcorner 600000\n",
    ],
)
@pytest.mark.parametrize("cells", ["cellsize 30\n", "dx 30.0\ndy 30.0\n"])
def test_an_ascii_grid_is_read_in_every_form(tmp_path, cells, place, comma, end):
    words = f"ncols 20\nnrows 30\n{place}{cells}NODATA_value -9999\n"
    (tmp_path / "a.asc").write_text(grid(words, end=end, comma=comma), encoding="ascii", newline="")
    (tmp_path / "a.PRJ").write_text(UTM, encoding="utf-8")
    header, numbers = read(tmp_path / "a.asc")
    assert (
        np.array_equal(numbers, HEIGHTS)
        and header.no_data == -9999.0
        and header.spacing == (30.0, 30.0)
    )
    assert header.georeference.placement.corner == (600000.0, 5198980.0)


def test_an_ascii_grid_may_break_its_lines_anywhere_and_name_no_place(tmp_path):
    text = grid("ncols 20\nnrows 30\ncellsize 0.001\n").replace(" 10", "\n10")
    (tmp_path / "a.asc").write_text(text, encoding="ascii")
    header, numbers = read(tmp_path / "a.asc")
    assert np.array_equal(numbers, HEIGHTS) and "count as degrees" in header.doubts[0]


@pytest.mark.parametrize(
    "text,sentence",
    [
        (grid("ncols 20\nnrows 31\n"), "holds 600 of 31 × 20 numbers"),
        (grid("ncols 20\nnrows 29\n"), "holds more than 29 × 20 numbers"),
        (grid("ncols 20\nnrows 30\n").replace("1003", "10x3"), "something else than numbers"),
        (grid("ncols 20\nnrows 900000000\n"), "claims 900000000 × 20 cells"),
        (grid("ncols 20\n"), "lacks ncols or nrows"),
        (grid("ncols 20\nnrows 3.5\n"), "lacks ncols or nrows"),
        ("ncols 20\nnrows 30\n" + " " * 5000, "holds 0 of 30 × 20 numbers"),
        ("", "is empty"),
        ("v 1 2 3\nf 1 2 3\n", "lacks ncols"),
    ],
)
def test_a_damaged_ascii_grid_is_refused(tmp_path, text, sentence):
    (tmp_path / "a.asc").write_text(text, encoding="ascii")
    with pytest.raises(InputError, match=sentence):
        read(tmp_path / "a.asc")


@pytest.mark.parametrize("scale,dtype", [("-1.0", "<f4"), ("1.0", ">f4"), ("-0.5", "<f4")])
def test_a_portable_float_map_begins_in_the_south(tmp_path, scale, dtype):
    (tmp_path / "a.pfm").write_bytes(
        f"Pf\n20 30\n{scale}\n".encode() + HEIGHTS.astype(dtype).tobytes()
    )
    header, numbers = read(tmp_path / "a.pfm")
    assert np.array_equal(numbers, HEIGHTS) and header.south_up and header.spacing is None


@pytest.mark.parametrize(
    "content,sentence", [(b"PF\n2 2\n-1.0\n" + bytes(48), "color image"), (b"Pf 9 9 x", "invalid")]
)
def test_a_color_or_damaged_float_map_is_refused(tmp_path, content, sentence):
    (tmp_path / "a.pfm").write_bytes(content)
    with pytest.raises(InputError, match=sentence):
        file_header(tmp_path / "a.pfm")


@pytest.mark.parametrize("name", ["a.bil", "a.pfm", "a.asc"])
def test_a_window_is_that_part_of_the_whole(tmp_path, name):
    path = described(
        tmp_path, "a.bil", f"NROWS 30\nNCOLS 20\nNBITS 32\nPIXELTYPE FLOAT\n{MIDDLE}"
    ).with_name(name)
    if name == "a.asc":
        path.write_text(grid("ncols 20\nnrows 30\ncellsize 30\n"), encoding="ascii")
    if name == "a.pfm":
        path.write_bytes(b"Pf\n20 30\n-1\n" + HEIGHTS.tobytes())
    raster = open_raster(path, file_header(path))
    assert np.array_equal(raster.read(3, 11, 5, 6)[0], HEIGHTS[3:11, 5:6])


def test_a_system_without_a_number_leaves_no_place_and_says_so(tmp_path):
    path = described(tmp_path, "a.bil", f"NROWS 30\nNCOLS 20\nNBITS 32\nPIXELTYPE FLOAT\n{MIDDLE}")
    path.with_suffix(".prj").write_text(
        UTM.replace("WGS_1984_UTM_Zone_32N", "Valley"), encoding="utf-8"
    )
    header = read(path)[0]
    assert (
        header.georeference is None
        and header.spacing == (30.0, 30.0)
        and "have no location" in header.remarks[0]
    )
