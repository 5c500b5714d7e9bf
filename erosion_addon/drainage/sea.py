# SPDX-License-Identifier: GPL-3.0-or-later
"""The sea that rivers end in."""

from typing import Any

from ..base.parameters import parameter


def sea_level(group: str = "") -> Any:
    """A parameter: the height of the sea, beside the switch `sea`."""
    return parameter(
        0.0,
        "Height of the sea.",
        low=-1e9,
        high=1e9,
        unit="m",
        soft_low=-1000,
        soft_high=1000,
        step=1,
        group=group,
        needs=("sea",),
    )
