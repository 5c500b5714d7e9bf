# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinate reference systems in .prj files, and world files beside images."""

import numpy as np
import pytest

from erosion_addon.files.headers.image_header import read_header
from erosion_addon.files.places.coordinate_text import system_in
from erosion_addon.files.places.placement import GEOGRAPHIC, MERCATOR, PROJECTED, UNKNOWN
from tests.geotiff import array, tiff_of

GLOBE = (
    'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.25]],'
    'UNIT["Degree",0.0174532925199433]]'
)
FOOT = 1200 / 3937


def projected(name, projection="Transverse_Mercator", unit='UNIT["Meter",1.0]', more=""):
    return f'PROJCS["{name}",{GLOBE},PROJECTION["{projection}"],PARAMETER["x",9.0],{unit}{more}]'


VERTICAL = (
    'VERT_CS["NAVD88 height (ftUS)",VERT_DATUM["NAVD88",2005],'
    'UNIT["US survey foot",0.304800609601219]]'
)
GAUSS = projected("Gauss", more=',AUTHORITY["EPSG","31255"]')
BOTH = f'COMPD_CS["both",{GAUSS},{VERTICAL}]'
TWO = (
    'GEOGCRS["WGS 84",DATUM["D",ELLIPSOID["WGS 84",6378137,298.2,LENGTHUNIT["metre",1]]],'
    'CS[ellipsoidal,2],ANGLEUNIT["degree",0.0174532925199433],ID["EPSG",4326]]'
)
OLD = (
    "Projection    UTM\nZone          32\nDatum         WGS84\nZunits        FEET\nUnits         "
    "METERS\n"
)
OLD_GLOBE = (
    "Projection    GEOGRAPHIC\nDatum         WGS84\nUnits         DD\nZunits        METERS\n"
)


@pytest.mark.parametrize(
    "text,kind,unit,code,height",
    [
        (GLOBE, GEOGRAPHIC, 1.0, 4326, None),
        (TWO, GEOGRAPHIC, 1.0, 4326, None),
        (projected("WGS_1984_UTM_Zone_32N"), PROJECTED, 1.0, 32632, None),
        (projected("WGS 84 / UTM zone 19S"), PROJECTED, 1.0, 32719, None),
        (projected("ETRS89 / UTM zone 33N"), PROJECTED, 1.0, 25833, None),
        (projected("NAD_1983_UTM_Zone_11N"), PROJECTED, 1.0, 26911, None),
        (projected("Gauss", more=',AUTHORITY["EPSG","31255"]'), PROJECTED, 1.0, 31255, None),
        (projected("Gauss", more=',AUTHORITY["ESRI","102100"]'), PROJECTED, 1.0, 0, None),
        (projected("NY", unit='UNIT["Foot_US",0.3048006096012192]'), PROJECTED, FOOT, 0, None),
        (
            projected("WGS_1984_Web_Mercator_Auxiliary_Sphere", "Mercator_Auxiliary_Sphere"),
            MERCATOR,
            1.0,
            3857,
            None,
        ),
        (projected("World", "Mercator_1SP"), MERCATOR, 1.0, 0, None),
        (projected("Swiss", "Hotine_Oblique_Mercator"), PROJECTED, 1.0, 0, None),
        (BOTH, PROJECTED, 1.0, 31255, FOOT),
        (OLD, PROJECTED, 1.0, 32632, 0.3048),
        (OLD_GLOBE, GEOGRAPHIC, 1.0, 4326, 1.0),
        ("Projection    ALBERS\nUnits         PARSEC\n", PROJECTED, None, 0, None),
        ("", UNKNOWN, 1.0, 0, None),
        ("hello", UNKNOWN, 1.0, 0, None),
    ],
)
def test_a_text_says_kind_unit_and_code_of_its_system(text, kind, unit, code, height):
    system, vertical = system_in(text)
    assert (system.kind, system.code) == (kind, code)
    assert system.unit == (None if unit is None else pytest.approx(unit, 1e-9))
    assert vertical == (None if height is None else pytest.approx(height, 1e-9))


WORLD = "30\n0\n0\n-30\n600015\n5199985\n"


