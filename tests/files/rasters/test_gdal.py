# SPDX-License-Identifier: GPL-3.0-or-later
"""Elevation data that only GDAL reads, and the way out without it."""

import sys

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.files.headers.image_header import file_header
from erosion_addon.files.places.placement import PROJECTED, System
from erosion_addon.files.places.projections import to_degrees
from erosion_addon.files.rasters.raster import open_raster
from tests.geotiff import array, tiff_of

HEIGHTS = (1000 + 3 * np.arange(40) + 7 * np.arange(30)[:, None]).astype("f4")
"""Row 0 in the south."""


def written(path, driver="HFA", heights=HEIGHTS[::-1], code=32632, step=30.0, bands=1, **more):
    rasterio = pytest.importorskip("rasterio", reason="the extra gis is not installed")
    rows, cols = heights.shape
    place = rasterio.Affine(step, 0, 6e5, 0, -step, 52e5)
    with rasterio.open(
        path, "w", driver, cols, rows, bands, f"EPSG:{code}", place, heights.dtype, **more
    ) as made:
        made.write(heights, 1)
    return path


@pytest.mark.parametrize("driver,suffix", [("HFA", ".img"), ("RST", ".rst")])
def test_gdal_reads_what_we_do_not(tmp_path, driver, suffix):
    path = written(tmp_path / f"a{suffix}", driver)
    raster = open_raster(path, file_header(path))
    header = raster.header
    assert np.array_equal(raster.read(0, 30, 0, 40)[0], HEIGHTS)
    assert np.array_equal(raster.read(3, 9, 5, 20)[0], HEIGHTS[3:9, 5:20])
    assert (header.kind, header.spacing, header.by_gdal) == ("float32", (30.0, 30.0), True)
    assert (
        header.georeference.placement.corner == (6e5, 52e5)
        and header.georeference.placement.system.code == 32632
    )


def test_a_virtual_raster_with_scale_unit_and_no_data_is_read(tmp_path):
    written(tmp_path / "a.img", code=2263, step=100.0, nodata=-9999.0)
    (tmp_path / "a.vrt").write_text(
        """<VRTDataset rasterXSize="40" rasterYSize="30"><SRS>EPSG:2263</SRS>
        <GeoTransform>900000, 100, 0, 200000, 0, -100</GeoTransform>
        <VRTRasterBand dataType="Float32" band="1"><NoDataValue>-9999</NoDataValue>
        <UnitType>ft</UnitType><Scale>0.1</Scale><Offset>5</Offset><SimpleSource>
        <SourceFilename relativeToVRT="1">a.img</SourceFilename><SourceBand>1</SourceBand>
        </SimpleSource></VRTRasterBand></VRTDataset>""",
        encoding="utf-8",
    )
    header = file_header(tmp_path / "a.vrt").header
    assert (header.scale, header.offset, header.unit, header.no_data) == (0.1, 5.0, 0.3048, -9999.0)
    assert header.spacing == pytest.approx((30.48006, 30.48006), 1e-6)  # US survey feet


def test_a_tiff_packed_by_lerc_is_read_where_gdal_is(tmp_path):
    path = written(tmp_path / "a.tif", "GTiff", compress="lerc")
    raster = open_raster(path, file_header(path))
    assert np.array_equal(raster.read(0, 30, 0, 40)[0], HEIGHTS)


def test_several_bands_are_refused(tmp_path):
    path = written(tmp_path / "a.img", bands=3)
    with pytest.raises(InputError, match="has 3 bands"):
        file_header(path)


def test_other_systems_become_degrees_where_gdal_is():
    """St. Stephen's Cathedral in Vienna lies near 16.373° east, 48.208° north."""
    pytest.importorskip("rasterio", reason="the extra gis is not installed")
    longitude, latitude = to_degrees(System(PROJECTED, 1.0, 31256))(
        np.array([2918.0]), np.array([341135.0])
    )
    assert longitude[0] == pytest.approx(16.373, abs=2e-3) and latitude[0] == pytest.approx(
        48.2085, abs=2e-3
    )


