# SPDX-License-Identifier: GPL-3.0-or-later
"""Some random histories of a session; `make histories` runs thousands."""

import pytest

from tests import histories


@pytest.mark.fuzz
def test_whatever_is_done_in_whatever_order_nothing_is_lost():
    histories.run_histories(count=2, acts=15, derandomize=True)