@pytest.mark.parametrize("name", ["a.tfw", "a.TFW", "a.tifw", "a.wld"])
def test_a_world_file_places_a_tiff_that_says_nothing(tmp_path, name):
    (tmp_path / "a.tif").write_bytes(tiff_of(np.zeros((5, 7), "f4")))
    (tmp_path / name).write_text(WORLD, encoding="ascii")
    header = read_header(tmp_path / "a.tif")
    assert (
        header.spacing == (30.0, 30.0)
        and header.georeference is None
        and "count as meters" in header.doubts[0]
    )
    (tmp_path / "a.prj").write_text(projected("WGS_1984_UTM_Zone_32N"), encoding="ascii")
    header = read_header(tmp_path / "a.tif")
    assert header.georeference.placement.corner == (600000.0, 5200000.0) and header.doubts == ()


def test_tags_of_a_tiff_come_before_its_world_file(tmp_path):
    tags = {33550: array("<f8", 10, 10, 0), 33922: array("<f8", 0, 0, 0, 0, 0, 0)}
    (tmp_path / "a.tif").write_bytes(tiff_of(np.zeros((5, 7), "f4"), tags))
    (tmp_path / "a.tfw").write_text(WORLD, encoding="ascii")
    assert read_header(tmp_path / "a.tif").spacing == (10.0, 10.0)


def test_a_world_file_with_rows_to_the_north_turns_the_image(tmp_path):
    (tmp_path / "a.tif").write_bytes(tiff_of(np.zeros((5, 7), "f4")))
    (tmp_path / "a.tfw").write_text("30\n0\n0\n30\n600015\n5199985\n", encoding="ascii")
    assert read_header(tmp_path / "a.tif").south_up


@pytest.mark.parametrize(
    "text", ["", "30\n0\n0\n", "a b c d e f", "0 0 0 0 1 1", "nan 0 0 -30 1 1", "1e400 0 0 -30 1 1"]
)
def test_a_world_file_that_makes_no_sense_is_left_alone(tmp_path, text):
    (tmp_path / "a.tif").write_bytes(tiff_of(np.zeros((5, 7), "f4")))
    (tmp_path / "a.tfw").write_text(text, encoding="ascii")
    assert read_header(tmp_path / "a.tif").spacing is None


AUXILIARY = """<PAMDataset>
  <SRS dataAxisToSRSAxisMapping="1,2"
  >PROJCS[&quot;WGS 84 / UTM zone 32N&quot;,UNIT[&quot;metre&quot;,1]]</SRS>
  <GeoTransform> 6.0e+05,  3.0e+01,  0.0,  5.2e+06,  0.0, -3.0e+01</GeoTransform>
  <PAMRasterBand band="1">
    <NoDataValue>0.0</NoDataValue><UnitType>us-ft</UnitType><Offset>-5</Offset><Scale>0.1</Scale>
  </PAMRasterBand>
</PAMDataset>"""


def test_metadata_that_gdal_writes_beside_an_image_count(tmp_path):
    (tmp_path / "a.tif").write_bytes(tiff_of(np.zeros((5, 7), "u2")))
    (tmp_path / "a.tif.aux.xml").write_text(AUXILIARY, encoding="utf-8")
    header = read_header(tmp_path / "a.tif")
    assert (header.no_data, header.scale, header.offset, header.unit) == (0.0, 0.1, -5.0, FOOT)
    assert header.spacing == (30.0, 30.0) and header.georeference.placement.corner == (
        600000.0,
        5200000.0,
    )


@pytest.mark.parametrize(
    "text", ["", "<PAMDataset>", AUXILIARY.replace("3.0e+01", "x").replace("0.1", "y"), "&" * 70000]
)
def test_metadata_that_make_no_sense_are_left_alone(tmp_path, text):
    (tmp_path / "a.tif").write_bytes(tiff_of(np.zeros((5, 7), "u2")))
    (tmp_path / "a.tif.aux.xml").write_text(text, encoding="utf-8")
    header = read_header(tmp_path / "a.tif")
    assert header.spacing is None and header.scale == 1.0