@pytest.mark.parametrize("name", ["a.img", "a.nc", "a.jp2", "a.vrt"])
def test_without_gdal_the_sentence_names_two_ways(tmp_path, name, monkeypatch):
    (tmp_path / name).write_bytes(b"something")
    monkeypatch.setitem(sys.modules, "rasterio", None)
    with pytest.raises(
        InputError, match=r"pip install terrain-erosion\[gis\], or convert it: gdal_translate a\."
    ):
        file_header(tmp_path / name)


def test_without_gdal_a_tiff_packed_by_lerc_is_refused_by_name(tmp_path, monkeypatch):
    (tmp_path / "a.tif").write_bytes(tiff_of(HEIGHTS, {259: array("<u2", 34887)}))
    monkeypatch.setitem(sys.modules, "rasterio", None)
    with pytest.raises(InputError, match="compressed with LERC"):
        file_header(tmp_path / "a.tif")


def test_what_gdal_does_not_know_either_is_a_sentence(tmp_path):
    pytest.importorskip("rasterio", reason="the extra gis is not installed")
    (tmp_path / "a.img").write_bytes(b"something")
    with pytest.raises(InputError, match="cannot be read by GDAL"):
        file_header(tmp_path / "a.img")


VIRTUAL = """<VRTDataset rasterXSize="40" rasterYSize="30">
<VRTRasterBand dataType="Float32" band="1"><SimpleSource>
<SourceFilename relativeToVRT="1">{}</SourceFilename><SourceBand>1</SourceBand>
</SimpleSource></VRTRasterBand></VRTDataset>"""
SERVER = """<GDAL_WMS><Service name="TMS"><ServerUrl>http:{0}/127.0.0.1:9/</ServerUrl></Service>
<DataWindow><SizeX>40</SizeX><SizeY>30</SizeY></DataWindow></GDAL_WMS>"""


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.img", VIRTUAL.format("b.img"), "cannot be read by GDAL"),
        ("a.img", SERVER.format("/"), "cannot be read by GDAL"),
        ("a.vrt", SERVER.format("/"), "refers to a server"),
        ("a.vrt", SERVER.format(""), "cannot be read by GDAL"),
        ("a.vrt", VIRTUAL.format("/vsicurl/http:/127.0.0.1:9/b.tif"), "refers to a server"),
        ("a.vrt", VIRTUAL.format("&#47;vsizip/b.zip/b.tif"), "refers to a server"),
        (
            "a.vrt",
            VIRTUAL.format("WMTS:b.xml"),
            "refers to 'WMTS:b.xml', which is not a file of heights",
        ),
        (
            "a.vrt",
            VIRTUAL.format("gone.tif"),
            "refers to 'gone.tif', which is not a file of heights",
        ),
        ("a.vrt", VIRTUAL.format("b.xml"), "refers to 'b.xml', which is not a file of heights"),
        ("a.vrt", VIRTUAL.format("server.tif"), "server.tif does not match its suffix"),
        ("a.vrt", VIRTUAL.format("late.asc"), "late.asc does not match its suffix"),
        ("a.vrt", VIRTUAL.format("a.vrt"), "nested too deeply"),
        ("a.vrt", VIRTUAL.lower().format("wmts:b.xml"), "names 'wmts:b.xml'"),
        ("a.vrt", "<VRTDataset>", "is not a GDAL virtual raster"),
    ],
)
def test_gdal_asks_no_server_and_opens_nothing_that_a_file_hides(tmp_path, name, text, sentence):
    pytest.importorskip("rasterio", reason="the extra gis is not installed")
    (tmp_path / "server.tif").write_text(SERVER.format("/"), encoding="utf-8")
    (tmp_path / "late.asc").write_text(f"ncols 40 {SERVER.format('/')}", encoding="utf-8")
    (tmp_path / "b.xml").write_text(SERVER.format("/"), encoding="utf-8")
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=sentence):
        file_header(tmp_path / name)
