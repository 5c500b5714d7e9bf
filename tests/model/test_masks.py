# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks are checked, and stretched over the terrain where their size differs."""

import numpy as np
import pytest

from erosion_addon.model.errors import InputError
from erosion_addon.model.masks import MASK_KINDS, prepare, resample
from tests.terrains import fractal, plane


def test_masks_of_the_right_size_are_taken_as_they_are():
    masks = {kind: np.full((4, 5), 0.5) for kind in MASK_KINDS}
    prepared, notes = prepare(masks, (4, 5))
    assert set(prepared) == set(MASK_KINDS) and notes == []
    assert all(array.dtype == np.float32 and np.all(array == 0.5) for array in prepared.values())


def test_no_masks_are_no_masks():
    assert prepare(None, (4, 5)) == prepare({}, (4, 5)) == ({}, [])


def test_a_mask_of_another_size_is_stretched_with_a_note():
    prepared, notes = prepare({"strength": [[0.0, 1.0]]}, (3, 5))
    assert np.allclose(prepared["strength"], np.linspace(0, 1, 5))
    assert notes == ["The strength mask was resampled from 1 × 2 to 3 × 5."]


def test_a_plane_stays_a_plane_when_it_is_stretched():
    # Bilinear interpolation is exact for planes; corners lie on corners.
    assert np.allclose(resample(plane(4, 6, 0.5, 0.25).astype(np.float32), (7, 11)), plane(7, 11, 0.25, 0.125))
    assert np.allclose(resample(plane(7, 11, 0.25, 0.125).astype(np.float32), (4, 6)), plane(4, 6, 0.5, 0.25))


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (2, 2), (9, 4), (30, 41)])
def test_stretching_stays_within_the_values_there_were(shape):
    values = fractal(*shape, 1.0).astype(np.float32) if min(shape) > 1 else np.full(shape, 0.25, np.float32)
    stretched = resample(values, (12, 13))
    assert stretched.shape == (12, 13)
    assert stretched.min() >= values.min() - 1e-6 and stretched.max() <= values.max() + 1e-6
    assert np.allclose(stretched[[0, 0, -1, -1], [0, -1, 0, -1]], values[[0, 0, -1, -1], [0, -1, 0, -1]])


@pytest.mark.parametrize(
    ("masks", "words"),
    [
        ({"snow": np.zeros((3, 3))}, "no mask snow; there are strength, hardness, rain, sediment"),
        ({"strength": np.full((3, 3), 1.01)}, r"strength mask \(.*\) must be from 0 to 1; at row 0, column 0 it is 1"),
        ({"hardness": np.full((3, 3), -0.1)}, "from 0 to 1"),
        ({"rain": np.full((3, 3), np.nan)}, "it is nan"),
        ({"sediment": np.full((3, 3), np.inf)}, "it is inf"),
        ({"rain": np.full((3, 3), 1e300)}, "from 0 to 1e"),
        ({"rain": np.zeros((3, 3))}, "zero everywhere"),
        ({"strength": np.zeros(9)}, "rows and columns"),
        ({"strength": np.zeros((0, 3))}, "rows and columns"),
        ({"strength": 0.5}, "rows and columns"),
        ({"strength": [[1, 2], [3]]}, "rectangle"),
        ({"strength": [["a"]]}, "rectangle"),
        ({"strength": None}, "rectangle|rows and columns"),
    ],
)
def test_what_is_no_mask_is_refused_in_a_sentence(masks, words):
    with pytest.raises(InputError, match=words):
        prepare(masks, (3, 3))


def test_rain_that_falls_between_the_cells_is_refused_too():
    rain = np.zeros((101, 101))
    rain[1, 1] = 1.0
    with pytest.raises(InputError, match="zero everywhere"):
        prepare({"rain": rain}, (3, 3))
