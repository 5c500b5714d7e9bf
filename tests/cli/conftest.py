# SPDX-License-Identifier: GPL-3.0-or-later
"""Working folder of the command line tests."""

import numpy as np
import pytest

from erosion_addon.generators.registry import make


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with a small terrain dem.npy in it."""
    monkeypatch.chdir(tmp_path)
    np.save("dem.npy", make("fractal", 24, 32, seed=5, values={"relief": 12.0}).elevation)
    return tmp_path
