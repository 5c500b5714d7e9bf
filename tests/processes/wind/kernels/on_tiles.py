# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs of either wind on tiles have in common with runs on one tile."""

import math

import pytest


def assert_alike(cut, whole):
    """A run on tiles gives the bits and the figures of the run on one."""
    assert (
        cut.surface.tobytes() == whole.surface.tobytes()
        and cut.track.tobytes() == whole.track.tobytes()
    )
    assert (cut.steps, cut.aged, cut.supplied) == (whole.steps, whole.aged, whole.supplied)
    figures = (whole.lifted, whole.slid, whole.exported)
    assert (cut.lifted, cut.slid, cut.exported) == pytest.approx(figures, rel=1e-12)


def assert_balanced(after, rock, sediment):
    """Gain of the ground: supply minus export."""
    change = math.fsum((after.surface - rock - sediment).ravel())
    assert abs(change + after.exported - after.supplied) <= 1e-9 * (after.lifted + after.slid)
