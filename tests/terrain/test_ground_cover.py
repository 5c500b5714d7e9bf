# SPDX-License-Identifier: GPL-3.0-or-later
"""Shares of rock, soil, grass, sand and snow."""

import numpy as np
import pytest

from erosion_addon.terrain.ground_cover import COVERS, WHITE, ground_cover

FLAT = np.zeros((4, 5))


def test_shares_add_up_to_white_in_every_cell():
    draw = np.random.default_rng(2)
    ground = np.zeros((64, 64))
    thick = {name: 0.5 * draw.random(ground.shape) for name in ("sediment", "soil", "snow")}
    shares = ground_cover({**thick, "grass": draw.random(ground.shape)}, ground.shape)
    assert tuple(shares) == COVERS
    assert (sum(share.astype(int) for share in shares.values()) == WHITE).all()
    assert all(
        share.dtype == np.uint16 and share.min() < WHITE // 4 < share.max()
        for share in shares.values()
    )


@pytest.mark.parametrize(
    ("fields", "cover"),
    [
        ({}, "rock"),
        ({"sediment": 0.01}, "rock"),
        ({"sediment": 5.0}, "sand"),
        ({"soil": 5.0, "sediment": 0.0}, "soil"),
        ({"soil": 5.0, "grass": 1.0}, "grass"),
        ({"sediment": 5.0, "soil": 5.0, "grass": 1.0, "snow": 2.0}, "snow"),
    ],
)
def test_what_lies_on_top_is_seen(fields, cover):
    known = {name: np.full(FLAT.shape, value) for name, value in fields.items()}
    assert {name for name, share in ground_cover(known, FLAT.shape).items() if share.any()} == {
        cover
    }


def test_thin_snow_lets_the_ground_through():
    snow = np.linspace(0, 0.4, 20).reshape(FLAT.shape)
    shares = ground_cover({"snow": snow, "sediment": np.full(FLAT.shape, 5.0)}, FLAT.shape)
    assert (np.diff(shares["snow"].ravel().astype(int)) >= 0).all()
    assert (shares["snow"].ravel()[[0, -1]] == [0, WHITE]).all() and not shares["rock"].any()
