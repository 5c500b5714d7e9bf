# SPDX-License-Identifier: GPL-3.0-or-later
"""A small part of `make faults`, which sweeps all acts and all kinds of failure."""

import pytest

from tests import faults


@pytest.mark.fuzz
@pytest.mark.parametrize(("act", "kind"), [("restore", "memory"), ("erode", "names of files")])
def test_where_something_fails_all_is_as_it_was_or_done(act, kind):
    made = faults.ACTS[act]()
    points, violations = faults.sweep(made, kind, stays=True)
    assert not violations and points > 10
