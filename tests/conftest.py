# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings are errors wherever all the code that runs is ours, numpy's or numba's."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
STRICT = (HERE / "kernels", HERE / "model")


def pytest_collection_modifyitems(items):
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in STRICT):
            item.add_marker(pytest.mark.filterwarnings("error"))
