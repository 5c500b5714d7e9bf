# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps written to files, and colors read from files."""

from pathlib import Path

import numpy as np
import pytest

from erosion_addon.base.arrays import linear
from erosion_addon.base.atomic_files import Outputs
from erosion_addon.base.errors import InputError
from erosion_addon.files import maps
from erosion_addon.files.headers.image_header import file_header, read_header
from erosion_addon.files.image_files import OpenImageIOFiles

IMAGES = OpenImageIOFiles()


def written(folder, fields, **options):
    with Outputs() as outputs:
        maps.write(outputs, maps.plan(outputs, folder, fields, **options), fields, IMAGES)
        return outputs.publish()


def test_fields_from_0_to_1_may_be_png_and_the_rest_stays_exr(tmp_path):
    moisture = np.linspace(0, 1, 12).reshape(3, 4)
    fields = {"wear": moisture * 9, "moisture": moisture, "surface_color": np.zeros((3, 4, 3))}
    assert [path.name for path in written(tmp_path / "m", fields, png=True)] == [
        "wear.exr",
        "moisture.png",
        "surface_color.exr",
    ]
    assert read_header(tmp_path / "m/moisture.png").kind == "uint16"
    assert np.abs(IMAGES.read(tmp_path / "m/moisture.png") - moisture).max() < 1e-5


def test_normals_may_be_png_of_16_bits_a_channel_or_exr(tmp_path):
    normal = np.random.default_rng(1).random((4, 5, 3)).astype(np.float32)
    for png, name, error in ((True, "normal.png", 1e-5), (False, "normal.exr", 0)):
        assert [path.name for path in written(tmp_path, {"normal": normal}, png=png)] == [name]
        assert np.abs(IMAGES.read_color(tmp_path / name) - normal).max() <= error
    header = read_header(tmp_path / "normal.png")
    assert (header.kind, header.channels) == ("uint16", 3)


def test_what_is_not_there_is_not_written(tmp_path):
    with Outputs() as outputs:
        planned = maps.plan(outputs, tmp_path)
        maps.write(outputs, planned, {"wear": np.zeros((3, 3))}, IMAGES)
        assert outputs.publish() == [tmp_path / "wear.exr"]


def test_srgb_is_turned_linear_and_floats_are_taken_as_they_are(tmp_path):
    """sRGB 0.5 is 0.2140 linear (IEC 61966-2-1)."""
    assert linear(np.array([0.0, 0.04045, 0.5, 1.0])) == pytest.approx(
        [0, 0.0031308, 0.2140411, 1], rel=1e-4
    )
    IMAGES.write(tmp_path / "a.png", np.full((4, 5), 0.5, np.float32), "uint16")
    IMAGES.write(tmp_path / "a.exr", np.full((4, 5, 3), 0.5, np.float32), "float")
    for name, value in (("a.png", 0.21404), ("a.exr", 0.5)):
        image = file_header(tmp_path / name)
        colors = maps.read_color(tmp_path / name, image, IMAGES, (4, 5))
        assert colors == pytest.approx(value, abs=1e-4)


def test_colors_of_another_size_are_stretched(tmp_path):
    color = np.zeros((2, 2, 3))
    color[:, 1] = (1.0, 0.5, 0.0)
    stretched = maps.fitted_color(color, (3, 5), "paint")
    assert stretched.shape == (3, 5, 3)
    assert stretched[1, 2] == pytest.approx([0.5, 0.25, 0])


@pytest.mark.parametrize("value", [np.nan, -0.1, 1.5])
def test_colors_beyond_their_range_are_refused(value):
    color = np.zeros((3, 3, 3))
    color[1, 2, 1] = value
    with pytest.raises(
        InputError, match="The colors of paint must be from 0 to 1; at row 1, column 2 it is 0, "
    ):
        maps.fitted_color(color, (3, 3), "paint")


def test_a_color_map_that_cannot_be_written_leaves_nothing(tmp_path):
    class Full(OpenImageIOFiles):
        def write(self, path: Path, pixels, kind):
            path.write_bytes(b"half")
            raise OSError(28, "No space left on device")

    fields = {"surface_color": np.zeros((3, 3, 3))}
    with pytest.raises(InputError, match="No space left"), Outputs() as outputs:
        maps.write(outputs, maps.plan(outputs, tmp_path / "m", fields), fields, Full())
    assert list(tmp_path.iterdir()) == []
